#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Mutations of files through the whole command, as TAP: every file ends in a result or in one line
and a status, in bounded memory and time.

usage: command.py CLUMP FOLDER... [--mutations N] [--commands info,stats] [--keep DIR] [--seed S]
"""
import argparse
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import mutations  # noqa: E402

BATCH = 50           # files of one command
SECONDS = 25         # of computing that one file may take, as its reader's limit has it
MEMORY = 256 << 20   # that any process of the command may have in memory
EXTRA = {"find": ["-o", "-", "--quiet"], "cells": ["-o", "-", "--quiet"], "stats": [], "info": [],
         "measure": [], "extract": ["-o", "-", "--quiet"], "background": [],
         "photometry": ["--at", "3,3", "--aperture", "2", "-o", "-", "--quiet"]}


def run(clump, command, files, folder):
    """Lines on stderr, how it ended, and the most memory of one of its processes."""
    words = [clump, command, "--device", "reference", *EXTRA.get(command, [])]
    if command == "measure":
        words += [files[0], "--labels", files[0]]
    else:
        words += files
    err = os.path.join(folder, "stderr")
    with open(err, "wb") as out:
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=out)
        deadline = time.monotonic() + 20 + SECONDS * len(files)
        status = usage = None
        while usage is None:
            pid, status, found = os.wait4(process.pid, os.WNOHANG)
            if pid:
                usage = found
            elif time.monotonic() > deadline:
                process.kill()
                _, status, usage = os.wait4(process.pid, 0)
            else:
                time.sleep(0.005)
        process.returncode = status
    with open(err, "rb") as said:
        lines = said.read().decode("utf-8", "replace").splitlines()
    return lines, status, usage.ru_maxrss * 1024


def judge(lines, status, memory, files, allowed):
    """What is wrong with how the command took these files, or ''."""
    if os.WIFSIGNALED(status):
        return "signal %d" % os.WTERMSIG(status)
    if os.WEXITSTATUS(status) not in (0, 1):
        return "status %d" % os.WEXITSTATUS(status)
    if memory > allowed:
        return "%d MiB" % (memory >> 20)
    errors = [line for line in lines if ": warning: " not in line]
    for line in lines:
        if any(ord(c) < 32 for c in line):
            return "a control character: %r" % line
    for name in files:
        said = sum(name in line for line in errors)
        if said > 1:
            return "%d lines on one file" % said
    for line in errors:
        if not any(name in line for name in files):
            return "a line on none of the files: " + line
    if bool(errors) != bool(os.WEXITSTATUS(status)):
        return "status %d with %d lines: %s" % (os.WEXITSTATUS(status), len(errors), errors[:1])
    return ""


def try_all(clump, command, files, folder, allowed, totals):
    """Runs a batch, and where something is wrong each file of it. Returns [(file, what)]."""
    lines, status, memory = run(clump, command, files, folder)
    totals["memory"] = max(totals["memory"], memory)
    totals["crashed"] += sum("crashed on it" in line for line in lines)
    totals["given up"] += sum("was given up" in line for line in lines)
    wrong = judge(lines, status, memory, files, allowed)
    if not wrong:
        totals["refused"] += sum(": warning: " not in line for line in lines)
        totals["read"] += len(files)
        return []
    if len(files) == 1:
        return [(files[0], wrong)]
    half = len(files) // 2
    return (try_all(clump, command, files[:half], folder, allowed, totals) +
            try_all(clump, command, files[half:], folder, allowed, totals))


def sources(folders):
    for folder in folders:
        for root, _, names in sorted(os.walk(folder)):
            for name in sorted(names):
                path = os.path.join(root, name)
                if os.path.isfile(path) and not name.startswith("line"):
                    yield path


def main():
    options = argparse.ArgumentParser()
    options.add_argument("clump")
    options.add_argument("folders", nargs="+")
    options.add_argument("--mutations", type=int, default=20)
    options.add_argument("--commands", default="info,stats")
    options.add_argument("--keep")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--memory", type=int, default=MEMORY)
    options = options.parse_args()
    number = failures = 0
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for path in sources(options.folders):
        with open(path, "rb") as source:
            data = source.read()
        all_of = [data] + mutations.several(data, options.mutations, options.seed)
        for command in options.commands.split(","):
            totals = {"memory": 0, "read": 0, "refused": 0, "crashed": 0, "given up": 0}
            wrong, begun = [], time.monotonic()
            size = 1 if command == "measure" else BATCH
            for first in range(0, len(all_of), size):
                with tempfile.TemporaryDirectory() as folder:
                    ending = "".join(os.path.splitext(os.path.basename(path))[1:])
                    files = []
                    for i, content in enumerate(all_of[first:first + size]):
                        files.append(os.path.join(folder, "m%05d_%s" % (first + i, ending)))
                        with open(files[-1], "wb") as out:
                            out.write(content)
                    for name, what in try_all(options.clump, command, files, folder,
                                              options.memory, totals):
                        wrong.append("%s: %s" % (os.path.basename(name), what))
                        if options.keep:
                            os.makedirs(options.keep, exist_ok=True)
                            os.replace(name, os.path.join(options.keep, command + "-" +
                                       os.path.basename(path) + "-" + os.path.basename(name)))
            number += 1
            failures += bool(wrong)
            print("%sok %d - %s %s: %d files, %d refused, %d crashes of a library, %d given up, "
                  "%d MiB, %.0f s" % ("not " if wrong else "", number, command,
                                      os.path.basename(path), len(all_of), totals["refused"],
                                      totals["crashed"], totals["given up"],
                                      totals["memory"] >> 20, time.monotonic() - begun), flush=True)
            for line in wrong[:10]:
                print("# " + line, flush=True)
    print("1..%d" % number)
    return 1 if failures else 0


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(main())
