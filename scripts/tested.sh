#!/usr/bin/env bash
# Writes docs/tested.txt from the log of a whole run of .ci/run, and from that the tables
# in docs/testing.md and docs/safety.md: each lane, its form and its result.
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
    n = passed = failed = skipped = 0
    result = ""
  }
  /^[a-z]+: [0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$/ { n++; passed += $2; failed += $4; skipped += $6 }
  lane != "" && index($0, lane ": ") == 1 { result = substr($0, length(lane) + 3) }
  /^<== / && lane != "" {
    if (n) result = passed " passed, " failed " failed, " skipped " skipped"
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
go run ./bench/tables -update README.md docs/testing.md docs/safety.md
