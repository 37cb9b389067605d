# SPDX-License-Identifier: Apache-2.0
"""The live page in a real browser, over a real exporter and a real server under load.

page.mjs drives Chromium and tells what it saw. Pictures are left in $PAGE_PICTURES to be looked at.
"""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "pg"))

from exporter import Exporter, Target  # noqa: E402
from postgres_server import PostgresServer, available_majors, wait_until  # noqa: E402

DRIVER = os.environ.get("PAGE_DRIVER", str(HERE / "page.mjs"))
TARGETS = 1000


def look(what: str, url: str, pictures: pathlib.Path) -> dict:
    done = subprocess.run(
        ["node", DRIVER, what, url, str(pictures)],
        capture_output=True, text=True, timeout=300, check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def pictures(tmp_path_factory) -> pathlib.Path:
    given = os.environ.get("PAGE_PICTURES")
    path = pathlib.Path(given) if given else tmp_path_factory.mktemp("pictures")
    path.mkdir(parents=True, exist_ok=True)
    return path


@pytest.fixture(scope="module")
def server():
    majors = available_majors()
    if not majors:
        pytest.skip("no PostgreSQL here: run tests/pg/fetch_postgres.sh")
    # Small segments, so that a light load forces a checkpoint every ten seconds or so.
    conf = {"max_wal_size": "12MB", "min_wal_size": "2MB", "checkpoint_timeout": "30s",
            "checkpoint_completion_target": 0.5, "checkpoint_warning": 0}
    major = 15 if 15 in majors else majors[-1]
    with PostgresServer(major, conf=conf, initdb_args=["--wal-segsize=1"]) as running:
        running.pgbench("-i", "-q", "-s", 3)
        load = running.start_pgbench("-n", "-c", 2, "-R", 60, "-T", 900)
        try:
            yield running
        finally:
            load.terminate()
            load.communicate()


@pytest.fixture(scope="module")
def exporter(server):
    log = f"log: {{path: '{server.log_path}'}}"
    target = Target("orders-primary", server.dsn("monitor"),
                    ("pulse_interval: 1s", "survey_interval: 5s", log))
    with Exporter([target]) as running:
        running.wait_up("orders-primary")
        yield running


def api(exporter, path: str):
    status, headers, text = exporter.get(path)
    assert status == 200, text
    assert headers["Content-Type"] == "application/json"
    return json.loads(text)


def test_charts_show_the_checkpoints_of_the_api(server, exporter, pictures):
    begin = api(exporter, "/api/v1/timeline?points=1")["server_now"]

    def enough():
        events = api(exporter, "/api/v1/events")["events"]
        return sum(e["reason"] == "wal" and e.get("start", 0) > begin for e in events) >= 3

    wait_until(enough, 120, "three forced checkpoints")
    server.psql("CHECKPOINT")
    wait_until(lambda: any(e["reason"] == "request"
                           for e in api(exporter, "/api/v1/events")["events"]), 30, "a request")
    events = api(exporter, "/api/v1/events")["events"]
    seen = look("charts", exporter.url("/"), pictures)
    assert seen["console"] == []
    assert seen["canvases"] == 3

    # Each checkpoint that the API tells stands in the chart, at its time and in its look.
    drawn = seen["drawn"]
    bands = {round(b["from"], 2): b for b in drawn["bands"]}
    checked = 0
    for event in events:
        if event.get("start", 0) < drawn["from"] or "end" not in event:
            continue
        band = bands[round(event["start"], 2)]
        assert band["look"] == event["reason"]
        scale = drawn["width"] / (drawn["to"] - drawn["from"])
        assert band["left"] == pytest.approx((event["start"] - drawn["from"]) * scale, abs=1.5)
        assert band["right"] == pytest.approx((event["end"] - drawn["from"]) * scale, abs=1.5)
        if band["right"] - band["left"] >= 9:
            assert band["tint"][3] > 20, "no band is drawn there"
        checked += 1
    assert checked >= 4
    assert {b["look"] for b in drawn["bands"]} >= {"wal", "request"}

    assert re.search(r"slowest [\d.]+ (µs|ms|s).*median", seen["values"][0])
    assert "forced at" in seen["values"][1] and "checkpointer" in seen["values"][2]
    assert re.search(r"(running|No checkpoint)", seen["phase"])
    assert re.search(r"Last checkpoint ended \d+ s ago", seen["story"])
    assert re.fullmatch(r"\d\d:\d\d:\d\d", seen["time"]), "times are those of the reader"
    assert len(set(seen["cursors"])) == 1 and "translate" in seen["cursors"][0]
    assert seen["pressed"] == [["1 h"], ["6 h"], ["10 min"]]
    assert seen["keptRows"]
    assert seen["logPressed"] == "true"
    assert seen["paused"] == "Paused"
    assert [name for name, _ in seen["themes"]] == ["Theme: light", "Theme: dark", "Theme: auto"]
    assert seen["themes"][0][1] == seen["themes"][2][1] != seen["themes"][1][1]
    assert len({tab["id"] for tab in seen["tabs"]}) >= 8
    assert all(tab["outline"] != "none" for tab in seen["tabs"])
    assert seen["phoneOverflow"] == 0
    assert seen["offline"].startswith("No answer since")
    assert seen["offlineMessages"] == []


def test_everything_but_charts_without_javascript(exporter, pictures):
    seen = look("plain", exporter.url("/"), pictures)
    assert seen["console"] == []
    events = api(exporter, "/api/v1/events")["events"]
    assert min(len(events), 50) - 1 <= seen["rows"] <= 50
    assert seen["rows"] >= 1
    assert seen["header"][:3] == ["Began", "Reason", "Took"]
    assert seen["time"].endswith(" UTC")
    assert seen["noscript"]
    assert seen["buttons"] == 0, "a button that does nothing"


def test_every_file_of_the_page_is_served(exporter):
    status, headers, page = exporter.get("/")
    assert status == 200
    assert "require-trusted-types-for 'script'" in headers["Content-Security-Policy"]
    assert headers["Cache-Control"] == "no-store"
    paths = set(re.findall(r'(?:href|src)="(assets/[^"]+)"', page))
    assert len(paths) >= 7
    for path in paths:
        status, headers, content = exporter.get("/" + path)
        assert status == 200 and content
        assert "immutable" in headers["Cache-Control"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        again = exporter.get("/" + path, {"If-None-Match": headers["ETag"]})
        assert again[0] == 304
    for path in re.findall(r'<a href="([^"?#][^"]*)"', page):
        assert exporter.get("/" + path.removeprefix("./"))[0] == 200


def test_a_thousand_targets_stay_usable(server, pictures):
    lines = ["defaults:", "  pulse_interval: 1m", "  survey_interval: 1h", "targets:"]
    for number in range(TARGETS):
        # One answers; the others find nobody.
        dsn = server.dsn("monitor") if number == 42 else "host=127.0.0.1 port=1 user=monitor"
        lines.append(f"- {{name: db-{number:04d}, dsn: '{dsn}'}}")
    with Exporter(config="\n".join(lines) + "\n") as exporter:
        exporter.wait_up("db-0042", seconds=90)
        seen = look("fleet", exporter.url("/"), pictures)
    assert seen["console"] == []
    assert seen["rows"] == TARGETS
    assert seen["first"] != "db-0042", "those in trouble come first"
    assert len(seen["filtered"]) == 1 and seen["filtered"][0].startswith("db-0042")
    assert seen["count"] == f"1 of {TARGETS}"
    assert seen["title"] == "db-0042"
    assert seen["address"].endswith("?target=db-0042")
    assert seen["phoneOverflow"] == 0
