# SPDX-License-Identifier: Apache-2.0
"""`doctor` names what is missing and its cure; `healthcheck` tells a container whether all is well."""

import socket
import subprocess

from exporter import Exporter, Target, binary
from postgres_server import PASSWORDS, PostgresServer, available_majors, free_port

NEWEST = (available_majors() or [0])[-1]


def run(*arguments, environment=None):
    done = subprocess.run(
        [binary(), *arguments],
        env={"PATH": "/usr/bin:/bin", **(environment or {})},
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.returncode, done.stdout, done.stderr


def test_doctor_names_what_is_missing_and_the_cure():
    with PostgresServer(NEWEST) as server:
        for role, status in (("monitor", 0), ("plain", 1)):
            code, out, err = run("doctor", environment={"DATA_SOURCE_NAME": server.dsn(role)})
            assert code == status, out + err
            assert f"PostgreSQL {NEWEST}." in out
            assert ("MISSING  checkpointer_activity" in out) == (role == "plain")
            assert ("GRANT pg_monitor TO plain;" in out) == (role == "plain")
            assert PASSWORDS[role] not in out + err
        # A name that SQL wants quoted: the cure can be pasted as it stands.
        server.psql('CREATE ROLE "My-Role" LOGIN')
        code, out, err = run("doctor", environment={"DATA_SOURCE_NAME": server.dsn("My-Role", tcp=False)})
        assert code == 1 and 'GRANT pg_monitor TO "My-Role";' in out, out + err
        dsn = server.dsn().replace(PASSWORDS["monitor"], "wrong-7391")
        code, out, err = run("doctor", environment={"DATA_SOURCE_NAME": dsn})
        assert code == 1 and "FAILED   auth" in out
        assert "wrong-7391" not in out + err
    code, out, err = run("doctor")
    assert code == 2 and "DATA_SOURCE_NAME" in err


def test_healthcheck():
    with PostgresServer(NEWEST, start=False) as down:
        with Exporter([Target("main", down.dsn())]) as exporter:
            # The process is well though its server is not.
            assert run("healthcheck", exporter.addresses[0])[0] == 0
    assert run("healthcheck", f"127.0.0.1:{free_port()}")[0] == 1
    assert run("healthcheck", "nonsense")[0] == 2
    with socket.create_server(("127.0.0.1", 0)) as silent:
        assert run("healthcheck", f"127.0.0.1:{silent.getsockname()[1]}")[0] == 1
