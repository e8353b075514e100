#!/usr/bin/env bash
# Runs every fuzz target of every module for FUZZTIME (default 60s, with SHORT=1 2s), one
# after the other, and counts the executions of new inputs. A target that needs all of its
# time for known inputs runs a few more. RUN is a regular expression for the names of the
# targets, PKG a list of packages. An input that fails stays beside its test in
# testdata/fuzz, where it is a test.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh
mkdir -p build

each=${FUZZTIME:-60s}
if [ "${SHORT:-}" = 1 ]; then each=2s; fi
log=build/fuzz.log
targets=0 executions=0 crashers=0 unfuzzed=0

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

# known prints how many inputs run before there is a new one, as the log has it.
known() { sed -nE 's,.*(baseline coverage|seed corpus): [0-9]+/([0-9]+) completed.*,\2,p' "$log" | tail -n 1; }

# news prints how many new inputs were run, as the log has it: known ones are counted in it.
news() {
  local all inputs
  all=$(sed -n 's/.*execs: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
  inputs=$(known)
  echo $((${all:-0} > ${inputs:-0} ? all - ${inputs:-0} : 0))
}

# fuzz PACKAGE NAME
fuzz() {
  local dir=$1 time=$each inputs n failed=0
  while [ ! -e "$dir/go.mod" ]; do dir=$(dirname "$dir"); done
  run() { in_module "$dir" go test -run '^$' -fuzz "^$2\$" -fuzztime "$time" "${@:3}" -parallel 2 -timeout 0 "./${1#"$dir"/}" >"$log" 2>&1 </dev/null; }
  if ! run "$@"; then
    failed=1
    # The fuzzer fails with only this message if its time ends while a worker starts. If an
    # input fails, the message names it.
    if grep -q '^ *context deadline exceeded$' "$log" && ! grep -q 'Failing input' "$log"; then
      echo "fuzz: $2: again, because its time ended while a worker started"
      if run "$@"; then failed=0; fi
    fi
  fi
  inputs=$(known)
  if [ $failed = 0 ] && [ "$(news)" = 0 ]; then
    time=$((${inputs:-0} + 20))x
    # By default, making one interesting input smaller may take a minute.
    run "$@" -fuzzminimizetime 10x || failed=1
  fi
  n=$(news)
  targets=$((targets + 1)) executions=$((executions + n)) crashers=$((crashers + failed))
  if [ $failed = 0 ] && [ "$n" != 0 ]; then
    echo "fuzz: $2: $n executions"
    return
  fi
  if [ $failed = 0 ]; then
    unfuzzed=$((unfuzzed + 1))
    echo "fuzz: $2: only known inputs were run" >&2
  fi
  cat "$log" >&2
  echo "fuzz: $2: failed" >&2
}

list=$(all_targets)
while read -r package name; do
  if chosen "$package" "$name"; then fuzz "$package" "$name"; fi
done <<<"$list"

if [ $targets = 0 ]; then
  echo "fuzz: there is no target ${RUN:-} in ${PKG:-any package}" >&2
  exit 1
fi
echo "fuzz: $targets targets, $executions executions, $crashers crashers"
[ $crashers = 0 ] && [ $unfuzzed = 0 ]
