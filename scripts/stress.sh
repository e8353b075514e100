#!/usr/bin/env bash
# Repeats concurrency tests under the race detector with one, two and sixteen
# processors: few hide races behind luck, many bring other ones out.
#
#   RUN='TestSocketClose' PKG=./internal/core stress.sh
#
# COUNT is how often each is run (default 50).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [ -z "${RUN:-}" ]; then
  echo "say which tests: make stress RUN='a regular expression' [PKG=./internal/core] [COUNT=50]" >&2
  exit 2
fi
for procs in 1 2 16; do
  echo "GOMAXPROCS=$procs"
  GOMAXPROCS=$procs COUNT=${COUNT:-50} TIMEOUT=${TIMEOUT:-30m} scripts/test.sh "stress-$procs" -race
done
