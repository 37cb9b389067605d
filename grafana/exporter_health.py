# SPDX-License-Identifier: Apache-2.0
"""The exporter itself: does it see everything, what does it cost."""

from panels import (
    BAD, CALM, GOOD, MUTED, WARN, color, colored, dashboard, dashed, graph, mapping, override, query,
    row, standard_variables, stat, table, thresholds, variable,
)
from selectors import exporters as e, servers as s


def summary():
    return [
        stat("Targets up", "Servers that answered recently, of all configured. Fewer: see Polls that failed, by kind.",
             [query(s("sum(pgcheckpoint_up{@})"), "up", instant=True),
              query(s("count(pgcheckpoint_up{@})"), "of", instant=True)], "short", (4, 4)),
        stat("Logs read", """Targets whose server log could be read at the last attempt. Fewer than
            up: those events
             come from statistics alone, with starts and ends to the second. Cure: docs of
             `log.path`,
             or the GRANTs that `doctor` prints.""",
             [query(s("sum(pgcheckpoint_log_reading{@})"), instant=True)], "short", (4, 4),
             no_value="none configured"),
        stat("Oldest poll", """Age of the oldest last answer. Above 5 s (or three pulse intervals)
            that server counts
             as down.""",
             [query(s("max(time() - pgcheckpoint_last_poll_timestamp_seconds{@})"), instant=True)],
             "s", (4, 4), decimals=0, steps=thresholds(GOOD, (60, WARN), (300, BAD))),
        stat("Configuration", """Whether the last load of the configuration succeeded. Rejected:
            the old one
             stays in force; the exporter's log names file, line and cure.""",
             [query(e("min(pgcheckpoint_config_last_reload_successful{@})"), instant=True)], "none",
             (4, 4), color_background=True,
             mappings=mapping({0: ("rejected", BAD), 1: ("loaded", GOOD)})),
        stat("Values not understood", """Values that servers sent and the exporter could not read,
            in the last hour. Not 0: a
             version it does not know, or a fault; please report it.""",
             [query(s("sum(increase(pgcheckpoint_values_rejected_total{@}[1h]))"), instant=True)],
             "short", (4, 4), decimals=0, steps=thresholds(GOOD, (1, WARN))),
        stat("Memory", """Resident memory of the exporters chosen, the largest. It follows the
            number of
             targets and stays flat. Growing for days: please report it.""",
             [query(e("max(process_resident_memory_bytes{@})"), instant=True)], "bytes", (4, 4),
             decimals=1, steps=thresholds(GOOD, (200e6, WARN))),
    ]


def polling():
    return [
        row("Polls"),
        graph("Answered pulses", """Pulses a second by target: 1 / pulse_interval, flat. Gaps: the
            server, or
              the network, did not answer.""",
              [query(s("sum by (target) (rate(pgcheckpoint_pulses_total{@}[$__rate_interval]))"),
                     "{{target}}")], "ops", (8, 8)),
        graph("Polls that failed, by kind", """Failed connects and polls. connection: server or
            network; auth: password or
              pg_hba.conf; timeout: the server is frozen or overloaded; permission: a GRANT is
              missing, `doctor`
              prints it.""",
              [query(s("""sum by (code) (
                  increase(pgcheckpoint_poll_errors_total{@}[$__rate_interval]))"""), "{{code}}")],
                  "short", (8, 8), bars=True, decimals=0,
              overrides=[override(".*", regex=True, custom__axisSoftMax=1)]),
        graph("Round trip of a pulse", """From sending the statement to having its row, the last
            before each
              scrape. It is what the query probe measures.""",
              [query(s("max by (target) (pgcheckpoint_pulse_duration_seconds{@})"), "{{target}}")],
              "s", (8, 8)),
        graph("Connections opened", """One a target is kept for good; new ones mean that it was
            lost (restart, failover, an idle
              timeout of a pooler or firewall).""",
              [query(s("sum by (target) (increase(pgcheckpoint_connects_total{@}[$__rate_interval]))"),
                     "{{target}}")], "short", (8, 8), bars=True, decimals=0,
              overrides=[override(".*", regex=True, custom__axisSoftMax=1)]),
        table("What each server lets the exporter see",
              """1 column a target, 1 row a capability, as read from its catalogs. "no" with a
                  metric
              missing: the exporter's log and `doctor` name the GRANT. emit_message and
              statements matter only to the opt-in probes.""",
              [query(s("min by (instance, target, name) (pgcheckpoint_capability{@})"), table=True)],
              (16, 8), order=("target", "instance", "name", "Value"), sort=("Allowed", False),
              overrides=[
                  override("target", displayName="Server"),
                  override("instance", displayName="Exporter"),
                  override("name", displayName="Capability"),
                  colored("Value", "Allowed", "none", thresholds(WARN, (1, GOOD)),
                          mappings=mapping({0: ("no", WARN), 1: ("yes", GOOD)})),
              ]),
    ]


def log_reading():
    return [
        row("The server log"),
        graph("Lines, by outcome", """Lines of server logs a second. matched: about checkpoints or
            recovery.
              not_understood: the checkpointer said something that the parser does not know, please
              report it.
              malformed: the format or log_line_prefix is another one than configured.""",
              [query(s("""sum by (outcome) (
                  rate(pgcheckpoint_log_lines_total{@,outcome=~"read|matched"}[$__rate_interval]))"""),
                     "{{outcome}}"),
               query(s("""sum by (outcome) (rate(pgcheckpoint_log_lines_total{@,
                   outcome!~"read|matched"}[$__rate_interval])) > 0"""), "{{outcome}}")],
              "ops", (8, 8),
              overrides=[color("read", MUTED), color("matched", GOOD), color("not_understood", BAD),
                         color("malformed", WARN)]),
        graph("Events by who saw them", """Checkpoints of the hour before, seen by both sources,
            the log alone or statistics alone. All in
              stats although a log is read: the parser is blind; check log_checkpoints and the
              path.""",
              [query(s("""sum by (source) (
                  increase(pgcheckpoint_event_sources_total{@}[1h]))"""), "{{source}}")],
              "short", (8, 8), stack=True, fill=50, decimals=0,
              overrides=[color("both", GOOD), color("log", CALM), color("stats", WARN)]),
        graph("Since the last line that was matched", """Should fall to 0 at every checkpoint.
            Rising past checkpoint_timeout while checkpoints
              happen: the log is not the right one, or rotated away.""",
              [query(s("""time() - max by (target) (
                  pgcheckpoint_log_last_match_timestamp_seconds{@} > 0)"""), "{{target}}")],
              "s", (8, 8)),
        graph("Log errors, rotations and truncations", """Rotations are normal. Truncations lose
            lines when the file is
              cut before it was read (copytruncate). Errors: missing, permission: see the
              exporter's log.""",
              [query(s("""sum by (kind) (
                  increase(pgcheckpoint_log_errors_total{@}[$__rate_interval])) > 0"""),
                     "error: {{kind}}"),
               query(s("sum(increase(pgcheckpoint_log_rotations_total{@}[$__rate_interval]))"),
                     "rotations"),
               query(s("sum(increase(pgcheckpoint_log_truncations_total{@}[$__rate_interval]))"),
                     "truncations")],
              "short", (12, 7), bars=True, decimals=0,
              overrides=[override(".*", regex=True, custom__axisSoftMax=1),
                         color("rotations", CALM), color("truncations", WARN)]),
        graph("Events known only as a number", """Several checkpoints fell between two pulses, of
            which only the last could be told apart.
              Shorten pulse_interval, or let the exporter read the log.""",
              [query(s("""sum by (target) (
                  increase(pgcheckpoint_events_coalesced_total{@}[$__rate_interval]))"""),
                     "{{target}}")], "short", (12, 7), bars=True, decimals=0,
              overrides=[override(".*", regex=True, custom__axisSoftMax=1)]),
    ]


def cost():
    return [
        row("What it costs"),
        graph("CPU", """Share of one core. It follows the number of targets and of pulses; a busy
            server costs no
              more than an idle one, unless its log is read. Too much: a longer pulse_interval.""",
              [query(e("sum by (instance) (rate(process_cpu_seconds_total{@}[$__rate_interval]))"),
                     "{{instance}}")], "percentunit", (8, 8)),
        graph("Memory", """Resident memory. It should be flat: nothing in the exporter grows without
              bound. Rising for days: please report it.""",
              [query(e("max by (instance) (process_resident_memory_bytes{@})"), "{{instance}}")],
              "bytes", (8, 8)),
        graph("Scrapes", """Time of a scrape, as Prometheus saw it. It only formats what is
              known and waits for no server. Near scrape_timeout: the exporter's host is
              overloaded.""",
              [query(e("max by (instance) (scrape_duration_seconds{@})"), "{{instance}}")],
              "s", (8, 8)),
        graph("Files and threads", """Open file descriptors against their limit, and threads. Both
            follow the number of targets and
              stay flat.""",
              [query(e("max by (instance) (process_open_fds{@})"), "{{instance}} files"),
               query(e("max by (instance) (process_threads{@})"), "{{instance}} threads"),
               query(e("max by (instance) (process_max_fds{@} < 10000)"), "{{instance}} limit of files")],
              "short", (12, 7), decimals=0,
              overrides=[override(".*limit of files", regex=True, custom__lineStyle={
                  "fill": "dash", "dash": [8, 6]})]),
        table("Exporters", """Version and start of each exporter. Different versions after a
            roll-out: one was
              left behind.""",
              [query(e("max by (instance, version, revision, compiler) (pgcheckpoint_build_info{@})"),
                     table=True),
               query(e("max by (instance) (process_start_time_seconds{@}) * 1000"), table=True)],
              (12, 7), hide=("Value #A",), order=("instance", "version", "revision", "compiler"),
              overrides=[override("instance", displayName="Exporter"),
                         override("version", displayName="Version"),
                         override("revision", displayName="Revision"),
                         override("compiler", displayName="Compiler"),
                         colored("Value #B", "Started", "dateTimeAsIso")]),
    ]


def build():
    target = variable("target", "Server",
                      'label_values(pgcheckpoint_up{job=~"$job",instance=~"$instance"}, target)')
    return dashboard(
        "pgcheckpoint-exporter-health", "Checkpoint exporter health",
        """Whether the exporter sees everything it could, and what it costs.""",
        [*standard_variables(), target], summary() + polling() + log_reading() + cost())
