# SPDX-License-Identifier: MIT
"""Any order of death, threads, forks, interrupts."""

import gc
import os
import signal
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest

import clump as cp


def test_any_order(device):
    context = cp.Context(device.index if device.type != "reference" else "reference")
    x = cp.asarray(np.ones((50, 60)), device=context)
    y, view = x > 0, x.map()
    gone = weakref.ref(context)
    del context, x
    gc.collect()
    assert y.all() and view.sum() == 3000
    del view, y
    gc.collect()
    assert gone() is None


def test_cycles_and_exceptions(device):
    for _ in range(20):
        a, b = [cp.asarray(np.ones((9, 9)))], [cp.asarray(np.ones((9, 9)))]
        a.append(b)
        b.append(a)
        try:
            raise KeyError(a)
        except KeyError as error:
            a.append(error)
    del a, b
    gc.collect()
    assert cp.asarray(np.ones(3)).sum() == 3


def test_wrapped_memory_lives(device):
    x = cp.wrap(np.full((500, 500), 2.0))
    gc.collect()
    y = x + 1
    del x
    gc.collect()
    assert y.mean() == 3


def test_threads(device):
    a = np.random.default_rng(1).random((200, 200))
    x, failed = cp.asarray(a), []

    def work():
        try:
            for _ in range(25):
                assert (x > 0.5).sum() == (a > 0.5).sum()
                assert cp.asarray(a).mean() == x.mean()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed


def test_calls_release_the_interpreter():
    """While one thread computes on the reference, another counts."""
    with cp.Context("reference"):
        x = cp.asarray(np.random.default_rng(1).random((700, 700)))
        counted, stop = [0], threading.Event()

        def count():
            while not stop.is_set():
                counted[0] += 1

        thread = threading.Thread(target=count)
        thread.start()
        before = counted[0]
        x.std()
        during = counted[0] - before
        stop.set()
        thread.join()
    assert during > 100


def run(code, **more):
    return subprocess.run(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        **more,
    )


def test_fork_reference():
    code = """
import os, clump as cp
cp.device("reference")
x = cp.asarray([1.0, 2.0, 3.0] * 9999)
pid = os.fork()
if not pid:
    try:
        x.mean()
    except cp.Error as error:
        assert "forked" in str(error)
        cp.device("reference")
        assert cp.asarray([4.0]).sum() == 4
        os._exit(7)
    os._exit(8)
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
assert x.mean() == 2
"""
    done = run(code)
    assert done.returncode == 0, done.stdout


def test_fork_opencl():
    if not any(d.type == "CPU" for d in cp.devices()):
        pytest.skip("there is no OpenCL device of type CPU")
    code = """
import os, clump as cp
cp.device("cpu")
x = cp.asarray([1.0, 2.0, 3.0] * 9999)
pid = os.fork()
if not pid:
    try:
        cp.device("cpu")
    except cp.DeviceError as error:
        assert "forked" in str(error)
        assert cp.asarray([4.0], device="reference").sum() == 4
        os._exit(7)
    os._exit(8)
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
assert x.mean() == 2
"""
    done = run(code)
    assert done.returncode == 0, done.stdout


def test_spawn():
    code = """
import multiprocessing, numpy as np, clump as cp
def f(x):
    return float(x.mean())
if __name__ == "__main__":
    cp.device("reference")
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.map(np.mean, [cp.asarray([1.0, 2.0])]))
"""
    done = run(code, env={**os.environ, "CLUMP_DEVICE": "reference"})
    assert "[1.5]" in done.stdout, done.stdout


def test_interrupt(device):
    x = cp.asarray(np.ones((300, 300)))
    timer = threading.Timer(0.2, lambda: signal.raise_signal(signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        while True:
            x.std()
    timer.join()
    assert x.mean() == 1


def test_end_of_the_interpreter():
    code = "import clump\nx = clump.asarray([1.0] * 99999)\ny = x > 0\nv = x.map()\n"
    done = run(code)
    assert (done.returncode, done.stdout) == (0, "")
