# SPDX-License-Identifier: MIT
"""How long calls take, as cupyx.profiler.benchmark tells it."""

import math
import time

import numpy as np

from clump import _core
from clump._clump import ffi, lib

__all__ = ["benchmark"]


class _PerfCaseResult:
    """Times in seconds: `cpu_times` (n,) until the call returned, `gpu_times` (1, n) until the
    device was done, transfers included, and `device_times` (n,) of the kernels alone, NaN where the
    device keeps no times."""

    def __init__(self, name, cpu_times, gpu_times, device_times):
        self.name = name
        self.cpu_times, self.gpu_times, self.device_times = cpu_times, gpu_times, device_times

    def to_str(self, show_gpu=False):
        """One line: means, spreads, extremes, in microseconds."""
        parts = [f"{self.name:<20s}:"]
        for what, times in (("CPU", self.cpu_times), ("GPU-0", self.gpu_times[0])):
            us = times * 1e6
            parts.append(
                f"{what}: {us.mean():9.03f} us   +/- {us.std():6.03f} (min: {us.min():9.03f} "
                f"/ max: {us.max():9.03f}) us"
            )
        return "    ".join(parts)

    def __str__(self):
        return self.to_str()

    __repr__ = __str__


def benchmark(
    func,
    args=(),
    kwargs={},
    n_repeat=10000,
    *,
    name=None,
    n_warmup=10,
    max_duration=math.inf,
    devices=None,
):
    """Calls a function again and again. Peer: cupyx.profiler.benchmark.

    Warms up first, so that building kernels does not count. devices: one device, else the current
    one is waited for.
    """
    if name is None:
        name = getattr(func, "__name__", "benchmark")
    if not isinstance(args, tuple):
        raise ValueError("`args` must be of tuple type.")
    if not isinstance(kwargs, dict):
        raise ValueError("`kwargs` must be of dict type.")
    if not isinstance(n_repeat, (int, np.integer)) or not isinstance(n_warmup, (int, np.integer)):
        raise ValueError("`n_repeat` and `n_warmup` must be of int type.")
    context = _core.context(devices[0]) if devices else _context_of(args)
    for _ in range(n_warmup):
        func(*args, **kwargs)
    context.finish()
    host, whole, kernels = [], [], []
    profile, begun = ffi.new("struct clump_profile *"), time.perf_counter()
    for _ in range(n_repeat):
        context.call(lib.clump_profile_start, context.pointer, True)
        start = time.perf_counter()
        func(*args, **kwargs)
        returned = time.perf_counter()
        context.finish()
        done = time.perf_counter()
        context.call(lib.clump_profile_read, context.pointer, profile)
        context.call(lib.clump_profile_start, context.pointer, False)
        host.append(returned - start)
        whole.append(done - start)
        kernels.append(profile.device_ms * 1e-3)
        if done - begun > max_duration:
            break
    return _PerfCaseResult(name, np.array(host), np.array([whole]), np.array(kernels))


def _context_of(args):
    """The context of the first device array, or the current one."""
    for value in args:
        if hasattr(value, "_context"):
            return value._context
    return _core.current()
