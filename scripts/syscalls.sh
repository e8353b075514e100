#!/usr/bin/env bash
# Counts the system calls that a message takes, with libzmq's default batches of 8 KiB
# and with tuned ones, on the libzmq with the draft API in build/libzmq: what strace -c
# says of the whole process, sender and receiver together, in one-way runs over tcp.
# Each cell is run twice, with RUNS and with three times RUNS iterations, and the
# difference divided by the messages in it: what starting takes is in neither.
#
# strace makes each call slower, so that more messages wait when the next one is made:
# where batches are not full anyway, there are fewer calls than without it.
#
# The environment may hold TUNED (bytes, a power of two up to 1 MiB; default 131072),
# PATTERNS (default "pushpull routerrouter"), SIZES (default "64 512 1024 65536"), IMPLS
# (default "c go"), RUNS (default 2) and DIR (default build/syscalls, for strace's own
# output).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

[ "$(uname -s)" = Linux ] || die "strace is for Linux only"
scripts/install.sh libzmq strace
scripts/libzmq.sh
export GOZMQ_LIBRARY=$PWD/build/libzmq/lib/libzmq.so.5
dir=${DIR:-build/syscalls}
tuned=${TUNED:-131072}
runs=${RUNS:-2}
mkdir -p "$dir"
binary=$dir/bench.test
go test -c -o "$binary" .

# count CELL RUNS FILE: runs a cell under strace, and prints the messages of a run.
count() {
  local output
  output=$(timeout "${TIMEOUT:-5m}" strace -f -c -U calls,name -o "$3" \
    "$binary" -test.run '^$' -test.bench "$1" -test.benchtime "$2x" -bench-sweep) ||
    die "$1 does not run under strace: $output"
  awk '{ for (i = 2; i <= NF; i++) if ($i == "msg/op") { print $(i - 1); found = 1 } } END { exit !found }' <<<"$output" ||
    die "there is no benchmark $1, so TUNED, PATTERNS, SIZES or IMPLS is not what BenchmarkSweep has: $output"
}

# The calls that move messages, wait and wake, and libzmq's own check for a fork before
# each wake-up (getpid); all others, above all malloc's, are under "other".
named=(sendto recvfrom poll epoll_wait epoll_pwait read write futex getpid)
format='%-13s %6s %-5s %8s'
# The format is for as many columns as there are, all alike.
# shellcheck disable=SC2059
header() { printf "$format" pattern size impl batch && printf ' %11s' "${named[@]}" other total && echo; }

# row FIRST SECOND MESSAGES: the calls of the second file that the first has not.
row() {
  awk -v named="${named[*]}" -v messages="$3" '
    NR == FNR { if ($1 ~ /^[0-9]+$/) before[$2] = $1; next }
    $1 ~ /^[0-9]+$/ && $2 != "total" { calls[$2] = $1 - before[$2] }
    END {
      n = split(named, names, " ")
      for (c in calls) total += calls[c]
      rest = total
      for (i = 1; i <= n; i++) { rest -= calls[names[i]]; printf " %11.5f", calls[names[i]] / messages }
      printf " %11.5f %11.5f\n", rest / messages, total / messages
    }' "$1" "$2"
}

echo "system calls per message, sender and receiver together"
header
for pattern in ${PATTERNS:-pushpull routerrouter}; do
  for size in ${SIZES:-64 512 1024 65536}; do
    for impl in ${IMPLS:-c go}; do
      for batch in 8192 "$tuned"; do
        cell="^BenchmarkSweep\$/^pattern=$pattern\$/^transport=tcp\$/^size=$size\$/^mode=batch\$/^inbatch=$batch\$/^outbatch=$batch\$/^impl=$impl\$"
        file=$dir/$pattern-$size-$impl-$batch
        count "$cell" "$runs" "$file-1.txt" >/dev/null
        messages=$(count "$cell" $((3 * runs)) "$file-2.txt")
        # shellcheck disable=SC2059
        printf "$format" "$pattern" "$size" "$impl" "$batch"
        row "$file-1.txt" "$file-2.txt" $((2 * runs * messages))
      done
    done
  done
done
echo "strace's own output: $dir/"
