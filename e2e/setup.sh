#!/usr/bin/env bash
# Installs what the tests need and this machine lacks: Chromium, its headless
# shell, WebKit with its driver, Firefox, PostgreSQL, PgBouncer, nginx, Caddy, Node, Python, fish,
# tesseract and poppler by apt, the browser driver, axe, React and Vue by npm, and Prometheus' promtool, without its server,
# into .cache. Running it again does nothing. With the word examples it fetches React and Vue alone;
# with the word lighthouse that too, which the tests do not need; with the word openapi
# what make openapi needs; with the word oldest Chromium 109, the oldest that pages support (58 MB);
# with the word outdated it prints which of its npm and Debian packages have a newer version (as apt-get
# update last saw them), and installs nothing.
set -euo pipefail
cd "$(dirname "$0")/.."

playwright=1.52.0 # the driver of playwright-go v0.5200.1
axe=4.14.1
lighthouse=12.8.2
react=19.3.1
scheduler=0.28.0 # that react-dom asks for
vue=3.5.45
oldest=109.0.6 # of @sparticuz/chromium, whose versions are Chromium's
openapi=$(cat docs/openapitest/clients/npm.txt)

if [ "${1-}" = outdated ]; then # playwright-core stays with its Go driver
  for package in "axe-core@$axe" "lighthouse@$lighthouse" "react@$react" "vue@$vue" $openapi; do
    newest=$(npm view "${package%@*}" version 2>/dev/null) || { echo "${package%@*}: the registry does not answer"; continue; }
    [ "$newest" = "${package##*@}" ] || echo "${package%@*} ${package##*@}: $newest"
  done
  debian='npm|nodejs|chromium|chromium-headless-shell|firefox-esr|webkit2gtk-driver|xvfb|postgresql(-[0-9]+)?|pgbouncer'
  debian+='|nginx(-light)?|caddy|python3|fish|tesseract-ocr(-eng)?|poppler-utils'
  apt list --upgradable 2>/dev/null | sed -nE "s,^($debian)/[^ ]* ([^ ]+) .*upgradable from: ([^]]+)].*,\\1 \\6: \\5,p" || true
  exit
fi

missing=()
command -v npm >/dev/null || missing+=(npm)
if [ "${1-}" != examples ]; then
  command -v chromium >/dev/null || missing+=(chromium)
  command -v node >/dev/null || missing+=(nodejs)
  compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null || command -v initdb >/dev/null || missing+=(postgresql)
  [ -x /usr/sbin/pgbouncer ] || command -v pgbouncer >/dev/null || missing+=(pgbouncer)
  [ -x /usr/sbin/nginx ] || command -v nginx >/dev/null || missing+=(nginx-light)
  command -v caddy >/dev/null || missing+=(caddy)
  command -v python3 >/dev/null || missing+=(python3)
  command -v fish >/dev/null || missing+=(fish)
  command -v tesseract >/dev/null || missing+=(tesseract-ocr tesseract-ocr-eng)
  command -v pdftoppm >/dev/null || missing+=(poppler-utils)
  command -v WebKitWebDriver >/dev/null || missing+=(webkit2gtk-driver)
  command -v Xvfb >/dev/null || missing+=(xvfb)
  command -v firefox-esr >/dev/null || command -v firefox >/dev/null || missing+=(firefox-esr)
fi
sudo=
[ "$(id -u)" = 0 ] || sudo=sudo
install() {
  echo "installing $*" >&2
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -q --no-install-recommends "$@" >/dev/null
}
if [ ${#missing[@]} -gt 0 ]; then
  if ! command -v apt-get >/dev/null; then
    echo "The tests need ${missing[*]}; install them with this system's package manager." >&2
    exit 1
  fi
  $sudo apt-get update -q >/dev/null
  install "${missing[@]}"
fi
# The shell is the same engine without the rest of a browser, at half the time.
# Where a system offers none, the tests take Chromium.
if [ "${1-}" != examples ] && ! command -v chromium-headless-shell >/dev/null && command -v apt-get >/dev/null; then
  apt-cache show chromium >/dev/null 2>&1 || $sudo apt-get update -q >/dev/null || true
  if apt-cache show chromium-headless-shell >/dev/null 2>&1; then
    install chromium-headless-shell || echo "going on without" >&2
  fi
fi

if [ "${1-}" != examples ] && ! command -v promtool >/dev/null && [ ! -x .cache/prometheus/usr/bin/promtool ]; then
  echo "fetching promtool" >&2
  mkdir -p .cache/prometheus
  (cd .cache/prometheus && apt-get download -q prometheus >/dev/null && dpkg-deb -x prometheus_*.deb . && rm prometheus_*.deb)
fi

fetch() { # package, version
  local to=".cache/npm/$1"
  [ "$(cat "$to/version" 2>/dev/null)" = "$2" ] && return
  echo "fetching $1@$2" >&2
  rm -rf "$to" && mkdir -p "$to"
  (cd "$to" && npm pack --silent "$1@$2" >/dev/null && tar xzf ./*.tgz && rm ./*.tgz)
  echo "$2" >"$to/version"
}
fetch react "$react"
fetch react-dom "$react"
fetch scheduler "$scheduler"
fetch vue "$vue"
[ "${1-}" = examples ] && exit
fetch playwright-core "$playwright"
fetch axe-core "$axe"
if [ "${1-}" = openapi ] && [ "$(cat .cache/npm/openapi/version 2>/dev/null)" != "$openapi" ]; then
  echo "fetching $openapi" >&2
  # shellcheck disable=SC2086 # a list
  npm install --silent --ignore-scripts --no-audit --no-fund --prefix .cache/npm/openapi $openapi >/dev/null
  echo "$openapi" >.cache/npm/openapi/version
fi
if [ "${1-}" = lighthouse ] && [ "$(cat .cache/npm/lighthouse/version 2>/dev/null)" != "$lighthouse" ]; then
  echo "fetching lighthouse@$lighthouse" >&2
  npm install --silent --ignore-scripts --no-audit --no-fund --prefix .cache/npm/lighthouse "lighthouse@$lighthouse" >/dev/null
  echo "$lighthouse" >.cache/npm/lighthouse/version
fi
if [ "${1-}" = oldest ] && [ "$(cat .cache/npm/chromium-109/version 2>/dev/null)" != "$oldest" ]; then
  fetch @sparticuz/chromium "$oldest"
  mkdir -p .cache/npm/chromium-109
  node -e 'const { readFileSync, writeFileSync } = require("fs"), { brotliDecompressSync } = require("zlib");
    writeFileSync(process.argv[2], brotliDecompressSync(readFileSync(process.argv[1])), { mode: 0o755 })' \
    .cache/npm/@sparticuz/chromium/package/bin/chromium.br .cache/npm/chromium-109/chromium
  rm -rf .cache/npm/@sparticuz
  echo "$oldest" >.cache/npm/chromium-109/version
fi
