#!/usr/bin/env bash
# Prints the environment in which the module internal/peers is built with those
# rivals whose C libraries are here, installed or unpacked by install-peers.sh:
#
#   eval "$(scripts/peers-env.sh)"
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# print_export NAME VALUE
print_export() { printf 'export %s=%q\n' "$1" "$2"; }

# in_front_of NAME DIR: DIR before what the list NAME has already.
in_front_of() { echo "$2${!1:+:${!1}}"; }

if [ -e "$root/build/peers/complete" ]; then
  pc=$(dirname "$(find "$root/build/peers/usr" -name libczmq.pc)")
  PKG_CONFIG_PATH=$(in_front_of PKG_CONFIG_PATH "$pc")
  export PKG_CONFIG_PATH
  print_export PKG_CONFIG_PATH "$PKG_CONFIG_PATH"
  LD_LIBRARY_PATH=$(in_front_of LD_LIBRARY_PATH "$(dirname "$pc")")
  # What pkg-config said is kept in Go's build cache, under a key that does not have it:
  # without this, another checkout would link with directories of the first one.
  print_export CGO_LDFLAGS "${CGO_LDFLAGS:--O2 -g} -L$(dirname "$pc")"
fi

# The rivals link a libzmq.so.5, and GOZMQ_LIBRARY names ours: they are to be the
# same one, so that all are measured on it, and since two in one process mix.
case ${GOZMQ_LIBRARY:-} in
  */*) LD_LIBRARY_PATH=$(in_front_of LD_LIBRARY_PATH "$(cd "$(dirname "$GOZMQ_LIBRARY")" && pwd)") ;;
esac
if [ -n "${LD_LIBRARY_PATH:-}" ]; then print_export LD_LIBRARY_PATH "$LD_LIBRARY_PATH"; fi

tags=()
known() { command -v pkg-config >/dev/null 2>&1 && pkg-config --exists "$@"; }
if known libzmq; then tags+=(pebbe); fi
if known libzmq libczmq libsodium; then tags+=(goczmq); fi
if [ ${#tags[@]} != 0 ]; then
  list=$(IFS=, && echo "${tags[*]}")
  print_export GOFLAGS "${GOFLAGS:+$GOFLAGS }-tags=$list"
fi
