#!/usr/bin/env bash
# Tidies go.mod and go.sum of every module, and formats every Go file.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/modules.sh
source scripts/modules.sh

for dir in ./tools $(modules); do
  echo "go mod tidy in $dir"
  if [ "$dir" != . ] && grep -qxF "	$dir" go.work; then
    # go.work gives this module the root module, which go mod tidy looks for
    # elsewhere and does not find: -e lets it go on with the rest.
    echo "(what follows about packages of ours that are not found is no error)"
    in_module "$dir" go mod tidy -e
  else
    in_module "$dir" go mod tidy
  fi
done
build_tools
our_files '*.go' | xargs build/bin/gofumpt -w
