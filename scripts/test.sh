#!/usr/bin/env bash
# Runs every test with the race detector, against SQLite and a real PostgreSQL
# that is started here on a free loopback port and ended afterwards.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
pgpid=""
finish() {
  if [ -n "$pgpid" ]; then kill -INT "$pgpid" 2>/dev/null || true; wait "$pgpid" 2>/dev/null || true; fi
  rm -rf "$work"
}
trap finish EXIT

echo "== generated files are up to date"
go tool templ generate ./web/... >/dev/null
git diff --exit-code -- '*_templ.go' || { echo "run 'make generate' and commit the result" >&2; exit 1; }
unformatted=$(gofmt -l $(git ls-files '*.go'))
[ -z "$unformatted" ] || { echo "gofmt would change: $unformatted" >&2; exit 1; }
go vet ./...

echo "== PostgreSQL"
bin=$(dirname "$(readlink -f "$(command -v postgres || ls /usr/lib/postgresql/*/bin/postgres | tail -1)")")
as=()
if [ "$(id -u)" -eq 0 ]; then
  id postgres >/dev/null 2>&1 || useradd -r postgres
  chown postgres "$work"
  as=(setpriv --reuid postgres --regid "$(id -g postgres)" --clear-groups)
fi
port=$(python3 -c 'import socket; s=socket.socket(); s.bind(("127.0.0.1",0)); print(s.getsockname()[1])' 2>/dev/null || echo 54329)
"${as[@]}" "$bin/initdb" -D "$work/pg" -U postgres -A trust --encoding=UTF8 --locale=C.UTF-8 >/dev/null
"${as[@]}" "$bin/postgres" -D "$work/pg" -h 127.0.0.1 -p "$port" -k "$work" -c fsync=off >"$work/pg.log" 2>&1 &
pgpid=$!
for _ in $(seq 100); do "$bin/pg_isready" -q -h 127.0.0.1 -p "$port" && break; sleep 0.1; done
"$bin/pg_isready" -q -h 127.0.0.1 -p "$port" || { cat "$work/pg.log" >&2; exit 1; }
export PROGROUTER_TEST_DATABASE_URL="postgres://postgres@127.0.0.1:$port/postgres?sslmode=disable"

echo "== tests"
export PROGROUTER_TEST_BROWSER=1 PROGROUTER_TEST_KILL=1
mkdir -p artifacts
CGO_ENABLED=1 go test -race -count=1 -timeout 40m ./...

echo "== budgets of the real engine, without the detector's slowdown"
go test -count=1 -run 'TestLargeDocuments|TestNoRun' ./cmd/server
