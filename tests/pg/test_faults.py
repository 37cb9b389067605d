# SPDX-License-Identifier: Apache-2.0
"""What breaks a watched server, and how the exporter takes it: noticed in time, told honestly,
recovered from by itself, and no number that spans the break."""

import socket
import time

import pytest
from exporter import Exporter, Target
from postgres_server import PostgresServer, available_majors

NEWEST = available_majors()[-1:] or [0]
BOTH_SIDES = [m for m in (15, 18) if m in available_majors()] or NEWEST
RATIOS = ("requested_ratio", "wal_fpi_ratio", "backend_write_ratio")


def assert_sane(page):
    """Ratios are shares wherever they stand; nothing is negative."""
    for name in RATIOS:
        for labels, value in page.values(name):
            assert 0 <= value <= 1, (name, labels, value)
    for labels, value in page.values("window_span_seconds"):
        assert value >= 0, (labels, value)


def load(server):
    server.pgbench("-c", 1, "-t", 50)
    server.psql("CHECKPOINT")


@pytest.fixture(params=BOTH_SIDES, ids=lambda m: f"pg{m}")
def loaded(request):
    with PostgresServer(request.param) as server:
        server.pgbench("-i", "-q", "-s", 1)
        yield server


def test_statistics_resets_end_the_window(loaded):
    kinds = {15: ("bgwriter", "wal", "archiver"), 18: ("bgwriter", "checkpointer", "wal", "io")}
    with Exporter([Target("main", loaded.dsn())]) as exporter:
        exporter.wait_up("main")
        for kind in kinds[loaded.major]:
            exporter.wait_polls("main", 3)
            load(loaded)
            exporter.wait(
                lambda p: p.value("requested_ratio", window="5m") is not None, what="a ratio"
            )
            resets = {
                labels["view"]: value
                for labels, value in exporter.metrics().values("stats_reset_timestamp_seconds")
            }
            loaded.psql(f"SELECT pg_stat_reset_shared('{kind}')")
            page = exporter.wait(
                lambda p: p.value("stats_reset_timestamp_seconds", view=kind)
                not in (resets.get(kind), None),
                what=f"the reset of {kind}",
            )
            assert_sane(page)
            if kind == ("checkpointer" if loaded.major >= 17 else "bgwriter"):
                # Nothing since the reset: no attempts, so no share of them.
                assert page.value("requested_ratio", window="5m") is None
                assert page.value("requested_ratio", window="since_reset") is None
        load(loaded)
        assert_sane(exporter.wait_polls("main", 2))


@pytest.mark.parametrize("how", ["restart", "kill9"])
def test_a_new_postmaster_is_found_and_not_compared(loaded, how):
    with Exporter([Target("main", loaded.dsn())]) as exporter:
        exporter.wait_up("main")
        load(loaded)
        exporter.wait_polls("main", 2)
        before = exporter.metrics().value("postmaster_start_timestamp_seconds")
        if how == "kill9":
            loaded.kill9()
            loaded.start()
        else:
            loaded.restart()
        page = exporter.wait(
            lambda p: p.value("postmaster_start_timestamp_seconds") not in (before, None)
            and p.value("up") == 1,
            what="the new postmaster",
        )
        assert page.value("requested_ratio", window="5m") is None
        assert_sane(page)
        page = exporter.wait(
            lambda p: (p.value("events_total", kind="checkpoint", reason="restart") or 0) >= 1,
            what="the restart's checkpoint as an event",
        )
        assert page.value("event_failures_total", kind="checkpoint") == 0
        assert_sane(page)


def test_another_server_behind_the_same_address():
    majors = [m for m in (16, 18) if m in available_majors()]
    if len(majors) < 2:
        pytest.fail("needs PostgreSQL 16 and 18: run tests/pg/fetch_postgres.sh 16 18")
    with PostgresServer(16) as old, PostgresServer(18, start=False) as new:
        with Exporter([Target("main", old.dsn())]) as exporter:
            page = exporter.wait_up("main")
            assert page.values("server_info", version=old.value("SHOW server_version"))
            load_with_schema(old)
            exporter.wait_polls("main", 2)
            old.stop()
            new.conf["port"] = new.port = old.port
            new.start()
            page = exporter.wait(
                lambda p: p.values("server_info", version=new.value("SHOW server_version"))
                and p.value("up") == 1,
                seconds=30,
                what="the new version",
            )
            assert page.value("checkpoints_done_total") is not None
            for _, value in page.values("window_span_seconds"):
                assert value < 20
            assert_sane(page)


def load_with_schema(server):
    server.pgbench("-i", "-q", "-s", 1)
    load(server)


def test_a_server_that_is_down_at_the_start():
    with PostgresServer(NEWEST[0], start=False) as server:
        with Exporter([Target("main", server.dsn())]) as exporter:
            page = exporter.wait(
                lambda p: (p.value("poll_errors_total", code="connection") or 0) >= 2,
                what="failed connects",
            )
            assert page.value("up") == 0
            # Absent, never zero: nothing is known of a server that has not answered.
            assert page.values("checkpoints_total") == []
            assert page.values("server_info") == []
            assert exporter.get("/-/healthy")[0] == 200
            server.start()
            page = exporter.wait_up("main")
            assert page.values("checkpoints_total")


def test_a_frozen_server_is_down_and_delays_nobody():
    """Black hole: sockets stay open, nobody answers."""
    with PostgresServer(NEWEST[0]) as frozen, PostgresServer(BOTH_SIDES[0]) as well:
        targets = [Target("frozen", frozen.dsn()), Target("well", well.dsn())]
        with Exporter(targets) as exporter:
            exporter.wait_up("frozen")
            exporter.wait_up("well")
            frozen.freeze()
            begin = time.monotonic()
            page = exporter.wait_up("frozen", up=0, seconds=15)
            # Samples may be shown for max(3 x interval, 5 s); the answer was at most an interval old.
            assert time.monotonic() - begin < 8
            assert page.values("checkpoints_total", target="frozen") == []
            exporter.wait(
                lambda p: (p.value("poll_errors_total", target="frozen", code="timeout") or 0) >= 1,
                what="the timeout",
            )
            for _ in range(3):
                page = exporter.wait_polls("well", 2)
                assert page.value("up", target="well") == 1
            connected = page.value("connects_total", target="well")
            assert connected == 1
            frozen.thaw()
            exporter.wait_up("frozen")


def test_privileges_revoked_and_granted_while_connected():
    with PostgresServer(NEWEST[0]) as server:
        with Exporter([Target("main", server.dsn())]) as exporter:
            page = exporter.wait_up("main")
            assert page.value("in_progress") is not None
            server.psql("REVOKE pg_monitor FROM monitor")
            page = exporter.wait(
                lambda p: p.value("capability", name="wal_directory") == 0, what="the revocation"
            )
            exporter.wait_polls("main", 2)
            page = exporter.metrics()
            assert page.value("up") == 1
            assert page.value("wal_directory_bytes") is None
            server.psql("GRANT pg_monitor TO monitor")
            # Seen at the next look at privileges, every twentieth survey, without a reconnect.
            page = exporter.wait(
                lambda p: p.value("wal_directory_bytes") is not None, seconds=60, what="the grant"
            )
            assert page.value("connects_total") == 1


def test_terminated_backends_and_lost_connections():
    with PostgresServer(NEWEST[0]) as server:
        with Exporter([Target("main", server.dsn())]) as exporter:
            exporter.wait_up("main")
            terminate = (
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
                "WHERE application_name = 'pgcheckpoint_exporter'"
            )
            for _ in range(4):
                connects = exporter.metrics().value("connects_total")
                assert server.value(terminate) == "1"
                exporter.wait(lambda p: p.value("connects_total") > connects, what="a reconnect")
            page = exporter.wait_up("main")
            assert page.value("poll_errors_total", code="connection") >= 4
            exporter.wait_polls("main", 2)
            count = (
                "SELECT count(*) FROM pg_stat_activity "
                "WHERE application_name = 'pgcheckpoint_exporter'"
            )
            assert server.value(count) == "1"


def test_no_connection_left_and_wrong_passwords():
    conf = {"max_connections": 8, "max_wal_senders": 0, "superuser_reserved_connections": 3}
    with PostgresServer(NEWEST[0], conf=conf) as server:
        holders = []
        try:
            for _ in range(5):
                holders.append(server.start_pgbench("-n", "-c", 1, "-T", 120, "-f", _sleeper()))
            from postgres_server import wait_until

            wait_until(
                lambda: int(server.value("SELECT count(*) FROM pg_stat_activity WHERE query ~ 'sleep'"))
                >= 5,
                30,
                "all connections taken",
            )
            with Exporter([Target("main", server.dsn())]) as exporter:
                page = exporter.wait(
                    lambda p: (p.value("poll_errors_total", code="connection") or 0) >= 1,
                    what="the refusal",
                )
                assert page.value("up") == 0
                for holder in holders:
                    holder.kill()
                    holder.wait()
                server.psql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query ~ 'pg_sleep' AND pid <> pg_backend_pid()")
                exporter.wait_up("main")
        finally:
            for holder in holders:
                holder.kill()
                holder.wait()
        secret = "not-the-password-7391"
        dsn = server.dsn().replace("monitor-pw", secret)
        with Exporter([Target("main", dsn)]) as exporter:
            page = exporter.wait(
                lambda p: (p.value("poll_errors_total", code="auth") or 0) >= 1, what="the refusal"
            )
            status, _, home = exporter.get("/")
            assert status == 200
            said = "\n".join(exporter.log) + page.text + home
            assert secret not in said
            assert "password authentication failed" in said


def _sleeper():
    import os
    import tempfile

    handle, path = tempfile.mkstemp(suffix=".sql")
    with os.fdopen(handle, "w") as script:
        script.write("SELECT pg_sleep(100);\n")
    return path


@pytest.mark.parametrize(
    "answer, code",
    [(b"HTTP/1.1 400 Bad Request\r\n\r\n", "protocol"), (b"\x00\x01garbage" * 50, "protocol")],
    ids=["web server", "garbage"],
)
def test_something_that_is_not_postgresql(answer, code):
    import threading

    with socket.create_server(("127.0.0.1", 0)) as listener:
        def serve():
            while True:
                try:
                    peer, _ = listener.accept()
                    peer.recv(1024)
                    peer.sendall(answer)
                    peer.close()
                except OSError:
                    return

        threading.Thread(target=serve, daemon=True).start()
        dsn = f"postgresql://u@127.0.0.1:{listener.getsockname()[1]}/x"
        with Exporter([Target("main", dsn)]) as exporter:
            page = exporter.wait(
                lambda p: sum(v for _, v in p.values("poll_errors_total")) >= 1, what="an error"
            )
            assert page.value("up") == 0
            assert page.value("poll_errors_total", code=code) >= 1, exporter.log
