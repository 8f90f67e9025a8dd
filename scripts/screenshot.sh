#!/bin/sh
# Renews docs/images/run.png, the README's picture: a real run about the handbook,
# in headless Chromium.
set -eu
cd "$(dirname "$0")/.."
PROGROUTER_README_PICTURE="$PWD/docs/images/run.png" PROGROUTER_TEST_BROWSER=1 \
	go test -count=1 -run '^TestReadmePicture$' -v ./cmd/server
