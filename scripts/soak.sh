#!/usr/bin/env bash
# Runs a mixed load for a while, with sockets that come and go and connections that
# break, and fails when the process needs more and more of anything.
#
#   DURATION=60s soak.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mkdir -p build

# One arena of malloc: each that a new thread begins would look like growth.
export MALLOC_ARENA_MAX=1
code=0
go test -count=1 -timeout=0 -v -run '^TestSoak$' ./internal/soak -duration "${DURATION:-60s}" >build/soak.log 2>&1 || code=$?
{ grep -E 'soak: |^FAIL|--- FAIL|^panic|Error|grow|rescues' build/soak.log || true; } | sed 's/^ *[a-z_]*_test.go:[0-9]*: //'
exit "$code"
