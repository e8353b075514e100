#!/usr/bin/env bash
# Makes docs/tested.txt of what a whole run of .ci/run wrote, and of it the tables in the
# README and in docs/safety.md: what was run, in which form, and its result.
#
#   tested.sh build/ci.log
set -euo pipefail
log=$(realpath "${1:?name the log of .ci/run}")
cd "$(dirname "${BASH_SOURCE[0]}")/.."

grep -q '^ci: [0-9]* lanes in ' "$log" || {
  echo "$log is not that of a whole run of .ci/run that failed nowhere" >&2
  exit 1
}

file=docs/tested.txt
# What a lane's test runs counted, together, or else the last line that begins with the
# lane's name.
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
  /^==> make / { lane = $3; command = substr($0, 5); n = 0; passed = failed = skipped = 0; result = "" }
  /^[a-z]+: [0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$/ { n++; passed += $2; failed += $4; skipped += $6 }
  lane != "" && index($0, lane ": ") == 1 { result = substr($0, length(lane) + 3) }
  /^<== make / && lane != "" {
    if (n) result = passed " passed, " failed " failed, " skipped " skipped"
    gsub(/\|/, "/", result)
    gsub(/'"'"'/, "", command)
    if (result != "") print "`" command "` | " what[lane] " | " result
    lane = ""
  }
' Makefile "$log" >"$file.new"
[ -s "$file.new" ] || {
  rm "$file.new"
  echo "$log has no lane of .ci/run that said what it did" >&2
  exit 1
}
{
  sed -n '1s/^# /# /p' "$log"
  cat "$file.new"
} >"$file"
rm "$file.new"
go run ./internal/benchtables -update docs/testing.md docs/safety.md
