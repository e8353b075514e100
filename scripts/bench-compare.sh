#!/usr/bin/env bash
# Compares results of bench.sh with benchstat; the arguments are benchstat's.
#
#   bench-compare.sh old.txt new.txt
#   bench-compare.sh -col /impl results.txt
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/modules.sh
source scripts/modules.sh

if [ $# = 0 ]; then
  echo "say what to compare: make bench-compare OLD=file NEW=file, or FLAGS='-col /impl' NEW=file" >&2
  exit 2
fi
build_tools
exec build/bin/benchstat "$@"
