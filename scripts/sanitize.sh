#!/usr/bin/env bash
# The C side under everything that finds what it does wrong:
#
#   asan      all tests, with AddressSanitizer and its leak detector (make asan)
#   ubsan     the tests of the packages above the shims, and the program of
#             internal/libzmq/ctest, with the shims under UBSan
#   tsan      that program under ThreadSanitizer
#   valgrind  and under memcheck: nothing may be lost for good
#
# The program runs on the system's libzmq and on the one of make libzmq. SHORT=1: fewer
# rounds and packages. What each says is in build/sanitize, and shown when it fails.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/packages.sh
source scripts/packages.sh

drafts=$PWD/build/libzmq/lib/libzmq.so.5
logs=build/sanitize
mkdir -p "$logs"
if [ "${SHORT:-}" = 1 ]; then
  rounds=(3 1)
  asan_packages='./internal/libzmq'
  ubsan_packages='./internal/libzmq ./internal/core'
else
  rounds=(50 5)
  asan_packages=${PKG:-}
  ubsan_packages='./internal/libzmq ./internal/core ./zmq'
fi

# lane NAME COMMAND...: runs the command, and ends all when it fails.
lane() {
  local name=$1
  shift
  if ! "$@" >"$logs/$name.log" 2>&1; then
    tail -n 60 "$logs/$name.log" >&2
    die "sanitize: $name failed; all that it said is in $logs/$name.log"
  fi
}

# ctest NAME ROUNDS: the program on both libraries.
ctest() {
  env -u GOZMQ_LIBRARY scripts/ctest.sh "$1" "$2" &&
    GOZMQ_LIBRARY=$drafts scripts/ctest.sh "$1" "$2"
}

# Only the C code of the module is compiled so, not libzmq, and a finding ends the test.
ubsan() {
  CGO_CFLAGS='-O1 -g -fsanitize=undefined -fno-sanitize-recover=all' CGO_LDFLAGS='-O1 -g -fsanitize=undefined' \
    PKG=$ubsan_packages scripts/test.sh ubsan &&
    ctest ubsan "${rounds[0]}"
}

lane asan env PKG="$asan_packages" scripts/asan.sh
lane ubsan ubsan
lane tsan ctest tsan "${rounds[0]}"
lane valgrind ctest valgrind "${rounds[1]}"
calls=$(cat "$logs"/*.log | sed -n 's/^ctest: .*, \([0-9]*\) shim calls$/\1/p' | awk '{sum += $1} END {print sum + 0}')
echo "sanitize: asan ok, ubsan ok, tsan ok, valgrind ok ($calls shim calls)"
