#!/usr/bin/env bash
# Fails and names the places if a C++ file is not as clang-format (Debian 12's version 14) would
# leave it. 'scripts/check_format.sh --fix' mends them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mode=(--dry-run --Werror)
[[ ${1-} != --fix ]] || mode=(-i)
git ls-files -z -- '*.h' '*.cpp' | xargs -0 clang-format "${mode[@]}"
