# SPDX-License-Identifier: Apache-2.0
"""`advise` on servers whose WAL forces checkpoints, that are left alone, or that somebody pesters."""

import json
import subprocess

import pytest
from exporter import binary
from postgres_server import PostgresServer, available_majors

FORCED = {"max_wal_size": "32MB", "min_wal_size": "32MB", "checkpoint_timeout": "5min"}


def advise(server, *arguments):
    done = subprocess.run(
        [binary(), "advise", *arguments],
        env={"DATA_SOURCE_NAME": server.dsn("monitor"), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.returncode, done.stdout, done.stderr


def rules(text):
    (target,) = json.loads(text)["targets"]
    return {advice["rule"]: advice for advice in target["advice"]}


@pytest.fixture(scope="module")
def newest():
    majors = available_majors()
    if not majors:
        pytest.skip("no PostgreSQL here: run tests/pg/fetch_postgres.sh")
    return 18 if 18 in majors else majors[-1]


def test_forced_by_wal(newest):
    with PostgresServer(newest, conf=FORCED) as server:
        server.pgbench("-i", "-s", "1", "-q")
        load = server.start_pgbench("-c", "2", "-T", "60", "-N")
        filler = (
            "create table if not exists filler(t text);"
            "insert into filler select repeat(md5(i::text), 30) from generate_series(1, 20000) i"
        )
        observed = subprocess.Popen(
            [binary(), "advise", "--for", "25s", "--format", "json"],
            env={"DATA_SOURCE_NAME": server.dsn("monitor"), "PATH": "/usr/bin:/bin"},
            stdout=subprocess.PIPE,
            text=True,
        )
        while observed.poll() is None:
            server.psql(filler)
        out = observed.communicate()[0]
        load.kill()
        load.wait()
    found = rules(out)
    assert "wal_forced_checkpoints" in found, out
    advice = found["wal_forced_checkpoints"]
    assert observed.returncode == 1
    statement = advice["suggestions"][0]["statement"]
    assert statement.startswith("ALTER SYSTEM SET max_wal_size = '")
    assert advice["sizing"]["recommended_bytes"] > 32 * 1024 * 1024
    assert advice["sizing"]["recommended_bytes"] >= advice["sizing"]["need_bytes"]
    assert "checkpoints_requested" not in found


def test_nothing_to_say_of_an_idle_server(newest):
    with PostgresServer(newest, conf={"log_checkpoints": "on", "fsync": "on"}) as server:
        status, out, _ = advise(server, "--for", "3s")
        assert status == 0, out
        assert "Nothing to change" in out
        status, out, _ = advise(server, "--since-reset", "--format", "json")
        assert status == 0, out
        assert rules(out) == {}


def test_wrong_use():
    run = lambda *a, **env: subprocess.run(  # noqa: E731
        [binary(), *a], env=env, capture_output=True, text=True, timeout=60
    )
    assert run("advise", "--for", "soon").returncode == 2
    assert run("advise", "--format", "xml").returncode == 2
    done = run("advise", "--target", "nobody", DATA_SOURCE_NAME="host=127.0.0.1 port=1")
    assert done.returncode == 2 and "nobody" in done.stderr
    assert run("analyze").returncode == 2
    done = run("analyze", "/nonexistent.log")
    assert done.returncode == 2 and "/nonexistent.log" in done.stderr
