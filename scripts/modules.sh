# shellcheck shell=bash
# The files and the Go modules of this repository. Sourced; it runs nothing by
# itself. Call from the root of the repository.

# our_files PATTERN...: the files that are, or will be, in the repository.
our_files() {
  local file
  git ls-files -co --exclude-standard -- "$@" | while read -r file; do
    # A file that was removed is listed until the removal is staged.
    if [ -e "$file" ]; then echo "$file"; fi
  done
}

# modules prints the directory of every module that has packages. tools/ has
# none: its go.mod only pins the versions of the tools.
modules() {
  find . -name go.mod -not -path './build/*' -not -path './.git/*' -not -path '*/testdata/*' |
    sed 's|/go.mod$||' | grep -vx ./tools | LC_ALL=C sort
}

# in_module DIR COMMAND...: runs the command in the module. Modules outside the
# workspace stand alone: go refuses to work on them unless told so.
in_module() (
  dir=$1
  shift
  members=$(go list -m -f '{{.Dir}}')
  cd "$dir" || exit
  if ! grep -qxF "$(pwd -P)" <<<"$members"; then export GOWORK=off; fi
  # The rivals whose C libraries are here are compiled in.
  if [ "$dir" = ./internal/peers ]; then eval "$(../../scripts/peers-env.sh)"; fi
  "$@"
)

# build_tools builds the tools that tools/go.mod pins, into build/bin.
build_tools() {
  local bin=$PWD/build/bin
  (cd tools && GOWORK=off GOBIN=$bin go install tool)
}
