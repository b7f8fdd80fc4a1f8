# SPDX-License-Identifier: MIT
"""Lines of the Test Anything Protocol, for the gates."""
import sys


class Tap:
    def __init__(self):
        self.number = self.failures = 0

    def report(self, what, complaints):
        """One test: passed when there are no complaints, which are lines of text."""
        self.number += 1
        self.failures += bool(complaints)
        print(f"{'not ok' if complaints else 'ok'} {self.number} - {what}")
        for complaint in complaints:
            print(f'# {complaint}')
        sys.stdout.flush()

    def skip(self, what, why):
        self.number += 1
        print(f'ok {self.number} - {what} # SKIP {why}')

    def done(self):
        print(f'1..{self.number}')
        return 1 if self.failures else 0
