#!/usr/bin/env bash
# Runs a mixed load for a while, with sockets that come and go and connections that
# break, and fails when the process needs more and more of anything.
#
#   DURATION=60s soak.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mkdir -p build

go test -count=1 -timeout=0 -v -run '^TestSoak$' ./internal/soak -duration "${DURATION:-60s}" |
  tee build/soak.log | grep -E 'soak: |^(ok|FAIL)|--- FAIL|Error|Messages' | sed 's/^ *[a-z_]*_test.go:[0-9]*: //'
