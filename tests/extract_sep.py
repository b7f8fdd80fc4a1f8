#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""clump extract beside SEP: stored values of the sample field, and SExtractor's own test image.

usage: extract_sep.py CLUMP SOURCE_DIR      (prints TAP; CLUMP_DEVICE is respected)

CLUMP_SEP_DATA names a folder with SEP's test image (image.fits) and SExtractor's catalogue of it
(image.cat); without it that test is skipped.
"""
import csv
import json
import os

import cli
from cli import DATA, check, clump

cli.TESTS.clear()
test = cli.test
HERE = os.path.dirname(os.path.abspath(__file__))
FROM_1 = {"x", "y", "xmin", "xmax", "ymin", "ymax"}
WHOLE = {"npix", "xmin", "xmax", "ymin", "ymax", "flag"}
OPTIONS = {"plain": ["--deblend-contrast", "1"],
           "blends": ["--clean", "off"],
           "unfiltered": ["--filter", "none", "--deblend-contrast", "1", "--clean", "off"],
           "gain": ["--gain", "3", "--deblend-contrast", "1"]}


def near(a, b, relative):
    return abs(a - b) <= relative * max(abs(a), abs(b))


def extract(folder, path, *words):
    """The rows of the catalogue, as dictionaries of numbers."""
    out = os.path.join(folder, "out.csv")
    r = clump("extract", path, "--isophotes", "-qfo", out, *words)
    check(r.status == 0, r.err)
    with open(out, encoding="ascii") as f:
        return [{k: float(v) for k, v in row.items() if k != "frame"} for row in csv.DictReader(f)]


@test
def agrees_with_sep(folder):
    with open(os.path.join(HERE, "golden", "extract.json"), encoding="ascii") as f:
        golden = json.load(f)
    for device in ([], ["-d", "reference"]):
        for name, want in golden["cases"].items():
            rows = extract(folder, DATA + "/field.fits", "--thresh", "3", "--noise",
                           repr(golden["rms"]), *OPTIONS[name], *device)
            check(len(rows) == len(want["x"]), "%s: %d objects" % (name, len(rows)))
            for i, row in enumerate(rows):
                merged = int(want["flag"][i]) & 1
                for column, values in want.items():
                    if merged and column not in ("x", "y", "thresh", "cpeak", "peak", "flag"):
                        continue  # SEP shares the pixels of blends out by chance
                    got = row[column] - (column in FROM_1)
                    if column in WHOLE:
                        check(got == values[i], "%s %d %s" % (name, i, column))
                    elif column not in ("tnpix", "xy", "errxy", "cxy"):
                        check(near(got, values[i], 1e-3), "%s %d %s: %r not %r"
                              % (name, i, column, got, values[i]))


@test
def agrees_with_sextractor_on_its_test_image(folder):
    data = os.environ.get("CLUMP_SEP_DATA", "")
    if not os.path.exists(data + "/image.cat"):
        return "CLUMP_SEP_DATA does not name SEP's test data"
    names, want = [], []
    with open(data + "/image.cat", encoding="ascii") as f:
        for line in f:
            words = line.split()
            if words[0] == "#":
                names.append(words[2])
            else:
                want.append(dict(zip(names, map(float, words))))
    rows = extract(folder, data + "/image.fits", "--noise", "65.46174621582031",
                   "--deblend-contrast", "1")
    check(len(rows) == 65 and len(want) == 65, str(len(rows)))
    rows.sort(key=lambda row: row["y"])
    want.sort(key=lambda row: row["Y_IMAGE"])
    for got, row in zip(rows, want):
        for ours, theirs, most in (("x", "X_IMAGE", 1e-3), ("y", "Y_IMAGE", 1e-3),
                                   ("x2", "X2_IMAGE", 1e-4), ("y2", "Y2_IMAGE", 1e-4),
                                   ("xy", "XY_IMAGE", 1e-4)):
            if theirs in row:
                check(abs(got[ours] - row[theirs]) <= most, "%s %r %r" % (ours, got, row))
    return None


@test
def writes_check_images_and_other_bands(folder):
    seg = os.path.join(folder, "seg.fits")
    rest = os.path.join(folder, "rest.fits")
    out = os.path.join(folder, "all.csv")
    field = DATA + "/field.fits"
    r = clump("extract", field, "-qfo", out, "--thresh", "4", "--isophotes", "--measure", field,
              "--check", "segmentation=%s,residual=%s" % (seg, rest))
    check(r.status == 0, r.err)
    with open(out, encoding="ascii") as f:
        rows = list(csv.DictReader(f))
    check(rows)
    for row in rows:
        check(near(float(row["flux"]), float(row["flux_1"]), 1e-5), str(row))
    d = clump("stats", seg, "--json").json()
    check(d["before"]["max"] == len(rows), str(d))


@test
def says_what_is_wrong(folder):
    field = DATA + "/field.fits"
    cli.fails(2, ["--check", "KIND=FILE"], "extract", field, "--check", "segments=x.fits")
    cli.fails(2, ["--mesh", "64x32"], "extract", field, "--mesh", "64x")
    cli.fails(2, ["--noise", "--rms"], "extract", field, "--noise", "1", "--rms", field)
    cli.fails(2, ["--clean"], "extract", field, "--clean", "yes")
    cli.fails(1, ["thresh", "positive"], "extract", field, "--thresh", "-1")


if __name__ == "__main__":
    cli.main()
