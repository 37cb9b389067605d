# SPDX-License-Identifier: Apache-2.0
"""Every query of every dashboard, against a Prometheus that scraped the exporter while real servers
of two generations (15 and 18) made checkpoints of every kind.

The script makes two forced checkpoints, one by hand, one by the timer and a change of a setting.
What each query must return is its panel's own business: series for every legend, one for a stat, a
number in each. What must be absent on a version is listed, and then it must be.
"""

import concurrent.futures
import datetime
import json
import math
import pathlib
import re
import sys
import time

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(HERE.parent / "pg")]

from exporter import Exporter, Target  # noqa: E402
from postgres_server import PostgresServer, installation, wait_until  # noqa: E402
from prometheus import SCRAPE_SECONDS, Prometheus  # noqa: E402

MAJORS = (15, 18)
JOB = "pgcheckpoint"
DASHBOARDS = {
    path.stem: json.loads(path.read_text(encoding="utf-8"))
    for path in sorted((ROOT / "grafana" / "dashboards").glob("*.json"))
}
SCRIPT_SECONDS = 150
ROWS = "SELECT g, repeat('x', 400) FROM"

# Queries without an answer: (dashboard, panel, query) -> the majors on which there is none.
BOTH = MAJORS
ABSENT = {
    ("checkpoint-overview", "Latency and checkpoints", "F"): (15,),  # commit probe: on 18 only
    ("checkpoint-overview", "WAL written", "C"): BOTH,  # replay: no standby here
    ("checkpoint-overview", "Who writes the pages", "B"): (15,),  # pg_stat_io, 16+
    ("checkpoint-overview", "pg_wal", "D"): BOTH,  # wal_keep_size is 0
    ("checkpoint-overview", "pg_wal", "E"): (15,),  # a slot: on 18 only
    ("exporter-health", "Lines, by outcome", "B"): BOTH,  # every line is understood
    ("exporter-health", "Log errors, rotations and truncations", "A"): BOTH,
}
# Advice depends on what the rules make of so short a life.
MAY_BE_ABSENT = re.compile(r"pgcheckpoint_(advice|recommended)|pgcheckpoint_latency_impact_ratio|"
                           r"process_max_fds|config_last_reload")


class Life:
    """The servers, what watched them, and the times between which it all happened."""

    def __init__(self, servers, exporter, prometheus, begin):
        self.servers = servers
        self.exporter = exporter
        self.prometheus = prometheus
        self.begin = begin
        self.end = 0.0

    def fill(self, text: str, major: int, interval_ms=1000 * SCRAPE_SECONDS) -> str:
        interval = interval_ms // 1000
        values = {
            "__rate_interval": f"{max(interval + SCRAPE_SECONDS, 4 * SCRAPE_SECONDS)}s",
            "__interval_ms": str(interval_ms), "__interval": f"{interval}s",
            "job": JOB, "instance": ".+", "target": name(major), "worst": name(major),
        }
        filled = re.sub(r"\$(\w+)", lambda found: values[found[1]], text)
        assert "$" not in filled, filled
        return filled

    def ask(self, target: dict, major: int):
        expr = self.fill(target["expr"], major)
        if target["instant"]:
            return self.prometheus.instant(expr, self.end)
        return self.prometheus.range(expr, self.begin, self.end)


def name(major: int) -> str:
    return f"pg{major}"


def events(page, major, reason):
    return page.value("events_total", target=name(major), kind="checkpoint", reason=reason) or 0


def drive(server: PostgresServer, exporter: Exporter):
    """Checkpoints of each kind. They lie further apart than two scrapes, so that none is missed."""
    server.psql("CREATE TABLE load (id bigint, filler text)")
    for forced in (1, 2):
        # Not while one runs: the next would follow it within a scrape.
        while events(page := exporter.metrics(), server.major, "wal") < forced:
            if page.value("in_progress", target=name(server.major)) == 0:
                server.psql(f"INSERT INTO load {ROWS} generate_series(1, 800) g")
        begin = time.monotonic()
        wait_until(lambda: time.monotonic() - begin > 3 * SCRAPE_SECONDS, 10, "scrapes")
    server.psql("CHECKPOINT")
    exporter.wait(lambda page: events(page, server.major, "request") >= 1, 20, "the CHECKPOINT")
    server.psql(f"INSERT INTO load {ROWS} generate_series(1, 400) g")
    server.psql("ALTER SYSTEM SET max_wal_size = '9MB'")
    server.psql("SELECT pg_reload_conf()")
    exporter.wait(lambda page: events(page, server.major, "time") >= 1, 50, "the timer")


@pytest.fixture(scope="module")
def life():
    if not all(installation(major) for major in MAJORS):
        pytest.skip("no PostgreSQL 15 and 18 here: run tests/pg/fetch_postgres.sh 15 18")
    conf = {
        "max_wal_size": "8MB", "min_wal_size": "2MB", "checkpoint_timeout": "30s",
        "checkpoint_completion_target": "0.2", "track_io_timing": "on",
    }
    begin = time.time()
    servers = {m: PostgresServer(m, conf=conf, initdb_args=["--wal-segsize=1"]) for m in MAJORS}
    with servers[15], servers[18]:
        servers[18].psql("SELECT pg_create_physical_replication_slot('standby', true)")
        targets = []
        for major, server in servers.items():
            settings = ["pulse_interval: 200ms", "survey_interval: 1s",
                        f"log: {{path: '{server._log_file}'}}"]
            if major == 18:
                settings.append("commit_probe: {enabled: true, interval: 10s}")
            targets.append(Target(name(major), server.dsn(), tuple(settings)))
        with Exporter(targets) as exporter, Prometheus(exporter.addresses[0], JOB) as prometheus:
            made = Life(servers, exporter, prometheus, begin)
            with concurrent.futures.ThreadPoolExecutor() as pool:
                jobs = [pool.submit(drive, server, exporter) for server in servers.values()]
                for job in jobs:
                    job.result(SCRIPT_SECONDS)
            last = max(value for _, value in exporter.metrics().values("last_end_timestamp_seconds"))
            wait_until(
                lambda: max(v for _, [(_, v)] in prometheus.instant(
                    "pgcheckpoint_last_end_timestamp_seconds")) >= last,
                10, "the last scrape")
            # The steps of a range end before its end: one more shows the last scrape.
            made.end = time.time() + SCRAPE_SECONDS
            yield made


def drawn(dashboard):
    return [panel for panel in dashboard["panels"] if panel["type"] != "row"]


def fault(panel, target, series):
    """What is wrong with an answer; None when nothing is."""
    numbers = [value for _, points in series for _, value in points]
    if all(math.isnan(value) for value in numbers):
        return "nothing but NaN"
    if any(math.isinf(value) for value in numbers):
        return "infinite"
    if panel["type"] == "stat" and len(series) != 1:
        return f"{len(series)} series in a stat"
    wanted = re.findall(r"\{\{(\w+)\}\}", target["legendFormat"])
    legends = [tuple(labels.get(label) for label in wanted) for labels, _ in series]
    if any(None in legend for legend in legends):
        return f"a label of {target['legendFormat']} is missing"
    if panel["type"] == "timeseries" and len(set(legends)) != len(legends):
        return f"two series with the legend {target['legendFormat']}"
    share = panel["fieldConfig"]["defaults"]["unit"] == "percentunit" and not target.get("format")
    if share and target["legendFormat"] in ("now", "1h", "last hour", "") and max(numbers) > 1.001:
        return f"a share of {max(numbers)}"
    return None


@pytest.mark.parametrize("major", MAJORS)
@pytest.mark.parametrize("dashboard", DASHBOARDS)
def test_every_panel_has_data(life, dashboard, major):
    faults = []
    for panel in drawn(DASHBOARDS[dashboard]):
        for target in panel["targets"]:
            series = life.ask(target, major)
            place = (dashboard, panel["title"], target["refId"])
            if major in ABSENT.get(place, ()):
                if series:
                    faults.append((place, "has data, and is listed as absent"))
            elif not series:
                if not MAY_BE_ABSENT.search(target["expr"]):
                    faults.append((place, "no data"))
            elif wrong := fault(panel, target, series):
                faults.append((place, wrong))
    assert not faults, "\n".join(map(str, faults))


@pytest.mark.parametrize("dashboard", DASHBOARDS)
def test_every_variable_has_values(life, dashboard):
    for variable in DASHBOARDS[dashboard]["templating"]["list"]:
        if variable["type"] != "query":
            continue
        everybody = variable["query"]["query"].replace('"$target"', '".+"')
        query = life.fill(everybody, MAJORS[0])
        kind, expr = re.fullmatch(r"(label_values|query_result)\((.*)\)", query).groups()
        if kind == "label_values":
            selector, label = expr.rsplit(",", 1)
            values = life.prometheus.label_values(selector, label.strip())
        else:
            # Grafana writes a series as text and takes what the regular expression captures.
            pattern = variable["regex"].strip("/")
            values = [
                re.search(pattern, "{%s}" % ",".join(f'{k}="{v}"' for k, v in labels.items()))[1]
                for labels, _ in life.prometheus.instant(expr, life.end)
            ]
        if variable["name"] in ("target", "worst"):
            assert sorted(values) == ["pg15", "pg18"], variable["name"]
        else:
            assert len(values) == 1, variable["name"]


def logged_starts(server: PostgresServer) -> dict[str, list[float]]:
    """Starts of completed checkpoints by the kind of annotation, from the server's own log."""
    starts: dict[str, list[float]] = {}
    pending = None
    for line in server._log_file.read_text(encoding="utf-8").splitlines():
        found = re.match(r"(\S+ \S+) UTC \[.* checkpoint (starting: (.*)|complete:)", line)
        if not found:
            continue
        if found[2].startswith("starting"):
            stamp = datetime.datetime.fromisoformat(found[1]).replace(tzinfo=datetime.timezone.utc)
            pending = (found[3], stamp.timestamp())
        elif pending:
            reasons, at = pending
            kind = ("forced by WAL" if "wal" in reasons else
                    "by timer" if "time" in reasons else "by request or restart")
            starts.setdefault(kind, []).append(at)
    return starts


def annotations(kind: str):
    return [a for a in DASHBOARDS["checkpoint-overview"]["annotations"]["list"] if kind in a["name"]]


@pytest.mark.parametrize("major", MAJORS)
def test_checkpoint_lines_are_the_servers_own_times(life, major):
    logged = logged_starts(life.servers[major])
    for mark in annotations("Checkpoint "):
        # A spacing above 25 steps is what the guard asks for: see with the smallest step there is.
        expr = life.fill(mark["expr"], major, interval_ms=1000).replace("* 1000 < ", "* 1 < ")
        series = life.prometheus.range(expr, life.begin, life.end)
        shown = sorted({value for _, points in series for _, value in points if value > 0})
        truth = logged[mark["name"].removeprefix("Checkpoint ")]
        assert len(shown) == len(truth), (mark["name"], shown, truth)
        for value, at in zip(shown, truth):
            assert abs(value / 1000 - at) < 0.010, mark["name"]


@pytest.mark.parametrize("major", MAJORS)
def test_checkpoint_lines_hide_where_they_would_melt(life, major):
    for mark in annotations("Checkpoint "):
        assert life.prometheus.range(life.fill(mark["expr"], major, 600_000), life.begin, life.end) == []


@pytest.mark.parametrize("major", MAJORS)
def test_a_changed_setting_is_one_mark(life, major):
    [mark] = annotations("Settings changed")
    series = life.prometheus.range(life.fill(mark["expr"], major), life.begin, life.end)
    [(labels, points)] = [(labels, [v for _, v in points]) for labels, points in series]
    assert labels["setting"] == "max_wal_size" and points == [1.0]


@pytest.mark.parametrize("major", MAJORS)
def test_the_start_of_the_server_is_marked(life, major):
    [mark] = annotations("Server started")
    series = life.prometheus.range(life.fill(mark["expr"], major), life.begin, life.end)
    [(_, points)] = series
    started = float(life.servers[major].value("SELECT extract(epoch FROM pg_postmaster_start_time())"))
    assert {round(value / 1000, 3) for _, value in points} == {round(started, 3)}
