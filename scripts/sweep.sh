#!/usr/bin/env bash
# Measures every size of libzmq's own batches (InBatchSize, OutBatchSize) from 8 KiB
# to 1 MiB, on the libzmq with the draft API in build/libzmq, in interleaved runs, and
# keeps the raw output in bench/results/<date>-sweep. The environment is that of
# bench.sh; BENCHTIME is go test's -benchtime (default 10x: runs of 100,000 messages).
# With the default COUNT of 10 it takes about half an hour.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scripts/libzmq.sh
export GOZMQ_LIBRARY=$PWD/build/libzmq/lib/libzmq.so.5
export BENCH=${BENCH:-'^BenchmarkSweep$'} LABEL=${LABEL:-sweep}
export DIR=${DIR:-bench/results/$(date -u +%Y-%m-%d)-sweep}
# These runs are counted already.
unset WORKLOADS

# As one word, or go test would take what follows for its value.
scripts/bench.sh -benchtime="${BENCHTIME:-10x}" -bench-sweep=true
# In the result a row is InBatchSize and OutBatchSize, and 8192 8192 the default.
for impl in c go; do
  scripts/bench-compare.sh -filter "/impl:$impl .unit:ns/msg" -row /inbatch,/outbatch -col /pattern,/size "$DIR/$LABEL.txt"
done
