#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts the single tests in meson's report, names what was skipped or failed: summary.py JUNIT"""
import sys
import xml.etree.ElementTree as tree

passed, failed, skipped = 0, [], []
for suite in tree.parse(sys.argv[1]).getroot().iter('testsuite'):
    for case in suite.iter('testcase'):
        name = f"{suite.get('name')}: {case.get('name')}"
        if case.find('failure') is not None or case.find('error') is not None:
            failed.append(name)
        elif case.find('skipped') is not None:
            skipped.append(name)
        else:
            passed += 1
for name in skipped:
    print(f'SKIPPED {name}')
for name in failed:
    print(f'FAILED {name}')
print(f'{passed} passed, {len(failed)} failed' + (f', {len(skipped)} skipped' if skipped else ''))
sys.exit(1 if failed or not passed else 0)
