#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Names of outputs: what is refused before any work, what is kept, what is swept away.

usage: cli_outputs.py CLUMP SOURCE_DIR      (prints TAP; CLUMP_DEVICE is respected)
"""
import os
import shutil
import signal
import stat
import subprocess

import cli
from cli import DATA, check, clump

cli.TESTS.clear()
test = cli.test
FIELD = os.path.join(DATA, "field.fits")


def field(folder, name="a.fits"):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    shutil.copy(FIELD, path)
    return path


def refused(words, *run):
    """The command fails, with one line that has these words, and writes nothing."""
    r = clump(*run)
    check(r.status == 1, r.status, r.err)
    check(words in r.err and r.err.count("\n") == 1, r.err)
    check(not r.out, r.out)


@test
def two_outputs_that_are_one_file(folder):
    image = field(folder)
    refused("two outputs would go to one file", "find", image, "-o", folder + "/t.csv",
            "--regions", folder + "/./t.csv")
    os.makedirs(folder + "/real")
    os.symlink("real", folder + "/link")
    refused("two outputs would go to one file", "find", image, "-o", folder + "/real/t.fits",
            "--segmentation", folder + "/link/t.fits")
    check(sorted(os.listdir(folder)) == ["a.fits", "link", "real"], os.listdir(folder))
    check(not os.listdir(folder + "/real"))


@test
def names_that_collide(folder):
    field(folder, "x/a.fits"), field(folder, "y/a.fits")
    refused("two outputs would go to one file", "threshold", folder + "/x/a.fits",
            folder + "/y/a.fits", "--above", 1, "-o", folder + "/mask-{}.fits")
    check(sorted(os.listdir(folder)) == ["x", "y"])


@test
def an_output_that_is_an_input(folder):
    image = field(folder)
    before = open(image, "rb").read()
    os.link(image, folder + "/hard.fits")
    os.symlink(image, folder + "/soft.fits")
    for source in (image, image + "[0]", folder + "/soft.fits", folder + "/hard.fits"):
        refused("would replace the input", "threshold", source, "--above", 1, "-o", image,
                "--force")
    refused("would replace the input", "arith", image, "+", 1, "-o", image, "--force")
    refused("would replace the input", "measure", FIELD, "--labels", image, "-o",
            folder + "/hard.fits", "--force")
    check(open(image, "rb").read() == before)


@test
def an_output_that_an_option_reads(folder):
    """Every option that names a file to read, of every command, alone or parted by commas."""
    out = folder + "/other.fits"
    shutil.copy(FIELD, out)
    os.makedirs(folder + "/link")
    os.symlink(out, folder + "/link/o.fits")
    table = folder + "/t.csv"
    with open(table, "w") as file:
        file.write("x,y\n5,6\n")
    before = open(out, "rb").read()
    for name in (out, folder + "/link/o.fits"):
        for run in (("background", "--mask", name), ("background", "--weight", name),
                    ("extract", "--mask", name), ("extract", "--rms", name),
                    ("extract", "--weight", name), ("extract", "--filter", name),
                    ("extract", "--measure", FIELD + "," + name),
                    ("photometry", "--at", "5,6", "--aperture", 3, "--err", name),
                    ("photometry", "--at", "5,6", "--aperture", 3, "--mask", name),
                    ("photometry", "--at", "5,6", "--aperture", 3, "--segmentation", name),
                    ("measure", "--labels", name), ("label2rgb", "--image", name),
                    ("compress", "--mask", name), ("convolve", "--kernel", name),
                    ("morphology", "erosion", "--footprint", name)):
            refused("would replace the input", *run, FIELD, "-o", out, "--force")
    for run in (("select", out, 1, 0), ("arith", FIELD, "+", out)):
        refused("would replace the input", *run, "-o", out, "--force")
    refused("would replace the input", "photometry", FIELD, "--catalog", table, "--aperture", 3,
            "-o", table, "--force")
    refused("would replace the input", "photometry", FIELD, "--catalog", folder + "/{}.csv",
            "--aperture", 3, "-o", shutil.copy(table, folder + "/field.csv"), "--force")
    check(open(out, "rb").read() == before and os.path.getsize(table) == 8)


@test
def outputs_of_an_extraction(folder):
    kinds = ["background", "rms", "subtracted", "filtered", "segmentation", "residual",
             "apertures"]
    every = ",".join("%s=%s/%s.fits" % (kind, folder, kind) for kind in kinds)
    refused("two outputs would go to one file", "extract", FIELD, "-o", folder + "/rms.fits",
            "--check", every)
    refused("two outputs would go to one file", "extract", FIELD, "--check",
            "rms=%s/a.fits,background=%s/./a.fits" % (folder, folder))
    refused("two outputs would go to one file", "background", FIELD, "-o", folder + "/a.fits",
            "--rms", folder + "/a.fits")
    image = field(folder)
    refused("would replace the input", "extract", image, "--check", "rms=" + image, "--force")
    refused("cannot be created", "extract", image, "--check", every,
            "-o", folder + "/none/t.csv")
    refused("cannot tell the format", "extract", image, "--check", "rms=%s/a.jpg" % folder)
    refused("cannot tell the format", "background", image, "--rms", folder + "/a.csv")
    r = clump("extract", image, "--check", "rms=%s/a.fits,rms=%s/b.fits" % (folder, folder))
    check(r.status == 2 and "twice" in r.err and r.err.count("\n") == 1, r.err)
    check(os.listdir(folder) == ["a.fits"], os.listdir(folder))
    r = clump("extract", FIELD, "-o", folder + "/t.csv", "--regions", folder + "/t.reg", "--check", every)
    check(r.status == 0, r.err)
    check(sorted(os.listdir(folder)) == sorted(["a.fits", "t.csv", "t.reg"] + [k + ".fits" for k in kinds]),
          os.listdir(folder))


@test
def mistakes_are_found_before_the_work(folder):
    image = field(folder)
    refused("cannot tell the format", "threshold", image, "--above", 1, "-o", folder + "/m.jpg")
    refused("cannot tell the format of the table", "find", image, "-o", folder + "/t.txt")
    refused("cannot be created", "find", image, "-o", folder + "/none/t.csv")
    # before the input is even looked at
    refused("cannot be created", "find", folder + "/none.fits", "-o", folder + "/none/t.csv")
    check(os.listdir(folder) == ["a.fits"], os.listdir(folder))


@test
def pipes_and_devices_are_left_alone(folder):
    os.mkfifo(folder + "/t.csv")
    refused("is a pipe or a device", "find", FIELD, "-o", folder + "/t.csv", "--force")
    check(stat.S_ISFIFO(os.stat(folder + "/t.csv").st_mode))


@test
def links_are_written_through(folder):
    os.makedirs(folder + "/real")
    open(folder + "/real/t.csv", "w").close()
    os.symlink("real/t.csv", folder + "/t.csv")
    r = clump("find", FIELD, "-o", folder + "/t.csv", "--force")
    check(r.status == 0, r.err)
    check(os.path.islink(folder + "/t.csv") and os.path.getsize(folder + "/real/t.csv") > 1000)


@test
def mode_and_owner_of_a_replaced_file_are_kept(folder):
    for name, run in {"t.csv": ("find",), "t.fits": ("find",), "v.png": ("view",),
                      "v.svg": ("view",), "m.fits.gz": ("convert", "--type", "float32")}.items():
        path = os.path.join(folder, name)
        open(path, "w").close()
        os.chmod(path, 0o640)
        if os.geteuid() == 0:
            os.chown(path, 65534, 65534)
        r = clump(*run, FIELD, "-o", path, "--force")
        check(r.status == 0, r.err)
        about = os.stat(path)
        check(stat.S_IMODE(about.st_mode) == 0o640, name, oct(about.st_mode))
        check(os.geteuid() != 0 or about.st_uid == 65534, name, about.st_uid)


def start(*run, env=None):
    env = {**os.environ, "CLUMP_DEVICE": "reference", **(env or {})}
    return subprocess.Popen([cli.CLUMP, *map(str, run)], stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL, env=env)


@test
def parts_of_a_killed_run_are_swept_by_the_next(folder):
    """Stopped while it writes, then killed; a part of a living process stays."""
    image = os.path.join(folder, "in.npy")
    check(clump("make", "field", "--size", 1024, "-o", image).status == 0)
    os.makedirs(folder + "/out")
    out = folder + "/out/m.fits.gz"
    left = []
    for _ in range(40):
        process = start("convert", image, "--type", "float64", "-o", out, "--force")
        while process.poll() is None and not left:
            left = [name for name in os.listdir(folder + "/out") if name.endswith(".part")]
        process.send_signal(signal.SIGKILL)
        process.wait()
        left = [name for name in os.listdir(folder + "/out") if name.endswith(".part")]
        if left:
            break
    check(left, "no run was killed while it wrote")
    machine = left[0].split("-")[0]
    living = f"{folder}/out/{machine}-{os.getpid()}-7.part"
    open(living, "w").close()
    r = clump("convert", image, "--type", "float64", "-o", out, "--force")
    check(r.status == 0, r.err)
    check(sorted(os.listdir(folder + "/out")) == sorted([os.path.basename(living), "m.fits.gz"]),
          os.listdir(folder + "/out"))


@test
def temporary_files_of_a_killed_run_are_swept_by_the_next(folder):
    """What goes to stdout is in a folder of $TMPDIR, with the machine and the process in its name."""
    image = os.path.join(folder, "in.npy")
    check(clump("make", "field", "--size", 1024, "-o", image).status == 0)
    temporary = folder + "/tmp"
    os.mkdir(temporary)
    env, left = {"TMPDIR": temporary}, []
    run = ("convert", image, "--type", "f64", "--quiet", "-o", "-", "--format", "fits")
    for _ in range(40):
        process = start(*run, env=env)
        while process.poll() is None and not left:
            left = os.listdir(temporary)
        process.send_signal(signal.SIGKILL)
        process.wait()
        left = os.listdir(temporary)
        if left:
            break
    check(len(left) == 1, "no run was killed while it wrote")
    machine = left[0].split("-")[1]
    others = ["clump-%s-%d-abcdef" % (machine, os.getpid()), "clump-1-99999999-abcdef",
              "clump-%s-99999999-abcde" % machine]
    for name in others:
        os.mkdir(temporary + "/" + name)
    os.symlink(folder, "%s/clump-%s-99999999-abcdef" % (temporary, machine))
    process = start(*run, env=env)
    check(process.wait() == 0)
    check(sorted(os.listdir(temporary)) == sorted([*others, "clump-%s-99999999-abcdef" % machine]),
          os.listdir(temporary))
    process = start(*run, env={"TMPDIR": folder + "/none"})
    check(process.wait() == 1)


if __name__ == "__main__":
    cli.main()
