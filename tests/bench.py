#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The benchmark: every case agrees with the reference, and what is said about a run can be trusted.

usage: bench.py CLUMP      (prints TAP; CLUMP_DEVICE is respected)
"""
import csv
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
        assert len(wall["times"]) == wall["runs"] and min(wall["times"]) == wall["min"]
        assert {row["size"] for row in report["rows"]} == {256, 512}
        limits = report["devices"][0]["limits"]
        for key in ("integer", "upload_gbs", "download_gbs", "launch_us", "atomics_one", "atomics_apart"):
            assert limits[key] > 0, key
        assert {"load", "load_end", "steal", "others", "energy"} <= set(report["environment"])
        bench("--from", path, "--compare", path)


def quiet(report):
    """Makes a run one that nothing disturbed, whatever the machine was doing."""
    report["environment"].update(steal=0, others=0, load="0.00 0.00 0.00")
    report["warnings"] = []
    for row in report["rows"]:
        median = row["wall"]["median"]
        row["wall"].update(min=0.98 * median, low=0.98 * median, high=1.02 * median)


def changed(folder, name, change):
    """A saved run, made a quiet one, and a copy of it that `change` was applied to."""
    path, other = os.path.join(folder, "old.json"), os.path.join(folder, name)
    if not os.path.exists(path):
        bench("primes", "--quick", "--seconds", 0.05, "--save", path)
    edited(path, path, quiet)
    with open(path) as file:
        report = json.load(file)
    for row in report["rows"]:
        if row["by"] == "device":
            change(row)
    with open(other, "w") as file:
        json.dump(report, file)
    return path, other


def edited(path, other, change):
    """A copy of a saved run that `change` was applied to."""
    with open(path) as file:
        report = json.load(file)
    change(report)
    with open(other, "w") as file:
        json.dump(report, file)
    return other


def scale(row, factor):
    for key in {"min", "median", "mean", "low", "high"} & set(row["wall"]):
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
def a_machine_that_became_slower_is_no_excuse():
    def twice(report):
        for row in report["rows"]:
            scale(row, 2)
    with tempfile.TemporaryDirectory() as folder:
        old, _ = changed(folder, "same.json", lambda row: None)
        slow = edited(old, os.path.join(folder, "slow.json"), twice)
        said = bench("--from", slow, "--compare", old, status=1).stdout
        assert re.search(r"^slower +primes .* x2\.00$", said, re.M), said
        assert "the reference took x2.00 of its former time: the machine was slower" in said, said


@test
def nothing_in_common_does_not_pass():
    def other_case(report):
        for row in report["rows"]:
            row["case"] = "another"
    with tempfile.TemporaryDirectory() as folder:
        old, _ = changed(folder, "same.json", lambda row: None)
        other = edited(old, os.path.join(folder, "other.json"), other_case)
        done = bench("--from", old, "--compare", other, status=1)
        assert "nothing was compared" in done.stderr, done.stderr
        done = bench("primes", "--agree", "--compare", old, status=1)
        assert "nothing was compared" in done.stderr and "broken" not in done.stdout, done.stdout


@test
def a_renamed_device_is_matched_and_named():
    def rename(report):
        report["devices"][0]["name"] = "a new name"

    def replace(report):
        report["devices"][0].update(name="another", platform="another")
    with tempfile.TemporaryDirectory() as folder:
        old, _ = changed(folder, "same.json", lambda row: None)
        new = edited(old, os.path.join(folder, "renamed.json"), rename)
        said = bench("--from", new, "--compare", old).stdout
        assert "taken for the same device" in said and "a new name, formerly" in said, said
        gone = edited(old, os.path.join(folder, "gone.json"), replace)
        said = bench("--from", gone, "--compare", old, status=1).stdout
        assert "not compared: another (another) is not in the other run" in said, said


@test
def one_run_has_no_noise():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "run.json")
        bench("stats", "--size", 256, "--quick", "--seconds", 0.0001, "--save", path)
        with open(path) as file:
            report = json.load(file)
        walls = [row["wall"] for row in report["rows"] if row["wall"]["runs"] == 1]
        assert walls and not any({"noise", "std", "low", "high"} & set(wall) for wall in walls)
        assert any("one run only" in line for line in report["warnings"])


@test
def what_disturbed_a_run_is_told():
    def disturb(report):
        report["environment"].update(steal=0.12, others=0.5, mhz=3000, mhz_end=1200, mhz_most=3000,
                                     cores=2, load="7.50 1.00 1.00 3/200 99")
        for row in report["rows"]:
            if row["by"] == "device":
                row["device_ms"] = 2 * row["wall"]["median"]
    with tempfile.TemporaryDirectory() as folder:
        old, _ = changed(folder, "same.json", lambda row: None)
        said = bench("--from", edited(old, os.path.join(folder, "busy.json"), disturb)).stdout
        said = " ".join(said.split())
        for words in ("took 12 % of the processors' time away", "other processes took 50 %", "was 7.50 at the start, on 2",
                      "1200 of 3000 MHz", "from 3000 to 1200 MHz", "marked !"):
            assert words in said, said
        assert re.search(r"\d! ", said), "no row is marked"
        assert "load average" not in bench("--from", old).stdout


def other_machine(report):
    report["environment"].update(host="elsewhere", cpu="Another CPU", date="2030-01-01T00:00:00Z")
    report["devices"][0].update(name="Another device")


@test
def runs_of_two_machines_stand_side_by_side():
    with tempfile.TemporaryDirectory() as folder:
        path = lambda name: os.path.join(folder, name)  # noqa: E731
        a, _ = changed(folder, "same.json", lambda row: None)
        b = edited(a, path("b.json"), other_machine)
        page, table, text = path("m.html"), path("m.csv"), path("m.md")
        said = bench("--merge", a, b, "--html", page, "--csv", table, "--markdown", text, "--save",
                     path("m.json")).stdout
        fits(said)
        assert re.search(r"^primes 1 x 10000 +[\d.]+\*? +[\d.]+", said, re.M), said
        assert re.search(r"^median wall .* A0 +B0 +ref\. A +ref\. B *$", said, re.M), said
        assert re.search(r"^primes .*\d\* +[\d.]+\* +[\d.]+ +[\d.]+ *$", said, re.M), said
        slow = edited(b, path("slow.json"), lambda report: [scale(row, 3) for row in report["rows"]])
        alone = bench("--merge", a, slow).stdout
        assert re.search(r"^primes .*\d\* +[\d.]+ +[\d.]+ +[\d.]+ *$", alone, re.M), alone
        assert "on Another CPU" in said and said == bench("--from", a, "--from", b).stdout
        assert said == bench("--merge", path("m.json")).stdout
        with open(table, newline="") as file:
            rows = list(csv.DictReader(file))
        assert {row["run"] for row in rows} == {"A", "B"} and {row["host"] for row in rows} >= {"elsewhere"}
        with open(text) as file:
            assert "| A0 |" in file.read()
        assert "once more" in bench("--merge", a, a, status=1).stderr
        assert "of several" in bench("--merge", a, b, "--compare", a, status=2).stderr
        with open(page) as file:
            assert_alone(file.read().replace("<script>", ""))


@test
def unlike_runs_are_not_mixed():
    def newer(report):
        other_machine(report)
        report["environment"].update(commit="0123456789ab")
        report["settings"].update(seconds=9)

    def larger(report):
        other_machine(report)
        report["settings"]["size"] = 4096
        for row in report["rows"]:
            row.update(rows=4096, cols=4096, size=4096)
    with tempfile.TemporaryDirectory() as folder:
        a, _ = changed(folder, "same.json", lambda row: None)
        said = " ".join(bench("--merge", a, edited(a, os.path.join(folder, "n.json"), newer)).stdout.split())
        assert "may be the program's, not the device's" in said and "gave each case 9 s" in said, said
        said = bench("--merge", a, edited(a, os.path.join(folder, "l.json"), larger)).stdout
        assert re.search(r"^primes 4096 x 4096 +- +[\d.]+\s+- +[\d.]+ *$", said, re.M), said


@test
def a_history_names_the_commit_of_a_step():
    with tempfile.TemporaryDirectory() as folder:
        runs = os.path.join(folder, "runs")
        os.mkdir(runs)
        bench("primes", "--quick", "--seconds", 0.05, "--save", runs)
        saved, = os.listdir(runs)
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d{6}Z-.+\.json", saved), saved
        assert "nothing was compared" in bench("--history", runs, status=1).stderr
        edited(os.path.join(runs, saved), os.path.join(runs, saved), quiet)

        def later(report):
            report["environment"].update(date="2030-01-01T00:00:00Z", commit="0123456789ab")
            for row in report["rows"]:
                scale(row, 3)
        edited(os.path.join(runs, saved), os.path.join(runs, "later.json"), later)
        said = bench("--history", runs).stdout
        assert re.search(r"^slower +primes .* x3\.00 .*\.\.0123456789ab$", said, re.M), said


@test
def ones_own_image_is_measured():
    with tempfile.TemporaryDirectory() as folder:
        image = os.path.join(folder, "field.fits")
        subprocess.run([CLUMP, "make", "field", "--size", "200", "-o", image, "--quiet"], check=True,
                       stdout=subprocess.DEVNULL)
        report = json.loads(bench("find", "stats", "--image", image, "--seconds", 0.02, "--json").stdout)
        assert report["settings"]["image"] == image
        assert {(row["case"], row["rows"], row["cols"]) for row in report["rows"]} == \
            {("find", 200, 200), ("stats", 200, 200)}
        assert "not for --image" in bench("label-noise", "--image", image, status=2).stderr
        assert "its own size" in bench("find", "--image", image, "--size", 64, status=2).stderr


@test
def the_lesson_is_compared_with_at_its_own_size_only():
    with tempfile.TemporaryDirectory() as folder:
        _, text = make_page(folder)
        assert "This run’s have not" in text and "T4 with transfers" not in text

        def at_size(report):
            report["settings"]["size"] = 2048
            report["cases"][0]["lesson"] = {"cpu_ms": 6.294, "gpu_ms": 0.3298, "gpu_total_ms": 0}
        saved = edited(os.path.join(folder, "run.json"), os.path.join(folder, "lesson.json"), at_size)
        page = os.path.join(folder, "lesson.html")
        bench("--from", saved, "--html", page)
        with open(page) as file:
            text = file.read()
        table = text[text.index("T4 with transfers"):text.index("What the lesson leaves out")]
        assert "did not run" in table and 'class="good"' not in table, table


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


def assert_alone(text):
    """The page needs nothing but itself, and every element is closed."""
    assert not re.search(r"(src|href)=|url\(|@import|<script|<link", text), "the page fetches something"
    body = text[text.index("<body>"):text.index("</body>")].replace("<br>", "<br/>")
    if "</script>" in body:
        body = body[:body.index("for (const table")]
    xml.dom.minidom.parseString(body + "</body>")


@test
def the_page_stands_alone():
    with tempfile.TemporaryDirectory() as folder:
        _, text = make_page(folder)
        assert_alone(text)
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
            found = re.search(r"<title>(\d+) (\d+) (\d+) (\d+)</title>",
                              drawn(browser, folder, measuring(page), width))
            assert found, "the browser drew nothing"
            wide, charts, bars, filled = map(int, found.groups())
            assert wide <= max(width, 500), f"at {width} pixels the page is {wide} wide"
            assert charts >= 3 and bars >= 2, f"{charts} charts, {bars} bars with a width"
            assert not filled, f"{filled} curves are drawn as areas"


@test
def the_page_of_several_runs_is_drawn_and_sorted():
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if not browser:
        return "chromium is not installed"
    script = ("<script>const times = () => [...document.querySelectorAll('table.sorts td:nth-child(3)')]"
              ".map(cell => parseFloat(cell.dataset.value));"
              "document.querySelector('table.sorts th:nth-child(3) button').click(); const up = times();"
              "document.querySelector('table.sorts th:nth-child(3) button').click(); const down = times();"
              "document.title = [up.every((v, i) => !i || up[i - 1] <= v), down[0] >= down[down.length - 1],"
              "up.length, document.querySelectorAll('.card').length,"
              "document.documentElement.scrollWidth].join(' ')</script></body>")
    with tempfile.TemporaryDirectory() as folder:
        page, _ = make_page(folder)
        saved = os.path.join(folder, "run.json")
        others = [edited(saved, os.path.join(folder, name), change) for name, change in
                  (("b.json", other_machine), ("c.json", lambda r: r["environment"].update(host="third")))]
        bench("--merge", saved, *others, "--html", page, "--force")
        with open(page) as file:
            text = file.read().replace("</body>", script)
        with open(page, "w") as file:
            file.write(text)
        for width in (1100, 390):
            found = re.search(r"<title>(\w+) (\w+) (\d+) (\d+) (\d+)</title>",
                              drawn(browser, folder, page, width))
            assert found, "the browser drew nothing"
            assert found.groups()[:4] == ("true", "true", "2", "3"), found.group(0)
            assert int(found.group(5)) <= max(width, 500), found.group(0)


def drawn(browser, folder, page, width):
    """The page's text after the browser has drawn it and run its scripts."""
    return subprocess.run([browser, "--headless=new", "--no-sandbox", "--disable-gpu",
                           f"--user-data-dir={folder}/profile", f"--window-size={width},900",
                           "--virtual-time-budget=1000", "--dump-dom", "file://" + page],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=120, text=True).stdout


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
    probe = "import numpy, scipy, skimage, cv2, sep, astropy, photutils"
    if subprocess.run([python, "-c", probe], stderr=subprocess.DEVNULL).returncode:
        return "NumPy, SciPy, scikit-image, OpenCV, SEP, astropy and photutils are not all installed"
    report = json.loads(bench("--peers", "--python", python, "--quick", "--size", 512, "--seconds", 0.01,
                              "--json").stdout)
    rows = [row for row in report["rows"] if row["by"] == "peer"]
    assert not set(cases()) - {row["case"] for row in rows}, "a case has no peer"
    for row in rows:
        assert row["state"] in ("agrees", "other"), f"{row['case']}, {row['name']}: {row.get('difference')}"
        assert row["wall"]["median"] > 0 and row["ratios"]
    assert "photutils" in {row["package"] for row in rows if row["case"] == "extract"}


@test
def files_of_peers_are_removed():
    script = ("import json, sys\n"
              "for line in sys.stdin:\n"
              "    ask = json.loads(line)\n"
              "    for i in range(17 if ask['do'] == 'load' else 0):\n"
              "        [open(p, 'a').close() for p in (ask['folder'] + f'/file{i}', 'made')]\n"
              "    print(json.dumps({'threads': 'none', 'peers': []}), flush=True)\n")
    with tempfile.TemporaryDirectory() as folder:
        print(script, file=open(os.path.join(folder, "serve.py"), "w"), flush=True)
        bench("primes", "--peers", "--python", sys.executable, "--quick", "--seconds", 0.01, cwd=folder,
              env={**os.environ, "CLUMP_PEERS_DIR": folder, "TMPDIR": folder})
        assert sorted(os.listdir(folder)) == ["made", "serve.py"], os.listdir(folder)


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
