#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs every pair in a simulator that sees races, wrong addresses and wrong calls, as TAP.

    races.py RUN_PAIRS WORK [--all]

oclgrind says what it finds in a log of each process and ends as the program ends: a log that is
not empty fails. Kernels that read what others write on purpose say so when CHECK_RACES is defined.
It lacks a few instructions that its own optimiser makes: a pair that meets one runs again without
optimisation.
"""
import concurrent.futures
import os
import shutil
import subprocess
import sys

from tap import Tap

DRIVER = '/usr/lib/oclgrind/liboclgrind-rt-icd.so'
LAYOUTS = [('fine', 64), ('coarse', 64), ('fine', 256), ('coarse', 256)]
UNKNOWN, SLOWLY = 'Undefined external function', '-cl-opt-disable'
TIMEOUT = 1800


def environment(work, log, options):
    cache = os.path.join(work, str(len(options.split())))  # which does not know of these options
    return {**os.environ, 'OCL_ICD_VENDORS': DRIVER, 'OCLGRIND_LOG': log,
            'OCLGRIND_DATA_RACES': '1', 'OCLGRIND_CHECK_API': '1', 'OCLGRIND_NUM_THREADS': '1',
            'OCLGRIND_BUILD_OPTIONS': options, 'OCLGRIND_MAX_WGSIZE': '256',
            'OCLGRIND_LOCAL_MEM_SIZE': '32768', 'XDG_CACHE_HOME': cache, 'CLUMP_TEST_DEVICE': ''}


def run(binary, work, size, pair, layout, group, options='-DCHECK_RACES'):
    """What went wrong, as lines."""
    log = os.path.join(work, f'{pair}-{layout}-{group}.log')
    command = [binary, size, '--layout', layout, '--group', str(group), '--tight', '--exact', pair]
    try:
        done = subprocess.run(command, env=environment(work, log, options), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return [f'not done in {TIMEOUT} s']
    with open(log, errors='replace') as text:
        found = text.read().splitlines()[:20]
    if UNKNOWN in done.stdout and SLOWLY not in options:  # an instruction that optimisers make
        return run(binary, work, size, pair, layout, group, f'{options} {SLOWLY}')
    if done.returncode:
        found += done.stdout.splitlines()
    elif 'Oclgrind' not in done.stdout:
        found.append('it did not run in oclgrind')
    return found


def main():
    binary, work, everything = sys.argv[1], sys.argv[2], '--all' in sys.argv
    tap = Tap()
    if not os.path.exists(DRIVER):
        tap.skip('oclgrind', f'no {DRIVER} (Debian: oclgrind)')
        return tap.done()
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    pairs = subprocess.run([binary, '--list'], stdout=subprocess.PIPE, text=True,
                           check=True).stdout.split()
    cases = [(pair, *layout) for layout in (LAYOUTS if everything else LAYOUTS[:2]) for pair in pairs]
    size = '--quick' if everything else '--one'
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda case: run(binary, work, size, *case), cases)
        for (pair, layout, group), found in zip(cases, results):
            tap.report(f'{pair}, {layout}, groups of {group}', found)
    return tap.done()


if __name__ == '__main__':
    sys.exit(main())
