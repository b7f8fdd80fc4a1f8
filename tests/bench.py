#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The benchmark: every case agrees with the reference, and what is said about a run can be trusted.

usage: bench.py CLUMP      (prints TAP; CLUMP_DEVICE is respected)
"""
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.dom.minidom

CLUMP = os.path.abspath(sys.argv[1])
TESTS = []


def test(function):
    TESTS.append(function)
    return function


def bench(*args, status=0, **kwargs):
    done = subprocess.run([CLUMP, "bench", *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=600, text=True, **kwargs)
    assert done.returncode == status, f"status {done.returncode}: {done.stderr}"
    return done


def cases():
    return [line.split()[0] for line in bench("--cases").stdout.splitlines()]


def fits(table):
    for line in table.splitlines():
        assert len(line) <= 100, f"{len(line)} columns: {line}"


@test
def every_case_agrees_with_the_reference():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "run.json")
        fits(bench("--agree", "--save", path).stdout)
        with open(path) as file:
            report = json.load(file)
    by_device = [row for row in report["rows"] if row["by"] == "device"]
    assert {row["case"] for row in by_device} == set(cases())
    assert all(row["state"] in ("agrees", "unsupported") for row in by_device)
    assert not any("wall" in row for row in report["rows"])


@test
def a_run_has_what_its_layout_promises():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "run.json")
        table = bench("threshold", "--quick", "--size", 512, "--seconds", 0.05, "--save", path).stdout
        fits(table)
        with open(path) as file:
            report = json.load(file)
        assert (report["format"], report["version"]) == ("clump-bench", 1)
        assert {"commit", "build", "compiler", "cpu", "caches", "cores", "date"} <= set(report["environment"])
        assert all(device["limits"]["copy_gbs"] > 0 for device in report["devices"])
        row = next(row for row in report["rows"] if row["by"] == "device" and row["main"])
        wall = row["wall"]
        assert wall["min"] <= wall["low"] <= wall["median"] <= wall["high"] and wall["runs"] > 1
        assert math.isclose(row["gbs"], 512 * 512 * (4 + 1 / 8) / wall["median"] / 1e6, rel_tol=1e-6)
        assert {row["size"] for row in report["rows"]} == {256, 512}
        bench("--from", path, "--compare", path)


def changed(folder, name, change):
    """A saved run, made a quiet one, and a copy of it that `change` was applied to."""
    path, other = os.path.join(folder, "old.json"), os.path.join(folder, name)
    if not os.path.exists(path):
        bench("primes", "--quick", "--seconds", 0.05, "--save", path)
    with open(path) as file:
        report = json.load(file)
    for row in report["rows"]:
        row["wall"].update(min=0.98 * row["wall"]["median"])
    with open(path, "w") as file:
        json.dump(report, file)
    for row in report["rows"]:
        if row["by"] == "device":
            change(row)
    with open(other, "w") as file:
        json.dump(report, file)
    return path, other


def scale(row, factor):
    for key in ("min", "median", "mean", "low", "high"):
        row["wall"][key] *= factor


@test
def comparing_names_what_became_slower():
    with tempfile.TemporaryDirectory() as folder:
        old, slow = changed(folder, "slow.json", lambda row: scale(row, 3))
        said = bench("--from", slow, "--compare", old, status=1).stdout
        assert re.search(r"^slower +primes .* x3\.00$", said, re.M), said
        said = bench("--from", old, "--compare", slow).stdout
        assert re.search(r"^faster +primes", said, re.M), said
        old, near = changed(folder, "near.json", lambda row: scale(row, 1.01))
        assert "0 slower" in bench("--from", near, "--compare", old).stdout
        old, broken = changed(folder, "broken.json", lambda row: row.pop("wall"))
        assert re.search(r"^broken +primes", bench("--from", broken, "--compare", old, status=1).stdout, re.M)


@test
def a_difference_is_shown_without_a_time():
    def break_it(row):
        row.pop("wall")
        row.update(state="differs", difference="count[0]: reference 1229, device 1230")
    with tempfile.TemporaryDirectory() as folder:
        _, broken = changed(folder, "broken.json", break_it)
        page = os.path.join(folder, "page.html")
        said = bench("--from", broken, "--html", page).stdout
        line = next(line for line in said.splitlines() if "NO" in line)
        assert "reference 1229, device 1230" in line
        with open(page) as file:
            assert "does not agree: count[0]: reference 1229" in file.read()


@test
def what_the_tuner_found_is_used():
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "XDG_CACHE_HOME": folder}
        report = json.loads(bench("--tune", "--json", env=env).stdout)
        knobs = {entry["knob"]: entry for entry in report["tuned"]}
        assert {"convolve_rows", "stats_workers", "label_workers"} <= set(knobs) or "group" in knobs
        for entry in knobs.values():
            assert str(entry["value"]) in entry["ms"] and None not in entry["ms"].values()
        done = subprocess.run([CLUMP, "primes", "100", "-v"], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, env=env)
        assert "is tuned" in done.stderr, done.stderr


@test
def what_cannot_be_read_is_refused():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.json")
        for text, words in (("{", "x.json"), ("{}", "not what"),
                            ('{"format": "clump-bench", "version": 99}', "version 99")):
            with open(path, "w") as file:
                file.write(text)
            assert words in bench("--from", path, status=1).stderr
        assert "no case" in bench("nosuchcase", status=2).stderr
        open(path, "w").close()
        assert "--force" in bench("primes", "--agree", "--save", path, status=1).stderr


def make_page(folder):
    page, saved = os.path.join(folder, "page.html"), os.path.join(folder, "run.json")
    bench("threshold", "primes", "--quick", "--size", 512, "--seconds", 0.05, "--html", page, "--save", saved)
    with open(page) as file:
        return page, file.read()


@test
def the_page_stands_alone():
    with tempfile.TemporaryDirectory() as folder:
        _, text = make_page(folder)
        assert not re.search(r"(src|href)=|url\(|@import|<script|<link", text), "the page fetches something"
        body = text[text.index("<body>"):].replace("<br>", "<br/>")
        xml.dom.minidom.parseString(body[:body.index("</html>")])  # every element is closed
        for words in ("lesson", "prefers-color-scheme:dark", "@media print", "width=device-width",
                      "Environment", "How the cost grows"):
            assert words in text, words


@test
def the_page_is_drawn_by_a_browser():
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if not browser:
        return "chromium is not installed"
    with tempfile.TemporaryDirectory() as folder:
        page, _ = make_page(folder)
        for width in (1100, 390):
            done = subprocess.run([browser, "--headless=new", "--no-sandbox", "--disable-gpu",
                                   f"--user-data-dir={folder}/profile", f"--window-size={width},900",
                                   "--virtual-time-budget=1000", "--dump-dom", "file://" + measuring(page)],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=120, text=True)
            found = re.search(r"<title>(\d+) (\d+) (\d+) (\d+)</title>", done.stdout)
            assert found, "the browser drew nothing"
            wide, charts, bars, filled = map(int, found.groups())
            assert wide <= max(width, 500), f"at {width} pixels the page is {wide} wide"
            assert charts >= 3 and bars >= 2, f"{charts} charts, {bars} bars with a width"
            assert not filled, f"{filled} curves are drawn as areas"


def measuring(page):
    """A copy of the page that puts what the browser made of it into its title."""
    script = ("<script>const drawn = e => e.getBoundingClientRect().width > 1;"
              "document.title = [document.documentElement.scrollWidth,"
              "[...document.querySelectorAll('svg')].filter(drawn).length,"
              "[...document.querySelectorAll('rect.d0')].filter(drawn).length,"
              "[...document.querySelectorAll('path')].filter(e => getComputedStyle(e).fill != 'none').length"
              "].join(' ')</script></body>")
    with open(page) as file:
        text = file.read().replace("</body>", script)
    copy = page.replace(".html", "-measured.html")
    with open(copy, "w") as file:
        file.write(text)
    return copy


@test
def peers_agree_and_are_timed():
    python = "/usr/bin/python3"
    probe = "import numpy, scipy, skimage, cv2, sep, astropy"
    if subprocess.run([python, "-c", probe], stderr=subprocess.DEVNULL).returncode:
        return "NumPy, SciPy, scikit-image, OpenCV, SEP and astropy are not all installed"
    report = json.loads(bench("--peers", "--python", python, "--quick", "--size", 512, "--seconds", 0.01,
                              "--json").stdout)
    rows = [row for row in report["rows"] if row["by"] == "peer"]
    assert {row["case"] for row in rows} == set(cases())
    for row in rows:
        assert row["state"] in ("agrees", "other"), f"{row['case']}, {row['name']}: {row.get('difference')}"
        assert row["wall"]["median"] > 0 and row["ratios"]


def main():
    failed = 0
    print(f"1..{len(TESTS)}")
    for number, function in enumerate(TESTS, 1):
        name = function.__name__.replace("_", " ")
        try:
            skipped = function()
            print(f"ok {number} - {name}" + (f" # SKIP {skipped}" if skipped else ""), flush=True)
        except Exception as what:  # one line a test, whatever happened
            failed += 1
            print(f"not ok {number} - {name}\n# {type(what).__name__}: {what}", flush=True)
    return failed > 0


sys.exit(main())
