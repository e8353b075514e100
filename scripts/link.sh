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

command -v pkg-config >/dev/null 2>&1 || need "pkg-config is missing"
if ! pkg-config --exists libzmq; then
  development=build/libzmq-dev
  unpack_debian "$development" libzmq3-dev || need "libzmq.pc is not known to pkg-config"
  PKG_CONFIG_PATH=$(dirname "$(find "$PWD/$development/usr" -name libzmq.pc)")
  export PKG_CONFIG_PATH
fi

# A linked program loads no other libzmq, and refuses to be told to.
unset GOZMQ_LIBRARY
scripts/test.sh link -tags zmq_link
