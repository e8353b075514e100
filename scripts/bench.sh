#!/usr/bin/env bash
# Runs benchmarks COUNT times, each time all of them once, so that whatever else
# the machine does falls on all alike, and keeps the raw output.
#
#   bench.sh [flags of go test]
#
# -bench-matrix=true -timeout=3h as flags make it all cells of the root's matrix instead of
# the usual choice, which takes more than an hour each time.
#
# Writes DIR/LABEL.txt, for benchstat, and DIR/LABEL.env, which says what was
# measured on what. The environment may hold COUNT (default 10), BENCH (a regular
# expression, default Benchmark, which matches all), PKG (default the root), DIR (default
# bench/results/<date and time>), LABEL (default bench), and WORKLOADS, a -benchtime
# for those benchmarks whose iterations are whole runs, such as 12x: without it they
# take as long as the others. bench-all.sh, which has several sets in turn, also sets APPEND=1 (add
# to what is there), ROUNDS (how often it comes), LOAD and COMMIT (as they were before),
# and WHAT (instead of BENCH in the .env, where it comes with several).
# bench.sh --commit prints what COMMIT is.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

count=${COUNT:-10}
dir=${DIR:-bench/results/$(date -u +%Y-%m-%dT%H%MZ)}
label=${LABEL:-bench}
file=$dir/$label.txt
append=
if [ "${APPEND:-}" = 1 ]; then append=1; else unset COMMIT LOAD ROUNDS WHAT; fi
[ ! -e "$file" ] || [ -n "$append" ] || {
  echo "$file exists, and results are not overwritten: choose another DIR or LABEL" >&2
  exit 1
}

# The library behind the name that the loader resolves; its file name has the
# version.
libzmq() {
  local file=${GOZMQ_LIBRARY:-}
  if [ -z "$file" ]; then
    file=$(PATH=$PATH:/usr/sbin:/sbin ldconfig -p 2>/dev/null | sed -n 's|^[[:space:]]*libzmq\.so\.5 (.*) => ||p' | sed -n 1p)
  fi
  basename "$(readlink -f "${file:-unknown}" || echo unknown)"
}

cpu() {
  sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo 2>/dev/null | sed -n 1p | grep . ||
    sysctl -n machdep.cpu.brand_string 2>/dev/null || uname -m
}

commit() {
  git rev-parse --short=12 HEAD 2>/dev/null || { echo none && return; }
  [ -z "$(git status --porcelain 2>/dev/null)" ] || echo '(with changes)'
}

# Asked before the files below are there: they would count as changes.
commit=${COMMIT:-$(commit | paste -s -d ' ' -)}
if [ "${1:-}" = --commit ]; then
  echo "$commit"
  exit
fi

mkdir -p "$dir"
# Not in the result file: benchstat reads such lines there as keys, and would
# not compare two files in which they differ.
environment() {
  echo "date: $(date -u +%Y-%m-%dT%H:%M:%SZ)"
  echo "commit: $commit"
  echo "go: $(go env GOVERSION) $(go env GOOS)/$(go env GOARCH)"
  echo "cc: $($(go env CC) --version 2>/dev/null | sed -n 1p)"
  echo "libzmq: $(libzmq)"
  echo "cpu: $(cpu)"
  echo "cores: $(getconf _NPROCESSORS_ONLN)"
  echo "GOMAXPROCS: ${GOMAXPROCS:-not set}"
  echo "kernel: $(uname -sr)"
  echo "load at start: ${LOAD:-$(uptime | sed 's/.*load average[s]*: //')}"
  echo "libzmq version: $(go run ./scripts/testdata/libzmq || echo unknown)" # built here, when the load has been read
  echo "command: -bench ${WHAT:-${BENCH:-Benchmark}} -benchmem $*${WORKLOADS:+ (workloads: $WORKLOADS)} ${PKG:-.}, ${ROUNDS:-$count} interleaved runs"
}
if [ -z "$append" ] || [ ! -e "$dir/$label.env" ]; then environment "$@" >"$dir/$label.env"; fi

whole_runs='^Benchmark(Receive|Strategy|Publish|Fan|Transport|Curve|Engine)$'
for ((i = 1; i <= count; i++)); do
  if [ -z "$append" ]; then echo "run $i of $count" >&2; fi
  # PKG is a list: splitting it is the intention.
  # shellcheck disable=SC2086
  measure() { go test -run '^$' -bench "${BENCH:-Benchmark}" -benchmem -count=1 -timeout=60m "$@" ${PKG:-.} | tee -a "$file"; }
  if [ -z "${WORKLOADS:-}" ]; then
    measure "$@"
  else
    measure "$@" -skip "$whole_runs|^BenchmarkBindings$"
    BENCH=$whole_runs measure "$@" -benchtime="$WORKLOADS"
  fi
done
if [ -z "$append" ]; then echo "results: $file" >&2; fi
