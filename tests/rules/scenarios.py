# SPDX-License-Identifier: Apache-2.0
"""TABLE: one row a scenario, with every alert that must fire in it; every other one must not.

`firing` is the set over the whole scenario. `at` says which of `firing` are (still) firing at a
second: for alerts that must resolve, or must not flap. Each row runs at every interval of `scrapes`.
"""

from dataclasses import dataclass, field

from model import GIB, MIB, Step, Story

MINUTE, HOUR, DAY = 60, 3600, 86400
TIMEOUTS = {"30s": 30, "4m": 240, "6m": 360, "7m": 420, "15m": 900, "60m": 3600}


@dataclass
class Row:
    name: str
    story: Story
    firing: tuple = ()
    at: dict = field(default_factory=dict)
    scrapes: tuple = (15, 60)
    evaluation: int = 0  # seconds; 0: by the length of the story

    def __post_init__(self):
        # Long stories are about windows of hours; a rule that needs less is told so by its row.
        if not self.evaluation:
            self.evaluation = 300 if self.story and self.story.hours > 5 else 60


FORCED = "PgCheckpointMostlyForced"
IMMINENT = "PgCheckpointForcedImminent"
FREQUENT = "PgCheckpointTooFrequent"
RISING = "PgCheckpointRequestedRising"
OVERRUN = "PgCheckpointOverrunsSchedule"
SYNC = "PgCheckpointSyncSlow"
BACKENDS = "PgCheckpointBackendWritesDominate"
FSYNCS = "PgCheckpointBackendFsyncs"
BGWRITER = "PgCheckpointBgwriterThrottled"
FPI = "PgCheckpointFullPageImagesJump"
LATENCY = "PgCheckpointLatencyImpact"
STALLED = "PgCheckpointNotFinishing"
FAILING = "PgCheckpointFailing"
BUDGET = "PgCheckpointWalOverBudget"
SLOT = "PgCheckpointWalHeldBySlot"
LOG_BLIND = "PgCheckpointLogBlind"
LOG_FOREIGN = "PgCheckpointLogNotUnderstood"
EXPORTER_DOWN = "PgCheckpointExporterDown"
EXPORTER_ABSENT = "PgCheckpointExporterAbsent"
TARGET_DOWN = "PgCheckpointTargetDown"
CAPABILITY = "PgCheckpointCapabilityLost"
RELOAD = "PgCheckpointReloadFailed"


def accidents(**more) -> Story:
    """Everything that happens to a server that nobody should be called for, 80 minutes apart."""
    return Story(
        hours=13,
        restarts=[2 * HOUR + 13],
        crashes=[3 * HOUR + 20 * MINUTE + 7],
        failovers=[(4 * HOUR + 40 * MINUTE + 5, 50.0), (6 * HOUR + 11, 0.02)],
        exporter_restarts=[7 * HOUR + 20 * MINUTE + 3],
        stats_resets=[8 * HOUR + 40 * MINUTE],
        requests=[10 * HOUR + 1, 11 * HOUR + 20 * MINUTE],
        **more)


def steady_and_troubled():
    """Healthy servers at every pace, quietly and through every accident; forced ones likewise."""
    for name, timeout in TIMEOUTS.items():
        hours = 12 if timeout == 3600 else 4
        yield Row(f"timed every {name}", Story(hours=hours, timeout=timeout))
        yield Row(f"timed every {name}, with accidents", accidents(timeout=timeout))
    yield Row("idle", Story(hours=6, wal_rate=0))
    yield Row("idle, with accidents", accidents(wal_rate=0))
    yield Row("idle after work", Story(hours=8, wal_rate=Step([(0, 90e3), (2 * HOUR, 0)])))
    yield Row("work after idleness",
              Story(hours=12, wal_rate=Step([(0, 90e3), (HOUR, 0), (9 * HOUR + 90, 90e3)])))
    yield Row("standby", accidents(standby=True))


def forced():
    yield Row("forced every 20s", Story(hours=2, forced_every=20), (FORCED, FREQUENT, IMMINENT),
              at={7200: (FORCED, FREQUENT)})
    yield Row("forced every 20s, log not read", Story(hours=2, forced_every=20, log="none",
                                                      warnings_in_log=False), (FORCED, FREQUENT, IMMINENT))
    yield Row("forced every 30s", Story(hours=2, forced_every=30), (FORCED,), at={7200: (FORCED,)})
    yield Row("forced every 30s, checkpoint_warning 1min", Story(hours=2, forced_every=30, warning=60),
              (FORCED, FREQUENT), at={7200: (FORCED, FREQUENT)})
    for name, every, timeout in (("4m", 240, 300), ("4m of 30m", 240, 1800), ("6m", 360, 1800),
                                 ("7m", 420, 1800), ("15m", 900, 1800)):
        yield Row(f"forced every {name}", Story(hours=5, timeout=timeout, forced_every=every),
                  (FORCED, IMMINENT), at={5 * HOUR: (FORCED,)})
    yield Row("forced every 60m of 2h", Story(hours=26, timeout=7200, forced_every=3600),
              (FORCED, IMMINENT), at={26 * HOUR: (FORCED,)}, evaluation=60)
    yield Row("forced every 4m, with accidents", accidents(forced_every=240), (FORCED, IMMINENT),
              at={t * HOUR: (FORCED,) for t in (2, 3, 5, 7, 9, 11, 13)}, evaluation=60)
    yield Row("forced every 4m on a standby", Story(hours=3, forced_every=240, standby=True),
              (FORCED, IMMINENT))
    yield Row("forced every 4m, exporter restarts, unknown times shown as 0",
              Story(forced_every=240, unknown_times=0, exporter_restarts=[HOUR + 9, 2 * HOUR + 900]),
              (FORCED, IMMINENT), at={3 * HOUR: (FORCED,)})
    yield Row("forced every 10m, half of each hour",
              Story(hours=5, timeout=1800, forced_every=Step(
                  [(h * HOUR + m * MINUTE, e) for h in range(5) for m, e in ((0, 600), (30, 6000))])),
              (FORCED, IMMINENT))
    yield Row("forced until max_wal_size was raised",
              Story(hours=5, forced_every=Step([(0, 240), (3 * HOUR, 3000)])), (FORCED, IMMINENT),
              at={3 * HOUR: (FORCED,), 4 * HOUR: ()})
    yield Row("one bulk load, two forced checkpoints",
              Story(hours=5, forced_every=Step([(0, 6000), (2 * HOUR, 200), (2 * HOUR + 420, 6000)])),
              (IMMINENT,), at={5 * HOUR: ()})
    yield Row("WAL near the trigger, the timer comes first", Story(hours=3, forced_every=310))


def requested():
    day = 27 * HOUR
    yield Row("one CHECKPOINT by hand", Story(hours=4, requests=[2 * HOUR + 17]))
    yield Row("one CHECKPOINT by hand, timer 30m", Story(hours=4, timeout=1800, requests=[2 * HOUR + 17]))
    yield Row("three requested 4m apart (backup, CREATE DATABASE)",
              Story(hours=4, requests=[2 * HOUR + 17, 2 * HOUR + 260, 2 * HOUR + 530]))
    yield Row("CHECKPOINT every 5m by cron, ever since", Story(hours=30, requests=list(range(60, 30 * HOUR, 300))))
    yield Row("nightly base backup", Story(hours=78, requests=[d * DAY + 3 * HOUR + 5 for d in range(4)]))
    yield Row("nightly base backups and CREATE DATABASE, five requests",
              Story(hours=54, requests=[d * DAY + 3 * HOUR + m * 360 for d in range(3) for m in range(5)]))
    yield Row("weekly job, five requests",
              Story(hours=173, requests=[d * DAY + 3 * HOUR + m * 360 for d in (0, 7) for m in range(5)]),
              scrapes=(60,))
    yield Row("three requests an hour, new", Story(hours=30, requests=[day + m * 900 for m in range(3)]))
    yield Row("ten requests an hour, new", Story(hours=30, requests=[day + m * 360 for m in range(10)]),
              (RISING,), at={day: (), day + HOUR: (RISING,), 30 * HOUR: ()})
    yield Row("load grows until it forces checkpoints",
              Story(hours=30, forced_every=Step([(0, 6000), (day, 200)])), (RISING, FORCED, IMMINENT))


def work():
    yield Row("backends write most pages", Story(rates={"backend": 100}), (BACKENDS,))
    yield Row("backends write most pages, with accidents", accidents(rates={"backend": 100}), (BACKENDS,))
    yield Row("backends write most of few pages",
              Story(rates={"backend": 4, "checkpointer": 1, "bgwriter": 0}))
    yield Row("backends write a third", Story(rates={"backend": 25}))
    yield Row("backend fsyncs", Story(rates={"fsyncs": 0.01}), (FSYNCS,))
    yield Row("a few backend fsyncs", Story(rates={"fsyncs": 0.001}))
    yield Row("bgwriter throttled", Story(rates={"maxwritten": 1.0, "backend": 20}), (BGWRITER,))
    yield Row("bgwriter throttled, no backend writes", Story(rates={"maxwritten": 1.0, "backend": 1}))
    yield Row("full page images jump", Story(hours=30, fpi_ratio=Step([(0, 0.2), (27 * HOUR, 0.7)])), (FPI,))
    yield Row("full page images jump every night",
              Story(hours=52, fpi_ratio=Step([(d * DAY + h * HOUR, v) for d in range(3)
                                              for h, v in ((0, 0.2), (2, 0.7), (4, 0.2))])))
    yield Row("full page images jump in little WAL",
              Story(hours=30, wal_rate=50e3, fpi_ratio=Step([(0, 0.2), (27 * HOUR, 0.7)])))
    yield Row("latency impact", Story(latency_impact=6, latency_running=0.05), (LATENCY,))
    yield Row("latency impact, timer 60m", Story(hours=8, timeout=3600, latency_impact=6, latency_running=0.05),
              (LATENCY,))
    yield Row("six times slower, still fast", Story(latency_impact=6, latency_running=0.012))
    yield Row("six times slower, too few probes",
              Story(latency_impact=6, latency_running=0.05, probes=0.004))


def schedule():
    yield Row("checkpoints overrun", Story(stretch=Step([(0, 1), (HOUR, 1.3)])), (OVERRUN,))
    yield Row("checkpoints overrun, timer 30s", Story(timeout=30, stretch=1.3), (OVERRUN,))
    yield Row("checkpoints overrun, timer 60m", Story(hours=14, timeout=3600, stretch=1.2), (OVERRUN,))
    yield Row("checkpoints a little late", Story(stretch=1.05))
    # Between two checkpoints: a running one would hurry, which the model does not.
    yield Row("checkpoint_timeout lowered",
              Story(hours=12, timeout=Step([(0, 3600), (6 * HOUR - 3 * MINUTE, 300)])))
    yield Row("checkpoint_timeout raised", Story(hours=12, timeout=Step([(0, 300), (4 * HOUR + 70, 3600)])))
    yield Row("sync slow", Story(sync_seconds=20), (SYNC,))
    yield Row("sync slow, timer 60m", Story(hours=14, timeout=3600, sync_seconds=40), (SYNC,))
    yield Row("sync five seconds", Story(sync_seconds=5))
    yield Row("checkpoints fail", Story(hours=5, failing=[(HOUR, 3 * HOUR)]), (FAILING, STALLED),
              at={HOUR + 10 * MINUTE: (FAILING,), 3 * HOUR: (FAILING, STALLED), 5 * HOUR: ()})
    yield Row("checkpoints fail, log not read",
              Story(hours=5, failing=[(HOUR, 3 * HOUR)], log="none", log_failures=False), (STALLED,),
              at={5 * HOUR: ()})
    yield Row("a checkpoint fails twice", Story(failing=[(HOUR + 298, HOUR + 600)], timeout=300,
                                                wal_rate=0, requests=[HOUR + 598]))
    yield Row("no checkpoint finishes", Story(stuck=[(HOUR, 3 * HOUR)]), (STALLED,))
    yield Row("no checkpoint finishes, timer 15m", Story(hours=5, timeout=900, stuck=[(HOUR, 5 * HOUR)]),
              (STALLED,))
    yield Row("no checkpoint finishes, timer 60m", Story(hours=12, timeout=3600, stuck=[(2 * HOUR, 12 * HOUR)]),
              (STALLED,))
    yield Row("no checkpoint finishes, timer 2h",
              Story(hours=24, timeout=7200, stuck=[(3 * HOUR, 24 * HOUR)]), (STALLED,))
    yield Row("no restartpoint on a standby whose primary checkpoints rarely",
              Story(hours=6, stuck=[(HOUR, 6 * HOUR)], standby=True))
    yield Row("less than a segment of WAL waits", Story(hours=5, wal_rate=500, stuck=[(HOUR, 5 * HOUR)]))


def disk():
    yield Row("pg_wal over budget", Story(wal_directory=Step([(0, GIB), (HOUR, 2 * GIB)])), (BUDGET,))
    yield Row("pg_wal at 1.4 times max_wal_size", Story(wal_directory=1400 * MIB))
    yield Row("pg_wal over max_wal_size by wal_keep_size", Story(wal_directory=2 * GIB, wal_keep_size=GIB))
    yield Row("pg_wal over budget for 20 minutes",
              Story(wal_directory=Step([(0, GIB), (HOUR, 2 * GIB), (HOUR + 1200, GIB)])))
    yield Row("slot holds WAL", Story(slot_retained=Step([(0, 0), (HOUR, 1536 * MIB)])), (SLOT,))
    yield Row("slot holds less than max_wal_size", Story(slot_retained=900 * MIB))
    yield Row("slot holds WAL and pg_wal outgrows",
              Story(slot_retained=3 * GIB, wal_directory=4 * GIB), (SLOT, BUDGET))


def itself():
    yield Row("exporter down", Story(exporter_down=[(2 * HOUR, 150 * MINUTE)]),
              (EXPORTER_DOWN, EXPORTER_ABSENT), at={140 * MINUTE: (EXPORTER_DOWN, EXPORTER_ABSENT),
                                                    3 * HOUR: ()})
    yield Row("exporter down, job of another name",
              Story(job="monitoring/database", exporter_down=[(2 * HOUR, 150 * MINUTE)]),
              (EXPORTER_DOWN, EXPORTER_ABSENT))
    yield Row("exporter away for 3 minutes", Story(exporter_down=[(2 * HOUR, 2 * HOUR + 180)]))
    yield Row("exporter restarts three times", Story(exporter_restarts=[HOUR + 9, 2 * HOUR + 31, 3 * HOUR]))
    yield Row("exporter restarts, timer 60m",
              Story(hours=12, timeout=3600, exporter_restarts=[5 * HOUR + 9, 8 * HOUR + 31]))
    yield Row("exporter restarts, timer 30m, unknown times shown as 0",
              Story(hours=5, timeout=1800, unknown_times=0, exporter_restarts=[2 * HOUR + 9]))
    yield Row("log not configured, unknown times shown as 0", Story(log="none", unknown_times=0))
    yield Row("log blind from the start, unknown times shown as 0", Story(log="blind", unknown_times=0),
              (LOG_BLIND,))
    yield Row("server down", Story(target_down=[(2 * HOUR, 140 * MINUTE)]), (TARGET_DOWN,),
              at={135 * MINUTE: (TARGET_DOWN,), 3 * HOUR: ()})
    yield Row("server away for 4 minutes", Story(target_down=[(2 * HOUR, 2 * HOUR + 240)]))
    yield Row("three restarts in an hour", Story(restarts=[2 * HOUR + 5, 2 * HOUR + 900, 2 * HOUR + 1800]))
    yield Row("three restarts in an hour, timer 30m",
              Story(hours=6, timeout=1800, restarts=[2 * HOUR + 5, 2 * HOUR + 900, 2 * HOUR + 1800]))
    # No timed checkpoint dilutes them: a rule that took restarts for forced would be heard here.
    yield Row("ten restarts 4 minutes apart, idle",
              Story(wal_rate=0, restarts=[2 * HOUR + 5 + m * 240 for m in range(10)]))
    yield Row("capability lost", Story(hours=6, capability=Step([(0, 1), (3 * HOUR, 0)])), (CAPABILITY,),
              at={3 * HOUR: (), 6 * HOUR: ()})
    yield Row("capability lost after a day", Story(hours=36, capability=Step([(0, 1), (26 * HOUR, 0)])),
              (CAPABILITY,), at={27 * HOUR: (CAPABILITY,), 36 * HOUR: (CAPABILITY,)})
    yield Row("capability away for 10 minutes",
              Story(capability=Step([(0, 1), (2 * HOUR, 0), (2 * HOUR + 600, 1)])))
    yield Row("capability never had", Story(capability=0))
    yield Row("log blind", Story(log="blind", blind_from=2 * HOUR), (LOG_BLIND,), at={2 * HOUR: ()})
    yield Row("log blind from the start", Story(log="blind"), (LOG_BLIND,))
    yield Row("log blind, timer 60m", Story(hours=12, timeout=3600, log="blind", blind_from=5 * HOUR),
              (LOG_BLIND,))
    yield Row("log unreadable", Story(log="unreadable"), (LOG_BLIND,))
    yield Row("log not configured", Story(log="none"))
    yield Row("log of foreign wording", Story(log="foreign"), (LOG_BLIND, LOG_FOREIGN))
    yield Row("reload failed", Story(reload_ok=Step([(0, 1), (2 * HOUR, 0)])), (RELOAD,))
    yield Row("reload failed, then mended",
              Story(reload_ok=Step([(0, 1), (2 * HOUR, 0), (2 * HOUR + 200, 1)])))


def table() -> list:
    rows = []
    for part in (steady_and_troubled, forced, requested, work, schedule, disk, itself):
        rows.extend(part())
    # No exporter at all: nothing is scraped.
    rows.append(Row("no exporter", None, (EXPORTER_ABSENT,)))
    return rows
