# SPDX-License-Identifier: Apache-2.0
"""Checkpoints of real servers as events: from the log to the millisecond, from statistics alone to
the second, with the same reasons, and no failure that was none.

One scripted run of all the servers side by side, so that the wait for checkpoint_timeout is spent
once. Each server is watched twice or three times: with its log, without, and with its log over SQL.
What is expected is what the server's own log says, so a busy machine changes nothing.
"""

import concurrent.futures
import contextlib
import dataclasses

import pytest
from checkpoint_steps import (
    CONF,
    POLLING,
    backup,
    crash,
    dirty,
    request_during_wal_checkpoint,
    wal_checkpoint,
    write_wal,
)
from events import TOO_FREQUENT, EventWatch, compare, logged_checkpoints
from exporter import Exporter, Target
from postgres_server import PostgresServer, wait_until

MAJORS = (12, 15, 16, 17, 18)
OVER_SQL = (15, 18)  # with logging_collector, and followed over SQL too
WITH_STANDBY = (15, 18)
TIMEOUT = "30s"
GRANT = "GRANT EXECUTE ON FUNCTION pg_read_binary_file(text, bigint, bigint) TO monitor"


@dataclasses.dataclass
class Watched:
    """A server, the targets that watch it, and where in its log the watch began."""

    server: PostgresServer
    logged: list[str]  # names of targets that read the log
    stats: list[str]
    begin: int = 0
    warnings: int = 0
    # Of the log, counted from `begin`: checkpoints so close together that statistics tell no more
    # than how many there were.
    close: set[int] = dataclasses.field(default_factory=set)

    def log(self):
        return logged_checkpoints(self.server)[self.begin :]

    def too_frequent(self):
        return len(self.server.log_lines(TOO_FREQUENT)) - self.warnings


class Script:
    """The steps for one server and, where it has one, its standby."""

    def __init__(self, watch, primary, standby):
        self.watch = watch
        self.primary = primary
        self.standby = standby

    def settle(self):
        """Waits until all that the logs say so far was seen by every target."""
        for watched in filter(None, (self.primary, self.standby)):
            for target in watched.logged + watched.stats:
                self.watch.wait_count(target, lambda w=watched: len(w.log()), seconds=60)

    def expect(self, watched, reason, action):
        """After the action there is one more checkpoint of this reason, and everybody saw it."""

        def count():
            return sum(event.reason == reason for event in watched.log())

        before = count()
        action(watched.server)
        wait_until(lambda: count() > before, 90, f"a checkpoint for {reason}")
        self.settle()

    def run(self):
        primary, standby = self.primary, self.standby
        for watched in filter(None, (primary, standby)):
            watched.server.set(checkpoint_timeout=TIMEOUT)
        # The new timeout may have passed already; that one first, and by itself.
        self.expect(primary, "time", dirty)
        self.expect(primary, "request", lambda s: (dirty(s), s.psql("CHECKPOINT")))
        self.expect(primary, "request", backup)
        if standby:
            standby.server.wait_caught_up(primary.server)
            self.expect(standby, "request", lambda s: s.psql("CHECKPOINT"))
        self.expect(primary, "wal", wal_checkpoint)
        self.expect(primary, "wal", wal_checkpoint)
        before = len(primary.log())
        self.expect(primary, "request", request_during_wal_checkpoint)
        primary.close.update(range(before, len(primary.log())))
        if standby:
            self.expect(standby, "wal", lambda s: self.force_restartpoint(s))
        if standby:
            self.expect(standby, "time", lambda s: self.renew_record(s))
            self.expect(standby, "restart", lambda s: (self.renew_record(s), s.restart()))
        self.expect(primary, "restart", lambda s: (dirty(s), s.restart()))
        self.expect(primary, "restart", crash)

    def force_restartpoint(self, server):
        """Writes on the primary until the standby is forced; it needs a new record to begin."""
        begun = len(server.log_lines("restartpoint starting: wal"))
        for _ in range(60):
            write_wal(self.primary.server)
            server.wait_caught_up(self.primary.server)
            if len(server.log_lines("restartpoint starting: wal")) > begun:
                return
        raise AssertionError("60 times 2 MB forced no restartpoint")

    def renew_record(self, server):
        dirty(self.primary.server)
        self.primary.server.psql("CHECKPOINT")
        server.wait_caught_up(self.primary.server)


def targets_of(name, server, over_sql):
    collected = server.data / "log" / "*.log" if over_sql else server.log_path
    logged = POLLING + (f"log: {{path: '{collected}', read_last: 0}}",)
    targets = [
        Target(f"{name}-logged", server.dsn(), logged),
        Target(f"{name}-stats", server.dsn(), POLLING),
    ]
    if over_sql:
        sql = POLLING + ("log: {follow: sql, read_last: 0}",)
        targets.append(Target(f"{name}-sql", server.dsn(), sql))
    return targets


def start(stack, major):
    """The primary and, for some, its standby; quiet, with nothing left to checkpoint."""
    over_sql = major in OVER_SQL
    conf = {**CONF, "logging_collector": "on"} if over_sql else CONF
    server = stack.enter_context(PostgresServer(major, conf, ["--wal-segsize=1"]))
    server.psql("CREATE TABLE work AS SELECT n FROM generate_series(1, 2000) n")
    if over_sql:
        server.psql(GRANT)
    standby = None
    if major in WITH_STANDBY:
        standby = stack.enter_context(server.make_standby({"logging_collector": "off"}))
        standby.wait_caught_up(server)
    server.psql("CHECKPOINT")
    return server, standby


@pytest.fixture(scope="module")
def runs():
    """By major: the Script that was run, or what stopped it; and the last page."""
    with contextlib.ExitStack() as stack:
        pool = stack.enter_context(concurrent.futures.ThreadPoolExecutor(len(MAJORS)))
        servers = dict(zip(MAJORS, pool.map(lambda major: start(stack, major), MAJORS)))
        targets = []
        for major, (server, standby) in servers.items():
            targets += targets_of(f"p{major}", server, major in OVER_SQL)
            if standby:
                targets += targets_of(f"s{major}", standby, False)
        exporter = stack.enter_context(Exporter(targets))
        for target in targets:
            exporter.wait_polls(target.name, 2, seconds=60)
        watch = stack.enter_context(EventWatch(exporter))

        def watched(name, server):
            mine = [t.name for t in targets if t.name.startswith(name + "-")]
            stats = [name + "-stats"]
            assert [watch.first_count(target) for target in mine] == [0] * len(mine)
            begin = len(logged_checkpoints(server))
            warnings = len(server.log_lines(TOO_FREQUENT))
            return Watched(server, [t for t in mine if t not in stats], stats, begin, warnings)

        scripts = {}
        for major, (server, standby) in servers.items():
            follower = watched(f"s{major}", standby) if standby else None
            scripts[major] = Script(watch, watched(f"p{major}", server), follower)
        running = {major: pool.submit(script.run) for major, script in scripts.items()}
        concurrent.futures.wait(running.values())
        yield scripts, {major: future.exception() for major, future in running.items()}, exporter


def check(watched, watch, page, reasons):
    log = watched.log()
    assert {event.reason for event in log} >= reasons
    for target in watched.logged:
        compare(watch.seen(target), log, from_log=True)
        assert page.value("too_frequent_warnings_total", target=target) == watched.too_frequent()
        assert page.value("event_sources_total", target=target, source="log") == 0
        assert page.value("event_sources_total", target=target, source="both") > 0
    for target in watched.stats:
        compare(watch.seen(target), log, from_log=False, close=watched.close)
        assert page.value("event_sources_total", target=target, source="both") == 0
        assert page.value("event_sources_total", target=target, source="log") == 0
    for target in watched.logged + watched.stats:
        for labels, value in page.values("event_failures_total", target=target):
            assert value == 0, (target, labels)


ALL = {"request", "wal", "time", "restart"}


@pytest.mark.parametrize("release", MAJORS, ids=lambda m: f"pg{m}")
def test_checkpoints(runs, release):
    scripts, errors, exporter = runs
    if errors[release]:
        raise errors[release]
    script = scripts[release]
    check(script.primary, script.watch, exporter.metrics(), ALL)
    assert script.primary.too_frequent() > 0
