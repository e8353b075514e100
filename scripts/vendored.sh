#!/usr/bin/env bash
# Builds programs that contain a libzmq by cmd/zvendor, and runs them. Prints one line for
# each lane: its name, ok, or failed and where the output is.
#
#   package   zvendor reads both releases of libzmq; the same options give the same bytes;
#             no symbol of another name
#   glibc     a static program in an empty root, with glibc
#   musl      the same with musl, by zig
#   tests     the tests of packages libzmq, core, zmq, aborts and others on that libzmq;
#             SHORT=1: of package libzmq
#   copies    two copies and the system's libzmq in one process
#   race      the program under the race detector
#   asan      the program and libzmq under AddressSanitizer
#   shared    a C library of Go, loaded by a C program
#   arm64     cross-compiled by Debian's gcc, under qemu
#   windows   one .exe without a DLL, under wine
#   darwin    compiled for macOS by zig; nothing is linked or run
#
#   vendored.sh overlay FILE NAME 'FLAG...' PACKAGE...
#
# writes a package build/_vendored/NAME by zvendor, and to FILE what makes go test -overlay
# import it in the tests of other packages: scripts/bench.sh measures with it.
#
# LANES names some of them. SHORT=1 runs package, glibc and tests only.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

root=$PWD
out=$root/build/vendored
archives=$root/build/libzmq-source
sources=(--source "$archives/zeromq-src-0.3.6+4.3.5.crate" --sodium-source "$archives/libsodium_1.0.18.orig.tar.gz")
mkdir -p "$out"

# zvendor FLAG...: runs the command of this tree, in the current folder.
zvendor() { "$out/zvendor" "$@"; }

# user NAME FLAG...: a module of a user in $out/NAME, with libzmq and a program.
user() {
  local dir=$out/$1
  shift
  rm -rf "$dir"
  mkdir -p "$dir"
  cp scripts/testdata/vendored/main.go "$dir"
  printf 'package main\n\nimport _ "example.com/user/internal/libzmq"\n' >"$dir/engine.go"
  printf 'module example.com/user\n\ngo 1.25.0\n\nrequire github.com/go-zmq/go-zmq v0.0.0\n\nreplace github.com/go-zmq/go-zmq => %s\n' "$root" >"$dir/go.mod"
  cd "$dir"
  # With -trimpath the lanes share what go keeps of libzmq, though their folders differ.
  export GOWORK=off GOFLAGS=-trimpath
  unset GOZMQ_LIBRARY
  zvendor --no-build "${sources[@]}" "$@" ./internal/libzmq
}

# says OUTPUT WORD...: fails unless a program's output has every word.
says() {
  local output=$1 word
  echo "$output"
  shift
  for word in "$@"; do
    grep -qF -- "$word" <<<"$output" || { echo "it does not say: $word"; return 1; }
  done
}
compiled_in='libzmq 4.3.5 (example.com/user/internal/libzmq, compiled in)'

# in_empty_root PROGRAM: runs a program in a folder that has nothing else.
in_empty_root() {
  local dir=$out/empty
  if readelf -ld "$1" | grep -E 'INTERP|NEEDED'; then
    echo "the program is not static"
    return 1
  fi
  rm -rf "$dir"
  mkdir "$dir"
  cp "$1" "$dir/program"
  if [ "$(id -u)" = 0 ]; then chroot "$dir" /program; else unshare --map-root-user chroot "$dir" /program; fi
}

lane_package() {
  local options=(--draft --tuned) again foreign archive
  user package "${options[@]}"
  again=$(mktemp -d "$out/again.XXXXXX")
  cp go.mod "$again"
  (cd "$again" && zvendor --no-build "${sources[@]}" "${options[@]}" ./internal/libzmq) || return 1
  diff -r internal "$again/internal" || return 1
  rm -rf "$again"
  zvendor --check ./internal/libzmq || return 1
  # Each of these compiles for half a minute.
  if [ "${SHORT:-}" != 1 ]; then
    zvendor "${sources[@]:0:2}" --curve=off ./internal/nocurve || return 1
    zvendor --source "$archives/zeromq3_4.3.4.orig.tar.gz" ./internal/older || return 1
  fi
  # Every symbol that other objects can see has the prefix, or is a template of C++'s library.
  archive=$(go list -export -f '{{.Export}}' ./internal/libzmq) || return 1
  foreign=$(nm --defined-only "$archive" 2>/dev/null | awk 'NF == 3 && $2 ~ /[A-Z]/ && $2 !~ /[WV]/ { print $3 }' |
    grep -vE 'zv[0-9a-f]{8}_|^_?cgo|^gozmq_vendored_list$|^go:|^type:|example\.com' || true)
  if [ -n "$foreign" ]; then
    echo "these names are not this package's own:"
    echo "$foreign"
    return 1
  fi
}

lane_glibc() {
  user glibc
  go build -o program -ldflags '-linkmode external -extldflags -static' . || return 1
  says "$(in_empty_root program)" "$compiled_in" 'guard true, CURVE true' || return 1
  says "$(GOZMQ_LIBRARY=libzmq.so.5 ./program 2>&1)" 'this program contains libzmq' || return 1
  # Otherwise only the C library is loaded, and the second build takes what go keeps.
  go build -o program . && ./program || return 1
  if readelf -d program | grep NEEDED | grep -vE '(lib(c|m|dl|pthread|resolv)|ld-[a-z0-9_-]+)\.so'; then
    echo "the program loads a library of C++"
    return 1
  fi
  local start=$SECONDS
  touch main.go
  go build -o program . || return 1
  [ $((SECONDS - start)) -lt 60 ] || { echo "the second build took $((SECONDS - start)) s"; return 1; }
  go build -o stripped -ldflags='-s -w' . || return 1
  echo "sizes: $(stat -c %s program) bytes, $(stat -c %s stripped) stripped"
}

# zig NAME TRIPLE: commands that run zig's compilers, as $CC and $CXX.
zig() {
  local python=$root/build/zig/bin/python command
  if ! [ -x "$python" ]; then
    python3 -m venv "$root/build/zig" && "$python" -m pip install --quiet --disable-pip-version-check 'ziglang>=0.13' || return 1
  fi
  for command in cc c++; do
    printf '#!/bin/sh\nexec %q -m ziglang %s -target %s "$@"\n' "$python" "$command" "$2" >"$out/$1-$command"
    chmod +x "$out/$1-$command"
  done
  export CGO_ENABLED=1 CC=$out/$1-cc CXX=$out/$1-c++
}

lane_musl() {
  zig musl "$(uname -m)-linux-musl"
  user musl
  CGO_LDFLAGS='-O2 -g' go build -o program -ldflags '-linkmode external -extldflags -static' . || return 1
  says "$(in_empty_root program)" "$compiled_in" 'guard true, CURVE true'
}

# overlay FILE NAME FLAGS PACKAGE...: see above. The folder's name is one that ./... leaves out.
overlay() {
  local file=$1 name=$2 flags dir package packages files=() module source
  read -ra flags <<<"$3"
  packages=("${@:4}")
  module=$(GOWORK=off go list -m)
  rm -rf "build/_vendored/$name"
  zvendor --no-build "${sources[@]}" "${flags[@]}" "./build/_vendored/$name" || return 1
  for package in "${packages[@]}"; do
    dir=$(GOWORK=off go list -f '{{.Dir}}' "$package")
    source=$out/${package//[.\/]/_}_test.go
    printf 'package %s_test\n\nimport _ "%s/build/_vendored/%s"\n' "$(test_package "$dir")" "$module" "$name" >"$source"
    files+=("\"$dir/vendored_engine_test.go\": \"$source\"")
  done
  (IFS=, && printf '{"Replace": {%s}}' "${files[*]}") >"$file"
}

# test_package DIR: the name of the package whose tests are in DIR.
test_package() { sed -nE '/^package /{ s/^package ([a-z0-9]+).*/\1/p; q; }' "$1"/*_test.go; }

lane_tests() {
  local packages=(./internal/libzmq ./internal/core ./test/aborts ./zmq ./zmq/zap ./zmq/request ./pool ./poller)
  if [ "${SHORT:-}" = 1 ]; then packages=(./internal/libzmq ./zmq/zap); fi
  overlay "$out/overlay.json" libzmq '' "${packages[@]}" || return 1
  unset GOZMQ_LIBRARY
  go test -json -count=1 -vet=off -timeout=30m "-run=${RUN:-.}" -overlay "$out/overlay.json" "${packages[@]}" | counted
}

lane_copies() {
  user copies
  mkdir other
  printf 'module example.com/other\n' >other/go.mod
  (cd other && zvendor --no-build --source "$archives/zeromq3_4.3.4.orig.tar.gz" ./engine) || return 1
  printf '\nrequire example.com/other v0.0.0\n\nreplace example.com/other => ./other\n' >>go.mod
  printf 'package main\n\nimport _ "example.com/other/engine"\n\n// #cgo LDFLAGS: -ldl\n// #include <dlfcn.h>\nimport "C"\n\nfunc init() {\n\tif C.dlopen(C.CString("libzmq.so.5"), C.RTLD_NOW|C.RTLD_GLOBAL) == nil {\n\t\tpanic("no libzmq.so.5")\n\t}\n}\n' >other.go
  go build -o program . || return 1
  says "$(./program)" "$compiled_in"
}

lane_race() {
  user race
  go build -race -o program . || return 1
  says "$(./program)" "$compiled_in"
}

lane_asan() {
  user asan
  go build -asan -o program . || return 1
  says "$(ASAN_OPTIONS=detect_leaks=0 ./program 2>&1)" "$compiled_in"
}

lane_shared() {
  user shared
  printf 'package main\n\nimport "C"\n\n//export Run\nfunc Run() { main() }\n' >export.go
  go build -buildmode=c-shared -o libprogram.so . || return 1
  printf '#include "libprogram.h"\nint main(void) { Run(); return 0; }\n' >host.c
  "$(go env CC)" -o host host.c -L. -lprogram -Wl,-rpath,"$PWD" || return 1
  says "$(./host)" "$compiled_in" || return 1
  # Templates of C++'s library are weak, and have this package's types in their names.
  if nm -D --defined-only libprogram.so | grep -E '^[^ ]+ [^W] (zmq_|crypto_|sodium_|.*zv[0-9a-f]{8}_)'; then
    echo "the library exports names of libzmq"
    return 1
  fi
}

lane_arm64() {
  local qemu
  if ! command -v aarch64-linux-gnu-g++ >/dev/null; then
    install_package "a compiler for arm64" 'g++-aarch64-linux-gnu libc6-dev-arm64-cross' '' '' ''
  fi
  qemu=$(command -v qemu-aarch64-static || command -v qemu-aarch64) || {
    unpack_debian build/qemu qemu-user-static || return 1
    qemu=$root/build/qemu/usr/bin/qemu-aarch64-static
  }
  user arm64
  export CGO_ENABLED=1 GOARCH=arm64 CC=aarch64-linux-gnu-gcc CXX=aarch64-linux-gnu-g++
  go build -o program -ldflags '-linkmode external -extldflags -static' . || return 1
  says "$("$qemu" program)" "$compiled_in" 'linux/arm64' 'guard true, CURVE true'
}

lane_windows() {
  scripts/install.sh wine
  if ! command -v x86_64-w64-mingw32-g++ >/dev/null; then
    install_package "a C++ compiler for Windows" g++-mingw-w64-x86-64-win32 mingw64-gcc-c++ mingw-w64-gcc mingw-w64 || return 1
  fi
  user windows
  export GOOS=windows GOARCH=amd64 CGO_ENABLED=1 CC=x86_64-w64-mingw32-gcc CXX=x86_64-w64-mingw32-g++
  go build -o program.exe . || return 1
  if x86_64-w64-mingw32-objdump -p program.exe | grep -iE 'DLL Name: *(lib|zmq)'; then
    echo "the program needs a DLL that Windows does not have"
    return 1
  fi
  # The runner names a DLL for the other lanes. This program must run without one.
  sed 's/ GOZMQ_LIBRARY=.*//' "$root/build/wine/run" >"$out/wine-run"
  sed -i "s|^dir=.*|dir=$root/build/wine|" "$out/wine-run"
  chmod +x "$out/wine-run"
  says "$("$out/wine-run" program.exe)" "$compiled_in" 'windows/amd64' 'CURVE true'
}

# Only linking needs Apple's SDK. The configuration is compiled, not run.
lane_darwin() {
  local file
  zig darwin aarch64-macos
  user darwin
  cd internal/libzmq
  for file in *.cpp *.c; do
    case $file in *_windows.c) continue ;; *.cpp) compiler=$CXX ;; *) compiler=$CC ;; esac
    "$compiler" -c -w -O1 -DZMQ_STATIC -DZMQ_NO_EXPORT -DSODIUM_STATIC "$([ "$compiler" = "$CXX" ] && echo -std=gnu++11 || echo -std=gnu11)" -o "$out/object.o" "$file" || return 1
  done
}

all=(package glibc tests copies race asan shared arm64 musl darwin windows)
read -ra lanes <<<"${LANES:-${all[*]}}"
if [ "${SHORT:-}" = 1 ] && [ -z "${LANES:-}" ]; then lanes=(package glibc tests); fi
scripts/libzmq.sh archives
(cd cmd/zvendor && GOWORK=off go build -o "$out/zvendor" .)
if [ "${1:-}" = overlay ]; then
  overlay "${@:2}"
  exit
fi
failed=0
for lane in "${lanes[@]}"; do
  if ! declare -F "lane_$lane" >/dev/null; then die "no lane $lane: they are ${all[*]}"; fi
  start=$SECONDS
  # Not in a condition, where set -e has no effect.
  set +e
  (set -e && "lane_$lane") >"$out/$lane.log" 2>&1
  status=$?
  set -e
  if [ $status = 0 ]; then
    echo "vendor: $lane: ok, $((SECONDS - start)) s"
    grep -E '^(libzmq [0-9]|sizes: |DONE )' "$out/$lane.log" | tail -n 2 | sed 's/^/  /' || true
  else
    echo "vendor: $lane: failed, see build/vendored/$lane.log"
    tail -n 20 "$out/$lane.log" >&2
    failed=$((failed + 1))
  fi
done
if [ $failed != 0 ]; then die "vendor: $failed of ${#lanes[@]} lanes failed"; fi
echo "vendor: ${#lanes[@]} lanes ok"
