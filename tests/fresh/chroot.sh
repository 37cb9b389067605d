# SPDX-License-Identifier: Apache-2.0
# To be sourced: a new Debian chroot, for tests that need a machine with nothing of ours on it.
#
#   chroot_open SUITE   makes one; sets root (its directory) and mirror. Needs root.
#   chroot_run COMMAND  runs in it, from the clone's directory if there is one.
#   chroot_close        unmounts and removes it; put it into a trap before chroot_open.

root= mirror=

# The archive that this machine's apt installs Debian itself from.
apt_mirror() {
  apt-get indextargets --format '$(REPO_URI) $(ORIGIN) $(LABEL)' 'Created-By: Packages' |
    awk '$2 == "Debian" && $3 == "Debian" { print $1; exit }'
}

chroot_open() {
  local suite=$1 node
  mirror=${PGCHECKPOINT_MIRROR:-$(apt_mirror)}
  [[ -n $mirror ]] || {
    echo "no Debian archive in apt's lists: run apt-get update, or set PGCHECKPOINT_MIRROR" >&2
    return 1
  }
  command -v debootstrap >/dev/null || apt-get install -y -qq debootstrap >/dev/null
  root=$(mktemp -d "${TMPDIR:-/var/tmp}/pgcheckpoint-$suite.XXXXXX")
  # The servers run as the user postgres, who has to get in.
  chmod 755 "$root"
  echo "debootstrap $suite from $mirror into $root"
  debootstrap --variant=minbase --include=ca-certificates,git "$suite" "$root" "$mirror" \
    >"$root.log" 2>&1 || {
    tail -n 20 "$root.log" >&2
    return 1
  }
  # How apt reaches the mirror here; and a mirror that stands still has lists of the past.
  {
    apt-config dump | grep -E '^Acquire::(https?|Retries)\b' || true
    echo 'Acquire::Check-Valid-Until "false";'
    echo 'Acquire::Check-Date "false";'
    echo 'Acquire::Languages "none";'
  } >"$root/etc/apt/apt.conf.d/99mirror"
  cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
  mkdir -p "$root/src"
  mount -t proc proc "$root/proc"
  # Only the harmless devices, so that nothing in there can reach this machine's.
  for node in null zero full random urandom; do
    [[ -e $root/dev/$node ]] || : >"$root/dev/$node"
    mount --bind "/dev/$node" "$root/dev/$node"
  done
  mkdir -p "$root/dev/shm"
  mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
  # apt writes its log through a pseudo-terminal.
  mkdir -p "$root/dev/pts"
  mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
  ln -sfn pts/ptmx "$root/dev/ptmx"
}

chroot_run() {
  local directory=/src/pgcheckpoint_exporter
  [[ -d $root$directory ]] || directory=/
  chroot "$root" /usr/bin/env -i HOME=/root TERM=dumb LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    /bin/sh -c 'cd "$0" && exec "$@"' "$directory" "$@"
}

chroot_close() {
  [[ -n $root ]] || return 0
  # Deepest first; what mounts below it is asked of the kernel, so that nothing is forgotten.
  awk -v root="$root/" 'index($5, root) == 1 { print $5 }' /proc/self/mountinfo | sort -r |
    while read -r mounted; do umount "$mounted" || umount --lazy "$mounted"; done
  if awk -v root="$root/" 'index($5, root) == 1 { found = 1 } END { exit !found }' \
    /proc/self/mountinfo; then
    echo "still mounted below $root: not removed" >&2
    return 1
  fi
  if [[ ${PGCHECKPOINT_FRESH_KEEP:-} == 1 ]]; then
    echo "kept: $root" >&2
  else
    rm -rf --one-file-system "$root" "$root.log"
  fi
}
