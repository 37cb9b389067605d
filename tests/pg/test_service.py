# SPDX-License-Identifier: Apache-2.0
"""The exporter as a service: what it tells systemd, and that it always ends."""

import os
import shutil
import signal
import socket
import subprocess
import threading
import time

import pytest
from exporter import Exporter, Target
from postgres_server import wait_until

NOBODY = Target("nobody", "postgresql://u@127.0.0.1:1/x")


class Supervisor:
    """Listens as systemd does."""

    def __init__(self, directory):
        self.path = str(directory / "notify")
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.path)
        self.heard = []
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        while True:
            try:
                self.heard += self.socket.recv(4096).decode().splitlines()
            except OSError:
                return

    def environment(self, watchdog_microseconds=None):
        found = {"NOTIFY_SOCKET": self.path}
        if watchdog_microseconds:
            found["WATCHDOG_USEC"] = str(watchdog_microseconds)
        return found


@pytest.fixture
def supervisor(tmp_path):
    found = Supervisor(tmp_path)
    yield found
    found.socket.close()


def test_ready_reload_watchdog_stop(supervisor):
    with Exporter([NOBODY], environment=supervisor.environment(400_000)) as exporter:
        wait_until(lambda: supervisor.heard.count("WATCHDOG=1") >= 3, 10, "the watchdog")
        assert supervisor.heard[0] == "READY=1"
        exporter.signal(signal.SIGHUP)
        wait_until(lambda: supervisor.heard.count("READY=1") == 2, 10, "the end of the reload")
        reloading = supervisor.heard.index("RELOADING=1")
        assert supervisor.heard[reloading + 1].startswith("MONOTONIC_USEC=")
        assert reloading < len(supervisor.heard) - supervisor.heard[::-1].index("READY=1")
        assert exporter.stop() == 0
        assert "STOPPING=1" in supervisor.heard


HANGING_LOOKUP = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <string.h>
#include <unistd.h>
int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
                struct addrinfo **found) {
  if (node != 0 && strcmp(node, "hangs.invalid") == 0) {
    write(2, "lookup begins\\n", 14);
    sleep(600);
  }
  int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **) =
      dlsym(RTLD_NEXT, "getaddrinfo");
  return real(node, service, hints, found);
}
"""


@pytest.fixture
def hanging_lookup(tmp_path):
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    (tmp_path / "lookup.c").write_text(HANGING_LOOKUP)
    library = tmp_path / "lookup.so"
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-o", library, tmp_path / "lookup.c", "-ldl"], check=True
    )
    return {"LD_PRELOAD": str(library)}


def test_a_hanging_name_lookup_delays_neither_reload_nor_stop(hanging_lookup):
    if "ASAN_OPTIONS" in os.environ:
        pytest.skip("preloading does not go together with AddressSanitizer")
    hanging = Target("hanging", "postgresql://u@hangs.invalid/x")
    flags = ["--web.enable-lifecycle"]
    with Exporter([hanging, NOBODY], flags, hanging_lookup) as exporter:
        wait_until(lambda: "lookup begins" in exporter.log, 10, "the lookup")
        exporter.config_file.write_text(f"targets:\n{NOBODY.yaml()}\n")
        begin = time.monotonic()
        exporter.signal(signal.SIGHUP)
        exporter.wait(lambda p: p.values("up", target="hanging") == [], what="the reload")
        assert time.monotonic() - begin < 5
        begin = time.monotonic()
        assert exporter.stop() == 0
        assert time.monotonic() - begin < 6
        assert any("name lookup" in line for line in exporter.log)
