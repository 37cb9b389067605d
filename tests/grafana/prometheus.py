# SPDX-License-Identifier: Apache-2.0
"""A private Prometheus that scrapes one address every second, and its query API."""

from __future__ import annotations

import json
import pathlib
import subprocess
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

from postgres_server import free_port, wait_until

SCRAPE_SECONDS = 1


class Prometheus:
    """Runs inside the `with` block."""

    def __init__(self, address: str, job: str):
        self._directory = tempfile.TemporaryDirectory(prefix="prometheus-")
        directory = pathlib.Path(self._directory.name)
        (directory / "prometheus.yml").write_text(
            f"global: {{scrape_interval: {SCRAPE_SECONDS}s, scrape_timeout: {SCRAPE_SECONDS}s}}\n"
            "scrape_configs:\n"
            f"  - job_name: {job}\n    static_configs: [{{targets: ['{address}']}}]\n",
            encoding="utf-8",
        )
        self.url = f"http://127.0.0.1:{free_port()}"
        self._log = (directory / "log").open("w", encoding="utf-8")
        self._command = [
            "prometheus", f"--config.file={directory}/prometheus.yml",
            f"--storage.tsdb.path={directory}/data",
            f"--web.listen-address={self.url.removeprefix('http://')}",
        ]
        self._process: subprocess.Popen | None = None

    def __enter__(self) -> Prometheus:
        self._process = subprocess.Popen(
            self._command, stdin=subprocess.DEVNULL, stdout=self._log, stderr=subprocess.STDOUT)
        wait_until(self._ready, 20, "Prometheus")
        return self

    def __exit__(self, *_):
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.close()
        self._directory.cleanup()

    def _ready(self) -> bool:
        assert self._process.poll() is None, pathlib.Path(self._log.name).read_text()
        try:
            with urllib.request.urlopen(self.url + "/-/ready", timeout=5) as answer:
                return answer.status == 200
        except OSError:
            return False

    def _get(self, path: str, **parameters):
        url = f"{self.url}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
        try:
            with urllib.request.urlopen(url, timeout=30) as answer:
                return json.load(answer)["data"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{parameters}: {error.read().decode()}") from None

    def instant(self, expr: str, at: float | None = None) -> list[tuple[dict, list]]:
        """Series as (labels, [(time, value)])."""
        data = self._get("query", query=expr, time=at or time.time())
        if data["resultType"] == "scalar":
            return [({}, [(data["result"][0], float(data["result"][1]))])]
        return [(s["metric"], [(s["value"][0], float(s["value"][1]))]) for s in data["result"]]

    def range(self, expr: str, begin: float, end: float, step=1) -> list[tuple[dict, list]]:
        data = self._get("query_range", query=expr, start=begin, end=end, step=step)
        return [(s["metric"], [(t, float(v)) for t, v in s["values"]]) for s in data["result"]]

    def label_values(self, selector: str, label: str) -> list[str]:
        return self._get(f"label/{label}/values", **{"match[]": selector})
