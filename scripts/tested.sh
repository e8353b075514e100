#!/usr/bin/env bash
# Writes docs/tested.txt from the log of a whole run of .ci/run, and from that the table in
# docs/testing.md: each lane, its form and its result.
#
#   tested.sh build/ci.log
set -euo pipefail
log=$(realpath "${1:?name the log of .ci/run}")
cd "$(dirname "${BASH_SOURCE[0]}")/.."

grep -q '^ci: [0-9]* lanes in ' "$log" || {
  echo "$log is not the log of a whole run of .ci/run without a failure" >&2
  exit 1
}

file=docs/tested.txt
# The result of a lane is the sum of its test counts, or else the last line that begins
# with its name.
awk '
  FNR == NR {
    if (match($0, /^## [a-z-]+: /)) {
      name = substr($0, 4, RLENGTH - 5)
      what[name] = substr($0, RLENGTH + 1)
      sub(/ \(.*/, "", what[name])
      gsub(/\|/, "/", what[name])
    }
    next
  }
  /^==> / {
    command = substr($0, 5)
    lane = command
    sub(/.*scripts\/check.sh /, "", lane)
    sub(/.*make /, "", lane)
    n = tests = skipped = 0
    result = ""
  }
  /^DONE [0-9]+ tests/ { # of gotestsum; the log of a run with a failure was refused above
    n++
    tests += $2
    if ($0 ~ /, [0-9]+ skipped/) skipped += $4
  }
  lane != "" && index($0, lane ": ") == 1 { result = substr($0, length(lane) + 3) }
  /^<== / && lane != "" {
    if (n) result = tests - skipped " passed, 0 failed, " skipped " skipped"
    gsub(/\|/, "/", result)
    gsub(/'"'"'/, "", command)
    if (result != "") print "`" command "` | " what[lane] " | " result
    lane = ""
  }
' <(cat Makefile scripts/check.sh) "$log" >"$file.new"
[ -s "$file.new" ] || {
  rm "$file.new"
  echo "$log has no result of a lane of .ci/run" >&2
  exit 1
}
{
  sed -n '1s/^# /# /p' "$log"
  cat "$file.new"
} >"$file"
rm "$file.new"
go run ./bench/tables -update README.md docs/testing.md
