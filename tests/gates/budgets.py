#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds what operations cost a GPU against tests/gates/budgets.txt, as TAP.

    budgets.py COUNT_CALLS TABLE WORK [--write]

A GPU is not needed: oclgrind executes the kernels of the fine layout and counts their instructions,
and COUNT_CALLS (tests/gates/count_calls.c) the calls. A figure above its budget fails; --write makes
the table anew, for a change that has a reason. Per operation the table has
  launches   of kernels
  waits      calls in which the host waits for the device
  atomics    on global memory, per pixel
  accesses   loads from and stores to global memory, per pixel; a vector counts once
  bytes      of these, per pixel
Pictures have SIZE x SIZE pixels, which is enough to see what a pixel costs. oclgrind lacks a few
instructions that its own optimiser makes: an operation that meets one runs again without optimisation.
"""
import os
import re
import shutil
import subprocess
import sys

from tap import Tap

DRIVER = '/usr/lib/oclgrind/liboclgrind-rt-icd.so'
SIZE = 96
COLUMNS = ('launches', 'waits', 'atomics', 'accesses', 'bytes')
MARGIN = 1.02  # where a count depends on the order of work-items
SIZES = {'c': 1, 'h': 1, 's': 2, 't': 2, 'i': 4, 'j': 4, 'f': 4, 'l': 8, 'm': 8, 'd': 8}
ATOMIC = re.compile(r'_Z\d+atom(?:ic)?_\w+?PU3AS1')
VECTOR = re.compile(r'_Z\d+v(?:load|store)(\d+)\w*PU3AS1K?(\w)')


def run(binary, work, pairs, options=''):
    environment = {**os.environ, 'OCL_ICD_VENDORS': DRIVER, 'OCLGRIND_INST_COUNTS': '1',
                   'OCLGRIND_NUM_THREADS': '1', 'OCLGRIND_BUILD_OPTIONS': options,
                   'XDG_CACHE_HOME': os.path.join(work, options or 'usual'),
                   'CLUMP_TEST_DEVICE': '',
                   'OCLGRIND_MAX_WGSIZE': '256', 'OCLGRIND_LOCAL_MEM_SIZE': '32768'}
    return subprocess.run([binary, str(SIZE), *pairs], env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=1100)


def figures_of(output):
    """Figures by pair."""
    found, name = {}, None
    for line in output.splitlines():
        if line.startswith('# begin '):
            name, atomics, accesses, transferred = line.split()[2], 0, 0, 0
        elif line.startswith('# end '):
            launches, waits, status = line.split(maxsplit=5)[3:]
            if status != 'done':
                name = None
                continue
            found[name] = (int(launches), int(waits), *(round(n / SIZE ** 2, 3) for n in
                                                        (atomics, accesses, transferred)))
            name = None
        elif name:
            count = re.match(r' *([\d,]+) - (.*)', line)
            if not count:
                continue
            n, what = int(count[1].replace(',', '')), count[2]
            vector = VECTOR.search(what)
            plain = re.match(r'(?:load|store) (?:global|constant) \(([\d,]+) bytes\)', what)
            if ATOMIC.search(what):
                atomics += n
            elif vector:
                accesses += n
                transferred += n * int(vector[1]) * SIZES.get(vector[2], 4)
            elif plain:
                accesses += n
                transferred += int(plain[1].replace(',', ''))
    return found


def read(path):
    """Budgets by pair, and the lines of the comment."""
    with open(path) as lines:
        rows = [line.split() for line in lines if line.strip() and not line.startswith('#')]
    return {row[0]: tuple(float(n) for n in row[1:]) for row in rows}


def write(path, found):
    with open(path) as lines:
        text = [line for line in lines if line.startswith('#')]
    for name, figures in found.items():
        text.append(f'{name:22}' + ''.join(f'{n:>10}' for n in figures) + '\n')
    with open(path, 'w') as out:
        out.writelines(text)


def main():
    binary, table, work = sys.argv[1:4]
    tap = Tap()
    if not os.path.exists(DRIVER):
        tap.skip('oclgrind', f'no {DRIVER} (Debian: oclgrind)')
        return tap.done()
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    budgets = read(table)
    done = run(binary, work, budgets)
    found = figures_of(done.stdout)
    left = [name for name in budgets if name not in found]
    if left:
        done = run(binary, work, left, '-cl-opt-disable')
        again = figures_of(done.stdout)
        found = {name: found.get(name) or again.get(name) for name in budgets
                 if name in found or name in again}
    if 'Oclgrind' not in done.stdout or done.returncode:
        tap.report('the operations run in oclgrind',
                   re.findall(r'.*# end.*|.*clump:.*', done.stdout) or [done.stdout[-500:]])
        return tap.done()
    if '--write' in sys.argv:
        write(table, found)
        return 0
    for name, budget in budgets.items():
        wrong = [f'{what}: {now:g}, and {most:g} are allowed'
                 for what, now, most in zip(COLUMNS, found.get(name, ()), budget)
                 if now > (most if what in COLUMNS[:2] else most * MARGIN)]
        tap.report(f'{name}: ' + ', '.join(f'{n:g} {what}' for what, n in
                                           zip(COLUMNS, found.get(name, ()))),
                   wrong if name in found else ['it was not run'])
    return tap.done()


if __name__ == '__main__':
    sys.exit(main())
