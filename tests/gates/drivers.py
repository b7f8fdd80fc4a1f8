#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the pairs, and finds the demo's sources and cells, on every OpenCL implementation, as TAP.

    drivers.py RUN_PAIRS CLUMP DATA WORK [--all]

The same assertions and the same bits everywhere: POCL in several settings, Intel's runtime for
CPUs (from PyPI), Mesa's rusticl on llvmpipe, oclgrind, and the reference. What is not installed is
skipped by name.
"""
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from tap import Tap

POCL = '/etc/OpenCL/vendors/pocl.icd'
OCLGRIND = '/usr/lib/oclgrind/liboclgrind-rt-icd.so'
RUSTICL = '/usr/lib/x86_64-linux-gnu/libRusticlOpenCL.so.1'
PACKAGES = ('intel-opencl-rt', 'intel-cmplr-lib-rt')
TIMEOUT = 1500


def pocl(**settings):
    """POCL alone, whatever else is installed."""
    if not os.path.exists(POCL):
        return None, f'no {POCL} (Debian: pocl-opencl-icd)'
    return {'OCL_ICD_VENDORS': POCL, **settings}, None


def replicated(work):
    """Code of another kind, which POCL's cache would not tell from the usual one."""
    return pocl(POCL_WORK_GROUP_METHOD='repl', POCL_CACHE_DIR=os.path.join(work, 'pocl'),
                XDG_CACHE_HOME=work)


def intel(work):
    """Intel's runtime in a virtual environment of its own, kept for the next time."""
    venv = os.environ.get('CLUMP_INTEL_VENV', os.path.join(os.path.dirname(work), 'intel'))
    library = f'{venv}/lib/libintelocl.so'
    if not os.path.exists(library):
        log = os.path.join(work, 'intel.log')
        with open(log, 'w') as out:
            for command in ([sys.executable, '-m', 'venv', venv],
                            [f'{venv}/bin/pip', 'install', '--quiet', '--retries', '1',
                             '--timeout', '20', *PACKAGES]):
                if not shutil.which(command[0]) or subprocess.run(
                        command, stdout=out, stderr=out).returncode:
                    return None, f"{' '.join(PACKAGES)} cannot be had from PyPI"
    if not os.path.exists(library):
        return None, f'no {library}'
    folder = os.path.join(work, 'intel-icd')
    os.makedirs(folder, exist_ok=True)
    with open(f'{folder}/intel.icd', 'w') as icd:
        icd.write(library + '\n')
    return {'OCL_ICD_VENDORS': folder, 'LD_LIBRARY_PATH': f'{venv}/lib'}, None


def rusticl(work):
    if not os.path.exists(RUSTICL):
        return None, f'no {RUSTICL} (Debian: mesa-opencl-icd)'
    return {'OCL_ICD_VENDORS': RUSTICL, 'RUSTICL_ENABLE': 'llvmpipe'}, None


def oclgrind(work):
    if not os.path.exists(OCLGRIND):
        return None, f'no {OCLGRIND} (Debian: oclgrind)'
    return {'OCL_ICD_VENDORS': OCLGRIND, 'OCLGRIND_LOG': os.path.join(work, 'oclgrind.log')}, None


# Name, a word of its device, how to get it, arguments of run_pairs (None: only the tables),
# whether always.
IMPLEMENTATIONS = [
    ('reference', 'reference', lambda work: ({'CLUMP_TEST_DEVICE': 'reference'}, None), None, True),
    ('POCL pthread', 'pthread', lambda work: pocl(), None, True),
    ('POCL basic', 'basic', lambda work: pocl(POCL_DEVICES='basic'), [], True),
    ('POCL one thread', 'pthread', lambda work: pocl(POCL_MAX_PTHREAD_COUNT='1'), [], False),
    ('POCL eight threads', 'pthread', lambda work: pocl(POCL_MAX_PTHREAD_COUNT='8'), [], True),
    ('POCL replicated items', 'pthread', replicated, ['--layout', 'fine', '--group', '64'], False),
    ('POCL 1 GiB', 'pthread', lambda work: pocl(POCL_MEMORY_LIMIT='1'), [], True),
    ('POCL groups of 64', 'pthread', lambda work: pocl(POCL_MAX_WORK_GROUP_SIZE='64'), [], True),
    ('Intel CPU runtime', 'Intel', intel, [], True),
    ('Intel CPU runtime, fine', 'Intel', intel, ['--layout', 'fine'], False),
    ('rusticl llvmpipe', 'llvmpipe', rusticl, [], True),
    ('oclgrind', 'Oclgrind', oclgrind, None, False),
]


def run(command, environment):
    """Output and what went wrong."""
    try:
        done = subprocess.run(command, env={**os.environ, **environment}, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return '', [f'not done in {TIMEOUT} s']
    lines = done.stdout.splitlines() + done.stderr.splitlines()
    return done.stdout, lines[-40:] if done.returncode else []


def table(path):
    """A table's lines but for its comments, which name the device."""
    with open(path, 'rb') as lines:
        return [line for line in lines if not line.startswith(b'#')]


def catalogue(clump, data, work, environment):
    """Checksum of the demo's table of sources, and of that of cells with the image of labels."""
    environment = {**environment, 'CLUMP_DEVICE': environment.get('CLUMP_TEST_DEVICE', '')}
    made = b''
    with tempfile.TemporaryDirectory(dir=work) as folder:
        for word, arguments in (('find', [f'{data}/field.fits']),
                                ('cells', [f'{data}/cells.png', '--channel', 'green',
                                           '--labels', f'{folder}/labels.npy'])):
            out = os.path.join(folder, word + '.csv')
            _, wrong = run([clump, word, *arguments, '-o', out, '--quiet'], environment)
            rows = [] if wrong else table(out)
            if len(rows) < 2:
                return None, wrong or [f'the table of {word} has no rows']
            made += b''.join(rows)
        with open(os.path.join(folder, 'labels.npy'), 'rb') as labels:
            made += labels.read()
    return hashlib.sha256(made).hexdigest(), []


def judge(implementation, environment, run_pairs, size, clump, data, work):
    """Names of tests with what went wrong, and the tables' checksum."""
    name, word, _, arguments, _ = implementation
    found = []
    if arguments is not None:
        output, wrong = run([run_pairs, size, *arguments], environment)
        device = next((line for line in output.splitlines() if line.startswith('# ')), '# ?')
        if not wrong and word not in device:
            wrong = [f'it did not run on {word}']
        found.append((f'{name}: pairs on {device[2:]}', wrong))
    checksum, wrong = catalogue(clump, data, work, environment)
    return found + [(f'{name}: the tables of the demo', wrong)], checksum


def main():
    run_pairs, clump, data, work = sys.argv[1:5]
    everything = '--all' in sys.argv
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    tap, sums = Tap(), {}
    size = '--quick' if everything else '--one'
    chosen = [(item, *item[2](work)) for item in IMPLEMENTATIONS if item[-1] or everything]
    # Most of the time a driver compiles, which keeps one core busy.
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        judged = [pool.submit(judge, item, environment, run_pairs, size, clump, data, work)
                  if environment else None for item, environment, _ in chosen]
        for (item, _, why_not), result in zip(chosen, judged):
            if why_not:
                tap.skip(item[0], why_not)
                continue
            tests, sums[item[0]] = result.result()
            for title, wrong in tests:
                tap.report(title, wrong)
    different = [f'{name}: {sums[name]}' for name in sums if sums[name] != sums['reference']]
    tap.report('one table of sources and one of cells everywhere',
               different + [f"reference: {sums['reference']}"] if different else [])
    return tap.done()


if __name__ == '__main__':
    sys.exit(main())
