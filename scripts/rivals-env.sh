#!/usr/bin/env bash
# Prints the environment in which the module bench/rivals is built with the rivals
# whose C libraries are installed, or unpacked by install.sh rivals:
#
#   eval "$(scripts/rivals-env.sh)"
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# print_export NAME VALUE
print_export() { printf 'export %s=%q\n' "$1" "$2"; }

# in_front_of NAME DIR: prints the list NAME with DIR in front.
in_front_of() { echo "$2${!1:+:${!1}}"; }

if [ -e "$root/build/rivals/complete" ]; then
  pc=$(dirname "$(find "$root/build/rivals/usr" -name libczmq.pc)")
  PKG_CONFIG_PATH=$(in_front_of PKG_CONFIG_PATH "$pc")
  export PKG_CONFIG_PATH
  print_export PKG_CONFIG_PATH "$PKG_CONFIG_PATH"
  LD_LIBRARY_PATH=$(in_front_of LD_LIBRARY_PATH "$(dirname "$pc")")
  # Go's build cache keeps the output of pkg-config under a key without it. Without this,
  # another checkout would link with directories of the first one.
  print_export CGO_LDFLAGS "${CGO_LDFLAGS:--O2 -g} -L$(dirname "$pc")"
fi

# The rivals must use the libzmq that GOZMQ_LIBRARY names, because two in one process
# mix.
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
