#!/usr/bin/env bash
# Runs every benchmark of every module once; -short has the rivals send fewer
# messages. The environment may hold BENCH (a
# regular expression) and PKG (packages; then only these, named from the root).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/modules.sh
source scripts/modules.sh

smoke=(go test -short -run '^$' -bench "${BENCH:-.}" -benchtime 1x -timeout "${TIMEOUT:-15m}")
if [ -n "${PKG:-}" ]; then
  # PKG is a list: splitting it is the intention.
  # shellcheck disable=SC2086
  exec "${smoke[@]}" $PKG
fi
for dir in $(modules); do
  in_module "$dir" "${smoke[@]}" ./... | sed '/\[no test files\]$/d'
done
