#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The style of the sources, as TAP: format, spelling, blanks, licences, sizes, arithmetic, commits.

    style.py SOURCE_ROOT

A check whose tool is missing is skipped by name. Functions and files that may be long are in
tests/style.txt, each with the reason.
"""
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "gates"))
from tap import Tap  # noqa: E402

ROOT = os.path.abspath(sys.argv[1])
WIDTH, FUNCTION, FILE = 100, 80, 500
SOURCES = (".c", ".h", ".cl", ".py", ".pyi", ".sh")
TEXTS = SOURCES + (".md", ".build", ".txt", ".1", ".in", ".bash")
FOLDERS = ("include", "src", "cl", "tests", "bench", "docs", "scripts", "debian", "data", "python", ".ci")
# What codespell takes for misspelt: a name in the kernels, a slip that a test makes on purpose, and a
# macro of man pages.
WORDS = "upto,treshold,nd"
FORMATTER = 14  # the version of clang-format that the sources are formatted with: Debian 12's
COMMITS = 20
BANNER = ("Method", "Launch", "Exactness", "Limits", "Others")
PATH = re.compile(r"(?<![\w./-])(?:src|cl|include|tests|bench|docs|data|scripts|python)/[\w./-]*\w\."
                  r"(?:cl|c|h|py|sh|md|txt)\b")
SUBJECT = re.compile(r"(Merge .*|[a-z0-9_./+-]+(, [a-z0-9_./+-]+)*: ([a-z0-9\"'`-]|[A-Z]{2}).*[^.])")


def files(endings):
    """Paths, from the root, of the files with one of the endings; scripts/ has none, and is text."""
    found = [name for name in os.listdir(ROOT) if os.path.isfile(os.path.join(ROOT, name))]
    for folder in FOLDERS:
        for base, folders, names in os.walk(os.path.join(ROOT, folder)):
            folders[:] = [f for f in folders if f not in ("build", "__pycache__", "golden", "corpus")]
            found += [os.path.relpath(os.path.join(base, name), ROOT) for name in names]
    scripts = {name for name in found if os.path.dirname(name) == "scripts" and endings == TEXTS}
    return sorted({name for name in found if name.endswith(endings)} | scripts)


def text(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


def exceptions():
    """Names that may be long, with the reason: "FILE REASON" or "FILE:FUNCTION REASON"."""
    lines = [line.split(None, 1) for line in text("tests/style.txt").splitlines()
             if line and not line.startswith("#")]
    return {name: reason for name, reason in lines}


def run(command, **more):
    return subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          **more)


def check_format(tap):
    if not shutil.which("clang-format"):
        return tap.skip("clang-format", "clang-format is not installed")
    version = re.search(r"version (\d+)", run(["clang-format", "--version"]).stdout)
    if not version or int(version.group(1)) != FORMATTER:
        return tap.skip("clang-format", f"clang-format {FORMATTER} is not what is installed")
    done = run(["clang-format", "--dry-run", "-Werror", *files((".c", ".h"))])
    changed = {line.split(":")[0] for line in done.stdout.splitlines() if " error: " in line}
    tap.report("clang-format has nothing to change", sorted(changed))


def check_spelling(tap):
    if not shutil.which("codespell"):
        return tap.skip("codespell", "codespell is not installed")
    done = run(["codespell", "--ignore-words-list", WORDS, *files(TEXTS)])
    tap.report("codespell finds no misspelling", done.stdout.splitlines())


def check_lines(tap):
    tabs, blanks, ends, wide = [], [], [], []
    for name in files(TEXTS):
        whole = text(name)
        if whole and (not whole.endswith("\n") or whole.endswith("\n\n")):
            ends.append(name)
        for number, line in enumerate(whole.split("\n"), 1):
            if "\t" in line:
                tabs.append(f"{name}:{number}")
            if line != line.rstrip():
                blanks.append(f"{name}:{number}")
            if len(line) > WIDTH and name.endswith((".c", ".h", ".cl")):
                wide.append(f"{name}:{number}: {len(line)} columns")
    tap.report("no tabs", [line for line in tabs if not line.startswith(("debian/rules", "data/"))])
    tap.report("no blanks at the end of a line", blanks)
    tap.report("every file ends with one newline", ends)
    tap.report(f"no line of C or OpenCL C has more than {WIDTH} columns", wide)


def check_licences(tap):
    tap.report("every source names its licence in the first three lines",
               [name for name in files(SOURCES) if text(name) and "SPDX-License-Identifier:" not in "\n".join(text(name).split("\n")[:3])])


def functions(name):
    """Names and numbers of lines: from the line of the name to the closing brace in column 1."""
    lines, start = text(name).split("\n"), None
    for number, line in enumerate(lines):
        if line.startswith("{") and start is None:
            head = number - 1
            while head > 0 and lines[head - 1] and not lines[head - 1].startswith(("}", "#", "/*", " *")):
                head -= 1
            words = re.sub(r"__attribute__\(\(.*?\)\)\)?", "", " ".join(lines[head:number]))
            found = re.search(r"(\w+)\s*\(", words)
            start = (found.group(1) if found else "?", head)
        elif line.startswith("}") and start is not None:
            yield start[0], number + 1 - start[1]
            start = None


def check_banners(tap):
    """What each kernel file says of itself: CONTRIBUTING.md, "Comments"."""
    wrong = []
    for name in files((".cl",)):
        banner = text(name).split("*/\n")[1] if "*/\n" in text(name) else ""
        wrong += [f"{name}: no line begins with {word}:" for word in BANNER
                  if not re.search(rf"^ \* {word}: ", banner, re.M)]
    tap.report(f"the banner of every kernel file has {', '.join(BANNER)}", wrong)
    tap.report("every kernel has a comment that says what it leaves",
               [f"{name}: {found[1]}" for name in files((".cl",))
                for found in re.finditer(r"(?<!\*/\n)^kernel (?:\w+ )*void (\w+)", text(name), re.M)])


def check_paths(tap):
    wrong = []
    for name in files((".c", ".h", ".cl", ".md", ".py")):
        if name == "CHANGELOG.md":
            continue
        for found in PATH.finditer(text(name)):
            path = found.group()
            placeholder = re.search(r"[/_][A-Z]+\.\w+$", path)
            if not placeholder and not os.path.exists(os.path.join(ROOT, path)):
                line = text(name).count("\n", 0, found.start()) + 1
                wrong.append(f"{name}:{line}: {path}")
    tap.report("every file of the project that a text names exists", wrong)


def check_sizes(tap):
    allowed, used, long = exceptions(), set(), []
    for name in files((".c", ".h", ".cl")):
        sizes = [(name, text(name).count("\n"), FILE)]
        sizes += [(f"{name}:{function}", lines, FUNCTION) for function, lines in functions(name)]
        for what, lines, most in sizes:
            if lines <= most:
                continue
            used.add(what)
            if what not in allowed:
                long.append(f"{what}: {lines} lines")
    tap.report(f"no function has more than {FUNCTION} lines, no file more than {FILE}", long)
    tap.report("every exception is needed", sorted(set(allowed) - used))


def check_arithmetic(tap):
    """src/rounding.h: a function without it gives what the rounding mode of its caller makes of it."""
    headers = "".join(re.sub(r"/\*.*?\*/", "", text(name), flags=re.S)
                      for name in files((".h",)) if name.startswith("include/"))
    public = re.findall(r"CLUMP_API enum clump_status (clump_\w+)\(", headers)
    code = "".join(text(name) for name in files((".c",)) if name.startswith("src/"))
    without = []
    for name in public:
        found = re.findall(rf"^enum clump_status {name}\([^;{{]*\{{\n(.*)$", code, re.M)
        if not found or any("CLUMP_ROUNDING();" not in first for first in found):
            without.append(name)
    tap.report("every public function with a status computes with C's usual arithmetic",
               without if len(public) > 60 else [f"{len(public)} public functions are too few"])


def check_commits(tap):
    what = f"the subjects of the last {COMMITS} commits"
    if not shutil.which("git") or run(["git", "rev-parse", "HEAD"]).returncode:
        return tap.skip(what, "there is no git history")
    subjects = run(["git", "log", f"-{COMMITS}", "--no-merges", "--format=%s"]).stdout.splitlines()
    tap.report(what + ' are "area: what", of 72 columns at most',
               [line for line in subjects if len(line) > 72 or not SUBJECT.fullmatch(line)])


def main():
    tap = Tap()
    for check in (check_format, check_spelling, check_lines, check_licences, check_banners, check_paths,
                  check_sizes, check_arithmetic, check_commits):
        check(tap)
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
