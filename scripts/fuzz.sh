#!/usr/bin/env bash
# Runs every fuzz target of every module for a while, one after the other, and counts.
#
#   FUZZTIME=60s fuzz.sh
#
# SHORT=1 is 3 s each. RUN is a regular expression for the names of the targets, PKG a
# list of packages, named from the root. What makes a target fail is left beside its
# test, in testdata/fuzz, and is a test from then on.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/modules.sh
source scripts/modules.sh
mkdir -p build

each=${FUZZTIME:-60s}
if [ "${SHORT:-}" = 1 ]; then each=3s; fi
log=build/fuzz.log
targets=0 executions=0 crashers=0

# all_targets prints the package and the name of each.
all_targets() {
  local file name
  our_files '*_test.go' | xargs grep -l '^func Fuzz' | LC_ALL=C sort | while read -r file; do
    sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$file" | while read -r name; do
      echo "./$(dirname "$file") $name"
    done
  done
}

# chosen PACKAGE NAME: whether RUN and PKG want it.
chosen() {
  local p
  if ! grep -qE -- "${RUN:-.}" <<<"$2"; then return 1; fi
  if [ -z "${PKG:-}" ]; then return 0; fi
  for p in $PKG; do
    if [ "./${p#./}" = "$1" ]; then return 0; fi
  done
  return 1
}

# fuzz PACKAGE NAME
fuzz() {
  local dir=$1 n failed=0
  while [ ! -e "$dir/go.mod" ]; do dir=$(dirname "$dir"); done
  run() { in_module "$dir" go test -run '^$' -fuzz "^$2\$" -fuzztime "$each" -parallel 2 -timeout 0 "./${1#"$dir"/}" >"$log" 2>&1 </dev/null; }
  if ! run "$@"; then
    failed=1
    # Go's fuzzer fails with no more than this when its time is over while a worker begins
    # something: no input failed, which it would name.
    if grep -q '^ *context deadline exceeded$' "$log" && ! grep -q 'Failing input' "$log"; then
      echo "fuzz: $2: once more, since the end of the time met the fuzzer itself"
      if run "$@"; then failed=0; fi
    fi
  fi
  n=$(sed -n 's/.*execs: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
  targets=$((targets + 1)) executions=$((executions + ${n:-0})) crashers=$((crashers + failed))
  if [ $failed = 0 ]; then
    echo "fuzz: $2: ${n:-0} executions"
    return
  fi
  cat "$log" >&2
  echo "fuzz: $2: failed" >&2
}

while read -r package name; do
  if chosen "$package" "$name"; then fuzz "$package" "$name"; fi
done < <(all_targets)

if [ $targets = 0 ]; then
  echo "fuzz: there is no target ${RUN:-} in ${PKG:-any package}" >&2
  exit 1
fi
echo "fuzz: $targets targets, $executions executions, $crashers crashers"
[ $crashers = 0 ]
