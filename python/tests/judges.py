#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""SciPy's, scikit-image's and astropy's own tests against this package, as TAP.

    judges.py PACKAGE_FOLDER LIST SUITE...

Only tests that call our functions are judged; LIST says which of them may be refused, and why.
"""

import importlib.util
import os
import re
import subprocess
import sys

folder, listed = (os.path.abspath(path) for path in sys.argv[1:3])
suites = sys.argv[3:]
os.environ["PYTHONPATH"] = folder
os.environ.setdefault("CLUMP_DEVICE", "reference")
sys.path.insert(0, folder)
try:
    import pytest  # noqa: F401

    from clump.testing.judge import ONLY, SUITES
except ImportError as missing:
    print(f"1..0 # SKIP {missing.name} is not installed")
    sys.exit(0)

failed = passed = called = 0
for number, suite in enumerate(suites, 1):
    module = SUITES[suite][0]
    if importlib.util.find_spec(module.split(".")[0]) is None:
        print(f"ok {number} - {suite} # SKIP {module} is not installed")
        continue
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "clump.testing.judge",
        "--judge",
        suite,
        "--judge-list",
        listed,
        "-q",
        "--tb=line",
        "-W",
        "ignore",
        "-p",
        "no:cacheprovider",
        "--pyargs",
        module,
    ]
    command += ["-k", ONLY[suite]] if suite in ONLY else []
    done = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=os.environ.get("TMPDIR", "/tmp"),
    )
    line = re.search(r"^judge .*?: (\d+) call ours: (.*)$", done.stdout, re.M)
    if not line:
        failed += 1
        print(f"not ok {number} - {suite}")
        print("\n".join("# " + text for text in done.stdout.splitlines()[-20:]))
        continue
    wrong = re.findall(r"^  (.*(?:list|pass).*)$", done.stdout[line.end() :], re.M)
    parts = re.split(r", (?=\d)", line.group(2)) if line.group(2) else []
    counts = dict(reversed(part.split(" ", 1)) for part in parts)
    wrong += [] if counts else ["no test of it calls ours: must pass, or the suite goes"]
    passed += sum(int(count) for name, count in counts.items() if name.startswith("passed"))
    called += int(line.group(1))
    failed += bool(wrong)
    print(
        f"{'not ok' if wrong else 'ok'} {number} - {suite}: {line.group(1)} call ours: "
        f"{line.group(2)}"
    )
    print("\n".join("# " + text for text in wrong), end="\n" if wrong else "", flush=True)
print(f"# {passed} of {called} pass")
print(f"1..{len(suites)}")
sys.exit(1 if failed else 0)
