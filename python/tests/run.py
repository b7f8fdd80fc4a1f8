#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs pytest, and tells as TAP. The package is imported from PACKAGE_FOLDER.

run.py PACKAGE_FOLDER ARGUMENT...
"""

import os
import sys

sys.path.insert(0, sys.argv[1])
os.environ["PYTHONPATH"] = os.pathsep.join(sys.path[:1] + [os.environ.get("PYTHONPATH", "")])
try:
    import numpy  # noqa: F401
    import pytest
except ImportError as missing:
    print(f"1..0 # SKIP {missing.name} is not installed")
    sys.exit(0)


class Tap:
    """One line for each test; what failed comes after it."""

    number = failed = 0

    def pytest_runtest_logreport(self, report):
        if report.when != "call" and not (
            report.failed or report.when == "setup" and report.skipped
        ):
            return
        self.number += 1
        ok = not report.failed
        self.failed += not ok
        skipped = (
            f" # SKIP {report.longrepr[2]}"
            if report.skipped and isinstance(report.longrepr, tuple)
            else ""
        )
        print(
            f"{'ok' if ok else 'not ok'} {self.number} - {report.nodeid}{skipped}",
            file=out,
            flush=True,
        )
        if not ok:
            print(
                "\n".join("# " + line for line in str(report.longrepr).splitlines()[-40:]), file=out
            )

    def pytest_collectreport(self, report):
        if report.failed:
            self.number += 1
            self.failed += 1
            print(f"not ok {self.number} - {report.nodeid} cannot be collected", file=out)
            print(
                "\n".join("# " + line for line in str(report.longrepr).splitlines()[-40:]), file=out
            )


# What pytest says of itself goes to stderr.
out = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
tap = Tap()
status = pytest.main(["-q", "-p", "no:cacheprovider", "--tb=short", *sys.argv[2:]], plugins=[tap])
print(f"1..{tap.number}", file=out, flush=True)
sys.exit(1 if tap.failed or status not in (0, 1) else 0)
