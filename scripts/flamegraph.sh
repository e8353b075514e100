#!/usr/bin/env bash
# Draws a profile of Go's as a flame graph.
#
#   flamegraph.sh TITLE BINARY PROFILE SAMPLE UNIT >graph.svg
#
# SAMPLE is which of the profile's values to draw, and UNIT what to count it in, as go
# tool pprof knows them: cpu ns, alloc_space B, delay ns. FLAMEGRAPH in the environment
# names Brendan Gregg's flamegraph.pl; without it the one in Debian's package of a Perl
# profiler is used, which is unpacked below build/, not installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/packages.sh
source scripts/packages.sh

[ $# = 5 ] || die "usage: flamegraph.sh TITLE BINARY PROFILE SAMPLE UNIT"
title=$1 binary=$2 profile=$3 sample=$4 unit=$5
package=libdevel-nytprof-perl
in_package=usr/share/perl5/Devel/NYTProf/flamegraph.pl
unpacked=build/flamegraph

# drawer prints the path of flamegraph.pl.
drawer() {
  local file
  for file in ${FLAMEGRAPH:+"$FLAMEGRAPH"} "$(command -v flamegraph.pl || true)" "/$in_package" "$unpacked/$in_package"; do
    if [ -n "$file" ] && [ -e "$file" ]; then
      echo "$file"
      return
    fi
  done
  if [ -n "${FLAMEGRAPH:-}" ]; then die "FLAMEGRAPH=$FLAMEGRAPH: there is no such file"; fi
  command -v dpkg-deb >/dev/null 2>&1 ||
    die "flamegraph.pl is missing: get it from Brendan Gregg's FlameGraph, and name it with FLAMEGRAPH=/path/to/flamegraph.pl"
  say "flamegraph.pl is missing: unpacking $package in $unpacked"
  mkdir -p "$unpacked"
  (cd "$unpacked" && apt-get -q download "$package" >download.log 2>&1) ||
    die "$package could not be downloaded (see $unpacked/download.log; 'apt-get update' may help)"
  dpkg-deb -x "$unpacked/$package"_*.deb "$unpacked"
  echo "$unpacked/$in_package"
}

# fold turns the stacks that go tool pprof prints, innermost function first, into a
# line each, outermost first, with its value at the end.
fold() {
  awk '
    function flush() { if (value > 0) printf "%s %.0f\n", stack, value; value = 0; stack = "" }
    /^-----------\+/ { flush(); begun = 1; next }
    !begun || NF == 0 || $1 ~ /:$/ { next }
    {
      name = $0
      sub(/ \(inline\)$/, "", name)
      if (stack == "" && $1 ~ /^[0-9.e+]+[a-zA-Z]*$/ && NF > 1) { value = $1 + 0; sub(/^ *[^ ]+ +/, "", name) }
      sub(/^ +/, "", name)
      gsub(/;/, ":", name)
      stack = stack == "" ? name : name ";" stack
    }
    END { flush() }'
}

drawing=$(drawer)
stacks=$(go tool pprof -traces -sample_index="$sample" -unit="$unit" "$binary" "$profile" 2>/dev/null | fold)
# A flame graph of nothing would be an error in flamegraph.pl.
[ -n "$stacks" ] || exit 3
perl "$drawing" --title "$title" --countname "$unit" --hash --width 1600 <<<"$stacks"
