# SPDX-License-Identifier: Apache-2.0
"""/probe?target=NAME: one target, polled for the request, within the scraper's time."""

import concurrent.futures
import time

import pytest
from exporter import Exporter, Page, Target
from postgres_server import PostgresServer, available_majors

NEWEST = available_majors()[-1:] or [0]
# Polls of its own come too rarely to be taken for those of a probe.
SLOW = ("pulse_interval: 1m", "survey_interval: 1m")


def probe(exporter, query="target=main", timeout=None):
    headers = {"X-Prometheus-Scrape-Timeout-Seconds": str(timeout)} if timeout else {}
    status, _, text = exporter.get(f"/probe?{query}", headers=headers, seconds=30)
    return status, Page(text) if status == 200 else text


@pytest.fixture
def server():
    with PostgresServer(NEWEST[0]) as running:
        yield running


def test_a_probe_polls_now_and_tells_one_target(server):
    targets = [Target("main", server.dsn(), SLOW), Target("other", server.dsn(), SLOW)]
    with Exporter(targets) as exporter:
        status, page = probe(exporter)
        assert status == 200
        assert page.value("up", target="main") == 1
        assert page.values("checkpoints_total", target="main")
        assert page.values("max_wal_size_bytes"), "the first poll surveys too"
        assert {labels.get("target") for s in page.samples.values() for labels, _ in s} == {"main"}
        assert not [name for name in page.samples if "process_" in name or "build_info" in name]
        pulses = page.value("pulses_total")
        server.psql("SELECT pg_switch_wal()")
        server.psql("CREATE TABLE t AS SELECT generate_series(1, 1000)")
        position = page.value("wal_position_bytes", position="insert")
        page = probe(exporter)[1]
        assert page.value("pulses_total") == pulses + 1
        assert page.value("wal_position_bytes", position="insert") > position
        assert page.value("surveys_total") == 1


def test_probes_of_one_moment_share_a_poll(server):
    with Exporter([Target("main", server.dsn(), SLOW)]) as exporter:
        pulses = probe(exporter)[1].value("pulses_total")
        begin = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(20) as pool:
            pages = list(pool.map(lambda _: probe(exporter), range(60)))
        seconds = time.monotonic() - begin
        assert all(status == 200 and page.value("up") == 1 for status, page in pages)
        made = max(page.value("pulses_total") for _, page in pages) - pulses
        assert made <= seconds / 0.2 + 1
        assert pages[0][1].value("connects_total") == 1


def test_a_server_that_does_not_answer(server):
    with Exporter([Target("main", server.dsn(), (*SLOW, "statement_timeout: 20s"))]) as exporter:
        assert probe(exporter)[1].value("up") == 1
        server.freeze()
        try:
            begin = time.monotonic()
            status, page = probe(exporter, timeout=2)
            seconds = time.monotonic() - begin
            assert (status, page.value("up")) == (200, 0)
            assert page.values("checkpoints_total") == []
            assert 1.4 <= seconds < 2
        finally:
            server.thaw()
        server.stop("immediate")
        # Refused connections are known at once, whatever the scraper would wait.
        status, page = probe(exporter, timeout=20)
        status, page = probe(exporter, timeout=20)
        assert (status, page.value("up")) == (200, 0)
        server.start()
        assert probe(exporter, timeout=10)[1].value("up") == 1


def test_what_cannot_be_probed():
    with Exporter([Target("main", "postgresql://u@127.0.0.1:1/x")]) as exporter:
        for query, status, words in [
            ("", 400, "/probe?target=NAME"),
            ("target=main&target=main", 400, "more than once"),
            ("target=127.0.0.1:5432", 404, "no such target"),
            ("target=main&module=fast", 400, "the only one is `full`"),
            ("target=main&modul=full", 400, "no parameter but"),
        ]:
            code, text = probe(exporter, query)
            assert code == status and words in text, (query, text)
        assert probe(exporter, "target=main&module=full")[0] == 200
        for timeout in ("-1", "soon", "nan", "1e999"):
            assert probe(exporter, timeout=timeout)[0] == 200
