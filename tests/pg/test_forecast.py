# SPDX-License-Identifier: Apache-2.0
"""Where WAL volume forces the next checkpoint is foretold to the segment, and a reload changes it.

The server's own word is its log: the checkpoint starts while the WAL of one small step is written,
so the position before and after that step hold where it was requested.
"""

import pytest
from exporter import Exporter, Target
from postgres_server import PostgresServer

# (max_wal_size in segments, checkpoint_completion_target), each reached by a reload of the last.
SETTINGS = ((24, 0.5), (40, 0.9), (12, 0.1))
STARTING = "checkpoint starting: (wal|xlog)"
POLLING = ("pulse_interval: 200ms", "survey_interval: 1s")


def predicted_trigger(page):
    """The WAL position at which the exporter expects the next forced checkpoint."""
    position = page.value("wal_position_bytes", position="write")
    return position - page.value("wal_since_redo_bytes") + page.value("forced_trigger_bytes")


def position_of(server):
    return int(server.value("SELECT pg_current_wal_lsn() - '0/0'"))


def idle(page):
    return page.value("in_progress") == 0 and page.value("forced_trigger_bytes") is not None


def write_step(server, segment):
    """A quarter of a segment of WAL that dirties no page."""
    server.psql(
        "SELECT count(pg_logical_emit_message(true, 'test', repeat('x', 32768)))"
        f" FROM generate_series(1, {segment // 4 // 32768})"
    )


def apply_settings(server, exporter, segment, segments, target):
    """By two reloads: a server of version 10 computes its trigger with the completion target of
    before when only that changes, and with the new one when max_wal_size changes after it."""
    server.set(checkpoint_completion_target=target)
    exporter.wait(
        lambda p: p.value("checkpoint_completion_target_ratio") == target, what="the new target"
    )
    server.set(max_wal_size=f"{segments * segment // 1048576}MB")
    exporter.wait(
        lambda p: p.value("max_wal_size_bytes") == segments * segment, what="the new max_wal_size"
    )


# 10 has another rule, and segments of 16 MB only.
@pytest.mark.parametrize("release", (10, 12, 18), ids=lambda m: f"pg{m}")
def test_the_forced_checkpoint_starts_where_it_was_foretold(release):
    segment = (16 if release == 10 else 1) * 1048576
    conf = {"checkpoint_timeout": "1h", "autovacuum": "off", "min_wal_size": "32MB"}
    arguments = [] if release == 10 else ["--wal-segsize=1"]
    with PostgresServer(release, conf, arguments) as server:
        server.psql("CREATE TABLE work AS SELECT n FROM generate_series(1, 2000) n")
        server.psql("CHECKPOINT")
        with Exporter([Target("main", server.dsn(), POLLING)]) as exporter:
            exporter.wait_polls("main", 2)
            for segments, target in SETTINGS:
                # On the way under the old settings, so that the reload falls in the middle of it.
                for _ in range(8):
                    write_step(server, segment)
                apply_settings(server, exporter, segment, segments, target)
                check_one_cycle(server, exporter, segment, segments)


def check_one_cycle(server, exporter, segment, segments):
    exporter.wait_polls("main", 2)
    page = exporter.wait(idle, seconds=60, what="an idle server")
    predicted = predicted_trigger(page)
    redo = page.value("control_position_bytes", position="redo")
    since = page.value("wal_since_redo_bytes")
    assert since == page.value("wal_position_bytes", position="write") - redo
    # Something to write, so that the checkpoint takes a second or two and is seen at work.
    server.psql("UPDATE work SET n = n + 1")
    started = len(server.log_lines(STARTING))
    for _ in range(4 * segments):
        before = position_of(server)
        write_step(server, segment)
        after = position_of(server)
        if len(server.log_lines(STARTING)) > started:
            break
    else:
        raise AssertionError(f"no checkpoint at {after}, foretold at {predicted}")
    # Which position within the step it was, and the log's delay, leave a segment.
    assert before - segment <= predicted <= after + segment, (before, predicted, after)

    # At work the server counts from a redo point that no view shows before the end.
    page = exporter.wait(lambda p: p.value("in_progress") == 1, what="the checkpoint at work")
    observed = predicted_trigger(page)
    page = exporter.wait(
        lambda p: idle(p) and p.value("control_position_bytes", position="redo") > redo,
        seconds=60,
        what="its end",
    )
    assert abs(predicted_trigger(page) - observed) <= 2 * segment, (predicted_trigger(page), observed)
