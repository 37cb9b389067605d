# SPDX-License-Identifier: Apache-2.0
"""PromQL that several dashboards share. `{@}` in an expression stands for the chosen servers."""

from __future__ import annotations

EXPORTERS = 'job=~"$job",instance=~"$instance"'
SERVERS = EXPORTERS + ',target=~"$target"'

# Settings that bear on checkpoints, by the way they are shown. Text settings have a family
# NAME_info with the value as a label.
SETTINGS = {
    "bytes": (
        "max_wal_size", "min_wal_size", "wal_segment_size", "shared_buffers", "wal_buffers",
        "wal_keep_size", "max_slot_wal_keep_size", "checkpoint_flush_after",
        "bgwriter_flush_after", "backend_flush_after",
    ),
    "seconds": (
        "checkpoint_timeout", "checkpoint_warning", "bgwriter_delay", "archive_timeout",
    ),
    "ratio": ("checkpoint_completion_target",),
    "": ("bgwriter_lru_maxpages", "bgwriter_lru_multiplier"),
    "switch": (
        "full_page_writes", "fsync", "log_checkpoints", "track_io_timing", "track_wal_io_timing",
        "wal_recycle", "data_checksums", "wal_log_hints",
    ),
    "info": ("wal_compression", "wal_level", "synchronous_commit", "archive_mode",
             "wal_sync_method", "io_method"),
}


def family(setting: str, kind: str) -> str:
    suffix = {"": "", "switch": ""}.get(kind, "_" + kind)
    return f"pgcheckpoint_{setting}{suffix}"


def servers(expr: str) -> str:
    return expr.replace("{@", "{" + SERVERS)


def exporters(expr: str) -> str:
    return expr.replace("{@", "{" + EXPORTERS)


def smaller(left: str, right: str) -> str:
    """The smaller of two vectors with the same labels."""
    return f"(({left}) < ({right})) or ({right})"


# Bytes a second of full page images: exact from 19, an estimate (see wal_fpi_ratio) for 14 to 18.
WAL_RATE = "sum by (target) (rate(pgcheckpoint_wal_bytes_total{@}[$__rate_interval]))"
FULL_PAGE_IMAGE_RATE = smaller(
    """sum by (target) (rate(pgcheckpoint_wal_fpi_bytes_total{@}[$__rate_interval]))
       or sum by (target) (rate(pgcheckpoint_wal_fpi_total{@}[$__rate_interval]))
          * max by (target) (pgcheckpoint_block_size_bytes{@})""",
    WAL_RATE,
)


def rise(sample: str, by: str = "") -> str:
    """By how much a counter rose since the step before, so that each event counts at one step.

    rate() and increase() would spread it over the several steps that their window covers.
    """
    total = f"sum by ({by})" if by else "sum"
    return f"({total} ({sample}) - {total} ({sample} offset $__interval))"


def setting_changes() -> str:
    """1 at the step at which a setting has another value than a step before."""
    changed = []
    for kind, names in SETTINGS.items():
        for name in names if kind != "info" else ():
            metric = f"max by (target) ({family(name, kind)}{{@}}"
            changed.append(
                f'label_replace({metric}) != {metric} offset $__interval), '
                f'"setting", "{name}", "", "")'
            )
    return "(" + " or ".join(changed) + ") * 0 + 1"


def setting_rows(kind: str) -> str:
    """One row a setting, its name in the label `setting`."""
    parts = []
    for name in SETTINGS[kind]:
        labels = "setting, value" if kind == "info" else "setting"
        parts.append(
            f'max by ({labels}) (label_replace({family(name, kind)}{{@}}, "setting", "{name}", "", ""))'
        )
    return " or ".join(parts)


def quantile(q, probe, states="running|idle"):
    return servers(f"""histogram_quantile({q}, sum by (le) (rate(
        pgcheckpoint_probe_latency_seconds_bucket{{@,probe="{probe}",checkpoint=~"{states}"}}
        [$__rate_interval])))""")


def measured(expr, probe, states="running|idle"):
    """Nothing rather than NaN where there is no sample, as while the probe is off."""
    return f"{expr} " + servers(f"""and sum (rate(
        pgcheckpoint_probe_latency_seconds_count{{@,probe="{probe}",checkpoint=~"{states}"}}
        [$__rate_interval])) > 0""")
