#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The command as a person or a script meets it: help, mistakes, exit statuses, JSON, pipes.

usage: cli.py CLUMP SOURCE_DIR      (prints TAP; CLUMP_DEVICE is respected)
"""
import csv
import json
import math
import os
import pty
import re
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time

CLUMP, SOURCE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
DATA = os.path.join(SOURCE, "data")
TESTS = []


def test(function):
    TESTS.append(function)
    return function


class Result:
    def __init__(self, process):
        self.status = process.returncode
        self.out = process.stdout.decode("utf-8", "replace")
        self.err = process.stderr.decode("utf-8", "replace")

    def json(self):
        return json.loads(self.out)


def clump(*args, **kwargs):
    return Result(subprocess.run([CLUMP, *map(str, args)], stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, timeout=300, **kwargs))


def check(condition, *said):
    if not condition:
        raise AssertionError(" ".join(str(s) for s in said))


def fails(status, words, *args, **kwargs):
    """The command ends with `status` and one line on stderr that has all of `words` in it."""
    r = clump(*args, **kwargs)
    check(r.status == status, args, "status", r.status, "not", status, r.err)
    lines = r.err.strip().splitlines()
    check(len(lines) == 1, args, "printed", len(lines), "lines:", r.err)
    for word in words:
        check(word in lines[0], args, "does not say", repr(word), "in", lines[0])
    return r


def npy(path, rows, code="<f4", flat=False):
    """An array of rows; flat: of one dimension, its only row."""
    kind = {"<f4": "f", "<f8": "d", "|u1": "B", "<i4": "i", "<u2": "H"}[code]
    shape = "(%d,)" % len(rows[0]) if flat else "(%d, %d)" % (len(rows), len(rows[0]))
    header = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (code, shape)
    header += " " * (63 - (len(header) + 10) % 64) + "\n"
    with open(path, "wb") as f:
        f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        for row in rows:
            f.write(struct.pack("<%d%s" % (len(row), kind), *row))
    return path


def read_npy(path):
    with open(path, "rb") as f:
        raw = f.read()
    size = struct.unpack("<H", raw[8:10])[0]
    header = eval(raw[10:10 + size].decode(), {"__builtins__": {}})
    kind = {"<f4": "f", "<f8": "d", "|u1": "B", "<i4": "i", "<u2": "H"}[header["descr"]]
    count = 1
    for n in header["shape"]:
        count *= n
    return header["shape"], list(struct.unpack("<%d%s" % (count, kind), raw[10 + size:]))


def read_rows(path):
    (rows, cols), values = read_npy(path)
    return [values[r * cols:(r + 1) * cols] for r in range(rows)]


def commands():
    text = clump("--help").out
    block = text[text.index("commands:"):text.index("options of every command")]
    return re.findall(r"^  ([a-z0-9]+) ", block, re.M)


@test
def help_of_every_command(folder):
    check(len(commands()) >= 5, commands())
    for name in commands():
        r = clump(name, "--help")
        check(r.status == 0 and not r.err, name, r.err)
        check(r.out.startswith("usage: clump " + name), name)
        check("--device" in r.out and "--json" in r.out and "examples:" in r.out, name)
        for line in r.out.splitlines():
            check(len(line) <= 100, name, "help is too wide:", line)


@test
def help_other_ways(folder):
    check(clump("help", "threshold").out == clump("threshold", "-h").out)
    check(clump("--help", "threshold").out == clump("threshold", "--help").out)
    check(clump("threshold", "--version").out == clump("--version").out)
    check(re.fullmatch(r"clump \d+\.\d+\.\d+\n", clump("--version").out))


@test
def examples_in_help_parse(folder):
    """Every example of every help uses only options that exist (no such file is the worst)."""
    for name in commands():
        text = clump(name, "--help").out.split("examples:\n")[1]
        for line in re.sub(r"\\\n *", "", text).strip().splitlines():
            words = line.split("|")[0].replace("'", "").split()
            check(words[:2] == ["clump", name], line)
            known = clump(name, "--help").out
            for option in re.findall(r" (--[a-z0-9-]+)", " " + " ".join(words)):
                check(re.search(r"%s\b" % option, known.split("examples:")[0]), line, option)


@test
def manual_has_every_option(folder):
    page = open(os.path.join(SOURCE, "docs", "clump.1"), encoding="utf-8").read()
    for name in commands():
        check(re.search(r"^\.Ss clump %s\b" % name, page, re.M),
              "docs/clump.1 does not describe", name)
        text = clump(name, "--help").out.split("examples:")[0]
        for option in re.findall(r"^  (?:-., |    )--([a-z0-9-]+)", text, re.M):
            check(re.search(r"Fl -%s\b" % option.replace("-", "(?:-|\\\\-)"), page),
                  "docs/clump.1 does not describe --" + option, "of", name)


@test
def unknown_words(folder):
    fails(2, ["no command"], )
    fails(2, ["unknown command", "did you mean threshold"], "treshold")
    fails(2, ["unknown command"], "zzzzzzzz")
    fails(2, ["unknown option", "did you mean --above"], "threshold", "--abowe", "3", "x.fits")
    fails(2, ["unknown option"], "threshold", "-Z", "x.fits")
    fails(2, ["unknown option", "--zzzzzzzz"], "devices", "--zzzzzzzz")


@test
def missing_and_wrong_values(folder):
    fails(2, ["--above", "value"], "threshold", "x.fits", "--above")
    fails(2, ["-o", "value"], "convert", "x.fits", "-o")
    fails(2, ["--above", "number", "abc"], "threshold", "x.fits", "--above", "abc")
    fails(2, ["--above", "number", "nan"], "threshold", "x.fits", "--above", "nan")
    fails(2, ["--above", "number", "1e999"], "threshold", "x.fits", "--above=1e999")
    fails(2, ["--low", "number", "3x"], "threshold", "x.fits", "--high", "5", "--low", "3x")
    fails(2, ["--connectivity", "4|8", "5"], "threshold", "x.fits", "--above", "1",
          "--connectivity", "5")
    fails(2, ["--plane", "whole number", "-1"], "info", "x.fits", "--plane", "-1")
    fails(2, ["--channel", "red", "pink"], "info", "x.fits", "--channel", "pink")
    fails(2, ["--json", "no value"], "info", "x.fits", "--json=1")
    fails(2, ["--type", "float128"], "convert", "x.fits", "-o", "y.npy", "--type", "float128")
    fails(2, ["N", "whole number", "1e4"], "primes", "1e4")
    fails(2, ["N", "99999999999999999999"], "primes", "99999999999999999999")
    fails(2, ["N", "2147483648"], "primes", "4000000000")


@test
def missing_operands(folder):
    fails(2, ["FILE"], "threshold", "--above", "3")
    fails(2, ["FILE"], "info")
    fails(2, ["N"], "primes")
    fails(2, ["one too many", "b"], "primes", "5", "b")
    fails(2, ["--above"], "threshold", "x.fits")
    fails(2, ["-o"], "convert", "x.fits")
    fails(2, ["{}"], "convert", "a.fits", "b.fits", "-o", "c.fits")


@test
def bad_files(folder):
    fails(1, ["nothere.fits"], "info", "nothere.fits", cwd=folder)
    fails(1, [folder], "info", folder)
    fails(1, [folder], "threshold", folder, "--above", "1")
    path = os.path.join(folder, "text.fits")
    with open(path, "w", encoding="ascii") as f:
        f.write("this is no image\n")
    fails(1, ["text.fits"], "info", path)
    path = os.path.join(folder, "empty.npy")
    open(path, "w").close()
    fails(1, ["empty.npy"], "info", path)
    if os.getuid():
        path = npy(os.path.join(folder, "secret.npy"), [[1]])
        os.chmod(path, 0)
        fails(1, ["secret.npy", "ermission"], "info", path)


def fits_header(*cards):
    lines = ["SIMPLE  =                    T", *("%-8s= %20s" % c for c in cards), "END"]
    return "".join(line.ljust(80) for line in lines).ljust(2880).encode()


@test
def broken_fits_files(folder):
    path = os.path.join(folder, "x.fits")
    with open(os.path.join(DATA, "field.fits"), "rb") as f:
        whole = f.read()
    header = fits_header(("BITPIX", -32), ("NAXIS", 2), ("NAXIS1", 10**12), ("NAXIS2", 10**12))
    for what, text in {
            "cut in the header": whole[:1000], "cut after the header": whole[:2880 * 2],
            "cut in the pixels": whole[:len(whole) // 2], "empty": b"",
            "absurd axes": header + b"\0" * 2880,
            "zero axis": fits_header(("BITPIX", -32), ("NAXIS", 2), ("NAXIS1", 0), ("NAXIS2", 5)),
            "negative axis": fits_header(("BITPIX", 16), ("NAXIS", 2), ("NAXIS1", -3),
                                         ("NAXIS2", 5)),
            "no image": fits_header(("BITPIX", 8), ("NAXIS", 0)),
            "strange BITPIX": fits_header(("BITPIX", 17), ("NAXIS", 2), ("NAXIS1", 3),
                                          ("NAXIS2", 3)) + b"\0" * 2880}.items():
        with open(path, "wb") as f:
            f.write(text)
        for command in (["find"], ["threshold", "--above", "1"]):
            r = clump(command[0], path, *command[1:])
            check(r.status == 1 and len(r.err.strip().splitlines()) == 1 and "x.fits" in r.err,
                  what, r.status, r.err)


@test
def no_room_for_the_output(folder):
    def little_room():
        resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
    for ending in ("fits", "npy", "tif"):
        out = os.path.join(folder, "out." + ending)
        fails(1, ["out." + ending], "convert", DATA + "/field.fits", "--device", "reference", "-o",
              out, preexec_fn=little_room)
    fails(1, ["out.png"], "convert", DATA + "/cells.png", "--device", "reference", "-o",
          folder + "/out.png", preexec_fn=little_room)
    fails(1, ["out.reg"], "find", DATA + "/field.fits", "--regions", folder + "/out.reg",
          "--sigmas", "0", "--device", "reference", preexec_fn=little_room)
    check(os.listdir(folder) == [], os.listdir(folder))


@test
def bad_devices(folder):
    fails(1, ["no-such-device"], "primes", "10", "--device", "no-such-device")
    fails(1, ["99"], "primes", "10", "--device", "99")
    fails(1, ["no-such-device"], "devices", "--device", "no-such-device")
    r = clump("primes", "100", "--quiet", env={**os.environ, "CLUMP_DEVICE": "reference"})
    check(r.status == 0 and r.out == "25 primes below 100\n", r.out, r.err)


@test
def no_opencl_at_all(folder):
    env = {k: v for k, v in os.environ.items() if k != "CLUMP_DEVICE"}
    env["OCL_ICD_VENDORS"] = folder
    r = clump("primes", "10", env=env)
    check(r.status == 1 and "reference" in r.err, r.status, r.err)
    check(clump("primes", "10", "--device", "reference", env=env).status == 0)
    r = clump("devices", env=env)
    check(r.status == 0 and "reference" in r.out and "no default" in r.out, r.out, r.err)
    check(clump("devices", "--json", env=env).json()["device"] is None)
    r = clump("devices", "--check", env=env)
    check(r.status == 1 and "nothing was checked" in r.err, r.status, r.err)


@test
def devices_as_text_and_json(folder):
    r = clump("devices")
    check(r.status == 0, r.err)
    for line in r.out.splitlines():
        check(len(line) <= 100, line)
    d = clump("devices", "--json").json()
    check(d["file"] is None and d["device"] and d["why"], d)
    check(d["devices"][-1]["type"] == "reference", d["devices"][-1])
    check(sum(x["default"] for x in d["devices"]) == 1, d)
    for key in "index name vendor platform driver type units memory max_buffer fp64".split():
        check(key in d["devices"][0], key)


@test
def a_check_that_checks_nothing_fails(folder):
    fails(1, ["nothing was checked", "reference"], "devices", "--check", "--device", "reference")


def has_opencl():
    return clump("devices", "--json").json()["devices"][0]["type"] != "reference"


@test
def a_check_tells_each_operation_when_it_is_done(folder):
    if not has_opencl():
        return
    p = subprocess.Popen([CLUMP, "devices", "--check", "--device", "0"], stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL)
    try:
        for line in p.stdout:
            if b" cases " in line:
                break
        time.sleep(0.05)
        check(b" cases " in line and p.poll() is None, "a pipe gets nothing before the end:", line)
        check(b"agrees" in line, line)
    finally:
        p.terminate()
        p.communicate()


@test
def a_check_is_silent_where_all_is_right(folder):
    """Pairs whose operation must refuse its input print nothing of that, nor does anything else."""
    if not has_opencl():
        return
    r = clump("devices", "--check", "--device", "0", "--json")
    check(r.status == 0 and not r.err, r.status, r.err)
    done = {each["name"]: each for each in r.json()["devices"][0]["check"]}
    check("measure_negative" in done and len(done) > 50, done.keys())
    check(all(each["cases"] > 0 and not each["differing"] for each in done.values()), done)
    # Kernels take time to build: one size of transform, few types, one in variants.
    check(done["convolve_fft"]["cases"] == 2, done["convolve_fft"])
    check(done["convert"]["cases"] == 4 * done["clip_full"]["cases"], done["convert"])
    check(done["measure"]["cases"] == 2 * done["measure_bits"]["cases"], done["measure"])


@test
def a_first_start_builds_few_programs(folder):
    """A first run builds at most so many programs, and a second run none."""
    if not has_opencl():
        return
    for words, most in ((("find", os.path.join(DATA, "field.fits")), 6),
                        (("cells", os.path.join(DATA, "cells.png")), 9)):
        cache = os.path.join(folder, words[0])
        env = {**os.environ, "XDG_CACHE_HOME": cache, "CLUMP_DEVICE": "0"}

        def programs():
            return sorted(f for f in os.listdir(os.path.join(cache, "clump")) if f[-4:] == ".bin")
        first = clump(*words, env=env)
        built = programs()
        check(first.status == 0 and not first.err, words, first.err)
        check(0 < len(built) <= most, words, "built", len(built), "programs, not", most)
        second = clump(*words, "-v", "-v", env=env)
        check(second.out == first.out, words, "differs when the kernels are there")
        check(": built in" not in second.err, words, second.err)
        check(programs() == built, words, "built more the second time")


@test
def primes_counted_and_listed(folder):
    d = clump("primes", "10000", "--json", "-q").json()
    check(d["count"] == 1229 and d["file"] is None and d["device"] and d["time_ms"] > 0, d)
    check(clump("primes", "30", "--list", "-q").out.split() ==
          "2 3 5 7 11 13 17 19 23 29".split())
    check(clump("primes", "30", "--list", "--json").json()["primes"][-1] == 29)
    for n, count in (("0", 0), ("1", 0), ("2", 0), ("3", 1)):
        check(clump("primes", n, "--json").json()["count"] == count, n)


@test
def threshold_of_an_array(folder):
    nan = float("nan")
    path = npy(os.path.join(folder, "a.npy"), [[0, 1, 2], [3, nan, 5]])
    mask = os.path.join(folder, "mask.npy")
    d = clump("threshold", path, "--above", "1", "-o", mask, "--json").json()
    check(d["count"] == 3 and d["threshold"] == 1 and d["file"] == path and d["device"], d)
    check(d["files"] == [mask], d)
    check(read_npy(mask) == ((2, 3), [0, 0, 1, 1, 0, 1]), read_npy(mask))
    r = clump("threshold", path, "--above=-1", "-q")
    check(r.status == 0 and re.search(r"^count +5$", r.out, re.M), r.out, r.err)
    d = clump("threshold", path, "--high", "4", "--low", "0", "--connectivity", "8",
              "--json").json()
    check(d["count"] == 4, d)
    fails(1, ["low"], "threshold", path, "--high", "1", "--low", "2")


@test
def stats_and_clip_of_an_array(folder):
    nan = float("nan")
    path = npy(os.path.join(folder, "a.npy"),
               [[1, 2, 3, 4, 5], [2, 3, 4, 3, 1000], [3, nan, 3, 3, 3]])
    d = clump("stats", path, "--kappa", "2", "--quantiles", "0,0.25,1", "--json").json()
    before, after, clip = d["before"], d["after"], d["clip"]
    check(before["count"] == 14 and before["blank"] == 1 and before["sum"] == 1039, before)
    check(before["min"] == 1 and before["max"] == 1000 and before["median"] == 3, before)
    check(before["mad"] == 0.5 and d["quantiles"] == [1, 3, 1000], d)
    check(after["count"] == 11 and after["sum"] == 33 and after["max"] == 4, after)
    check(clip["kept"] == 11 and clip["converged"] and clip["iterations"] == 3, clip)
    mask, kept = os.path.join(folder, "mask.npy"), os.path.join(folder, "kept.npy")
    d = clump("clip", path, "--kappa", "2", "--iterations", "1", "-o", mask, "--kept", kept,
              "--json").json()
    check(d["clip"]["iterations"] == 1 and not d["clip"]["converged"], d)
    check(d["files"] == [mask, kept], d)
    check(read_npy(mask)[1] == [1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 0, 1, 1, 1], read_npy(mask))
    check(read_npy(kept) == ((1, 13), [1, 2, 3, 4, 5, 2, 3, 4, 3, 3, 3, 3, 3]), read_npy(kept))
    r = clump("stats", path)
    check("blank" in r.out and "median = 3.000e+00" in r.out, r.out)
    fails(2, ["quantile", "1.5"], "stats", path, "--quantiles", "0.5,1.5")
    fails(2, ["kappa"], "clip", path, "--kappa", "0")


@test
def otsu_of_an_array(folder):
    path = npy(os.path.join(folder, "a.npy"), [[1, 2, 1, 2], [10, 11, 10, 11]])
    mask = os.path.join(folder, "mask.npy")
    for device in ("cpu", "reference"):
        d = clump("otsu", path, "-o", mask, "--force", "--json", "--device", device).json()
        # skimage.filters.threshold_otsu(numpy.float32(...)) of the same
        check(d["threshold"] == 1.99609375, d)
        check(read_npy(mask)[1] == [0, 1, 0, 1, 1, 1, 1, 1], read_npy(mask))
    blank = npy(os.path.join(folder, "b.npy"), [[float("nan")]])
    fails(1, ["otsu", "blank"], "otsu", blank)


@test
def convolution_of_an_array(folder):
    point, out, kernel = folder + "/point.npy", folder + "/out.npy", folder + "/kernel.npy"
    npy(point, [[float(r == 2 and c == 3) for c in range(7)] for r in range(5)], "<f8")
    r = clump("convolve", point, "--kernel", "gauss:5,0.5", "-o", out, "--json")
    check(r.status == 0, r.err)
    check(r.json()["rows"] == 9 and r.json()["cols"] == 11, r.out)
    rows = read_rows(out)
    for y in range(9):  # 5 points from -2 to 2: whole steps
        for x in range(11):
            inside = 2 <= y <= 6 and 3 <= x <= 7
            wanted = math.exp(-((y - 4) ** 2 + (x - 5) ** 2) / (2 * 0.5 ** 2)) if inside else 0
            check(abs(rows[y][x] - wanted) < 1e-15, y, x, rows[y][x], wanted)
    npy(kernel, [[1, 2, 3], [4, 5, 6]], "<f4")  # the kernel is turned: it lies there as it is
    r = clump("convolve", point, "--kernel", kernel, "--mode", "same", "-o", out, "--force")
    check(r.status == 0, r.err)
    rows = read_rows(out)
    check([rows[y][x] for y in (2, 3) for x in (2, 3, 4)] == [1, 2, 3, 4, 5, 6], rows)
    r = clump("convolve", point, "-k", "disk:1", "--normalize", "-m", "same", "-o", out, "-f")
    check(r.status == 0 and abs(read_rows(out)[1][3] - 0.2) < 1e-15, r.err)
    npy(point, [[1, 2, 4]], "<f8", flat=True)
    r = clump("convolve", point, "--kernel", "box:2", "-o", out, "--force")
    check(r.status == 0 and read_npy(out)[1] == [1, 3, 6, 4], r.err, read_npy(out))
    npy(point, [[1, 2, 4]], "<f8")  # an image of one row has two dimensions, as in convolve2d
    r = clump("convolve", point, "--kernel", "box:2", "-o", out, "--force")
    check(r.status == 0 and read_rows(out) == 2 * [[1, 3, 6, 4]], r.err, read_rows(out))
    npy(kernel, [[1, 1, 1]], "<f4")
    for boundary, wanted in ("fill", [3, 7, 6]), ("symm", [4, 7, 10]), ("wrap", [7, 7, 7]):
        r = clump("convolve", point, "-k", kernel, "-m", "same", "-b", boundary, "-o", out, "-f")
        check(r.status == 0 and read_rows(out) == [wanted], boundary, r.err, read_rows(out))
    fails(2, ["--kernel", "gauss:"], "convolve", point, "--kernel", "gauss:0", "-o", out)
    fails(2, ["--kernel", "disk:"], "convolve", point, "--kernel", "disk:x", "-o", out)
    fails(2, ["-o"], "convolve", point, "--kernel", "box:3")
    fails(1, ["none.npy", "opened"], "convolve", point, "-k", folder + "/none.npy", "-o", out, "-f")
    npy(kernel, [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "<f4")
    if "reference" not in os.environ.get("CLUMP_DEVICE", ""):
        fails(1, ["not separable", "use the method"], "convolve", point, "--kernel", kernel,
              "--method", "separable", "-o", out, "-f")
        npy(kernel, [[1]] + [[0]] * 15, "<f4")
        fails(1, ["folded", "times as much", "use the method"], "convolve", point, "--kernel",
              kernel, "--method", "folded", "-o", out, "-f")
    npy(kernel, [[1] * 16] * 9, "<f4")
    r = clump("convolve", point, "-k", kernel, "--method", "folded", "-o", out, "-f")
    check(r.status == 0 and read_rows(out)[8][2] == 7, r.err)


def fits_card(path, key):
    with open(path, "rb") as file:
        for card in iter(lambda: file.read(80), b""):
            if card[:8].decode().strip() == key:
                return float(card[10:].split(b"/")[0])
    return None


@test
def convolution_moves_the_sky_along(folder):
    field, out, shape = os.path.join(DATA, "field.fits"), folder + "/out.fits", "box:4"
    pixels = {}
    for mode in ("full", "same", "valid"):
        r = clump("convolve", field, "-k", shape, "-m", mode, "-o", folder + f"/{mode}.npy")
        check(r.status == 0, r.err)
        pixels[mode] = read_rows(folder + f"/{mode}.npy")
    for mode in ("full", "valid"):
        r = clump("convolve", field, "-k", shape, "-m", mode, "-o", out, "-f")
        check(r.status == 0, r.err)
        right = round(fits_card(out, "CRPIX1") - fits_card(field, "CRPIX1"))
        down = round(fits_card(out, "CRPIX2") - fits_card(field, "CRPIX2"))
        check(right == down == (1 if mode == "full" else -2), mode, right, down)
        for y, x in ((30, 40), (31, 77)):
            here, there = pixels["same"][y][x], pixels[mode][y + down][x + right]
            check(abs(here - there) < 1e-5 * abs(here), mode, here, there)


@test
def blur_of_an_array(folder):
    point, out = folder + "/point.npy", folder + "/out.npy"
    npy(point, [[float(r == 8 and c == 8) for c in range(17)] for r in range(17)], "<f8")
    r = clump("gaussian", point, "--sigma", "1.5", "-o", out, "--json")
    check(r.status == 0 and r.json()["rows"] == 17, r.err)
    weights = [math.exp(-x * x / (2 * 1.5 ** 2)) for x in range(-6, 7)]
    rows, total = read_rows(out), sum(weights) ** 2
    check(abs(rows[8][10] - weights[8] * weights[6] / total) < 1e-16, rows[8][10])
    check(abs(sum(map(sum, rows)) - 1) < 1e-14)
    r = clump("gaussian", point, "--sigma", "0,2", "--boundary", "constant", "-o", out, "--force")
    rows = read_rows(out)
    check(r.status == 0 and rows[7] == [0] * 17 and rows[8][0] > 0, r.err)
    fails(2, ["--sigma"], "gaussian", point, "--sigma", "1,2,3", "-o", out)
    fails(1, ["sigma"], "gaussian", point, "--sigma", "-1", "-o", out, "-f")


@test
def the_bits_do_not_depend_on_threads(folder):
    """One thread of POCL and three give the same bits. (Other drivers ignore the variable.)"""
    image = npy(folder + "/image.npy", [[math.sin(r * 7.1 + c * c) for c in range(200)]
                                        for r in range(90)])
    npy(folder + "/kernel.npy", [[math.cos(r * 5 + c * 3.3 + r * c) for c in range(11)]
                                 for r in range(12)])
    for words in (["convolve", image, "-k", folder + "/kernel.npy"],
                  ["convolve", image, "-k", "gauss:9"], ["gaussian", image, "--sigma", "3"]):
        results = []
        for threads in "1", "3":
            out = "%s/%s.npy" % (folder, threads)
            r = clump(*words, "-o", out, "-f", env=dict(os.environ, POCL_MAX_PTHREAD_COUNT=threads))
            check(r.status == 0, r.err)
            results.append(read_npy(out))
        check(results[0] == results[1], words)


@test
def json_has_all_digits(folder):
    path = npy(os.path.join(folder, "a.npy"), [[0, 1]])
    text = clump("threshold", path, "--above", "0.1", "--json").out
    check("0.10000000000000001" in text, text)


@test
def existing_files_are_kept(folder):
    path = npy(os.path.join(folder, "a.npy"), [[0, 1]])
    out = npy(os.path.join(folder, "b.npy"), [[7, 7, 7]])
    before = open(out, "rb").read()
    fails(1, ["b.npy", "--force"], "convert", path, "-o", out)
    check(open(out, "rb").read() == before)
    check(clump("convert", path, "-o", out, "--force").status == 0)
    check(read_npy(out)[1] == [0, 1])


@test
def messages_name_options_and_types(folder):
    """The library names its parameters, the command its options."""
    path = npy(os.path.join(folder, "a.npy"), [[0, 1]])
    header = "{'descr': '<u8', 'fortran_order': False, 'shape': (1, 2), }"
    large = os.path.join(folder, "large.npy")
    with open(large, "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header) + 1) + header.encode() +
                  b"\n" + struct.pack("<2Q", 1, 1 << 63))
    for words in (["convert", path, "-o", path],
                  ["measure", path, "--labels", path, "-o", path + ".csv"]):
        open(path + ".csv", "w").close()
        r = fails(1, ["--force"], *words)
        check("params" not in r.err, r.err)
    r = fails(1, ["large.npy", "--float32"], "stats", large)
    check("params" not in r.err, r.err)
    r = fails(1, ["--float32"], "stats", large, "--device", "reference")
    check(clump("stats", large, "--float32").status == 0)


def cube(path, planes, code="<i8"):
    header = "{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d, %d), }" % (
        code, len(planes), len(planes[0]), len(planes[0][0]))
    with open(path, "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header) + 1) + header.encode() +
                  b"\n" + b"".join(struct.pack("<q", v) for p in planes for r in p for v in r))
    return path


@test
def labels_of_any_number_and_plane(folder):
    """Labels take the picture's plane where they have planes, or one of their own."""
    picture = npy(os.path.join(folder, "a.npy"), [[1, 2, 3], [4, 5, 6]])
    far = [100000000, 4294967295, 9223372036854775807]
    labels = cube(os.path.join(folder, "l.npy"), [[[1, 0, 0], [0, 0, 0]], [far, [0, 0, far[0]]]])
    stack = cube(os.path.join(folder, "s.npy"), [[[9, 9, 9], [9, 9, 9]], [[1, 2, 3], [4, 5, 6]]])
    for device in ("cpu", "reference"):
        for words in ([picture, "--labels-plane", "1"], [stack, "--plane", "1"]):
            t = clump("measure", *words, "--labels", labels, "--json", "--device",
                      device).json()["table"]
            check(t["label"] == far and t["area"] == [2, 1, 1] and t["sum"] == [7, 2, 3], t)
        t = clump("measure", stack, "--plane", "1", "--labels-plane", "0", "--labels", labels,
                  "--json", "--device", device).json()["table"]
        check(t["label"] == [1] and t["sum"] == [1], t)
        fails(1, ["l.npy", "plane 2"], "measure", picture, "--labels", labels, "--labels-plane", "2",
              "--device", device)
    out = os.path.join(folder, "o.png")
    seen = []
    for words in (["--plane", "1"], ["--labels-plane", "1"], ["--labels-plane", "0"]):
        check(clump("label2rgb", labels, *words, "-o", out, "-f").status == 0)
        seen.append(open(out, "rb").read())
    check(seen[0] == seen[1] != seen[2])
    floats = npy(os.path.join(folder, "f.npy"), [[1.5, 2.5, 0], [0, 0, 0]])
    fails(1, ["1.5", "row 0, column 0", "not a whole number"], "measure", picture, "--labels", floats)


@test
def outputs_that_cannot_be(folder):
    path = npy(os.path.join(folder, "a.npy"), [[0, 1]])
    fails(1, ["a.jpeg"], "convert", path, "-o", os.path.join(folder, "a.jpeg"))
    fails(1, ["nowhere"], "convert", path, "-o", os.path.join(folder, "nowhere", "x.npy"))
    fails(1, [folder], "convert", path, "-o", folder)
    check(sorted(os.listdir(folder)) == ["a.npy"], os.listdir(folder))


@test
def conversion_between_types_and_formats(folder):
    path = npy(os.path.join(folder, "a.npy"), [[0.5, 1.5], [-3, 300]])
    out = os.path.join(folder, "b.npy")
    check(clump("convert", path, "--type", "u8", "-o", out, "-q").status == 0)
    check(read_npy(out) == ((2, 2), [0, 2, 0, 255]), read_npy(out))
    fits = os.path.join(folder, "c.fits")
    check(clump("convert", path, "--type=float32", "-o", fits, "-q").status == 0)
    check(clump("convert", fits, "-o", out, "-fq").status == 0)
    check(read_npy(out) == ((2, 2), [0.5, 1.5, -3, 300]), read_npy(out))


@test
def many_files_with_a_bad_one(folder):
    good = [npy(os.path.join(folder, n), [[0, 1, 2]]) for n in ("a.npy", "c.npy")]
    bad = os.path.join(folder, "b.npy")
    with open(bad, "wb") as f:
        f.write(b"\x93NUMPY broken")
    out = os.path.join(folder, "{}.mask.npy")
    r = clump("threshold", good[0], bad, good[1], "--above", "0", "--json", "-o", out)
    check(r.status == 1, r.status)
    objects = [json.loads(line) for line in r.out.splitlines()]
    check([o["file"] for o in objects] == good, objects)
    check("b.npy" in r.err, r.err)
    check(sorted(os.listdir(folder)) == ["a.mask.npy", "a.npy", "b.npy", "c.mask.npy", "c.npy"])


@test
def names_that_are_odd(folder):
    path = npy(os.path.join(folder, "-a b\u00e9.npy"), [[0, 1]])
    d = clump("threshold", "--above", "0", "--json", "--", os.path.basename(path), cwd=folder)
    check(d.status == 0 and d.json()["count"] == 1, d.err)
    raw = os.path.join(folder.encode(), b"\xff.npy")
    os.rename(path, raw)
    p = subprocess.run([CLUMP.encode(), b"threshold", b"--above", b"0", b"--json", raw],
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    check(p.returncode == 0 and json.loads(p.stdout)["file"].endswith("?.npy"), p.stderr)


@test
def nothing_not_finite_in_json(folder):
    path = npy(os.path.join(folder, "a.npy"), [[0, 1]])
    r = clump("threshold", path, "--above", "inf", "--json")
    check(r.status == 0 and r.json()["threshold"] is None, r.out, r.err)


def golden(name):
    with open(os.path.join(SOURCE, "tests", "golden", "pipelines.json"), encoding="ascii") as f:
        return json.load(f)[name]


def columns(path):
    with open(path, newline="", encoding="ascii") as f:
        rows = list(csv.DictReader(f))
    return {name: [float(row[name]) for row in rows] for name in rows[0] if name != "frame"}


def near(what, got, wanted, tolerance):
    check(len(got) == len(wanted), what, len(got), "values, not", len(wanted))
    for i, (a, b) in enumerate(zip(got, wanted)):
        check(abs(a - b) <= tolerance * max(1, abs(b)), what, "of", i + 1, "is", a, "not", b)


def compare_find(folder, words, device):
    want = golden(" ".join(["find", *words]))
    out = os.path.join(folder, "sources.csv")
    r = clump("find", os.path.join(DATA, "field.fits"), *words, *device, "--json", "-q", "-f",
              "--sort", "id", "-o", out)
    check(r.status == 0, r.err)
    d = r.json()
    check(d["sources"] == want["sources"] and d["clip"]["kept"] == want["kept"], d)
    near("threshold", [d["threshold"]], [want["threshold"]], 1e-14)
    for key, value in want["after"].items():
        near("after " + key, [d["after"][key]], [value], 1e-14)
    table = columns(out)
    check(table["id"] == list(range(1, want["sources"] + 1)))
    check(table["npix"] == want["npix"])
    for name, tolerance in (("peak", 0), ("flux", 1e-12), ("x", 1e-11), ("y", 1e-11), ("ra", 1e-11),
                            ("dec", 1e-11)):
        near(name, table[name], want[name], tolerance)


@test
def find_agrees_with_scipy(folder):
    for device in ([], ["--device", "reference"]):
        compare_find(folder, [], device)
        compare_find(folder, ["--raw"], device)
        compare_find(folder, ["--level", "zero", "--connectivity", "8"], device)


@test
def find_prints_and_writes(folder):
    out = {e: os.path.join(folder, "s." + e) for e in ("fits", "csv", "ecsv", "vot", "reg")}
    for ending in ("fits", "ecsv", "vot"):
        check(clump("find", DATA + "/field.fits", "-qo", out[ending]).status == 0, ending)
    r = clump("find", DATA + "/field.fits", "-o", out["csv"], "--regions", out["reg"],
              "--segmentation", os.path.join(folder, "labels.npy"), "--overlay", folder + "/s.png")
    check(r.status == 0, r.err)
    check("The number of sources in the image at the 5 sigma level is 24." in r.out, r.out)
    check(re.search(r"^before: mean = .*, median = .*, stddev = .*, maximum = ", r.out, re.M),
          r.out)
    table = columns(out["csv"])
    check(table["flux"] == sorted(table["flux"], reverse=True))
    check(sorted(table["id"]) == list(range(1, 25)))
    check(max(read_npy(os.path.join(folder, "labels.npy"))[1]) == 24)
    check(open(out["reg"], encoding="ascii").read().count("ellipse(") == 24)
    d = clump("info", folder + "/s.png", "--json").json()
    check(d["channels"] == 3 and d["rows"] > 480 and d["cols"] > 480, d)
    for ending in out:
        check(os.path.getsize(out[ending]) > 1000, ending)


@test
def find_against_the_truth(folder):
    out = os.path.join(folder, "s.csv")
    check(clump("find", DATA + "/field.fits", "-qo", out).status == 0)
    found = columns(out)
    with open(DATA + "/field.csv", newline="", encoding="ascii") as f:
        truth = list(csv.DictReader(f))
    check(len(truth) == len(found["id"]), len(truth), len(found["id"]))
    for source in truth:
        far = [math.hypot(float(source["x"]) - x, float(source["y"]) - y)
               for x, y in zip(found["x"], found["y"])]
        best = far.index(min(far))
        check(far[best] < 0.8, source, "is", far[best], "pixels from what was found")
        # Pixels below 5 sigma are lost: the fainter, the more.
        share = found["flux"][best] / float(source["flux"])
        check(0.3 < share < 1.1, source, "has", share, "of its flux")


@test
def find_measures_above_the_level(folder):
    rows = [[1000.0 + (-1) ** (i + j) for j in range(40)] for i in range(40)]
    for row, col, value in ((9, 9, 20), (9, 10, 60), (10, 9, 20)):
        rows[row][col] = 1000.0 + value
    path, tables = npy(os.path.join(folder, "sky.npy"), rows), {}
    for words in ((), ("--raw",), ("--subtract",)):
        for ending in ("csv", "ecsv"):
            out = os.path.join(folder, "s." + ending)
            r = clump("find", path, *words, "-qfo", out)
            check(r.status == 0, r.err)
        tables[words] = columns(os.path.join(folder, "s.csv"))
        text = open(out, encoding="ascii").read()
        check(("sum of what stands above the median" in text) == (words != ("--raw",)), text)
        check(("measured: the pixels as they are" in r.out) == (words == ("--raw",)), r.out)
    check(tables[()] == tables["--subtract",])
    level = clump("find", path, "--json").json()["level"]
    check(abs(level - 1000) == 1, level)
    near("flux", tables[()]["flux"], [100 - 3 * (level - 1000)], 1e-12)
    near("raw flux", tables["--raw",]["flux"], [3100], 1e-12)
    check(abs(tables[()]["x"][0] - 10.6) < 0.02, tables[()]["x"])
    check(abs(tables["--raw",]["x"][0] - 10.35) < 0.02, tables["--raw",]["x"])
    fails(2, ["--raw", "--subtract"], "find", path, "--raw", "--subtract")


@test
def find_refuses(folder):
    field = os.path.join(DATA, "field.fits")
    fails(2, ["kappa", "0"], "find", field, "--kappa", "0")
    fails(2, ["kappa", "-1"], "find", field, "--kappa-high", "-1")
    fails(2, ["--level", "median|zero"], "find", field, "--level", "mean")
    fails(2, ["--connectivity", "4|8"], "find", field, "--connectivity", "6")
    fails(2, ["--regions", "{}"], "find", field, field, "--regions", "x.reg")
    fails(1, ["x.doc"], "find", field, "-o", folder + "/x.doc")
    blank = npy(os.path.join(folder, "blank.npy"), [[float("nan")] * 9] * 9)
    fails(1, ["blank.npy", "finite"], "find", blank)
    check(sorted(os.listdir(folder)) == ["blank.npy"], os.listdir(folder))


def compare_cells(folder, device):
    want = golden("cells --channel green")
    out = os.path.join(folder, "cells.csv")
    r = clump("cells", DATA + "/cells.png", "--channel", "green", *device, "--json", "-qf", "-o",
              out)
    check(r.status == 0, r.err)
    d = r.json()
    check(d["objects"] == want["objects"] and d["files"] == [out], d)
    near("threshold", [d["threshold"]], [want["threshold"]], 1e-6)
    table = columns(out)
    for name, values in want["columns"].items():
        near(name, table[name], values, 1e-9)


@test
def cells_agrees_with_skimage(folder):
    for device in ([], ["--device", "reference"]):
        compare_cells(folder, device)


@test
def cells_writes(folder):
    labels, overlay = folder + "/l.tif", folder + "/o.png"
    r = clump("cells", DATA + "/cells.png", "--channel", "1", "--labels", labels, "--overlay",
              overlay)
    check(r.status == 0, r.err)
    check(re.search(r"^objects +21$", r.out, re.M), r.out)
    d = clump("info", labels, "--json").json()
    check((d["type"], d["rows"], d["cols"]) == ("int32", 640, 640), d)
    d = clump("info", overlay, "--json").json()
    check((d["format"], d["channels"]) == ("PNG", 3), d)
    fails(2, ["--sigma"], "cells", DATA + "/cells.png", "--sigma", "-1")
    fails(2, ["--alpha"], "cells", DATA + "/cells.png", "--alpha", "2")


@test
def info_tells_the_sky_and_which_part_is_read(folder):
    field = os.path.join(DATA, "field.fits")
    d = clump("info", field, "--json").json()
    check(d["page"] == 0 and d["celestial"], d)
    check(len(d["projection"]) == 3 and d["frame"] in ("ICRS", "FK5"), d)
    check(len(d["scale"]) == 2 and all(0 < s < 3600 for s in d["scale"]), d)
    check(0 <= d["centre"][0] < 360 and -90 <= d["centre"][1] <= 90, d)
    text = clump("info", field).out
    for word in ("is read", "projection", "frame", "pixel scale", "centre", "arcsec"):
        check(word in text, word, text)


def tiff(path, description, resolution=(4, 1)):
    """One page of 2 x 3 bytes with a description, and pixels per unit as a fraction."""
    text = description.encode() + b"\0"
    pixels, at = 8, 16
    tags = [(256, 3, 1, 3), (257, 3, 1, 2), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1),
            (270, 2, len(text), at), (273, 4, 1, pixels), (277, 3, 1, 1), (278, 3, 1, 2),
            (279, 4, 1, 6), (282, 5, 1, at + len(text)), (283, 5, 1, at + len(text)),
            (296, 3, 1, 1)]
    directory = at + len(text) + 8 + (len(text) % 2)
    with open(path, "wb") as f:
        f.write(struct.pack("<2sHI", b"II", 42, directory) + bytes(range(6)) + b"\0\0" + text)
        f.write(struct.pack("<II", *resolution) + b"\0" * (len(text) % 2))
        f.write(struct.pack("<H", len(tags)) + b"".join(struct.pack("<HHII", *t) for t in tags))
        f.write(b"\0\0\0\0")
    return path


@test
def info_tells_axes_and_pixel_size(folder):
    path = tiff(folder + "/j.tif", "ImageJ=1.53t\nimages=1\nchannels=1\nslices=1\nframes=1\n"
                "unit=\\u00B5m\nspacing=1.5\n")
    d = clump("info", path, "--json").json()
    check(d["stack"] == {"writer": "ImageJ", "order": "XYCZT", "channels": 1, "slices": 1,
                         "frames": 1}, d)
    check(d["pixel_size"] == [0.25, 0.25, 1.5] and d["pixel_size_unit"] == ["\u00b5m"] * 3, d)
    text = clump("info", path).out
    check("pixel size   0.25 x 0.25 x 1.5 \u00b5m\n" in text, text)
    path = tiff(folder + "/o.tif", '<OME><Image><Pixels DimensionOrder="XYZTC" SizeC="4" SizeZ="5" '
                'SizeT="6" PhysicalSizeX="0.1" PhysicalSizeY="0.1" PhysicalSizeZ="2" '
                'PhysicalSizeZUnit="mm"/></Image></OME>')
    text = clump("info", path).out
    check("axes         4 channels, 5 slices, 6 frames (XYZTC, OME)\n" in text, text)
    check("pixel size   0.1 x 0.1 \u00b5m x 2 mm\n" in text, text)
    check("stack" not in clump("info", os.path.join(DATA, "cells.png"), "--json").json())


@test
def info_of_a_galactic_header_has_both(folder):
    path = folder + "/g.fits"
    with open(path, "wb") as f:
        f.write(fits_header(("BITPIX", 8), ("NAXIS", 2), ("NAXIS1", 9), ("NAXIS2", 9),
                            ("CTYPE1", "'GLON-TAN'"), ("CTYPE2", "'GLAT-TAN'"), ("CRPIX1", 5.0),
                            ("CRPIX2", 5.0), ("CRVAL1", 30.0), ("CRVAL2", -2.0), ("CDELT1", -0.01),
                            ("CDELT2", 0.01)))
        f.write(b"\0" * 2880)
    d = clump("info", path, "--json").json()
    check(all(abs(a - b) < 1e-9 for a, b in zip(d["centre_native"], (30, -2))), d)
    check(abs(d["centre"][0] - 283.4) < 0.2, d)  # RA, Dec
    text = clump("info", path).out
    check("RA 283." in text and "l 30.000000, b -2.000000 degrees" in text, text)
    check("centre_native" not in clump("info", os.path.join(DATA, "field.fits"), "--json").json())


@test
def view_makes_pictures(folder):
    field = os.path.join(DATA, "field.fits")

    def size(path):
        with open(path, "rb") as f:
            head = f.read(24)
        check(head[:8] == b"\x89PNG\r\n\x1a\n", path, "is no PNG")
        return struct.unpack(">II", head[16:])

    plain, rich = os.path.join(folder, "plain.png"), os.path.join(folder, "rich.png")
    r = clump("view", field, "-o", plain, "--zoom", "1", "--json")
    check(r.status == 0 and r.json()["files"] == [plain], r.out, r.err)
    cols, rows = size(plain)
    info = clump("info", field, "--json").json()
    check((rows, cols) == (info["rows"], info["cols"]), rows, cols, info)
    r = clump("view", field, "-o", rich, "--zoom", "1", "--bar", "--grid", "--stretch", "asinh",
              "--colormap", "viridis", "--title", "field", "--flip", "--percentiles", "1,99.9")
    check(r.status == 0, r.err)
    check(size(rich)[0] > cols and size(rich)[1] > rows, size(rich))
    r = clump("view", field, "-o", plain, "--zoom", "2", "--crop", "10:40,:50", "--force")
    check(r.status == 0 and size(plain) == (100, 60), r.err, size(plain))
    for ending in ("pdf", "svg"):
        r = clump("view", field, "-o", folder + "/v." + ending, "--limits", "zscale", "--json")
        check(r.status == 0 and r.json()["files"] == [folder + "/v." + ending], r.out, r.err)
    cells = os.path.join(DATA, "cells.png")
    grey, colour = folder + "/grey.png", folder + "/colour.png"
    check(clump("view", cells, "-o", colour, "--zoom", "1").status == 0)
    check(clump("view", cells, "-o", grey, "--zoom", "1", "--channel", "grey").status == 0)
    averages = [clump("stats", colour, "--channel", c, "--json").json()["before"]["mean"]
                for c in ("red", "green", "blue")]
    check(len(set(averages)) > 1, "a coloured image is shown in its colours", averages)
    check(clump("stats", grey, "--channel", "red", "--json").json()["before"]["sum"] ==
          clump("stats", grey, "--channel", "blue", "--json").json()["before"]["sum"])
    original = [clump("stats", cells, "--channel", c, "--json").json()["before"]["mean"]
                for c in ("red", "green", "blue")]
    check(averages == original, averages, original)
    fails(1, ["grey image"], "view", field, "-o", rich, "--force", "--channel", "rgb", "--force")
    fails(2, ["--output"], "view", field)
    fails(2, ["--crop", "300:800"], "view", field, "-o", rich, "--force", "--crop", "5")
    fails(2, ["--percentiles"], "view", field, "-o", rich, "--force", "--percentiles", "5")
    for part, (rows, cols) in (("-100:,:50", (100, 50)), ("470:9999,:", (10, 480))):
        r = clump("view", field, "-o", plain, "--zoom", "1", "--crop", part, "--force")
        check(r.status == 0 and size(plain) == (cols, rows), part, r.err, size(plain))
    fails(1, ["no image"], "view", field, "-o", rich, "--force", "--crop", "9999:,:")
    fails(1, ["low must be less"], "view", field, "-o", rich, "--force", "--low", "2", "--high", "1")
    fails(1, ["rich.png", "--force"], "view", field, "-o", rich)


@test
def masks_labels_and_regions_one_by_one(folder):
    """A mask of 2 x 3, 1 and 2 diagonal pixels through every command that takes it."""
    mask = npy(folder + "/m.npy", [[1, 1, 1, 0, 0, 0], [1, 1, 1, 0, 7, 0], [0, 0, 0, 0, 0, 0],
                                   [0, 3, 0, 0, 0, 0], [0, 0, 9, 0, 0, 0]], "|u1")
    image = npy(folder + "/i.npy", [[c + 10 * r for c in range(6)] for r in range(5)])
    labels = folder + "/l.npy"
    check(clump("label", mask, "--json").json()["labels"] == 4)
    check(clump("label", mask, "-c8", "--json", "-qo", labels).json()["labels"] == 3)
    check(read_npy(labels)[1] == [1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0,
                                  0, 0, 0, 0, 3, 0, 0, 0])
    d = clump("measure", image, "--labels", labels, "--json").json()
    check(d["regions"] == 3 and d["table"]["area"] == [6, 1, 2], d)
    check(d["table"]["sum"] == [36, 14, 73] and d["table"]["bbox-2"] == [2, 2, 5], d)
    check(d["table"]["centroid-1"] == [1, 4, 1.5] and d["table"]["euler_number"] == [1, 1, 1], d)
    d = clump("measure", image, "--labels", mask, "-c4", "--basic", "--json").json()
    check(d["regions"] == 4 and "perimeter" not in d["table"], d)
    rows = list(csv.DictReader(clump("measure", image, "--labels", labels).out.splitlines()))
    check([float(r["sum"]) for r in rows] == [36, 14, 73], rows)
    fails(1, ["i.npy", "5 x 6"], "measure", image, "--labels",
          npy(folder + "/s.npy", [[1, 1]], "<i4"))
    fails(2, ["--labels"], "measure", image)
    for words, count in ((["erosion", "-p", "square:3"], 2), (["dilation", "-p", "disk:1"], 21),
                         (["remove", "--area", "2", "-c8"], 8), (["fill"], 9),
                         (["opening", "--footprint", "square:3"], 6)):
        r = clump("morphology", words[0], mask, *words[1:], "--json")
        check(r.status == 0 and r.json()["count"] == count, words, r.out, r.err)
    fails(2, ["erosion|dilation", "erode"], "morphology", "erode", mask)
    fails(1, ["disk:x"], "morphology", "erosion", mask, "-p", "disk:x")
    picture = folder + "/p.png"
    check(clump("label2rgb", labels, "--image", image, "-qo", picture).status == 0)
    check(clump("info", picture, "--json").json()["channels"] == 3)


@test
def the_lesson_s_own_image(folder):
    """The figures the lesson prints; runs where CLUMP_LESSON_IMAGE names its image."""
    path = os.environ.get("CLUMP_LESSON_IMAGE")
    if not path:
        return "CLUMP_LESSON_IMAGE is not set"
    out = os.path.join(folder, "s.csv")
    d = clump("find", path, "--level", "zero", "--json", "-q", "-o", out).json()
    for when, words in (("before", "3.898e-04 1.571e-05 1.993e-02 2.506e+00"),
                        ("after", "-1.945e-06 -9.796e-06 1.334e-02 4.000e-02")):
        check(["%.3e" % d[when][k] for k in ("mean", "median", "std", "max")] == words.split(), d)
    check(d["sources"] == 185, d["sources"])
    near("flux", sorted(columns(out)["flux"])[-10:],
         [38.90615184, 41.91485894, 43.02203498, 47.30590784, 51.23707351, 58.07289425,
          68.85673917, 70.31223921, 95.16443585, 363.58937774], 1e-7)
    return None


@test
def stdout_closed_early(folder):
    shell = "%s primes 200000 --list -q | head -1; echo ${PIPESTATUS[0]}" % CLUMP
    p = subprocess.run(["bash", "-c", shell], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    check(p.stdout == b"2\n0\n" and not p.stderr, p.stdout, p.stderr)
    for name in commands():
        p = subprocess.run(["bash", "-c", "%s %s --help | true; exit ${PIPESTATUS[0]}" %
                            (CLUMP, name)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        check(p.returncode == 0 and not p.stderr, name, p.returncode, p.stderr)


@test
def stdout_that_takes_nothing(folder):
    with open("/dev/full", "w", encoding="ascii") as full:
        r = subprocess.run([CLUMP, "primes", "100", "-q"], stdout=full, stderr=subprocess.PIPE)
    check(r.returncode == 1 and b"No space" in r.stderr, r.returncode, r.stderr)
    p = subprocess.run(["bash", "-c", "%s primes 100 -q >&-" % CLUMP], stderr=subprocess.PIPE)
    check(p.returncode == 1 and b"stdout" in p.stderr, p.returncode, p.stderr)
    path = npy(os.path.join(folder, "a.npy"), [[0, 1]])
    out = os.path.join(folder, "b.npy")
    p = subprocess.run(["bash", "-c", "%s convert %s -q -o %s <&- >&-" % (CLUMP, path, out)],
                       stderr=subprocess.PIPE)
    check(read_npy(out) == ((1, 2), [0, 1]), "a closed stdout went into the file")


@test
def interrupted(folder):
    path = npy(os.path.join(folder, "a.npy"), [[i % 7 for i in range(1000)]] * 1000)
    paths = [os.path.join(folder, "a%d.npy" % i) for i in range(40)]
    for name in paths:
        os.symlink(path, name)
    for delay in (0.0, 0.02, 0.05, 0.1, 0.2):
        p = subprocess.Popen([CLUMP, "convert"] + paths + ["-f", "-o", folder + "/{}.x.fits"],
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(delay)
        p.send_signal(signal.SIGINT)
        p.wait(60)
        left = [n for n in os.listdir(folder) if not re.fullmatch(r"a\d*\.(npy|x\.fits)", n)]
        check(not left, "left behind:", left)
        check(p.returncode in (0, -signal.SIGINT), p.returncode)


@test
def quiet_and_verbose(folder):
    check(clump("primes", "10", "--quiet").err == "")
    check(len(clump("primes", "10", "-vv").err.splitlines()) >= 1)


def on_a_terminal(*args, until=None):
    """What a terminal shows; the command is ended once the pattern `until` shows."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(CLUMP, [CLUMP, *args])
    shown = b""
    try:
        while not until or not re.search(until, shown):
            part = os.read(terminal, 4096)
            if not part:
                break
            shown += part
    except OSError:  # how a terminal ends on Linux
        pass
    if until:
        os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    os.close(terminal)
    return shown.decode()


@test
def progress_on_a_terminal_only(folder):
    try:
        for end in pty.openpty():
            os.close(end)
    except OSError as error:
        return f"this machine makes no terminals ({error})"
    endless = ["primes", "2000000000", "--device", "reference"]
    shown = on_a_terminal(*endless, until=rb"\.\.\. ([2-9]|\d\d+) s")  # a busy machine skips some
    check(shown.startswith("clump primes ... ") and "\033[K" in shown, repr(shown))
    shown = on_a_terminal("primes", "100")
    check("25 primes below 100" in shown and "\033" not in shown, repr(shown))
    process = subprocess.Popen([CLUMP, *endless], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    time.sleep(2)
    process.kill()
    check(process.communicate()[0] == b"", "progress shows where there is no terminal")


def main():
    print("TAP version 13\n1..%d" % len(TESTS))
    failed = 0
    for number, function in enumerate(TESTS, 1):
        with tempfile.TemporaryDirectory() as folder:
            try:
                skipped = function(folder)
                print("ok %d - %s%s" % (number, function.__name__,
                                        " # SKIP " + skipped if skipped else ""))
            except Exception as error:
                failed += 1
                print("not ok %d - %s" % (number, function.__name__))
                for line in repr(error).splitlines():
                    print("# " + line)
        sys.stdout.flush()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
