#!/usr/bin/env bash
# Installs what `make test` needs beyond Go, on Debian and Ubuntu. Elsewhere it
# names what is missing. Nothing is installed that is already there.
set -euo pipefail
need=()
have() { command -v "$1" >/dev/null 2>&1; }
have chromium || have chromium-browser || have google-chrome || need+=(chromium)
have python3 || need+=(python3)
have gcc || need+=(gcc libc6-dev)
if ! have postgres && ! ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1; then need+=(postgresql); fi
[ -e /usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc ] || need+=(fonts-noto-cjk)
[ ${#need[@]} -eq 0 ] && exit 0
if ! have apt-get; then
  echo "make test needs these programs; please install them: ${need[*]}" >&2
  exit 1
fi
sudo=""
[ "$(id -u)" -eq 0 ] || sudo=sudo
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get update -qq
$sudo apt-get install -y -qq --no-install-recommends "${need[@]}"
