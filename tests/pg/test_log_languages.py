# SPDX-License-Identifier: Apache-2.0
"""A server that writes its log in another language is read as well as one that writes English.

With the distribution's PostgreSQL, which has the translations. The locales are made here, in a
folder of the test's own.
"""

import pathlib
import subprocess

import pytest
from checkpoint_steps import CONF, POLLING, crash, dirty, wal_checkpoint
from events import EventWatch, compare, logged_checkpoints
from exporter import Exporter, Target
from postgres_server import DISTRIBUTION, PostgresServer

MAJOR = 15


@pytest.fixture(scope="module")
def locales(tmp_path_factory):
    folder = tmp_path_factory.mktemp("locales")
    for at in (folder, *folder.parents[:3]):
        at.chmod(at.stat().st_mode | 0o055)
    for language in ("de_DE", "fr_FR", "ja_JP"):
        subprocess.run(
            ["localedef", "-i", language, "-f", "UTF-8", folder / f"{language}.UTF-8"], check=True
        )
    return folder


@pytest.fixture
def distribution(monkeypatch):
    """PostgreSQL of the distribution, also where another build of the same major is cached."""
    home = DISTRIBUTION / str(MAJOR)
    if not (home / "bin/postgres").exists():
        pytest.fail(f"needs the distribution's PostgreSQL {MAJOR}")
    if not pathlib.Path("/usr/share/locale/de/LC_MESSAGES", f"postgres-{MAJOR}.mo").exists():
        pytest.skip("translations were left out when packages were installed")
    monkeypatch.setattr("postgres_server.installation", lambda major: home)


# Started under LC_ALL=C a server replaces what is not ASCII by question marks.
@pytest.mark.parametrize("ctype", ["C.UTF-8", "C"])
@pytest.mark.parametrize("language", ["C", "de_DE.UTF-8", "fr_FR.UTF-8", "ja_JP.UTF-8"])
def test_events_are_the_same_in_every_language(locales, distribution, language, ctype):
    conf = {**CONF, "lc_messages": language, "log_line_prefix": "%m [%p] "}
    # LC_ALL would win over lc_messages.
    environment = {"LOCPATH": str(locales), "LC_ALL": ctype}
    arguments = ["--wal-segsize=1"]
    with PostgresServer(MAJOR, conf, arguments, environment=environment) as server:
        server.psql("CREATE TABLE work AS SELECT n FROM generate_series(1, 2000) n")
        server.psql("CHECKPOINT")
        english = server.log_lines("checkpoint starting:")
        assert bool(english) == (language == "C"), server.log_tail()
        log = POLLING + (f"log: {{path: '{server.log_path}', read_last: 0}}",)
        with Exporter([Target("logged", server.dsn(), log)]) as exporter:
            exporter.wait_polls("logged", 2)
            begin = len(logged_checkpoints(server))
            with EventWatch(exporter) as watch:
                steps = (
                    lambda: (dirty(server), server.psql("CHECKPOINT")),
                    lambda: wal_checkpoint(server),
                    lambda: wal_checkpoint(server),
                    lambda: (dirty(server), server.restart()),
                    lambda: crash(server),
                )
                for done, step in enumerate(steps, 1):
                    step()
                    watch.wait_count("logged", lambda: done, seconds=60)
                seen = watch.seen("logged")
            page = exporter.metrics()
        events = logged_checkpoints(server)[begin:]
        assert [e.reason for e in events] == ["request", "wal", "wal", "restart", "restart"]
        compare(seen, events, from_log=True)
        assert page.value("event_failures_total", kind="checkpoint") == 0
        assert page.value("too_frequent_warnings_total") >= 1
