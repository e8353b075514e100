#!/usr/bin/env bash
# Measures, and keeps the raw output in DIR (default bench/results/<date>).
#
#   bench.sh                    all sets below, in COUNT rounds (default 10), interleaved so
#                               that other load on the machine affects all of them alike;
#                               then all tables of the results in DIR/TABLES.md. A round
#                               takes about three minutes on two processors
#   bench.sh one [FLAG...]      the benchmarks that BENCH names (a regular expression) in PKG
#                               (default the root), COUNT times, to DIR/LABEL.txt. FLAG is
#                               one of go test: -benchtime=3x if an iteration is a whole
#                               run, -bench-matrix=true -timeout=3h for all cells of the root
#   bench.sh compare [ARG...]   benchstat of its arguments, or of BASE (default main) and
#                               the working tree, measured in turn
#   bench.sh smoke              every benchmark once
#
# SETS names some of the sets:
#
#   bindings    all bindings with libzmq's default high-water mark (HWM): the summary
#   rivals      round trips, requests, PUB/SUB and parked goroutines of all bindings
#   marks       the modes, also of PUB/SUB, with that HWM
#   strategies  the buffer strategies, also with a Poller
#   bench       transports, CURVE, many peers, pollers and single calls
#   waiting     round trips and requests, in a process that did nothing else before
#   proxy       Proxy beside zmq_proxy
#   tuned       libzmq built by make libzmq, with larger batches of its own
#   vendored    libzmq by cmd/zvendor --tuned, beside that of the system
#   malloc      large messages, with glibc's malloc unchanged and keeping its memory
#
# Beside each LABEL.txt there is LABEL.env, which names the machine. compare takes BENCHTIME.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

draft=$PWD/build/libzmq/lib/libzmq.so.5
all_sets='bindings rivals marks strategies bench waiting proxy tuned vendored malloc'

# The library behind the name that the loader resolves. Its file name has the version.
libzmq_file() {
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

# start: the state of the tree and the machine, before results and compilers change it.
start() {
  commit=$(git rev-parse --short=12 HEAD 2>/dev/null || echo none)
  if [ -n "$(git status --porcelain 2>/dev/null)" ]; then commit+=' (with changes)'; fi
  load=$(uptime | sed 's/.*load average[s]*: //')
}

# environment COMMAND: not in the result file. benchstat reads such lines there as keys, and
# would not compare two files in which they differ.
environment() {
  echo "date: $(date -u +%Y-%m-%dT%H:%M:%SZ)"
  echo "commit: $commit"
  echo "go: $(go env GOVERSION) $(go env GOOS)/$(go env GOARCH)"
  echo "cc: $($(go env CC) --version 2>/dev/null | sed -n 1p)"
  echo "libzmq: $(libzmq_file)"
  echo "cpu: $(cpu)"
  echo "cores: $(getconf _NPROCESSORS_ONLN)"
  echo "GOMAXPROCS: ${GOMAXPROCS:-not set}"
  echo "kernel: $(uname -sr)"
  echo "load at start: $load"
  echo "libzmq version: $(go run ./scripts/testdata/libzmq || echo unknown)"
  echo "command: $1"
}

# one FLAG...: runs the benchmarks that BENCH names.
one() {
  local count=${COUNT:-10} dir=${DIR:-bench/results/$(date -u +%Y-%m-%dT%H%MZ)} label=${LABEL:-bench} bench=${BENCH:-Benchmark} i
  [ ! -e "$dir/$label.txt" ] || die "$dir/$label.txt exists, and results are not overwritten: choose another DIR or LABEL"
  start
  mkdir -p "$dir"
  environment "go test -bench $bench -benchmem $* ${PKG:-.}, $count runs" >"$dir/$label.env"
  for ((i = 1; i <= count; i++)); do
    echo "run $i of $count" >&2
    # PKG is a list.
    # shellcheck disable=SC2086
    go test -run '^$' -bench "$bench" -benchmem -count=1 -timeout=60m "$@" ${PKG:-.} | tee -a "$dir/$label.txt"
  done
  echo "results: $dir/$label.txt" >&2
}

# cells PKG PATTERN [FLAG...]: adds benchmarks to the results of the set, from a process of
# their own. Of two runs, a stalled one would be half of the mean.
cells() {
  (cd "$1" && "$programs/$1/bench.test" -test.run '^$' -test.bench "$2" -test.benchmem \
    -test.benchtime=3x "${@:3}") | tee -a "$DIR/$set.txt"
}

# The sets. Each runs in a subshell.

set_bindings() { cells bench/rivals '^BenchmarkBindings$' -test.benchtime=5x; }
set_rivals() {
  cells bench/rivals '^BenchmarkRoundTrip$|^BenchmarkRequest$/pattern/transport=tcp/size=64$' -test.benchtime=100ms
  cells bench/rivals '^BenchmarkParked$|^BenchmarkPublish$/pattern/transport=tcp/size=64$'
}
set_marks() { # sleep10 takes a second per run, so it has one size
  cells . '^Benchmark(Receive|Publish)$/pattern/transport=tcp/size=(64|1024|65536)$/(mode|receivers=1$)' -bench-marks=true \
    -test.skip='/././size=(1024|65536)$/mode=sleep10|/././size=(1024|65536)$/./mode=sleep10'
}

# alone PATTERN SIZES CELL...: strategies, each in a separate process. Otherwise, from 64 KiB
# up, a cell reuses the memory that malloc kept of earlier cells.
alone() {
  local size cell
  for size in $2; do
    for cell in "${@:3}"; do
      cells . "^BenchmarkStrategy\$/pattern=$1/transport=tcp/size=$size\$/strategy=${cell%:*}/impl=${cell#*:}"
    done
  done
}
set_strategies() {
  local all=({bytes,syncpool,message,zerocopy,pooled,batch}:go {copy,zerocopy}:c)
  cells . '^BenchmarkStrategy$/pattern=pushpull/transport=tcp/size=(64|512|1024|1500)$/strategy/impl'
  cells . '^BenchmarkStrategy$/pattern=pushpull/transport=tcp/size=(64|1024)$/strategy/mode=poll'
  cells . '^BenchmarkStrategy$/pattern=routerrouter/transport=tcp/size=(64|1024)$/strategy/impl'
  alone pushpull '65536 262144' "${all[@]}"
  alone routerrouter 65536 "${all[@]}"
}

set_bench() {
  cells . '^Benchmark(Parked|Call|ReceiveSide)$|^BenchmarkPollerScale$/sockets=(10|1000)$' -test.benchtime=100ms
  cells . '^Benchmark(Fan|Transport|Curve)$'
}
set_waiting() { cells . '^Benchmark(RoundTrip|Request|Latency)$' -test.benchtime=100ms; }
set_proxy() { cells . '^BenchmarkProxy$' -test.benchtime=200ms; }
set_tuned() { cells . '^BenchmarkEngine$' -bench-marks=true; }

# Each engine is in a program of its own, and both run in each round. See malloc for the line.
set_vendored() {
  local engine
  for engine in system vendored; do
    echo "libzmq: $engine" >>"$DIR/vendored.txt"
    if [ $engine = vendored ]; then programs=$programs/vendored; fi
    cells . '^Benchmark(Receive|Publish)$/pattern/transport=tcp/size=(64|512|1024|8192|65536)$/(mode=(blocking|batch)|receivers=1)$' -bench-marks=true
  done
}

# A line such as "malloc: trim" is a key of the results below it.
set_malloc() {
  local malloc
  for malloc in default trim; do
    echo "malloc: $malloc" >>"$DIR/malloc.txt"
    alone pushpull '65536 262144' {message,pooled}:go copy:c
    export MALLOC_TRIM_THRESHOLD_=134217728 MALLOC_MMAP_THRESHOLD_=33554432 # of trim
  done
}

# in_set SET COMMAND...: runs the command with the libraries of the set.
in_set() (
  set=$1
  case $set in
    bindings | rivals) eval "$(scripts/rivals-env.sh)" ;;
    tuned) export GOZMQ_LIBRARY=$draft ;;
  esac
  "${@:2}"
)

sets() {
  local sets rounds=${COUNT:-10} round set
  DIR=${DIR:-bench/results/$(date -u +%Y-%m-%d)}
  [ ! -e "$DIR" ] || die "$DIR exists, and results are not overwritten: choose another DIR"
  read -ra sets <<<"${SETS:-$all_sets}"
  for set in "${sets[@]}"; do
    [[ " $all_sets " = *" $set "* ]] || die "no set $set: they are $all_sets"
  done
  start
  scripts/install.sh rivals
  scripts/libzmq.sh
  programs=$(mktemp -d)
  trap 'rm -rf "$programs"' EXIT
  mkdir -p "$programs"/{bench/rivals,vendored}
  in_set bindings go test -c -o "$programs/bench/rivals/bench.test" ./bench/rivals
  go test -c -o "$programs/bench.test" .
  if [[ " ${sets[*]} " = *' vendored '* ]]; then
    scripts/vendored.sh overlay "$programs/overlay.json" tuned --tuned .
    go test -c -overlay "$programs/overlay.json" -o "$programs/vendored/bench.test" .
  fi
  mkdir -p "$DIR"
  for set in "${sets[@]}"; do
    in_set "$set" environment "make bench SETS=$set, in $rounds rounds" >"$DIR/$set.env"
  done
  for ((round = 1; round <= rounds; round++)); do
    echo "round $round of $rounds" >&2
    for set in "${sets[@]}"; do
      in_set "$set" "set_$set"
    done
  done
  go run ./bench/tables -o "$DIR/TABLES.md" "$DIR"
  echo "results: $DIR" >&2
}

# compare ARG...: the raw output is in DIR (default build/bench-compare).
compare() {
  build_tools
  if [ $# != 0 ]; then exec build/bin/benchstat "$@"; fi
  package=${PKG:-.}
  count=${COUNT:-10}
  base=${BASE:-main}
  git rev-parse --quiet --verify "$base^{commit}" >/dev/null ||
    die "there is no revision $base: name one with BASE=, or two files of results with OLD= and NEW="
  dir=${DIR:-build/bench-compare}
  mkdir -p "$dir"
  dir=$(cd "$dir" && pwd)
  rm -f "$dir"/{old,new}.{txt,test}

  tree=$(mktemp -d)
  # git refuses to remove a work tree with new files.
  trap 'git worktree remove --force "$tree/base" 2>/dev/null || true; rm -rf "$tree"' EXIT
  trap 'exit 130' INT TERM
  git worktree add --quiet --detach "$tree/base" "$base"

  # build NAME ROOT: compiles the tests of the package below ROOT.
  build() {
    (cd "$2" && go test -c -o "$dir/$1.test" "$package") || die "the tests of $package do not compile in $2"
    [ -e "$dir/$1.test" ] || die "$package has no tests in $2, so no benchmarks either"
  }
  build old "$tree/base"
  build new "$PWD"

  # run NAME ROOT: runs the benchmarks once, in the directory of their package.
  run() {
    (cd "$2" && cd "$(go list -f '{{.Dir}}' "$package")" &&
      "$dir/$1.test" -test.run '^$' -test.bench "${BENCH:-Benchmark}" -test.benchmem -test.benchtime "${BENCHTIME:-1s}" \
        -test.timeout 60m) >>"$dir/$1.txt" || {
      tail -n 20 "$dir/$1.txt" >&2
      die "the benchmarks failed: the output above is from $1"
    }
  }

  for ((i = 1; i <= count; i++)); do
    echo "run $i of $count" >&2
    # Each comes first in every other pair, because the second finds a warm machine.
    if ((i % 2)); then order=(old new); else order=(new old); fi
    for name in "${order[@]}"; do
      if [ "$name" = old ]; then run old "$tree/base"; else run new "$PWD"; fi
    done
  done
  grep -q '^Benchmark' "$dir/old.txt" "$dir/new.txt" || die "no benchmark is named ${BENCH:-Benchmark}"
  build/bin/benchstat "$base=$dir/old.txt" "working-tree=$dir/new.txt"
  echo "results: ${dir#"$PWD"/}/old.txt and new.txt" >&2
}

# smoke runs every benchmark of every module, then all cells of the root at two sizes with
# few messages, and those of the tuned engine if make libzmq has built its libzmq.
smoke() {
  local dir short=(go test -short -run '^$' -bench "${BENCH:-Benchmark}" -benchtime 1x -timeout "${TIMEOUT:-15m}")
  scripts/install.sh rivals
  if [ -n "${PKG:-}" ]; then
    # PKG is a list.
    # shellcheck disable=SC2086
    exec "${short[@]}" $PKG
  fi
  for dir in $(modules); do
    in_module "$dir" "${short[@]}" ./... | sed '/\[no test files\]$/d'
  done
  if [ -n "${BENCH:-}" ]; then return; fi
  # A = in the expression adds all cells that the root's benchmarks know.
  echo 'the matrix of workloads'
  go test -run '^$' -bench '/pattern/transport/size=(64|65536)$' -benchtime 1x -timeout "${TIMEOUT:-15m}" . -bench-messages=100 |
    sed '/^Benchmark/d'
  if [ -e "$draft" ]; then
    echo 'the tuned engine'
    GOZMQ_LIBRARY=$draft go test -run '^$' -bench 'Engine|Sweep' -benchtime 1x -timeout "${TIMEOUT:-15m}" . -bench-sweep=true -bench-messages=100 |
      sed '/^Benchmark/d'
  else
    echo 'left out: the tuned engine, which needs make libzmq'
  fi
}

scripts/install.sh libzmq
case ${1:-sets} in
  sets | one | compare | smoke) "${1:-sets}" "${@:2}" ;;
  *) die "unknown argument $1: see the head of scripts/bench.sh" ;;
esac
