#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compare, arith, make: what they say, their statuses, their mistakes.

usage: cli_verbs.py CLUMP SOURCE_DIR      (prints TAP; CLUMP_DEVICE is respected)
"""
import csv
import json
import math
import os
import shutil
import subprocess
import xml.etree.ElementTree

import cli
from cli import DATA, check, clump, fails, npy, read_npy, read_rows

cli.TESTS.clear()
test = cli.test
NAN = math.nan


def close(x, y, *options):
    """The exit status of compare and the JSON object that it printed."""
    r = clump("compare", x, y, "--json", *options)
    check(not r.err, r.err)
    return r.status, r.json()


@test
def compare_as_numpy_allclose(folder):
    a = npy(folder + "/a.npy", [[1.0, 2.0, 100.0], [0.0, -5.0, 7.0]])
    b = npy(folder + "/b.npy", [[1.0, 2.00001, 100.0005], [1e-9, -5.0, 7.0]])
    status, found = close(a, b)
    check(status == 0 and found["close"] is True and found["differ"] == 0, found)
    check((found["row"], found["col"]) == (0, 2), found)  # the greatest difference of all
    check(found["file"] == a and found["other"] == b and found["device"], found)
    status, found = close(a, b, "--rtol", 0)
    check(status == 1 and found["close"] is False and found["differ"] == 2, found)
    check((found["row"], found["col"], found["a"]) == (0, 2, 100), found)
    check(abs(found["difference"] - 0.0005) < 1e-5, found)
    check(close(a, b, "--rtol", 0, "--atol", 0.001)[0] == 0)
    check(close(a, b, "--rtol", 0, "--atol", 0)[1]["differ"] == 3)


@test
def compare_worst_is_one_that_differs(folder):
    """A large difference that the tolerance allows is not the worst where a small one is not."""
    a = npy(folder + "/a.npy", [[1000.0, 0.0]], "<f8")
    b = npy(folder + "/b.npy", [[1000.009, 0.001]], "<f8")
    status, found = close(a, b)
    check(status == 1 and found["col"] == 1 and found["differ"] == 1, found)


@test
def compare_blank_and_infinite(folder):
    inf = math.inf
    a = npy(folder + "/a.npy", [[NAN, inf, -inf, 1e30]])
    check(close(a, a)[1]["differ"] == 1)
    check(close(a, a, "--equal-nan")[0] == 0)
    b = npy(folder + "/b.npy", [[0.0, inf, inf, 1.0]])
    status, found = close(a, b, "--equal-nan")
    check(status == 1 and found["differ"] == 3, found)
    check((found["row"], found["col"]) == (0, 0) and found["difference"] is None, found)
    c = npy(folder + "/c.npy", [[NAN, inf, -inf, inf]])
    check(close(a, c, "--equal-nan", "--rtol", 1)[1]["differ"] == 1)  # finite beside infinite


@test
def compare_types_and_text(folder):
    a = npy(folder + "/a.npy", [[1, 2, 3]], "|u1")
    b = npy(folder + "/b.npy", [[1.0, 2.0, 4.5]], "<f8")
    r = clump("compare", a, b)
    check(r.status == 1 and not r.err, r.err)
    check(r.out.splitlines()[0].split() == ["close", "no"], r.out)
    check("difference   1.5" in r.out and "col          2" in r.out, r.out)
    field = os.path.join(DATA, "field.fits")
    check(clump("compare", field, field).status == 0)


@test
def compare_mistakes(folder):
    a = npy(folder + "/a.npy", [[1.0, 2.0]])
    b = npy(folder + "/b.npy", [[1.0, 2.0, 3.0]])
    fails(1, ["1 x 2", "1 x 3"], "compare", a, b)
    fails(1, ["missing.npy"], "compare", a, folder + "/missing.npy")
    fails(2, ["A B"], "compare", a)
    fails(2, ["one too many"], "compare", a, b, a)
    fails(2, ["0 or more", "-1"], "compare", a, a, "--atol", "-1")
    fails(2, ["--rtol", "a number"], "compare", a, a, "--rtol", "much")


def arith(folder, *words, code="<f4"):
    out = folder + "/out.npy"
    r = clump("arith", *words, "-o", out, "--force", "--quiet", "--json")
    check(r.status == 0, words, r.err)
    return r.json()["type"], read_npy(out)[1]


@test
def arith_types_are_numpys(folder):
    """Values and types as NumPy 2 has them."""
    u8 = npy(folder + "/u8.npy", [[3, 250]], "|u1")
    u16 = npy(folder + "/u16.npy", [[5, 10]], "<u2")
    i32 = npy(folder + "/i32.npy", [[-7, 2147483647]], "<i4")
    f4 = npy(folder + "/f4.npy", [[0.5, NAN]])
    f8 = npy(folder + "/f8.npy", [[0.25, 3.0]], "<f8")
    for words, expected in [
            ((u8, "-", u16), ("uint16", [65534, 240])),
            ((u8, "+", u8), ("uint8", [6, 244])),
            ((u8, "-", 5), ("uint8", [254, 245])),
            ((u8, "*", 2), ("uint8", [6, 244])),
            ((u8, "+", 1.5), ("float64", [4.5, 251.5])),
            ((1, "-", u8), ("uint8", [254, 7])),
            ((u8, "/", 2), ("float64", [1.5, 125.0])),
            ((u8, "/", u8), ("float64", [1.0, 1.0])),
            ((i32, "+", 1), ("int32", [-6, -2147483648])),
            ((i32, "+", u16), ("int32", [-2, -2147483639])),
            ((i32, "*", "-1"), ("int32", [7, -2147483647])),
            ((i32, "*", f8), ("float64", [-1.75, 6442450941.0])),
            ((u16, "*", f8), ("float64", [1.25, 30.0])),
            ((f8, "-", "-.5"), ("float64", [0.75, 3.5]))]:
        got = arith(folder, *words)
        check(got == expected, words, got, "is not", expected)
    kind, values = arith(folder, f4, "/", u8)
    check(kind == "float32" and math.isnan(values[1]), kind, values)
    check(abs(values[0] - 0.5 / 3) < 1e-8, values)
    check(arith(folder, i32, "-", f4)[0] == "float64")


@test
def arith_division_by_zero(folder):
    a = npy(folder + "/a.npy", [[1.0, -1.0, 0.0]])
    kind, values = arith(folder, a, "/", 0)
    check(values[:2] == [math.inf, -math.inf] and math.isnan(values[2]), values)


@test
def arith_masks(folder):
    a = npy(folder + "/a.npy", [[0, 1, 7, 0]], "|u1")
    b = npy(folder + "/b.npy", [[NAN, 2.5, 0.0, 0.0]])
    for words, expected in [((a, "and", b), [0, 1, 0, 0]), ((a, "or", b), [1, 1, 1, 0]),
                            ((a, "xor", b), [1, 0, 1, 0]), (("not", a), [1, 0, 0, 1]),
                            ((a, "and", 1), [0, 1, 1, 0]), ((a, "or", 0), [0, 1, 1, 0])]:
        out = folder + "/m.npy"
        r = clump("arith", *words, "-o", out, "-f", "-q")
        check(r.status == 0 and read_npy(out) == ((1, 4), expected), words, r.err)
        check(arith(folder, *words)[0] == "uint8", words, "the file holds bytes")


@test
def arith_keeps_the_header(folder):
    field, out = os.path.join(DATA, "field.fits"), folder + "/out.fits"
    check(clump("arith", field, "-", field, "-o", out).status == 0)
    info = clump("info", out).out
    check("JY/BEAM" in info, info)
    check(clump("stats", out, "--json").json()["before"]["max"] == 0)
    check(clump("arith", 2, "*", field, "-o", out, "-f").status == 0)
    check("JY/BEAM" in clump("info", out).out)
    check(clump("arith", field, "and", field, "-o", out, "-f").status == 0)
    check("JY/BEAM" not in clump("info", out).out)


@test
def arith_mistakes(folder):
    a = npy(folder + "/a.npy", [[1, 2]], "|u1")
    b = npy(folder + "/b.npy", [[1.0, 2.0, 3.0]])
    out = folder + "/out.npy"
    fails(1, ["1 x 2", "1 x 3"], "arith", a, "+", b, "-o", out)
    fails(1, ["300", "uint8", "--float32"], "arith", a, "+", 300, "-o", out)
    fails(1, ["-1", "uint8"], "arith", a, "+", "-1", "-o", out)
    fails(1, ["missing.npy"], "arith", folder + "/missing.npy", "+", a, "-o", out)
    fails(2, ["A - B"], "arith", a, "^", a, "-o", out)
    fails(2, ["A - B"], "arith", a, "not", a, "-o", out)
    fails(2, ["A - B"], "arith", a, "+", "-o", out)
    fails(2, ["A - B"], "arith", "not", a, a, "-o", out)
    fails(2, ["numbers alone"], "arith", 1, "+", 2, "-o", out)
    fails(2, ["numbers alone"], "arith", "not", 2, "-o", out)
    fails(2, ["-o FILE"], "arith", a, "+", a)
    check(not os.path.exists(out), "something was written")
    check(arith(folder, a, "-", 1) == ("uint8", [0, 1]))


@test
def make_the_lessons_inputs(folder):
    out = folder + "/out.npy"
    check(clump("make", "deltas", "--size", 40, "-o", out).status == 0)
    rows = read_rows(out)
    ones = [(r, c) for r in range(40) for c in range(40) if rows[r][c] == 1]
    check(ones == [(8, 8), (8, 24), (24, 8), (24, 24)] and sum(map(sum, rows)) == 4, ones)
    r = clump("make", "gauss", "-o", out, "-f", "--json")
    check(r.status == 0 and r.json()["rows"] == 15 and r.json()["files"] == [out], r.err)
    steps = [-2 + 4 * i / 14 for i in range(15)]
    for row, y in zip(read_rows(out), steps):
        for value, x in zip(row, steps):
            check(abs(value - math.exp(-(x * x + y * y) / 2)) < 1e-15, x, y, value)
    check(clump("make", "gauss", "--type", "float32", "-o", out, "-f").status == 0)
    check(open(out, "rb").read(128).count(b"<f4") == 1)


@test
def make_the_samples(folder):
    """The files of data/ come out again, with the truth about them."""
    field, cells, truth = folder + "/f.fits", folder + "/c.png", folder + "/t.csv"
    r = clump("make", "field", "--size", 480, "--count", 24, "-o", field, "--truth", truth)
    check(r.status == 0, r.err)
    check(clump("compare", field, os.path.join(DATA, "field.fits"), "--rtol", 0, "--atol",
                0).status == 0)
    check("21.66 x 17.9 arcsec" in clump("info", field).out)
    rows = [line.split(",") for line in open(truth)]
    there = [line.split(",") for line in open(os.path.join(DATA, "field.csv"))]
    check(len(rows) == 25 and [row[:2] for row in rows] == [row[:2] for row in there])
    check(abs(float(rows[1][2]) - float(there[1][2])) < 1e-3, rows[1])
    check(clump("make", "cells", "-o", cells).status == 0)
    check(clump("compare", cells, os.path.join(DATA, "cells.png"), "--channel", "green").status == 0)
    other = clump("make", "field", "--size", 128, "--seed", 2, "-o", folder + "/o.fits", "--json")
    check(other.status == 0 and other.json()["sources"] >= 1, other.out)


@test
def make_mistakes(folder):
    out = folder + "/out.fits"
    fails(2, ["deltas", "stars"], "make", "stars", "-o", out)
    fails(2, ["-o FILE"], "make", "deltas")
    fails(2, ["nothing to work on"], "make")
    fails(2, ["--size", "64"], "make", "field", "--size", 63, "-o", out)
    fails(2, ["--size", "65536"], "make", "deltas", "--size", 65537, "-o", out)
    fails(2, ["--size", "from 1 to", "not 0"], "make", "deltas", "--size", 0, "-o", out)
    fails(2, ["--truth"], "make", "gauss", "--truth", folder + "/t.csv", "-o", out)
    fails(2, ["--truth", "goes to a file"], "make", "cells", "--truth", "-", "-o", "-")
    fails(1, ["room", "of 500"], "make", "field", "--size", 100, "--count", 500, "-o", out)
    check(not os.path.exists(out))


@test
def below_a_level(folder):
    image = npy(folder + "/i.npy", [[1.0, 2.0, 3.0, NAN, 2.5, 9.0]])
    mask = folder + "/m.npy"

    def dark(*options):
        r = clump("threshold", image, *options, "-o", mask, "-f", "-q", "--json")
        check(r.status == 0, r.err)
        check(r.json()["count"] == sum(read_npy(mask)[1]), r.out)
        return read_npy(mask)[1]

    check(dark("--below", 2) == [1, 0, 0, 0, 0, 0])  # strictly
    check(dark("--below", 2.6) == [1, 1, 0, 0, 1, 0])
    check(dark("--below", 1.5, "--low", 3.5) == [1, 1, 1, 0, 0, 0])  # blank parts them
    bright = dark("--above", "otsu")
    check([a + b for a, b in zip(bright, dark("--below", "otsu"))] == [1, 1, 1, 0, 1, 1])
    two = npy(folder + "/two.npy", [[0, 0, 255, 255]], "|u1")  # Otsu's threshold is 0
    check(clump("otsu", two, "--below", "-o", mask, "-f").status == 0)
    check(read_npy(mask)[1] == [1, 1, 0, 0], read_npy(mask))
    fails(2, ["--above", "--below"], "threshold", image, "--above", 1, "--below", 2)
    fails(2, ["--below", "a number"], "threshold", image, "--below", "dark")
    fails(1, ["less"], "threshold", image, "--below", 2, "--low", 1)


@test
def dark_cells(folder):
    """What is bright in an image is dark in its negative."""
    cells, dark = os.path.join(DATA, "cells.png"), folder + "/dark.npy"
    check(clump("arith", 255, "-", cells, "--channel", "green", "-o", dark).status == 0)
    bright = clump("cells", cells, "--channel", "green", "--json").json()
    found = clump("cells", dark, "--below", "--json").json()
    check(found["objects"] == bright["objects"] > 15, found, bright)
    check(abs(found["threshold"] + bright["threshold"] - 1) < 0.01, found, bright)


@test
def crop_as_numpy_slices(folder):
    image = npy(folder + "/i.npy", [[10 * r + c for c in range(6)] for r in range(5)], "<i4")
    out = folder + "/o.npy"

    def part(name, *options):
        r = clump("convert", name, *options, "-o", out, "-f", "-q")
        check(r.status == 0, options, r.err)
        return read_rows(out)

    rows = [[10 * r + c for c in range(6)] for r in range(5)]
    for text, expected in [("1:3,2:4", [row[2:4] for row in rows[1:3]]),
                           (":,-2:", [row[-2:] for row in rows]),
                           ("-2:-1,:", rows[-2:-1]), (":2,:", rows[:2]),
                           ("3:99,5:99", [row[5:] for row in rows[3:]]),
                           ("-99:1,0:1", [row[0:1] for row in rows[:1]])]:
        check(part(image, "--crop", text) == expected, text, part(image, "--crop", text))
    check(part(image + "[3:4,2:3]") == [[12, 13], [22, 23]])  # columns first, from 1
    check(part(image + "[*,5:5]") == [rows[4]])
    check(part(image + "[3:6,2:5]", "--crop", "1:2,-1:") == [[25]])  # of what the section leaves
    for wrong in ("1:3", "1,2", "a:b,c:d", "1:3,2:4:2", "1:3,2:4,"):
        fails(2, ["--crop", "300:800"], "stats", image, "--crop", wrong)
    fails(1, ["no image"], "stats", image, "--crop", "3:3,:")
    fails(1, ["no image"], "stats", image, "--crop", "9:,:")
    fails(1, ["no part", "6 columns"], "stats", image + "[1:7,1:2]")
    fails(1, ["section", "steps"], "stats", image + "[1:6:2,1:2]")
    fails(1, ["section", "turned"], "stats", image + "[-*,*]")


@test
def crop_moves_the_sky(folder):
    field, part = os.path.join(DATA, "field.fits"), folder + "/part.fits"
    whole = {row["id"]: row for row in find_rows(folder, field)}
    cropped = find_rows(folder, field, "--crop", "100:400,50:480")
    check(len(cropped) >= 5, cropped)
    brightest = max(cropped, key=lambda row: float(row["peak"]))
    same = min(whole.values(), key=lambda row: abs(float(row["peak"]) - float(brightest["peak"])))
    check(abs(float(brightest["x"]) + 50 - float(same["x"])) < 0.5, brightest, same)
    check(abs(float(brightest["y"]) + 100 - float(same["y"])) < 0.5, brightest, same)
    check(abs(float(brightest["ra"]) - float(same["ra"])) < 1e-3, brightest, same)
    check(clump("convert", field + "[51:480,101:400]", "-o", part).status == 0)
    again = find_rows(folder, part)
    for a, b in zip(cropped, again):
        check(all(abs(float(a[k]) - float(b[k])) < 1e-9 for k in ("x", "y", "ra", "dec")), a, b)
    check(len(cropped) == len(again))


def find_rows(folder, *words):
    out = folder + "/found.csv"
    r = clump("find", *words, "--level", "zero", "-o", out, "-f")
    check(r.status == 0, r.err)
    with open(out) as table:
        return list(csv.DictReader(line for line in table if not line.startswith("#")))


@test
def crop_of_images_that_belong_together(folder):
    image = npy(folder + "/i.npy", [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    labels = npy(folder + "/l.npy", [[1, 1, 2], [1, 1, 2]], "<i4")
    r = clump("measure", image, "--labels", labels, "--crop", "1:,1:", "--json")
    check(r.status == 0, r.err)
    check(r.json()["table"]["sum"] == [5, 6], r.out)
    out = folder + "/o.npy"
    check(clump("arith", image, "+", image, "--crop", ":1,:", "-o", out).status == 0)
    check(read_rows(out) == [[2, 4, 6]])


def raw(*words):
    """stdout as bytes, stderr as text."""
    r = subprocess.run([cli.CLUMP, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return r.returncode, r.stdout, r.stderr.decode()


@test
def images_on_stdout(folder):
    image = npy(folder + "/i.npy", [[1.0, 5.0, 3.0]])
    status, out, err = raw("threshold", image, "--above", 2, "-o", "-")
    open(folder + "/o.npy", "wb").write(out)
    check(status == 0 and read_npy(folder + "/o.npy") == ((1, 3), [0, 1, 1]), err)
    check("count        2" in err and "wrote" not in err, err)  # figures for people
    status, out, err = raw("threshold", image, "--above", 2, "-o", "-", "--format", "png", "--quiet")
    check(status == 0 and out.startswith(b"\x89PNG") and not err, err)
    status, out, err = raw("arith", image, "-", 1, "-o", "-", "--format", "fits", "-q")
    check(status == 0 and out.startswith(b"SIMPLE") and len(out) % 2880 == 0, err)
    fails(2, ["--json", "stdout"], "threshold", image, "--above", 2, "-o", "-", "--json")
    fails(2, ["one name for 2"], "threshold", image, image, "--above", 2, "-o", "-")
    fails(2, ["--format", "npy"], "threshold", image, "--above", 2, "-o", "-", "--format", "jpg")
    fails(2, ["--format", "ending"], "threshold", image, "--above", 2, "-o", folder + "/m.npy",
          "--format", "npy")
    fails(2, ["--format", "npy"], "threshold", image, "--above", 2, "-o", "-", "--format", "np")
    fails(2, ["--format", "npy"], "threshold", image, "--above", 2, "-o", "-", "--format", "pdf")
    for ending, head in (("pdf", b"%PDF"), ("svg", b"<?xml"), ("png", b"\x89PNG")):
        status, out, err = raw("view", image, "-o", "-", "--format", ending)
        check(status == 0 and out.startswith(head) and "wrote" not in err, ending, out[:20], err)
    for word in "npy fits tif png csv ecsv vot reg pdf svg".split():
        check(word in clump("view", "--help").out.split("--format")[1].split("--force")[0], word)
    fails(2, ["--labels", "-o -"], "cells", os.path.join(DATA, "cells.png"), "--labels", "-")
    temporary = folder + "/tmp"
    os.mkdir(temporary)
    check(raw("threshold", image, "--above", 2, "-o", "-", "-q")[0] == 0)
    subprocess.run([cli.CLUMP, "threshold", image, "--above", "2", "-o", "-"],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   env={**os.environ, "TMPDIR": temporary})
    check(os.listdir(temporary) == [], os.listdir(temporary))


@test
def tables_on_stdout(folder):
    field, out = os.path.join(DATA, "field.fits"), folder + "/o.csv"
    check(clump("find", field, "-o", out, "-q").status == 0)
    status, text, err = raw("find", field, "-o", "-")
    check(status == 0 and text == open(out, "rb").read(), err)
    check("number of sources" in err, err)
    status, text, err = raw("find", field, "-o", "-", "--format", "vot", "-q")
    check(status == 0 and b"<VOTABLE" in text and not err, err)
    image = npy(folder + "/i.npy", [[0.1, 0.7], [1 / 3, 2.0]], "<f8")
    labels = npy(folder + "/l.npy", [[1, 1], [2, 2]], "<i4")
    check(clump("measure", image, "--labels", labels, "-o", out, "-f").status == 0)
    status, text, err = raw("measure", image, "--labels", labels)
    check(status == 0 and text == open(out, "rb").read(), text)  # the same digits


@test
def what_is_printed_in_part_says_so(folder):
    field, out = os.path.join(DATA, "field.fits"), os.path.join(folder, "out.csv")
    check(clump("find", field).out.endswith("\nand 14 more; -o FILE writes all\n"))
    check(clump("find", field, "-o", out).out.endswith("\nand 14 more\n"))
    check(clump("extract", field).out.endswith("\nand 292 more; -o FILE writes all\n"))
    check(" more" not in clump("find", field, "--sigmas", 20).out)
    infinite = npy(os.path.join(folder, "infinite.npy"), [[math.inf, -math.inf]])
    said = clump("stats", infinite).out
    check("mean = nan" in said and "sum = nan" in said and "-nan" not in said, said)


@test
def images_of_another_shape_or_place(folder):
    fails(1, ["stdin", "name"], "find", "-")
    fails(1, ["not rgb; --channel takes one"], "cells", DATA + "/cells.png", "--channel", "rgb")
    named = os.path.join(folder, "-")
    shutil.copy(os.path.join(DATA, "field.fits"), named)
    check(clump("info", "-", cwd=folder).status == 0, "a file may be named -")


@test
def find_json_has_the_table(folder):
    field, out = os.path.join(DATA, "field.fits"), folder + "/o.csv"
    found = clump("find", field, "-o", out, "--json").json()
    rows = list(csv.DictReader(open(out)))
    check(len(rows) == found["sources"] > 0)
    columns = [name for name in rows[0] if name != "frame"]  # of CSV, which has no place for notes
    check(list(found["table"]) == columns, found["table"].keys())
    for name, values in found["table"].items():
        check([float(row[name] or "nan") for row in rows] == values or None in values, name)


@test
def one_table_for_many_files(folder):
    field, other = os.path.join(DATA, "field.fits"), folder + "/other.npy"
    check(clump("convert", field, "--crop", "0:240,:", "-o", other).status == 0)  # without a sky
    out = folder + "/all.csv"
    r = clump("find", field, other, "-o", out, "--json")
    check(r.status == 0, r.err)
    objects = [json.loads(line) for line in r.out.splitlines()]
    rows = list(csv.DictReader(open(out)))
    check(list(rows[0])[0] == "file" and len(rows) == sum(o["sources"] for o in objects), rows[0])
    check([row["file"] for row in rows] == [field] * objects[0]["sources"] +
          [other] * objects[1]["sources"])
    check(rows[0]["ra"] and rows[-1]["ra"] in ("", "nan"), rows[-1])
    check(all(o["files"] == [out] for o in objects), objects)
    check(r.err.count("wrote " + out) == 1, r.err)
    fails(1, ["exists"], "find", field, other, "-o", out)
    r = clump("find", field, folder + "/missing.fits", "-o", out, "--force")
    check(r.status == 1 and "missing.fits" in r.err, r.err)
    check({row["file"] for row in csv.DictReader(open(out))} == {field})  # the others go on
    cells = os.path.join(DATA, "cells.png")
    again = folder + "/again.png"
    os.symlink(cells, again)
    r = clump("cells", cells, again, "--channel", "green", "-o", folder + "/c.fits",
              "--labels", folder + "/{}.tif", "-f")
    check(r.status == 0 and os.path.exists(folder + "/again.tif"), r.err)
    check(clump("find", field, other, "-o", folder + "/t-{}.csv").status == 0)  # as before
    check(os.path.exists(folder + "/t-field.csv") and os.path.exists(folder + "/t-other.csv"))


@test
def labels_for_each_input(folder):
    for name, values in (("a", [1, 0]), ("b", [1, 1])):
        npy(folder + "/%s.npy" % name, [[1.0, 2.0]])
        npy(folder + "/lab-%s.npy" % name, [values], "<i4")
    out = folder + "/o.csv"
    r = clump("measure", folder + "/a.npy", folder + "/b.npy", "--labels", folder + "/lab-{}.npy",
              "-o", out)
    check(r.status == 0, r.err)
    check([float(row["sum"]) for row in csv.DictReader(open(out))] == [1, 3], open(out).read())


PARTS = ["build", "read", "upload", "compute", "download", "write"]


@test
def time_of_every_command(folder):
    field, out = os.path.join(DATA, "field.fits"), folder + "/o.npy"
    for words in (["stats", field], ["find", field, "-o", folder + "/o.csv"],
                  ["arith", field, "+", field, "-o", out], ["compare", field, field],
                  ["primes", 100], ["threshold", field, "--above", 0.1, "-o", out, "-f"]):
        r = clump(*words, "--time", "--json")
        check(r.status == 0, words, r.err)
        times = r.json()["time"]
        check(list(times) == PARTS, words, times)
        known = [times[part] for part in PARTS if times[part] is not None]
        check(all(0 <= value < 600000 for value in known), words, times)
        check(words[0] == "primes" or times["read"] > 0, words, times)
        check("-o" not in words or times["write"] > 0, words, times)
        r = clump(*words, "--time", "-f") if "-o" in words else clump(*words, "--time")
        lines = [line for line in r.err.splitlines() if "time in ms:" in line]
        check(len(lines) == 1 and all(part in lines[0] for part in PARTS), words, r.err)
    check("time" not in clump("stats", field, "--json").json())
    r = clump("stats", field, "--time", "--json", "--device", "reference").json()
    check(r["time"]["upload"] is None and r["time"]["compute"] > 0, r["time"])
    check("time in ms" in clump("info", field, "--time").err)
    check(len(clump("devices", "--time").err.splitlines()) == 1)


def python_without(folder, name, *modules):
    """A Python that lacks these modules; without any named: all that are not its own."""
    path = os.path.join(folder, name)
    for module in modules:
        os.makedirs(path + ".d", exist_ok=True)
        with open(f"{path}.d/{module}.py", "w") as f:
            f.write("raise ImportError('left out')\n")
    with open(path, "w") as f:
        f.write("#!/bin/sh\n" + (f'PYTHONPATH={path}.d exec /usr/bin/python3 "$@"\n' if modules else
                                 'exec python3 -S "$@"\n'))
    os.chmod(path, 0o755)
    return path


@test
def bench_goes_on_without_peers(folder):
    words = ("bench", "threshold", "--size", 64, "--quick", "--seconds", 0.01, "--peers", "--python")
    page = folder + "/page.html"
    r = clump(*words, python_without(folder, "bare"), "--html", page)
    lines = [line for line in r.err.splitlines() if "wrote" not in line]
    check(r.status == 0 and os.path.getsize(page) > 1000, r.status, r.err)
    check(len(lines) == 1 and "has no NumPy" in lines[0] and "none are timed" in lines[0], r.err)
    r = clump(*words, folder + "/nowhere")
    check(r.status == 0 and len(r.err.splitlines()) == 1 and "cannot be run" in r.err, r.status, r.err)
    have = subprocess.run(["/usr/bin/python3", "-c", "import numpy, cv2"], stderr=subprocess.DEVNULL)
    if have.returncode == 0:
        r = clump(*words, python_without(folder, "no-sep", "sep", "astropy"), "--json")
        check(r.status == 0, r.err)
        check("SEP, astropy" in r.err and "the others are timed" in r.err, r.err)
        peers = {row["name"] for row in r.json()["rows"] if row["by"] == "peer"}
        check("OpenCV compare" in peers, peers)
        check("missing" not in r.json()["environment"]["peers"], r.out[:500])


@test
def chart_of_a_small_run(folder):
    def row(case, name, ratio, **more):
        return {"case": case, "name": name, "by": "peer", "main": True, "wall": {},
                "ratios": [{"device": 3, "ratio": ratio}], **more}
    run = {"devices": [{"index": 3, "platform": "A & B"}], "settings": {"size": 64},
           "environment": {"cores": 2, "cpu": "C<D", "date": "2026-01-02T03:04:05Z"},
           "cases": [{"name": name} for name in ("first", "second", "third", "none")],
           "rows": [row("second", "slow", 50), row("second", "fast", 4.5), row("first", "only", 0.5),
                    row("third", "another", 9, other=True), row("third", "also", 123)]}
    chart = os.path.join(cli.SOURCE, "bench", "chart.py")

    def draw():
        with open(folder + "/run.json", "w") as f:
            json.dump(run, f)
        return subprocess.run(["python3", chart, folder + "/run.json"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
    svg = xml.etree.ElementTree.fromstring(draw().stdout)
    texts = [e.text for e in svg.iter() if e.tag.endswith("text")]
    check([t for t in texts if "x " in t][1:] == ["0.5x only", "4.5x fast", "123x also"], texts)
    check(any("A & B on 2 cores of C<D; one run, 2026-01-02" in t for t in texts), texts)
    bars = [e.get("class") for e in svg.iter() if e.get("class") in ("bar", "slow")]
    check(bars == ["slow", "bar", "bar"], bars)
    run["rows"] = []
    bad = draw()
    check(bad.returncode == 1 and "--peers" in bad.stderr and not bad.stdout, bad.stderr)
    with open(os.path.join(cli.SOURCE, "docs/pictures/bench.svg")) as f:  # the README's
        check(xml.etree.ElementTree.fromstring(f.read()).tag.endswith("svg"))


@test
def primes_repeated(folder):
    found = clump("primes", 1000, "--repeat", 5, "--json").json()
    times = found["benchmark"]
    check(found["count"] == 168 and times["repeats"] == 5, found)
    for name in ("host", "wall"):
        check(0 < times[name]["min"] <= times[name]["median"] and times[name]["std"] >= 0, times)
    check("median" in clump("primes", 100, "--repeat", 3).out)
    nothing = clump("primes", 100, "--repeat", 3, "--device", "reference", "--json").json()
    check(nothing["benchmark"]["device"]["min"] is None, nothing)


@test
def kernels_in_pixels(folder):
    point = npy(folder + "/p.npy", [[0.0] * 10 + [1.0] + [0.0] * 10 if r == 10 else [0.0] * 21
                                   for r in range(21)], "<f8")
    out = folder + "/out.npy"

    def weights(kernel, *options):
        r = clump("convolve", point, "--kernel", kernel, "--mode", "same", "-o", out, "-f", *options)
        check(r.status == 0, kernel, r.err)
        return read_rows(out)

    half = weights("gauss:4px")  # half of the peak at half the width
    check(abs(half[10][10] - 1) < 1e-12 and abs(half[10][12] - 0.5) < 1e-12, half[10])
    sigma = 4 / math.sqrt(8 * math.log(2))
    reach = int(4 * sigma + 0.5)
    check(half[10][10 + reach] > 0 and half[10][11 + reach] == 0, reach, half[10])
    two = weights("gauss:15,2px")
    check(abs(two[12][10] - math.exp(-0.5)) < 1e-12 and two[10][18] == 0, two[10])
    lesson = weights("gauss:15,1")
    check(abs(lesson[10][17] - math.exp(-2)) < 1e-12, lesson[10])  # -2..2 whatever the size
    whole = weights("gauss:4px", "--normalize")
    check(abs(sum(map(sum, whole)) - 1) < 1e-12)
    for wrong in ("gauss:0px", "gauss:-1px", "gauss:3.5", "gauss:15,1pixel", "gauss:9999px"):
        fails(2, ["--kernel", "FWHMpx"], "convolve", point, "--kernel", wrong, "-o", out)


@test
def a_line_has_no_boundary(folder):
    """numpy.convolve knows no other border than zeros."""
    line = npy(folder + "/line.npy", [[1.0, 2.0, 3.0]], flat=True)
    weights = npy(folder + "/w.npy", [[1.0, 1.0]], flat=True)
    for words in (["--boundary", "wrap"], ["--fill-value", "2"]):
        cli.fails(1, ["one axis", words[0]], "convolve", line, "--kernel", weights, "-o",
                  folder + "/out.npy", *words)
    check(clump("convolve", line, "--kernel", weights, "-o", folder + "/out.npy").status == 0)


if __name__ == "__main__":
    cli.main()
