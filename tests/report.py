#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The pages of --report: what is in them, and that a browser finds its way in them.

usage: report.py CLUMP SOURCE_DIR      (prints TAP; CLUMP_DEVICE is respected)
"""
import os
import re
import shutil
import subprocess

import cli
from cli import DATA, check, clump, fails, npy

cli.TESTS.clear()
test = cli.test
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")

# Clicks on the fourth row, on a mark and on the name of a column; says what came of it.
DRIVE = """<script>
const say = {}, rows = () => [...document.querySelectorAll('tbody tr')];
say.scripts = document.scripts.length;
const row = rows()[3]; row.cells[2].click();
const mark = document.querySelector('.sky g.on'), box = mark && mark.getBoundingClientRect();
say.mark = mark && mark.id; say.row = row.id; say.chosen = document.querySelectorAll('.on').length;
say.seen = box && box.top >= 0 && box.bottom <= innerHeight && box.width > 3;
const other = rows()[1].id.slice(1);
document.querySelector('#m' + other + ' ellipse').dispatchEvent(new MouseEvent('click', {bubbles: true}));
say.back = document.querySelector('tbody tr.on').id == 'r' + other;
const head = [...document.querySelectorAll('thead th')].find(h => h.textContent.startsWith('NAME'));
head.click(); const column = head.cellIndex;
const values = () => rows().map(r => parseFloat(r.cells[column].textContent));
say.down = values(); head.click(); say.up = values();
say.picture = document.querySelector('.sky img').naturalWidth;
say.wide = document.documentElement.scrollWidth <= innerWidth;
document.body.textContent = 'SAID' + JSON.stringify(say) + 'DIAS';
</script>"""


def browse(folder, page, *options):
    done = subprocess.run([BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--incognito",
                           "--user-data-dir=" + os.path.join(folder, "profile"), *options,
                           "file://" + page],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
    return done.stdout.decode("utf-8", "replace")


def drive(folder, path, column, *options):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    driven = os.path.join(folder, "driven.html")
    with open(driven, "w", encoding="utf-8") as f:
        f.write(text.replace("</body>", DRIVE.replace("NAME", column) + "</body>"))
    said = re.search("SAID(.*)DIAS", browse(folder, driven, "--dump-dom", *options))
    check(said, "the browser said nothing")
    return cli.json.loads(said[1].replace("&quot;", '"'))


def judge(folder, path, column):
    for size in ("1200,900", "500,800"):
        say = drive(folder, path, column, "--window-size=" + size)
        check(say["mark"] == "m" + say["row"][1:] and say["chosen"] == 2, say)
        check(say["seen"] and say["back"] and say["picture"] > 100 and say["wide"], size, say)
        check(say["down"] == sorted(say["down"], reverse=True) and say["down"] != say["up"], say)
        check(say["up"] == sorted(say["up"]), say)


def check_alone(text):
    check(not re.search(r"(src|href)=\"(?!data:|#)|https?://(?!www.w3.org)|url\(", text), "network")


@test
def the_page_of_find(folder):
    page = os.path.join(folder, "page.html")
    r = clump("find", DATA + "/field.fits", "--report", page, "--json")
    check(r.status == 0 and r.json()["files"] == [page], r.err)
    with open(page, encoding="utf-8") as f:
        text = f.read()
    check_alone(text)
    check(text.count("<ellipse") == text.count("<tr id=") == 24)
    for word in ("24 sources in", "field.fits", "clump find", r.json()["device"], "threshold",
                 "mean ", "ICRS", "Histogram", "UTC"):
        check(word in text, word)
    fails(1, ["page.html", "--force"], "find", DATA + "/field.fits", "--report", page)
    check(sorted(os.listdir(folder)) == ["page.html"], os.listdir(folder))
    if not BROWSER:
        return "chromium is not installed; the text was checked"
    judge(folder, page, "npix")
    return None


@test
def the_page_of_cells(folder):
    page = os.path.join(folder, "page.html")
    r = clump("cells", DATA + "/cells.png", "--channel", "green", "--report", page, "-q")
    check(r.status == 0, r.err)
    with open(page, encoding="utf-8") as f:
        text = f.read()
    # Each bin has two of the values, 4 to 157: their ends are 4 and 158.
    check(text.count('class="bins"') == 77 and '>4</text>' in text and '>158</text>' in text)
    if not BROWSER:
        return "chromium is not installed"
    judge(folder, page, "area")
    return None


@test
def the_page_of_extract(folder):
    page = os.path.join(folder, "page.html")
    r = clump("extract", DATA + "/field.fits", "--report", page, "--json")
    check(r.status == 0 and r.json()["files"] == [page], r.err)
    with open(page, encoding="utf-8") as f:
        text = f.read()
    check_alone(text)
    found = r.json()
    check(text.count("<ellipse") == text.count("<tr id=") == found["objects"] > 20, found["objects"])
    for word in ("%d objects in" % found["objects"], "%d after cleaning" % found["objects"], "boxes",
                 "1.5 of the noise", "ICRS", "flux_auto", ">level ", ">threshold "):
        check(word in text, word)
    # The brightest object's mark is where its row says: FITS images have their first row below.
    first = found["table"]["peak"].index(max(found["table"]["peak"]))
    x, y = (found["table"][axis][first] for axis in "xy")
    mark = re.search(r'id="m%d">.*?translate\(([\d.]+) ([\d.]+)\)' % (first + 1), text, re.S)
    check(abs(float(mark[1]) - (x - 0.5)) < 0.01 and abs(float(mark[2]) - (480.5 - y)) < 0.01,
          mark[0], x, y)
    r = clump("extract", DATA + "/field.fits", "--noise", "0.0133", "--keep-background",
              "--negative", "--report", folder + "/negative.html", "-q")
    check(r.status == 0, r.err)
    with open(folder + "/negative.html", encoding="utf-8") as f:
        text = f.read()
    check("none measured" in text and "of the negative" in text and ">threshold -0.01995" in text)
    if not BROWSER:
        return "chromium is not installed; the text was checked"
    judge(folder, page, "npix")
    return None


@test
def odd_names_and_empty_tables(folder):
    path = npy(os.path.join(folder, "<b>&.npy"), [[0.0, 1.0] * 10] * 20)
    page = os.path.join(folder, "page.html")
    r = clump("find", path, "--report", page, "-q")
    check(r.status == 0, r.err)
    with open(page, encoding="utf-8") as f:
        text = f.read()
    check("<b>" not in text and "&lt;b&gt;&amp;.npy" in text and "0 sources" in text, text[-1500:])


if __name__ == "__main__":
    cli.main()
