# SPDX-License-Identifier: Apache-2.0
"""The exporter under test, as a process, and what it serves.

    with Exporter([Target("main", server.dsn("monitor"))]) as exporter:
        exporter.wait_polls(2)
        page = exporter.metrics()
        assert page.value("up", target="main") == 1

The binary is $PGCHECKPOINT_EXPORTER, else that of build/dev. It listens on a free port of
127.0.0.1 and ends with the `with` block. Every wait has a deadline.
"""

from __future__ import annotations

import dataclasses
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import threading
import urllib.error
import urllib.request

from postgres_server import wait_until

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PREFIX = "pgcheckpoint_"
START_SECONDS = 20.0


def binary() -> str:
    return os.environ.get("PGCHECKPOINT_EXPORTER") or str(ROOT / "build/dev/pgcheckpoint_exporter")


@dataclasses.dataclass
class Target:
    """A target of the configuration file; `settings` are further YAML lines of it."""

    name: str
    dsn: str
    settings: tuple[str, ...] = ("pulse_interval: 500ms", "survey_interval: 1s")

    def yaml(self) -> str:
        lines = [f"- name: {self.name}", f"  dsn: '{self.dsn}'"]
        return "\n".join(lines + [f"  {line}" for line in self.settings])


_SAMPLE = re.compile(r'^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$')
_LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"(?:,|$)')


class Page:
    """One exposition: samples by name and labels."""

    def __init__(self, text: str):
        self.text = text
        self.samples: dict[str, list[tuple[dict[str, str], float]]] = {}
        for line in text.splitlines():
            if line.startswith("#") or not line:
                continue
            found = _SAMPLE.match(line)
            assert found, f"not a sample: {line!r}"
            labels = dict(_LABEL.findall(found[2] or ""))
            self.samples.setdefault(found[1], []).append((labels, float(found[3])))

    def values(self, name: str, /, **labels: str) -> list[tuple[dict[str, str], float]]:
        """Samples of the family, without the prefix, that have at least these labels."""
        return [
            (have, value)
            for have, value in self.samples.get(PREFIX + name, [])
            if all(have.get(k) == v for k, v in labels.items())
        ]

    def value(self, name: str, /, **labels: str) -> float | None:
        """The one such sample; None when there is none."""
        found = self.values(name, **labels)
        assert len(found) <= 1, f"{name} {labels}: {found}"
        return found[0][1] if found else None


class Exporter:
    """The process. arguments: further flags. environment: further variables."""

    def __init__(self, targets=(), arguments=(), environment=None, config=None):
        self._directory = tempfile.TemporaryDirectory(prefix="exporter-")
        self.directory = pathlib.Path(self._directory.name)
        self.config_file = self.directory / "config.yml"
        self._arguments = list(arguments)
        self._environment = environment or {}
        self.log: list[str] = []
        self.addresses: list[str] = []
        self.process: subprocess.Popen | None = None
        if config is None and targets:
            config = "targets:\n" + "\n".join(t.yaml() for t in targets) + "\n"
        self.config = config
        if config is not None:
            self.config_file.write_text(config, encoding="utf-8")

    def __enter__(self) -> Exporter:
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()
        self._directory.cleanup()

    def start(self):
        command = [binary(), "--web.listen-address=127.0.0.1:0", *self._arguments]
        if self.config is not None:
            command.append(f"--config.file={self.config_file}")
        keep = ("PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "ASAN_OPTIONS", "TSAN_OPTIONS")
        environment = {k: os.environ[k] for k in keep if k in os.environ}
        self.process = subprocess.Popen(
            command,
            env={**environment, **self._environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )
        self._reader = threading.Thread(target=self._read_log, daemon=True)
        self._reader.start()
        wait_until(
            lambda: self.addresses or self.process.poll() is not None, START_SECONDS, "the exporter"
        )
        assert self.addresses, "\n".join(self.log)

    def _read_log(self):
        for line in self.process.stderr:
            self.log.append(line.rstrip("\n"))
            found = re.search(r"msg=listening address=(\S+)", line)
            if found:
                self.addresses.append(found[1].strip('"'))

    def signal(self, number: int):
        self.process.send_signal(number)

    def stop(self, seconds=10.0) -> int:
        """Ends it as systemd would; returns the exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise
        self._reader.join(seconds)
        return status

    def url(self, path="/metrics") -> str:
        return f"http://{self.addresses[0]}{path}"

    def get(self, path="/metrics", headers=None, seconds=10.0) -> tuple[int, dict, str]:
        request = urllib.request.Request(self.url(path), headers=headers or {})
        try:
            with urllib.request.urlopen(request, timeout=seconds) as answer:
                return answer.status, dict(answer.headers), answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, dict(error.headers), error.read().decode()

    def metrics(self) -> Page:
        status, _, text = self.get()
        assert status == 200, text
        return Page(text)

    def wait(self, condition, seconds=20.0, what="a state") -> Page:
        """Waits until condition(page) holds; returns that page."""
        found: list[Page] = []

        def holds():
            page = self.metrics()
            if condition(page):
                found.append(page)
            return bool(found)

        try:
            wait_until(holds, seconds, what)
        except Exception as error:
            raise AssertionError(f"{error}\n" + "\n".join(self.log[-20:])) from error
        return found[-1]

    def wait_up(self, target: str, up=1, seconds=20.0) -> Page:
        return self.wait(lambda page: page.value("up", target=target) == up, seconds, f"up {up}")

    def wait_polls(self, target: str, count=2, seconds=20.0) -> Page:
        """Waits until so many pulses and surveys more have been made, beginning now."""
        begin = self.metrics()
        pulses = begin.value("pulses_total", target=target) or 0
        surveys = begin.value("surveys_total", target=target) or 0
        return self.wait(
            lambda page: page.value("pulses_total", target=target) >= pulses + count
            and page.value("surveys_total", target=target) >= surveys + count,
            seconds,
            f"{count} polls",
        )
