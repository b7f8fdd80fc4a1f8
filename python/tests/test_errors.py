# SPDX-License-Identifier: MIT
"""A status becomes an exception with the library's line; warnings and other lines reach Python."""

import logging
import subprocess
import sys

import numpy as np
import pytest

import clump as cp
from clump import _errors
from clump._clump import lib


def test_every_status_has_a_kind():
    kinds = {
        lib.CLUMP_ERROR_ARGUMENT: ValueError,
        lib.CLUMP_ERROR_DEVICE: LookupError,
        lib.CLUMP_ERROR_UNSUPPORTED: NotImplementedError,
        lib.CLUMP_ERROR_MEMORY: MemoryError,
        lib.CLUMP_ERROR_DEVICE_MEMORY: MemoryError,
        lib.CLUMP_ERROR_FILE: OSError,
        lib.CLUMP_ERROR_FORMAT: OSError,
    }
    for status in range(1, lib.CLUMP_STATUS_COUNT):
        error = _errors.failure(status, "what was wrong: CL_OUT_OF_RESOURCES")
        assert type(error) is not cp.Error and isinstance(error, cp.Error)
        assert isinstance(error, kinds.get(status, RuntimeError)) and error.status == status
        assert str(error).startswith("what was wrong") and error.symbol == "CL_OUT_OF_RESOURCES"


def test_argument(device):
    with pytest.raises(cp.ArgumentError) as caught:
        cp.asarray(np.ones((3, 3))) + cp.asarray(np.ones((3, 3)), device=cp.Context("reference"))
    assert "belongs to another context" in str(caught.value) or "is on" in str(caught.value)


def test_no_such_device():
    with pytest.raises(LookupError, match="no-such-thing"):
        cp.device("no-such-thing")


def test_lines_go_to_logging(caplog):
    with caplog.at_level(logging.INFO, "clump"):
        cp.Context("reference")
    assert any("reference" in record.message for record in caplog.records)


def test_trips_warn_once_and_can_be_forbidden(device, monkeypatch):
    x = cp.asarray(np.arange(4.0))
    cp.trips(reset=True)
    np.cbrt(x)
    np.cbrt(x)
    assert cp.trips() == {"numpy.cbrt": 2}
    monkeypatch.setenv("CLUMP_FALLBACK", "error")
    with pytest.raises(cp.UnsupportedError, match="CLUMP_FALLBACK"):
        np.cbrt(x)


def test_trip_warns_at_the_caller():
    code = "import clump, numpy\nclump.device('reference')\nnumpy.cbrt(clump.asarray([1.0]))\n"
    done = subprocess.run([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True)
    assert "<string>:3: FallbackWarning: numpy.cbrt goes through the host" in done.stderr
