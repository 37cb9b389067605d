# SPDX-License-Identifier: Apache-2.0
"""A new configuration while running: by signal, over HTTP, from target files; all or nothing."""

import json
import os
import signal
import urllib.error
import urllib.request

import pytest
from exporter import Exporter, Target
from postgres_server import PostgresServer, available_majors, wait_until

NEWEST = available_majors()[-1:] or [0]
NOBODY = Target("nobody", "postgresql://u@127.0.0.1:1/x")


@pytest.fixture(scope="module")
def server():
    with PostgresServer(NEWEST[0]) as running:
        yield running


def write(exporter, *targets):
    text = "targets:\n" + "\n".join(target.yaml() for target in targets) + "\n"
    exporter.config_file.write_text(text, encoding="utf-8")


def post(exporter, path="/-/reload"):
    request = urllib.request.Request(exporter.url(path), method="POST", data=b"")
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def names(page):
    return sorted(labels["target"] for labels, _ in page.values("up"))


def test_a_reload_touches_only_what_has_changed(server):
    kept, changed, gone = (Target(n, server.dsn()) for n in ("kept", "changed", "gone"))
    with Exporter([kept, changed, gone], ["--web.enable-lifecycle"]) as exporter:
        for name in ("kept", "changed", "gone"):
            exporter.wait_up(name)
        page = exporter.wait_polls("kept", 3)
        assert page.value("config_last_reload_successful") == 1
        started = page.value("config_last_reload_success_timestamp_seconds")
        pulses = page.value("pulses_total", target="kept")
        changed = Target("changed", server.dsn(), ("pulse_interval: 1s",))
        write(exporter, kept, changed, Target("new", server.dsn()))
        status, text = post(exporter)
        assert (status, "loaded" in text) == (200, True), text
        page = exporter.metrics()
        assert names(page) == ["changed", "kept", "new"]
        # The same worker and connection go on.
        assert page.value("pulses_total", target="kept") >= pulses
        assert page.value("connects_total", target="kept") == 1
        assert page.value("config_last_reload_success_timestamp_seconds") >= started
        exporter.wait_up("new")
        exporter.wait_up("changed")
        count = (
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'pgcheckpoint_exporter'"
        )
        wait_until(lambda: server.value(count) == "3", 10, "only the connections in use")


@pytest.mark.parametrize("how", ["signal", "http"])
def test_a_bad_file_changes_nothing_and_is_told(how):
    with Exporter([NOBODY], ["--web.enable-lifecycle"]) as exporter:
        before = exporter.metrics().value("config_last_reload_success_timestamp_seconds")
        good = exporter.config_file.read_text()
        exporter.config_file.write_text(good + "  pulse_intervall: 1s\n")

        def reload():
            if how == "http":
                return post(exporter)
            exporter.signal(signal.SIGHUP)
            return None

        answer = reload()
        place = f"{exporter.config_file}:6:3: unknown key `pulse_intervall`"
        wait_until(lambda: any(place in line for line in exporter.log), 10, "the log record")
        if answer:
            assert answer[0] == 500 and place in answer[1], answer
        page = exporter.metrics()
        assert names(page) == ["nobody"]
        assert page.value("config_last_reload_successful") == 0
        assert page.value("config_last_reload_success_timestamp_seconds") == before
        exporter.config_file.write_text(good)
        reload()
        page = exporter.wait(lambda p: p.value("config_last_reload_successful") == 1)
        assert page.value("config_last_reload_success_timestamp_seconds") > before


def test_reload_over_http_is_off_by_default():
    with Exporter([NOBODY]) as exporter:
        status, text = post(exporter)
        assert status == 403 and "--web.enable-lifecycle" in text
        status, headers, _ = exporter.get("/-/reload")
        assert status == 405 and headers["Allow"] == "POST"


def test_target_files_are_followed(tmp_path):
    def entry(name):
        return {"name": name, "dsn": "postgresql://u@127.0.0.1:1/x"}

    def put(name, entries):
        (tmp_path / "next").write_text(entries if isinstance(entries, str) else json.dumps(entries))
        os.rename(tmp_path / "next", tmp_path / name)

    put("a.json", [entry("one")])
    config = f"targets:\n{NOBODY.yaml()}\ntarget_files: ['{tmp_path}/*.json']\n"
    with Exporter(config=config) as exporter:
        assert names(exporter.metrics()) == ["nobody", "one"]
        # What else has changed takes effect only at a reload.
        exporter.config_file.write_text("targets: not a list")
        put("b.json", [entry("two")])
        exporter.wait(lambda p: names(p) == ["nobody", "one", "two"], what="a new file")
        put("a.json", [entry("one"), entry("three")])
        exporter.wait(lambda p: "three" in names(p), what="a changed file")
        put("a.json", '[{"name": "four", "dns": "x"}]')
        page = exporter.wait(
            lambda p: p.value("config_last_reload_successful") == 0, what="a bad file"
        )
        assert names(page) == ["nobody", "one", "three", "two"]
        assert any("a.json:1:19: unknown key `dns`; did you mean `dsn`?" in s for s in exporter.log)
        put("a.json", [entry("two")])
        wait_until(lambda: any("b.json:1:" in s for s in exporter.log), 20, "the clash of names")
        put("a.json", [])
        page = exporter.wait(lambda p: names(p) == ["nobody", "two"], what="a shorter file")
        assert page.value("config_last_reload_successful") == 1
        os.remove(tmp_path / "b.json")
        exporter.wait(lambda p: names(p) == ["nobody"], what="a file that is gone")
