#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Static analysis of the C sources, as TAP: clang-tidy, gcc -fanalyzer and cppcheck.

    analysis.py SOURCE_ROOT BUILD WORK [FILE...]

The checks of clang-tidy are in .clang-tidy. What may stay as it is stands in analysis.txt, with the
reason; a file with the check * is not given to the tool at all. FILE: only sources whose paths contain one of these. A tool that is missing is skipped by name.
"""
import fnmatch
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from tap import Tap

ROOT, BUILD, WORK = map(os.path.abspath, sys.argv[1:4])
# FILE:LINE:COLUMN: warning: TEXT [CHECK]
FOUND = re.compile(r"^(?P<file>[^\s:]+):(?P<line>\d+):\d+: (?:warning|error|style|performance|portability): "
                   r"(?P<text>.*) \[(?P<check>[^\]]+)\]$", re.M)


def read_exceptions():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "analysis.txt")
    with open(path, encoding="utf-8") as file:
        lines = [line.split(None, 3) for line in file if line.strip() and not line.startswith("#")]
    for line in lines:
        if len(line) != 4:
            sys.exit(f"{path}: a line has a tool, a file, a check and a reason, unlike: {' '.join(line)}")
    return [tuple(line[:3]) for line in lines]


def sources():
    """File and command of each source of the project, once; programs of the tests too."""
    with open(os.path.join(BUILD, "compile_commands.json"), encoding="utf-8") as file:
        entries = json.load(file)
    found = {}
    for entry in entries:
        path = os.path.normpath(os.path.join(entry["directory"], entry["file"]))
        name = os.path.relpath(path, ROOT)
        wanted = not sys.argv[4:] or any(part in name for part in sys.argv[4:])
        made = path.startswith(BUILD + os.sep)  # by cffi, say
        if path.endswith(".c") and not name.startswith("..") and not made and wanted:
            found.setdefault(name, shlex.split(entry["command"]))
    return found


def plain(command):
    """A compiler's options without its output and dependency files."""
    kept, skip = [], False
    for word in command[1:]:
        if skip or word in ("-o", "-MF", "-MQ"):
            skip = not skip
        elif word not in ("-MD", "-c", "-Werror"):
            kept.append(word)
    return kept


def tidy(name, command):
    return ["clang-tidy", "--quiet", "-p", BUILD, os.path.join(ROOT, name)]


def analyzer(name, command):
    return ["gcc", *plain(command), "-fanalyzer", "-c", "-o", os.devnull]


def cppcheck(name, command):
    options = [word for word in plain(command) if word.startswith(("-D", "-I"))]
    return ["cppcheck", "--quiet", "--std=c11", "--enable=warning,performance,portability", "--inline-suppr",
            "--suppress=missingIncludeSystem", "--suppress=missingInclude",
            "--template={file}:{line}:{column}: {severity}: {message} [{id}]", *options, *LOOPS,
            os.path.join(ROOT, name)]


# Loops of jansson, which cppcheck does not read.
LOOPS = ["-Djson_array_foreach(a,i,v)=for(i=0;i<json_array_size(a)&&(v=json_array_get(a,i));i++)",
         "-Djson_object_foreach(o,k,v)=for(;(k=json_next(o))&&(v=json_object_get(o,k));)"]
TOOLS = [("clang-tidy", "clang-tidy", tidy), ("gcc", "gcc -fanalyzer", analyzer),
         ("cppcheck", "cppcheck", cppcheck)]


def complaints(output):
    """(file, line, check, text) of each complaint about the project's own files."""
    for found in FOUND.finditer(output):
        name = os.path.relpath(os.path.normpath(os.path.join(BUILD, found["file"])), ROOT)
        if not name.startswith(".."):
            yield name, found["line"], found["check"], found["text"]


def main():
    tap, exceptions, used = Tap(), read_exceptions(), set()
    os.makedirs(WORK, exist_ok=True)
    items = sorted(sources().items())
    for tool, title, command in TOOLS:
        if not shutil.which(tool):
            tap.skip(title, f"{tool} is not installed")
            used |= {e for e in exceptions if e[0] == tool}
            continue

        unasked = {e for e in exceptions if e[0] == tool and e[2] == "*"}
        asked = [item for item in items if not any(fnmatch.fnmatch(item[0], e[1]) for e in unasked)]
        used |= unasked

        def run(item):
            return subprocess.run(command(*item), cwd=BUILD, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True).stdout
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            found = {entry for output in pool.map(run, asked) for entry in complaints(output)}
        told = []
        for name, line, check, text in sorted(found):
            excuses = {e for e in exceptions if e[0] == tool and fnmatch.fnmatch(name, e[1])
                       and any(fnmatch.fnmatch(one, e[2]) for one in check.split(","))}
            used |= excuses
            if not excuses:
                told.append(f"{name}:{line}: {text} [{check}]")
        tap.report(f"{title}: {len(asked)} files", told)
    if not sys.argv[4:]:
        tap.report("every exception is needed", [" ".join(e) for e in exceptions if e not in used])
    return tap.done()


if __name__ == "__main__":
    sys.exit(main())
