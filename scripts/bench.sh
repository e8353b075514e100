#!/usr/bin/env bash
# Measures, and keeps the raw output in DIR (default bench/results/<date>).
#
#   bench.sh                    all sets below, in COUNT rounds (default 10), interleaved so
#                               that other load on the machine affects all of them alike;
#                               then all tables of the results in DIR/TABLES.md. A round
#                               takes about twelve minutes on two processors
#   bench.sh one [FLAG...]      the benchmarks that BENCH names (a regular expression) in PKG
#                               (default the root), COUNT times, to DIR/LABEL.txt. FLAG is
#                               one of go test. -bench-matrix=true -timeout=3h runs all
#                               cells of the root's matrix, in more than an hour
#   bench.sh compare [ARG...]   benchstat of its arguments, or of BASE (default main) and
#                               the working tree, measured in turn
#   bench.sh smoke              every benchmark once
#
# SETS names some of the sets:
#
#   bench       the suite as go test -bench=Benchmark runs it
#   strategies  the buffer strategies at all seven sizes
#   marks       the modes up to 1 KiB, with a high-water mark (HWM)
#   rivals      the other bindings for Go
#   bindings    all bindings with libzmq's default high-water mark: the summary
#   tuned       libzmq built by make libzmq, with larger batches of its own
#   sweep       the sizes of those batches, PUSH to PULL of 512 bytes and 1 KiB
#   waiting     round trips and requests, in a process that did nothing else before
#   malloc      large messages, with glibc's malloc unchanged and keeping its memory
#   proxy       Proxy beside zmq_proxy
#
# Beside each LABEL.txt there is LABEL.env, which says what was measured on which machine.
# WORKLOADS is a -benchtime, such as 12x, for benchmarks whose iterations are whole runs.
# compare takes BENCHTIME.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

draft=$PWD/build/libzmq/lib/libzmq.so.5
all_sets='bench strategies marks rivals bindings tuned sweep waiting malloc proxy'

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

commit() {
  git rev-parse --short=12 HEAD 2>/dev/null || { echo none && return; }
  [ -z "$(git status --porcelain 2>/dev/null)" ] || echo '(with changes)'
}

# Not in the result file. benchstat reads such lines there as keys, and would not compare
# two files in which they differ.
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
  echo "load at start: ${LOAD:-$(uptime | sed 's/.*load average[s]*: //')}"
  echo "libzmq version: $(go run ./scripts/testdata/libzmq || echo unknown)" # after the load, because it compiles
  echo "command: -bench ${WHAT:-${BENCH:-Benchmark}} -benchmem $*${WORKLOADS:+ (workloads: $WORKLOADS)} ${PKG:-.}, ${ROUNDS:-$count} interleaved runs"
}
whole_runs='^Benchmark(Receive|Strategy|Publish|Fan|Transport|Curve|Engine)$'

# one FLAG...: runs the benchmarks that BENCH names. The sets also set APPEND=1 (add to the
# files), ROUNDS (how often they call it), LOAD and COMMIT (of the start), and WHAT (instead
# of BENCH in the .env).
one() {
  local append='' count=${COUNT:-10} dir=${DIR:-bench/results/$(date -u +%Y-%m-%dT%H%MZ)} label=${LABEL:-bench} commit file i
  file=$dir/$label.txt
  if [ "${APPEND:-}" = 1 ]; then append=1; else unset COMMIT LOAD ROUNDS WHAT; fi
  [ ! -e "$file" ] || [ -n "$append" ] || die "$file exists, and results are not overwritten: choose another DIR or LABEL"
  # Before the files below exist: they would count as changes.
  commit=${COMMIT:-$(commit | paste -s -d ' ' -)}
  mkdir -p "$dir"
  if [ -z "$append" ] || [ ! -e "$dir/$label.env" ]; then environment "$@" >"$dir/$label.env"; fi
  for ((i = 1; i <= count; i++)); do
    if [ -z "$append" ]; then echo "run $i of $count" >&2; fi
    # PKG is a list.
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
}

# The sets. Each runs in a subshell with its own variables.

# A result is the median of at least three runs. A stalled run would be half of the mean of
# two.
set_bench() { WORKLOADS=3x one -benchtime=100ms; }

# alone PATTERNS SIZES CELLS: strategies, each in a separate process. Otherwise, from 64 KiB
# up, a cell reuses the memory that malloc kept of earlier cells.
alone() {
  local pattern size cell
  for pattern in $1; do
    for size in $2; do
      for cell in $3; do
        BENCH="Strategy/pattern=$pattern/transport=tcp/size=$size\$/strategy=${cell%:*}/impl=${cell#*:}" one -benchtime=3x
      done
    done
  done
}
set_strategies() {
  export WHAT='Strategy/pattern=(routerrouter|pushpull)/transport=tcp, from 64 KiB up a process for each,'
  BENCH='Strategy/pattern=(routerrouter|pushpull)/transport=tcp/size=(64|512|1024|1500)$' one -benchtime=3x
  alone 'routerrouter pushpull' '65536 131072 262144' \
    'bytes:go syncpool:go message:go zerocopy:go pooled:go batch:go copy:c zerocopy:c'
}
set_marks() {
  BENCH='^BenchmarkReceive$/pattern=(routerrouter|pushpull)/transport=tcp/size=(64|512|1024)$' \
    one -benchtime=3x -bench-marks=true
}
peers() {
  local environment
  environment=$(scripts/peers-env.sh)
  eval "$environment"
  PKG=./internal/peers one "$@"
}
set_rivals() { WORKLOADS=3x peers -benchtime=40ms; }
set_bindings() { BENCH='^BenchmarkBindings$' peers -benchtime=3x; }
set_tuned() {
  export GOZMQ_LIBRARY=$draft BENCH='^BenchmarkEngine$' WHAT='^BenchmarkEngine$, without and with -bench-marks=true,'
  one -benchtime=3x
  one -benchtime=3x -bench-marks=true
}
set_sweep() {
  GOZMQ_LIBRARY=$draft BENCH='^BenchmarkSweep$/pattern=pushpull/transport=tcp/size=(512|1024)' \
    one -benchtime=3x -bench-sweep=true
}
set_waiting() { BENCH='^Benchmark(RoundTrip|Request|Latency)$' one -benchtime=100ms; }
set_proxy() { PKG=./zmq BENCH='^BenchmarkProxy$' one -benchtime=200ms; }

# A line such as "malloc: trim" is a key of the results below it.
set_malloc() {
  local cells=(pushpull '1024 65536 131072 262144' 'message:go zerocopy:go pooled:go copy:c zerocopy:c')
  export WHAT='Strategy/pattern=pushpull/transport=tcp, a process for each,'
  echo 'malloc: default' >>"$DIR/malloc.txt"
  alone "${cells[@]}"
  echo 'malloc: trim' >>"$DIR/malloc.txt"
  MALLOC_TRIM_THRESHOLD_=134217728 MALLOC_MMAP_THRESHOLD_=33554432 alone "${cells[@]}"
}

sets() {
  local set sets round rounds=${COUNT:-10}
  DIR=${DIR:-bench/results/$(date -u +%Y-%m-%d)}
  [ ! -e "$DIR" ] || die "$DIR exists, and results are not overwritten: choose another DIR"
  read -ra sets <<<"${SETS:-$all_sets}"
  for set in "${sets[@]}"; do
    [[ " $all_sets " = *" $set "* ]] || die "no set $set: they are $all_sets"
  done
  # The load of others and the commit, before there are results in the tree.
  LOAD=$(uptime | sed 's/.*load average[s]*: //')
  COMMIT=$(commit | paste -s -d ' ' -)
  scripts/install.sh peers
  scripts/libzmq.sh
  export DIR LOAD COMMIT ROUNDS=$rounds COUNT=1 APPEND=1
  unset WORKLOADS BENCH PKG LABEL WHAT
  mkdir -p "$DIR"
  for ((round = 1; round <= rounds; round++)); do
    echo "round $round of $rounds" >&2
    for set in "${sets[@]}"; do
      (LABEL=$set && export LABEL && "set_$set")
    done
  done
  go run ./internal/benchtables -o "$DIR/TABLES.md" "$DIR"
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
  scripts/install.sh peers
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
