#!/usr/bin/env bash
# Counts the instructions that each way to send and to receive takes per message, in
# Go and the C shims, and fails when one takes 5 % more than bench/instructions.txt
# says. UPDATE=1 in the environment writes that table instead. internal/instructions
# says how it counts.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/packages.sh
source scripts/packages.sh

scripts/install-tool.sh valgrind
dir=$PWD/build/instructions
table=bench/instructions.txt
program=$dir/instructions
rm -rf "$dir"
mkdir -p "$dir"
go build -o "$program" ./internal/instructions
CC_VERSION=$($(go env CC) --version 2>/dev/null | sed -n 1p)
export CC_VERSION

architecture=$(go env GOARCH)
if [ "${UPDATE:-}" != 1 ] && ! grep -q "^# made with [^ ]* $architecture\(,\|$\)" "$table"; then
  die "$table is not of this architecture, $architecture: make a table here with UPDATE=1, on the code that you compare with, and do not commit it"
fi

# What is set otherwise would be counted too: the debug switch, another processor's
# threads, and the collector.
if ! env -u GOZMQ_DEBUG GOMAXPROCS=1 GOGC=off GODEBUG=asyncpreemptoff=1 timeout "${TIMEOUT:-5m}" \
  valgrind --tool=callgrind --separate-threads=yes --dump-before=main.mark \
  --compress-strings=no --compress-pos=no --callgrind-out-file="$dir/profile" \
  "$program" run >"$dir/valgrind.log" 2>&1; then
  tail -n 20 "$dir/valgrind.log" >&2
  die "valgrind did not get to the end of the program; all that it said is in $dir/valgrind.log"
fi

if [ "${UPDATE:-}" = 1 ]; then
  "$program" table "$dir/profile" >"$dir/table"
  mv "$dir/table" "$table"
  cat "$table"
else
  "$program" check "$dir/profile" "$table"
fi
