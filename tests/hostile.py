#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files made to do harm: each is an error with one line and a status, in little memory, or is read.

usage: hostile.py CLUMP READER [--mutations N]      (prints TAP)
With CLUMP_HOSTILE_DIR set, the files of that folder and N mutations of each are tried too.
"""
import gzip
import os
import random
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "fuzz"))
import command  # noqa: E402

CLUMP, READER = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
MUTATIONS = sys.argv[sys.argv.index("--mutations") + 1] if "--mutations" in sys.argv else "20"
MEMORY = 256 << 20
TESTS = []


def test(function):
    TESTS.append(function)
    return function


def check(condition, *said):
    if not condition:
        raise AssertionError(" ".join(str(s) for s in said))


class Result:
    """A run of the command: how it ended, what it said, the most memory of one of its processes."""

    def __init__(self, *words, env=None, cwd=None):
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            begun = time.monotonic()
            process = subprocess.Popen([CLUMP, *map(str, words)], stdout=out, stderr=err, cwd=cwd,
                                       env={**os.environ, **(env or {})})
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = status
            self.seconds = time.monotonic() - begun
            self.status = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else \
                os.WEXITSTATUS(status)
            self.memory = usage.ru_maxrss * 1024
            out.seek(0)
            err.seek(0)
            self.out, self.err = out.read().decode(), err.read().decode()


def refused(says, *words, **kwargs):
    """The command ends with status 1 and one line that has `says` in it."""
    r = Result(*words, **kwargs)
    check(r.status == 1, words, "status", r.status, r.err)
    check(r.err.count("\n") == 1 and r.err.endswith("\n"), words, "said", repr(r.err))
    check(says in r.err, "no", repr(says), "in", r.err)
    check(r.memory < MEMORY, words, "took", r.memory >> 20, "MiB")
    return r


def taken(*words, **kwargs):
    r = Result(*words, **kwargs)
    check(r.status == 0, words, "status", r.status, r.err)
    check(r.memory < MEMORY, words, "took", r.memory >> 20, "MiB")
    return r


def both(says, path):
    refused(says, "info", path)
    refused(says, "stats", path, "--device", "reference")


def card(text):
    return text.encode("latin-1").ljust(80)


def keys(*pairs):
    return [k if v is None else
            "%-8s= %s" % (k, v) if str(v).startswith("'") else "%-8s= %20s" % (k, v)
            for k, v in pairs]


def header(lines):
    block = b"".join(card(line) for line in list(lines) + ["END"])
    return block.ljust(-(-len(block) // 2880) * 2880)


def data(content):
    return content.ljust(-(-len(content) // 2880) * 2880, b"\0")


def write(path, content):
    with open(path, "wb") as out:
        out.write(content)
    return path


def image(axes, more=(), bitpix=8, pixels=None):
    lines = keys(("SIMPLE", "T"), ("BITPIX", bitpix), ("NAXIS", len(axes)),
                 *(("NAXIS%d" % (i + 1), n) for i, n in enumerate(axes)))
    count = abs(bitpix) // 8
    for n in axes:
        count *= n
    return header(lines + list(more)) + data(bytes(count) if pixels is None else pixels)


def tiled(changes=(), more=()):
    """A tile-compressed image whose keywords can be changed."""
    table = dict(XTENSION="'BINTABLE'", BITPIX=8, NAXIS=2, NAXIS1=8, NAXIS2=8, PCOUNT=100, GCOUNT=1,
                 TFIELDS=1, TTYPE1="'COMPRESSED_DATA'", TFORM1="'1PB(40)'", ZIMAGE="T", ZBITPIX=16,
                 ZNAXIS=2, ZNAXIS1=8, ZNAXIS2=8, ZTILE1=8, ZTILE2=1, ZCMPTYPE="'RICE_1'")
    table.update(changes)
    lines = keys(*((k, v) for k, v in table.items() if v is not None))
    first = header(keys(("SIMPLE", "T"), ("BITPIX", 8), ("NAXIS", 0), ("EXTEND", "T")))
    return first + header(lines + list(more)) + data(bytes(164))


@test
def more_axes_than_cfitsio_holds(folder):
    for count in (10, 11, 20, 32, 33, 200, 999):
        path = write(folder + "/axes.fits", image([2, 2] + [1] * (count - 2)))
        both("NAXIS = %d" % count, path)
    path = write(folder + "/axes.fits", image([2] + [1] * 8 + [2, 2]))
    refused("NAXIS", "info", path, "--plane", 1)
    taken("info", write(folder + "/nine.fits", image([2, 2, 1, 1, 1, 1, 1, 1, 1])))
    both("ZNAXIS = 7", write(folder + "/tiles.fits", tiled({"ZNAXIS": 7})))


@test
def cards_that_cfitsio_reads_otherwise(folder):
    """CFITSIO also finds a card in small letters or behind HIERARCH, and of two equal ones either."""
    both("there before", write(folder + "/twice.fits",
                               image([2880], keys(("NAXIS1", 99999999)))))
    taken("info", write(folder + "/same.fits", image([4, 4], keys(("NAXIS1", 4)))))
    for spelt in ("ztile1  =                    0", "HIERARCH ZTILE1 = 0", "HIERARCH ztile1=0",
                  "ZTILE1= 0", "ZTILE1 x=                   0"):
        both("spelt", write(folder + "/spelt.fits", tiled({"ZTILE1": None}, [spelt])))
    both("spelt", write(folder + "/end.fits", image([2, 2], ["END=     "])))


@test
def values_that_cfitsio_trusts(folder):
    for key, value, says in (("ZBITPIX", 7, "ZBITPIX = 7"), ("ZBITPIX", -16, "ZBITPIX = -16"),
                             ("ZTILE1", 0, "ZTILE1"), ("ZTILE1", "'8'", "ZTILE1"),
                             ("ZTILE1", 0.5, "ZTILE1"), ("ZNAXIS2", 900, "NAXIS2 = 8"),
                             ("ZTILE1", 2147483647, "compressed bytes")):
        both(says, write(folder + "/value.fits", tiled({key: value})))
    both("compressed bytes", write(folder + "/bomb.fits", tiled(
        {"ZNAXIS1": 2147483647, "ZTILE1": 2147483647, "ZCMPTYPE": "'PLIO_1'"})))
    for name, value in (("BLOCKSIZE", 1), ("BLOCKSIZE", 0), ("BYTEPIX", 999), ("BYTEPIX", 3)):
        more = keys(("ZNAME1", "'%s'" % name), ("ZVAL1", value))
        both("%s = %d" % (name, value), write(folder + "/rice.fits", tiled(more=more)))


@test
def parameters_of_rice_by_their_place(folder):
    """CFITSIO takes ZVAL1 and ZVAL2, whatever ZNAME1 and ZNAME2 say."""
    for name, value, says in (("ZVAL1", 0, "BLOCKSIZE = 0"), ("ZVAL1", "F", "BLOCKSIZE = 0"),
                              ("ZVAL1", "'32'", "BLOCKSIZE = 0"), ("ZVAL2", 3, "BYTEPIX = 3")):
        for named in ((), ("NOISEBIT", "NOISEBIT")):
            more = keys(*(("ZNAME%d" % (i + 1), "'%s'" % n) for i, n in enumerate(named)),
                        ("ZVAL1", 32), ("ZVAL2", 2))
            more = [c for c in more if not c.startswith(name)] + keys((name, value))
            both(says, write(folder + "/rice.fits", tiled(more=more)))


@test
def gzip_files(folder):
    plain = image([4, 4])
    taken("info", write(folder + "/good.fits.gz", gzip.compress(plain)))
    both("another gzip", write(folder + "/double.fits.gz", gzip.compress(gzip.compress(plain))))
    both("gzip", write(folder + "/cut.fits.gz", gzip.compress(plain)[:-9]))
    both("NAXIS = 20", write(folder + "/axes.fits.gz",
                             gzip.compress(image([2, 2] + [1] * 18))))
    # The second header lies behind 400 MB of data, which info does not keep.
    # (Packed bit by bit: a child's memory is counted from its parent's.)
    path = folder + "/long.fits.gz"
    with gzip.open(path, "wb", 1) as out:
        out.write(header(keys(("SIMPLE", "T"), ("BITPIX", 8), ("NAXIS", 2), ("NAXIS1", 20000),
                              ("NAXIS2", 20160))))
        for _ in range(20160):
            out.write(bytes(20000))
        out.write(header(keys(("XTENSION", "'IMAGE'"), ("BITPIX", 8), ("NAXIS", 1), ("NAXIS1", 3),
                              ("PCOUNT", 0), ("GCOUNT", 1), ("EXTNAME", "'BEHIND'"))))
        out.write(data(b"abc"))
    r = taken("info", path)
    check("BEHIND" in r.out and "20160 x 20000" in r.out, r.out)
    r = Result("stats", path + "[1]", "--device", "reference", "--json")
    check(r.status == 0 and '"max": 99.0' in r.out, r.out, r.err)
    refused("--memory-limit", "info", path, "--memory-limit", "300M")


@test
def memory_limit(folder):
    path = write(folder + "/large.fits", image([3000, 1000]))
    refused("--memory-limit", "stats", path, "--device", "reference", "--memory-limit", "2M")
    taken("stats", path, "--device", "reference", "--memory-limit", "3M")
    for wrong in ("x", "0", "-1", "3X", "99999999999999T"):
        check(Result("info", path, "--memory-limit", wrong).status == 2, wrong)


def chunk(name, content):
    return struct.pack(">I", len(content)) + name + content + struct.pack(
        ">I", zlib.crc32(name + content))


@test
def pictures_larger_than_their_files(folder):
    for width, height in ((0x7fffffff, 0x7fffffff), (100000, 100000), (0x7fffffff, 1)):
        content = b"\x89PNG\r\n\x1a\n" + chunk(
            b"IHDR", struct.pack(">IIBBBBB", width, height, 16, 6, 0, 0, 0)) + chunk(
                b"IDAT", zlib.compress(bytes(1000))) + chunk(b"IEND", b"")
        both("more pixels than", write(folder + "/bomb.png", content))
    for compression, limit in ((1, 1), (5, 2731), (8, 1032), (32773, 64)):
        def tags(size):
            entries = [(256, 4, size), (257, 4, size), (258, 3, 8), (259, 3, compression),
                       (262, 3, 1), (273, 4, 8), (277, 3, 1), (278, 4, size), (279, 4, 8)]
            return b"II*\0" + struct.pack("<I", 16) + bytes(8) + struct.pack(
                "<H", len(entries)) + b"".join(
                    struct.pack("<HHII", tag, kind, 1, value) for tag, kind, value in entries) + \
                bytes(4)
        for size in (100000, 0x7fffffff):
            both("", write(folder + "/bomb.tif", tags(size)))


@test
def many_pages(folder):
    """Listing pages takes time in proportion to them; a chain that comes back ends."""
    def pages(count, loop=False):
        one = [(256, 4, 2), (257, 4, 2), (258, 3, 8), (259, 3, 1), (262, 3, 1), (273, 4, 8),
               (277, 3, 1), (278, 4, 2), (279, 4, 4)]
        size = 2 + 12 * len(one) + 4
        out = b"II*\0" + struct.pack("<I", 12) + b"abcd"
        for i in range(count):
            last = (12 if loop else 0)
            out += struct.pack("<H", len(one)) + b"".join(
                struct.pack("<HHII", tag, kind, 1, value) for tag, kind, value in one)
            out += struct.pack("<I", last if i == count - 1 else 12 + size * (i + 1))
        return out
    seconds = []
    for count in (5000, 20000):
        r = taken("info", write(folder + "/pages.tif", pages(count)))
        check("pages        %d," % count in r.out, r.out[:500])
        seconds.append(r.seconds)
    check(seconds[1] < 10 * seconds[0] + 1, "5000 and 20000 pages:", seconds)
    for count in (1, 2, 5):
        r = taken("info", write(folder + "/loop.tif", pages(count, True)))
        check(count == 1 or "pages        %d," % count in r.out, r.out)


@test
def one_card_for_wcslib(folder):
    for line in ("A_0_2   =", "A_0_2   =  / none", "A_0_2   = 'x'", "A_ORDER = 'x'", "BP_1_1  = T", "CRPIX1  = 'x'", "PV1_2   = (1,2)"):
        taken("info", write(folder + "/sip.fits", image([4, 4], [line])))
    for first in ("CTYPE1  = 'RA---TAN-SIP'", "CTYPE1  = 'PLIO_1'"):
        for line in ("CTYPE2  = -16", "CTYPE2  = T", "CTYPE2  =", "CTYPE2  ='DEC--TAN-SIP'",
                     "CTYPE2  = 'DEC--TAN", "CTYPE2  = 'DEC--TAN' x", "CTYPE2 ='DEC'", "CTYPE2A = 'D'",
                     "CTYPE2  = ' / a", "CTYPE2  = 'DEC--TAN-SIP' / a"):
            for more in ("B_2_0   = %20d %19s" % (32768, "w"), "A_ORDER = 2", "BP_0_1  = 1 1"):
                taken("info", write(folder + "/sip.fits", image([4, 200], [line, first, more])))


@test
def names_are_just_names(folder):
    content = image([4, 4], pixels=bytes(range(16)))
    for name in ("~x.fits", " x.fits", "a[b.fits", "(x).fits", "x.fits+1", "-x.fits", "mem:x.fits",
                 "a b.fits ", "!x.fits", "http:x.fits", "~/x.fits"):
        if "/" in name:
            os.mkdir(folder + "/~")
        write(os.path.join(folder, name), content)
        r = taken("stats", "--json", "--device", "reference", "--", name, cwd=folder)
        check('"max": 15.0' in r.out, name, r.out)
    deep = folder
    for _ in range(12):
        deep += "/" + "d" * 100
        os.mkdir(deep)
    taken("info", write(deep + "/x.fits", content))
    for name in (" d/out.fits", "~/out.fits", " out.fits", deep + "/out.fits"):
        if name == " d/out.fits":
            os.mkdir(folder + "/ d")
        taken("convert", "--type", "float32", "--device", "reference", "-o", name, "--",
              "~x.fits", cwd=folder)
        check(os.path.exists(os.path.join(folder, name)), name)
        taken("info", name, cwd=folder)


@test
def swapped_links(folder):
    """The file that was looked at is the one that is read."""
    good = write(folder + "/good.fits", image([4, 4]))
    bad = write(folder + "/bad.fits", tiled({"ZTILE1": 0, "ZTILE2": 0}))
    link, stop = folder + "/link.fits", threading.Event()
    os.symlink(good, link)

    def swap():
        while not stop.is_set():
            for target in (bad, good):
                os.symlink(target, link + ".new")
                os.rename(link + ".new", link)
    thread = threading.Thread(target=swap)
    thread.start()
    try:
        for _ in range(20):
            r = Result("info", link)
            check(r.status == 0 or (r.status == 1 and r.err.count("\n") == 1), r.status, r.err)
            check("crashed" not in r.err, r.err)
    finally:
        stop.set()
        thread.join()


@test
def terminal_escapes_are_shown(folder):
    esc = "'\x1b]0;x\x07\x9b31m'"
    content = image([4, 4], keys(("BUNIT", esc), ("EXTNAME", esc))) + header(
        keys(("XTENSION", "'IMAGE'"), ("BITPIX", 8), ("NAXIS", 1), ("NAXIS1", 3), ("PCOUNT", 0),
             ("GCOUNT", 1), ("EXTNAME", esc))) + data(b"abc")
    path = write(folder + "/a\x1b[2J\nb.fits", content)
    for words in (("info",), ("find", "--device", "reference"), ("info", path)):
        r = Result(*words, path)
        check(not any(c < " " and c not in "\n\t" for c in r.out + r.err), repr(r.out + r.err))
    r = taken("info", path)
    check("\\x1b]0;x\\x07" in r.out, r.out)
    r = refused("a\\x1b[2J\\x0ab.fits", "info", path + "x")
    check("No such file" in r.err, r.err)
    both("\\x0a\\x1a\\x09", write(folder + "/lines.fits", image([4, 4], ["NAXIS   = \n\x1a\t 2"])))


@test
def names_that_are_taken_for_options(folder):
    """By `clump info *` in a folder that somebody else has filled."""
    for words in (("info", "--\x1b]0;x\x07"), ("info", "-\x1b[2J"), ("\x1b[2J",),
                  ("convert", "--type", "\x1b[2J", "-o", "x.fits", "a.fits"),
                  ("extract", "--check", "\x1b[2J\r=x.fits", "a.fits")):
        r = Result(*words)
        check(r.status == 2 and r.err.count("\n") == 1, words, r.status, r.err)
        check(not any(c < " " and c != "\n" for c in r.err) and "\\x1b" in r.err, repr(r.err))


@test
def tables_of_positions(folder):
    """Text of any kind in the place of a catalogue."""
    path = write(folder + "/good.fits", image([8, 8], pixels=bytes(range(64))))

    def measure(content, *more):
        table = write(folder + "/t.csv", content)
        return ("photometry", path, "--device", "reference", "--catalog", table, "--aperture", 2, *more)
    for content, says in (
            (b"", "no line with names"), (b"\n\n#\n", "no line with names"),
            (b"a,b\n1,2\n", "columns x and y"), (image([8, 8]), "line 1 does not end, or has"),
            (b"x,y\n1,\x1b[2J\n", "'\\x1b[2J' where a number"),
            (b"x,y\n1," + b"z" * 5000 + b"\n", "where a number"),
            (b"x,y\n1,2\t3 4\n", "'2\\x093 4' where a number"),
            (b"x,y\n1,2\0", "line 2 does not end, or has a byte 0"),
            (b"x,y\n" + b"1" * (1 << 20), "line 2 does not end"),
            (b"x,y\n1\0,2\n3,4\n", "line 2 does not end, or has a byte 0"),
            (b"id,x,y\n1e300,1,2\n", "whole number"), (b"id,x,y\n-inf,1,2\n", "whole number"),
            (random.Random(1).randbytes(5000), "")):
        r = refused(says, *measure(content))
        check("t.csv" in r.err and len(r.err) < 300, len(r.err), r.err[:400])
    for content in (b"x,y", b"x,y\n", b"x,y\n1\n", b"x,y\n,\n", b"x,y\n1,2,3,4,5\n", b"x y\n1 2",
                    b"x,y\n1e400,nan\ninf,-inf\n1e308,-1e308\n0x1p60,-1e-320\n",
                    b"id,x,y\nnan,1,2\n-9007199254740992,1,2\n"):
        for more in ((), ("--annulus", "3,5"), ("--radius", "0,0.5,1"), ("--err", "1e300")):
            r = taken(*measure(content, *more))
            check(r.out.count("\n") >= 1, content, r.out)
    shaped = b"x,y,a,b,theta\n" + b"".join(
        b"4,4,%s,%s,%s\n" % (a, b, t) for a in (b"0", b"1e-320", b"1e308", b"inf", b"-1", b"nan", b"2")
        for b in (b"0", b"1e300", b"1", b"nan") for t in (b"0", b"1e300", b"inf"))
    r = taken(*measure(b"  x , y\t,name\n 1 ,\t2 , a b \n"))
    check(r.out.split("\n")[1].startswith("1,2,"), r.out)
    r = taken(*measure(shaped, "--kron", "--radius", "0.5", "--gain", 2))
    check(r.out.count("\n") == 7 * 4 * 3 + 1, r.out)
    refused("t.csv: --kron wants", *measure(b"x,y\n1,2\n", "--kron"))
    refused("--memory-limit", *measure(b"x,y\n" + b"1,1\n" * 9999, "--memory-limit", "1M"))
    for name in ("/dev/zero", folder):
        refused(name, "photometry", path, "--device", "reference", "--catalog", name, "--aperture", 2)


@test
def without_a_reader(folder):
    """The library reads in its own process, and says so where that was not asked for."""
    path = write(folder + "/good.fits", image([4, 4]))
    r = taken("info", path, env={"CLUMP_READER": "none"})
    check(r.err == "", r.err)
    for reader in ("/nonexistent/reader", "/bin/false", "/bin/true"):
        r = taken("info", path, path, env={"CLUMP_READER": reader})
        check(r.err.count("\n") == 1 and "without its protection" in r.err, reader, r.err)
    both_ways = [write(folder + "/gz.fits.gz", gzip.compress(image([4, 4]))), path]
    for one in both_ways:
        check(taken("info", one).out == taken("info", one, env={"CLUMP_READER": "none"}).out)
    bad = write(folder + "/bad.fits", tiled({"ZTILE1": 0}))
    refused("ZTILE1", "info", bad, env={"CLUMP_READER": "none"})


def greeting():
    """What a reader says first."""
    ours, theirs = socket.socketpair()
    process = subprocess.Popen([READER], pass_fds=[3], preexec_fn=lambda: os.dup2(
        theirs.fileno(), 3), close_fds=True)
    theirs.close()
    said = ours.recv(1000)
    ours.close()
    process.wait()
    return said


FAKE = """#!%s
import os, signal, socket, struct, sys, time
out = socket.socket(fileno=3)
out.sendall(%r)
out.recv(100000)
%s
"""


@test
def answers_are_foreign_bytes(folder):
    """A reader that was taken over can say what it likes: it is one line and a status."""
    said = greeting()
    check(said.startswith(b"clump "), said)
    path = write(folder + "/good.fits", image([4, 4]))
    done, line = "struct.pack('IIII', 2, 0, 0, 0)", "struct.pack('IIII', 1, %d, %d, 0)"
    for number, (action, says) in enumerate((
            ("os.kill(os.getpid(), signal.SIGSEGV)", "crashed on it (signal 11)"),
            ("os.abort()", "crashed on it (signal 6)"),
            ("os.kill(os.getpid(), signal.SIGXCPU)", "given up"),
            ("os.kill(os.getpid(), signal.SIGBUS)", "shorter"),
            ("sys.exit(0)", "without an answer"),
            ("out.sendall(os.urandom(65536)); time.sleep(9)", "without an answer"),
            ("out.sendall(%s + bytes(4000)); time.sleep(9)" % done, "without an answer"),
            ("out.sendall(%s + b'\\xff' * 4000); time.sleep(9)" % done, "without an answer"),
            ("out.sendall(%s + os.urandom(4000)); time.sleep(9)" % done, "without an answer"),
            ("out.sendall(%s); time.sleep(9)" % line % (0, 4294967295), "without an answer"),
            ("out.sendall(%s); time.sleep(9)" % line % (77, 4), "without an answer"),
            ("out.sendall(b''.join(%s + b'abcd' for _ in range(999))); time.sleep(9)" %
             line % (3, 4), "without an answer"),
            ("out.sendall(%s + b'abcd' + struct.pack('IIII', 2, 0, 0, 9)); time.sleep(9)" %
             line % (0, 4), "abcd"),
            ("out.sendall(struct.pack('IIII', 2, 0, 0, 9)); time.sleep(9)", "without an answer"),
            ("out.sendall(struct.pack('IIII', 2, 0, 0, 99)); time.sleep(9)", "without an answer"),
    )):
        fake = write("%s/fake%d" % (folder, number), (FAKE % (sys.executable, said,
                                                             action)).encode())
        os.chmod(fake, 0o700)
        r = refused(says, "info", path, env={"CLUMP_READER": fake})
        check(r.seconds < 8, action, "took", r.seconds)


@test
def files_of_a_folder(folder):
    """Every file of the folder CLUMP_HOSTILE_DIR, and mutations of it, are refused or read."""
    place = os.environ.get("CLUMP_HOSTILE_DIR")
    if not place:
        return "SKIP CLUMP_HOSTILE_DIR is not set"
    done = subprocess.run([sys.executable, command.__file__, CLUMP, place, "--mutations", MUTATIONS],
                          stdout=subprocess.PIPE)
    check(done.returncode == 0, "\n# ".join(
        line for line in done.stdout.decode().splitlines() if not line.startswith("ok")))
    return None


def main():
    failures = 0
    print("1..%d" % len(TESTS))
    for number, function in enumerate(TESTS, 1):
        name, mark = function.__name__.replace("_", " "), ""
        with tempfile.TemporaryDirectory() as folder:
            try:
                skipped = function(folder)
                mark = " # " + skipped if skipped else ""
                print("ok %d - %s%s" % (number, name, mark), flush=True)
            except AssertionError as error:
                failures += 1
                print("not ok %d - %s\n# %s" % (number, name, error), flush=True)
    return 1 if failures else 0


sys.exit(main())
