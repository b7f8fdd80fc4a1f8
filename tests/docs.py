#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs what a document shows, as TAP: docs.py CLUMP SOURCE DOCUMENT...

Each ```sh block is run by `bash -e` in a folder that all blocks of the document share and in which
data/ is the project's. A ```text block behind it is what it prints: its lines stand in the output in
this order, and "..." stands for anything, within a line or for lines. A block that is meant to
fail says so in its first line: `# fails`.

The ```c blocks of a document are one program, in their order: those that begin with #include or
`static` stand before main, the others in it. It is compiled against the library beside CLUMP, with
warnings as errors, and run in the same folder after all other blocks; the ```text blocks behind C
blocks are what it prints.

The ```python blocks of a document are one program, too, which the Python that the module is built for
runs: DOCS_PYTHON, from the folder DOCS_PACKAGE. Without these they are SKIPPED."""
import os
import re
import shlex
import subprocess
import sys
import tempfile


def blocks(path):
    """Yields (line, kind, text) of each fenced block."""
    kind, start, lines = None, 0, []
    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            if line.startswith("```"):
                if kind is None:
                    kind, start, lines = line[3:].strip(), number, []
                else:
                    yield start, kind, "".join(lines)
                    kind = None
            elif kind is not None:
                lines.append(line)


def missing(expected, output):
    """The first expected line that the output lacks behind the one before, or None."""
    place = 0
    for line in expected.splitlines():
        if line.strip() in ("", "..."):
            continue
        pattern = ".*?".join(re.escape(" ".join(p.split())) for p in line.split("..."))
        here = place
        while here < len(output) and not re.fullmatch(r"\s*" + pattern + r"\s*",
                                                      " ".join(output[here].split())):
            here += 1
        if here == len(output):
            return line
        place = here + 1
    return None


def program(found, name):
    """The C program of a document and what it prints, or None."""
    before, inside, printed = [], [], []
    for i, (line, kind, text) in enumerate(found):
        if kind != "c":
            continue
        outside = text.startswith(("#include", "static "))
        (before if outside else inside).append(f'#line {line + 1} "{name}"\n{text}')
        if i + 1 < len(found) and found[i + 1][1] == "text":
            printed.append(found[i + 1][2])
    if not before and not inside:
        return None
    return "".join(before) + "int main(void)\n{\n" + "".join(inside) + "return 0;\n}\n", "".join(printed)


def gathered(found, wanted):
    """The blocks of a kind in their order, and what is printed behind them."""
    texts, printed = [], []
    for i, (_, kind, text) in enumerate(found):
        if kind == wanted:
            texts.append(text)
            if i + 1 < len(found) and found[i + 1][1] == "text":
                printed.append(found[i + 1][2])
    return "".join(texts), "".join(printed)


def run_python(text, folder, env):
    """Runs the program of a document's Python: (status, what it said). Warnings are errors: what goes
    through the host would warn."""
    run = subprocess.run([os.environ["DOCS_PYTHON"], "-W", "error", "-c", text], cwd=folder,
                         env=dict(env, PYTHONPATH=os.environ["DOCS_PACKAGE"]), text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
    return run.returncode, run.stdout


def run_program(text, clump, source, folder, env):
    """Compiles and runs it: (status, what it said)."""
    build = os.path.dirname(os.path.dirname(os.path.dirname(clump)))
    library = os.path.join(build, "src")
    with open(os.path.join(folder, "document.c"), "w", encoding="utf-8") as f:
        f.write(text)
    compiler = shlex.split(os.environ.get("CC", "cc"))
    command = [*compiler, "-std=c11", "-Wall", "-Wextra", "-Werror", "-I" + os.path.join(source, "include"),
               "-I" + os.path.join(build, "include"), "document.c", "-o", "document", "-L" + library,
               "-Wl,-rpath," + library, "-lclump", "-lm"]
    said = ""
    for words in (command, ["./document"]):
        run = subprocess.run(words, cwd=folder, env=env, text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, timeout=600)
        said += run.stdout
        if run.returncode:
            break
    return run.returncode, said


def main(clump, source, documents):
    number = failures = 0
    for document in documents:
        name = os.path.relpath(document, source)
        found = list(blocks(document))
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(os.path.join(source, "data"), os.path.join(folder, "data"))
            env = dict(os.environ, PATH=os.path.dirname(clump) + os.pathsep + os.environ["PATH"])
            for i, (line, kind, text) in enumerate(found):
                if kind != "sh":
                    continue
                fails = text.startswith("# fails")
                run = subprocess.run(["bash", "-e", "-c", text], cwd=folder, env=env, text=True,
                                     stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600)
                expected = found[i + 1][2] if i + 1 < len(found) and found[i + 1][1] == "text" else ""
                lacks = missing(expected, run.stdout.splitlines())
                good = (run.returncode != 0) == fails and lacks is None
                number += 1
                failures += not good
                print("ok" if good else "not ok", number, "-", f"{name}:{line}", flush=True)
                if not good:
                    print(f"# status {run.returncode}" + (f", lacks: {lacks}" if lacks else ""))
                    print("".join("# " + l + "\n" for l in run.stdout.splitlines()), end="")
            programs = []
            made = program(found, name)
            if made:
                programs.append(("its program", made[1],
                                 lambda: run_program(made[0], clump, source, folder, env)))
            python, printed = gathered(found, "python")
            if python and os.environ.get("DOCS_PYTHON"):
                programs.append(("its Python", printed, lambda: run_python(python, folder, env)))
            elif python:
                number += 1
                print("ok", number, "-", f"{name}: its Python # SKIP the Python module is not built")
            for what, expected, run_it in programs:
                status, said = run_it()
                lacks = missing(expected, said.splitlines())
                good = status == 0 and lacks is None
                number += 1
                failures += not good
                print("ok" if good else "not ok", number, "-", f"{name}: {what}", flush=True)
                if not good:
                    print(f"# status {status}" + (f", lacks: {lacks}" if lacks else ""))
                    print("".join("# " + l + "\n" for l in said.splitlines()), end="")
    print(f"1..{number}")
    return failures > 0 or number == 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3:]))
