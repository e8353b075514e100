#!/usr/bin/env bash
# Runs one lane of the checks, and ends with a line that counts:
#
#   scripts/check.sh LANE [flags of go test]
#
# These lanes run tests with another build or another libzmq:
#
## test: every test, on the libzmq of the system
## draft: every test, on a libzmq with the draft API, with each pointer checked that reaches C memory (cgocheck2)
## race: every test, under the race detector
## asan: every test, with the C code under AddressSanitizer, its leak detector and UBSan
## link: every test, with libzmq linked at build time (-tags zmq_link)
## portable: the tests of the poller on zmq_poll, under the race detector
## stress: the tests that RUN names in PKG, 50 times (COUNT), under the race detector with GOMAXPROCS 1, 2 and 16
#
# Their environment: PKG (packages), SKIP (directories to leave out), RUN (a regular
# expression), COUNT (runs), TIMEOUT (of one package), V=1 (all output).
#
# These lanes run one tool. SHORT=1 is a shorter form of those that take long:
#
## poller: ten million events (EVENTS) over 500 sockets, and over 500 descriptors
## account: numbered messages that are each accounted for (N=10000000, fewer under faults)
## faults: allocations, descriptors, threads and sockets that fail one after the other
## fuzz: every fuzz target for one minute (FUZZTIME)
## soak: a mixed load with churn and reconnects for one minute (DURATION) that fails if anything grows
## random: random calls by the public API, on the libzmq of the system and on 4.3.4 and 4.3.5 with the draft API (PERIOD=1m each)
## interop: every pattern with pyzmq, C programs on libzmq and go-zeromq, as server and as client, and the rivals of bench/rivals
## builds: linked, static, musl and arm64 builds, other versions of Go and libzmq, each run (LANES)
## vendor: programs that contain libzmq by cmd/zvendor, static, in empty roots, for arm64 and Windows, and tests on it (LANES)
## go-get: go get and go install in empty modules, from a module proxy of this tree
## instructions: instructions per message, compared with bench/instructions.txt (UPDATE=1 writes it)
## bench-smoke: every benchmark once
## bench-time: go test -bench=. -benchmem, which must end within ten minutes
## api: the functions, options and events of libzmq, and what binds them
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

# The peer of the interop tests, and libzmq's own tools. Tests run in the directory of
# their package, so the paths are absolute.
export GOZMQ_PYTHON=${GOZMQ_PYTHON:-$PWD/build/venv/bin/python} GOZMQ_PERF=${GOZMQ_PERF:-$PWD/build/perf}
draft=$PWD/build/libzmq/lib/libzmq.so.5

# wanted DIR: the directories of a module's packages, without those that SKIP names.
wanted() {
  local package skip all
  all=$(in_module "$1" go list -f '{{.Dir}}' ./...) || return 1
  while read -r package; do
    for skip in $SKIP; do
      if [[ $package/ == "$PWD/${skip#./}"/* ]]; then continue 2; fi
    done
    echo "$package"
  done <<<"$all"
}

# all_modules FLAG...: go test in every module.
all_modules() {
  local status=0 dir list packages
  if [ -n "${SKIP:-}" ]; then say "left out: $SKIP"; fi
  for dir in $(modules); do
    packages=(./...)
    if [ -n "${SKIP:-}" ]; then
      # A module that cannot be listed is run as a whole, and reports what is wrong.
      list=$(wanted "$dir") || list=./...
      if [ -z "$list" ]; then continue; fi
      IFS=$'\n' read -r -d '' -a packages <<<"$list" || true
    fi
    in_module "$dir" go test -json "$@" "${packages[@]}" || status=1
  done
  return $status
}

# tests FLAG...: runs the tests that the environment names, and counts them.
tests() {
  local processors
  # A count turns the cache off: Go cannot see which libzmq a test loads. go vet is a
  # part of make lint.
  local flags=("-count=${COUNT:-1}" "-timeout=${TIMEOUT:-15m}" -vet=off)
  scripts/install.sh libzmq
  # Only these packages test with other implementations and networks.
  if [[ ${PKG:-all} =~ all|interop|rivals|zbench ]]; then
    scripts/install.sh pyzmq rivals iproute2
    scripts/libzmq.sh perf || say "going on without libzmq's own tools"
  fi
  # Most tests wait for a peer, a process or a period most of the time.
  if [ -z "${GOMAXPROCS:-}" ]; then
    processors=$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
    flags+=("-parallel=$((processors < 8 ? 2 * processors : 16))")
  fi
  if [ -n "${RUN:-}" ]; then flags+=("-run=$RUN"); fi
  if [ -n "${PKG:-}" ]; then
    # PKG is a list.
    # shellcheck disable=SC2086
    go test -json "${flags[@]}" "$@" $PKG | counted
  else
    all_modules "${flags[@]}" "$@" | counted
  fi
}

# told PACKAGE FLAG...: runs one package with -v. Prints its summaries, its failures and
# why tests were skipped. The whole output is in build/NAME.log.
told() {
  local package=$1 log status=0
  log=build/$(basename "$package").log
  shift
  scripts/install.sh libzmq
  go test -count=1 -v "$package" "$@" >"$log" 2>&1 || status=$?
  awk '/--- SKIP/ { print before; print } { before = $0 }
    /(account|faults|soak|alone): |^(ok|FAIL)|--- FAIL|^panic|Error|grow/' "$log" |
    sed 's/^ *[a-z_]*_test.go:[0-9]*: //'
  [ $status = 0 ] || die "failed: the whole output is in $log"
}

lane_test() { tests "$@"; }

lane_draft() {
  scripts/libzmq.sh draft
  export GOZMQ_LIBRARY=$draft GOEXPERIMENT=cgocheck2
  tests "$@"
}

lane_race() { tests -race "$@"; }

lane_asan() {
  # A request for too much memory returns an error, as it does without the sanitizer.
  export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1:${ASAN_OPTIONS:-}
  export CGO_CFLAGS="${CGO_CFLAGS:--O2 -g} -fsanitize=undefined -fno-sanitize-recover=all"
  export CGO_LDFLAGS="${CGO_LDFLAGS:--O2 -g} -fsanitize=undefined"
  # The sanitizer looks for the C++ runtime only when the process starts. If libzmq loads
  # it later, the first exception inside libzmq ends the process, caught or not.
  if [ "$(uname -s)" = Linux ]; then
    CGO_LDFLAGS+=" -Wl,--push-state,--no-as-needed -l:libstdc++.so.6 -Wl,--pop-state"
  fi
  tests -asan "$@"
}

# Linking needs libzmq.pc and libzmq.so. Debian's development package is unpacked below
# build/, not installed.
lane_link() {
  if ! pkg-config --exists libzmq; then
    unpack_debian build/libzmq-dev libzmq3-dev || die "pkg-config does not find libzmq.pc: install libzmq's development package and pkg-config"
    PKG_CONFIG_PATH=$(dirname "$(find "$PWD/build/libzmq-dev/usr" -name libzmq.pc)")
    export PKG_CONFIG_PATH
  fi
  # A linked program loads no other libzmq, and fails if the variable is set.
  unset GOZMQ_LIBRARY
  tests -tags zmq_link "$@"
}

lane_portable() {
  PKG=${PKG:-./poller/... ./internal/readiness/...} tests -race -tags zmq_poll_portable "$@"
}

lane_stress() {
  local procs
  [ -n "${RUN:-}" ] || die "name the tests: RUN='a regular expression' PKG=./internal/core scripts/check.sh stress"
  for procs in 1 2 16; do
    echo "GOMAXPROCS=$procs"
    GOMAXPROCS=$procs COUNT=${COUNT:-50} TIMEOUT=${TIMEOUT:-30m} tests -race "$@"
  done
}

lane_poller() {
  scripts/install.sh libzmq
  go test -count=1 -timeout=30m -v -run '^TestStress' ./poller -events "${EVENTS:-10000000}" "$@" | grep -v '^=== '
}

lane_account() {
  scripts/install.sh iproute2
  told ./test/account -timeout "${TIMEOUT:-60m}" -messages "${N:-10000000}" "$@"
}

lane_faults() {
  local points=(-all)
  if [ "${SHORT:-}" = 1 ]; then points=(); fi
  told ./test/faults -timeout "${TIMEOUT:-120m}" -run "${RUN:-.}" "${points[@]}" "$@"
}

lane_fuzz() {
  scripts/install.sh libzmq
  scripts/fuzz.sh
}

# With one arena of malloc. Each arena of a new thread would look like growth.
lane_soak() { MALLOC_ARENA_MAX=1 told ./test/soak -timeout 0 -run '^TestSoak$' -duration "${DURATION:-60s}" "$@"; }

lane_random() {
  local library libraries=('' "$draft" "$PWD/build/libzmq-4.3.5/lib/libzmq.so.5")
  scripts/install.sh libzmq
  scripts/libzmq.sh draft
  VERSION=4.3.5 scripts/libzmq.sh draft || {
    say "going on with the libzmq of pyzmq, without the draft API"
    scripts/install.sh pyzmq
    libraries[2]=$(find -L "$PWD/build/venv" -path '*pyzmq.libs/libzmq-*.so*' | sed -n 1p)
  }
  for library in "${libraries[@]}"; do
    GOZMQ_LIBRARY=$library GOZMQ_TEST_RANDOM=${PERIOD:-1m} go test -count=1 -timeout 0 -run '^TestRandomCalls$' "$@" ./test/aborts ||
      die "random: failed on ${library:-the libzmq of the system}"
  done
  echo "random: ${#libraries[@]} builds of libzmq, ${PERIOD:-1m} of calls on each"
}

lane_interop() {
  local mechanisms=null,plain,curve
  if [ "${SHORT:-}" = 1 ]; then
    mechanisms=null
    echo "left out: PLAIN and CURVE with pyzmq and C in every pattern (SHORT=1)"
  fi
  scripts/install.sh libzmq pyzmq rivals
  # With CI=true a missing peer is a failure.
  export CI=true
  exchanges "$mechanisms" "-count=${COUNT:-1}" "-timeout=${TIMEOUT:-15m}" "$@" | counted
}

exchanges() {
  local status=0 mechanisms=$1
  shift
  go test -json "-run=${RUN:-.}" "$@" ./test/interop -mechanisms "$mechanisms" || status=1
  in_module ./bench/rivals go test -json "-run=${RUN:-.}" "$@" . || status=1
  return $status
}

lane_builds() {
  scripts/install.sh libzmq pyzmq
  scripts/builds.sh
}

lane_vendor() {
  scripts/install.sh libzmq
  scripts/vendored.sh
}

lane_go-get() {
  scripts/install.sh libzmq
  scripts/go-get.sh
}

lane_instructions() {
  scripts/install.sh libzmq valgrind
  go test -count=1 -timeout "${TIMEOUT:-10m}" -v -run '^TestInstructionsPerMessage$' ./bench/instructions \
    -valgrind -update="$([ "${UPDATE:-}" = 1 ] && echo true || echo false)" "$@" | sed '/^===/d'
}

lane_bench-smoke() { scripts/bench.sh smoke; }

lane_bench-time() {
  local start=$SECONDS
  scripts/install.sh libzmq
  go test -bench=. -benchmem "$@"
  [ $((SECONDS - start)) -lt 600 ] || die "bench-time: $((SECONDS - start)) s, longer than go test's default timeout of 600 s"
  echo "bench-time: $((SECONDS - start)) s"
}

lane_api() { go test -count=1 -run '^TestAPIReport$' -api-report "$@" | sed '/^ok/d; /^PASS$/d'; }

lane=${1:-}
if [ -z "$lane" ]; then
  echo "usage: scripts/check.sh LANE; the lanes are:"
  sed -n 's/^## /  /p' "${BASH_SOURCE[0]}"
  exit
fi
if ! declare -F "lane_$lane" >/dev/null; then
  die "there is no lane $lane: scripts/check.sh lists them"
fi
shift
mkdir -p build
"lane_$lane" "$@"
