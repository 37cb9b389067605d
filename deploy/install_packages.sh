#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages that a purpose needs; what is there already is left alone.
# Usage: deploy/install_packages.sh build|demo|unit|live|format|lint...   (root, or sudo)
set -euo pipefail

declare -A packages=(
  [build]="cmake ninja-build g++ pkg-config git ca-certificates libpqxx-dev prometheus-cpp-dev
           libspdlog-dev libyaml-cpp-dev libcli11-dev nlohmann-json3-dev libboost-dev libssl-dev
           zlib1g-dev libcrypt-dev"
  [demo]="curl postgresql prometheus procps"
  [unit]="libgtest-dev libgmock-dev prometheus python3 python3-pytest python3-yaml
          python3-prometheus-client locales openssl util-linux"
  [live]="curl postgresql prometheus-alertmanager npm procps iproute2"
  [browser]="chromium npm fonts-dejavu-core"
  [format]="clang-format"
  [lint]="clang clang-tidy"
)

wanted=()
for purpose in "$@"; do
  [[ -v packages[$purpose] ]] || {
    echo "install_packages.sh: '$purpose' is none of: ${!packages[*]}" >&2
    exit 2
  }
  for package in ${packages[$purpose]}; do wanted+=("$package"); done
done

missing=()
for package in "${wanted[@]}"; do
  # A program that came from elsewhere (a newer Node.js, say) is as good as the package.
  [[ $package == npm ]] && command -v npm >/dev/null && continue
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
((${#missing[@]})) || exit 0
echo "installing: ${missing[*]}"

run=()
if ((EUID != 0)); then
  command -v sudo >/dev/null || {
    echo "install_packages.sh: needs root or sudo to install: ${missing[*]}" >&2
    exit 1
  }
  run=(sudo)
fi
# Debian's packages start their services when installed; ours are private ones, started by hand.
policy=/usr/sbin/policy-rc.d
if [[ ! -e $policy ]]; then
  printf '#!/bin/sh\nexit 101\n' | "${run[@]}" tee "$policy" >/dev/null
  "${run[@]}" chmod +x "$policy"
  trap '"${run[@]}" rm -f "$policy"' EXIT
fi
install() {
  "${run[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}
# A new machine has no package lists, an old one may have lists that no longer hold.
install 2>/dev/null || { "${run[@]}" apt-get update -qq && install; }
