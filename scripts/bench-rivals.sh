#!/usr/bin/env bash
# bench.sh for internal/peers, with the rivals whose C libraries are here. Takes two to
# three minutes a run on a machine that does nothing else. The environment may hold what
# bench.sh takes; DIR is bench/results/<date>-rivals by default, and LABEL rivals.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

environment=$(scripts/peers-env.sh)
eval "$environment"
export PKG=./internal/peers
# An iteration of most is a whole run, and a result the median of three. With BENCH bench.sh would still run all of those.
if [ -z "${BENCH:-}" ]; then export WORKLOADS=${WORKLOADS:-3x}; else unset WORKLOADS; fi
export DIR=${DIR:-bench/results/$(date -u +%Y-%m-%d)-rivals} LABEL=${LABEL:-rivals}
if [ $# = 0 ]; then set -- -benchtime=150ms; fi
exec scripts/bench.sh "$@"
