#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes every kind of output where it cannot be written, as TAP.

    disk.py CLUMP DATA WORK

Files that may not grow beyond a size, a file system that is full, and one that is read-only: the
command ends with status 1 and one line, nothing half-written is left, and a file that was there
is as it was. The last two need a file system of the test's own (unshare); without it they are
skipped.
"""
import os
import resource
import shutil
import subprocess
import sys

from tap import Tap

DEVICE = ('--device', 'reference', '--quiet')
UNSHARE = ('unshare', '--map-root-user', '--mount')
CLUMP, DATA, WORK = sys.argv[1:4]
FIELD, CELLS = f'{DATA}/field.fits', f'{DATA}/cells.png'

# The command, the option that names the output, the name.
OUTPUTS = [
    (['convert', FIELD, '--type', 'float32'], '-o', 'image.fits'),
    (['convert', FIELD, '--type', 'float32'], '-o', 'image.fits.gz'),
    (['convert', FIELD, '--type', 'float32'], '-o', 'image.npy'),
    (['convert', FIELD, '--type', 'float32'], '-o', 'image.tif'),
    (['threshold', FIELD, '--above', '0'], '-o', 'mask.png'),
    (['find', FIELD], '-o', 'table.csv'),
    (['find', FIELD], '-o', 'table.ecsv'),
    (['find', FIELD], '-o', 'table.fits'),
    (['find', FIELD], '-o', 'table.vot'),
    (['find', FIELD], '--regions', 'table.reg'),
    (['find', FIELD], '--segmentation', 'labels.fits'),
    (['find', FIELD], '--overlay', 'overlay.png'),
    (['cells', CELLS, '--channel', '1'], '-o', 'cells.csv'),
    (['cells', CELLS, '--channel', '1'], '--overlay', 'cells.png'),
    (['view', FIELD], '-o', 'view.png'),
]


def run(words, limit=None, before=None):
    """Runs the command, with files of `limit` bytes at most, or in a shell after `before`."""
    command = [CLUMP, *words, *DEVICE]
    if before:
        command = [*UNSHARE, 'sh', '-c', before + '\n"$@"', 'sh', *command]

    def shrink():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          errors='replace', preexec_fn=shrink if limit is not None else None)


def complaints(done, folder, expected):
    """What is wrong after a run that had to fail; `expected` is what the folder had before."""
    lines = done.stderr.splitlines()
    found = {name: open(f'{folder}/{name}', 'rb').read() for name in os.listdir(folder)}
    wrong = []
    if done.returncode != 1:
        wrong.append(f'exit status {done.returncode}')
    if len(lines) != 1 or not lines[0].startswith('clump'):
        wrong.append(f'{len(lines)} lines: {lines[:3]}')
    if found != expected:
        wrong.append(f'left in the folder: { {name: len(data) for name, data in found.items()} }')
    return wrong


def limits(size):
    return sorted({0, 1, 100, 2880, size // 2, size - 1} & set(range(size)))


def test_limits(tap, words, option, name):
    folder = os.path.join(WORK, 'out')
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    path = f'{folder}/{name}'
    done = run([*words, option, path])
    if done.returncode or not os.path.exists(path):
        tap.report(f'{words[0]} {name}', [f'cannot be written at all: {done.stderr.strip()}'])
        return 0
    size = os.path.getsize(path)
    os.unlink(path)
    wrong = []
    for limit in limits(size):
        for old in ({}, {name: b'old'}):
            for kept, data in old.items():
                with open(f'{folder}/{kept}', 'wb') as out:
                    out.write(data)
            done = run([*words, option, path, '--force'], limit)
            wrong += [f'{limit} of {size} bytes: {what}' for what in complaints(done, folder, old)]
            for kept in os.listdir(folder):
                os.unlink(f'{folder}/{kept}')
    tap.report(f'{words[0]} {name}, files too small', wrong)
    return size


def test_mounts(tap, words, option, name, size):
    """The checks are made inside, where the file system can be seen."""
    folder = os.path.join(WORK, 'mount')
    os.makedirs(folder, exist_ok=True)
    look = f'status=$?; echo "files: $(ls -A {folder})"; exit $status'
    full = f'mount -t tmpfs -o size=8k tmpfs {folder} && head -c 4096 /dev/zero >{folder}/filler'
    bare = f'mount -t tmpfs -o ro tmpfs {folder}'
    for what, mount, left in (('a full disk', full, 'files: filler'),
                              ('a read-only one', bare, 'files: ')):
        if what == 'a full disk' and size <= 4096:
            mount = mount.replace('-c 4096', '-c 8192')
        done = subprocess.run([*UNSHARE, 'sh', '-c', f'{mount} || exit 99\n"$@"\n{look}', 'sh', CLUMP,
                               *words, option, f'{folder}/{name}', *DEVICE],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        wrong = []
        if done.returncode != 1:
            wrong.append(f'exit status {done.returncode}')
        if len(done.stderr.splitlines()) != 1:
            wrong.append(f'lines: {done.stderr.splitlines()[:3]}')
        if done.stdout.splitlines()[-1:] != [left] and done.stdout.splitlines()[-1:] != [left.strip()]:
            wrong.append(f'left: {done.stdout.splitlines()[-1:]}')
        tap.report(f'{words[0]} {name}, {what}', wrong)


def can_mount():
    folder = os.path.join(WORK, 'mount')
    os.makedirs(folder, exist_ok=True)
    return shutil.which('unshare') and not subprocess.run(
        [*UNSHARE, 'mount', '-t', 'tmpfs', '-o', 'size=8k', 'tmpfs', folder],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode


def main():
    tap = Tap()
    os.makedirs(WORK, exist_ok=True)
    mounts = can_mount()
    for words, option, name in OUTPUTS:
        size = test_limits(tap, words, option, name)
        if size and mounts:
            test_mounts(tap, words, option, name, size)
    if not mounts:
        tap.skip('full and read-only file systems', 'no file system of ones own (unshare)')
    shutil.rmtree(WORK)
    return tap.done()


if __name__ == '__main__':
    sys.exit(main())
