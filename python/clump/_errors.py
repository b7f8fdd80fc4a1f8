# SPDX-License-Identifier: MIT
"""What a status of the library becomes, and what the library says on the way."""

import re
import sys
import warnings

from clump._clump import ffi, lib


class Error(RuntimeError):
    """A call that failed. The text is the one line that the library logged; `status` its number."""

    status = 0
    symbol = None  # of OpenCL, such as "CL_OUT_OF_RESOURCES", where the line has one


class ArgumentError(Error, ValueError):
    """An argument that the function cannot take."""


class DeviceError(Error, LookupError):
    """No such device, or more than one of that name."""


class UnsupportedError(Error, NotImplementedError):
    """The device or this build cannot do it."""


class KernelError(Error):
    """A kernel file that is missing or does not build."""


class OpenCLError(Error):
    """An OpenCL call failed; `symbol` names how."""


class HostMemoryError(Error, MemoryError):
    """The host has no memory left."""


class DeviceMemoryError(Error, MemoryError):
    """The device has no memory left, or no buffer is that large."""


class FileError(Error, OSError):
    """A file that cannot be opened, read or written."""


class FileMissingError(FileError, FileNotFoundError):
    """There is no such file."""


class FileThereError(FileError, FileExistsError):
    """The file exists already, and `force` was not given."""


class FormatError(Error, OSError):
    """A file whose contents make no sense."""


class ResultError(Error):
    """A device gave an answer that contradicts itself; it is not returned."""


class ClumpWarning(UserWarning):
    """A call went on, but differently or more slowly than was asked."""


class FallbackWarning(ClumpWarning):
    """Pixels went through the host, because the library has no such step on the device."""


KINDS = {
    lib.CLUMP_ERROR_ARGUMENT: ArgumentError,
    lib.CLUMP_ERROR_DEVICE: DeviceError,
    lib.CLUMP_ERROR_UNSUPPORTED: UnsupportedError,
    lib.CLUMP_ERROR_KERNEL: KernelError,
    lib.CLUMP_ERROR_OPENCL: OpenCLError,
    lib.CLUMP_ERROR_MEMORY: HostMemoryError,
    lib.CLUMP_ERROR_DEVICE_MEMORY: DeviceMemoryError,
    lib.CLUMP_ERROR_FILE: FileError,
    lib.CLUMP_ERROR_FORMAT: FormatError,
    lib.CLUMP_ERROR_RESULT: ResultError,
}


def failure(status, text):
    """The exception for a status, with the library's line as its text."""
    text = text or ffi.string(lib.clump_status_text(status)).decode()
    if status == lib.CLUMP_ERROR_DEVICE and "OpenCL" in text:
        text += "; a driver for the CPU comes with: pip install clump-image[pocl]"
    error = KINDS.get(status, Error)(text)
    error.status = int(status)
    symbol = re.search(r"\bCL_[A-Z_0-9]+\b", text)
    error.symbol = symbol.group() if symbol else None
    return error


def warn(text, kind=ClumpWarning):
    """Warns whoever called this package from outside."""
    frame, level = sys._getframe(1), 2
    while frame.f_back and frame.f_globals.get("__name__", "").split(".")[0] in ("clump", "numpy"):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, kind, stacklevel=level)
