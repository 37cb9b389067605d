#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds and tests a clean clone of HEAD in a new Debian chroot. As root, or with sudo.
#
#   tests/fresh/run.sh bookworm    Debian 12: tests/run.sh --unit
#   tests/fresh/run.sh trixie      Debian 13: the same
#   tests/fresh/run.sh pg19        PostgreSQL 19 of Debian's experimental: the live matrix against it
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

if [[ $name != pg19 ]]; then
  git clone --quiet --no-local "$source_tree" "$root/src/pgcheckpoint_exporter"
  chroot_run tests/run.sh --unit
  echo "fresh $name: passed"
  exit
fi

# PostgreSQL 19 comes from the chroot; the exporter and the tests are this machine's.
echo "deb $mirror experimental main" >"$root/etc/apt/sources.list.d/experimental.list"
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
chmod 755 "$root/usr/sbin/policy-rc.d"
chroot_run apt-get update -qq
chroot_run apt-get install -y -qq --no-install-recommends -t experimental postgresql-19 >/dev/null

# Its programs need the chroot's C library, so a script in each one's place starts it with that.
# PostgreSQL finds its other files from where the script lies.
home=$root/usr/lib/postgresql/19
for program in "$home"/bin/*; do
  [[ $(head -c 4 "$program") == $'\x7fELF' ]] || continue
  mv "$program" "$program.elf"
  cat >"$program" <<WRAPPER
#!/bin/sh
exec '$root/lib64/ld-linux-x86-64.so.2' --argv0 "\$0" \\
  --library-path '$root/usr/lib/x86_64-linux-gnu' '$program.elf' "\$@"
WRAPPER
  chmod 755 "$program"
done
mkdir "$root/srv/postgres"
ln -s "$home" "$root/srv/postgres/19"

cd "$source_tree"
deploy/install_packages.sh build unit live
cmake --preset dev >/dev/null
cmake --build --preset dev --target pgcheckpoint_exporter -j "$(nproc)"
PGCHECKPOINT_POSTGRES_CACHE=$root/srv/postgres \
  /usr/bin/python3 -m pytest -q -p no:cacheprovider tests/pg/test_matrix.py --majors=19 -k pg19
echo "fresh pg19: passed against $("$home/bin/postgres" --version)"
