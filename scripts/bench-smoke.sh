#!/usr/bin/env bash
# Runs every benchmark of every module once, and then the whole matrix of workloads at
# two sizes, with few messages; -short has the rivals send few as well. Those that take a
# libzmq with the draft API are run if make libzmq has built one. The environment
# may hold BENCH (a regular expression) and PKG (packages, named from the root); with
# either, only what it names is run.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/modules.sh
source scripts/modules.sh

smoke=(go test -short -run '^$' -bench "${BENCH:-Benchmark}" -benchtime 1x -timeout "${TIMEOUT:-15m}")
if [ -n "${PKG:-}" ]; then
  # PKG is a list: splitting it is the intention.
  # shellcheck disable=SC2086
  exec "${smoke[@]}" $PKG
fi
for dir in $(modules); do
  in_module "$dir" "${smoke[@]}" ./... | sed '/\[no test files\]$/d'
done
# An = in what is to run offers all cells that the root's benchmarks know.
if [ -z "${BENCH:-}" ]; then
  echo 'the matrix of workloads'
  go test -run '^$' -bench '/pattern/transport/size=(64|65536)$' -benchtime 1x -timeout "${TIMEOUT:-15m}" . -bench-messages=100 |
    sed '/^Benchmark/d'
  library=$PWD/build/libzmq/lib/libzmq.so.5
  if [ -e "$library" ]; then
    echo 'the tuned engine'
    GOZMQ_LIBRARY=$library go test -run '^$' -bench 'Engine|Sweep' -benchtime 1x -timeout "${TIMEOUT:-15m}" . -bench-sweep=true -bench-messages=100 |
      sed '/^Benchmark/d'
  else
    echo 'left out: the tuned engine, which takes make libzmq'
  fi
fi
