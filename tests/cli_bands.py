#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Commands that read an image some rows at a time: what they write is what the whole image gives.

usage: cli_bands.py CLUMP SOURCE_DIR      (prints TAP; CLUMP_DEVICE is respected)
"""
import json
import os
import random

import cli
from cli import DATA, check, clump, fails
from cli_catalog import fits

cli.TESTS.clear()
test = cli.test
COLS, ROWS = 90, 120
BUDGETS = ["3K", "9K", "100K", "1G"]  # one row of 360 bytes at a time, three, many, all


def field(path):
    """Noise, sources over all borders of bands, one through every row, blank rows and pixels."""
    rng = random.Random(7)
    rows = [[rng.gauss(10, 1) for _ in range(COLS)] for _ in range(ROWS)]
    for _ in range(60):
        r, c, v = rng.randrange(ROWS - 2), rng.randrange(COLS - 2), rng.expovariate(0.01)
        for d in range(3):
            rows[r + d][c] += v
            rows[r + d][c + 1] += v
    for r in range(ROWS):
        rows[r][40] += 300
    for c in range(COLS // 2):
        rows[50][c] = rows[51][c] = float("nan")
    rows[80][60] = float("nan")
    return fits(path, rows)


def read(path):
    with open(path, "rb") as f:
        return f.read()


def lines(path):
    """A table without the notes on how it was made."""
    return [line for line in read(path).splitlines() if not line.startswith(b"#")]


def same_find(folder, path, *options):
    seen = None
    for memory in [None] + BUDGETS:
        table, labels = os.path.join(folder, "t.csv"), os.path.join(folder, "s.npy")
        r = clump("find", path, "--force", "-o", table, "--segmentation", labels, *options,
                  *(["--memory", memory] if memory else []))
        check(r.status == 0, r.err)
        found = (r.out, lines(table), read(labels))
        check(seen is None or found == seen, "%s differs from the whole" % memory)
        seen = found


@test
def find_in_bands_of_a_fits_image(folder):
    path = field(os.path.join(folder, "a.fits"))
    same_find(folder, path)
    same_find(folder, path, "--connectivity", "8", "--area", "3", "--sigmas", "2", "--raw")


@test
def find_in_bands_of_an_npy_image_and_of_a_part(folder):
    path, copy = field(os.path.join(folder, "a.fits")), os.path.join(folder, "a.npy")
    check(clump("convert", path, "--type", "float32", "-o", copy).status == 0, "npy")
    same_find(folder, copy)
    same_find(folder, path, "--crop", "10:110,5:80")
    same_find(folder, copy, "--crop", "10:110,5:80")


@test
def labels_as_fits_keep_the_header(folder):
    path = field(os.path.join(folder, "a.fits"))
    seen = None
    for memory in [[], ["--memory", "9K"]]:
        out = os.path.join(folder, "s.fits")
        r = clump("find", path, "--segmentation", out, "--force", *memory)
        check(r.status == 0, r.err)
        data = read(out)
        cards = [data[i:i + 80] for i in range(0, 2880, 80)]
        kept = [c for c in cards if c[:8].strip() not in (b"DATE", b"HISTORY")]
        found = (kept, data[-ROWS * COLS * 4:])
        check(seen is None or found == seen, "the files differ")
        seen = found


@test
def stats_and_clip_in_bands(folder):
    path = field(os.path.join(folder, "a.fits"))
    for command in [["stats", path, "--quantiles", "0,0.3,1", "--scale", "mad"], ["clip", path]]:
        seen = None
        for memory in [[]] + [["--memory", b] for b in BUDGETS]:
            r = clump(*command, "--json", *memory)
            check(r.status == 0, r.err)
            found = json.loads(r.out)
            check(seen is None or found == seen, "%s: %s and %s" % (memory, found, seen))
            seen = found


@test
def what_bands_cannot_do_is_said_in_one_line(folder):
    path = field(os.path.join(folder, "a.fits"))
    picture, mask = os.path.join(folder, "x.png"), os.path.join(folder, "x.fits")
    tiff = os.path.join(folder, "a.tif")
    fails(1, ["no picture is made"], "find", path, "--memory", "1G", "--overlay", picture)
    fails(1, ["no picture is made"], "find", path, "--memory", "1G", "--report", picture + ".html")
    fails(1, ["no mask"], "clip", path, "--memory", "1G", "-o", mask)
    fails(1, ["at least 2880 bytes of memory are needed"], "stats", path, "--memory", "2879")
    check(clump("stats", path, "--memory", "2880").status == 0, "a row of 360 bytes fits")
    check(clump("convert", path, "--type", "float32", "-o", tiff).status == 0, "tiff")
    fails(1, ["only plain FITS images"], "stats", tiff, "--memory", "1G")
    fails(1, ["only .fits and .npy files"], "find", path, "--memory", "1G", "--segmentation", os.path.join(folder, "s.tif"))
    check(not os.path.exists(os.path.join(folder, "s.tif")), "a file was left")
    check(clump("stats", path, "--memory", "many").status == 2, "a size that is none")


if __name__ == "__main__":
    cli.main()
