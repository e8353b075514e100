#!/usr/bin/env bash
# Builds a libzmq with the draft API, which no distribution's package has, into
# build/libzmq: lib/libzmq.so.5, include/zmq.h, and about, which says what it is.
# It is the version of Debian 12, with Debian's patches, and with full
# optimisation, so that it differs from the usual library in nothing else.
#
# The sources come through apt-get from the Debian mirror that this machine uses.
# Where there is none, put the two archives into build/libzmq-source. Nothing is
# installed but what a compiler needs. A second run does nothing.
#
# VERSION=4.3.5 builds that release instead, in build/libzmq-4.3.5.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/packages.sh
source scripts/packages.sh
# shellcheck source=scripts/libzmq-source.sh
source scripts/libzmq-source.sh

target=$PWD/build/libzmq
if [ "$VERSION" != 4.3.4 ]; then target+=-$VERSION; fi
work=$target-work
log=$work/log

if [ "$(uname -s)" != Linux ]; then
  die "this builds libzmq on Linux only; elsewhere, build libzmq with -DENABLE_DRAFTS=ON by hand and run make test GOZMQ_LIBRARY=/path/to/it"
fi
# What decides the result is these scripts.
stamp=$(sha256sum scripts/libzmq.sh scripts/libzmq-source.sh)
if [ "$(cat "$target/stamp" 2>/dev/null)" = "$stamp" ] && [ -e "$target/lib/libzmq.so.5" ]; then
  cat "$target/about"
  exit 0
fi

# sodium sets the flags that tell cmake where libsodium is. CURVE also works
# without, with code that libzmq brings, but slower. A machine that has libsodium
# for running programs gets the rest from Debian's package, unpacked in build/.
sodium() {
  local shared dir=$work/sodium
  flags=(-DWITH_LIBSODIUM=ON)
  if pkg-config --exists libsodium; then return 0; fi
  shared=$(PATH=$PATH:/usr/sbin:/sbin ldconfig -p 2>/dev/null | sed -n 's|^[[:space:]]*libsodium\.so\.[0-9]* (.*) => ||p' | sed -n 1p)
  mkdir "$dir"
  if [ -n "$shared" ] && command -v dpkg-deb >/dev/null 2>&1 &&
    (cd "$dir" && apt-get -q download libsodium-dev && dpkg-deb -x libsodium-dev_*.deb .) >"$log" 2>&1; then
    ln -s "$shared" "$dir/libsodium.so"
    flags+=("-DSODIUM_INCLUDE_DIRS=$dir/usr/include" "-DSODIUM_LIBRARIES=$dir/libsodium.so")
  else
    say "libsodium or its headers are not to be had: CURVE uses the code that libzmq brings"
    flags=(-DWITH_LIBSODIUM=OFF)
  fi
}

# compile builds and installs into $1. Only the API's names are exported: the
# linker may inline the others. What depends on libraries that happen to be on the
# machine is off.
compile() {
  local flags
  local optimise='-O3 -flto=2 -fvisibility=hidden'
  sodium
  say "compiling libzmq: half a minute on two processors"
  flags+=(
    -DCMAKE_INSTALL_PREFIX="$1" -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_BUILD_TYPE=Release
    -DCMAKE_C_FLAGS_RELEASE="$optimise" -DCMAKE_CXX_FLAGS_RELEASE="$optimise -fvisibility-inlines-hidden"
    -DENABLE_DRAFTS=ON -DENABLE_CURVE=ON
    -DWITH_TLS=OFF -DWITH_LIBBSD=OFF -DWITH_OPENPGM=OFF -DWITH_NORM=OFF
    -DBUILD_STATIC=OFF -DBUILD_TESTS=OFF -DWITH_PERF_TOOL=OFF -DWITH_DOCS=OFF -DENABLE_CPACK=OFF
  )
  quietly cmake -S "$work/src" -B "$work/obj" -Wno-dev "${flags[@]}" || return 1
  quietly cmake --build "$work/obj" -j2 || return 1
  quietly cmake --install "$work/obj"
}

# about asks the library in $1 itself what it is.
about() {
  cat >"$work/about.c" <<'C'
#include <stdio.h>
#include <zmq.h>
int main(void) {
  int major, minor, patch;
  zmq_version(&major, &minor, &patch);
  printf("libzmq %d.%d.%d, zmq_has(\"draft\") %d, zmq_has(\"curve\") %d", major, minor, patch, zmq_has("draft"), zmq_has("curve"));
  return !zmq_has("draft") || !zmq_has("curve");
}
C
  quietly g++ -x c -I "$1/include" -o "$work/about" "$work/about.c" -x none -L "$1/lib" -lzmq &&
    LD_LIBRARY_PATH=$1/lib "$work/about"
}

need g++ g++ gcc-c++ g++
need pkg-config pkg-config pkgconf-pkg-config pkgconf
source_needs

rm -rf "$work"
mkdir -p "$work"
fetch
unpack
compile "$work/libzmq" || die "libzmq does not compile; the whole output is in $log"
description=$(about "$work/libzmq") || die "the libzmq that was built does not work, or lacks drafts or CURVE: $description"
size=$(stat -L -c %s "$work/libzmq/lib/libzmq.so.5")
echo "$target/lib/libzmq.so.5: $description, $((size / 1024)) KiB" >"$work/libzmq/about"
echo "$stamp" >"$work/libzmq/stamp"
rm -rf "$target"
mv "$work/libzmq" "$target"
rm -rf "$work"
cat "$target/about"
