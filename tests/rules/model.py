# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL server, its exporter and the Prometheus that scrapes it, second by second.

The server decides on its own, as PostgreSQL does, when a checkpoint runs: the timer (start to start,
skipped when no WAL was written), the WAL volume since the redo point, somebody's request, a restart.
So a scenario says what happens to a server (load, requests, accidents), not which series follow, and
the series of one scenario cannot contradict each other.

Times are seconds since the start of the test, which is also what time() says under promtool.
"""

from dataclasses import dataclass, field
from typing import Callable, Optional

MIB = 1024 * 1024
GIB = 1024 * MIB
SEGMENT = 16 * MIB
PAGE = 8192
SNAPSHOT_SECONDS = 15  # finest scrape interval; every other one is a multiple of it

KINDS = ("checkpoint", "restartpoint")
REASONS = ("restart", "wal", "request", "time")

# What a server of this load does in a second, unless a scenario says otherwise.
HEALTHY_RATES = {
    "checkpointer": 40.0,
    "bgwriter": 10.0,
    "backend": 5.0,
    "allocated": 60.0,
    "fsyncs": 0.0,
    "maxwritten": 0.01,
}


@dataclass
class Step:
    """A piecewise constant function of time: the value of the last entry whose time has come."""

    points: list

    def __call__(self, second: float) -> float:
        value = self.points[0][1]
        for start, new in self.points:
            if second < start:
                break
            value = new
        return value


def step(value) -> Callable[[float], float]:
    return value if isinstance(value, Step) else lambda second: value


@dataclass
class Story:
    """What happens. Lists are of seconds, or of (from, to) pairs of seconds."""

    hours: float = 3
    timeout: object = 300  # checkpoint_timeout; may change over time
    completion_target: float = 0.9
    warning: float = 30  # checkpoint_warning
    max_wal_size: int = GIB
    wal_keep_size: int = 0
    forced_every: Optional[object] = None  # WAL rate that forces a checkpoint this often; None: light load
    wal_rate: Optional[object] = None  # bytes a second, in place of forced_every
    requests: list = field(default_factory=list)
    restarts: list = field(default_factory=list)  # clean: shutdown checkpoint, 45 s away
    crashes: list = field(default_factory=list)  # 90 s away, counters lost, end-of-recovery checkpoint
    failovers: list = field(default_factory=list)  # (second, factor): another server, counters times factor
    stats_resets: list = field(default_factory=list)
    exporter_restarts: list = field(default_factory=list)  # 40 s away, its own counters at 0
    exporter_down: list = field(default_factory=list)
    target_down: list = field(default_factory=list)
    failing: list = field(default_factory=list)  # periods in which every checkpoint ends in an error
    stuck: list = field(default_factory=list)  # periods in which no checkpoint begins and none ends
    stretch: object = 1.0  # factor on the length of the write phase
    sync_seconds: object = 0.2
    standby: bool = False
    # good, blind (from blind_from on), unreadable, foreign (lines not understood), none (not followed)
    log: str = "good"
    log_failures: bool = True  # the log tells failures one by one; else they are known at the success
    blind_from: float = 0
    rates: dict = field(default_factory=dict)  # over HEALTHY_RATES
    fpi_ratio: object = 0.2
    latency_impact: object = 1.2
    latency_running: object = 0.004  # mean of the query probe during checkpoints, seconds
    probes: object = 1.0  # probes a second
    wal_directory: object = 600 * MIB
    slot_retained: object = 0
    capability: object = 1
    reload_ok: object = 1
    warnings_in_log: bool = True
    unknown_times: Optional[int] = None  # how a time that is not known yet is shown: absent, or 0
    job: str = "pgcheckpoint"


@dataclass
class Event:
    start: int
    end: int
    reason: str
    redo: float
    sync: float


def within(periods, second) -> bool:
    return any(a <= second < b for a, b in periods)


class Simulation:
    """Runs a Story once; `snapshots[i]` is what a scrape at second i * SNAPSHOT_SECONDS sees."""

    def __init__(self, story: Story):
        self.story = story
        self.snapshots: list[dict] = []
        self._run()

    def _distance(self) -> float:
        segments = self.story.max_wal_size // SEGMENT
        return max(1, int(segments / (1 + self.story.completion_target))) * SEGMENT

    def _wal_rate(self) -> Callable[[float], float]:
        if self.story.wal_rate is not None:
            return step(self.story.wal_rate)
        distance = self._distance()
        if self.story.forced_every is None:
            return step(distance / (20 * step(self.story.timeout)(0)))
        every = self.story.forced_every
        points = every.points if isinstance(every, Step) else [(0, every)]
        return Step([(t, distance / seconds) for t, seconds in points])

    def _away(self):
        s = self.story
        target = list(s.target_down)
        target += [(t, t + 45) for t in s.restarts]
        target += [(t, t + 90) for t in s.crashes]
        target += [(t, t + 30) for t, _ in s.failovers]
        exporter = list(s.exporter_down) + [(t, t + 40) for t in s.exporter_restarts]
        return target, exporter

    def _run(self):
        s = self.story
        timeout, stretch, sync = step(s.timeout), step(s.stretch), step(s.sync_seconds)
        wal_rate, distance = self._wal_rate(), self._distance()
        target_away, exporter_away = self._away()
        server_away = [(t, t + 45) for t in s.restarts] + [(t, t + 90) for t in s.crashes]
        exporter_back = {end for _, end in exporter_away}
        work_rates = {name: s.rates.get(name, value) for name, value in HEALTHY_RATES.items()}
        probes, latency_running = step(s.probes), step(s.latency_running)
        requests, restarts, crashes = set(s.requests), set(s.restarts), set(s.crashes)
        failovers = dict(s.failovers)
        resets = set(s.stats_resets)
        moments = restarts | crashes | set(failovers) | resets

        position = float(1000 * SEGMENT)
        redo = position  # in memory: moves when a checkpoint starts
        control_redo, control_time = redo, -60
        last_attempt = -60
        running: Optional[Event] = None
        pending: Optional[str] = None
        postmaster_start = -90000.5
        counters = {"timed": 1200.0, "requested": 40.0, "done": 1100.0}
        seconds_at_work = 0  # since `work` was last brought up to date
        work = {name: 1e6 for name in HEALTHY_RATES}
        work["fsyncs"] = work["maxwritten"] = 0.0
        wal_bytes = 5e11
        own = self._fresh_exporter()

        for second in range(int(s.hours * 3600) + 1):
            rate = wal_rate(second)
            if not within(server_away, second):
                position += rate
                wal_bytes += rate
                seconds_at_work += 1

            if second % SNAPSHOT_SECONDS == 0 or second in moments:
                for name in work:
                    work[name] += work_rates[name] * seconds_at_work
                seconds_at_work = 0

            if second in restarts or second in crashes:
                # The shutdown checkpoint, or the one at the end of crash recovery.
                postmaster_start = second + 40.5
                running, pending = None, None
                if second in crashes:
                    counters = dict.fromkeys(counters, 0.0)
                    work = dict.fromkeys(work, 0.0)
                    wal_bytes = 0.0
                counters["requested"] += 1
                redo = control_redo = position
                control_time = last_attempt = second
                self._finish(own, Event(second, second + 3, "restart", redo, 0.1), s)
            if second in failovers:
                factor = failovers[second]
                counters = {k: v * factor + 7 for k, v in counters.items()}
                work = {k: v * factor + 1000 * factor for k, v in work.items()}
                wal_bytes *= factor
                postmaster_start = second - 500000.5
                running, pending = None, "request"  # promotion asks for one
            if second in resets:
                counters = dict.fromkeys(counters, 0.0)
                work = dict.fromkeys(work, 0.0)
                wal_bytes = 0.0
            if second in exporter_back:
                own = self._fresh_exporter()

            # The timer, the WAL volume and requests decide.
            failing = within(s.failing, second)
            if second in requests:
                pending = "request"
            if position - redo >= distance and pending is None and not (s.standby and rate == 0):
                pending = "wal"
                if s.warnings_in_log and second - last_attempt < s.warning and not s.standby:
                    own["warnings"] += 1
            if pending is None and second - last_attempt >= timeout(second):
                if position - redo > 4096:
                    pending = "time"
                else:
                    counters["timed"] += 1  # skipped: counted, though nothing ran
                    last_attempt = second
            if failing and pending:
                running = None
                own["failures" if s.log_failures else "failures_untold"] += 1
            elif pending and running is None and not within(s.stuck, second):
                reason, pending = pending, None
                length = timeout(second) * s.completion_target
                if reason == "wal":
                    length = min(length, s.completion_target * distance / max(rate, 1.0))
                if reason == "request":
                    length = min(length, 5)
                length = max(1, round(length * stretch(second)))
                counters["timed" if reason == "time" else "requested"] += 1
                redo, last_attempt = position, second
                sync_length = sync(second)
                running = Event(second, second + length + round(sync_length), reason, redo, sync_length)
            if running and second >= running.end and not failing and not within(s.stuck, second):
                counters["done"] += 1
                control_redo, control_time = running.redo, running.start
                own["failures"] += own["failures_untold"]
                own["failures_untold"] = 0
                self._finish(own, running, s)
                running = None

            checkpoint = "running" if running else "idle"
            own["probe_count", checkpoint] += probes(second)
            own["probe_sum", checkpoint] += probes(second) * (
                latency_running(second) if running else 0.003)
            own["read"] += 0 if s.log == "unreadable" else 0.2

            if second % SNAPSHOT_SECONDS == 0:
                down = within(exporter_away, second)
                self.snapshots.append({"up": 0} if down else self._scrape(
                    second, within(target_away, second), own, counters, work, running, position, redo, control_redo,
                    control_time, wal_bytes, rate, last_attempt + timeout(second), postmaster_start,
                    timeout(second)))

    @staticmethod
    def _fresh_exporter() -> dict:
        own = {"warnings": 0, "failures": 0, "failures_untold": 0, "read": 0.0, "matched": 0, "not_understood": 0,
               "last_match": 0, "distance": 0.0, "longest": 0.0}
        for reason in REASONS:
            own["events", reason] = 0
            own["last_start", reason] = 0
            own["last_end", reason] = 0
        for phase in ("write", "sync", "total"):
            own["sum", phase] = 0.0
        for checkpoint in ("running", "idle"):
            own["probe_count", checkpoint] = 0.0
            own["probe_sum", checkpoint] = 0.0
        return own

    @staticmethod
    def _finish(own: dict, event: Event, story: Story):
        own["events", event.reason] += 1
        own["last_start", event.reason] = event.start
        own["last_end", event.reason] = event.end
        total = event.end - event.start
        own["sum", "total"] += total
        own["sum", "sync"] += event.sync
        own["sum", "write"] += max(0.0, total - event.sync)
        own["longest"] = event.sync / 2
        if story.log == "good" or (story.log == "blind" and event.end < story.blind_from):
            own["matched"] += 1
            own["last_match"] = event.end
        if story.log == "foreign":
            own["not_understood"] += 1

    def _scrape(self, second, away, own, counters, work, running, position, redo, control_redo,
                control_time, wal_bytes, rate, next_timed, postmaster_start, timeout) -> dict:
        s = self.story
        kind = "restartpoint" if s.standby else "checkpoint"
        scrape = {
            "up": 1,
            "pgcheckpoint_build_info{version=\"0.1.0\"}": 1,
            "pgcheckpoint_config_last_reload_successful": step(s.reload_ok)(second),
            "pgcheckpoint_up{target=\"main\"}": 0 if away else 1,
        }
        if away:
            return scrape

        def put(name, value, /, **labels):
            text = ",".join(f'{k}="{v}"' for k, v in labels.items())
            scrape[f'pgcheckpoint_{name}{{target="main"{"," if text else ""}{text}}}'] = value

        for k in KINDS:
            for reason in REASONS:
                put("events_total", own["events", reason] if k == kind else 0, kind=k, reason=reason)
            put("event_failures_total", own["failures"] if k == kind else 0, kind=k)
            for phase in ("write", "sync", "total"):
                mine = k == kind
                put("event_duration_seconds_sum", own["sum", phase] if mine else 0, kind=k, phase=phase)
                put("event_duration_seconds_count",
                    sum(own["events", r] for r in REASONS) if mine else 0, kind=k, phase=phase)
        for which in ("last_start", "last_end"):
            for reason in REASONS:
                value = own[which, reason] or s.unknown_times
                if value is not None:
                    put(f"{which}_timestamp_seconds", value, kind=kind, reason=reason)
        put("checkpoints_total", counters["timed"], trigger="timed")
        put("checkpoints_total", counters["requested"], trigger="requested")
        put("too_frequent_warnings_total", own["warnings"])
        put("in_progress", 1 if running else 0)
        put("in_recovery", 1 if s.standby else 0)
        put("wal_since_redo_bytes", position - redo)
        put("recovery_wal_bytes", position - control_redo)
        trigger = (redo // SEGMENT) * SEGMENT + self._distance()
        put("forced_trigger_bytes", trigger - redo)
        if rate > 0:
            put("next_forced_timestamp_seconds", second + max(0.0, trigger - position) / rate)
        put("next_timed_timestamp_seconds", next_timed)
        for writer in ("checkpointer", "bgwriter", "backend"):
            put("buffers_written_total", work[writer], writer=writer)
        put("backend_fsyncs_total", work["fsyncs"])
        put("bgwriter_maxwritten_clean_total", work["maxwritten"])
        put("wal_bytes_total", wal_bytes)
        put("wal_fpi_ratio", step(s.fpi_ratio)(second), window="1h")
        put("latency_impact_ratio", step(s.latency_impact)(second), probe="query")
        for checkpoint in ("running", "idle"):
            put("probe_latency_seconds_sum", own["probe_sum", checkpoint], probe="query", checkpoint=checkpoint)
            put("probe_latency_seconds_count", own["probe_count", checkpoint], probe="query",
                checkpoint=checkpoint)
        put("checkpoint_timestamp_seconds", control_time)
        put("postmaster_start_timestamp_seconds", postmaster_start)
        put("checkpoint_timeout_seconds", timeout)
        put("checkpoint_completion_target_ratio", s.completion_target)
        put("checkpoint_warning_seconds", s.warning)
        put("max_wal_size_bytes", s.max_wal_size)
        put("wal_keep_size_bytes", s.wal_keep_size)
        put("wal_segment_size_bytes", SEGMENT)
        put("wal_directory_bytes", step(s.wal_directory)(second))
        put("slot_retained_wal_bytes", step(s.slot_retained)(second), slot_name="standby1",
            slot_type="physical")
        put("capability", step(s.capability)(second), name="checkpointer_activity")
        put("capability", 0, name="read_log")  # one that this role never had
        if s.log != "none":
            for outcome in ("read", "matched", "not_understood"):
                put("log_lines_total", int(own[outcome]), outcome=outcome)
            if own["last_match"] or s.unknown_times is not None:
                put("log_last_match_timestamp_seconds", own["last_match"])
        # What postgres_exporter shows of the same server (to version 16), for the comparison.
        scrape["pg_stat_bgwriter_checkpoints_timed_total"] = counters["timed"]
        scrape["pg_stat_bgwriter_checkpoints_req_total"] = counters["requested"]
        return scrape
