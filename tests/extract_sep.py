#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""clump extract and background beside SEP and SExtractor: stored values of the sample field.

usage: extract_sep.py CLUMP SOURCE_DIR      (prints TAP; CLUMP_DEVICE is respected)

tests/golden/extract.py and sextractor.py made what is stored. Where CLUMP_SEP_DATA names a folder
with SEP's test image (image.fits) and SExtractor's catalogue of it (image.cat), which are others'
and not here, there is one test more.
"""
import array
import csv
import json
import math
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


def extract(folder, path, *words, isophotes=True):
    """The rows of the catalogue, as dictionaries of numbers."""
    out = os.path.join(folder, "out.csv")
    words += ("--isophotes",) if isophotes else ()
    r = clump("extract", path, "-qfo", out, *words)
    check(r.status == 0, r.err)
    with open(out, encoding="ascii") as f:
        return [{k: float(v) for k, v in row.items() if k not in ("frame", "file")} for row in csv.DictReader(f)]


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


def read_npy(path):
    """The float32 pixels of a .npy file, and their columns."""
    with open(path, "rb") as f:
        data = f.read()
    start = 10 + int.from_bytes(data[8:10], "little")
    shape = data[10:start].split(b"(")[1].split(b")")[0].split(b",")
    return array.array("f", data[start:]), int(shape[1])


def agree(rows, want, tolerances):
    """Compares the columns of catalogues, both sorted by y. A tolerance is (absolute, relative);
    SExtractor's positions have four figures behind the point."""
    check(len(rows) == len(want), "%d objects, not %d" % (len(rows), len(want)))
    rows = sorted(rows, key=lambda row: row["y"])
    for got, row in zip(rows, sorted(want, key=lambda row: row["Y_IMAGE"])):
        for ours, (theirs, absolute, relative) in tolerances.items():
            far = abs(got[ours] - row[theirs])
            check(far <= absolute + relative * abs(row[theirs]),
                  "%s: %r not %r" % (ours, got[ours], row[theirs]))


SHAPES = {"x": ("X_IMAGE", 1e-3, 0), "y": ("Y_IMAGE", 1e-3, 0), "x2": ("X2_IMAGE", 1e-4, 0),
          "y2": ("Y2_IMAGE", 1e-4, 0), "xy": ("XY_IMAGE", 1e-4, 0)}


@test
def agrees_with_sextractor(folder):
    with open(os.path.join(HERE, "golden", "sextractor.json"), encoding="ascii") as f:
        golden = json.load(f)
    columns = golden["catalog"]
    want = [dict(zip(columns, row)) for row in zip(*columns.values())]
    maps = {name: os.path.join(folder, name + ".npy") for name in ("back", "rms")}
    r = clump("background", DATA + "/field.fits", "-qfo", maps["back"], "--rms", maps["rms"],
              "--json")
    check(r.status == 0, r.err)
    noise = r.json()["rms"]
    for name, path in maps.items():
        pixels, cols = read_npy(path)
        for y, row in enumerate(golden["maps"][name]):
            for x, value in enumerate(row):
                check(abs(pixels[60 * y * cols + 60 * x] - value) <= 1e-4 * noise,
                      "%s at %d, %d: %r" % (name, x, y, value))
    rows = extract(folder, DATA + "/field.fits", "--thresh", "3", "--noise", repr(noise),
                   "--deblend-contrast", "1", isophotes=False)
    agree(rows, want, {**SHAPES, "npix": ("ISOAREAF_IMAGE", 0, 0), "flux": ("FLUX_ISO", 0, 1e-5),
                       "flux_isocor": ("FLUX_ISOCOR", 0, 1e-3),
                       "kron_radius": ("KRON_RADIUS", 0.01, 0), "flux_auto": ("FLUX_AUTO", 0, 5e-4),
                       "flux_radius": ("FLUX_RADIUS", 0.01, 0), "xwin": ("XWIN_IMAGE", 1.5e-3, 0),
                       "ywin": ("YWIN_IMAGE", 1.5e-3, 0)})
    places = os.path.join(folder, "out.csv")
    out = os.path.join(folder, "circles.csv")
    level = os.path.join(folder, "level.fits")
    r = clump("background", DATA + "/field.fits", "--subtract", "-qfo", level)
    check(r.status == 0, r.err)
    r = clump("photometry", level, "--catalog", places, "--aperture", "5", "-qfo", out)
    check(r.status == 0, r.err)
    with open(out, encoding="ascii") as f:
        sums = [float(next(v for k, v in row.items() if k.startswith("flux")))
                for row in csv.DictReader(f)]
    circles = [dict(row, circle=value) for row, value in zip(rows, sums)]
    agree(circles, want, {"circle": ("FLUX_APER(1)", 0, 2e-4)})


def agrees_with_sextractor_on_its_test_image(folder):
    data = os.environ["CLUMP_SEP_DATA"]
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
    check(len(rows) == 65, str(len(rows)))
    agree(rows, want, SHAPES)


if os.environ.get("CLUMP_SEP_DATA"):
    test(agrees_with_sextractor_on_its_test_image)


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
def extracts_every_plane_of_a_cube(folder):
    with open(DATA + "/field.fits", "rb") as f:
        data = f.read()
    size = 480 * 480 * 4
    start = next(i for i in range(0, len(data), 80) if data[i:i + 8].rstrip() == b"END")
    pixels = data[start // 2880 * 2880 + 2880:][:size]
    cards = ["SIMPLE  = T", "BITPIX  = -32", "NAXIS   = 3", "NAXIS1  = 480", "NAXIS2  = 480",
             "NAXIS3  = 2", "END"]
    cube = os.path.join(folder, "cube.fits")
    with open(cube, "wb") as f:
        f.write("".join("%-80s" % card for card in cards).ljust(2880).encode())
        f.write((pixels + pixels).ljust((2 * size + 2879) // 2880 * 2880, b"\0"))
    one = extract(folder, cube, "--thresh", "4", "--plane", "1")
    both = extract(folder, cube, "--thresh", "4", "--all-planes")
    check(len(one) > 5 and len(both) == 2 * len(one), "%d, %d" % (len(one), len(both)))
    check([row["plane"] for row in both] == [0] * len(one) + [1] * len(one))
    check([row["flux"] for row in both] == 2 * [row["flux"] for row in one])
    found = clump("extract", cube, "--thresh", "4", "--all-planes", "--isophotes", "--json").json()
    check([plane["objects"] for plane in found["planes"]] == [len(one)] * 2, str(found))


@test
def fits_gaussians_with_the_beam(folder):
    """A point source has the beam's shape, an extended one its own, on the sky."""
    beam, wide = (16, 10, 30), (30, 14, 75)  # full widths in arcsec, degrees from north to east
    cards = ["SIMPLE  = T", "BITPIX  = -32", "NAXIS   = 2", "NAXIS1  = 150", "NAXIS2  = 100",
             "CTYPE1  = 'RA---SIN'", "CTYPE2  = 'DEC--SIN'", "CRVAL1  = 50", "CRVAL2  = -40",
             "CRPIX1  = 75", "CRPIX2  = 50", "CDELT1  = %r" % (-2 / 3600),
             "CDELT2  = %r" % (2 / 3600), "BMAJ    = %r" % (16 / 3600),
             "BMIN    = %r" % (10 / 3600), "BPA     = 30", "BUNIT   = 'JY/BEAM '", "END"]
    pixels = array.array("f", bytes(4 * 150 * 100))
    for x0, y0, (major, minor, angle) in ((40.3, 50.7, beam), (105, 50, wide)):
        c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
        for i in range(len(pixels)):
            north, east = i // 150 - y0, x0 - i % 150
            along, across = north * c + east * s, east * c - north * s
            pixels[i] += math.exp(-0.5 * ((along * 4.70964 / major) ** 2 +
                                          (across * 4.70964 / minor) ** 2))
    pixels.byteswap()
    path = os.path.join(folder, "beam.fits")
    with open(path, "wb") as f:
        f.write("".join("%-80s" % card for card in cards).ljust(2880).encode())
        f.write(pixels.tobytes().ljust(63360, b"\0"))
    point, large = extract(folder, path, "--gaussians", "--keep-background", "--noise", "0.001",
                           "--filter", "none", "--thresh", "100", "--clean", "off")
    check(point["gauss_flag"] == 1 and large["gauss_flag"] == 0, str((point, large)))
    for row, (major, minor, angle), flux in ((point, beam, 1), (large, wide, 30 * 14 / 160)):
        for name, value in (("peak", 1), ("flux", flux), ("major", major), ("minor", minor),
                            ("angle", angle)):
            check(near(row["gauss_" + name], value, 3e-4), "%s: %s" % (name, row))
    near_noise = near(point["gauss_peakerr"], 0.001, 0.1)
    check(near_noise and point["own_major"] == 0 and near(large["own_major"], 27.0246, 1e-3),
          str((point, large)))


@test
def says_what_is_wrong(folder):
    cli.fails(2, ["--all-planes"], "extract", DATA + "/field.fits", "--all-planes", "--plane", "1")
    field = DATA + "/field.fits"
    cli.fails(2, ["--check", "KIND=FILE"], "extract", field, "--check", "segments=x.fits")
    cli.fails(2, ["--mesh", "64x32"], "extract", field, "--mesh", "64x")
    cli.fails(2, ["--noise", "--rms"], "extract", field, "--noise", "1", "--rms", field)
    cli.fails(2, ["--clean"], "extract", field, "--clean", "yes")
    cli.fails(1, ["thresh", "positive"], "extract", field, "--thresh", "-1")


if __name__ == "__main__":
    cli.main()
