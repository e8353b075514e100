#!/usr/bin/env bash
# Accounts for messages: first many where nothing fails, then fewer while all kinds
# of things do. The last line has the sums.
#
#   N=10000000 account.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mkdir -p build

code=0
go test -count=1 -timeout="${TIMEOUT:-60m}" -v -run '^Test' ./internal/account -messages "${N:-10000000}" -rounds "${ROUNDS:-1000}" \
  >build/account.log 2>&1 || code=$?
{ grep -E '(without faults|faults): |^FAIL|--- FAIL|^panic|Error:' build/account.log || true; } | sed 's/^ *[a-z_]*_test.go:[0-9]*: //'
# The reason is in the line before.
skipped=$(awk '/--- SKIP/ { print before; print } { before = $0 }' build/account.log)
if [ -n "$skipped" ]; then
  printf '%s\n' "$skipped"
fi
sed -n 's/^ *[a-z_]*_test.go:[0-9]*: account: /account: /p' build/account.log
exit "$code"
