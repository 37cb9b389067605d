#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""generate.py PROGRAM OUTPUT: the manual page, section 1.

Options and subcommands are what PROGRAM --help prints; sections.man beside this file has the rest.
"""

import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def escape(text: str) -> str:
    """Text for troff: no line may begin a request, no minus may become a hyphen."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.MULTILINE)


def run(program: str, *arguments: str) -> str:
    return subprocess.run(
        [program, *arguments], check=True, capture_output=True, text=True
    ).stdout


def items(help_text: str):
    """(heading, [(left, right)]) of each block that --help indents."""
    heading, rows = None, []
    for line in help_text.splitlines():
        if re.match(r"^\S.*:$", line) and not line.startswith("Usage"):
            if rows:
                yield heading, rows
            heading, rows = line[:-1], []
        elif heading and (row := re.match(r"^  (\S.*?)(?:\s{2,}(\S.*))?$", line)):
            rows.append([row[1], row[2] or ""])
        elif heading and rows and (more := re.match(r"^\s{3,}(\S.*)$", line)):
            rows[-1][1] = f"{rows[-1][1]} {more[1]}".strip()
    if rows:
        yield heading, rows


def blocks(program: str, *command: str) -> list[str]:
    lines = []
    for heading, rows in items(run(program, *command, "--help")):
        name = " ".join([*command, heading])
        lines.append(f'.SH "{escape(name.upper() if not command else name)}"')
        for left, right in rows:
            lines += [".TP", f".B {escape(left)}", escape(right) or "\\&"]
    return lines


def main() -> int:
    program, output = sys.argv[1:]
    version = re.search(r"version (\S+)", run(program, "--version"))[1]
    options = blocks(program)
    if not any("config.file" in line for line in options):
        print(f"generate.py: no options found in {program} --help", file=sys.stderr)
        return 1
    for heading, rows in items(run(program, "--help")):
        if heading.lower().startswith("subcommand"):
            for left, _ in rows:
                options += blocks(program, left.split()[0])
    page = (HERE / "sections.man").read_text()
    page = page.replace("@VERSION@", escape(version)).replace("@OPTIONS@", "\n".join(options))
    pathlib.Path(output).write_text(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
