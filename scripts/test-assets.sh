#!/bin/sh
# Rebuilds the third-party script that the browser tests check accessibility
# with, from its npm package pinned by version and sha512. It is used by tests
# only and never served. Needs npm, tar and openssl.
set -eu

version=4.14.1
want='FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ=='
out=$(cd "$(dirname "$0")/.." && pwd)/cmd/server/testdata/axe
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

(cd "$work" && npm pack --silent --ignore-scripts "axe-core@$version" >/dev/null)
archive="$work/axe-core-$version.tgz"
got=$(openssl dgst -sha512 -binary "$archive" | openssl base64 -A)
if [ "$got" != "$want" ]; then
	echo "axe-core@$version: checksum differs: want $want, got $got" >&2
	exit 1
fi
tar -xzf "$archive" -C "$work"
mkdir -p "$out"
cp "$work/package/axe.min.js" "$work/package/LICENSE" "$work/package/LICENSE-3RD-PARTY.txt" "$out/"
echo "axe.min.js: axe-core $version"
