#!/bin/bash
# Builds what a release has, into OUT (dist): for each of TARGETS an archive with the program, for Linux
# also an image; an SBOM, the notes, and checksums. `make release` calls it after `make assets`.
#
# Two builds of one commit with the same Go, and for the images the same package ca-certificates, are
# equal: paths, times, users and the order of files are fixed. Nothing is downloaded but Go modules.
set -euo pipefail
cd "$(dirname "$0")/../.."
OUT=${OUT:-dist}
TARGETS=${TARGETS:-linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64}
export CGO_ENABLED=0 LC_ALL=C GOFLAGS='-trimpath -buildvcs=false'

version=$(sed -n 's/^const release = "\(.*\)"$/\1/p' internal/app/app.go)
revision=$(git rev-parse --short=12 HEAD)
time=$(git log -1 --format=%ct)
if [ -n "$(git status --porcelain)" ]; then
  echo "release: commit your changes first: a release is built from a commit" >&2
  exit 1
fi
name=vestibule-$version
[ "$(git tag --points-at HEAD)" = "v$version" ] || name=$name-$revision
rm -rf "$OUT" && mkdir -p "$OUT"
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT

pack() { # pack FILE DIR [NAME]: a tar of a folder's contents, or of one of them
  tar --sort=name --format=ustar --mtime="@$time" --owner="${OWNER:-0}" --group="${OWNER:-0}" --numeric-owner -C "$2" -cf "$1" "${3:-.}"
}

# The fields of a line of the Dockerfile's last stage, as JSON: field USER, ENV, …
field() {
  sed -n '/^FROM scratch/,$p' docs/deploy/Dockerfile | sed -e ':a' -e '/\\$/N; s/\\\n *//; ta' | sed -n "s/^$1 //p"
}
texts() { tr ' ' '\n' | sed '/^$/d; s/.*/"&"/' | paste -sd,; }
seconds() { echo "$(field HEALTHCHECK | sed "s/.*--$1=\([0-9]*\)s.*/\1/")000000000"; }
members() { tr ' ' '\n' | sed '/^$/d; s|.*|"&":{}|' | paste -sd,; }

blob() { # blob DIR FILE: moves a file into an image's blobs, and prints its digest
  local digest
  digest=$(sha256sum <"$2" | cut -d' ' -f1)
  mv "$2" "$1/blobs/sha256/$digest"
  echo "$digest"
}

image() { # image ARCH PROGRAM: an image with the files, user and entry point of docs/deploy/Dockerfile
  local arch=$1 root=$work/root image=$work/image created config layer manifest size
  rm -rf "$root" "$image" && mkdir -p "$root/etc/ssl/certs" "$image/blobs/sha256"
  # The authorities of the package ca-certificates, without those that this machine's owner added.
  find /usr/share/ca-certificates/mozilla -name '*.crt' | sort | xargs cat >"$root/etc/ssl/certs/ca-certificates.crt"
  cp "$2" "$root/vestibule" && cp NOTICE "$root/"
  chmod 755 "$root" "$root"/etc "$root"/etc/ssl "$root"/etc/ssl/certs "$root/vestibule"
  chmod 644 "$root/NOTICE" "$root/etc/ssl/certs/ca-certificates.crt"
  pack "$work/layer" "$root"
  # /data is the program's own, and nothing else is: the layer leaves / to root.
  rm -rf "$root" && mkdir -p "$root/data" && chmod 700 "$root/data"
  OWNER=65532 pack "$work/data" "$root" data
  created=$(date -u -d "@$time" +%FT%TZ)
  size=$(stat -c %s "$work/layer") size_data=$(stat -c %s "$work/data")
  layer=$(blob "$image" "$work/layer") data=$(blob "$image" "$work/data")
  cat >"$work/config" <<END
{"created": "$created", "architecture": "$arch", "os": "linux",
 "config": {"User": "$(field USER)", "Env": [$(field ENV | texts)], "ExposedPorts": {$(field EXPOSE | sed 's|[0-9]\+|&/tcp|g' | members)},
  "Entrypoint": $(field ENTRYPOINT), "Cmd": $(field CMD), "Volumes": {$(field VOLUME | members)}, "StopSignal": "$(field STOPSIGNAL)",
  "Healthcheck": {"Test": $(field HEALTHCHECK | sed 's/.*CMD \[/["CMD", /'),
   "Interval": $(seconds interval), "Timeout": $(seconds timeout), "StartPeriod": $(seconds start-period)},
  "Labels": {"org.opencontainers.image.version": "$version", "org.opencontainers.image.revision": "$revision"}},
 "rootfs": {"type": "layers", "diff_ids": ["sha256:$layer", "sha256:$data"]},
 "history": [{"created": "$created", "created_by": "the program"}, {"created": "$created", "created_by": "its folder"}]}
END
  config_size=$(stat -c %s "$work/config")
  config=$(blob "$image" "$work/config")
  local type=application/vnd.oci.image
  cat >"$work/manifest" <<END
{"schemaVersion": 2, "mediaType": "$type.manifest.v1+json",
 "config": {"mediaType": "$type.config.v1+json", "digest": "sha256:$config", "size": $config_size},
 "layers": [{"mediaType": "$type.layer.v1.tar", "digest": "sha256:$layer", "size": $size},
  {"mediaType": "$type.layer.v1.tar", "digest": "sha256:$data", "size": $size_data}]}
END
  size=$(stat -c %s "$work/manifest")
  manifest=$(blob "$image" "$work/manifest")
  printf '{"imageLayoutVersion":"1.0.0"}' >"$image/oci-layout"
  cat >"$image/index.json" <<END
{"schemaVersion": 2, "mediaType": "$type.index.v1+json",
 "manifests": [{"mediaType": "$type.manifest.v1+json", "digest": "sha256:$manifest", "size": $size,
 "platform": {"architecture": "$arch", "os": "linux"},
 "annotations": {"io.containerd.image.name": "docker.io/library/vestibule:$version", "org.opencontainers.image.ref.name": "$version"}}]}
END
  # Older engines read this file.
  cat >"$image/manifest.json" <<END
[{"Config": "blobs/sha256/$config", "RepoTags": ["vestibule:$version"],
  "Layers": ["blobs/sha256/$layer", "blobs/sha256/$data"]}]
END
  find "$image" -type d -exec chmod 755 {} + && find "$image" -type f -exec chmod 644 {} +
  pack "$OUT/$name-image-linux-$arch.tar" "$image"
}

for target in $TARGETS; do
  os=${target%/*} arch=${target#*/} program=vestibule
  [ "$os" != windows ] || program=vestibule.exe
  folder=$work/$name-$os-$arch
  mkdir -p "$folder"
  GOOS=$os GOARCH=$arch go build -ldflags "-s -w -X vestibule/internal/app.revision=$revision" -o "$folder/$program" ./cmd/server
  cp NOTICE CHANGELOG.md "$folder/"
  chmod 755 "$folder" "$folder/$program" && chmod 644 "$folder/NOTICE" "$folder/CHANGELOG.md"
  pack "$work/archive" "$folder"
  gzip -9n <"$work/archive" >"$OUT/$name-$os-$arch.tar.gz"
  [ "$os" != linux ] || image "$arch" "$folder/vestibule"
  go version -m "$folder/$program" | awk -F'\t' '$2 == "dep" { print $3 "\t" $4 }' >>"$work/modules"
done

# The modules inside the programs, as CycloneDX.
{
  digest=$(printf '%s' "$name" | sha256sum)
  go=$(go env GOVERSION | sed s/go//)
  cat <<END
{"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
 "serialNumber": "urn:uuid:${digest:0:8}-${digest:8:4}-4${digest:13:3}-8${digest:17:3}-${digest:20:12}",
 "metadata": {"timestamp": "$(date -u -d "@$time" +%FT%TZ)",
  "component": {"type": "application", "bom-ref": "vestibule", "name": "vestibule", "version": "$version"}},
 "components": [
  {"type": "library", "bom-ref": "pkg:golang/std@$go", "name": "std", "version": "$go", "purl": "pkg:golang/std@$go"}
END
  sort -u "$work/modules" | awk -F'\t' '{
    version = $2; gsub(/\+/, "%2B", version); purl = "pkg:golang/" $1 "@" version
    printf "  ,{\"type\": \"library\", \"bom-ref\": \"%s\", \"name\": \"%s\", \"version\": \"%s\", \"purl\": \"%s\"}\n", purl, $1, $2, purl
  }'
  echo ']}'
} >"$OUT/$name-sbom.cdx.json"

# The section of this version in the changelog, or else of what is not released yet.
[ "$name" = "vestibule-$version" ] && section=$version || section=Unreleased
awk -v section="[$section]" '/^## \[/ { on = index($0, section) } on' CHANGELOG.md | tail -n +2 >"$work/notes"
{ printf '# Vestibule %s\n' "${name#vestibule-}"; cat "$work/notes"; } >"$OUT/$name-notes.md"

(cd "$OUT" && sha256sum -- * >SHA256SUMS)
echo "$OUT:" && ls "$OUT"
