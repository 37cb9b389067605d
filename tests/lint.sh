#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# clang-format, and unless --format is given clang-tidy too, over all our sources.
set -euo pipefail
cd "$(dirname "$0")/.."
git ls-files '*.h' '*.cc' | xargs clang-format --dry-run -Werror
[[ ${1:-} == --format ]] && exit
cmake --preset tidy >/dev/null
git ls-files 'src/*.cc' 'tests/unit/*.cc' |
  xargs -P "$(nproc)" -n 4 clang-tidy -p build/tidy --quiet 2> >(grep -v 'warnings generated' >&2)
