# SPDX-License-Identifier: Apache-2.0
"""Every number that is exported is the number that psql shows, on every version and for every role.

Rows of the tables below name a view's column and the metric that must have its value; they are
written from PostgreSQL's documentation and independent of the exporter's own table. A value is
taken between two looks with psql: it must lie between them, and where they agree it must be that.
"""

import re
import subprocess

import pytest
from exporter import PREFIX, Exporter, Target
from postgres_server import wait_until

MS = 1000.0

# column: (metric, labels, divisor)
BGWRITER = {
    "buffers_clean": ("buffers_written_total", {"writer": "bgwriter"}, 1),
    "maxwritten_clean": ("bgwriter_maxwritten_clean_total", {}, 1),
    "buffers_alloc": ("buffers_allocated_total", {}, 1),
    "extract(epoch from stats_reset)": ("stats_reset_timestamp_seconds", {"view": "bgwriter"}, 1),
}
BGWRITER_TO_16 = {
    "checkpoints_timed": ("checkpoints_total", {"trigger": "timed"}, 1),
    "checkpoints_req": ("checkpoints_total", {"trigger": "requested"}, 1),
    "checkpoint_write_time": ("write_seconds_total", {}, MS),
    "checkpoint_sync_time": ("sync_seconds_total", {}, MS),
    "buffers_checkpoint": ("buffers_written_total", {"writer": "checkpointer"}, 1),
    "buffers_backend_fsync": ("backend_fsyncs_total", {}, 1),
    "extract(epoch from stats_reset)": (
        "stats_reset_timestamp_seconds",
        {"view": "checkpointer"},
        1,
    ),
}
CHECKPOINTER_17 = {
    "num_timed": ("checkpoints_total", {"trigger": "timed"}, 1),
    "num_requested": ("checkpoints_total", {"trigger": "requested"}, 1),
    "restartpoints_timed": ("restartpoints_total", {"trigger": "timed"}, 1),
    "restartpoints_req": ("restartpoints_total", {"trigger": "requested"}, 1),
    "restartpoints_done": ("restartpoints_done_total", {}, 1),
    "write_time": ("write_seconds_total", {}, MS),
    "sync_time": ("sync_seconds_total", {}, MS),
    "buffers_written": ("buffers_written_total", {"writer": "checkpointer"}, 1),
    "extract(epoch from stats_reset)": (
        "stats_reset_timestamp_seconds",
        {"view": "checkpointer"},
        1,
    ),
}
CHECKPOINTER_18 = {
    "num_done": ("checkpoints_done_total", {}, 1),
    "slru_written": ("slru_written_total", {}, 1),
}
WAL_14 = {
    "wal_records": ("wal_records_total", {}, 1),
    "wal_fpi": ("wal_fpi_total", {}, 1),
    "wal_bytes": ("wal_bytes_total", {}, 1),
    "wal_buffers_full": ("wal_buffers_full_total", {}, 1),
    "extract(epoch from stats_reset)": ("stats_reset_timestamp_seconds", {"view": "wal"}, 1),
}
WAL_14_TO_17 = {
    "wal_write": ("wal_writes_total", {}, 1),
    "wal_sync": ("wal_syncs_total", {}, 1),
    "wal_write_time": ("wal_write_seconds_total", {}, MS),
    "wal_sync_time": ("wal_sync_seconds_total", {}, MS),
}
ARCHIVER = {
    "archived_count": ("archiver_archived_total", {}, 1),
    "failed_count": ("archiver_failed_total", {}, 1),
    "extract(epoch from stats_reset)": ("stats_reset_timestamp_seconds", {"view": "archiver"}, 1),
}
DATABASE = {
    "sum(xact_commit)": ("transactions_total", {"outcome": "commit"}, 1),
    "sum(xact_rollback)": ("transactions_total", {"outcome": "rollback"}, 1),
    "sum(blk_write_time)": ("block_write_seconds_total", {}, MS),
}
CONTROL = {
    "checkpoint_lsn - '0/0'": ("control_position_bytes", {"position": "checkpoint"}, 1),
    "redo_lsn - '0/0'": ("control_position_bytes", {"position": "redo"}, 1),
    "extract(epoch from checkpoint_time)": ("checkpoint_timestamp_seconds", {}, 1),
    "timeline_id": ("timeline_id", {}, 1),
    "full_page_writes::int": ("control_full_page_writes", {}, 1),
    "next_oid": ("control_file_id", {"field": "next_oid"}, 1),
    "next_multixact_id": ("control_file_id", {"field": "next_multixact_id"}, 1),
    "oldest_xid": ("control_file_id", {"field": "oldest_xid"}, 1),
    "oldest_active_xid": ("control_file_id", {"field": "oldest_active_xid"}, 1),
}
SYSTEM = {
    "pg_control_version": ("control_file_version", {"of": "control"}, 1),
    "catalog_version_no": ("control_file_version", {"of": "catalog"}, 1),
}
PRIMARY = {
    "pg_current_wal_insert_lsn() - '0/0'": ("wal_position_bytes", {"position": "insert"}, 1),
    "pg_current_wal_lsn() - '0/0'": ("wal_position_bytes", {"position": "write"}, 1),
    "pg_current_wal_flush_lsn() - '0/0'": ("wal_position_bytes", {"position": "flush"}, 1),
    "extract(epoch from pg_postmaster_start_time())": ("postmaster_start_timestamp_seconds", {}, 1),
}
STANDBY = {
    "pg_last_wal_receive_lsn() - '0/0'": ("wal_position_bytes", {"position": "receive"}, 1),
    "pg_last_wal_replay_lsn() - '0/0'": ("wal_position_bytes", {"position": "replay"}, 1),
}
WAL_DIRECTORY = {
    "sum(size)": ("wal_directory_bytes", {}, 1),
    "count(*)": ("wal_directory_files", {}, 1),
}
OTHERS = "backend_type NOT IN ('checkpointer', 'background writer')"
IO_COUNTS = "reads writes writebacks extends hits evictions reuses fsyncs".split()
IO_TIMES = "read write writeback extend fsync".split()
SLRU_COLUMNS = {
    "blks_zeroed": "slru_blocks_zeroed_total",
    "blks_hit": "slru_blocks_hit_total",
    "blks_read": "slru_blocks_read_total",
    "blks_written": "slru_blocks_written_total",
    "blks_exists": "slru_blocks_exists_total",
    "flushes": "slru_flushes_total",
    "truncates": "slru_truncates_total",
}
SLRU_NAMES = {
    "CommitTs": "commit_timestamp",
    "MultiXactMember": "multixact_member",
    "MultiXactOffset": "multixact_offset",
    "Notify": "notify",
    "Serial": "serializable",
    "Subtrans": "subtransaction",
    "Xact": "transaction",
}


def scalar_sources(major, standby):
    """(FROM clause, columns) of everything that is one row."""
    sources = [
        ("FROM pg_stat_bgwriter", BGWRITER),
        ("FROM pg_stat_archiver", ARCHIVER),
        ("FROM pg_stat_database", DATABASE),
        ("FROM pg_control_checkpoint()", CONTROL),
        ("FROM pg_control_system()", SYSTEM),
        ("", STANDBY if standby else PRIMARY),
    ]
    if major <= 16:
        sources.append(("FROM pg_stat_bgwriter", BGWRITER_TO_16))
    if major <= 15:
        backend = {"buffers_backend": ("buffers_written_total", {"writer": "backend"}, 1)}
        sources.append(("FROM pg_stat_bgwriter", backend))
    if major >= 17:
        sources.append(("FROM pg_stat_checkpointer", CHECKPOINTER_17))
    if major >= 18:
        sources.append(("FROM pg_stat_checkpointer", CHECKPOINTER_18))
    if major >= 14:
        sources.append(("FROM pg_stat_wal", WAL_14))
    if 14 <= major <= 17:
        sources.append(("FROM pg_stat_wal", WAL_14_TO_17))
    if major >= 16:
        unit = "write_bytes) / 8192" if major >= 18 else "writes)"
        extend = "extend_bytes) / 8192" if major >= 18 else "extends)"
        columns = {
            f"sum({unit}": ("buffers_written_total", {"writer": "backend"}, 1),
            f"sum({extend}": ("backend_extends_total", {}, 1),
        }
        if major >= 17:
            columns["sum(fsyncs)"] = ("backend_fsyncs_total", {}, 1)
        sources.append((f"FROM pg_stat_io WHERE object = 'relation' AND {OTHERS}", columns))
    if major >= 18:
        columns = {
            "sum(writes)": ("wal_writes_total", {}, 1),
            "sum(fsyncs)": ("wal_syncs_total", {}, 1),
            "sum(write_time)": ("wal_write_seconds_total", {}, MS),
            "sum(fsync_time)": ("wal_sync_seconds_total", {}, MS),
        }
        sources.append(("FROM pg_stat_io WHERE object = 'wal' AND context = 'normal'", columns))
    return sources


def key(metric, labels):
    return (metric, tuple(sorted(labels.items())))


def look(server, role_sees_directory):
    """What psql shows now: {(metric, labels): value}; None for NULL."""
    seen = {}

    def add(clause, columns):
        names = list(columns)
        [row] = server.psql(f"SELECT {', '.join(names)} {clause}")
        for name, text in zip(names, row):
            metric, labels, divisor = columns[name]
            seen[key(metric, labels)] = None if text is None else float(text) / divisor

    for clause, columns in scalar_sources(server.major, server.is_standby):
        add(clause, columns)
    if role_sees_directory:
        add("FROM pg_ls_waldir()", WAL_DIRECTORY)
    if server.major >= 16:
        look_at_io(server, seen)
    if server.major >= 13:
        for row in server.psql(f"SELECT name, {', '.join(SLRU_COLUMNS)} FROM pg_stat_slru"):
            labels = {"slru": SLRU_NAMES.get(row[0], row[0])}
            for metric, text in zip(SLRU_COLUMNS.values(), row[1:]):
                seen[key(metric, labels)] = float(text)
    return seen


def look_at_io(server, seen):
    columns = [*IO_COUNTS, *(f"{name}_time" for name in IO_TIMES)]
    metrics = [f"io_{name}_total" for name in IO_COUNTS]
    metrics += [f"io_{name}_seconds_total" for name in IO_TIMES]
    for verb in ("read", "write", "extend"):
        columns.append(f"{verb}_bytes" if server.major >= 18 else f"{verb}s * op_bytes")
        metrics.append(f"io_{verb}_bytes_total")
    rows = server.psql(f"SELECT backend_type, object, context, {', '.join(columns)} FROM pg_stat_io")
    for row in rows:
        labels = dict(zip(("backend_type", "object", "context"), row))
        for metric, text in zip(metrics, row[3:]):
            divisor = MS if metric.endswith("_seconds_total") else 1
            seen[key(metric, labels)] = None if text is None else float(text) / divisor


def assert_between(before, page, after, target):
    checked = 0
    for (metric, labels), low in before.items():
        high = after[(metric, labels)]
        value = page.value(metric, target=target, **dict(labels))
        where = f"{metric}{dict(labels)}: {low} <= {value} <= {high}"
        if low is None or high is None:
            assert value is None or low is not high, where
            continue
        assert value is not None, where
        # A time that went through text and a division may differ in its last digits.
        slack = 1e-9 * max(1.0, abs(high))
        assert low - slack <= value <= high + slack, where
        checked += 1
    return checked


FACTOR = {"": 1, "B": 1, "kB": 1024, "MB": 1024**2, "8kB": 8192, "ms": 0.001, "s": 1, "min": 60}


def assert_settings(server, page, target):
    """Every numeric and boolean setting that is exported, in base units, by the server's own words."""
    names = {name.removeprefix(PREFIX) for name in page.samples}
    rows = server.psql("SELECT name, setting, coalesce(unit, ''), vartype FROM pg_settings")
    checked = 0
    for name, setting, unit, vartype in rows:
        for suffix in ("", "_bytes", "_seconds", "_ratio"):
            if name + suffix not in names or page.value(name + suffix, target=target) is None:
                continue
            value = page.value(name + suffix, target=target)
            if vartype == "bool":
                assert value == (setting == "on"), name
            else:
                factor = 1 if setting == "-1" else FACTOR[unit]
                assert value == pytest.approx(float(setting) * factor), name
            checked += 1
        info = page.values(name + "_info", target=target)
        if info:
            assert [labels["value"] for labels, _ in info] == [setting], name
            checked += 1
    return checked


def exercise(server):
    """A little of everything that moves the counters."""
    server.pgbench("-i", "-q", "-s", 1)
    server.pgbench("-c", 2, "-t", 200)
    server.psql("SELECT pg_switch_wal()")
    server.psql("CHECKPOINT")
    server.psql("VACUUM pgbench_accounts")
    server.psql("CHECKPOINT")


QUIET = {"autovacuum": "off", "track_io_timing": "on", "checkpoint_timeout": "1h"}


def conf_of(major):
    return {**QUIET, "track_wal_io_timing": "on"} if major >= 14 else QUIET


def check_numbers(server, exporter, target, sees_directory):
    before = look(server, sees_directory)
    page = exporter.wait_polls(target, 2)
    # To 14 statistics reach readers through a file that is up to half a second old.
    exporter.wait_polls(target, 2)
    after_page = exporter.metrics()
    after = look(server, sees_directory)
    assert assert_between(before, page, after, target) > 30
    assert assert_settings(server, after_page, target) > 30
    lint = subprocess.run(
        ["promtool", "check", "metrics"], input=page.text, capture_output=True, text=True
    )
    assert (lint.returncode, lint.stdout + lint.stderr) == (0, "")


# The harness asks a starting server whether it is ready; a promoted one stops its WAL receiver.
NOT_OURS = r"the database system is starting up|walreceiver"


def our_errors(server):
    """Lines of the server log about something that failed."""
    lines = server.log_lines(r"\b(ERROR|FATAL|PANIC|WARNING):")
    return [line for line in lines if not re.search(NOT_OURS, line)]


@pytest.mark.parametrize("role", ["postgres", "monitor", "plain"])
def test_numbers_are_those_of_psql(major, role):
    from postgres_server import PostgresServer

    with PostgresServer(major, conf=conf_of(major)) as server:
        exercise(server)
        with Exporter([Target("main", server.dsn(role))]) as exporter:
            exporter.wait_up("main")
            check_numbers(server, exporter, "main", role != "plain")
            page = exporter.metrics()
            capable = role != "plain"
            assert page.value("capability", name="wal_directory") == capable
            assert page.value("capability", name="checkpointer_activity") == capable
            assert (page.value("in_progress") is not None) == capable
            assert (page.value("wal_directory_bytes") is not None) == capable
            assert page.value("connects_total") == 1
            assert sum(value for _, value in page.values("poll_errors_total")) == 0
            if not capable:
                assert any("GRANT pg_monitor TO plain;" in line for line in exporter.log)
        assert our_errors(server) == []


@pytest.mark.parametrize("with_standby", [15, 18])
def test_standby_and_promotion(with_standby):
    from postgres_server import PostgresServer

    major = with_standby
    with PostgresServer(major, conf=conf_of(major)) as primary:
        exercise(primary)
        with primary.make_standby() as standby:
            targets = [Target("p", primary.dsn()), Target("s", standby.dsn())]
            with Exporter(targets) as exporter:
                exporter.wait_up("s")
                primary.pgbench("-c", 1, "-t", 50)
                standby.wait_caught_up(primary)
                check_numbers(standby, exporter, "s", True)
                page = exporter.metrics()
                assert page.value("in_recovery", target="s") == 1
                assert page.values("server_info", target="s", role="standby")
                assert page.value("wal_position_bytes", target="s", position="insert") is None

                standby.promote()
                page = exporter.wait(
                    lambda p: p.value("in_recovery", target="s") == 0, what="the promotion"
                )
                assert page.value("wal_position_bytes", target="s", position="replay") is None
                assert page.value("wal_position_bytes", target="s", position="insert") > 0
                exporter.wait_polls("s", 2)
                # The same connection all the time: a promotion is no reconnect.
                assert exporter.metrics().value("connects_total", target="s") == 1
            assert our_errors(standby) == []
            assert our_errors(primary) == []


def test_one_statement_a_pulse_over_one_connection(major):
    from postgres_server import PostgresServer

    conf = {**conf_of(major), "log_statement": "all", "log_connections": "on"}
    conf["log_line_prefix"] = "%m [%p] %a "
    with PostgresServer(major, conf=conf) as server:
        settings = ("pulse_interval: 500ms", "survey_interval: 2s")
        with Exporter([Target("main", server.dsn(), settings)]) as exporter:
            exporter.wait_polls("main", 2)
            # Stands still between two looks of ours that see the same page.
            statements = lambda: len(  # noqa: E731
                server.log_lines(r" pgcheckpoint_exporter LOG:  (statement|execute)")
            )

            def counted():
                while True:
                    first = exporter.metrics()
                    lines = statements()
                    if exporter.metrics().value("pulses_total") == first.value("pulses_total"):
                        return first.value("pulses_total"), first.value("surveys_total"), lines

            pulses, surveys, lines = counted()
            wait_until(
                lambda: exporter.metrics().value("surveys_total") >= surveys + 5, 60, "5 surveys"
            )
            more_pulses, more_surveys, more_lines = counted()
            done = (more_pulses - pulses) + 2 * (more_surveys - surveys)
            # One more may be under way at either look; one survey in twenty has a third.
            assert done - 2 <= more_lines - lines <= done + 3
            assert exporter.metrics().value("connects_total") == 1
        connections = server.log_lines(r"connection authorized: user=monitor")
        assert len(connections) == 1
