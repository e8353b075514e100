#!/usr/bin/env bash
# Tests what install.sh decides, without installing anything: with an empty directory in
# place of the machine's root, and with stand-ins for the package managers.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
unset GOZMQ_LIBRARY LD_LIBRARY_PATH
failures=0

# path_with STAND-IN...: a PATH with the tools that the script needs and the stand-ins.
path_with() {
  local bin=$temp/bin tool
  rm -rf "$bin" && mkdir "$bin"
  for tool in bash env dirname uname tr sed id; do ln -s "$(command -v "$tool")" "$bin/$tool"; done
  for tool in "$@"; do printf '#!/bin/sh\nexit 0\n' >"$bin/$tool" && chmod +x "$bin/$tool"; done
  echo "$bin"
}

# expect WHAT STATUS TEXT PATH [flags]: runs install.sh libzmq.
expect() {
  local what=$1 status=$2 text=$3 path=$4 output got=0
  shift 4
  output=$(PATH=$path bash scripts/install.sh "$@" libzmq 2>&1) || got=$?
  if [ "$got" != "$status" ] || [[ $output != *"$text"* ]] || { [ -z "$text" ] && [ -n "$output" ]; }; then
    printf '%s: status %s, wanted %s with "%s"; it printed:\n%s\n' "$what" "$got" "$status" "$text" "$output" >&2
    failures=$((failures + 1))
  fi
}

case $(uname -s) in
  Darwin) directory=/usr/local/lib library=libzmq.5.dylib ;;
  *) directory=/usr/lib library=libzmq.so.5 ;;
esac
empty=$temp/empty
mkdir "$empty"
mkdir -p "$temp/full$directory"
touch "$temp/full$directory/$library"

expect 'library there' 0 '' "$(path_with)" --root "$temp/full"
expect 'apt' 0 'apt-get -q -y -o DPkg::Lock::Timeout=120 install --no-install-recommends libzmq5' "$(path_with apt-get apt-cache sudo)" --dry-run --root "$empty"
expect 'dnf' 0 'dnf install -q -y zeromq' "$(path_with dnf sudo)" --dry-run --root "$empty"
expect 'apk' 0 'apk add -q --no-cache libzmq' "$(path_with apk sudo)" --dry-run --root "$empty"
expect 'brew' 0 '+ brew install zeromq' "$(path_with brew)" --dry-run --root "$empty"
expect 'no package manager' 1 'install it by hand' "$(path_with)" --root "$empty"
expect 'package without the library' 1 'set GOZMQ_LIBRARY' "$(path_with brew)" --root "$empty"

GOZMQ_LIBRARY=$temp/full$directory/$library
export GOZMQ_LIBRARY
expect 'GOZMQ_LIBRARY' 0 '' "$(path_with)" --root "$empty"
GOZMQ_LIBRARY=$temp/none.so
expect 'GOZMQ_LIBRARY, no such file' 1 'there is no such library' "$(path_with)" --root "$temp/full"
unset GOZMQ_LIBRARY

# A user other than root, with sudo and without.
path=$(path_with apk sudo)
rm "$path/id" && printf '#!/bin/sh\necho 1000\n' >"$path/id" && chmod +x "$path/id"
expect 'sudo' 0 '+ sudo apk add' "$path" --dry-run --root "$empty"
rm "$path/sudo"
expect 'no sudo' 1 'as root, run: apk add' "$path" --root "$empty"

exit $((failures > 0))
