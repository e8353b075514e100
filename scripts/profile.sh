#!/usr/bin/env bash
# Profiles benchmarks: CPU, allocations, mutexes and blocking, each in a separate run so
# that none shows the cost of another. go tool pprof shows the files, as flame graphs with
# -http. Go's profiles show C as one frame. perf counts what is in it, or callgrind where
# perf is not allowed to sample.
#
# The environment may hold BENCH (a regular expression; default PUSH to PULL over tcp, 64
# bytes, blocking and in batches), PKG (one package, default the root), BENCHTIME
# (default 2s), DIR (default build/profile) and COUNTER, perf or callgrind. A libzmq
# with symbols, such as that of make libzmq, adds the names of its functions:
# GOZMQ_LIBRARY=$PWD/build/libzmq/lib/libzmq.so.5.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

bench=${BENCH:-'^BenchmarkReceive$/^pattern=pushpull$/^transport=tcp$/^size=64$/^mode=(blocking|batch)$/^impl=go$'}
dir=${DIR:-build/profile}
mkdir -p "$dir"
rm -f "$dir"/{cpu,alloc,mutex,block}.{pprof,txt} "$dir"/c-frames.txt
dir=$(cd "$dir" && pwd)
shown=${dir#"$PWD"/}
binary=$dir/bench.test
go test -c -o "$binary" "${PKG:-.}"
[ -e "$binary" ] || die "${PKG:-.} has no tests, so no benchmarks either"
# A test runs in the directory of its package.
home=$(go list -f '{{.Dir}}' "${PKG:-.}")

# measure NAME FLAG...: runs the benchmarks with these flags of go test's.
measure() {
  local name=$1 log=$dir/$1.txt
  shift
  say "profiling: $name"
  (cd "$home" && GOZMQ_DEBUG='' ${runner[@]+"${runner[@]}"} "$binary" -test.timeout "${TIMEOUT:-10m}" -test.run '^$' -test.bench "$bench" "$@") >"$log" 2>&1 || {
    tail -n 20 "$log" >&2
    die "the benchmarks failed; all that they said is in $log"
  }
  grep -q '^Benchmark' "$log" || die "no benchmark is named $bench: see 'go test -bench Benchmark -benchtime 1x ${PKG:-.}' for their names"
}

made=()

time=${BENCHTIME:-2s}
runner=()
measure cpu -test.benchtime "$time" -test.cpuprofile "$dir/cpu.pprof"
# Every allocation, not one in 512 KiB: there are few.
measure alloc -test.benchtime "$time" -test.memprofile "$dir/alloc.pprof" -test.memprofilerate 1
measure mutex -test.benchtime "$time" -test.mutexprofile "$dir/mutex.pprof" -test.mutexprofilefraction 1
measure block -test.benchtime "$time" -test.blockprofile "$dir/block.pprof" -test.blockprofilerate 1
for name in cpu alloc mutex block; do made+=("go tool pprof -http : $shown/bench.test $shown/$name.pprof"); done

# with_perf samples as time passes, and says in which function of which file.
with_perf() {
  runner=(perf record -q -F 999 -o "$dir/perf.data")
  measure c-frames -test.benchtime "$time"
  perf report --stdio -i "$dir/perf.data" --fields overhead,dso,symbol --percent-limit 0.2 >"$dir/c-frames.txt" 2>/dev/null
  made+=("$shown/c-frames.txt   C and Go by function (perf), from $shown/perf.data")
}

# with_callgrind counts instructions, in one run of each benchmark: it is some fifty
# times slower.
with_callgrind() {
  scripts/install.sh valgrind
  # Callgrind stops at the signals with which the runtime interrupts a goroutine.
  runner=(env GODEBUG=asyncpreemptoff=1 valgrind --tool=callgrind --callgrind-out-file="$dir/callgrind.out")
  measure c-frames -test.benchtime "${CALLGRIND_BENCHTIME:-1x}"
  callgrind_annotate --auto=no --threshold=95 "$dir/callgrind.out" >"$dir/c-frames.txt"
  made+=("$shown/c-frames.txt   C and Go by function (callgrind), from $shown/callgrind.out, which kcachegrind shows")
}

counter=${COUNTER:-}
if [ -z "$counter" ]; then
  counter=callgrind
  if perf stat -e instructions -o "$dir/perf.txt" true >/dev/null 2>&1 && ! grep -q 'not supported' "$dir/perf.txt"; then counter=perf; fi
  rm -f "$dir/perf.txt"
fi
case $counter in
  perf) with_perf ;;
  callgrind) with_callgrind ;;
  *) die "COUNTER=$counter: say perf or callgrind" ;;
esac

echo
echo "profiles of $bench:"
printf '  %s\n' "${made[@]}"
[ -n "${GOZMQ_LIBRARY:-}" ] || echo "  (libzmq's own functions have names with GOZMQ_LIBRARY=\$PWD/build/libzmq/lib/libzmq.so.5, which make libzmq builds)"
echo "what was measured while each was made is in the .txt file of its name"
