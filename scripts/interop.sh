#!/usr/bin/env bash
# Tests that go-zmq and others understand each other: pyzmq and C programs on libzmq
# (interop), and go-zeromq/zmq4, which speaks the protocol itself (internal/peers). The
# environment is that of test.sh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/modules.sh
source scripts/modules.sh

(cd tools/testcount && GOWORK=off go build -o ../../build/bin/ .)
flags=(-json "-count=${COUNT:-1}" "-timeout=${TIMEOUT:-15m}")

run() {
  local status=0
  go test "${flags[@]}" "-run=${RUN:-.}" ./interop || status=1
  in_module ./internal/peers go test "${flags[@]}" "-run=${RUN:-^TestGoZeroMQ}" . || status=1
  return $status
}

counter=(build/bin/testcount -name=interop)
if [ "${V:-}" = 1 ]; then counter+=(-v); fi
# What the environment says of a CI makes a missing peer a failure, here too.
export CI=true
run | "${counter[@]}"
