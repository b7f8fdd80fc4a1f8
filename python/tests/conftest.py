# SPDX-License-Identifier: MIT
"""Every test that asks for `device` runs on the OpenCL device and on the reference."""

import os

import numpy as np
import pytest

import clump

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))


def opencl():
    return [device for device in clump.devices() if device.type != "reference"]


@pytest.fixture(params=["cpu", "reference"])
def device(request):
    if request.param == "cpu" and not any(d.type == "CPU" for d in opencl()):
        pytest.skip("there is no OpenCL device of type CPU")
    with clump.device(request.param) as chosen:
        yield chosen


@pytest.fixture
def rng():
    return np.random.default_rng(5)


@pytest.fixture
def field():
    return os.path.join(ROOT, "data", "field.fits")


@pytest.fixture
def plate():
    return os.path.join(ROOT, "data", "cells.png")
