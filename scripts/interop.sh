#!/usr/bin/env bash
# Tests that go-zmq and others understand each other: pyzmq and C programs on libzmq
# (interop), and go-zeromq/zmq4, which speaks the protocol itself (internal/peers). An
# exchange is one pattern, over one transport, under one security mechanism, with one
# side as the server; they are counted at the end. SHORT=1: under NULL only. The
# environment is otherwise that of test.sh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/modules.sh
source scripts/modules.sh

(cd tools/testcount && GOWORK=off go build -o ../../build/bin/ .)
flags=(-json "-count=${COUNT:-1}" "-timeout=${TIMEOUT:-15m}")
mechanisms=null,plain,curve
if [ "${SHORT:-}" = 1 ]; then
  mechanisms=null
  echo "interop: left out: PLAIN and CURVE with pyzmq and C in every pattern (SHORT=1)"
fi
events=$PWD/build/interop.json

run() {
  local status=0
  go test "${flags[@]}" "-run=${RUN:-.}" ./interop -mechanisms "$mechanisms" || status=1
  in_module ./internal/peers go test "${flags[@]}" "-run=${RUN:-^TestGoZeroMQ}" . || status=1
  return $status
}

# passed PATTERN: how many tests passed whose names match, not counting those that only
# have others in them.
passed() {
  sed -n 's/.*"Action":"pass".*"Test":"\([^"]*\)".*/\1/p' "$events" |
    awk -v want="$1" '$0 ~ want { ran[$0] = 1; for (p = $0; sub("/[^/]*$", "", p);) above[p] = 1 }
      END { for (name in ran) if (!(name in above)) n++; print n + 0 }'
}

counter=(build/bin/testcount -name=interop)
if [ "${V:-}" = 1 ]; then counter+=(-v); fi
# What the environment says of a CI makes a missing peer a failure, here too.
export CI=true
run | tee "$events" | "${counter[@]}"
echo "interop: $(passed 'peer=python|Python') exchanges with pyzmq, $(passed '^TestGoZeroMQ') with go-zeromq, $(passed 'peer=c/') with C: all ok"
