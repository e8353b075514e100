#!/usr/bin/env bash
# Builds libzmq from the sources of Debian 12, with Debian's patches, in build/. A second
# run does nothing.
#
#   libzmq.sh [draft]      build/libzmq: libzmq with the draft API and full optimization;
#                          VERSION=4.3.5 builds that release in build/libzmq-4.3.5
#   libzmq.sh perf         build/perf: local_thr, remote_thr, local_lat and remote_lat,
#                          compiled unchanged, on the libzmq of the system
#   libzmq.sh archives     build/libzmq-source: the archives that cmd/zvendor is tested with,
#                          of libzmq 4.3.4 and 4.3.5 and of libsodium
#   libzmq.sh TARGET       build/cross/TARGET: libzmq for a target, and the file env with
#                          the environment for go build:
#     amd64-static         libzmq.a for this machine's C library and compiler
#     amd64-musl           libzmq.a for musl, by zig
#     arm64-musl           the same for arm64
#     arm64-glibc          libzmq.so for arm64, by Debian's cross compiler
#
# The sources come through apt-get from the Debian mirror of this machine, or from two
# archives in build/libzmq-source. Those of 4.3.5 come through cargo. Only a compiler
# and what it needs are installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

what=${1:-draft}
case $what in
  draft)
    target=$PWD/build/libzmq
    if [ "${VERSION:-4.3.4}" != 4.3.4 ]; then target+=-$VERSION; fi
    ;;
  perf) target=$PWD/build/perf ;;
  archives) target=$PWD/build/archives ;;
  amd64-static | amd64-musl | arm64-musl | arm64-glibc) target=$PWD/build/cross/$what ;;
  *) die "unknown target $what: see the head of scripts/libzmq.sh" ;;
esac
work=$target-work
log=$work/log

case ${VERSION:=4.3.4} in
  4.3.4 | 4.3.5) ;;
  *) die "VERSION=$VERSION: the sources are available for 4.3.4 and 4.3.5" ;;
esac
suite=bookworm
package=zeromq3
version=4.3.4-6
upstream=zeromq3_4.3.4.orig.tar.gz
debian=zeromq3_4.3.4-6.debian.tar.xz
checksums="0ff5a531c9ffaf0dfdc7dc78d13d1383088f454896d252934c429b2554d10559  $upstream
fbb0dcb4ffbf483d416d9af722db74ad4edd7004625ce10381e8cd3a71b6cd58  $debian"
archives=$PWD/build/libzmq-source
crate=0.3.6+4.3.5
crate_checksum=d9a1c884770df9c1b3eb0a0ad01d7516234879e0ce144c505348550f2492923e

# quietly COMMAND...: shows the end of the command's output if it fails.
quietly() {
  if "$@" >"$log" 2>&1; then return 0; fi
  tail -n 30 "$log" >&2
  return 1
}

# need COMMAND APT DNF APK: the packages that have the command, if it is missing.
need() {
  if ! command -v "$1" >/dev/null 2>&1; then install_package "$@" ""; fi
}


archives_there() { (cd "$archives" && sha256sum --check --strict --status <<<"$checksums" 2>/dev/null); }

# apt_source PACKAGE=VERSION fetches the source package with separate lists, so the configuration of the
# machine does not change. apt-get checks Debian's signatures.
apt_source() {
  local keyring=/usr/share/keyrings/debian-archive-keyring.gpg signed=
  local own=(
    -q
    -o "Dir::Etc::sourcelist=$work/sources.list"
    -o "Dir::Etc::sourceparts=$work/none"
    -o "Dir::State::lists=$work/lists"
    -o "Dir::Cache=$work/cache"
  )
  command -v apt-get >/dev/null 2>&1 || return 1
  mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
  if [ -e "$keyring" ]; then signed="[signed-by=$keyring] "; fi
  # The mirror is that of the release of this machine. apt-get replaces the $(...).
  # shellcheck disable=SC2016
  apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
    awk -v release="$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)" -v line="deb-src $signed" -v suite="$suite" \
      '$1 == release && $2 == "main" { print line $3, suite, "main" }' | sort -u >"$work/sources.list"
  quietly apt-get "${own[@]}" -o APT::Update::Error-Mode=any update || return 1
  (cd "$archives" && quietly apt-get "${own[@]}" source --download-only "$1")
}

crate_there() { grep -qs "\"package\":\"$crate_checksum\"" "$archives/crates/zeromq-src/.cargo-checksum.json"; }

# fetch_crate lets cargo download, check and unpack the package. No Rust is compiled.
fetch_crate() {
  if crate_there; then return 0; fi
  need cargo cargo cargo cargo
  say "fetching the sources of libzmq $VERSION (package zeromq-src $crate)"
  mkdir -p "$archives/crate/src"
  printf '[package]\nname = "sources"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\nzeromq-src = "=%s"\n' "$crate" >"$archives/crate/Cargo.toml"
  : >"$archives/crate/src/lib.rs"
  if ! quietly cargo vendor --manifest-path "$archives/crate/Cargo.toml" "$archives/crates" || ! crate_there; then
    die "libzmq's sources could not be fetched with cargo, or are not those of zeromq-src $crate: see to cargo's access to its registry, then run this again"
  fi
}

# fetch downloads the archives.
fetch() {
  mkdir -p "$archives"
  if [ "$VERSION" = 4.3.5 ]; then
    fetch_crate
    return
  fi
  if archives_there; then return 0; fi
  say "fetching the sources of $package $version"
  if apt_source "$package=$version" && archives_there; then return 0; fi
  die "libzmq's sources could not be fetched with apt-get; put $upstream and $debian (Debian's source package $package $version; any full Debian mirror has them in pool/main/z/$package) into $archives, then run this again"
}

# fetch_all downloads what cmd/zvendor is tested with. cargo keeps its archives.
fetch_all() {
  local kept sodium=libsodium_1.0.18.orig.tar.gz
  VERSION=4.3.4 fetch
  VERSION=4.3.5 fetch
  if [ ! -e "$archives/zeromq-src-$crate.crate" ]; then
    kept=$(find "${CARGO_HOME:-$HOME/.cargo}/registry/cache" -name "zeromq-src-$crate.crate" | sed -n 1p)
    if [ -z "$kept" ]; then
      rm -rf "$archives/crates"
      VERSION=4.3.5 fetch
      kept=$(find "${CARGO_HOME:-$HOME/.cargo}/registry/cache" -name "zeromq-src-$crate.crate" | sed -n 1p)
    fi
    cp "$kept" "$archives/" || die "cargo does not keep the archive of zeromq-src"
  fi
  if [ ! -e "$archives/$sodium" ]; then
    say "fetching the sources of libsodium"
    apt_source libsodium || die "libsodium's sources could not be fetched with apt-get; put $sodium (Debian's source package libsodium) into $archives, then run this again"
  fi
}

# unpack puts the sources, Debian's with Debian's patches, into $work/src.
unpack() {
  local patch
  if [ "$VERSION" = 4.3.5 ]; then
    cp -r "$archives/crates/zeromq-src/vendor" "$work/src"
    return
  fi
  mkdir "$work/src"
  tar -xf "$archives/$upstream" -C "$work/src" --strip-components=1
  tar -xf "$archives/$debian" -C "$work/src"
  while read -r patch; do
    case $patch in '' | '#'*) continue ;; esac
    quietly patch -d "$work/src" -p1 --batch -i "debian/patches/$patch" || die "Debian's patch $patch does not apply"
  done <"$work/src/debian/patches/series"
}

# system_libzmq prints the libzmq of the system.
system_libzmq() { PATH=$PATH:/usr/sbin:/sbin ldconfig -p | sed -n 's|^[[:space:]]*libzmq\.so\.5 (.*) => ||p' | sed -n 1p; }

# sodium sets the flags that tell cmake where libsodium is. Without it CURVE uses slower
# code of libzmq. If only the run-time library is installed, the headers come from Debian's
# package, unpacked in build/.
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
    say "libsodium or its headers are missing: CURVE uses code of libzmq"
    flags=(-DWITH_LIBSODIUM=OFF)
  fi
}

# compile_draft builds and installs into $1. Only the names of the API are exported, so
# the linker may inline the others. Options that depend on other libraries are off.
compile_draft() {
  local flags
  local optimize='-O3 -flto=2 -fvisibility=hidden'
  sodium
  say "compiling libzmq: half a minute on two processors"
  flags+=(
    -DCMAKE_INSTALL_PREFIX="$1" -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_BUILD_TYPE=Release
    -DCMAKE_C_FLAGS_RELEASE="$optimize" -DCMAKE_CXX_FLAGS_RELEASE="$optimize -fvisibility-inlines-hidden"
    -DENABLE_DRAFTS=ON -DENABLE_CURVE=ON
    -DWITH_TLS=OFF -DWITH_LIBBSD=OFF -DWITH_OPENPGM=OFF -DWITH_NORM=OFF
    -DBUILD_STATIC=OFF -DBUILD_TESTS=OFF -DWITH_PERF_TOOL=OFF -DWITH_DOCS=OFF -DENABLE_CPACK=OFF
  )
  quietly cmake -S "$work/src" -B "$work/obj" -Wno-dev "${flags[@]}" || return 1
  quietly cmake --build "$work/obj" -j2 || return 1
  quietly cmake --install "$work/obj"
}

# about prints what the library in $1 says about itself.
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

make_draft() {
  local description size
  need pkg-config pkg-config pkgconf-pkg-config pkgconf
  need make make make make
  need cmake cmake cmake cmake
  compile_draft "$work/libzmq" || die "libzmq does not compile; the whole output is in $log"
  description=$(about "$work/libzmq") || die "the libzmq that was built does not work, or lacks drafts or CURVE: $description"
  size=$(stat -L -c %s "$work/libzmq/lib/libzmq.so.5")
  echo "$target/lib/libzmq.so.5: $description, $((size / 1024)) KiB" >"$work/libzmq/about"
  built=$work/libzmq
}

# The tools need a platform.hpp that cmake writes. An empty one does.
make_perf() {
  local tool zmq
  zmq=$(system_libzmq)
  [ -n "$zmq" ] || die "there is no libzmq.so.5: run scripts/install.sh libzmq, then run this again"
  mkdir "$work/perf"
  : >"$work/src/src/platform.hpp"
  for tool in local_thr remote_thr local_lat remote_lat; do
    quietly g++ -O2 -I "$work/src/include" -I "$work/src/src" -o "$work/perf/$tool" "$work/src/perf/$tool.cpp" "$zmq" ||
      die "$tool does not compile; the whole output is in $log"
  done
  built=$work/perf
}

# zig_compilers TRIPLE creates the commands cc, c++ and ar, which run zig. It comes from
# PyPI as the package ziglang.
zig_compilers() {
  local program command zig=$PWD/build/zig
  if ! [ -x "$zig/bin/python" ]; then
    if ! { python3 -m venv "$zig" && "$zig/bin/python" -m pip install --quiet --disable-pip-version-check 'ziglang>=0.13'; }; then
      die "zig could not be installed in $zig: check pip's access to a package index, then run this again"
    fi
  fi
  program=$("$zig/bin/python" -c 'import os, ziglang; print(os.path.join(os.path.dirname(ziglang.__file__), "zig"))')
  for command in cc c++; do
    printf '#!/bin/sh\nexec %q %s -target %s "$@"\n' "$program" "$command" "$1" >"$work/bin/$command"
  done
  printf '#!/bin/sh\nexec %q ar "$@"\n' "$program" >"$work/bin/ar"
  chmod +x "$work"/bin/*
}

# make_cross builds with the code for CURVE that libzmq brings, so nothing else is needed.
make_cross() {
  local linked=ON shared=ON arch=${what%%-*} processor flags
  need make make make make
  need cmake cmake cmake cmake
  mkdir -p "$work/bin"
  case $what in
    amd64-static)
      ln -s "$(command -v gcc)" "$work/bin/cc"
      ln -s "$(command -v g++)" "$work/bin/c++"
      ln -s "$(command -v ar)" "$work/bin/ar"
      ;;
    amd64-musl) zig_compilers x86_64-linux-musl ;;
    arm64-musl) zig_compilers aarch64-linux-musl ;;
    arm64-glibc)
      # Only Debian has a cross compiler of this name.
      need aarch64-linux-gnu-g++ 'g++-aarch64-linux-gnu libc6-dev-arm64-cross' '' ''
      command -v aarch64-linux-gnu-g++ >/dev/null || die "$what needs Debian's cross compiler (apt-get install g++-aarch64-linux-gnu)"
      ln -s "$(command -v aarch64-linux-gnu-gcc)" "$work/bin/cc"
      ln -s "$(command -v aarch64-linux-gnu-g++)" "$work/bin/c++"
      ln -s "$(command -v aarch64-linux-gnu-ar)" "$work/bin/ar"
      linked=OFF
      ;;
  esac
  if [ $linked = ON ]; then shared=OFF; fi
  case $arch in
    amd64) processor=x86_64 ;;
    arm64) processor=aarch64 ;;
  esac
  # The C++ library of newer clangs does not compile the allocator of libzmq 4.3.4. libzmq
  # 4.3.5 has these lines.
  sed -i '/struct secure_allocator_t : std::allocator<T>/{n;s|{|{\n    template <class U> struct rebind\n    {\n        typedef secure_allocator_t<U> other;\n    };|}' \
    "$work/src/src/secure_allocator.hpp"
  say "compiling libzmq for $what"
  flags=(
    -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="$processor"
    -DCMAKE_C_COMPILER="$work/bin/cc" -DCMAKE_CXX_COMPILER="$work/bin/c++" -DCMAKE_AR="$work/bin/ar"
    # libzmq's configuration runs programs to test these, which a cross build cannot do.
    # Linux has all of them.
    -DZMQ_HAVE_SOCK_CLOEXEC=1 -DZMQ_HAVE_SO_KEEPALIVE=1 -DZMQ_HAVE_TCP_KEEPCNT=1 -DZMQ_HAVE_TCP_KEEPIDLE=1
    -DZMQ_HAVE_TCP_KEEPINTVL=1 -DZMQ_HAVE_TCP_KEEPALIVE=1 -DZMQ_HAVE_TIPC=0 -DZMQ_HAVE_O_CLOEXEC=1
    -DZMQ_HAVE_SO_BINDTODEVICE=1 -DZMQ_HAVE_SO_PRIORITY=1 -DZMQ_HAVE_GETRANDOM=1 -DZMQ_HAVE_EVENTFD_CLOEXEC=1
    -DZMQ_HAVE_PTHREAD_SETNAME_2=1 -DZMQ_HAVE_PTHREAD_SET_AFFINITY=1
    -DPOLLER=epoll -DAPI_POLLER=poll -DZMQ_CACHELINE_SIZE=64
    # Tested only if the poller is not given.
    -DZMQ_IOTHREAD_POLLER_USE_EPOLL_CLOEXEC=1
    -DCMAKE_INSTALL_PREFIX="$target" -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_BUILD_TYPE=Release
    -DENABLE_DRAFTS=OFF -DENABLE_CURVE=ON -DWITH_LIBSODIUM=OFF -DENABLE_CPACK=OFF
    -DWITH_TLS=OFF -DWITH_LIBBSD=OFF -DWITH_OPENPGM=OFF -DWITH_NORM=OFF -DWITH_DOCS=OFF
    -DBUILD_STATIC="$linked" -DBUILD_SHARED="$shared" -DBUILD_TESTS=OFF -DWITH_PERF_TOOL=OFF
  )
  quietly cmake -S "$work/src" -B "$work/obj" -Wno-dev "${flags[@]}" || die "libzmq cannot be configured for $what"
  quietly cmake --build "$work/obj" -j2 || die "libzmq does not compile for $what"
  rm -rf "$target"
  quietly cmake --install "$work/obj" || die "libzmq for $what cannot be installed in $target"
  mv "$work/bin" "$target/bin"
  {
    printf 'export CGO_ENABLED=1 GOOS=linux GOARCH=%q\n' "$arch"
    printf 'export CC=%q CXX=%q\n' "$target/bin/cc" "$target/bin/c++"
    printf 'export PKG_CONFIG_LIBDIR=%q\n' "$target/lib/pkgconfig"
  } >"$target/env"
  built=$target
}

# This script decides the result.
stamp=$(sha256sum scripts/libzmq.sh)
if [ "$(cat "$target/stamp" 2>/dev/null)" = "$stamp" ]; then
  if [ -e "$target/about" ]; then cat "$target/about"; fi
  exit 0
fi
if [ "$(uname -s)" != Linux ]; then
  die "this builds libzmq on Linux only; elsewhere, build libzmq with -DENABLE_DRAFTS=ON and set GOZMQ_LIBRARY to its path"
fi
need g++ g++ gcc-c++ g++
need patch patch patch patch
need xz xz-utils xz xz
rm -rf "$work"
mkdir -p "$work"
if [ "$what" = archives ]; then
  fetch_all
  rm -rf "$work"
  exit
fi
fetch
unpack
case $what in
  draft | perf) "make_$what" ;;
  *) make_cross ;;
esac
echo "$stamp" >"$built/stamp"
if [ "$built" != "$target" ]; then
  rm -rf "$target"
  mv "$built" "$target"
fi
rm -rf "$work"
if [ -e "$target/about" ]; then cat "$target/about"; fi
