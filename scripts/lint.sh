#!/usr/bin/env bash
# Everything that is checked without running the code. All checks run; the
# script fails if one did.
# shellcheck disable=SC2317 # functions are called through check, unseen by shellcheck
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/modules.sh
source scripts/modules.sh

failed=0

# check NAME COMMAND...: fails when the command does.
check() {
  local name=$1
  shift
  if "$@"; then
    echo "lint: $name: ok"
  else
    echo "lint: $name: failed" >&2
    failed=1
  fi
}

# silent COMMAND...: fails when the command does, and when it prints, as
# formatters print the names of the files that they would change.
silent() {
  local output
  output=$("$@") || return 1
  [ -z "$output" ] || {
    printf '%s\n' "$output" >&2
    return 1
  }
}

# on_go_files COMMAND...: runs the command on every Go file of ours.
on_go_files() { our_files '*.go' | xargs "$@"; }

build_tools
check gofmt silent on_go_files gofmt -l
check gofumpt silent on_go_files build/bin/gofumpt -l
for dir in $(modules); do
  check "go vet $dir" in_module "$dir" go vet ./...
  check "staticcheck $dir" in_module "$dir" "$PWD/build/bin/staticcheck" ./...
done
check actionlint build/bin/actionlint
check layout scripts/check-layout.sh
check installers scripts/install_test.sh
if command -v shellcheck >/dev/null 2>&1; then
  check shellcheck shellcheck -x scripts/*.sh .ci/run
else
  echo "lint: shellcheck: not installed, so the scripts were not checked"
fi
exit $failed
