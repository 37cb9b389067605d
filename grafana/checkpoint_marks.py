# SPDX-License-Identifier: Apache-2.0
"""Annotations of the overview: starts of checkpoints, changed settings, starts of the server."""

from panels import REASON_COLORS, annotation
from selectors import servers as s, setting_changes


def marks(crowded):
    """Exact starts, one annotation a reason, so that the colour tells why. crowded: the panels with them.

    Lines closer than 25 steps would bury the curves, and closer than one step melt into a region.
    """
    spread = """and on () (sum(increase(pgcheckpoint_events_total{@}[1h])) * $__interval_ms
        < 3600000 / 25)"""
    starts = [
        annotation(
            f"Checkpoint {name}",
            s("(max by (target, reason) (pgcheckpoint_last_start_timestamp_seconds{@,reason"
              + which + "}) * 1000) " + spread),
            shade, title="Checkpoint started ({{reason}})", tags="target,reason", exact=True,
            step="1s", panels=crowded)
        for name, which, shade in (
            ("forced by WAL", '="wal"', REASON_COLORS["wal"]),
            ("by timer", '="time"', REASON_COLORS["time"]),
            ("by request or restart", '=~"request|restart"', REASON_COLORS["request"]))
    ]
    return starts + [
        annotation("Settings changed", s(setting_changes()), "yellow",
                   title="{{setting}} changed", tags="target,setting", step="15s"),
        annotation("Server started",
                   s("max by (target) (pgcheckpoint_postmaster_start_timestamp_seconds{@}) * 1000"),
                   "green", title="Server started", tags="target", exact=True, step="15s"),
    ]
