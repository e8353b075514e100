#!/usr/bin/env bash
# Everything that is checked without running the code, and the size of the workshop. All
# checks run. The script fails if one of them does.
#
#   lint.sh         checks
#   lint.sh tidy    formats every Go file, and tidies go.mod and go.sum of every module
# shellcheck disable=SC2317 # functions are called through check
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/lib.sh
source scripts/lib.sh

failed=0

# check NAME COMMAND...: fails if the command does.
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

# silent COMMAND...: fails if the command does, or if it prints.
silent() {
  local output
  output=$("$@") || return 1
  [ -z "$output" ] || {
    printf '%s\n' "$output" >&2
    return 1
  }
}

# on_go_files COMMAND...: runs the command on every Go file.
on_go_files() { our_files '*.go' | xargs "$@"; }

tidy() {
  local dir
  for dir in ./tools $(modules); do
    echo "go mod tidy in $dir"
    if [ "$dir" != . ] && grep -qxF "	$dir" go.work; then
      # go mod tidy ignores go.work, and does not find the root module. -e lets it go on.
      echo "(it does not find the packages of the root module, which is no error)"
      in_module "$dir" go mod tidy -e
    else
      in_module "$dir" go mod tidy
    fi
  done
  build_tools
  on_go_files build/bin/gofumpt -w
}

# The layers, as paths below the module's. Imports go to a lower number, or stay in the
# same package tree, so no room of the core imports another one, and nothing of the library
# what measures or proves it. Packages that are not listed are above all others.
layer() {
  case $1/ in
    internal/libzmq/*) echo 1 ;;
    internal/fault/*) echo 2 ;;
    internal/rules/*) echo 3 ;;
    internal/guard/* | internal/inbox/* | internal/park/* | internal/peertable/* | internal/readiness/* | internal/watch/*) echo 4 ;;
    internal/core/*) echo 5 ;;
    internal/lending/*) echo 6 ;;
    zmq/*) echo 7 ;;
    poller/* | pool/*) echo 8 ;;
    bench/* | test/*) echo 9 ;;
    *) echo 10 ;;
  esac
}

# tree PATH: the package tree of a path. zmq and zmq/zap are one.
tree() {
  case $1 in
    internal/*) echo "$1" | cut -d / -f 1,2 ;;
    *) echo "${1%%/*}" ;;
  esac
}

upward_imports() {
  local from to module imports
  module=$(GOWORK=off go list -m)
  # $p is a variable of the template.
  # shellcheck disable=SC2016
  imports=$(go list -f '{{$p := .ImportPath}}{{range .Imports}}{{$p}} {{.}}{{"\n"}}{{end}}' ./...) || return 1
  grep " $module/" <<<"$imports" | while read -r from to; do
    from=${from#"$module"}
    from=${from#/}
    to=${to#"$module"/}
    if [ "$(tree "$from")" != "$(tree "$to")" ] && [ "$(layer "$from")" != 10 ] && [ "$(layer "$to")" -ge "$(layer "$from")" ]; then
      echo "$from imports $to"
    fi
  done
}

dependencies() {
  local module depended
  module=$(GOWORK=off go list -m)
  depended=$(go list -deps -f '{{if not .Standard}}{{with .Module}}{{.Path}}{{end}}{{end}}' ./zmq/... ./poller/... ./pool/...) || return 1
  sort -u <<<"$depended" | grep -vx -e "$module" -e '' || true
}

# other_doors: uses of libzmq's function table outside internal/libzmq. The C baseline calls
# through it, and the tests' interceptors replace its entries.
other_doors() {
  our_files '*.go' | grep -vE '^(internal/libzmq|bench/cfloor|test/testutil/intercept)/' | xargs grep -n 'libzmq\.API()' || true
}

foreign_c() { our_files '*.go' | grep -vE '^(internal/libzmq|bench/cfloor|test/testutil)/' | xargs grep -lE '^(import )?[[:space:]]*"C"$' || true; }
machine_paths() { our_files . | xargs grep -nIE '(^|[^[:alnum:]_.$)}-])/(home|root|work|Users)/' || true; }
code() { our_files '*.go' '*.c' '*.h' '*.sh'; }

# longer_than LINES: the files of code that have more lines.
longer_than() { code | xargs wc -l | awk -v most="$1" '$2 != "total" && $1 > most {print $2 " has " $1}'; }

# long_functions: the functions of more than 60 lines, in Go and C.
long_functions() {
  # $0 is a variable of awk.
  # shellcheck disable=SC2016
  our_files '*.go' '*.c' | xargs awk '
    /^func |^[a-z].*\) \{$/ { name = $0; begin = FNR }
    /^}/ && begin { if (FNR - begin + 1 > 60) print FILENAME ":" begin ": " FNR - begin + 1; begin = 0 }'
}

# complex_functions: the Go functions with more than 15 branches.
complex_functions() { on_go_files build/bin/gocyclo -over 15 || true; }

# bad_subjects: the subjects that the hook rejects, of the commits since it was added.
bad_subjects() {
  local base subject
  base=$(git log --diff-filter=A --format=%H -- scripts/commit-msg | tail -n 1)
  if [ -z "$base" ]; then return 0; fi
  git log --no-merges --format=%s "$base..HEAD" | while read -r subject; do
    scripts/commit-msg <(echo "$subject") 2>&1 || true
  done
}

# lines COMMAND...: the number of lines that the command prints.
lines() { "$@" | wc -l; }

if [ "${1:-}" = tidy ]; then
  tidy
  exit
fi
build_tools
check gofmt silent on_go_files gofmt -l
check gofumpt silent on_go_files build/bin/gofumpt -l
for dir in $(modules); do
  check "go vet $dir" in_module "$dir" go vet ./...
  check "staticcheck $dir" in_module "$dir" "$PWD/build/bin/staticcheck" ./...
done
check actionlint build/bin/actionlint
check 'import "C" only in internal/libzmq, bench/cfloor and test/testutil' silent foreign_c
check "libzmq's function table" silent other_doors
check 'imports point down' silent upward_imports
check 'no dependency of a public package' silent dependencies
check 'no path of a machine' silent machine_paths
check 'no file over 500 lines' silent longer_than 500
check 'commit subjects' silent bad_subjects
check installers scripts/install_test.sh
if command -v shellcheck >/dev/null 2>&1; then
  check shellcheck shellcheck -x scripts/*.sh scripts/commit-msg .ci/run
else
  echo "lint: shellcheck: not installed, so the scripts were not checked"
fi
# scripts/tested.sh copies this line, the last one that begins with "lint: ".
echo "lint: $(grep -c '^## ' Makefile) targets, $(lines find scripts -maxdepth 1 -type f) scripts," \
  "$(lines longer_than 400) files over 400 lines, $(lines long_functions) functions over 60 lines," \
  "$(lines complex_functions) functions over 15 branches, $(lines bad_subjects) bad commit subjects"
exit $failed
