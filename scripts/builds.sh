#!/usr/bin/env bash
# Builds the binding in every supported way and runs the results. Prints one line for
# each lane: its name, ok, or failed and where the output is.
#
#   link         -tags zmq_link, package zmq's tests; SHORT=1: those of package libzmq
#   static       -tags zmq_static with gcc, without shared libraries; tests as in link
#   musl-amd64   the same for musl, with zig
#   musl-arm64   the same for arm64, under qemu
#   musl-dlopen  for musl, with libzmq loaded: package libzmq's tests
#   shared       a C library and a plugin, in which the guard must be active
#   glibc-arm64  cross-compiled by Debian's gcc; libzmq is loaded, under qemu
#   go-floor     the Go that go.mod asks for, outside the workspace
#   libzmq-4.3.5 the libzmq that comes with pyzmq
#   arch         a libzmq for arm64 on another machine: one sentence says so
#   no-cgo       CGO_ENABLED=0 fails with a message that says what to do
#   windows      for Windows by mingw-w64, run under wine; SHORT=1: some packages
#   darwin       go vet for macOS, with tests and C, by zig; nothing is linked or run
#
# LANES names some of them. SHORT=1 leaves out those that compile libzmq or install wine,
# unless that is done already. The line of a lane says what the lane leaves out.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

root=$PWD
out=$root/build/builds
mkdir -p "$out"
run=${RUN:-.}
skip=none
# Tests that start a process, and tests that take minutes in an emulator.
needs_exec='^(TestAborts|TestLibzmqAborts|TestRandomCalls|TestLoad|TestBuffersReturnUnder|TestPeerIsKilled|TestPreloaded)'
slow='^(TestSignalsKeep|TestStress|TestAllocationsOfWaiting|TestProxyForwardsAMillion)'
timeout=${TIMEOUT:-10m}
if [ "${SHORT:-}" = 1 ]; then packages=(./internal/libzmq); else packages=(./internal/libzmq ./internal/peertable ./internal/park ./internal/watch ./internal/core ./test/aborts ./zmq ./pool ./poller); fi

# tests EXEC FLAGS...: compiles the packages' tests and runs each in its directory.
tests() {
  local exec=$1 package status=0
  shift
  for package in "${packages[@]}"; do
    go test -count=1 "-timeout=$timeout" "-run=$run" "-skip=$skip" ${exec:+-exec "$exec"} "$@" "$package" || status=1
  done
  return $status
}

# hello FLAGS...: a program that sends a message to itself, as $out/hello.
hello() { go build -o "$out/hello" "$@" ./scripts/testdata/hello; }

static() {
  local name=$1 exec=$2
  scripts/libzmq.sh "$name"
  eval "$(cat "build/cross/$name/env")"
  export CGO_LDFLAGS="${CGO_LDFLAGS:--O2 -g}"
  local tags=zmq_static,netgo,osusergo
  hello -tags $tags
  # Not ldd, which calls programs for another processor static.
  local headers
  headers=$(LC_ALL=C readelf -ld "$out/hello") || return 1
  if grep -E 'INTERP|NEEDED' <<<"$headers"; then
    echo "the program is not static"
    return 1
  fi
  $exec "$out/hello" || return 1
  tests "$exec" -tags $tags
}

# qemu prints the emulator for arm64. Debian's package is unpacked, not installed, so the
# kernel does not use it for other programs.
qemu() {
  local found
  if found=$(command -v qemu-aarch64-static || command -v qemu-aarch64); then
    echo "$found"
    return
  fi
  unpack_debian build/qemu qemu-user-static >/dev/null 2>&1 || [ -e build/qemu/usr/bin/qemu-aarch64-static ] || return 1
  echo "$root/build/qemu/usr/bin/qemu-aarch64-static"
}

# left_out TEXT: adds what a lane leaves out to its line.
left_out() { echo "$1" >"$out/left-out"; }

# emulated sets what is skipped under an emulator. A test can start a process only if the
# kernel runs programs for arm64.
emulated() {
  timeout=${TIMEOUT:-45m}
  if grep -qs enabled /proc/sys/fs/binfmt_misc/qemu-aarch64; then
    skip=$slow
    left_out 'under the emulator, tests that take minutes in it'
  else
    skip="$needs_exec|$slow"
    left_out 'under the emulator, tests that start processes and tests that take minutes in it'
  fi
}

lane_link() { PKG="${packages[*]}" scripts/check.sh link; }
lane_static() { static amd64-static ''; }
lane_musl-amd64() { static amd64-musl ''; }
lane_musl-arm64() {
  emulated
  static arm64-musl "$(qemu)"
}

# musl's loader is unpacked, not installed, so tests cannot start processes.
lane_musl-dlopen() {
  scripts/libzmq.sh amd64-musl
  eval "$(cat build/cross/amd64-musl/env)"
  unpack_debian build/musl musl || return 1
  export GOZMQ_LIBRARY=$out/libzmq-musl.so
  "$CXX" -shared -o "$GOZMQ_LIBRARY" -Wl,--whole-archive build/cross/amd64-musl/lib/libzmq.a -Wl,--no-whole-archive || return 1
  left_out 'tests that start processes'
  CGO_LDFLAGS='-O2 -g -dynamic' go test -count=1 -ldflags '-linkmode external' "-skip=$needs_exec" \
    -exec "$root/build/musl/lib/ld-musl-x86_64.so.1" ./internal/libzmq
}

lane_shared() {
  local source=./internal/libzmq/testdata/shared
  "$(go env CC)" -o "$out/chost" $source/chost/host.c -ldl || return 1
  go build -o "$out/host" $source/host || return 1
  go build -buildmode=c-shared -o "$out/shared.so" $source || return 1
  "$out/chost" "$out/shared.so" || return 1
  go build -buildmode=plugin -o "$out/plugin.so" $source || return 1
  "$out/host" "$out/plugin.so"
}

lane_glibc-arm64() {
  local emulator
  emulator="$(qemu) -L /usr/aarch64-linux-gnu"
  emulated
  scripts/libzmq.sh arm64-glibc
  eval "$(cat build/cross/arm64-glibc/env)"
  export GOZMQ_LIBRARY=$root/build/cross/arm64-glibc/lib/libzmq.so.5
  hello
  $emulator "$out/hello" || return 1
  tests "$emulator"
}

lane_go-floor() {
  local floor
  floor=$(sed -n 's/^go //p' go.mod)
  case $floor in *.*.*) ;; *) floor=$floor.0 ;; esac
  export GOTOOLCHAIN=go$floor GOWORK=off
  go vet ./... || return 1
  tests ''
}

lane_libzmq-4.3.5() {
  local library
  library=$(find -L build/venv -path '*pyzmq.libs/libzmq-*.so*' | sed -n 1p)
  [ -n "$library" ] || { echo "pyzmq's package brings no libzmq here"; return 1; }
  export GOZMQ_LIBRARY=$root/$library
  hello
  "$out/hello" | tee /dev/stderr | grep -q 'libzmq 4\.3\.5' || { echo "that is not libzmq 4.3.5"; return 1; }
  tests ''
}

lane_arch() {
  local library=$root/build/cross/arm64-glibc/lib/libzmq.so.5 said
  scripts/libzmq.sh arm64-glibc
  hello
  if said=$(GOZMQ_LIBRARY=$library "$out/hello" 2>&1); then
    echo "it loads a libzmq for arm64 on $(uname -m)"
    return 1
  fi
  echo "$said"
  grep -qF "$library: it is for EM_AARCH64, and this program is for " <<<"$said"
}

lane_no-cgo() {
  local said
  if said=$(CGO_ENABLED=0 go build ./zmq 2>&1); then
    echo 'it builds without cgo, and should not'
    return 1
  fi
  echo "$said"
  grep -q 'requires cgo: set CGO_ENABLED=1 and install a C compiler' <<<"$said"
}

# A system call under wine takes as long as many on Linux: a test of 200,000 messages is left out,
# and one that depends on short times. os.RemoveAll fails under wine 8, and files have no modes
# there, so tests that leave files in t.TempDir fail. Examples use ipc, which this DLL does not
# have. If a peer is gone before it is accepted, wine reports WSAENOTCONN, and libzmq aborts
# (tcp_listener.cpp). TestMonitorNeverRead makes thousands of such connections.
not_under_wine='SteadyState|SpinsTakeThePlace|DirectoryStore|Certificate|FuzzEndpoint|MonitorNeverRead|^Example'
lane_windows() {
  local said
  if said=$(GOOS=windows CGO_ENABLED=0 go build ./zmq 2>&1); then
    echo 'it builds for Windows without cgo, and should not'
    return 1
  fi
  grep -q 'requires cgo' <<<"$said" || return 1
  scripts/install.sh wine
  packages=(./internal/libzmq ./internal/peertable ./internal/park ./internal/watch ./zmq/request ./zmq/zap ./pool)
  left_out "under wine, tests whose names match $not_under_wine"
  if [ "${SHORT:-}" = 1 ]; then
    left_out "$(cat "$out/left-out"), and all packages but ${packages[*]} (SHORT=1)"
    under_wine "$run" "${packages[@]}" && under_wine '^TestParked' ./zmq
  else
    under_wine "$run" "${packages[@]}" ./zmq ./internal/core ./poller
  fi | counted || return 1
  if [ "${SHORT:-}" != 1 ]; then
    GOZMQ_WINE=$root/build/wine/run go test -count=1 -v -run '^(TestWindows|TestAccountExchange.*)$' ./test/interop ./test/account
  fi
}

# under_wine RUN PACKAGE...: runs tests in programs for Windows.
under_wine() (
  local run=$1
  shift
  # shellcheck source=/dev/null
  source build/wine/env
  go test -json -vet=off -count=1 -p=1 -timeout=30m "-run=$run" -short "-skip=$not_under_wine" -exec "$root/build/wine/run" "$@"
)

# Only linking needs Apple's SDK. zig brings the headers of C.
lane_darwin() {
  scripts/libzmq.sh amd64-musl
  printf '#!/bin/sh\nexec %q -m ziglang cc -target aarch64-macos "$@"\n' "$root/build/zig/bin/python" >"$out/darwin-cc"
  chmod +x "$out/darwin-cc"
  GOOS=darwin GOARCH=arm64 CGO_ENABLED=1 CC=$out/darwin-cc go vet ./... || return 1
  # zig creates this file when go asks for the version of the compiler.
  rm -f ./-.o
  left_out 'linking and running, for which Apple has the SDK'
}

all=(no-cgo link shared static go-floor libzmq-4.3.5 musl-amd64 musl-dlopen musl-arm64 glibc-arm64 arch windows darwin)
read -ra lanes <<<"${LANES:-${all[*]}}"
failed=0 passed=0 without=0
for lane in "${lanes[@]}"; do
  if ! declare -F "lane_$lane" >/dev/null; then die "no lane $lane: they are ${all[*]}"; fi
  case $lane in
    static) needs=build/cross/amd64-static/stamp ;;
    musl-amd64 | musl-dlopen | darwin) needs=build/cross/amd64-musl/stamp ;; # which brings zig
    musl-arm64) needs=build/cross/arm64-musl/stamp ;;
    glibc-arm64 | arch) needs=build/cross/arm64-glibc/stamp ;;
    windows) needs=build/wine/env ;;
    *) needs= ;;
  esac
  if [ "${SHORT:-}" = 1 ] && [ -n "$needs" ] && ! [ -e "$needs" ]; then
    echo "builds: $lane: left out (SHORT=1; LANES=$lane scripts/check.sh builds creates what it needs)"
    without=$((without + 1))
    continue
  fi
  start=$SECONDS
  rm -f "$out/left-out"
  # Not in a condition, where set -e has no effect.
  set +e
  (set -e && "lane_$lane") >"$out/$lane.log" 2>&1
  status=$?
  set -e
  if [ $status = 0 ]; then
    passed=$((passed + 1))
    if [ "${SHORT:-}" = 1 ] && [ "$lane" != windows ] && grep -qE '^ok |^DONE ' "$out/$lane.log"; then left_out "$([ ! -e "$out/left-out" ] || echo "$(cat "$out/left-out"); ")tests but those of package libzmq (SHORT=1)"; fi
    counts=$(sed -nE 's/^DONE (.*) in .*/, \1/p' "$out/$lane.log" | tail -n 1)
    echo "builds: $lane: ok, $((SECONDS - start)) s$counts$([ ! -e "$out/left-out" ] || echo "; left out: $(cat "$out/left-out")")"
  else
    echo "builds: $lane: failed, see build/builds/$lane.log"
    tail -n 20 "$out/$lane.log" >&2
    failed=$((failed + 1))
  fi
done
if [ $failed != 0 ]; then die "builds: $failed of ${#lanes[@]} lanes failed"; fi
if [ $without = 0 ]; then echo "builds: $passed lanes ok"; else echo "builds: $passed lanes ok, $without left out"; fi
