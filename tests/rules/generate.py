#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes promtool test files from the table in scenarios.py.

usage: generate.py OUTDIR [--scrape 15|60] [--only TEXT]
"""

import argparse
import json
import pathlib
import sys
from decimal import Decimal

import golden
from model import SNAPSHOT_SECONDS, Simulation
from scenarios import table

NO_EXPORTER_HOURS = 1
SCRAPES = (15, 60)
EVALUATIONS = (60, 300)


def number(value) -> str:
    """As Prometheus reads it; whole numbers without a fraction so that runs compress."""
    value = round(float(value), 6)
    return str(int(value)) if value == int(value) else format(Decimal(repr(value)), "f")


def encode(values: list) -> str:
    """promtool's notation: a+bxn for arithmetic runs of whole numbers, stale once, _ for no sample."""
    out, i, had_sample = [], 0, False
    while i < len(values):
        value = values[i]
        if value is None:
            out.append("stale" if had_sample else "_")
            had_sample = False
            i += 1
            continue
        had_sample = True
        run = 1
        whole = float(value).is_integer()
        delta = None
        if i + 1 < len(values) and values[i + 1] is not None:
            delta = values[i + 1] - value
            if whole and float(delta).is_integer() or delta == 0:
                while i + run < len(values) and values[i + run] is not None and \
                        values[i + run] - values[i + run - 1] == delta:
                    run += 1
        if run < 2:
            out.append(number(value))
        elif delta == 0:
            out.append(f"{number(value)}x{run - 1}")
        else:
            out.append(f"{number(value)}{'+' if delta > 0 else '-'}{number(abs(delta))}x{run - 1}")
        i += run
    return " ".join(out)


def with_scrape_labels(series: str, job: str) -> str:
    own = f'instance="exporter:10432",job="{job}"'
    name, brace, rest = series.partition("{")
    return f"{name}{{{own},{rest}" if brace else f"{name}{{{own}}}"


def input_series(snapshots: list, scrape: int, job: str) -> list:
    """One entry a series, in the order of first appearance."""
    seen = snapshots[:: scrape // SNAPSHOT_SECONDS]
    names = dict.fromkeys(name for snapshot in seen for name in snapshot)
    return [{"series": with_scrape_labels(name, job), "values": encode([s.get(name) for s in seen])}
            for name in names]


def alert_set(alerts) -> list:
    return [{"labels": f'{{alertname="{name}"}}', "value": 1} for name in sorted(alerts)]


def tests_of(row, snapshots: list, scrape: int) -> dict:
    if row.story is None:
        hours, series = NO_EXPORTER_HOURS, [{"series": 'up{job="node",instance="n:9100"}', "values": "1x960"}]
    else:
        hours = row.story.hours
        series = input_series(snapshots, scrape, row.story.job)
    end = int(hours * 3600)
    expressions = [{
        "expr": f'group by (alertname) (count_over_time(ALERTS{{alertstate="firing"}}[{end}s]))',
        "eval_time": f"{end}s",
        "exp_samples": alert_set(row.firing),
    }]
    for second, alerts in sorted(row.at.items()):
        expressions.append({
            "expr": 'group by (alertname) (ALERTS{alertstate="firing",alertname!~"%s"})' % "|".join(
                golden.MOMENTARY),
            "eval_time": f"{int(second)}s",
            "exp_samples": alert_set(alerts),
        })
    for record in golden.RECORDS:
        if record.scenario == row.name and scrape == 60:
            expressions.append({"expr": record.expr, "eval_time": f"{record.at}s",
                                "exp_samples": [{"labels": labels, "value": value}
                                                for labels, value in record.samples]})
    alerts = [{
        "eval_time": f"{text.at}s",
        "alertname": text.alert,
        "exp_alerts": [{"exp_labels": text.labels,
                        "exp_annotations": golden.annotations(text)}],
    } for text in golden.TEXTS if text.scenario == row.name and scrape in text.scrapes]
    return {
        "name": f"{row.name} (scraped every {scrape}s)",
        "interval": f"{scrape}s",
        "input_series": series,
        "promql_expr_test": expressions,
        "alert_rule_test": alerts,
    }


def write(path: pathlib.Path, rule_files: list, evaluation: int, tests: list, extra_groups=()):
    # JSON is YAML, and the standard library writes it.
    path.write_text(json.dumps({
        "rule_files": [str(f) for f in rule_files],
        "evaluation_interval": f"{evaluation}s",
        "group_eval_order": ["pgcheckpoint_windows", "pgcheckpoint_work", "pgcheckpoint_history",
                             "pgcheckpoint_symptoms", "pgcheckpoint_causes", "pgcheckpoint_exporter",
                             *extra_groups],
        "tests": tests,
    }))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("outdir", type=pathlib.Path)
    parser.add_argument("--scrape", type=int, choices=SCRAPES, action="append")
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    arguments.outdir.mkdir(parents=True, exist_ok=True)
    rule_files = [golden.RULES / "recording.yml", golden.RULES / "alerts.yml"]
    files = {(scrape, evaluation): [] for scrape in arguments.scrape or SCRAPES for evaluation in EVALUATIONS}
    for row in table():
        if arguments.only not in row.name:
            continue
        snapshots = Simulation(row.story).snapshots if row.story else []
        for (scrape, evaluation), tests in files.items():
            if scrape in row.scrapes and evaluation == row.evaluation:
                tests.append(tests_of(row, snapshots, scrape))
    for (scrape, evaluation), tests in files.items():
        path = arguments.outdir / f"scraped_{scrape}s_evaluated_{evaluation}s.yml"
        write(path, rule_files, evaluation, tests)
    return 0


if __name__ == "__main__":
    sys.exit(main())
