#!/usr/bin/env bash
# Runs the tests with the C side under AddressSanitizer, its leak detector at the end of
# each test binary, and UBSan, whose findings end the test. The environment is that of
# test.sh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# What asks for far too much memory is to get an error, as it does without the
# sanitizer, instead of ending the process.
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1:${ASAN_OPTIONS:-}

# The sanitizer looks for the C++ runtime once, when the process starts. libzmq
# brings that runtime later, and the first exception inside libzmq, caught there
# or not, would then end the process. So it is linked here; by its full name,
# since that is the file that comes with libzmq.
if [ "$(uname -s)" = Linux ]; then
  export CGO_LDFLAGS="${CGO_LDFLAGS:--O2 -g} -Wl,--push-state,--no-as-needed -l:libstdc++.so.6 -Wl,--pop-state"
fi

export CGO_CFLAGS="${CGO_CFLAGS:--O2 -g} -fsanitize=undefined -fno-sanitize-recover=all"
export CGO_LDFLAGS="${CGO_LDFLAGS:-} -fsanitize=undefined"
exec scripts/test.sh asan -asan
