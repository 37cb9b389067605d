# SPDX-License-Identifier: Apache-2.0
"""TABLES: the exact text of every alert, and what every recording rule says when there is much to say
and when there is little. Each row belongs to one scenario of scenarios.py."""

import functools
import pathlib
from dataclasses import dataclass, field

import yaml

RULES = pathlib.Path(__file__).resolve().parent.parent.parent / "deploy" / "prometheus" / "rules"
RUNBOOKS = "https://runbooks.example/pgcheckpoint_exporter/docs/runbooks.md#"

# Comes and goes with each forced checkpoint, so rows do not say when.
MOMENTARY = ("PgCheckpointForcedImminent",)

EXPORTER = {"instance": "exporter:10432", "job": "pgcheckpoint"}
TARGET = {**EXPORTER, "target": "main"}


@dataclass
class Text:
    alert: str
    scenario: str
    at: int  # seconds
    severity: str
    description: str
    labels: dict = field(default_factory=lambda: TARGET)
    scrapes: tuple = (60,)

    def __post_init__(self):
        self.labels = {**self.labels, "severity": self.severity}


H = 3600
TEXTS = [
    Text("PgCheckpointLatencyImpact", "latency impact", 3 * H, "critical",
         "main: the 95th percentile of the query probe is 6 times as long while a checkpoint runs as between"
         " checkpoints, and its mean is above 20 ms.", {**TARGET, "probe": "query"}),
    Text("PgCheckpointFailing", "checkpoints fail", 2 * H, "critical",
         "main: 300 checkpoint attempts failed in the last 5 minutes."),
    Text("PgCheckpointNotFinishing", "no checkpoint finishes", 3 * H, "critical",
         "main: the last finished checkpoint started 2h 1m 0s ago, more than 4 times checkpoint_timeout."),
    Text("PgCheckpointMostlyForced", "forced every 6m", 5 * H, "warning",
         "main: 100% of the scheduled checkpoints of the last 6h were forced by WAL volume; max_wal_size is"
         " too small for this load.", {**TARGET, "window": "6h"}),
    Text("PgCheckpointTooFrequent", "forced every 20s", 2 * H, "warning",
         "main: 29 checkpoints were forced by WAL volume in the last 10 minutes, closer together than"
         " checkpoint_warning."),
    Text("PgCheckpointRequestedRising", "ten requests an hour, new", 28 * H, "info",
         "main: 10 checkpoints were requested (by WAL volume or by somebody) in the last hour, more than"
         " twice the busiest hour of the week before."),
    Text("PgCheckpointForcedImminent", "one bulk load, two forced checkpoints", 2 * H + 120, "info",
         "main: at the present WAL rate the next checkpoint is forced in 1m 15s."),
    Text("PgCheckpointOverrunsSchedule", "checkpoints overrun", 3 * H, "warning",
         "main: a checkpoint took 5m 51s on average over the last 1h, over 1.1 times"
         " checkpoint_completion_target of checkpoint_timeout.", {**TARGET, "window": "1h"}),
    Text("PgCheckpointSyncSlow", "sync slow", 3 * H, "warning",
         "main: the sync phase of a checkpoint took 20s on average over the last 1h.",
         {**TARGET, "window": "1h"}),
    Text("PgCheckpointBackendWritesDominate", "backends write most pages", 3 * H, "warning",
         "main: 66.67% of the pages written in the last hour were written by backends, neither by the"
         " checkpointer nor by the background writer."),
    Text("PgCheckpointBackendFsyncs", "backend fsyncs", 3 * H, "warning",
         "main: backends did 36 fsyncs of their own in the last hour."),
    Text("PgCheckpointBgwriterThrottled", "bgwriter throttled", 3 * H, "info",
         "main: the background writer gave up 1 rounds a second at bgwriter_lru_maxpages over the last hour."),
    Text("PgCheckpointFullPageImagesJump", "full page images jump", 28 * H, "info",
         "main: 70% of the WAL of the last hour are full page images, at least 20 points above the highest"
         " hour of the day before.", {**TARGET, "window": "1h"}),
    Text("PgCheckpointWalOverBudget", "pg_wal over budget", 3 * H, "warning",
         "main: pg_wal holds 2GiB, more than 1.5 times max_wal_size and wal_keep_size."),
    Text("PgCheckpointWalHeldBySlot", "slot holds WAL", 3 * H, "warning",
         "main: slot standby1 keeps 1.5GiB of WAL, more than max_wal_size.",
         {**TARGET, "slot_name": "standby1", "slot_type": "physical"}),
    Text("PgCheckpointExporterDown", "exporter down", 2 * H + 20 * 60, "warning",
         "exporter:10432 (job pgcheckpoint) has not answered Prometheus for 5 minutes.", EXPORTER),
    Text("PgCheckpointExporterAbsent", "no exporter", H, "warning",
         "Prometheus has had no pgcheckpoint_up series for 10 minutes: no exporter runs, is scraped, or has"
         " a target.", {}),
    Text("PgCheckpointTargetDown", "server down", 2 * H + 10 * 60, "critical",
         "main has not answered the exporter exporter:10432 for 5 minutes."),
    Text("PgCheckpointCapabilityLost", "capability lost after a day", 27 * H, "warning",
         "main: capability checkpointer_activity is gone, what depends on it is no longer watched.",
         {**TARGET, "name": "checkpointer_activity"}),
    Text("PgCheckpointLogBlind", "log blind", 3 * H, "warning",
         "main: the server has finished checkpoints since, but no log line about one was recognised."),
    Text("PgCheckpointLogNotUnderstood", "log of foreign wording", 3 * H, "warning",
         "main: 12 lines of the checkpointer were not understood in the last hour."),
    Text("PgCheckpointReloadFailed", "reload failed", 3 * H, "warning",
         "exporter:10432: the last reload of the configuration failed.", EXPORTER),
]


@functools.lru_cache(maxsize=None)
def rules_of(name: str) -> dict:
    """Every rule of rules/NAME.yml by its alert or record name."""
    groups = yaml.safe_load((RULES / f"{name}.yml").read_text())["groups"]
    return {rule.get("alert") or rule.get("record"): rule for group in groups for rule in group["rules"]}


def annotations(text: Text) -> dict:
    return {
        "summary": rules_of("alerts")[text.alert]["annotations"]["summary"],
        "description": text.description,
        "runbook_url": RUNBOOKS + text.alert.lower(),
    }


@dataclass
class Value:
    """`record` (with `selector`), rounded to hundredths, at second `at` of `scenario`."""

    record: str
    scenario: str
    at: int
    value: object  # None: no sample
    selector: dict = field(default_factory=dict)
    more: dict = field(default_factory=dict)  # labels of the result beyond the selector's

    @property
    def expr(self) -> str:
        matchers = ",".join(f'{k}="{v}"' for k, v in self.selector.items())
        return f"round({self.record}{{{matchers}}}, 0.01)"

    @property
    def samples(self) -> list:
        if self.value is None:
            return []
        labels = {**TARGET, **self.selector, **self.more}
        text = ",".join(f'{k}="{v}"' for k, v in sorted(labels.items()))
        return [(f"{{{text}}}", self.value)]


WAL, TOTAL = {"reason": "wal"}, {"phase": "total"}
BACKEND, RUNNING = {"writer": "backend"}, {"checkpoint": "running"}
QUERY = {"probe": "query"}
RECORDS = [
    Value("target:pgcheckpoint_checkpoint_timeout_seconds:last10m", "server away for 4 minutes", 2 * H + 180, 300),
    Value("target:pgcheckpoint_checkpoint_timeout_seconds:last10m", "exporter down", 2 * H + 1200, None),
    Value("target:pgcheckpoint_postmaster_start_timestamp_seconds:changes1h", "three restarts in an hour",
          2 * H + 2100, 3),
    Value("target:pgcheckpoint_postmaster_start_timestamp_seconds:changes1h", "idle", 3 * H, 0),
    Value("target_reason:pgcheckpoint_events:increase1h", "forced every 4m", 3 * H, 15, WAL),
    Value("target_reason:pgcheckpoint_events:increase1h", "idle", 3 * H, 0, WAL),
    Value("target_reason:pgcheckpoint_events:increase_window", "forced every 6m", 5 * H, 45, WAL, {"window": "6h"}),
    Value("target_reason:pgcheckpoint_events:increase_window", "forced every 60m of 2h", 26 * H, 24.25, WAL,
          {"window": "1d"}),
    Value("target_reason:pgcheckpoint_events:increase_window", "idle", 3 * H, 0, WAL, {"window": "1h"}),
    Value("target:pgcheckpoint_forced_events_per_scheduled_events:ratio_window", "forced every 4m", 3 * H, 1,
          more={"window": "1h"}),
    Value("target:pgcheckpoint_forced_events_per_scheduled_events:ratio_window", "idle", 3 * H, None),
    Value("target_phase:pgcheckpoint_event_duration_seconds_sum:increase1h", "checkpoints overrun", 3 * H, 3510, TOTAL),
    Value("target_phase:pgcheckpoint_event_duration_seconds_sum:increase1h", "idle", 3 * H, 0, TOTAL),
    Value("target_phase:pgcheckpoint_event_duration_seconds_count:increase1h", "checkpoints overrun", 3 * H, 10,
          TOTAL),
    Value("target_phase:pgcheckpoint_event_duration_seconds_count:increase1h", "idle", 3 * H, 0, TOTAL),
    Value("target_phase:pgcheckpoint_event_duration_seconds:mean_window", "checkpoints overrun", 3 * H, 351, TOTAL,
          {"window": "1h"}),
    Value("target_phase:pgcheckpoint_event_duration_seconds:mean_window", "idle", 3 * H, None, TOTAL),
    Value("target:pgcheckpoint_recovery_wal_bytes:two_timeouts_ago", "less than a segment of WAL waits", 5 * H,
          7080000),
    Value("target:pgcheckpoint_recovery_wal_bytes:two_timeouts_ago", "idle", 3 * H, 0),
    Value("target_writer:pgcheckpoint_buffers_written:increase1h", "backends write most pages", 3 * H, 360000, BACKEND),
    Value("target_writer:pgcheckpoint_buffers_written:increase1h", "three restarts in an hour", 3 * H, None, BACKEND),
    Value("target:pgcheckpoint_backend_buffers_per_buffers:ratio_increase1h", "backends write most pages", 3 * H, 0.67),
    Value("target:pgcheckpoint_backend_buffers_per_buffers:ratio_increase1h", "three restarts in an hour", 3 * H, None),
    Value("target_probe_checkpoint:pgcheckpoint_probe_latency_seconds:mean1h", "latency impact", 3 * H, 0.05, RUNNING,
          QUERY),
    Value("target_probe_checkpoint:pgcheckpoint_probe_latency_seconds:mean1h", "idle", 3 * H, None, RUNNING),
    Value("target:pgcheckpoint_requested_events:increase1h", "ten requests an hour, new", 28 * H, 10),
    Value("target:pgcheckpoint_requested_events:increase1h", "idle", 3 * H, 0),
    Value("target:pgcheckpoint_requested_events:max1d", "CHECKPOINT every 5m by cron, ever since", 30 * H, 12),
    Value("target:pgcheckpoint_requested_events:max1d", "ten requests an hour, new", 28 * H, 0),
    Value("target:pgcheckpoint_requested_events:max1w", "weekly job, five requests", 172 * H, 5),
    Value("target:pgcheckpoint_requested_events:max1w", "ten requests an hour, new", 28 * H, 0),
    Value("target:pgcheckpoint_wal_fpi_ratio:max1d", "full page images jump every night", 30 * H, 0.7,
          more={"window": "1h"}),
    Value("target:pgcheckpoint_wal_fpi_ratio:max1d", "full page images jump", 28 * H, 0.2,
          more={"window": "1h"}),
]
