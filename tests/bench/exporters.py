#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What watching one server costs, beside Debian's prometheus-postgres-exporter in the same run.

    tests/bench/exporters.py [--major 15] [--pulses 30] [--scrapes 200] [--targets N]

Prints, and asserts nothing: statements, round trips and bytes a pulse, CPU a pulse and a scrape,
resident memory, scrape latency. The other exporter runs with its bgwriter and wal collectors only,
and does its queries at each scrape. Needs a release build and the Debian package.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/pg"))
os.environ.setdefault("PGCHECKPOINT_EXPORTER", str(ROOT / "build/release/pgcheckpoint_exporter"))

from exporter import Exporter, Target  # noqa: E402
from postgres_server import PostgresServer, free_port, wait_until  # noqa: E402

TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds(pid):
    """To the nanosecond: /proc/PID/schedstat, summed over the threads."""
    total = 0
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        total += int((task / "schedstat").read_text().split()[0])
    return total / 1e9


def resident_mb(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


def received_bytes(pid, port):
    """Bytes received so far from the server by the process, over TCP."""
    text = subprocess.run(
        ["ss", "-tinHp", "dport", "=", f":{port}"], capture_output=True, text=True
    ).stdout.split("\n")
    total = 0
    for head, info in zip(text[::2], text[1::2]):
        if f"pid={pid}," in head:
            for word in info.split():
                if word.startswith("bytes_received:"):
                    total += int(word.split(":")[1])
    return total


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def scrape(url, count):
    """Latencies in ms and the size of the page."""
    latencies, size = [], 0
    for _ in range(count):
        begin = time.perf_counter()
        with urllib.request.urlopen(url) as answer:
            size = len(answer.read())
        latencies.append((time.perf_counter() - begin) * 1000)
    return latencies, size


def row(name, value):
    print(f"  {name:<34} {value}")


def measure_scrapes(pid, url, count, name):
    before = cpu_seconds(pid)
    latencies, size = scrape(url, count)
    cpu = (cpu_seconds(pid) - before) / count * 1000
    row("CPU a scrape", f"{cpu:.3f} ms")
    row("scrape latency p50 / p99", f"{percentile(latencies, .5):.2f} / {percentile(latencies, .99):.2f} ms")
    row("page", f"{size / 1024:.0f} kB")
    row("resident memory", f"{resident_mb(pid):.1f} MB")
    return cpu, percentile(latencies, 0.5)


def ours(server, options):
    settings = ("pulse_interval: 1s", "survey_interval: 15s")
    targets = [Target(f"t{i}", server.dsn(), settings) for i in range(options.targets)]
    with Exporter(targets) as exporter:
        pid = exporter.process.pid
        exporter.wait_polls("t0", 1, seconds=60)
        statements = len(server.log_lines(r" pgcheckpoint_exporter LOG:  (statement|execute)"))
        begin = exporter.metrics()
        bytes_before, cpu = received_bytes(pid, server.port), cpu_seconds(pid)
        pulses = sum(v for _, v in begin.values("pulses_total"))
        surveys = sum(v for _, v in begin.values("surveys_total"))
        wanted = pulses + options.pulses * options.targets
        while sum(v for _, v in exporter.metrics().values("pulses_total")) < wanted:
            time.sleep(1)
        end = exporter.metrics()
        done = sum(v for _, v in end.values("pulses_total")) - pulses
        surveyed = sum(v for _, v in end.values("surveys_total")) - surveys
        said = len(server.log_lines(r" pgcheckpoint_exporter LOG:  (statement|execute)")) - statements
        print(f"pgcheckpoint_exporter, {options.targets} target(s), {done:.0f} pulses, {surveyed:.0f} surveys")
        row("connections", f"{sum(v for _, v in end.values('connects_total')):.0f}")
        row("statements a pulse / a survey", f"{(said - 2 * surveyed) / done:.2f} / 2")
        row("bytes from the server a pulse", f"{(received_bytes(pid, server.port) - bytes_before) / done:.0f} (surveys included)")
        row("CPU a pulse", f"{(cpu_seconds(pid) - cpu) / done * 1000:.3f} ms (surveys included)")
        return measure_scrapes(pid, exporter.url(), options.scrapes, "ours")


def theirs(server, options):
    binary = shutil.which("prometheus-postgres-exporter")
    if not binary:
        sys.exit("install Debian's prometheus-postgres-exporter to compare")
    port = free_port()
    flags = subprocess.run([binary, "--help"], capture_output=True, text=True)
    collectors = [
        line.split("--[no-]collector.")[1].split()[0]
        for line in (flags.stdout + flags.stderr).splitlines()
        if "--[no-]collector." in line
    ]
    off = [f"--no-collector.{name}" for name in collectors if name not in ("stat_bgwriter", "wal")]
    disable = ["--disable-default-metrics", "--disable-settings-metrics"]
    process = subprocess.Popen(
        [binary, f"--web.listen-address=127.0.0.1:{port}", *disable, *off],
        env={"DATA_SOURCE_NAME": server.dsn() + "?sslmode=disable"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        url = f"http://127.0.0.1:{port}/metrics"

        def answers():
            try:
                return b"pg_up 1" in urllib.request.urlopen(url).read()
            except OSError:
                return False

        wait_until(answers, 30, "prometheus-postgres-exporter")
        print("prometheus-postgres-exporter, its bgwriter and wal collectors")
        before = len(server.log_lines(r"LOG:  (statement|execute)"))
        result = measure_scrapes(process.pid, url, max(20, options.scrapes // 4), "theirs")
        said = len(server.log_lines(r"LOG:  (statement|execute)")) - before
        row("statements a scrape", f"{said / max(20, options.scrapes // 4):.1f}")
        return result
    finally:
        process.kill()
        process.wait()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--major", type=int, default=15)
    parser.add_argument("--pulses", type=int, default=30)
    parser.add_argument("--scrapes", type=int, default=200)
    parser.add_argument("--targets", type=int, default=1)
    parser.add_argument("--alone", action="store_true", help="without the other exporter")
    options = parser.parse_args()
    conf = {"log_statement": "all", "log_line_prefix": "%m [%p] %a "}
    conf["max_connections"] = options.targets + 20
    with PostgresServer(options.major, conf=conf) as server:
        ours_cpu, ours_ms = ours(server, options)
        if not options.alone:
            theirs_cpu, theirs_ms = theirs(server, options)
            print("theirs over ours")
            row("CPU a scrape", f"{theirs_cpu / ours_cpu:.1f} times")
            row("scrape latency p50", f"{theirs_ms / ours_ms:.1f} times")


if __name__ == "__main__":
    main()
