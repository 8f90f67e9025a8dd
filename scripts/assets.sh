#!/bin/sh
# Rebuilds the third-party browser assets in static/vendor from npm packages
# pinned by version and sha512. Needs npm, tar and openssl.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
out="$root/static/vendor"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# vendor PACKAGE VERSION SHA512(base64) FILE-IN-PACKAGE NAME
vendor() {
	package=$1 version=$2 want=$3 file=$4 name=$5
	(cd "$work" && npm pack --silent --ignore-scripts "$package@$version" >/dev/null)
	archive="$work/$package-$version.tgz"
	got=$(openssl dgst -sha512 -binary "$archive" | openssl base64 -A)
	if [ "$got" != "$want" ]; then
		echo "$package@$version: checksum differs: want $want, got $got" >&2
		exit 1
	fi
	mkdir -p "$work/$package"
	tar -xzf "$archive" -C "$work/$package"
	cp "$work/$package/package/$file" "$out/$name"
	cp "$work/$package/package/LICENSE" "$out/${name%.js}.LICENSE.txt"
	echo "$name: $package $version"
}

mkdir -p "$out"
vendor htmx.org 2.0.11 \
	'Thx/WtpeOQqSrqBCw/A1cwGJGg4UrVa3+sW0GmrM3p4gJgO89ecH4qtbnyzDDWFvBTqjnIMCgELTNt636dtamA==' \
	dist/htmx.min.js htmx.min.js
vendor htmx-ext-sse 2.2.4 \
	'LJmxVhykyflBWgh5PvbRidcyuqMHlgfajmmzumvKctv9puvsufeH6OaejSMZTNTnEI8O2wXXn4ZZtBdpEMqmEQ==' \
	dist/sse.min.js htmx-sse.min.js
