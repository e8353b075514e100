#!/usr/bin/env bash
# Builds the program in C that drives the shims (internal/libzmq/ctest), and runs it.
#
#   ctest.sh tsan|ubsan|valgrind ROUNDS
#
# It loads the libzmq that GOZMQ_LIBRARY names, as Go does. The last line says how many
# of the shims' functions were called, and how often; it fails if one was not.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/packages.sh
source scripts/packages.sh

lane=${1:?usage: ctest.sh tsan|ubsan|valgrind ROUNDS}
rounds=${2:-1}
dir=build/sanitize/ctest-$lane
shims=internal/libzmq
driver=$shims/ctest
cc=$(go env CC)
case $lane in
  tsan) flags=(-fsanitize=thread) ;;
  ubsan) flags=(-fsanitize=undefined -fno-sanitize-recover=all) ;;
  valgrind) flags=() ;;
  *) die "no such lane: $lane" ;;
esac
flags+=(-std=gnu11 -O1 -g -fno-omit-frame-pointer -Wall -Wextra -Werror)

rm -rf "$dir"
mkdir -p "$dir"

# load_link.c is for programs that are linked with libzmq.
objects=()
for source in "$shims"/*.c; do
  if [ "$source" = "$shims/load_link.c" ]; then continue; fi
  object=$dir/$(basename "$source" .c).o
  "$cc" "${flags[@]}" -finstrument-functions -c -o "$object" "$source"
  objects+=("$object")
done

# What is to be called: what the headers declare, but for the inline functions among
# it, and what the object files define besides.
{
  sed -nE '/^(static|typedef|#|[[:space:]])/!s/^[a-z][a-zA-Z0-9_ ]*[ *](gz_[a-z0-9_]+)\(.*/\1/p' "$shims"/*.h
  nm -g --defined-only "${objects[@]}" | awk '$2 == "T" {print $3}'
} | LC_ALL=C sort -u | sed 's/.*/X(&)/' >"$dir/functions.inc"

# The program's own accept4 must be seen by libzmq: -rdynamic.
"$cc" "${flags[@]}" -I "$dir" -rdynamic -o "$dir/ctest" "$driver"/*.c "${objects[@]}" -ldl -lpthread

case $lane in
  tsan)
    export TSAN_OPTIONS="suppressions=$PWD/$driver/tsan.supp:halt_on_error=1:allocator_may_return_null=1:${TSAN_OPTIONS:-}"
    # Where the kernel spreads addresses wider than this ThreadSanitizer knows, it says
    # so and ends at once, unless they are not spread at all.
    said=$(TSAN_OPTIONS=verbosity=0 "$dir/ctest" 0 2>&1) || true
    if grep -q 'unexpected memory mapping' <<<"$said"; then
      exec setarch -R "$dir/ctest" "$rounds"
    fi
    exec "$dir/ctest" "$rounds"
    ;;
  valgrind)
    scripts/install-tool.sh valgrind
    exec valgrind -q --leak-check=full --show-leak-kinds=definite,indirect --errors-for-leak-kinds=definite,indirect --error-exitcode=9 \
      --suppressions="$driver/valgrind.supp" "$dir/ctest" "$rounds"
    ;;
  *)
    exec "$dir/ctest" "$rounds"
    ;;
esac
