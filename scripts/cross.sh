#!/usr/bin/env bash
# Builds libzmq for a target, from the sources that scripts/libzmq.sh uses, and what
# compiles a Go program for that target, in build/cross/TARGET:
#
#   amd64-static  libzmq.a for this machine's C library and compiler
#   amd64-musl    libzmq.a for musl, by zig
#   arm64-musl    the same for arm64
#   arm64-glibc   libzmq.so for arm64, by Debian's cross compiler
#
# build/cross/TARGET/env then holds the environment for go build. A second run does
# nothing. CURVE uses the code that libzmq brings, so that nothing else is needed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/packages.sh
source scripts/packages.sh
# shellcheck source=scripts/libzmq-source.sh
source scripts/libzmq-source.sh

name=${1:?usage: cross.sh amd64-static|amd64-musl|arm64-musl|arm64-glibc}
target=$PWD/build/cross/$name
work=$PWD/build/cross/$name-work
log=$work/log
zig=$PWD/build/zig

stamp=$(sha256sum scripts/cross.sh scripts/libzmq-source.sh)
if [ "$(cat "$target/stamp" 2>/dev/null)" = "$stamp" ]; then exit 0; fi

# zig_compilers TRIPLE makes the commands cc and c++, and ar, with zig. It comes from
# PyPI, as the package ziglang.
zig_compilers() {
  local program command
  if ! [ -x "$zig/bin/python" ]; then
    if ! { python3 -m venv "$zig" && "$zig/bin/python" -m pip install --quiet --disable-pip-version-check 'ziglang>=0.13'; }; then
      die "zig could not be installed in $zig: see to pip's access to a package index, then run this again"
    fi
  fi
  program=$("$zig/bin/python" -c 'import os, ziglang; print(os.path.join(os.path.dirname(ziglang.__file__), "zig"))')
  for command in cc c++; do
    printf '#!/bin/sh\nexec %q %s -target %s "$@"\n' "$program" "$command" "$1" >"$work/bin/$command"
  done
  printf '#!/bin/sh\nexec %q ar "$@"\n' "$program" >"$work/bin/ar"
  chmod +x "$work"/bin/*
}

linked=ON
arch=${name%%-*}
need g++ g++ gcc-c++ g++
source_needs
rm -rf "$work"
mkdir -p "$work/bin"
case $name in
  amd64-static)
    ln -s "$(command -v gcc)" "$work/bin/cc"
    ln -s "$(command -v g++)" "$work/bin/c++"
    ln -s "$(command -v ar)" "$work/bin/ar"
    ;;
  amd64-musl) zig_compilers x86_64-linux-musl ;;
  arm64-musl) zig_compilers aarch64-linux-musl ;;
  arm64-glibc)
    # Cross compilers have such a name in Debian only.
    need aarch64-linux-gnu-g++ 'g++-aarch64-linux-gnu libc6-dev-arm64-cross' '' ''
    command -v aarch64-linux-gnu-g++ >/dev/null || die "$name takes Debian's cross compiler (apt-get install g++-aarch64-linux-gnu)"
    ln -s "$(command -v aarch64-linux-gnu-gcc)" "$work/bin/cc"
    ln -s "$(command -v aarch64-linux-gnu-g++)" "$work/bin/c++"
    ln -s "$(command -v aarch64-linux-gnu-ar)" "$work/bin/ar"
    linked=OFF
    ;;
  *) die "unknown target $name: it is one of amd64-static, amd64-musl, arm64-musl, arm64-glibc" ;;
esac

shared=ON
if [ $linked = ON ]; then shared=OFF; fi
case $arch in
  amd64) processor=x86_64 ;;
  arm64) processor=aarch64 ;;
esac
fetch
unpack
# Debian's libzmq 4.3.4 has no allocator that the C++ library of newer clangs takes; in
# 4.3.5 it has. The line is the one that its other allocator has.
sed -i '/struct secure_allocator_t : std::allocator<T>/{n;s|{|{\n    template <class U> struct rebind\n    {\n        typedef secure_allocator_t<U> other;\n    };|}' \
  "$work/src/src/secure_allocator.hpp"
say "compiling libzmq for $name"
flags=(
  -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="$processor"
  -DCMAKE_C_COMPILER="$work/bin/cc" -DCMAKE_CXX_COMPILER="$work/bin/c++" -DCMAKE_AR="$work/bin/ar"
  # What libzmq asks by running a program cannot be run for another machine. All of
  # these are in Linux.
  -DZMQ_HAVE_SOCK_CLOEXEC=1 -DZMQ_HAVE_SO_KEEPALIVE=1 -DZMQ_HAVE_TCP_KEEPCNT=1 -DZMQ_HAVE_TCP_KEEPIDLE=1
  -DZMQ_HAVE_TCP_KEEPINTVL=1 -DZMQ_HAVE_TCP_KEEPALIVE=1 -DZMQ_HAVE_TIPC=0 -DZMQ_HAVE_O_CLOEXEC=1
  -DZMQ_HAVE_SO_BINDTODEVICE=1 -DZMQ_HAVE_SO_PRIORITY=1 -DZMQ_HAVE_GETRANDOM=1 -DZMQ_HAVE_EVENTFD_CLOEXEC=1
  -DZMQ_HAVE_PTHREAD_SETNAME_2=1 -DZMQ_HAVE_PTHREAD_SET_AFFINITY=1
  -DPOLLER=epoll -DAPI_POLLER=poll -DZMQ_CACHELINE_SIZE=64
  # Asked only when the poller is not given.
  -DZMQ_IOTHREAD_POLLER_USE_EPOLL_CLOEXEC=1
  -DCMAKE_INSTALL_PREFIX="$target" -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_BUILD_TYPE=Release
  -DENABLE_DRAFTS=OFF -DENABLE_CURVE=ON -DWITH_LIBSODIUM=OFF -DENABLE_CPACK=OFF
  -DWITH_TLS=OFF -DWITH_LIBBSD=OFF -DWITH_OPENPGM=OFF -DWITH_NORM=OFF -DWITH_DOCS=OFF
  -DBUILD_STATIC="$linked" -DBUILD_SHARED="$shared" -DBUILD_TESTS=OFF -DWITH_PERF_TOOL=OFF
)
quietly cmake -S "$work/src" -B "$work/obj" -Wno-dev "${flags[@]}" || die "libzmq cannot be configured for $name"
quietly cmake --build "$work/obj" -j2 || die "libzmq does not compile for $name"
rm -rf "$target"
quietly cmake --install "$work/obj" || die "libzmq for $name cannot be installed in $target"
mv "$work/bin" "$target/bin"
{
  printf 'export CGO_ENABLED=1 GOOS=linux GOARCH=%q\n' "$arch"
  printf 'export CC=%q CXX=%q\n' "$target/bin/cc" "$target/bin/c++"
  printf 'export PKG_CONFIG_LIBDIR=%q\n' "$target/lib/pkgconfig"
} >"$target/env"
echo "$stamp" >"$target/stamp"
rm -rf "$work"
