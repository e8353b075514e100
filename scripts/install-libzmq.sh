#!/usr/bin/env bash
# Installs libzmq's run-time package, if no libzmq can be loaded. Nothing else
# is needed: the binding is compiled without libzmq's headers.
#
#   install-libzmq.sh [--dry-run] [--root DIR]
#
# --dry-run says what would be done. --root looks for the library below DIR
# only, as if that were the machine's root; with --dry-run it tries the script
# on a machine that has libzmq.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=scripts/packages.sh
source "$here/packages.sh"

root=
while [ $# -gt 0 ]; do
  case $1 in
    --dry-run) DRY_RUN=1 ;;
    --root)
      root=${2:?--root needs a directory}
      shift
      ;;
    *) die "usage: install-libzmq.sh [--dry-run] [--root DIR]" ;;
  esac
  shift
done

# The same names in the same order as the binding's loader.
case $(uname -s) in
  Darwin) names=(libzmq.5.dylib libzmq.dylib) ;;
  *) names=(libzmq.so.5 libzmq.so) ;;
esac

# The directories in which the loader looks, besides those in its cache.
directories() {
  if [ -z "$root" ]; then
    tr ':' '\n' <<<"${LD_LIBRARY_PATH:-}:${DYLD_LIBRARY_PATH:-}"
  fi
  case $(uname -s) in
    Darwin) printf '%s\n' /opt/homebrew/lib /usr/local/lib /opt/local/lib /usr/lib ;;
    *)
      printf '%s\n' "/lib/$(uname -m)-linux-gnu" "/usr/lib/$(uname -m)-linux-gnu" /lib64 /usr/lib64 /lib /usr/lib
      # musl's loader has no cache and looks here too; glibc's does not.
      if compgen -G "$root/lib/ld-musl-*" >/dev/null; then echo /usr/local/lib; fi
      ;;
  esac
}

# in_cache NAME: is NAME in glibc's cache, and the file still there?
in_cache() {
  local file
  if [ -n "$root" ]; then return 1; fi
  # ldconfig is often outside the PATH of those who are not root.
  file=$(PATH=$PATH:/usr/sbin:/sbin ldconfig -p 2>/dev/null |
    sed -n "s|^[[:space:]]*$1 (.*) => ||p" | sed -n 1p) || return 1
  [ -n "$file" ] && [ -e "$file" ]
}

can_be_loaded() {
  local name directory
  for name in "${names[@]}"; do
    if in_cache "$name"; then return 0; fi
    while read -r directory; do
      if [ -n "$directory" ] && [ -e "$root$directory/$name" ]; then return 0; fi
    done < <(directories)
  done
  return 1
}

# GOZMQ_LIBRARY names the only libzmq that the binding will try. Installing
# another one would not help.
if [ -n "${GOZMQ_LIBRARY:-}" ]; then
  case $GOZMQ_LIBRARY in
    */*) [ -e "$GOZMQ_LIBRARY" ] && exit 0 ;;
    *)
      names=("$GOZMQ_LIBRARY")
      can_be_loaded && exit 0
      ;;
  esac
  die "GOZMQ_LIBRARY=$GOZMQ_LIBRARY: there is no such library; correct the name, or unset it to use the system's libzmq"
fi

if can_be_loaded; then exit 0; fi
install_package "libzmq (run time)" libzmq5 zeromq libzmq zeromq
if [ "${DRY_RUN:-}" = 1 ]; then exit 0; fi
can_be_loaded || die "the package is installed, but the loader finds none of ${names[*]}: set GOZMQ_LIBRARY to the library's path"
