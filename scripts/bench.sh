#!/usr/bin/env bash
# Measures what a person feels: start, memory at rest, a quick run and pages
# under load from a second process. Everything stays on loopback and ends by
# itself. Go benchmarks are run by `make bench`.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
pid=""
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null || true; rm -rf "$work"' EXIT
go build -trimpath -o "$work/progrouter" ./cmd/server
now() { date +%s%N; }
ms() { echo $((($2 - $1) / 1000000)); }

serve() { # starts the server and prints the milliseconds until it is ready
  local t0 t1 url=""
  : >"$work/out"
  t0=$(now)
  PROGROUTER_WIKIPEDIA=false PROGROUTER_LOG_LEVEL=error "$work/progrouter" --addr 127.0.0.1:0 --data "$work/data" >"$work/out" 2>"$work/err" &
  pid=$!
  until url=$(grep -o 'http://[0-9.:]*' "$work/out"); do sleep 0.005; done
  until curl -sf "$url/readyz" >/dev/null; do sleep 0.005; done
  t1=$(now)
  echo "$url" >"$work/url"
  ms "$t0" "$t1" >"$work/ms"
}
stop() { kill "$pid"; wait "$pid" 2>/dev/null || true; pid=""; }

serve; echo "start on an empty data folder: $(cat "$work/ms") ms"; stop
for i in 1 2 3; do serve; echo "start on an existing data folder: $(cat "$work/ms") ms"; [ "$i" = 3 ] || stop; done
sleep 2
echo "resident memory at rest: $(awk '/VmRSS/{printf "%.0f", $2/1024}' "/proc/$pid/status") MB"
url=$(cat "$work/url")

ask() { # question policy depth → seconds from POST to final status
  local t0 id
  t0=$(now)
  id=$(curl -sf -X POST -H 'Content-Type: application/json' -d "{\"question\":\"$1\",\"policy\":\"$2\",\"depth\":\"$3\",\"library\":true}" "$url/api/v1/runs" | grep -o '"id":"[^"]*' | cut -d'"' -f4)
  until curl -sf "$url/api/v1/runs/$id" | grep -qE '"status": ?"(complete|partial|no_evidence|failed)"'; do sleep 0.02; done
  echo "$(ms "$t0" "$(now)") ms"
}
q="How does ProgRouter keep a run within its budget?"
echo "quick run on the handbook, progrouter, cold vectors: $(ask "$q" progrouter quick)"
for p in fixed-small fixed-medium fixed-large; do echo "quick run on the handbook, $p: $(ask "$q" $p quick)"; done
echo "resident memory after runs on all tiers: $(awk '/VmRSS/{printf "%.0f", $2/1024}' "/proc/$pid/status") MB"
id=$(curl -sf "$url/api/v1/runs" | grep -o '"id":"[^"]*' | head -1 | cut -d'"' -f4)
for path in / /runs "/runs/$id" "/runs/$id/timeline" /dashboard; do
  for _ in $(seq 100); do curl -so /dev/null -w '%{time_total}\n' "$url$path"; done | sort -n |
    awk -v p="${path/$id/ID}" '{a[NR]=$1*1000} END {printf "page %s: p50 %.1f ms, p95 %.1f ms\n", p, a[int(NR*.5)], a[int(NR*.95)]}'
done
stop
