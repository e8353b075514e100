#!/usr/bin/env bash
# Tests the binding linked at build time (-tags zmq_link). That takes what
# libzmq's development package has: libzmq.pc and the name that the linker looks
# for. Where they are missing, Debian's package is unpacked below build/, not
# installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/packages.sh
source scripts/packages.sh

need() {
  die "$1; install libzmq's development package and pkg-config (Debian: apt-get install libzmq3-dev pkg-config; Fedora: dnf install zeromq-devel; Alpine: apk add zeromq-dev; macOS: brew install zeromq pkg-config), then run this again"
}

# unpack DIR: Debian's package below DIR, with its .pc file pointed there.
unpack() {
  local dir=$1 libdir shared
  command -v dpkg-deb >/dev/null 2>&1 || need "libzmq.pc is not known to pkg-config"
  mkdir -p "$dir"
  dir=$(cd "$dir" && pwd)
  say "libzmq.pc is not known to pkg-config: unpacking libzmq3-dev in $dir"
  (cd "$dir" && apt-get -q download libzmq3-dev >download.log 2>&1) ||
    need "libzmq3-dev could not be downloaded (see $dir/download.log; 'apt-get update' may help)"
  dpkg-deb -x "$dir"/libzmq3-dev_*.deb "$dir"
  libdir=$(dirname "$(dirname "$(find "$dir/usr" -name libzmq.pc)")")
  # The package's libzmq.so points at a file beside it that another package has.
  shared=$(ldconfig -p | sed -n 's|^[[:space:]]*libzmq\.so\.5 (.*) => ||p' | sed -n 1p)
  ln -sf "${shared:?no libzmq.so.5 is installed}" "$libdir/libzmq.so"
  # The private requirements matter to static linking only, but pkg-config wants
  # to see them all the same.
  sed -i -e "s|^prefix=.*|prefix=$dir/usr|" -e '/^Requires.private:/d' "$libdir/pkgconfig/libzmq.pc"
  touch "$dir/complete"
}

command -v pkg-config >/dev/null 2>&1 || need "pkg-config is missing"
if ! pkg-config --exists libzmq; then
  development=build/libzmq-dev
  [ -e "$development/complete" ] || unpack "$development"
  PKG_CONFIG_PATH=$(dirname "$(find "$PWD/$development/usr" -name libzmq.pc)")
  export PKG_CONFIG_PATH
fi

# A linked program loads no other libzmq, and refuses to be told to.
unset GOZMQ_LIBRARY
scripts/test.sh link -tags zmq_link
