#!/usr/bin/env bash
# Runs the tests of every module and counts them.
#
#   test.sh NAME [flags of go test]
#
# NAME stands before the count in the last line. The environment may hold RUN (a
# regular expression), PKG (packages; then only these, named from the root),
# COUNT, TIMEOUT (for one package), and V=1 (every line of every test).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/modules.sh
source scripts/modules.sh

name=${1:?usage: test.sh NAME [flags of go test]}
shift

# Go would answer from its cache though another libzmq is there: it cannot see
# what the tests load. Hence a count, which turns the cache off.
flags=("-count=${COUNT:-1}" "-timeout=${TIMEOUT:-15m}")
if [ -n "${RUN:-}" ]; then flags+=("-run=$RUN"); fi

(cd tools/testcount && env -u GOEXPERIMENT GOWORK=off go build -o ../../build/bin/ .)

run() {
  local status=0 dir
  if [ -n "${PKG:-}" ]; then
    # PKG is a list: splitting it is the intention.
    # shellcheck disable=SC2086
    go test -json "${flags[@]}" "$@" $PKG
    return
  fi
  for dir in $(modules); do
    in_module "$dir" go test -json "${flags[@]}" "$@" ./... || status=1
  done
  return $status
}

counter=(build/bin/testcount "-name=$name")
if [ "${V:-}" = 1 ]; then counter+=(-v); fi
run "$@" | "${counter[@]}"
