#!/usr/bin/env bash
# Builds libzmq's own measuring tools, local_thr, remote_thr, local_lat and
# remote_lat, into build/perf, for the tests of zbench against them. No package has
# them. They are compiled from the sources of Debian's libzmq, unchanged, and run on
# the libzmq that the system has. A second run does nothing.
#
# Where there is no apt-get, put the two archives into build/libzmq-source; without
# them this says so and ends well, and the tests that want the tools say so, too.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/packages.sh
source scripts/packages.sh
# shellcheck source=scripts/libzmq-source.sh
source scripts/libzmq-source.sh

target=$PWD/build/perf
work=$PWD/build/perf-work
log=$work/log
tools=(local_thr remote_thr local_lat remote_lat)

without() {
  say "going on without libzmq's own tools: $1"
  exit 0
}

if ! command -v apt-get >/dev/null 2>&1 && ! archives_there; then
  without "their sources come through apt-get, or lie in $archives"
fi

# What decides the result is these scripts.
stamp=$(cat scripts/perf-tools.sh scripts/libzmq-source.sh | sha256sum)
if [ "$(cat "$target/stamp" 2>/dev/null)" = "$stamp" ]; then exit 0; fi

# library prints the libzmq that the system's programs run on.
library() { PATH=$PATH:/usr/sbin:/sbin ldconfig -p | sed -n 's|^[[:space:]]*libzmq\.so\.5 (.*) => ||p' | sed -n 1p; }

# In a shell of its own, since what is missing ends that.
(need g++ g++ gcc-c++ g++ && need patch patch patch patch && need xz xz-utils xz xz) || without "there is nothing to compile them with"
rm -rf "$work"
mkdir -p "$work/perf"
(fetch) || without "their sources could not be fetched"
unpack
zmq=$(library)
[ -n "$zmq" ] || die "there is no libzmq.so.5: make libzmq-installed, then run this again"
# cmake writes this one; what it says is not for these programs.
: >"$work/src/src/platform.hpp"
for tool in "${tools[@]}"; do
  quietly g++ -O2 -I "$work/src/include" -I "$work/src/src" -o "$work/perf/$tool" "$work/src/perf/$tool.cpp" "$zmq" ||
    die "$tool does not compile; the whole output is in $log"
done
echo "$stamp" >"$work/perf/stamp"
rm -rf "$target"
mv "$work/perf" "$target"
rm -rf "$work"
say "libzmq's own tools are in $target: ${tools[*]}"
