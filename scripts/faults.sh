#!/usr/bin/env bash
# Makes the system fail beneath libzmq and the binding, at every point or, with SHORT=1,
# at some of each kind, and says how many points there were and how they ended.
#
#   SHORT=1 faults.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mkdir -p build

points=(-all)
if [ "${SHORT:-}" = 1 ]; then points=(); fi
go test -count=1 -timeout="${TIMEOUT:-120m}" -v -run "${RUN:-.}" ./internal/faults "${points[@]}" |
  tee build/faults.log | grep -E 'faults: |alone: |^(ok|FAIL)|--- FAIL' | sed 's/^ *[a-z_]*_test.go:[0-9]*: //'
