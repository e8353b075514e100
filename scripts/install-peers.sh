#!/usr/bin/env bash
# Gets what the rivals in internal/peers are compiled with: the headers of libzmq
# for pebbe/zmq4, and those of CZMQ and libsodium, and CZMQ itself, for goczmq. On
# Debian the packages are unpacked below build/, not installed: installing the
# headers would pull in forty packages that static linking would need. Does
# nothing where pkg-config knows all of them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/packages.sh
source scripts/packages.sh

# internal/peers has fewer rivals then.
without() {
  say "going on without: rivals that need C libraries will be left out"
  exit 0
}

command -v pkg-config >/dev/null 2>&1 ||
  install_package pkg-config pkg-config pkgconf-pkg-config pkgconf pkg-config || without

if pkg-config --exists libzmq libczmq libsodium; then exit 0; fi
if [ "$(package_manager)" = apt-get ]; then
  unpack_debian build/peers libzmq3-dev libczmq-dev libczmq4 libsodium-dev || without
else
  install_package "what the rivals' bindings are compiled with" '' 'zeromq-devel czmq-devel libsodium-devel' \
    'zeromq-dev czmq-dev libsodium-dev' 'zeromq czmq libsodium' || without
fi
