# SPDX-License-Identifier: Apache-2.0
"""A checkpoint that fails: each attempt is told by the log, and the one that succeeds is an event."""

import pytest
from checkpoint_steps import CONF, POLLING, dirty
from events import logged_checkpoints
from exporter import Exporter, Target
from postgres_server import PostgresServer


def targets_of(name, server):
    logged = POLLING + (f"log: {{path: '{server.log_path}', read_last: 0}}",)
    return [
        Target(f"{name}-logged", server.dsn(), logged),
        Target(f"{name}-stats", server.dsn(), POLLING),
    ]


@pytest.mark.parametrize("release", (15, 18), ids=lambda m: f"pg{m}")
def test_a_failing_checkpoint(release):
    """A page cannot be written, as its file is a directory; then it can again."""
    with PostgresServer(release, CONF, ["--wal-segsize=1"]) as server:
        server.psql("CREATE TABLE work AS SELECT n FROM generate_series(1, 2000) n")
        server.psql("CHECKPOINT")
        file = server.data / server.value("SELECT pg_relation_filepath('work')")
        with Exporter(targets_of("p", server)) as exporter:
            for name in ("p-logged", "p-stats"):
                exporter.wait_polls(name, 2)
            dirty(server)
            aside = file.with_name(file.name + ".aside")
            file.rename(aside)
            file.mkdir()
            with pytest.raises(Exception, match="checkpoint request failed"):
                server.psql("CHECKPOINT")
            page = exporter.wait(
                lambda p: p.value("event_failures_total", target="p-logged", kind="checkpoint"),
                what="the failure in the log",
            )
            assert page.values("events_total", target="p-logged", reason="request")[0][1] == 0
            file.rmdir()
            aside.rename(file)
            server.psql("CHECKPOINT")
            for name in ("p-logged", "p-stats"):
                # Before 18 the server counts attempts only: one that failed between two pulses is
                # taken for a checkpoint where no log is read.
                exactly = name == "p-logged" or release >= 18
                exporter.wait(
                    lambda p: p.value(
                        "events_total", target=name, kind="checkpoint", reason="request"
                    )
                    in ((1,) if exactly else (1, 2)),
                    what=f"the one that succeeded, by {name}",
                )
            # The log tells each attempt: one that failed is one that began and did not complete.
            begun = len(server.log_lines("checkpoint starting:"))
            failed = begun - len(logged_checkpoints(server))
            assert failed >= 1
            page = exporter.wait_polls("p-logged", 2)
            told = page.value("event_failures_total", target="p-logged", kind="checkpoint")
            assert told == failed
