# SPDX-License-Identifier: Apache-2.0
"""One server: is it checkpoints, why do they run, who writes the pages, what to set."""

from checkpoint_marks import marks
from panels import (
    BAD, CALM, GOOD, MUTED, REASON_COLORS, WARN, band, color, colored, dashboard, dashed, graph,
    mapping, override, query, row, special, standard_variables, stat, table, thresholds, variable,
)
from selectors import (
    FULL_PAGE_IMAGE_RATE, WAL_RATE, measured, quantile, rise, servers as s, setting_rows, smaller,
)

UID = "pgcheckpoint-overview"
LATENCY = "Latency and checkpoints"
TRIGGER = "WAL since the last checkpoint, and what forces the next"
WAL = "WAL written"
WRITERS = "Who writes the pages"


def verdict():
    return [
        stat(
            "Now",
            """What the checkpointer does at this moment. "not visible": the exporter's role lacks
            pg_monitor and no log is read; grant pg_monitor.""",
            [query(s("""(max(pgcheckpoint_up{@}) == 0) - 1 or
                max(pgcheckpoint_phase{@,phase="write"}) + max(pgcheckpoint_phase{@,phase="sync"})
                * 2
                + max(pgcheckpoint_phase{@,phase="finish"}) * 3
                + max(pgcheckpoint_phase{@,phase="shutdown"}) * 4
                + max(pgcheckpoint_phase{@,phase="unknown"}) * 5"""), instant=True)],
            "none", no_value="not visible", color_background=True,
            mappings=mapping({
                -1: ("server down", BAD), 0: ("idle", GOOD), 1: ("writing", WARN),
                2: ("syncing", BAD), 3: ("finishing", WARN), 4: ("shutdown", BAD),
                5: ("working", WARN)}),
        ),
        stat(
            "Slowdown",
            """1. Is it checkpoints? 95th percentile of the probe while checkpoints ran, over that
            while none ran, in the last hour. 1x: no difference, look elsewhere. Above 2x:
            checkpoints are felt; read the rows below from left to right. Empty until both sides
            have 20 samples: with spread checkpoints there may be no time without one.""",
            [query(s("max(pgcheckpoint_latency_impact_ratio{@})"), instant=True)],
            "suffix:x", decimals=1, no_value="too few samples",
            steps=thresholds(GOOD, (1.5, WARN), (3, BAD)),
            mappings=special("null", "too few samples", "text"),
        ),
        stat(
            "Forced by WAL",
            """2. Why do they run? Share of the last hour's checkpoints that WAL volume forced,
            of those that WAL or the timer began. It should be near 0: then checkpoint_timeout sets
            the pace. Above 50 %
            max_wal_size is too small for this load, see What to set.""",
            [query(s("""sum(increase(pgcheckpoint_events_total{@,reason="wal"}[1h]))
                / (sum(increase(pgcheckpoint_events_total{@,reason=~"wal|time"}[1h])) > 0)"""),
                instant=True)],
            "percentunit", decimals=0, no_value="no checkpoint",
            steps=thresholds(GOOD, (0.2, WARN), (0.5, BAD)),
        ),
        stat(
            "Next checkpoint",
            """Forecast: when WAL volume forces the next one at the present rate, and when
            checkpoint_timeout elapses. The sooner one comes. Forced well before the timer, again
            and again: raise max_wal_size.""",
            [query(s("min(clamp_min(pgcheckpoint_next_forced_timestamp_seconds{@} - time(), 0))"),
                   "by WAL", instant=True),
             query(s("min(clamp_min(pgcheckpoint_next_timed_timestamp_seconds{@} - time(), 0))"),
                   "by timer", instant=True)],
            "s", decimals=0,
        ),
        stat(
            "Backend writes",
            """3. Who writes the pages? Share of the last hour's pages that sessions
            wrote themselves, and waited for.
            Above 50 %: let the background writer do more (bgwriter_lru_maxpages, a smaller
            bgwriter_delay), or give more shared_buffers. Bulk loads and VACUUM count too, and are
            harmless.""",
            [query(s('max(pgcheckpoint_backend_write_ratio{@,window="1h"})'), instant=True)],
            "percentunit", decimals=0, no_value="nothing written",
            steps=thresholds(GOOD, (0.3, WARN), (0.5, BAD)),
        ),
        stat(
            "Full page images",
            """Share of the last hour's WAL that is whole pages, written at the first change of a
                page after a
            checkpoint. High with frequent checkpoints: make them rarer, and consider
            wal_compression. Exact from PostgreSQL 19; before, an estimate that is too high where
            pages have holes or WAL is compressed. Absent below 14.""",
            [query(s('max(pgcheckpoint_wal_fpi_ratio{@,window="1h"})'), instant=True)],
            "percentunit", decimals=0, no_value="not reported",
            steps=thresholds(GOOD, (0.5, WARN), (0.8, BAD)),
        ),
        stat(
            "max_wal_size",
            """4. What to set? The setting now, and what this server's load asks for. The price of
            more is disk in pg_wal and a longer crash recovery, nothing else.""",
            [query(s("max(pgcheckpoint_max_wal_size_bytes{@})"), "now", instant=True),
             query(s("max(pgcheckpoint_recommended_max_wal_size_bytes{@})"), "advised",
                   instant=True)],
            "bytes", decimals=0,
        ),
        stat(
            "Crash recovery",
            """WAL that crash recovery would have to replay if the server died now. The price of
                rare
            checkpoints. Servers replay some tens to hundreds of MB a second.""",
            [query(s("max(pgcheckpoint_recovery_wal_bytes{@})"), instant=True)],
            "bytes", decimals=0,
        ),
    ]


def is_it_checkpoints():
    running = s("""max(avg_over_time(pgcheckpoint_in_progress{@}[$__interval]))
        or max(pgcheckpoint_in_progress{@})""")
    syncing = s("""max(avg_over_time(pgcheckpoint_phase{@,phase="sync"}[$__interval]))
        or max(pgcheckpoint_phase{@,phase="sync"})""")
    return [
        row("Is it checkpoints?"),
        graph(
            LATENCY,
            """Round trips of the exporter's probes; the shaded band is a running checkpoint (over
            long ranges its height is the share of time), darker while it syncs. Lines mark exact
            starts: red forced by
            WAL, blue by the timer, purple requested or at a restart; they are hidden where they
            would be
            closer than 25 steps. Spikes under the band: checkpoints. Spikes elsewhere: not
            checkpoints. The query
            probe reads no disk; enable the commit probe to see what commits feel.""",
            [
                query(running, "checkpoint running"),
                query(syncing, "syncing"),
                query(quantile(0.5, "query"), "query median"),
                query(quantile(0.95, "query"), "query p95"),
                query(quantile(0.99, "query"), "query p99"),
                query(measured(quantile(0.95, "commit"), "commit"), "commit p95"),
            ],
            "s", (24, 10),
            overrides=[
                band("checkpoint running", "orange", 14), band("syncing", "red", 30),
                color("query median", "green"),
                color("query p95", "yellow"),
                color("query p99", "red", custom__lineWidth=2),
                color("commit p95", "purple", custom__lineWidth=2),
            ],
        ),
        graph(
            "p95 while a checkpoint runs, and while none does",
            """The same probe, filed by whether a checkpoint ran at that moment. The two lines
                together:
            checkpoints cost nothing you would notice. Running far above idle: they do; compare
            Duration for the phase that is slow.""",
            [query(measured(quantile(0.95, "query", state), "query", state), name)
             for state, name in (("running", "running"), ("idle", "none runs"))],
            "s", (12, 8), calcs=("mean", "max"),
            overrides=[color("running", "orange"), color("none runs", "green")],
        ),
        graph(
            "Duration, one mark a checkpoint",
            """How long each checkpoint or restartpoint took, by phase; the mark stands where it
                ended (the mean, when
            several ended within one step). Write includes the deliberate pauses: it should last
            about
            checkpoint_completion_target x checkpoint_timeout (the dashed line). Far less: it was
            forced, or there was little to write. More: the disk cannot keep up. Sync above some
            seconds: storage stalls, lower vm.dirty_background_bytes and check
            checkpoint_flush_after.""",
            [query(s(rise("pgcheckpoint_event_duration_seconds_sum{@}", "phase") + " / ("
                     + rise("pgcheckpoint_event_duration_seconds_count{@}", "phase") + " > 0)"),
                   "{{phase}}"),
             query(s("""max(pgcheckpoint_checkpoint_timeout_seconds{@}
                        * pgcheckpoint_checkpoint_completion_target_ratio{@})"""), "target")],
            "s", (12, 8), points=True,
            overrides=[
                color("total", "blue", custom__pointSize=11), color("write", "orange"), color("sync", "red"),
                dashed("target", MUTED, custom__drawStyle="line", custom__showPoints="never"),
            ],
        ),
    ]


def why_do_they_run():
    return [
        row("Why do they run?"),
        graph(
            TRIGGER,
            """WAL since the redo point, and the trigger at which the server forces a checkpoint:
            max_wal_size / (1 + checkpoint_completion_target), well below max_wal_size. The dotted
            line
            is the forecast: what will have been written when the timer elapses, drawn up to twice
            the trigger. Forecast above the trigger: the
            next one is forced; raise max_wal_size until it stays below at busy hours. Marks: the
            distance between the last two redo points.""",
            [query(s("max(pgcheckpoint_wal_since_redo_bytes{@})"), "since the redo point"),
             query(s("max(pgcheckpoint_forced_trigger_bytes{@})"), "forces a checkpoint"),
             query(s(smaller("""max by (target) (pgcheckpoint_wal_since_redo_bytes{@}
                    + pgcheckpoint_forecast_wal_bytes_per_second{@}
                    * clamp_min(pgcheckpoint_next_timed_timestamp_seconds{@} - time(), 0))""",
                    "max by (target) (pgcheckpoint_forced_trigger_bytes{@}) * 2")),
                   "forecast at the timer"),
             query(s("max(pgcheckpoint_event_distance_bytes{@}) and "
                     + rise('pgcheckpoint_event_duration_seconds_count{@,phase="total"}') + " > 0"),
                   "distance of the last")],
            "bytes", (16, 9),
            overrides=[
                color("since the redo point", CALM, custom__fillOpacity=20),
                dashed("forces a checkpoint", BAD),
                color("forecast at the timer", "yellow",
                      custom__lineStyle={"fill": "dot", "dash": [2, 6]}, custom__lineWidth=2),
                color("distance of the last", "purple", custom__drawStyle="points",
                      custom__showPoints="always", custom__pointSize=8),
            ],
        ),
        graph(
            "Checkpoints in the hour before, by reason",
            """Completed checkpoints and restartpoints of the last 60 minutes at each moment, by
                what caused them. Blue
            (time) is as it should be, at most 3600 / checkpoint_timeout. Red (wal): forced, raise
            max_wal_size. Purple (request): somebody asks: CHECKPOINT, base backup, CREATE DATABASE;
            find the job.""",
            [query(s("sum by (reason) (increase(pgcheckpoint_events_total{@}[1h]))"), "{{reason}}")],
            "short", (8, 9), stack=True, fill=60, decimals=0,
            overrides=[color(reason, shade) for reason, shade in REASON_COLORS.items()],
        ),
        graph(
            "Requested of all attempts",
            """As the server counts: requested includes forced by WAL, CHECKPOINT commands, base
                backups
            and, from 14, restarts. A high share with little red in the panel above is somebody's
            job, not
            max_wal_size.""",
            [query(s('max by (window) (pgcheckpoint_requested_ratio{@,window=~"1h|since_reset"})'),
                   "{{window}}")],
            "percentunit", (8, 7), high=1, overrides=[color("1h", "orange"), color("since_reset", MUTED)],
        ),
        graph(
            WAL,
            """Bytes of WAL a second, and the part of it that is full page images (exact from 19,
            estimated before; absent below 14). Images rise after every checkpoint and fall until
            the next: the
            more checkpoints, the more WAL, the sooner the next is forced. On a standby: what is
            replayed.""",
            [query(s(FULL_PAGE_IMAGE_RATE), "full page images"),
             query(s(f"({WAL_RATE}) or clamp_min(sum by (target) (deriv(pgcheckpoint_wal_position_bytes"
                     '{@,position="insert"}[$__rate_interval])), 0)'), "all WAL"),
             query(s('clamp_min(sum by (target) (deriv(pgcheckpoint_wal_position_bytes'
                     '{@,position="replay"}[$__rate_interval])), 0)'), "replayed")],
            "Bps", (8, 7),
            overrides=[color("full page images", "orange", custom__fillOpacity=30), color("all WAL", CALM),
                       color("replayed", "purple")],
        ),
        graph(
            "Full page images of all WAL",
            """The saw-tooth of full page images: high just after a checkpoint. Always high:
                checkpoints
            come too often; raise max_wal_size and checkpoint_timeout, then think of
            wal_compression.""",
            [query(s(f"({FULL_PAGE_IMAGE_RATE}) / (({WAL_RATE}) > 0)"), "now"),
             query(s('max(pgcheckpoint_wal_fpi_ratio{@,window="1h"})'), "last hour")],
            "percentunit", (8, 7), high=1, overrides=[color("now", "orange"), color("last hour", MUTED)],
        ),
    ]


def who_writes():
    return [
        row("Who writes the pages?"),
        graph(
            WRITERS,
            """Buffers written a second. The checkpointer should do most, evenly. The server adds
                its count
            only now and then, to 16 at the end of a checkpoint, hence the peaks. Backends (red):
            sessions wait for their own writes; see the background writer beside. Extending a table
            is in
            backends to 15, apart from 16.""",
            [query(s("sum by (writer) (rate(pgcheckpoint_buffers_written_total{@}[$__rate_interval]))"),
                   "{{writer}}"),
             query(s("sum by (target) (rate(pgcheckpoint_backend_extends_total{@}[$__rate_interval]))"),
                   "extends by backends")],
            "ops", (8, 8), stack=True, fill=40,
            overrides=[color("checkpointer", CALM), color("bgwriter", "green"),
                       color("backend", "red"),
                       color("extends by backends", MUTED, custom__fillOpacity=0,
                             custom__stacking={"mode": "none", "group": "B"})],
        ),
        graph(
            "Background writer",
            """How often a second it stopped at bgwriter_lru_maxpages, and how often it runs at most
            (1 / bgwriter_delay). Near that line while backends write: raise
            bgwriter_lru_maxpages. At 0 and backends still write: raise bgwriter_lru_multiplier.""",
            [query(s("""sum by (target) (rate(
                pgcheckpoint_bgwriter_maxwritten_clean_total{@}[$__rate_interval]))"""),
                   "stopped at lru_maxpages"),
             query(s("1 / max by (target) (pgcheckpoint_bgwriter_delay_seconds{@})"),
                   "rounds at most")],
            "ops", (8, 8),
            overrides=[color("stopped at lru_maxpages", "orange", custom__fillOpacity=20),
                       dashed("rounds at most", MUTED)],
        ),
        graph(
            "Backend fsyncs",
            """Times that a session had to fsync a file itself, because the checkpointer's queue
                was full. Always 0 on
            a healthy server. Anything else: each is a stall of a user; the disk is overloaded, or
            shared_buffers is too small for the queue.""",
            [query(s("sum by (target) (increase(pgcheckpoint_backend_fsyncs_total{@}[$__rate_interval]))"),
                   "fsyncs by sessions")],
            "short", (8, 8), bars=True, overrides=[color("fsyncs by sessions", "red"),
                                                   override("fsyncs by sessions", custom__axisSoftMax=1)],
            decimals=0,
        ),
    ]


def what_to_set():
    return [
        row("What to set, and what will it cost?"),
        table(
            "Advice",
            """What the exporter advises for this server, by rule. The evidence, the SQL and the
                price
            of each are on the exporter's live page, in /api/v1/advice and in `advise`. Empty:
            nothing to change.""",
            [query(s(" or ".join(
                f'(max by (rule) (pgcheckpoint_advice{{@,severity="{name}"}}) == 1) * {rank}'
                for rank, name in enumerate(("info", "warning", "critical"), start=1))), table=True)],
            (8, 8), order=("Value", "rule"),
            overrides=[
                override("Value", displayName="Severity", custom__width=100, custom__align="left",
                         custom__cellOptions={"type": "color-text"}, mappings=mapping(
                             {1: ("info", CALM), 2: ("warning", WARN), 3: ("critical", BAD)})),
                override("rule", displayName="Rule"),
            ],
            sort=("Severity", True),
        ),
        graph(
            "pg_wal",
            """Size of the WAL directory against the settings. Around min_wal_size to max_wal_size:
            normal. Above max_wal_size for long: a slot (see the dotted line), wal_keep_size or a
            failing archive_command holds WAL, or checkpoints cannot keep up. Needs pg_monitor.""",
            [query(s("max(pgcheckpoint_wal_directory_bytes{@})"), "pg_wal"),
             query(s("max(pgcheckpoint_max_wal_size_bytes{@})"), "max_wal_size"),
             query(s("max(pgcheckpoint_min_wal_size_bytes{@})"), "min_wal_size"),
             query(s("max(pgcheckpoint_wal_keep_size_bytes{@}) > 0"), "wal_keep_size"),
             query(s("max(pgcheckpoint_slot_retained_wal_bytes{@})"), "held by a slot"),
             query(s("max(pgcheckpoint_recommended_max_wal_size_bytes{@})"), "advised")],
            "bytes", (16, 8),
            overrides=[
                color("pg_wal", CALM, custom__fillOpacity=20),
                dashed("max_wal_size", BAD), dashed("min_wal_size", MUTED),
                dashed("wal_keep_size", "yellow"), dashed("advised", GOOD),
                color("held by a slot", "purple",
                      custom__lineStyle={"fill": "dot", "dash": [2, 6]}, custom__lineWidth=2),
            ],
        ),
        table(
            "Settings",
            """The settings that bear on checkpoints, as the server runs with them now. Changes are
            marked in the panels above.""",
            [query(s(setting_rows(kind)), table=True) for kind in ("bytes", "seconds", "ratio", "",
                                                                   "switch", "info")],
            (12, 10), order=("setting",), hide=("Value #F",), sort=("Setting", False), no_value=" ",
            overrides=[
                override("setting", displayName="Setting", custom__width=205),
                colored("Value #A", "Size", "bytes", custom__width=95, mappings=mapping({-1: ("no limit", "text")})),
                colored("Value #B", "Time", "s", custom__width=80),
                colored("Value #C", "Share", "percentunit", custom__width=80),
                colored("Value #D", "Number", "none", custom__width=80),
                colored("Value #E", "Switch", "none", custom__width=80,
                        mappings=mapping({0: ("off", "text"), 1: ("on", "text")})),
                override("value", displayName="Text", custom__width=110, custom__align="right"),
            ],
        ),
        graph(
            "What a crash would have to replay",
            """WAL from the redo point of the last completed checkpoint to now: the length of crash
            recovery at each moment. The peaks are the price of a larger max_wal_size or a longer
            checkpoint_timeout. Peaks too high for the recovery time you promise: make checkpoints
            more frequent, or the disk faster.""",
            [query(s("max(pgcheckpoint_recovery_wal_bytes{@})"), "to replay"),
             query(s("max(pgcheckpoint_event_estimate_bytes{@})"), "server's estimate of a cycle")],
            "bytes", (12, 10),
            overrides=[color("to replay", CALM, custom__fillOpacity=20),
                       dashed("server's estimate of a cycle", MUTED)],
        ),
    ]


def build():
    target = variable("target", "Server",
                      'label_values(pgcheckpoint_up{job=~"$job",instance=~"$instance"}, target)',
                      many=False)
    panels = verdict() + is_it_checkpoints() + why_do_they_run() + who_writes() + what_to_set()
    return dashboard(
        UID, "Checkpoint overview",
        """One PostgreSQL server, top down: is it checkpoints, why do they run, who writes the
            pages,
        what to set and what it costs.""",
        [*standard_variables(), target], panels, marks((LATENCY, TRIGGER, WAL, WRITERS)))
