#!/usr/bin/env bash
# Measures all times that BENCHMARKS.md shows, in COUNT rounds (default 10), each of
# which has all sets once, so that whatever else the machine does falls on all alike. The
# raw output is in DIR (default bench/results/<date>), a file and an .env for each set, and
# all tables of it in DIR/TABLES.md:
#
#   bench       the suite as go test -bench=Benchmark runs it
#   strategies  the buffer strategies at all seven sizes
#   marks       the modes up to 1 KiB, with high-water marks
#   rivals      the other bindings for Go
#   bindings    all bindings with libzmq's default high-water mark: the summary
#   tuned       libzmq built by make libzmq, its own batches larger
#   sweep       the sizes of those, PUSH to PULL of 512 bytes and 1 KiB
#   waiting     round trips and requests, in a process that did nothing else before
#   malloc      large messages, with glibc's malloc as it is and keeping its memory
#   proxy       Proxy beside zmq_proxy
#
# About twelve minutes a round on two processors. SETS names some of the sets.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

rounds=${COUNT:-10}
DIR=${DIR:-bench/results/$(date -u +%Y-%m-%d)}
[ ! -e "$DIR" ] || {
  echo "$DIR exists, and results are not overwritten: choose another DIR" >&2
  exit 1
}
read -ra sets <<<"${SETS:-bench strategies marks rivals bindings tuned sweep waiting malloc proxy}"
for set in "${sets[@]}"; do
  case $set in
    bench | strategies | marks | rivals | bindings | tuned | sweep | waiting | malloc | proxy) ;;
    *)
      echo "no set $set: they are bench, strategies, marks, rivals, bindings, tuned, sweep, waiting, malloc, proxy" >&2
      exit 2
      ;;
  esac
done
# The load that was there before ours, and the tree before there are results in it.
LOAD=$(uptime | sed 's/.*load average[s]*: //')
scripts/libzmq.sh
COMMIT=$(scripts/bench.sh --commit)
export DIR LOAD COMMIT ROUNDS=$rounds COUNT=1 APPEND=1
unset WORKLOADS BENCH PKG LABEL WHAT

# A result is the median of three runs at least: a run that stood still shows only beside
# others, and would be half of the mean of two.
bench() { WORKLOADS=3x scripts/bench.sh -benchtime=100ms; }

# alone PATTERNS SIZES CELLS: strategies, each in a process of its own. From 64 KiB up a
# cell otherwise has the memory that malloc kept of those before it.
alone() {
  local pattern size cell
  for pattern in $1; do
    for size in $2; do
      for cell in $3; do
        BENCH="Strategy/pattern=$pattern/transport=tcp/size=$size\$/strategy=${cell%:*}/impl=${cell#*:}" scripts/bench.sh -benchtime=3x
      done
    done
  done
}
strategies() {
  export WHAT='Strategy/pattern=(routerrouter|pushpull)/transport=tcp, from 64 KiB up a process for each,'
  BENCH='Strategy/pattern=(routerrouter|pushpull)/transport=tcp/size=(64|512|1024|1500)$' scripts/bench.sh -benchtime=3x
  alone 'routerrouter pushpull' '65536 131072 262144' \
    'bytes:go syncpool:go message:go zerocopy:go pooled:go batch:go copy:c zerocopy:c'
}
marks() {
  BENCH='^BenchmarkReceive$/pattern=(routerrouter|pushpull)/transport=tcp/size=(64|512|1024)$' \
    scripts/bench.sh -benchtime=3x -bench-marks=true
}
rivals() { scripts/bench-rivals.sh -benchtime=40ms; }
bindings() { BENCH='^BenchmarkBindings$' scripts/bench-rivals.sh -benchtime=3x; }
tuned() {
  export GOZMQ_LIBRARY=$library BENCH='^BenchmarkEngine$' WHAT='^BenchmarkEngine$, without and with -bench-marks=true,'
  scripts/bench.sh -benchtime=3x
  scripts/bench.sh -benchtime=3x -bench-marks=true
}
sweep() {
  GOZMQ_LIBRARY=$library BENCH='^BenchmarkSweep$/pattern=pushpull/transport=tcp/size=(512|1024)' \
    scripts/bench.sh -benchtime=3x -bench-sweep=true
}
waiting() { BENCH='^Benchmark(RoundTrip|Request|Latency)$' scripts/bench.sh -benchtime=100ms; }
proxy() { PKG=./zmq BENCH='^BenchmarkProxy$' scripts/bench.sh -benchtime=200ms; }

# What a line like "malloc: trim" says is a key of the results below it.
malloc() {
  local cells=(pushpull '1024 65536 131072 262144' 'message:go zerocopy:go pooled:go copy:c zerocopy:c')
  export WHAT='Strategy/pattern=pushpull/transport=tcp, a process for each,'
  echo 'malloc: default' >>"$DIR/malloc.txt"
  alone "${cells[@]}"
  echo 'malloc: trim' >>"$DIR/malloc.txt"
  MALLOC_TRIM_THRESHOLD_=134217728 MALLOC_MMAP_THRESHOLD_=33554432 alone "${cells[@]}"
}

library=$PWD/build/libzmq/lib/libzmq.so.5
mkdir -p "$DIR"
for ((round = 1; round <= rounds; round++)); do
  echo "round $round of $rounds" >&2
  for set in "${sets[@]}"; do
    (LABEL=$set && export LABEL && "$set")
  done
done
go run ./internal/benchtables -o "$DIR/TABLES.md" "$DIR"
echo "results: $DIR" >&2
