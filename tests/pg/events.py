# SPDX-License-Identifier: Apache-2.0
"""What a server's log says of its checkpoints, and what the exporter's metrics say of them.

The log is parsed by regular expressions of its own, which share nothing with the exporter's parser:
logged_checkpoints(server). EventWatch scrapes so often that each change of the counts of events is
seen with the times and numbers that came with it. compare() holds one against the other.
"""

from __future__ import annotations

import collections
import dataclasses
import datetime
import re
import threading

import pytest
from exporter import PREFIX, Page

# What is the same in every language: the stamp, PostgreSQL's words for the causes, and the order and
# shape of the numbers. A German server writes some of them with a comma.
_STAMP = r"^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}) UTC \[\d+\] (?:\w[\w ]* )?LOG:  "
_CAUSES = r"shutdown|end-of-recovery|immediate|force|wait|wal|xlog|time|flush-all"
_STAMPED = re.compile(_STAMP)
_START = re.compile(_STAMP + rf"([^:]+):((?: (?:{_CAUSES}))+)$")
_SECONDS = re.compile(r"=(\d+[.,]\d+)")
_KILOBYTES = re.compile(r"=(\d+) kB")
TOO_FREQUENT = r"LOG:  checkpoints are occurring too frequently"


@dataclasses.dataclass
class Logged:
    """One completed checkpoint of the log. Times in Unix seconds."""

    kind: str
    reason: str
    start: float
    end: float
    write: float
    sync: float
    total: float
    longest: float
    distance: int
    estimate: int


def _unix(stamp: str) -> float:
    at = datetime.datetime.strptime(stamp, "%Y-%m-%d %H:%M:%S.%f")
    return at.replace(tzinfo=datetime.timezone.utc).timestamp()


def reason_of(words: str) -> str:
    """The reason that PostgreSQL's own words stand for."""
    said = set(words.split())
    if said & {"shutdown", "end-of-recovery"}:
        return "restart"
    if said & {"wal", "xlog"}:
        return "wal"
    return "time" if said == {"time"} else "request"


def checkpoints_of(lines: list[str]) -> list[Logged]:
    """Those that were completed, in the order in which they were."""
    found = []
    begun = None
    for line in lines:
        if start := _START.match(line):
            begun = start
        elif (kilobytes := _KILOBYTES.findall(line)) and (complete := _STAMPED.match(line)):
            assert begun, line
            write, sync, total, longest, _ = (
                float(text.replace(",", ".")) for text in _SECONDS.findall(line)
            )
            found.append(
                Logged(
                    "restartpoint" if begun[2].startswith("restartpoint") else "checkpoint",
                    reason_of(begun[3]),
                    _unix(begun[1]),
                    _unix(complete[1]),
                    write,
                    sync,
                    total,
                    longest,
                    *(int(text) * 1024 for text in kilobytes),
                )
            )
            begun = None
    return found


def logged_checkpoints(server) -> list[Logged]:
    return checkpoints_of(server.log_lines())


@dataclasses.dataclass
class Seen:
    """What changed from one state of a target to the next: `count` events by (kind, reason), and of
    the last of each its start and end; by kind, what the sums of durations rose by and the
    numbers of the last one."""

    counts: dict[tuple[str, str], int]
    start: dict[tuple[str, str], float | None]
    end: dict[tuple[str, str], float | None]
    seconds: dict[tuple[str, str], float]  # by kind and phase
    numbers: dict[tuple[str, str], float]  # by kind and gauge

    @property
    def total(self) -> int:
        return sum(self.counts.values())


_GAUGES = ("event_distance_bytes", "event_estimate_bytes", "event_longest_sync_seconds")
_WANTED = tuple(PREFIX + name for name in ("event", "last_", "too_frequent", "in_progress"))


class EventWatch:
    """Scrapes an exporter on a thread of its own, for a `with` block."""

    def __init__(self, exporter):
        self._exporter = exporter
        self._ending = threading.Event()
        self._changed = threading.Condition()
        self._seen: dict[str, list[Seen]] = {}
        self._page = Page("")
        self.error: BaseException | None = None

    def __enter__(self) -> EventWatch:
        self._first = self._page = self._scrape()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ending.set()
        self._thread.join()

    def seen(self, target: str) -> list[Seen]:
        with self._changed:
            return list(self._seen.get(target, []))

    def first_count(self, target: str) -> int:
        """Events of the target when the watch began."""
        return int(sum(value for _, value in self._first.values("events_total", target=target)))

    def wait_count(self, target: str, count, seconds=30.0):
        """Waits until so many were seen; `count` is called each time, as the log may still grow."""

        def enough():
            assert self.error is None, self.error
            return sum(one.total for one in self._seen.get(target, [])) >= count()

        with self._changed:
            if not self._changed.wait_for(enough, seconds):
                raise AssertionError(
                    f"{target}: {count()} in the log, seen {self._seen.get(target)}"
                )

    def _scrape(self) -> Page:
        status, _, text = self._exporter.get()
        assert status == 200, text
        return Page("\n".join(line for line in text.splitlines() if line.startswith(_WANTED)))

    def _run(self):
        try:
            while not self._ending.wait(0.04):
                self._take(self._scrape())
        except BaseException as error:  # noqa: BLE001: told by the thread that waits
            self.error = error

    def _take(self, page: Page):
        before, self._page = self._page, page
        earlier = {_id(labels): value for labels, value in before.values("events_total")}
        changes: dict[str, dict[tuple[str, str], int]] = {}
        for labels, value in page.values("events_total"):
            rise = int(value - earlier.get(_id(labels), 0))
            assert rise >= 0, (labels, value)
            if rise:
                by_reason = changes.setdefault(labels["target"], {})
                by_reason[labels["kind"], labels["reason"]] = rise
        with self._changed:
            for target, counts in changes.items():
                self._seen.setdefault(target, []).append(_seen(before, page, target, counts))
            self._changed.notify_all()


def _id(labels):
    return (labels["target"], labels["kind"], labels["reason"])


def _seen(before: Page, page: Page, target: str, counts) -> Seen:
    def last(what, key):
        return page.value(
            f"last_{what}_timestamp_seconds", target=target, kind=key[0], reason=key[1]
        )

    seconds, numbers = {}, {}
    for kind in {key[0] for key in counts}:
        for phase in ("write", "sync", "total"):
            labels = {"target": target, "kind": kind, "phase": phase}
            name = "event_duration_seconds_sum"
            rise = (page.value(name, **labels) or 0) - (before.value(name, **labels) or 0)
            seconds[kind, phase] = rise
        for gauge in _GAUGES:
            numbers[kind, gauge] = page.value(gauge, target=target, kind=kind)
    return Seen(
        counts,
        {key: last("start", key) for key in counts},
        {key: last("end", key) for key in counts},
        seconds,
        numbers,
    )


def compare(seen: list[Seen], logged: list[Logged], from_log: bool, close=frozenset()):
    """Every event of the log was seen, in its order, with its reason and times; and nothing else.

    from_log: to 10 ms and with the printed numbers; else, from statistics, to 1 s. close: places in
    the log, of which only the number and the end of the last are compared."""
    within = 0.010 if from_log else 1.0
    rest = list(logged)
    for one in seen:
        assert len(rest) >= one.total, ("not in the log", one)
        place = len(logged) - len(rest)
        group, rest = rest[: one.total], rest[one.total :]
        if close & set(range(place, place + one.total)):
            ends = [end for end in one.end.values() if end is not None]
            assert max(ends) == pytest.approx(group[-1].end, rel=0, abs=within), (one, group)
            continue
        counted = collections.Counter((e.kind, e.reason) for e in group)
        assert one.counts == dict(counted), (one, group)
        newest = {(e.kind, e.reason): e for e in group}
        for key, event in newest.items():
            assert one.start[key] == pytest.approx(event.start, rel=0, abs=within), (one, event)
            assert one.end[key] == pytest.approx(event.end, rel=0, abs=within), (one, event)
        if from_log:
            _compare_numbers(one, group)
    assert not rest, ("not seen", rest)


def _compare_numbers(one: Seen, group: list[Logged]):
    for kind in {event.kind for event in group}:
        events = [event for event in group if event.kind == kind]
        for phase in ("write", "sync", "total"):
            told = sum(getattr(event, phase) for event in events)
            assert one.seconds[kind, phase] == pytest.approx(told, rel=0, abs=1e-6), (phase, one)
        last = events[-1]
        for gauge, told in zip(_GAUGES, (last.distance, last.estimate, last.longest)):
            assert one.numbers[kind, gauge] == pytest.approx(told, rel=0, abs=1e-6), (gauge, one)
