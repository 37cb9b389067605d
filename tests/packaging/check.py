#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The files of deploy/ that no other program here reads hold together: systemd units, the compose
file, the Dockerfile, the Debian package's scripts. Needs nothing that runs."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
UNIT = DEPLOY / "systemd/pgcheckpoint-exporter.service"
PORT = "10432"
# systemd-analyze counts in tenths of a point here; 100 is the worst.
WORST_EXPOSURE = 15


class Compose(unittest.TestCase):
    def setUp(self):
        self.file = DEPLOY / "compose/compose.yml"
        self.compose = yaml.safe_load(self.file.read_text())
        self.services = self.compose["services"]

    def test_images_are_pinned(self):
        for name, service in self.services.items():
            tag = re.fullmatch(r"[^:]+:([\w.-]+)", service["image"])
            self.assertTrue(tag, f"{name}: {service['image']} has no tag")
            self.assertRegex(tag[1], r"^v?\d+\.\d+", f"{name}: not a release")

    def test_mounted_files_exist_and_are_read_only(self):
        for name, service in self.services.items():
            for volume in service.get("volumes", []):
                source, _, *mode = volume.split(":")
                if not source.startswith("."):
                    self.assertIn(source, self.compose["volumes"], name)
                    continue
                if "grafana/" in source and not (ROOT / "grafana").exists():
                    continue
                self.assertTrue((self.file.parent / source).exists(), f"{name}: no {source}")
                self.assertEqual(mode, ["ro"], f"{name}: {volume} is writable")

    def test_ports_are_of_the_loopback(self):
        for name, service in self.services.items():
            for port in service.get("ports", []):
                self.assertTrue(port.startswith("127.0.0.1:"), f"{name}: {port} is open to all")

    def test_dependencies_exist_and_have_what_they_are_waited_for(self):
        dockerfile = (ROOT / "Dockerfile").read_text()
        for name, service in self.services.items():
            wanted = service.get("depends_on", {})
            for other in wanted:
                self.assertIn(other, self.services, name)
                if isinstance(wanted, dict) and wanted[other]["condition"] == "service_healthy":
                    checked = "healthcheck" in self.services[other] or (
                        "build" in self.services[other] and "HEALTHCHECK" in dockerfile
                    )
                    self.assertTrue(checked, f"{name} waits for {other}, which has no health")

    def test_prometheus_reads_our_rules_and_names_services(self):
        mounts = dict(v.split(":")[:2] for v in self.services["prometheus"]["volumes"])
        config = yaml.safe_load((DEPLOY / "compose/prometheus/prometheus.yml").read_text())
        rules = (self.file.parent / "../prometheus/rules").resolve()
        self.assertEqual(mounts["../prometheus/rules"], "/etc/prometheus/rules")
        self.assertEqual(
            sorted(config["rule_files"]), sorted(f"rules/{p.name}" for p in rules.glob("*.yml"))
        )
        hosts = re.findall(r'"(\w+):\d+"', (DEPLOY / "compose/prometheus/prometheus.yml").read_text())
        self.assertEqual(sorted(hosts), ["alertmanager", "exporter"])
        self.assertLessEqual(set(hosts), set(self.services))


class Image(unittest.TestCase):
    def setUp(self):
        self.lines = (ROOT / "Dockerfile").read_text().splitlines()

    def last(self, instruction):
        return [ln.strip() for ln in self.lines if ln.strip().startswith(instruction)][-1]

    def test_user_is_a_number(self):
        self.assertEqual(self.last("USER"), "USER 65532:65532")

    def test_programs_run_without_a_shell(self):
        self.assertEqual(self.last("ENTRYPOINT"), 'ENTRYPOINT ["/usr/bin/pgcheckpoint_exporter"]')
        self.assertRegex(self.last("CMD"), r'^CMD \["')

    def test_port(self):
        self.assertEqual(self.last("EXPOSE"), f"EXPOSE {PORT}")

    def test_version_is_that_of_the_project(self):
        version = re.search(r"VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text()[40:])[1]
        self.assertEqual(self.last("ARG VERSION"), f"ARG VERSION={version}")
        image = yaml.safe_load((DEPLOY / "compose/compose.yml").read_text())
        self.assertEqual(
            image["services"]["exporter"]["image"], f"pgcheckpoint_exporter:{version}"
        )


@unittest.skipUnless(shutil.which("systemd-analyze"), "no systemd-analyze")
class Unit(unittest.TestCase):
    def test_exposure(self):
        command = ["systemd-analyze", "security", "--offline=yes"]
        done = subprocess.run(
            [*command, f"--threshold={WORST_EXPOSURE}", UNIT], capture_output=True, text=True
        )
        self.assertEqual(done.returncode, 0, done.stdout[-300:] + done.stderr)

    def test_verify(self):
        # The programs and the page that the unit names are not installed here.
        with tempfile.TemporaryDirectory() as directory:
            unit = pathlib.Path(directory) / UNIT.name
            text = UNIT.read_text().replace("/usr/bin/pgcheckpoint_exporter", "/bin/true")
            unit.write_text(text.replace("Documentation=man:pgcheckpoint_exporter(1)\n", ""))
            socket = unit.with_suffix(".socket")
            socket.write_text(UNIT.with_suffix(".socket").read_text())
            done = subprocess.run(
                ["systemd-analyze", "verify", unit, socket], capture_output=True, text=True
            )
            ours = [ln for ln in done.stderr.splitlines() if "pgcheckpoint" in ln]
            self.assertEqual(ours, [])
            self.assertEqual(done.returncode, 0, done.stderr)


class DebianScripts(unittest.TestCase):
    def test_syntax(self):
        for name in ("postinst", "prerm", "postrm"):
            subprocess.run(["sh", "-n", DEPLOY / "debian" / name], check=True)

    def test_one_name_for_unit_and_default_file(self):
        default = "/etc/default/prometheus-pgcheckpoint-exporter"
        self.assertIn(f"EnvironmentFile=-{default}\n", UNIT.read_text())
        self.assertEqual((DEPLOY / "debian/conffiles").read_text(), default + "\n")
        user = re.search(r"^User=(\w+)$", UNIT.read_text(), re.MULTILINE)[1]
        self.assertRegex((DEPLOY / "debian/postinst").read_text(), rf"\n +{user}\n")


if __name__ == "__main__":
    sys.exit(unittest.main())
