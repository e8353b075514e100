#!/usr/bin/env bash
# Installs what tests and measurements need, unless it is available.
#
#   install.sh [--dry-run] [--root DIR] WHAT...
#
#   libzmq    the run-time package of libzmq. The binding compiles without its headers
#   pyzmq     a virtual environment with pyzmq in build/venv, for the interop tests
#   rivals    what bench/rivals is compiled with: headers of libzmq, CZMQ and libsodium
#   iproute2  ip and tc, for the tests with network namespaces
#   wine      a C compiler for Windows, wine and a libzmq DLL; build/wine/run runs a program
#   COMMAND   the package of the same name that has this command
#
# --dry-run prints the commands. --root looks for libzmq below DIR only, which tests the
# script on a machine that has libzmq.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

root=
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
      # musl's loader has no cache and looks here as well. glibc's loader does not.
      if compgen -G "$root/lib/ld-musl-*" >/dev/null; then echo /usr/local/lib; fi
      ;;
  esac
}

# in_cache NAME: whether NAME is in glibc's cache and the file still exists.
in_cache() {
  local file
  if [ -n "$root" ]; then return 1; fi
  # ldconfig is often outside the PATH of users other than root.
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

install_libzmq() {
  # GOZMQ_LIBRARY names the only libzmq that the binding will try. Installing another one
  # would not help.
  if [ -n "${GOZMQ_LIBRARY:-}" ]; then
    case $GOZMQ_LIBRARY in
      */*) if [ -e "$GOZMQ_LIBRARY" ]; then return; fi ;;
      *)
        names=("$GOZMQ_LIBRARY")
        if can_be_loaded; then return; fi
        ;;
    esac
    die "GOZMQ_LIBRARY=$GOZMQ_LIBRARY: there is no such library; correct the name, or unset it to use the system's libzmq"
  fi
  if can_be_loaded; then return; fi
  install_package "libzmq (run time)" libzmq5 zeromq libzmq zeromq
  if [ "${DRY_RUN:-}" = 1 ]; then return; fi
  can_be_loaded || die "the package is installed, but the loader finds none of ${names[*]}: set GOZMQ_LIBRARY to the library's path"
}

install_pyzmq() {
  local venv=build/venv output
  if "$venv/bin/python" -c 'import zmq' >/dev/null 2>&1; then return; fi
  # Debian has ensurepip in a package of its own.
  if ! python3 -c 'import venv, ensurepip' >/dev/null 2>&1; then
    install_package "Python with venv" "python3 python3-venv" "python3 python3-pip" "python3 py3-pip" python3
  fi
  say "pyzmq is missing: installing it in $venv"
  # An incomplete environment of an interrupted run is created again.
  python3 -m venv --clear "$venv"
  if ! output=$("$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-input \
    --prefer-binary 'pyzmq>=25,<28' 2>&1); then
    say "$output"
    die "pyzmq could not be installed in $venv; the interop tests need it: check pip's access to a package index, then run this again"
  fi
  "$venv/bin/python" -c 'import zmq' || die "pyzmq is installed in $venv but does not work: remove $venv and run this again"
}

# On Debian the packages are unpacked below build/, not installed: the headers would pull
# in forty packages that only static linking needs.
install_rivals() {
  local without="going on without: rivals that need C libraries will be left out"
  if ! command -v pkg-config >/dev/null 2>&1; then
    install_package pkg-config pkg-config pkgconf-pkg-config pkgconf pkg-config || {
      say "$without"
      return 0
    }
  fi
  if pkg-config --exists libzmq libczmq libsodium; then return; fi
  if [ "$(package_manager)" = apt-get ]; then
    unpack_debian build/rivals libzmq3-dev libczmq-dev libczmq4 libsodium-dev || say "$without"
  else
    install_package "what the rivals' bindings are compiled with" '' 'zeromq-devel czmq-devel libsodium-devel' \
      'zeromq-dev czmq-dev libsodium-dev' 'zeromq czmq libsodium' || say "$without"
  fi
}

install_iproute2() {
  # They are often outside the PATH of users other than root.
  PATH=$PATH:/usr/sbin:/sbin
  if [ "$(uname -s)" != Linux ] || { command -v ip && command -v tc; } >/dev/null 2>&1; then return; fi
  install_package "ip or tc" iproute2 "iproute iproute-tc" iproute2 iproute2mac ||
    say "going on without: the test of hosts in network namespaces will be skipped"
}

# The DLL is that of pyzmq for Windows. build/wine/env sets what builds a program, and
# build/wine/run runs one.
install_wine() {
  local dir=build/wine wine output
  if [ -e $dir/env ]; then return; fi
  command -v x86_64-w64-mingw32-gcc >/dev/null 2>&1 ||
    install_package "a C compiler for Windows" gcc-mingw-w64-x86-64-win32 mingw64-gcc mingw-w64-gcc mingw-w64
  # Debian has wine64 outside of the PATH.
  if ! PATH=$PATH:/usr/lib/wine command -v wine64 >/dev/null 2>&1; then
    install_package wine wine64 wine-core wine wine-stable
  fi
  if [ "${DRY_RUN:-}" = 1 ]; then return; fi
  wine=$(PATH=$PATH:/usr/lib/wine command -v wine64 || command -v wine) || die "wine is installed, but there is no command wine64 or wine: check the PATH"
  install_pyzmq
  mkdir -p $dir/dll
  if ! output=$(build/venv/bin/python -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: \
    --platform win_amd64 --python-version 3.11 --dest $dir pyzmq==25.1.2 2>&1) ||
    ! output=$(build/venv/bin/python -c '
import sys, zipfile
wheel = zipfile.ZipFile(sys.argv[1])
for name in wheel.namelist():
    if name.startswith("pyzmq.libs/") and name.endswith(".dll"):
        open(sys.argv[2] + "/" + name.split("/")[1], "wb").write(wheel.read(name))
' $dir/pyzmq-25.1.2-*.whl $dir/dll 2>&1); then
    say "$output"
    die "pyzmq for Windows, which brings a libzmq DLL, could not be unpacked in $dir: check pip's access to a package index, then run this again"
  fi
  say "creating a folder for wine in $dir/prefix"
  export WINEPREFIX=$PWD/$dir/prefix WINEARCH=win64 WINEDEBUG=-all
  if ! output=$("$wine" wineboot --init 2>&1); then
    say "$output"
    die "wine could not create $WINEPREFIX"
  fi
  if [ ! -e "$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll" ]; then
    x86_64-w64-mingw32-gcc -shared -O2 -o "$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll" \
      scripts/testdata/wine/bcryptprimitives.c -ladvapi32
  fi
  cat >$dir/env <<EOF
export GOOS=windows GOARCH=amd64 CGO_ENABLED=1 CC=x86_64-w64-mingw32-gcc
EOF
  cat >$dir/run <<EOF
#!/bin/sh
dir=\$(cd "\$(dirname "\$0")" && pwd -P)
export WINEPREFIX="\$dir/prefix" WINEDEBUG=-all GOZMQ_LIBRARY="Z:\$(echo "\$dir"/dll/libzmq-*.dll)"
# On several processors the wineserver of Wine 8 fails an assertion after many sockets
# (server/fd.c, set_fd_events), and the program waits for it without end.
exec taskset -c 0 '$wine' "\$@"
EOF
  chmod +x $dir/run
}

# install_command COMMAND
install_command() {
  if command -v "$1" >/dev/null 2>&1; then return; fi
  case $1 in
    shellcheck) install_package shellcheck shellcheck ShellCheck shellcheck shellcheck ;;
    *) install_package "$1" "$1" "$1" "$1" "$1" ;;
  esac
  if [ "${DRY_RUN:-}" = 1 ]; then return; fi
  command -v "$1" >/dev/null 2>&1 || die "the package $1 is installed, but there is no command $1: check the PATH"
}

while [[ ${1:-} = --* ]]; do
  case $1 in
    --dry-run) DRY_RUN=1 ;;
    --root)
      root=${2:?--root needs a directory}
      shift
      ;;
    *) die "unknown flag $1: see the head of scripts/install.sh" ;;
  esac
  shift
done
if [ $# = 0 ]; then die "usage: install.sh [--dry-run] [--root DIR] WHAT..."; fi
for what in "$@"; do
  case $what in
    libzmq | pyzmq | rivals | iproute2 | wine) "install_$what" ;;
    *) install_command "$what" ;;
  esac
done
