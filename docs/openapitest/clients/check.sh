#!/usr/bin/env bash
# Lints the OpenAPI documents by the rules in lint/, where a warning is an
# error, and generates and compiles clients and servers from them, as users of the
# APIs do. e2e/setup.sh installs the programs that npm.txt lists.
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../../.. && pwd)
npm=$root/.cache/npm/openapi/node_modules/.bin
out=$root/.cache/openapi
mkdir -p "$out"
export REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true

quiet() { # prints what the command printed, where it fails
  "$@" >"$out/log" 2>&1 || { cat "$out/log"; echo "failed: $*" >&2; exit 1; }
}

quiet "$npm/redocly" lint --config lint/redocly.yaml "$root"/docs/{openapi,portal-openapi,connector.openapi}.yaml
quiet "$npm/spectral" lint --ruleset lint/spectral.yaml --fail-severity warn "$root"/docs/{openapi,portal-openapi,connector.openapi}.yaml
for name in openapi portal-openapi connector.openapi; do
  document=$root/docs/$name.yaml
  quiet "$npm/openapi-typescript" "$document" -o "$out/$name.ts"
  quiet "$npm/tsc" --noEmit --strict --skipLibCheck "$out/$name.ts"
  package=${name//[-.]/}
  mkdir -p "generated/$package"
  quiet go tool oapi-codegen -generate types,client,std-http,strict-server,spec -package "$package" \
    -o "generated/$package/api.go" "$document"
done
quiet go vet ./generated/...
echo "OpenAPI: the documents are linted, and their clients in Go and TypeScript compile"
