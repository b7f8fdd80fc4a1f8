#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Commands killed (SIGKILL) at random moments: every name stands for a whole file, the old one or the
new one, and the run after the last leaves nothing but the outputs, in their folder, in that of
temporary files and in that of built kernels.

usage: kill.py CLUMP SOURCE_DIR [--kills N] [--seed S]      (prints TAP; CLUMP_DEVICE is respected)
"""
import argparse
import hashlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

OUTPUTS = {"table.fits": "-o", "table.reg": "--regions", "labels.fits": "--segmentation",
           "picture.png": "--overlay", "page.html": "--report"}


class Place:
    """A folder with an input, outputs, built kernels and temporary files."""

    def __init__(self, clump, image, folder):
        self.out, self.cache, self.temporary = (os.path.join(folder, name)
                                                for name in ("out", "cache", "tmp"))
        for path in (self.out, self.cache, self.temporary):
            os.mkdir(path)
        self.words = [clump, "find", image, "--force", "--quiet"]
        for name, option in OUTPUTS.items():
            self.words += [option, os.path.join(self.out, name)]
        # The same table, and an image, by way of a temporary file to stdout, where nobody looks.
        self.streams = [[clump, "find", image, "--quiet", "-o", "-", "--format", "fits"],
                        [clump, "convert", image, "--quiet", "--type", "f64", "-o", "-"]]
        self.environment = {**os.environ, "XDG_CACHE_HOME": self.cache, "TMPDIR": self.temporary}

    def start(self, kind=None):
        words = self.words if kind is None else self.streams[kind]
        return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                env=self.environment)

    def contents(self):
        """A checksum of each output, without dates; of the page, which tells times, its ends."""
        found = {}
        for name in os.listdir(self.out):
            if name.startswith("."):
                continue
            with open(os.path.join(self.out, name), "rb") as file:
                cards = [file.read(80)] if name.endswith(".fits") else [file.read()]
                while name.endswith(".fits") and cards[-1]:
                    cards.append(file.read(80))
            text = b"".join(c for c in cards if not c.startswith((b"DATE ", b"HISTORY")))
            if name.endswith(".html"):
                text = text[:15] + text[-8:]
            found[name] = hashlib.sha256(text).hexdigest()
        return found

    def left(self):
        """What is there besides outputs and whole kernels."""
        names = [name for name in os.listdir(self.out) if name not in OUTPUTS]
        names += os.listdir(self.temporary)
        for root, _, files in os.walk(os.path.join(self.cache, "clump")):
            names += [name for name in files if ".bin." in name]
        return names


def compare(found, whole):
    return [name for name in found if found[name] != whole.get(name)]


def main():
    options = argparse.ArgumentParser()
    options.add_argument("clump")
    options.add_argument("source")
    options.add_argument("--kills", type=int, default=25)
    options.add_argument("--seed", type=int, default=1)
    options = options.parse_args()
    image = os.path.join(options.source, "data", "field.fits")
    rng, failures, parts, killed = random.Random(options.seed), [], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        place = Place(os.path.abspath(options.clump), image, folder)
        if place.start().wait():
            print("1..1\nnot ok 1 - the command ends")
            return 1
        seconds = {}
        for kind in (None, *range(len(place.streams))):
            begun = time.monotonic()
            place.start(kind).wait()
            seconds[kind] = time.monotonic() - begun
        whole = place.contents()
        while killed < options.kills:
            if rng.random() < 0.2:  # with kernels to build, and without outputs
                for path in (place.out, os.path.join(place.cache, "clump")):
                    for name in os.listdir(path) if os.path.isdir(path) else []:
                        if not name.startswith("."):
                            os.unlink(os.path.join(path, name))
            kind = rng.choice([None, None, *range(len(place.streams))])
            process = place.start(kind)
            time.sleep(rng.random() * seconds[kind] * 1.2)
            process.send_signal(signal.SIGKILL)
            killed += process.wait() == -signal.SIGKILL
            parts += bool(place.left())
            failures += ["%s after kill %d" % (name, killed)
                         for name in compare(place.contents(), whole)]
        status = place.start().wait()
        left = place.left()
        names = sorted(place.contents())
    print("1..3")
    print("%sok 1 - %d kills, %d of them left parts: every output is whole" % (
        "not " if failures else "", killed, parts))
    for failure in failures[:10]:
        print("# " + failure)
    print("%sok 2 - the run after them ends well%s" % (
        "not " if status or names != sorted(OUTPUTS) else "", "" if not status else " # %d" % status))
    print("%sok 3 - and leaves nothing else%s" % ("not " if left else "", " ".join([""] + left)))
    return 1 if failures or status or left else 0


if __name__ == "__main__":
    sys.exit(main())
