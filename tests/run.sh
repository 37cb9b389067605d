#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is needed, builds, and runs all tests. On Debian, as root or with sudo.
#
#   tests/run.sh                 unit, golden, live (pg) and end-to-end tests
#   tests/run.sh --unit          only those without servers
#   tests/run.sh --long          also the live tests that take minutes each
#   tests/run.sh --format        also clang-format
#   tests/run.sh --lint          also clang-format and clang-tidy (a quarter of an hour)
#   tests/run.sh --sanitize      also the unit tests under ASan+UBSan and TSan
#   tests/run.sh --fresh NAME    in a new chroot instead: bookworm or trixie (all tests of --unit),
#                                or pg19 (the live matrix against PostgreSQL 19)
set -euo pipefail
cd "$(dirname "$0")/.."

long=0 format=0 lint=0 sanitize=0 live=1 fresh=
while (($#)); do
  case $1 in
    --long) long=1 ;;
    --format) format=1 ;;
    --lint) lint=1 ;;
    --sanitize) sanitize=1 ;;
    --unit) live=0 ;;
    --fresh) fresh=${2:?--fresh needs bookworm, trixie or pg19}; shift ;;
    *) sed -n '3,14s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
  esac
  shift
done
[[ -n $fresh ]] && exec tests/fresh/run.sh "$fresh"

step() { printf '\n== %s (%d s)\n' "$*" "$SECONDS"; }

step "packages"
deploy/install_packages.sh build unit
((live)) && deploy/install_packages.sh live browser
((format)) && deploy/install_packages.sh format
((lint)) && deploy/install_packages.sh format lint
jobs=$(nproc)

step "build"
cmake --preset dev >/dev/null
cmake --build --preset dev -j "$jobs"

if ((format)); then
  step "format"
  tests/lint.sh --format
fi
if ((lint)); then
  step "lint"
  tests/lint.sh
fi

step "unit and golden tests"
ctest --test-dir build/dev --output-on-failure -j "$jobs" -L 'unit|golden'

if ((sanitize)); then
  for preset in asan tsan; do
    step "unit tests under $preset"
    cmake --preset "$preset" >/dev/null
    cmake --build --preset "$preset" -j "$jobs"
    # ThreadSanitizer needs the address space that randomisation may take.
    setarch -R ctest --test-dir "build/$preset" --output-on-failure -j "$jobs" -L unit
  done
fi

if ((live)); then
  step "servers"
  tests/pg/fetch_postgres.sh
  step "live and end-to-end tests"
  # These run against real servers and the clock: on a machine that is short of time one may need
  # a second try, which CTest then tells.
  without=(-LE long)
  ((long)) && without=()
  ctest --test-dir build/dev --output-on-failure -L 'pg|e2e' "${without[@]}" --repeat until-pass:2
fi
step "all passed"
