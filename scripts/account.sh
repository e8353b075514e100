#!/usr/bin/env bash
# Accounts for messages: first many where nothing fails, then fewer while all kinds
# of things do. Prints a line for each of the two.
#
#   N=10000000 account.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mkdir -p build

go test -count=1 -timeout="${TIMEOUT:-60m}" -v -run '^TestAccount' ./internal/account -messages "${N:-10000000}" |
  tee build/account.log | grep -E 'account: |^(ok|FAIL)|--- FAIL|Error' | sed 's/^ *[a-z_]*_test.go:[0-9]*: //'
