#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes grafana/dashboards/*.json from their declarations in this folder.

    grafana/generate.py            writes them
    grafana/generate.py --check    says which file differs, and fails if one does
"""

import argparse
import json
import pathlib
import sys

import checkpoint_overview
import exporter_health
import fleet

FOLDER = pathlib.Path(__file__).resolve().parent / "dashboards"
DECLARATIONS = {
    "checkpoint-overview.json": checkpoint_overview.build,
    "exporter-health.json": exporter_health.build,
    "fleet.json": fleet.build,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--check", action="store_true", help="compare, do not write")
    check = parser.parse_args().check
    stale = [p.name for p in FOLDER.glob("*") if p.name not in DECLARATIONS]
    for name, build in DECLARATIONS.items():
        text = json.dumps(build(), indent=2, ensure_ascii=False) + "\n"
        path = FOLDER / name
        if check and (not path.exists() or path.read_text(encoding="utf-8") != text):
            stale.append(name)
        elif not check:
            path.write_text(text, encoding="utf-8")
    for name in stale:
        print(f"grafana/dashboards/{name} is not what grafana/generate.py writes", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
