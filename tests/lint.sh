#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# clang-format and clang-tidy over our sources; the latter only over what changed since the last
# clean run, as it takes minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
git ls-files '*.h' '*.cc' | xargs clang-format --dry-run -Werror
cmake --preset tidy >/dev/null
git ls-files 'src/*.cc' 'tests/unit/*.cc' |
  xargs -P "$(nproc)" -n 4 clang-tidy -p build/tidy --quiet 2> >(grep -v 'warnings generated' >&2)
