#!/usr/bin/env bash
# Compares results of benchmarks with benchstat.
#
#   bench-compare.sh old.txt new.txt           two files of bench.sh; the arguments
#   bench-compare.sh -col /impl results.txt    are benchstat's
#   bench-compare.sh                           main against the working tree
#
# The last one builds both and runs them in turn, COUNT times each (default 10). BASE
# is the revision to compare with (default main), BENCH a regular expression (default
# Benchmark, which matches all that both have), PKG one package (default the root), BENCHTIME go test's
# -benchtime. The raw output is kept in DIR (default build/bench-compare) as old.txt
# and new.txt.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/modules.sh
source scripts/modules.sh
# shellcheck source=scripts/packages.sh
source scripts/packages.sh

build_tools
if [ $# != 0 ]; then exec build/bin/benchstat "$@"; fi

scripts/install-libzmq.sh
package=${PKG:-.}
count=${COUNT:-10}
base=${BASE:-main}
git rev-parse --quiet --verify "$base^{commit}" >/dev/null ||
  die "there is no revision $base to compare with: name one with BASE=, or two files of results with OLD= and NEW="
dir=${DIR:-build/bench-compare}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
rm -f "$dir"/{old,new}.{txt,test}

tree=$(mktemp -d)
# git would not remove a work tree in which something was made.
trap 'git worktree remove --force "$tree/base" 2>/dev/null || true; rm -rf "$tree"' EXIT
trap 'exit 130' INT TERM
git worktree add --quiet --detach "$tree/base" "$base"

# build NAME ROOT: the test binary of the package below ROOT.
build() {
  (cd "$2" && go test -c -o "$dir/$1.test" "$package") || die "the tests of $package do not compile in $2"
  [ -e "$dir/$1.test" ] || die "$package has no tests in $2, so no benchmarks either"
}
build old "$tree/base"
build new "$PWD"

# run NAME ROOT: the benchmarks once, in the directory of their package.
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
  # Who comes first in a pair takes turns, so that neither is always the one that
  # finds the machine warm.
  if ((i % 2)); then order=(old new); else order=(new old); fi
  for name in "${order[@]}"; do
    if [ "$name" = old ]; then run old "$tree/base"; else run new "$PWD"; fi
  done
done
grep -q '^Benchmark' "$dir/old.txt" "$dir/new.txt" || die "no benchmark is named ${BENCH:-Benchmark}"
build/bin/benchstat "$base=$dir/old.txt" "working-tree=$dir/new.txt"
echo "results: ${dir#"$PWD"/}/old.txt and new.txt" >&2
