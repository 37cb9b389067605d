# SPDX-License-Identifier: Apache-2.0
"""The servers themselves: each version starts, answers, checkpoints, stops; and what tests lean on."""

import pytest
from postgres_server import PASSWORDS, PostgresError, PostgresServer, SqlError, available_majors


def test_starts_answers_checkpoints_and_stops(major):
    with PostgresServer(major) as server:
        assert int(server.value("SHOW server_version_num")) // 10000 == major
        assert server.psql("VALUES (1, NULL, ''), (2, 'a|b', E'x\\ny\\n')") == [
            ["1", None, ""],
            ["2", "a|b", "x\ny\n"],
        ]
        assert server.psql("SELECT 1 WHERE false") == []
        before = server.value("SELECT redo_lsn FROM pg_control_checkpoint()")
        server.psql("CREATE TABLE t (a int)", "postgres")
        server.psql("CHECKPOINT")
        assert server.value("SELECT redo_lsn FROM pg_control_checkpoint()") != before
        assert len(server.wait_log("checkpoint complete: ")) == 1

        with pytest.raises(SqlError) as error:
            server.psql("SELECT * FROM pg_authid", role="plain")
        assert error.value.sqlstate == "42501"
        assert server.value("SELECT pg_has_role('pg_monitor', 'member')", role="monitor") == "t"

        directory = server.directory
        server.stop("fast")
        assert not server.running
        assert server.log_lines("database system is shut down")
    assert not directory.exists()


@pytest.fixture(scope="module")
def newest():
    majors = available_majors()
    if not majors:
        pytest.skip("no PostgreSQL here: run tests/pg/fetch_postgres.sh")
    with PostgresServer(majors[-1]) as server:
        yield server


def test_tcp_asks_for_the_password(newest):
    import os
    import subprocess

    from postgres_server import client_program

    for password, code in ((PASSWORDS["monitor"], 0), ("wrong", 2)):
        url = newest.dsn("monitor").replace(PASSWORDS["monitor"], password)
        done = subprocess.run(
            [client_program("psql"), "-X", "-c", "SELECT 1", url],
            env={"PATH": os.environ["PATH"]},
            capture_output=True,
            check=False,
        )
        assert done.returncode == code, done.stderr


def test_a_frozen_server_does_not_answer(newest):
    newest.freeze()
    try:
        with pytest.raises(PostgresError, match="no answer"):
            newest.psql("SELECT 1", seconds=0.5)
    finally:
        newest.thaw()
    assert newest.value("SELECT 1") == "1"


def test_recovers_from_a_kill(newest):
    newest.psql("CREATE TABLE IF NOT EXISTS survivor AS SELECT 1 AS a")
    newest.kill9()
    assert not newest.running
    newest.start()
    assert newest.value("SELECT a FROM survivor") == "1"
    assert newest.wait_log("not properly shut down")


def test_pgbench_writes(newest):
    newest.pgbench("-i", "-s", 1, "-q")
    assert "number of transactions actually processed: 20/20" in newest.pgbench("-n", "-t", 20)


def test_settings_are_reloaded(newest):
    from postgres_server import wait_until

    newest.set(checkpoint_timeout="123s")
    wait_until(lambda: newest.value("SHOW checkpoint_timeout") == "123s", 10, "reload")


# 11 has recovery.conf; from 12 on there is standby.signal.
@pytest.mark.parametrize("role_of", ["oldest", "newest"])
def test_a_standby_follows_and_is_promoted(role_of):
    majors = available_majors()
    if not majors:
        pytest.skip("no PostgreSQL here: run tests/pg/fetch_postgres.sh")
    with PostgresServer(majors[0 if role_of == "oldest" else -1]) as primary:
        with primary.make_standby() as standby:
            primary.psql("CREATE TABLE t AS SELECT generate_series(1, 1000) AS a")
            standby.wait_caught_up(primary)
            assert standby.value("SELECT pg_is_in_recovery()") == "t"
            assert standby.value("SELECT count(*) FROM t") == "1000"
            standby.promote()
            standby.psql("CREATE TABLE own (a int)")


def test_a_server_that_cannot_start_says_why():
    majors = available_majors()
    if not majors:
        pytest.skip("no PostgreSQL here: run tests/pg/fetch_postgres.sh")
    with pytest.raises(PostgresError, match="no_such_setting"):
        with PostgresServer(majors[-1], conf={"no_such_setting": "1"}):
            pass
