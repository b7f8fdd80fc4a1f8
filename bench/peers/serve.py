# SPDX-License-Identifier: MIT
"""Times the peers for `clump bench --peers`: requests are lines of JSON on stdin, answers on stdout.

    {"do": "describe"}                                          versions and threads
    {"do": "load", "case": ..., "folder": ..., "numbers": ...}  runs each peer once and checks its result
    {"do": "run", "peer": 0, "ms": 100}                         times it, at least once
"""
import importlib
import json
import os
import platform
import shutil
import subprocess
import sys
import time

ANSWERS = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)  # whatever a package prints must not mix with the answers

PACKAGES = {"numpy": "NumPy", "scipy": "SciPy", "skimage": "scikit-image", "cv2": "OpenCV", "sep": "SEP",
            "astropy": "astropy", "bottleneck": "bottleneck", "photutils": "photutils",
            "cupy": "CuPy", "cucim": "cuCIM",
            "pyclesperanto": "pyclesperanto"}
PROGRAM = "source-extractor"  # a peer that is no Python package
QUIET = ("bottleneck", "CuPy", "cuCIM", "pyclesperanto")  # that nobody need miss
loaded = []  # of the case: (peer, run)


def program_version():
    """The version that the program says it has; nothing where it is not installed."""
    if not shutil.which(PROGRAM):
        return ""
    done = subprocess.run([PROGRAM, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return next((word for word in done.stdout.split() if word[0].isdigit()), "")


def describe():
    versions, missing = {"python": platform.python_version()}, []
    for module, name in PACKAGES.items():
        try:
            versions[name] = importlib.import_module(module).__version__
        except ImportError:
            if name not in QUIET:
                missing.append(name)
    versions[PROGRAM] = program_version()
    if not versions[PROGRAM]:
        del versions[PROGRAM]
        missing.append(PROGRAM)
    if missing:
        versions["missing"] = (f"{sys.executable} has no {', '.join(missing)}; Debian has them as "
                               "python3-numpy, -scipy, -skimage, -opencv, -sep, -astropy, -photutils "
                               f"and {PROGRAM}")
    if "NumPy" in missing:  # all peers take their pictures by it
        return versions
    for module in ("filter", "sky", "extractor", "cells", "gpu"):
        importlib.import_module(module)
    from filter import THREADS
    versions["threads"] = f"OpenCV {THREADS}, the others 1 (what is timed here calls no BLAS)"
    return versions


def enter(peer, data):
    """The peer's first run; says how its result stands to the reference's. None: cannot run."""
    from peer import Differs, Other
    entry = {"name": peer.name, "package": PACKAGES.get(peer.package, peer.package), "threads": peer.threads}
    if peer.goal:
        entry["goal"] = peer.goal
    run = None
    try:
        run, check = peer.setup(data)
        check(run())
        state, difference = "agrees", ""
    except Differs as what:
        state, difference = "differs", str(what)
    except Other as what:
        state, difference = "other", str(what)
    except ImportError:
        return None
    except Exception as what:  # the other peers are no worse for it
        state, difference = "differs", f"fails: {type(what).__name__}: {what}"
    loaded.append(run)
    return {**entry, "state": state, "difference": difference}


def load(request):
    from peer import PEERS, Data
    loaded.clear()
    data = Data(request["folder"], request["numbers"])
    entries = (enter(peer, data) for peer in PEERS.get(request["case"], []))
    return {"peers": [entry for entry in entries if entry]}


def run(request):
    timed, times, device, spent = loaded[request["peer"]], [], [], 0.0
    while not times or spent < request["ms"]:
        start = time.perf_counter()
        timed()
        took = (time.perf_counter() - start) * 1e3
        if times or took > 50 or spent:  # a short one is warmed up first
            times.append(took)
            if getattr(timed, "device_ms", None) is not None:
                device.append(timed.device_ms)
        spent += took
    return {"times": times, "device": device}


def answer(request):
    try:
        return {"describe": lambda _: describe(), "load": load, "run": run}[request["do"]](request)
    except Exception as what:  # told to the other side, which names it
        return {"error": f"{request['do']} {request.get('case', '')}: {type(what).__name__}: {what}"}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), file=ANSWERS, flush=True)
