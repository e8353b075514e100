#!/usr/bin/env bash
# Checks what the compiler does not: which package may use C, that imports point
# down only, that users get no dependency, that files stay readable, and that no
# path of somebody's machine is in them. Prints each offence.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/modules.sh
source scripts/modules.sh

offences=0

# offend RULE: prints the lines on standard input, if any, as offences.
offend() {
  local line
  while read -r line; do
    echo "$1: $line" >&2
    offences=$((offences + 1))
  done
}

# The floors of the house, as paths below the module's: imports go to a lower
# number, or stay in the same package tree. What is not listed is above all.
floor() {
  case $1/ in
    internal/libzmq/*) echo 1 ;;
    internal/core/* | internal/readiness/*) echo 2 ;;
    zmq/*) echo 3 ;;
    poller/* | pool/*) echo 4 ;;
    *) echo 9 ;;
  esac
}

# The package tree that a path belongs to: zmq and zmq/zap are one.
tree() {
  case $1 in
    internal/*/*) dirname "$1" ;;
    internal/*) echo "$1" ;;
    *) echo "${1%%/*}" ;;
  esac
}

# Lists are made before they are looked at: one that cannot be made ends the script, where
# it would be one without offences.
files=$(our_files .)
go_files=$(our_files '*.go')
code=$(our_files '*.go' '*.c' '*.h' '*.sh')
module=$(GOWORK=off go list -m)
# $p is the template's, not the shell's.
# shellcheck disable=SC2016
imports=$(go list -f '{{$p := .ImportPath}}{{range .Imports}}{{$p}} {{.}}{{"\n"}}{{end}}' ./...)
# The packages that users import. Tests and what helps them may depend on more.
depended=$(go list -deps -f '{{if not .Standard}}{{with .Module}}{{.Path}}{{end}}{{end}}' ./zmq/... ./poller/... ./pool/...)

upward_imports() {
  local from to
  grep " $module/" <<<"$imports" | while read -r from to; do
    from=${from#"$module"}
    from=${from#/}
    to=${to#"$module"/}
    if [ "$(tree "$from")" = "$(tree "$to")" ]; then continue; fi
    if [ "$(floor "$to")" -lt "$(floor "$from")" ]; then continue; fi
    # Above all floors there is no order but the compiler's.
    if [ "$(floor "$from")" = 9 ]; then continue; fi
    echo "$from imports $to"
  done
}

offend 'import "C" outside internal/libzmq and internal/testutil' < <(
  grep -vE '^internal/(libzmq|testutil)/' <<<"$go_files" | xargs grep -lE '^(import )?[[:space:]]*"C"$' || true
)

offend 'import that does not point down (see floor in scripts/check-layout.sh)' < <(upward_imports || true)

offend 'dependency of a public package outside the standard library' < <(
  sort -u <<<"$depended" | grep -vx -e "$module" -e '' || true
)

offend 'path of a machine' < <(
  xargs grep -nIE '(^|[^[:alnum:]_.$)}-])/(home|root|work|Users)/' <<<"$files" || true
)

offend 'more than 500 lines: split it by topic' < <(
  xargs wc -l <<<"$code" | awk '$2 != "total" && $1 > 500 {print $2 " has " $1}'
)

[ $offences = 0 ]
