#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs every pair under valgrind, as TAP: valgrind.py RUN_PAIRS [NAME...]

It sees what sanitizers do not: the code that POCL makes of the kernels, and the libraries. Each
pair runs once by itself first. That run judges the values, for valgrind computes in 64 bits what
the reference computes in 80; and then the kernels come from a cache: the compiler's own reports
are not wanted.
"""
import concurrent.futures
import os
import shutil
import subprocess
import sys

from tap import Tap

POCL = '/etc/OpenCL/vendors/pocl.icd'
CHECKER = ['valgrind', '--quiet', '--error-exitcode=9', '--num-callers=30']
TIMEOUT = 1800


def run(command):
    return subprocess.run(command, env={**os.environ, 'OCL_ICD_VENDORS': POCL}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIMEOUT)


def check(binary, pair, layout):
    """What went wrong, as lines."""
    command = [binary, '--one', '--layout', layout, '--tight', '--exact', pair]
    try:
        done = run(command)
        if done.returncode:
            return done.stdout.splitlines()[:60]
        done = run(CHECKER + command)
    except subprocess.TimeoutExpired:
        return [f'not done in {TIMEOUT} s']
    ended = done.returncode in (0, 1) and 'ok 1 - ' in done.stdout  # 1: other values
    return [] if ended else done.stdout.splitlines()[:60]


def main():
    binary, names = sys.argv[1], sys.argv[2:]
    tap = Tap()
    if not shutil.which('valgrind') or not os.path.exists(POCL):
        tap.skip('valgrind', f'no valgrind, or no {POCL} (Debian: valgrind, pocl-opencl-icd)')
        return tap.done()
    if not names:
        names = subprocess.run([binary, '--list'], stdout=subprocess.PIPE, text=True,
                               check=True).stdout.split()
    cases = [(pair, layout) for pair in names for layout in ('coarse', 'fine')]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda case: check(binary, *case), cases)
        for (pair, layout), found in zip(cases, results):
            tap.report(f'{pair}, {layout}', found)
    return tap.done()


if __name__ == '__main__':
    sys.exit(main())
