#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds and tests a clean clone of HEAD in a new Debian chroot. As root, or with sudo.
#
#   tests/fresh/run.sh bookworm    Debian 12: tests/run.sh --unit
#   tests/fresh/run.sh trixie      Debian 13: the same
#   tests/fresh/run.sh pg19        Debian sid with PostgreSQL 19: the live matrix against it
#
# The mirror and its proxies are those of this machine's apt; PGCHECKPOINT_MIRROR names another.
# The chroot lies under $TMPDIR (else /var/tmp) and goes away at the end; with
# PGCHECKPOINT_FRESH_KEEP=1 it stays, to look into. Mounts always go away.
set -euo pipefail
source_tree=$(cd "$(dirname "$0")/../.." && pwd)

case ${1:-} in
  bookworm | trixie) suite=$1 ;;
  pg19) suite=sid ;;
  *) sed -n '3,11s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
name=$1
((EUID == 0)) || exec sudo --preserve-env=TMPDIR,PGCHECKPOINT_MIRROR,PGCHECKPOINT_FRESH_KEEP "$0" "$@"

# shellcheck source=tests/fresh/chroot.sh
source "$source_tree/tests/fresh/chroot.sh"
trap chroot_close EXIT
chroot_open "$suite"

git clone --quiet --no-local "$source_tree" "$root/src/pgcheckpoint_exporter"
if [[ $name != pg19 ]]; then
  chroot_run tests/run.sh --unit
else
  echo "deb $mirror experimental main" >"$root/etc/apt/sources.list.d/experimental.list"
  chroot_run deploy/install_packages.sh build unit
  chroot_run apt-get update -qq
  chroot_run env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends -t experimental postgresql-19 procps
  chroot_run cmake --preset release
  chroot_run cmake --build --preset release --target pgcheckpoint_exporter -j "$(nproc)"
  # The tests take a server's binaries from a directory by its major version.
  mkdir -p "$root/srv/postgres"
  ln -s /usr/lib/postgresql/19 "$root/srv/postgres/19"
  chroot_run env PGCHECKPOINT_POSTGRES_CACHE=/srv/postgres \
    PGCHECKPOINT_EXPORTER=/src/pgcheckpoint_exporter/build/release/pgcheckpoint_exporter \
    python3 -m pytest -q -p no:cacheprovider tests/pg/test_matrix.py --majors=19
fi
echo "fresh $name: passed"
