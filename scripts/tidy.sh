#!/usr/bin/env bash
# Runs clang-tidy (Debian 12's version 14) over the project's sources, or over those whose path
# matches one of the given regular expressions: scripts/tidy.sh [PATTERN...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cmake --preset tidy >/dev/null
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# Every file's own headers are checked with it; the tally of suppressed warnings is of no interest.
run-clang-tidy -quiet -p build-tidy -j "$(nproc)" "$@" >"$log" 2>/dev/null || {
  grep -v '^clang-tidy' "$log" | sort -u >&2
  exit 1
}
echo "clang-tidy: $(grep -c '^clang-tidy' "$log") files, nothing to say"
