#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs what a document shows, as TAP: docs.py CLUMP SOURCE DOCUMENT...

Each ```sh block is run by `bash -e` in a folder that all blocks of the document share and in which
data/ is the project's. A ```text block behind it is what it prints: its lines stand in the output in
this order, and "..." stands for anything, within a line or for lines. A block that is meant to
fail says so in its first line: `# fails`."""
import os
import re
import subprocess
import sys
import tempfile


def blocks(path):
    """Yields (line, kind, text) of each fenced block."""
    kind, start, lines = None, 0, []
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            if line.startswith("```"):
                if kind is None:
                    kind, start, lines = line[3:].strip(), number, []
                else:
                    yield start, kind, "".join(lines)
                    kind = None
            elif kind is not None:
                lines.append(line)


def missing(expected, output):
    """The first expected line that the output lacks behind the one before, or None."""
    place = 0
    for line in expected.splitlines():
        if line.strip() in ("", "..."):
            continue
        pattern = ".*?".join(re.escape(" ".join(p.split())) for p in line.split("..."))
        here = place
        while here < len(output) and not re.fullmatch(r"\s*" + pattern + r"\s*",
                                                      " ".join(output[here].split())):
            here += 1
        if here == len(output):
            return line
        place = here + 1
    return None


def main(clump, source, documents):
    number = failures = 0
    for document in documents:
        name = os.path.relpath(document, source)
        found = list(blocks(document))
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(os.path.join(source, "data"), os.path.join(folder, "data"))
            env = dict(os.environ, PATH=os.path.dirname(clump) + os.pathsep + os.environ["PATH"])
            for i, (line, kind, text) in enumerate(found):
                if kind != "sh":
                    continue
                fails = text.startswith("# fails")
                run = subprocess.run(["bash", "-e", "-c", text], cwd=folder, env=env, text=True,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
                expected = found[i + 1][2] if i + 1 < len(found) and found[i + 1][1] == "text" else ""
                lacks = missing(expected, run.stdout.splitlines())
                good = (run.returncode != 0) == fails and lacks is None
                number += 1
                failures += not good
                print("ok" if good else "not ok", number, "-", f"{name}:{line}", flush=True)
                if not good:
                    print(f"# status {run.returncode}" + (f", lacks: {lacks}" if lacks else ""))
                    print("".join("# " + l + "\n" for l in run.stdout.splitlines()), end="")
    print(f"1..{number}")
    return failures > 0 or number == 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3:]))
