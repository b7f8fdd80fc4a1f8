#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Power cuts: the calls by which the command writes its outputs are taken from strace and replayed
on a model of a disk that keeps as little as it may. After each call, whatever the disk has kept, the
name of an output stands for the whole old file, the whole new one or, where there was none, nothing.

usage: cli_powercut.py CLUMP SOURCE_DIR      (prints TAP)
"""
import itertools
import os
import re
import shutil
import subprocess

import cli
from cli import DATA, check

cli.TESTS.clear()
test = cli.test
FIELD = os.path.join(DATA, "field.fits")
HARMLESS = {"access", "chmod", "chown", "close", "faccessat", "faccessat2", "fadvise64", "fchmod",
            "fchown", "fcntl", "flock", "fstat", "getcwd", "getdents64", "lseek", "mmap", "newfstatat",
            "pread64", "read", "readlink", "readlinkat", "stat", "statx", "execve", "fstatfs", "ioctl"}


class File:
    """What the processes see in a file, and what the disk has for certain."""

    def __init__(self, content=b""):
        self.live, self.kept = bytearray(content), bytes(content)

    def after_a_cut(self):
        """Contents that may be found: what was settled, in its length or that of what was written
        since, a part of the latter, or all of it."""
        live = bytes(self.live)
        if live == self.kept:
            return {live}
        longer = self.kept + bytes(max(0, len(live) - len(self.kept)))
        half = bytes(live[:len(live) // 2])
        return {self.kept, longer, half, half + bytes(len(live) - len(half)), live}


class Disk:
    """A folder. Names change on the disk when the folder is settled; before that, each of the
    changes may or may not be there."""

    def __init__(self, folder, files):
        self.folder = folder
        self.names = {name: File(content) for name, content in files.items()}
        self.kept, self.changes, self.open = dict(self.names), [], {}
        self.writes = self.settled = 0

    def change(self, **names):
        """Names, as name=file or name=None, that change in one step."""
        self.changes.append(names)
        apply(self.names, names)

    def after_a_cut(self, name):
        """What the name may stand for: contents, or None where there is no such file."""
        found = set()
        mine = [change for change in self.changes if name in change]
        for chosen in itertools.product((False, True), repeat=len(mine)):
            names = dict(self.kept)
            for change, taken in zip(mine, chosen):
                if taken:
                    apply(names, change)
            found |= names[name].after_a_cut() if name in names else {None}
        return found

    def inside(self, path):
        """The name in the folder that a path stands for, which may be by way of a descriptor."""
        held = re.match(r"/proc/self/fd/(\d+)(?=/)", path)
        if held and self.open.get(held.group(1)) is self:
            path = self.folder + path[held.end():]
        return os.path.basename(path) if os.path.dirname(path) == self.folder else None

    def play(self, call, words, result):
        """One call that went well; words are its arguments as strace writes them."""
        text = strings(words)
        path = [self.inside(t.decode("utf-8", "replace")) for t in text[:2]]
        where = re.match(r"(\d+)<([^>]*)>", words)
        on = unhex(where.group(2)).decode("utf-8", "replace") if where else ""
        if call in ("open", "openat", "creat"):
            self.opened(path[0], words, result.split("<")[0], call)
            if result.endswith("<%s>" % hexed(self.folder)):
                self.open[result.split("<")[0]] = self
        elif call in ("rename", "renameat", "renameat2", "link", "linkat", "unlink", "unlinkat"):
            self.renamed(call, path)
        elif call in ("fsync", "fdatasync") and on == self.folder:
            self.kept, self.changes = dict(self.names), []
            self.settled += 1
        elif self.inside(on):
            self.written(call, where.group(1), words, b"".join(text), int(result.split()[0], 0))
        elif any(path) or "<" + hexed(self.folder + "/") in words:
            harmless(call, words)

    def opened(self, name, words, fd, call):
        self.open.pop(fd, None)
        if not name:
            return
        if name not in self.names:
            self.change(**{name: File()})
        file = self.names[name]
        if "O_TRUNC" in words or call == "creat":
            file.live.clear()
        check("O_APPEND" not in words, "O_APPEND is not modelled")
        self.open[fd] = [file, 0]

    def renamed(self, call, path):
        if not any(path):
            return
        check(path[0] in self.names, call, path)
        if "link" in call and "unlink" not in call:
            self.change(**{path[1]: self.names[path[0]]})
        elif call.startswith("unlink"):
            self.change(**{path[0]: None})
        else:
            self.change(**{path[0]: None, path[1]: self.names[path[0]]})

    def written(self, call, fd, words, data, result):
        check(fd in self.open, call, "on a descriptor that was not seen to be opened", words[:200])
        file, at = self.open[fd]
        last = words.rsplit(", ", 1)[-1]
        if call in ("write", "writev", "pwrite64"):
            self.writes += 1
            at = int(last) if call == "pwrite64" else at
            check(result <= len(data), "strace has cut the data")
            file.live.extend(bytes(max(0, at - len(file.live))))
            file.live[at:at + result] = data[:result]
            if call != "pwrite64":
                self.open[fd][1] = at + result
        elif call == "read":
            self.open[fd][1] += result
        elif call == "lseek":
            self.open[fd][1] = result
        elif call == "ftruncate":
            file.live.extend(bytes(max(0, int(last) - len(file.live))))
            del file.live[int(last):]
        elif call in ("fsync", "fdatasync"):
            file.kept = bytes(file.live)
        else:
            harmless(call, words)


def apply(names, change):
    for name, file in change.items():
        if file:
            names[name] = file
        else:
            names.pop(name, None)


def harmless(call, words):
    """Fails for a call that the model would have to know."""
    known = call in HARMLESS and "F_DUPFD" not in words
    check(known and not ("PROT_WRITE" in words and "MAP_SHARED" in words),
          "what does this call change?", call, words[:200])


def hexed(text):
    return "".join("\\x%02x" % c for c in text.encode())


def unhex(text):
    return bytes.fromhex(text.replace("\\x", ""))


def strings(words):
    return [unhex(t) for t in re.findall(r'"((?:\\x[0-9a-f]{2})*)"', words)]


def calls(log):
    """(call, arguments, result) of what went well, in the order in which it ended."""
    begun = {}
    for line in open(log):
        process, rest = line.rstrip("\n").split(None, 1)
        if rest.endswith("<unfinished ...>"):
            begun[process] = rest[:-len("<unfinished ...>")].rstrip()
            continue
        resumed = re.match(r"<\.\.\. \w+ resumed>", rest)
        if resumed:
            rest = begun.pop(process) + rest[resumed.end():]
        whole = re.match(r"(\w+)\((.*)\)\s+= (\d.*)$", rest)
        if whole:
            yield whole.groups()


def cut(folder, old, names, *run):
    """Runs the command with outputs of these names, with old files or without, and cuts the power
    after every call. Returns the number of the calls that wrote."""
    out = os.path.join(folder, "old" if old else "new")
    os.makedirs(out)
    files = {name: b"precious " * 1000 for name in names} if old else {}
    for name, content in files.items():
        with open(os.path.join(out, name), "wb") as file:
            file.write(content)
    log = os.path.join(folder, "trace")
    words = [os.path.join(out, word) if word in names else str(word) for word in run]
    done = subprocess.run(["strace", "-f", "-y", "-xx", "-s", "100000000", "-e", "trace=%desc,%file",
                           "-o", log, cli.CLUMP, *words, *(["--force"] if old else [])],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          env={**os.environ, "CLUMP_DEVICE": "reference"})
    check(done.returncode == 0, done.stderr)
    new = {name: open(os.path.join(out, name), "rb").read() for name in os.listdir(out)}
    check(sorted(new) == sorted(names), sorted(new))
    disk, allowed = Disk(out, files), {name: {files.get(name), new[name]} for name in names}
    for number, (call, arguments, result) in enumerate(calls(log)):
        disk.play(call, arguments, result)
        for name in names:
            lost = disk.after_a_cut(name) - allowed[name]
            check(not lost, name, "after call", number, call, "may be",
                  ["nothing" if c is None else "%d bytes %r..." % (len(c), c[:20]) for c in lost])
    check({name: bytes(file.live) for name, file in disk.names.items()} == new,
          "the replay has not made the files that the command has made")
    for name in names:
        check(disk.after_a_cut(name) == {new[name]}, name, "may be lost after the command has ended")
    check(disk.writes >= len(names) and disk.settled >= len(names), disk.writes, disk.settled)


def cuts(folder, names, *run, before=(False, True)):
    """With no files before, and with others to replace."""
    if not shutil.which("strace"):
        return "strace is missing"
    for old in before:
        cut(folder, old, names, *run)
    return None


@test
def the_model_loses_what_was_not_settled(folder):
    disk = Disk("/d", {"a": b"old"})
    disk.play("openat", r'AT_FDCWD</>, "\x2f\x64\x2f\x62", O_WRONLY|O_CREAT, 0666', r"3<\x2f\x64\x2f\x62>")
    disk.play("write", r'3<\x2f\x64\x2f\x62>, "\x6e\x65\x77\x21", 4', "4")
    check(disk.after_a_cut("a") == {b"old"})
    disk.play("rename", r'"\x2f\x64\x2f\x62", "\x2f\x64\x2f\x61"', "0")
    check(disk.after_a_cut("a") == {b"old", b"", b"\0\0\0\0", b"ne", b"ne\0\0", b"new!"})
    disk.play("fsync", r"3<\x2f\x64\x2f\x61>", "0")
    check(disk.after_a_cut("a") == {b"old", b"new!"} and disk.after_a_cut("b") >= {None, b"new!"})
    disk.play("fsync", r"4<\x2f\x64>", "0")
    check(disk.after_a_cut("a") == {b"new!"} and disk.after_a_cut("b") == {None})


@test
def table_labels_regions_and_picture(folder):
    return cuts(folder, ["t.csv", "l.fits", "r.reg", "p.png"], "find", FIELD, "-o", "t.csv",
                "--segmentation", "l.fits", "--regions", "r.reg", "--overlay", "p.png")


@test
def tables(folder):
    for name in ("t.fits", "t.vot", "t.ecsv"):
        os.makedirs(os.path.join(folder, name + ".d"))
        skipped = cuts(os.path.join(folder, name + ".d"), [name], "find", FIELD, "-o", name,
                       before=[True])
    return skipped


@test
def images(folder):
    for name in ("m.npy", "m.fits", "m.tif", "m.png", "m.fits.gz"):
        os.makedirs(os.path.join(folder, name + ".d"))
        skipped = cuts(os.path.join(folder, name + ".d"), [name], "threshold", FIELD, "--above", 1,
                       "-o", name, before=[False, True] if name == "m.fits" else [True])
    return skipped


@test
def labels(folder):
    return cuts(folder, ["l.fits"], "label", FIELD, "-o", "l.fits")


@test
def page(folder):
    return cuts(folder, ["v.pdf"], "view", FIELD, "-o", "v.pdf", before=[True])


if __name__ == "__main__":
    cli.main()
