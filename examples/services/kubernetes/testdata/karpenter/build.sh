#!/usr/bin/env bash
# build.sh FOLDER: builds karpenter, the program of main.go.txt, into FOLDER, with the
# definitions of its resources in FOLDER/crds. Takes minutes.
set -euo pipefail
version=v1.15.0
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1" && out=$(cd "$1" && pwd)
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
# A module that wants a newer patch release of Go is not unpacked, but its archive is there.
zip=$(cd "$work" && { go mod download -json "sigs.k8s.io/karpenter@$version" || true; } | sed -n 's/^.*"Zip": "\(.*\)",$/\1/p')
[ -f "$zip" ] || { echo "build.sh: sigs.k8s.io/karpenter@$version cannot be had" >&2; exit 1; }
unzip -q "$zip" -d "$work" && cd "$work/sigs.k8s.io/karpenter@$version"
# Version 1.15.0 wants Go 1.26.9. It builds with every release of Go 1.26.
sed -i "s/^go 1\.26\..*/go $(go env GOVERSION | sed 's/^go//')/" go.mod
mkdir kwok/byoverlay && cp "$here/main.go.txt" kwok/byoverlay/main.go
go build -trimpath -o "$out/karpenter" ./kwok/byoverlay
mkdir -p "$out/crds"
cp pkg/apis/crds/karpenter.sh_*.yaml kwok/apis/crds/*.yaml "$out/crds/"
