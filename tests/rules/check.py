#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks of the rules, their documents and examples that need no simulated server."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import yaml

import generate
import golden
from scenarios import table

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DEPLOY = ROOT / "deploy"
PROMETHEUS = DEPLOY / "prometheus"
RUNBOOKS = ROOT / "docs" / "runbooks.md"
METRICS = ROOT / "docs" / "metrics.md"
ALERTMANAGER = DEPLOY / "alertmanager" / "alertmanager.yml"
RECORD_PREFIX = r"(?:target|target_[a-z_]+):"


def run(*command) -> subprocess.CompletedProcess:
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False)


def sections() -> dict:
    """Heading to text, of the runbooks' sections on alerts."""
    parts = re.split(r"^## (.+)$", RUNBOOKS.read_text(), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


class Rules(unittest.TestCase):
    def setUp(self):
        self.alerts = golden.rules_of("alerts")
        self.records = golden.rules_of("recording")

    def test_promtool_lints(self):
        done = run("promtool", "check", "rules", "--lint=all", *sorted((PROMETHEUS / "rules").glob("*.yml")))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_alert_style(self):
        for name, rule in self.alerts.items():
            with self.subTest(name):
                self.assertRegex(name, r"^PgCheckpoint([A-Z]+[a-z0-9]+)+$")
                self.assertIn(rule["labels"]["severity"], ("critical", "warning", "info"))
                self.assertEqual(set(rule["labels"]), {"severity"})
                self.assertRegex(rule["for"], r"^\d+m$")
                notes = rule["annotations"]
                self.assertEqual(set(notes), {"summary", "description", "runbook_url"})
                self.assertRegex(notes["summary"], r"^[A-Z][^{}]*\.$")
                self.assertEqual(notes["runbook_url"], golden.RUNBOOKS + name.lower())

    def test_record_names(self):
        for name in self.records:
            with self.subTest(name):
                self.assertRegex(name, rf"^{RECORD_PREFIX}pgcheckpoint_[a-z_]+:[a-z0-9_]+$")

    def test_every_alert_has_its_text_and_both_sides(self):
        rows = table()
        for name in self.alerts:
            with self.subTest(name):
                self.assertTrue([t for t in golden.TEXTS if t.alert == name], "no text in golden.py")
                self.assertTrue([r for r in rows if name in r.firing], "no scenario in which it fires")
                self.assertTrue([r for r in rows if name not in r.firing], "no scenario in which it is quiet")

    def test_every_record_has_both_sides(self):
        for name in self.records:
            with self.subTest(name):
                values = {v.value for v in golden.RECORDS if v.record == name}
                self.assertGreaterEqual(len(values), 2, "want a much and a little case in golden.py")

    def test_tables_name_what_exists(self):
        names = [r.name for r in table()]
        self.assertEqual(len(names), len(set(names)), "two scenarios of one name")
        for row in table():
            self.assertLessEqual(set(row.firing), set(self.alerts), row.name)
            for alerts in row.at.values():
                self.assertLessEqual(set(alerts), set(row.firing), row.name)
        for entry in golden.TEXTS + golden.RECORDS:
            self.assertIn(entry.scenario, names)

    def test_alerts_use_only_records_that_exist(self):
        text = (PROMETHEUS / "rules" / "alerts.yml").read_text() + RUNBOOKS.read_text()
        used = set(re.findall(rf"{RECORD_PREFIX}pgcheckpoint_[a-z_]+:[a-z0-9_]+", text))
        self.assertLessEqual(used, set(self.records))

    def test_metrics_exist(self):
        if not METRICS.is_file():
            self.skipTest("docs/metrics.md is not there")
        known = set(re.findall(r"pgcheckpoint_[a-z0-9_]+", METRICS.read_text()))
        texts = [rule["expr"] for rule in (*self.alerts.values(), *self.records.values())]
        texts += re.findall(r"```promql\n(.*?)```", RUNBOOKS.read_text(), re.DOTALL)
        for text in texts:
            text = re.sub(rf"{RECORD_PREFIX}[a-z0-9_:]+", "", text)
            text = re.sub(r'"[^"]*"', "", text)
            for metric in re.findall(r"pgcheckpoint_[a-z0-9_]+", text):
                base = re.sub(r"_(sum|count|bucket)$", "", metric)
                self.assertTrue({metric, base} & known, f"{metric} is not in docs/metrics.md")


class Runbooks(unittest.TestCase):
    def test_a_section_an_alert_and_an_alert_a_section(self):
        self.assertEqual(list(sections()), list(dict.fromkeys(sections())))
        self.assertEqual(set(sections()), set(golden.rules_of("alerts")))

    def test_sections_are_whole(self):
        for name, text in sections().items():
            for part in ("**Means.**", "**Confirm.**", "**Do.**", "**Costs.**"):
                self.assertEqual(text.count(part), 1, f"{name}: {part}")

    def test_links_lead_somewhere(self):
        anchors = {name.lower() for name in sections()}
        for anchor in re.findall(r"\]\(#([^)]+)\)", RUNBOOKS.read_text()):
            self.assertIn(anchor, anchors)

    def test_promql_parses(self):
        queries = re.findall(r"```promql\n(.*?)```", RUNBOOKS.read_text(), re.DOTALL)
        rules = [{"record": f"runbook:query:{i}", "expr": line}
                 for i, line in enumerate(q for block in queries for q in block.strip().splitlines())]
        self.assertGreater(len(rules), 20)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "runbooks.yml"
            path.write_text(yaml.safe_dump({"groups": [{"name": "runbooks", "rules": rules}]}))
            done = run("promtool", "check", "rules", path)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class Examples(unittest.TestCase):
    def test_scrape_configurations(self):
        files = sorted((PROMETHEUS / "scrape").glob("*.yml"))
        self.assertGreaterEqual(len(files), 4)
        for file in files:
            with self.subTest(file.name):
                text = yaml.safe_load(file.read_text())
                for job in text["scrape_configs"]:
                    self.assertIn("pgcheckpoint", job["job_name"])
                self.assertEqual(text["rule_files"], ["../rules/recording.yml", "../rules/alerts.yml"])
                # The files with secrets are not on this machine.
                done = run("promtool", "check", "config", "--syntax-only", file)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    @unittest.skipUnless(shutil.which("amtool"), "amtool (Debian: prometheus-alertmanager) is not installed")
    def test_alertmanager(self):
        done = run("amtool", "check-config", ALERTMANAGER)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        receivers = {"critical": "on-call", "warning": "database-team", "info": "nobody"}
        for name, rule in golden.rules_of("alerts").items():
            severity = rule["labels"]["severity"]
            done = run("amtool", "config", "routes", "test", f"--config.file={ALERTMANAGER}",
                       f"alertname={name}", f"severity={severity}")
            self.assertEqual(done.stdout.strip(), receivers[severity], name)

    def test_inhibitions_name_alerts_that_exist(self):
        alerts = set(golden.rules_of("alerts"))
        for rule in yaml.safe_load(ALERTMANAGER.read_text())["inhibit_rules"]:
            for matcher in rule["source_matchers"] + rule["target_matchers"]:
                operator, pattern = re.fullmatch(r'alertname(=~|!=|=)"(.+)"', matcher).groups()
                self.assertTrue([a for a in alerts if re.fullmatch(pattern, a)], matcher)
                if operator == "=~" and "(" in pattern:
                    stem, choices = re.fullmatch(r"(\w+)\((.+)\)", pattern).groups()
                    for choice in choices.split("|"):
                        self.assertTrue([a for a in alerts if re.fullmatch(stem + choice, a)], choice)


class Kubernetes(unittest.TestCase):
    generator = DEPLOY / "kubernetes" / "generate.py"

    def test_generated_files_are_current(self):
        done = run(sys.executable, self.generator, "--check")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_drift_is_noticed(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(run(sys.executable, self.generator, "--outdir", folder).returncode, 0)
            self.assertEqual(run(sys.executable, self.generator, "--outdir", folder, "--check").returncode, 0)
            file = pathlib.Path(folder) / "prometheusrule.yaml"
            file.write_text(file.read_text().replace("> 0.5", "> 0.6", 1))
            self.assertEqual(run(sys.executable, self.generator, "--outdir", folder, "--check").returncode, 1)

    def test_rules_are_the_same(self):
        made = yaml.safe_load((DEPLOY / "kubernetes" / "generated" / "prometheusrule.yaml").read_text())
        plain = []
        for name in ("recording", "alerts"):
            plain += yaml.safe_load((PROMETHEUS / "rules" / f"{name}.yml").read_text())["groups"]
        self.assertEqual(made["spec"]["groups"], plain)

    def test_options(self):
        with tempfile.TemporaryDirectory() as folder:
            run(sys.executable, self.generator, "--outdir", folder, "--label", "release=monitoring",
                "--runbooks", "https://wiki.example/runbooks")
            made = yaml.safe_load((pathlib.Path(folder) / "prometheusrule.yaml").read_text())
        self.assertEqual(made["metadata"]["labels"]["release"], "monitoring")
        urls = [r["annotations"]["runbook_url"] for g in made["spec"]["groups"] for r in g["rules"] if "alert" in r]
        self.assertTrue(all(u.startswith("https://wiki.example/runbooks#pgcheckpoint") for u in urls))
        self.assertEqual(run(sys.executable, self.generator, "--label", "nonsense", "--check").returncode, 2)


class Encoding(unittest.TestCase):
    CASES = (
        ([1, 1, 1], "1x2"),
        ([1, 2, 3], "1+1x2"),
        ([3, 1, -1], "3-2x2"),
        ([5], "5"),
        ([0.25, 0.25, 0.5], "0.25x1 0.5"),
        ([None, 1, None, None, 1], "_ 1 stale _ 1"),
        ([1, 2, 2, 2], "1+1x1 2x1"),
        ([0.1, 0.2, 0.3], "0.1 0.2 0.3"),
    )

    def test_encode(self):
        for values, text in self.CASES:
            with self.subTest(text):
                self.assertEqual(generate.encode(values), text)


if __name__ == "__main__":
    unittest.main()
