#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Catalogues of find and extract: what they say of levels, blanks, units, frames and headers that are wrong.

usage: cli_catalog.py CLUMP SOURCE_DIR      (prints TAP; CLUMP_DEVICE is respected)
"""
import csv
import math
import os
import re
import struct
import subprocess

import cli
from cli import DATA, check, clump, columns, fails, near, npy

cli.TESTS.clear()
test = cli.test
PYTHON = "/usr/bin/python3"
SKY = {"CTYPE1": "RA---TAN", "CTYPE2": "DEC--TAN", "CRPIX1": 20.0, "CRPIX2": 15.0, "CRVAL1": 30.0,
       "CRVAL2": 60.0, "CDELT1": -0.001, "CDELT2": 0.001}


def noise(rows=40, cols=50, level=0.0):
    return [[level + (1.0 if (r + c) % 2 else -1.0) for c in range(cols)] for r in range(rows)]


def fits(path, rows, **cards):
    """Writes an image of float32 with these cards."""
    head = {"SIMPLE": True, "BITPIX": -32, "NAXIS": 2, "NAXIS1": len(rows[0]), "NAXIS2": len(rows),
            **cards}
    text = ""
    for key, value in head.items():
        shown = {bool: "T", str: "'%s'" % value}.get(type(value), repr(value))
        text += ("%-8s= %20s" % (key, shown)).ljust(80)
    text += "END".ljust(80)
    raw = b"".join(struct.pack(">%df" % len(row), *row) for row in rows)
    with open(path, "wb") as f:
        f.write(text.ljust(-(-len(text) // 2880) * 2880).encode("ascii"))
        f.write(raw.ljust(-(-len(raw) // 2880) * 2880, b"\0"))
    return path


def field(path, **cards):
    """Two sources on noise of 1, one of them long and slanting."""
    rows = noise()
    for i in range(5):
        rows[10 + i][20 + 2 * i] = rows[10 + i][21 + 2 * i] = rows[10 + i][22 + 2 * i] = 50.0
    rows[30][30] = rows[30][31] = 40.0
    return fits(path, rows, **cards)


def find(folder, path, *options, ending="csv"):
    """What find printed, and the catalogue's text."""
    out = os.path.join(folder, "out." + ending)
    r = clump("find", path, "--quiet", "--force", "-o", out, *options)
    check(r.status == 0, r.err)
    with open(out, "rb") as f:
        return r, f.read().decode("latin-1")


def astropy(program, *args):
    """Runs a program where there is an astropy; None where there is none."""
    if subprocess.run([PYTHON, "-c", "import astropy"], stderr=subprocess.DEVNULL).returncode:
        return None
    done = subprocess.run([PYTHON, "-W", "error", "-c", program, *args], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    check(done.returncode == 0, done.stdout)
    return done.stdout


@test
def blank_neighbours_are_flagged(folder):
    rows, nan = noise(), math.nan
    rows[5][5] = 50.0
    rows[5][6] = nan  # touches the first
    for r in range(8, 13):
        for c in range(20, 25):
            rows[r][c] = 50.0 if r in (8, 12) or c in (20, 24) else 0.0
    rows[10][22] = nan  # in the hole of the second, not touching it
    rows[20][40] = 50.0  # the third is alone
    rows[30][10] = 50.0
    rows[31][11] = nan  # touches the fourth at a corner
    rows[39][30] = 50.0  # the fifth is at the border
    path = npy(os.path.join(folder, "sky.npy"), rows)
    for device in ([], ["--device", "reference"]):
        for neighbours, corner in ((4, 0), (8, 32)):
            find(folder, path, "--sort", "id", "--connectivity", neighbours, *device)
            flags = columns(os.path.join(folder, "out.csv"))["flag"]
            check([int(flag) & ~8 for flag in flags] == [32, 32, 0, corner, 2], device, flags)


@test
def what_lies_in_a_ring_is_not_flagged_for_it(folder):
    rows, nan = noise(), math.nan
    for r in range(8, 23):
        for c in range(20, 35):
            rows[r][c] = 50.0 if r in (8, 22) or c in (20, 34) else 0.0
    rows[11][23] = nan  # in the ring
    rows[18][30] = 50.0  # in the ring, too, far from it
    rows[14][26] = nan
    rows[14][27] = 50.0  # touches it
    path = npy(os.path.join(folder, "ring.npy"), rows)
    for device in ([], ["--device", "reference"]):
        find(folder, path, "--sort", "id", *device)
        flags = columns(os.path.join(folder, "out.csv"))["flag"]
        check([int(flag) & ~8 for flag in flags] == [32, 32, 0], device, flags)


@test
def flux_per_beam_where_the_unit_is(folder):
    beam = {"BMAJ": 0.004, "BMIN": 0.003, "BPA": 0.0}
    for unit, spelled, rest in (
            ("JY/BEAM", "Jy/beam", "Jy"), ("mJy/beam", "mJy/beam", "mJy"),
            ("Jy beam-1", "Jy/beam", "Jy"), ("uJy/bm", "uJy/beam", "uJy"),
            ("Jy.beam**(-1)", "Jy/beam", "Jy"), ("MJY/BEAM", "MJY/BEAM", "MJY"),
            ("Jy/beam km/s", "Jy/beam km/s", "Jy km/s"), ("K", "K", None),
            ("Jy/beam.km/s", "Jy/beam.km/s", "Jy km/s"),
            ("MJy/sr", "MJy/sr", None), ("Jy", "Jy", None), ("Jy beam", "Jy beam", None)):
        path = field(os.path.join(folder, "u.fits"), **SKY, **beam, BUNIT=unit)
        _, text = find(folder, path, ending="ecsv")
        line = {name: re.search(r"name: %s, .*" % name, text) for name in ("flux", "flux_beam")}
        check((line["flux_beam"] is not None) == (rest is not None), unit, text)
        check('unit: "%s"' % spelled in line["flux"][0], unit, line["flux"][0])
        check(("not a flux" in line["flux"][0]) == (rest is not None or "/sr" in unit), unit)
        if rest:
            check('unit: "%s"' % rest in line["flux_beam"][0], unit, line["flux_beam"][0])
    _, text = find(folder, field(os.path.join(folder, "n.fits"), **SKY, BUNIT="Jy/beam"))
    check("flux_beam" not in text, "there is no beam")


FRAMES = (
    ({}, "ICRS", "icrs", "ICRS", ("ra", "dec")),
    ({"EQUINOX": 1950.0}, "FK4 B1950", "fk4", "eq_FK4", ("ra", "dec")),
    ({"EQUINOX": 2000.0}, "FK5 J2000", "fk5", "eq_FK5", ("ra", "dec")),
    ({"RADESYS": "FK5"}, "FK5 J2000", "fk5", "eq_FK5", ("ra", "dec")),
    ({"RADESYS": "FK4"}, "FK4 B1950", "fk4", "eq_FK4", ("ra", "dec")),
    ({"RADESYS": "FK5", "EQUINOX": 1975.0}, "FK5 J1975", None, "eq_FK5", ("ra", "dec")),
    ({"CTYPE1": "GLON-TAN", "CTYPE2": "GLAT-TAN"}, "GALACTIC", "galactic", "galactic",
     ("glon", "glat", "ra", "dec")),
    ({"CTYPE1": "ELON-TAN", "CTYPE2": "ELAT-TAN"}, "ECLIPTIC J2000", "ecliptic", "ecl_FK5",
     ("elon", "elat")),
)


@test
def every_format_says_the_frame(folder):
    for cards, frame, ds9, system, names in FRAMES:
        path = field(os.path.join(folder, "f.fits"), **{**SKY, **cards})
        r, text = find(folder, path)
        header = text.splitlines()[0].split(",")
        check(tuple(n for n in header if n in ("ra", "dec") or n[1:] in ("lon", "lat")) == names,
              cards, header)
        said = "GALACTIC glon glat; ICRS ra dec" if frame == "GALACTIC" else frame
        check(all(row["frame"] == said for row in csv.DictReader(text.splitlines())), said, text)
        check("%s and %s are %s\n" % (*names[:2], frame) in r.out, frame, r.out)
        check(clump("find", path, "--json").json()["frame"] == frame, frame)
        check('# - {frame: "%s"}' % said in find(folder, path, ending="ecsv")[1], said)
        vot = find(folder, path, ending="vot")[1]
        check(vot.count("<COOSYS") == len(names) // 2 and 'system="%s"' % system in vot, frame, vot)
        find(folder, path, ending="fits")
        card = open(os.path.join(folder, "out.fits"), "rb").read().decode("latin-1")
        wanted = "ICRS" if frame == "GALACTIC" else frame.split()[0]
        check(re.search(r"RADESYS = '%s" % wanted, card), frame)
        check((" " in frame) == ("EQUINOX =" in card), frame)
        out = os.path.join(folder, "f.reg")
        if ds9:
            r = clump("find", path, "--regions", out, "--region-frame", "sky", "-qf")
            check(r.status == 0, r.err)
            check("\n%s\nellipse(" % ds9 in open(out, encoding="ascii").read(), frame)
        else:
            fails(1, ["FK5", "pixels"], "find", path, "--regions", out, "--region-frame", "sky",
                  "-qf")
    flat = field(os.path.join(folder, "flat.fits"))
    fails(1, ["WCS", "none"], "find", flat, "--regions", out, "--region-frame", "sky", "-qf")
    check("frame" not in find(folder, flat)[1].splitlines()[0])


# Frame and place of each source, as astropy has them from the image's header.
JUDGE = """
import sys, csv
from astropy.io import fits
from astropy.wcs import WCS
from astropy.coordinates import SkyCoord
w = WCS(fits.getheader(sys.argv[1]))
with open(sys.argv[2]) as f:
    rows = list(csv.DictReader(f))
for row in rows:
    c = w.pixel_to_world(float(row["x"]) - 1, float(row["y"]) - 1)
    lon, lat = (float(row[n]) for n in (("glon", "glat") if "glon" in row else ("ra", "dec")))
    assert abs(c.spherical.lon.deg - lon) < 1e-9 and abs(c.spherical.lat.deg - lat) < 1e-9
    assert c.frame.name.upper() == row["frame"].split()[0], (c.frame.name, row["frame"])
    if "glon" in row:
        there = SkyCoord(float(row["ra"]), float(row["dec"]), unit="deg", frame="icrs")
        assert there.separation(c).arcsec < 0.01, there.separation(c).arcsec
"""


@test
def astropy_agrees_on_the_frame(folder):
    for cards, frame, *_ in FRAMES:
        if frame.startswith("ECLIPTIC"):
            continue  # which astropy does not take from a header
        path = field(os.path.join(folder, "f.fits"), **{**SKY, **cards})
        find(folder, path)
        if astropy(JUDGE, path, os.path.join(folder, "out.csv")) is None:
            return "python3 has no astropy"
    return None


# The ends of each ellipse's axes, on the sky by DS9's convention, lie on the ellipse in pixels.
ENDS = """
import sys, re, csv, math
from astropy import units as u
from astropy.io import fits
from astropy.wcs import WCS
from astropy.coordinates import SkyCoord
w = WCS(fits.getheader(sys.argv[1]))
with open(sys.argv[2]) as f, open(sys.argv[3]) as g:
    rows = {int(r["id"]): r for r in csv.DictReader(f)}
    found = re.findall(r'ellipse\\((.*?),(.*?),(.*?)",(.*?)",(.*?)\\) # text={(\\d+)}', g.read())
assert len(found) == len(rows) > 1
for ra, dec, a, b, angle, number in found:
    r = rows[int(number)]
    x, y, theta = (float(r[n]) for n in ("x", "y", "theta"))
    middle = SkyCoord(float(ra), float(dec), unit="deg", frame=w.pixel_to_world(0, 0).frame.name)
    for length, turn, axis in ((a, -90, "a"), (b, 0, "b")):
        end = middle.directional_offset_by((float(angle) + turn) * u.deg, float(length) * u.arcsec)
        px, py = w.world_to_pixel(end)
        dx, dy, c, s = px + 1 - x, py + 1 - y, math.cos(theta), math.sin(theta)
        half = [max(3 * float(r[n]), 0.5) for n in ("a", "b")]
        away = math.hypot((dx * c + dy * s) / half[0], (dy * c - dx * s) / half[1])
        assert abs(away - 1) < 0.002, (number, axis, away)  # on the ellipse of the pixels
"""


@test
def regions_on_the_sky(folder):
    turn = math.radians(25)
    for flip in (-1, 1):
        cards = {**SKY, "PC1_1": math.cos(turn), "PC1_2": -math.sin(turn), "PC2_1": math.sin(turn),
                 "PC2_2": math.cos(turn), "CDELT1": flip * 0.001, "CDELT2": 0.0015}
        path = field(os.path.join(folder, "f.fits"), **cards)
        regions = os.path.join(folder, "sky.reg")
        find(folder, path, "--regions", regions, "--region-frame", "sky")
        if astropy(ENDS, path, os.path.join(folder, "out.csv"), regions) is None:
            return "python3 has no astropy"
    return None


@test
def a_broken_wcs_is_told(folder):
    for cards in ({"CTYPE1": "RA---XYZ", "CTYPE2": "DEC--XYZ"}, {"CDELT1": 0.0},
                  {"CTYPE2": "GLAT-TAN"}):
        path = field(os.path.join(folder, "w.fits"), **{**SKY, **cards})
        lines = clump("find", path, "--json").err.splitlines()
        check(len(lines) == 1 and "WCS" in lines[0] and "w.fits" in lines[0], cards, lines)
        _, text = find(folder, path)
        check(text.startswith("id,x,y,flux,peak"), cards, text)
    none = field(os.path.join(folder, "none.fits"), CTYPE1="VELO", CTYPE2="FREQ")
    check(not clump("find", none, "--json").err)


@test
def an_infinite_source_has_no_place(folder):
    rows = noise()
    rows[10][10], rows[10][11], rows[20][20] = math.inf, 50.0, 30.0
    path = fits(os.path.join(folder, "i.fits"), rows, **SKY)
    for device in ([], ["--device", "reference"]):
        find(folder, path, "--regions", os.path.join(folder, "i.reg"), *device)
        table = columns(os.path.join(folder, "out.csv"))
        for name in ("x", "y", "ra", "dec", "a", "b", "theta"):
            check(math.isnan(table[name][0]), name, table[name])
            check(math.isfinite(table[name][1]), name, table[name])
        check(table["flux"][0] == table["peak"][0] == math.inf and table["flag"][0] == 256, table)
        text = open(os.path.join(folder, "i.reg"), encoding="ascii").read()
        check("circle(11.0000,11.0000,5)" in text and text.count("text={") == 2, text)


@test
def printed_digits_resolve_the_noise(folder):
    path = npy(os.path.join(folder, "sky.npy"), noise(level=1000.0), "<f8")
    for command in ("stats", "find"):
        text = clump(command, path).out
        for line in re.findall(r"^(?:before|after): .*", text, re.M):
            mean = re.search(r"mean = (\S+),", line)[1]
            check(len(mean.split("e")[0].replace(".", "")) >= 6, line)
    rows = noise(level=1e-4)
    check("mean = 1.000e-04" in clump("stats", npy(path, rows)).out, "the lesson's digits")


@test
def noise_above_the_threshold_is_expected(folder):
    path = field(os.path.join(folder, "f.fits"))
    for sigmas in (5, 2):
        d = clump("find", path, "--sigmas", sigmas, "--level", "zero", "--json").json()
        above = (d["threshold"] - d["after"]["median"]) / d["after"]["std"]
        near("expected_false", [d["expected_false"]], [2000 * 0.5 * math.erfc(above / 2 ** 0.5)],
             1e-12)
    check("expected of noise alone: " in clump("find", path).out)


@test
def tables_print_the_same_digits_everywhere(folder):
    labels, out = os.path.join(folder, "l.npy"), os.path.join(folder, "m.csv")
    check(clump("find", DATA + "/field.fits", "--segmentation", labels, "-q").status == 0)
    printed = clump("measure", DATA + "/field.fits", "--labels", labels).out
    check(clump("measure", DATA + "/field.fits", "--labels", labels, "-qo", out).status == 0)
    with open(out, newline="", encoding="ascii") as f:
        check(f.read() == printed, printed[:500])


@test
def the_virtual_observatory_takes_it(folder):
    find(folder, field(os.path.join(folder, "f.fits"), **SKY, BUNIT="mJy/beam", BMAJ=0.004,
                       BMIN=0.003), ending="vot")
    out = astropy("""
import sys
from astropy.io.votable import parse, validate
assert validate(sys.argv[1], output=None), "not valid"
table = parse(sys.argv[1], verify="exception").get_first_table()
values = {p.name: p for p in table.params}
assert values["THRESH"].datatype == "double" and str(values["THRESH"].unit) == "mJy / beam"
assert values["THRESH"].value == values["LEVEL"].value + 5 * values["STDDEV"].value
assert values["MEASURED"].value == "what stands above the median"
""", os.path.join(folder, "out.vot"))
    return "python3 has no astropy" if out is None else None


@test
def a_broken_wcs_warns(folder):
    """A reference value that is no number: there are no coordinates, rather than wrong ones."""
    with open(os.path.join(DATA, "field.fits"), "rb") as f:
        data = bytearray(f.read())
    at = data.index(b"CRVAL1  =")
    data[at + 10:at + 80] = b"'abc     '".ljust(70)
    path = os.path.join(folder, "bad.fits")
    with open(path, "wb") as f:
        f.write(data)
    r = clump("find", path, "--json")
    check(r.status == 0 and "WCS cannot be used" in r.err, r.err)
    check("ra" not in r.json()["table"], list(r.json()["table"]))


def blob(folder, sign=1):
    """A square of 5 x 5 pixels of 10 on nothing, its middle at 21, 21 from 1."""
    rows = [[sign * 10.0 * (18 <= x <= 22 and 18 <= y <= 22) for x in range(41)] for y in range(41)]
    return npy("%s/blob%d.npy" % (folder, sign), rows)


def table(path):
    with open(path) as file:
        return list(csv.DictReader(file))


def extracted(image, out, *more):
    r = clump("extract", image, "-o", out, "-f", *more)
    check(r.status == 0, r.err)
    return table(out)


@test
def circles_of_an_extraction(folder):
    """By hand: a blob of 250 in noise of 2; and what photometry says of the same circles."""
    out, plain = folder + "/o.csv", ("--keep-background", "--noise", 2, "--filter", "none")
    for sign, more in ((1, ()), (-1, ("--negative",))):
        row, = extracted(blob(folder, sign), out, *plain, *more, "--aperture", "1,10,30")
        check(float(row["flux_aper_2"]) == 250 and float(row["flag_aper_2"]) == 0, row)
        check(abs(float(row["fluxerr_aper_2"]) / (2 * 10 * math.sqrt(math.pi)) - 1) < 0.01, row)
        check(abs(float(row["flux_aper_1"]) - 10 * 69 / 25) < 1e-12, row)  # points nearer than 1
        check(float(row["flag_aper_3"]) == 16, row)
    weight = npy(folder + "/w.npy", [[0.25] * 41] * 41)
    row, = extracted(blob(folder), out, "--keep-background", "--weight", weight, "--filter", "none",
                     "--aperture", 10)
    check(abs(float(row["fluxerr_aper_1"]) / (2 * 10 * math.sqrt(math.pi)) - 1) < 0.01, row)
    sky, rms, again = folder + "/sky.fits", folder + "/rms.fits", folder + "/again.csv"
    rows = extracted(DATA + "/field.fits", out, "--aperture", "3,8.5", "--check",
                     "subtracted=%s,rms=%s" % (sky, rms))
    r = clump("photometry", sky, "--catalog", out, "--err", rms, "--aperture", "3,8.5", "-o", again)
    check(r.status == 0 and len(rows) > 100, r.err)
    for row, other in zip(rows, table(again)):
        for name in ("flux", "fluxerr"):
            for k in ("_1", "_2"):
                near = abs(float(row[name + "_aper" + k]) - float(other[name + k]))
                check(near < 1e-9, (row, other))
    for wrong in ("0", "-1", "3,inf", "nan"):
        fails(2, ["--aperture"], "extract", DATA + "/field.fits", "--aperture", wrong)


@test
def apertures_are_drawn(folder):
    """On the image without its background: a circle of 10 pixels and the Kron ellipse, about 5."""
    out, drawn = folder + "/o.csv", folder + "/d.npy"
    plain = ("--keep-background", "--noise", 2, "--filter", "none", "--check", "apertures=" + drawn)
    for sign, more in ((1, ()), (-1, ("--negative",))):
        row, = extracted(blob(folder, sign), out, *plain, *more, "--aperture", "10,30")
        rows = cli.read_rows(drawn)
        kron = float(row["kron_radius"]) * float(row["a"])
        check(4.5 < kron < 5.5, row)
        for y in range(41):
            for x in range(41):
                rho = math.hypot(x - 20, y - 20)
                if abs(rho - 10) < 0.2 or abs(rho - kron) < 0.2 or max(abs(x - 20), abs(y - 20)) <= 2:
                    check(rows[y][x] == 10, (x, y, rows[y][x]))
                elif abs(rho - 10) > 0.75 and abs(rho - kron) > 0.75 and rho < 28:
                    check(rows[y][x] == 0, (x, y, rows[y][x]))
    extracted(blob(folder), out, *plain, "-f", "--isophotes", "--aperture", 10)
    check(cli.read_rows(drawn)[20][25] == 0 and cli.read_rows(drawn)[20][30] == 10)
    fails(2, ["--isophotes"], "extract", blob(folder), *plain, "-f", "--isophotes")


if __name__ == "__main__":
    cli.main()
