# SPDX-License-Identifier: Apache-2.0
"""Every server, the one in most trouble first, with links into the overview."""

from panels import (
    BAD, GOOD, WARN, band, color, colored, dashboard, dashed, graph, link, mapping, override,
    query, row, standard_variables, stat, table, thresholds, variable,
)
from selectors import servers as s

OVERVIEW = "pgcheckpoint-overview"
# The variables of the overview, filled from the row or the series that was clicked.
LINK = ("/d/" + OVERVIEW + "?var-datasource=${datasource}&var-job=$__all&var-instance=%s"
        "&var-target=%s&${__url_time_range}")

FORCED_SHARE = """(sum by (instance, target)
    (increase(pgcheckpoint_events_total{@,reason="wal"}[1h]))
    / (sum by (instance, target) (increase(pgcheckpoint_events_total{@,reason=~"wal|time"}[1h])) >
    0))"""
FAILURES = "sum by (instance, target) (increase(pgcheckpoint_event_failures_total{@}[1h]))"
IMPACT = "max by (instance, target) (pgcheckpoint_latency_impact_ratio{@})"
BACKENDS = 'max by (instance, target) (pgcheckpoint_backend_write_ratio{@,window="1h"})'
LATENCY = """histogram_quantile(0.95, sum by (instance, target, le) (rate(
    pgcheckpoint_probe_latency_seconds_bucket{@,probe="query"}[$__rate_interval])))"""
PG_WAL = """(max by (instance, target) (pgcheckpoint_wal_directory_bytes{@})
    / max by (instance, target) (pgcheckpoint_max_wal_size_bytes{@}))"""

# What is wrong, with its weight. The first that cannot be asked says nothing more.
TROUBLES = (
    ("max by (instance, target) (pgcheckpoint_up{@}) == bool 0", 100),
    (FAILURES + " > bool 0.5", 50),
    (IMPACT + " > bool 3", 20),
    (FORCED_SHARE + " > bool 0.5", 10),
    (BACKENDS + " > bool 0.5", 5),
    (PG_WAL + " > bool 1.5", 5),
    ("(max by (instance, target) (time() - pgcheckpoint_log_last_match_timestamp_seconds{@}) * 0"
     " + max by (instance, target) (pgcheckpoint_log_reading{@})) == bool 0", 2),
)


def trouble():
    """Each part falls back to 0 where the server does not report it."""
    up = "max by (instance, target) (pgcheckpoint_up{@})"
    return " + ".join(f"(({part}) * {weight} or {up} * 0)" for part, weight in TROUBLES)


def summary():
    down = s("count(pgcheckpoint_up{@} == 0) or vector(0)")
    return [
        stat("Servers", """How many servers are watched. Fewer than you know of: see the exporter's
             configuration and Exporter health.""",
             [query(s("count(pgcheckpoint_up{@})"), instant=True)], "short", (4, 4)),
        stat("Down", """Servers that do not answer the exporter. Their other values are absent,
            never
             stale. Look at the exporter's log, it names the cause and the cure.""",
             [query(down, instant=True)], "short", (4, 4), steps=thresholds(GOOD, (1, BAD))),
        stat("Checkpoint running", """Servers with a checkpoint at this moment. All at the same
            second, hour after hour, on
             shared storage: they share a start time; spread restarts.""",
             [query(s("sum(pgcheckpoint_in_progress{@})"), instant=True)], "short", (4, 4),
             no_value="not visible"),
        stat("Mostly forced by WAL", """Servers on which WAL volume, not the timer, caused more
            than half of the last hour's
             checkpoints. Raise their max_wal_size, see their overview.""",
             [query(s(f"count({FORCED_SHARE} > 0.5) or vector(0)"), instant=True)], "short", (4, 4),
             steps=thresholds(GOOD, (1, WARN))),
        stat("Felt by queries", """Servers whose probe is more than twice as slow while a
            checkpoint runs
             (95th percentile, last hour). Start with these.""",
             [query(s("count(pgcheckpoint_latency_impact_ratio{@} > 2) or vector(0)"), instant=True)],
             "short", (4, 4), steps=thresholds(GOOD, (1, WARN))),
        stat("Failed checkpoints", """Checkpoints of the last hour that began and ended in an
            error. Not 0: look at that server's
             log at once; WAL piles up until the disk is full.""",
             [query(s("sum(increase(pgcheckpoint_event_failures_total{@}[1h]))"), instant=True)],
             "short", (4, 4), steps=thresholds(GOOD, (1, BAD)), decimals=0),
    ]


def servers_table():
    columns = [
        (trouble(), "Trouble", "short", thresholds(GOOD, (2, WARN), (20, BAD)), {"decimals": 0}),
        ("max by (instance, target) (pgcheckpoint_up{@})", "State", "none",
         thresholds(BAD, (1, GOOD)), {"mappings": mapping({0: ("down", BAD), 1: ("up", GOOD)})}),
        ("max by (instance, target) (pgcheckpoint_in_recovery{@})", "Role", "none", None,
         {"mappings": mapping({0: ("primary", "text"), 1: ("standby", "text")})}),
        (LATENCY, "p95", "s", None, {}),
        (IMPACT, "Slowdown", "suffix:x", thresholds(GOOD, (1.5, WARN), (3, BAD)),
         {"decimals": 1}),
        (FORCED_SHARE, "Forced", "percentunit", thresholds(GOOD, (0.2, WARN), (0.5, BAD)),
         {"decimals": 0}),
        ("sum by (instance, target) (increase(pgcheckpoint_events_total{@}[1h]))",
         "Per hour", "short", None, {"decimals": 0}),
        ("max by (instance, target) (pgcheckpoint_next_forced_timestamp_seconds{@} - time())",
         "Forced in", "s", None, {"decimals": 0}),
        (BACKENDS, "Backends", "percentunit", thresholds(GOOD, (0.3, WARN), (0.5, BAD)),
         {"decimals": 0}),
        ('max by (instance, target) (pgcheckpoint_wal_fpi_ratio{@,window="1h"})', "Images", "percentunit", None, {"decimals": 0}),
        (PG_WAL, "pg_wal", "percentunit", thresholds(GOOD, (1.1, WARN), (1.5, BAD)),
         {"decimals": 0}),
        ("max by (instance, target) (pgcheckpoint_max_wal_size_bytes{@})", "max_wal_size", "bytes",
         None, {"custom__width": 110}),
        ("max by (instance, target) (pgcheckpoint_recommended_max_wal_size_bytes{@})", "Advised",
         "bytes", None, {"decimals": 0}),
        ("sum by (instance, target) (pgcheckpoint_advice{@})", "Advice", "short", None, {}),
    ]
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    return table(
        "Servers, the one in most trouble first",
        """Trouble is a sum: 100 down, 50 a failed checkpoint in the last hour, 20 queries three
            times as
        slow during checkpoints, 10 mostly forced by WAL, 5 backends write most pages, 5 pg_wal half
        as large again as max_wal_size, 2 a log that cannot be read. Click a server for its
        overview. p95: of the query probe. Slowdown: p95 while checkpoints ran over p95 while none
        ran, last hour.
        Forced: share of the last hour's checkpoints that WAL volume caused. Per hour: checkpoints
        of
        the last hour. Backends: share of pages that sessions wrote. Images: share of the WAL that
        is
        full page images. pg_wal: its size of max_wal_size.""",
        [query(s(expr), table=True) for expr, *_ in columns], (24, 12), sort=("Trouble", True),
        order=("target", "instance", *(f"Value #{letters[i]}" for i in range(len(columns)))),
        overrides=[
            override("target", displayName="Server", custom__width=165, links=[{
                "title": "Overview of ${__data.fields.target}",
                "url": LINK % ("${__data.fields.instance}", "${__data.fields.target}")}]),
            override("instance", displayName="Exporter", custom__width=145),
            *(colored(f"Value #{letters[i]}", shown, unit, steps,
                      **{"custom__width": 88, **more})
              for i, (_, shown, unit, steps, more) in enumerate(columns)),
        ],
    )


def multiples():
    """Two small panels a server, of the few worst, so that a thousand servers stay cheap."""
    mine = 'pgcheckpoint_%s{job=~"$job",instance=~"$instance",target=~"$worst"%s}'
    return [
        row("The servers in most trouble"),
        {**graph(
            "$worst",
            """95th percentile of the query probe; the band is a running checkpoint. The title
                leads to the
            server's overview. Spikes under the band: checkpoints.""",
            [query("max(avg_over_time(%s[$__interval])) or max(%s)"
                   % ((mine % ("in_progress", ""),) * 2), "checkpoint running"),
             query("histogram_quantile(0.95, sum by (le) (rate(%s[$__rate_interval])))"
                   % (mine % ("probe_latency_seconds_bucket", ',probe="query"')), "query p95")],
            "s", (6, 6), overrides=[band("checkpoint running", "orange", 14),
                                    color("query p95", "yellow")],
            links=[link("Overview", LINK % ("$__all", "${worst}"))],
        ), "repeat": "worst", "repeatDirection": "h", "maxPerRow": 4},
    ]


def together():
    return [
        row("Side by side"),
        graph("Query latency, p95", """The ten slowest servers. All rise together: what they share
            (storage, network, the
              exporter's host). One alone: its own.""",
              [query(s(f"topk(10, {LATENCY})"), "{{target}}")], "s", (12, 8), legend_right=True,
              calcs=("mean", "max")),
        graph("Distance to the next forced checkpoint", """WAL since the redo point as a share of
            what forces a checkpoint.
              A saw that touches 100 %: forced. One that falls earlier: the timer came first, as it
              should.""",
              [query(s("""topk(10, max by (instance, target) (pgcheckpoint_wal_since_redo_bytes{@})
                  / max by (instance, target) (pgcheckpoint_forced_trigger_bytes{@}))"""),
                     "{{target}}"), query("vector(1)", "forced")],
              "percentunit", (12, 8), legend_right=True, calcs=("mean",),
              overrides=[dashed("forced", BAD)]),
        graph("Checkpoints forced by WAL, in the hour before", """Each forced checkpoint of the
            last 60 minutes at each moment.
              Steps up at the same time on several servers: a common job.""",
              [query(s("""topk(10, sum by (instance, target) (
                  increase(pgcheckpoint_events_total{@,reason="wal"}[1h])))"""), "{{target}}")],
              "short", (12, 8), legend_right=True, decimals=0, calcs=("lastNotNull",)),
        graph("WAL written", """Bytes of WAL a second, the ten busiest servers. It is what the
              distance between checkpoints is made of.""",
              [query(s("""topk(10, max by (instance, target) (
                  pgcheckpoint_forecast_wal_bytes_per_second{@}))"""), "{{target}}")], "Bps",
              (12, 8), legend_right=True, calcs=("mean", "max")),
    ]


def build():
    target = variable("target", "Server",
                      'label_values(pgcheckpoint_up{job=~"$job",instance=~"$instance"}, target)')
    worst = variable("worst", "Worst", f"query_result(topk(8, {s(trouble())}))", hide=2, sort=0,
                     regex='/target="([^"]+)"/')
    return dashboard(
        "pgcheckpoint-fleet", "Checkpoint fleet",
        """Every server at a glance, the one in most trouble first; each leads to its overview.""",
        [*standard_variables(), target, worst],
        summary() + [servers_table()] + multiples() + together())
