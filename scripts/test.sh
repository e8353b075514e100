#!/usr/bin/env bash
# Runs the tests of every module and counts them.
#
#   test.sh NAME [flags of go test]
#
# NAME stands before the count in the last line. The environment may hold RUN (a
# regular expression), PKG (packages; then only these, named from the root),
# COUNT, TIMEOUT (for one package), V=1 (every line of every test), and SKIP (directories,
# named from the root, whose tests are left out; that is said).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/modules.sh
source scripts/modules.sh

name=${1:?usage: test.sh NAME [flags of go test]}
shift

# Go would answer from its cache though another libzmq is there: it cannot see
# what the tests load. Hence a count, which turns the cache off.
# Nor does it look at each package with go vet once more for each kind of build: make lint
# does, once.
flags=("-count=${COUNT:-1}" "-timeout=${TIMEOUT:-15m}" -vet=off)
# Most of the time tests wait, for a peer, a process or a period: more of them at once than
# there are processors are done sooner. Whoever sets GOMAXPROCS has as many, as go test does.
if [ -z "${GOMAXPROCS:-}" ]; then
  processors=$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
  flags+=("-parallel=$((processors < 8 ? 2 * processors : 16))")
fi
if [ -n "${RUN:-}" ]; then flags+=("-run=$RUN"); fi

(cd tools/testcount && env -u GOEXPERIMENT GOWORK=off go build -o ../../build/bin/ .)

# wanted DIR: the directories of a module's packages, without those that SKIP names.
wanted() {
  local package skip all
  all=$(in_module "$1" go list -f '{{.Dir}}' ./...) || return 1
  while read -r package; do
    for skip in $SKIP; do
      if [[ $package/ == "$PWD/${skip#./}"/* ]]; then continue 2; fi
    done
    echo "$package"
  done <<<"$all"
}

run() {
  local status=0 dir list packages
  if [ -n "${PKG:-}" ]; then
    # PKG is a list: splitting it is the intention.
    # shellcheck disable=SC2086
    go test -json "${flags[@]}" "$@" $PKG
    return
  fi
  if [ -n "${SKIP:-}" ]; then echo "$name: left out: $SKIP"; fi
  for dir in $(modules); do
    packages=(./...)
    if [ -n "${SKIP:-}" ]; then
      # One that cannot be listed is run as a whole, and says what is wrong.
      list=$(wanted "$dir") || list=./...
      if [ -z "$list" ]; then continue; fi
      IFS=$'\n' read -r -d '' -a packages <<<"$list" || true
    fi
    in_module "$dir" go test -json "${flags[@]}" "$@" "${packages[@]}" || status=1
  done
  return $status
}

counter=(build/bin/testcount "-name=$name")
if [ "${V:-}" = 1 ]; then counter+=(-v); fi
run "$@" | "${counter[@]}"
