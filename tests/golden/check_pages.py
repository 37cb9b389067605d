#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Puts the golden pages before the readers of Prometheus itself.

usage: check_pages.py promtool|openmetrics DIRECTORY

promtool: `promtool check metrics` is silent on every *.prom. openmetrics: the parser of
prometheus_client reads every *.openmetrics. Both must also refuse a broken page, else they prove
nothing.
"""

import pathlib
import subprocess
import sys


def promtool_complaint(text):
    run = subprocess.run(["promtool", "check", "metrics"], input=text, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return run.stdout or (f"exit {run.returncode}" if run.returncode else "")


def openmetrics_complaint(text):
    from prometheus_client.openmetrics.parser import text_string_to_metric_families
    try:
        families = list(text_string_to_metric_families(text))
    except ValueError as error:
        return str(error)
    samples = sum(len(family.samples) for family in families)
    lines = sum(1 for line in text.splitlines() if line and not line.startswith("#"))
    return "" if samples == lines else f"{samples} samples were read of {lines} lines"


CHECKS = {
    "promtool": ("*.prom", promtool_complaint, [
        "# HELP a A.\n# TYPE a gauge\na{b=\"\xff} 1\n",
        "a_total 1\n",
        "# HELP a A.\n# TYPE a gauge\na{b=\"x\ny\"} 1\n",
    ]),
    "openmetrics": ("*.openmetrics", openmetrics_complaint, [
        "# TYPE a gauge\na 1\n",
        "# TYPE a counter\na 1\n# EOF\n",
        "# TYPE a gauge\n# UNIT a seconds\na 1\n# EOF\n",
        "# TYPE a gauge\na 1\na 2\n# EOF\n",
        "# TYPE a gauge\n# HELP a say \"x\n# EOF\na 1\n",
    ]),
}


def main():
    pattern, complaint_of, broken = CHECKS[sys.argv[1]]
    pages = sorted(pathlib.Path(sys.argv[2]).glob(pattern))
    failed = not pages
    for page in pages:
        complaint = complaint_of(page.read_text(encoding="utf-8"))
        if complaint:
            failed = True
            print(f"{page}: {complaint}")
    for text in broken:
        if not complaint_of(text):
            failed = True
            print(f"this broken page was taken as good: {text!r}")
    print(f"{len(pages)} pages")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
