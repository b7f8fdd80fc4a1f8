# SPDX-License-Identifier: MIT
"""clump.ndarray: an array on a device."""

import os

import numpy as np

from clump import _core, _pixels
from clump._clump import ffi, lib
from clump._errors import warn
from clump._pixels import TYPES, canonical, is_colour, pointer, rows_cols

SMALL = 65536  # bytes up to which the host's copy of an array is kept beside it
_allowed = os.environ.get("CLUMP_ARRAY", "") not in ("", "0")


def allow_array(allow=True):
    """Lets np.asarray take a device array, by a copy to the host. CuPy refuses that, and so does
    this package unless it is told otherwise here or by the environment's CLUMP_ARRAY=1."""
    global _allowed
    before, _allowed = _allowed, bool(allow)
    return before


class ndarray:
    """An array on a device, made by clump.asarray and by all functions here.

    Pixels have a dtype, which NumPy code sees, and a type in which they are kept. Arrays are not
    changed in place; slices are copies. NumPy's functions and operators work on them; np.asarray
    does not, `.get()` does.
    """

    __slots__ = ("_handle", "_type", "shape", "dtype", "_context", "_host", "__weakref__")
    __array_priority__ = 100
    __hash__ = None

    def __init__(self, *args, **kwargs):
        raise TypeError("make arrays by clump.asarray, clump.empty and the like")

    @staticmethod
    def _of(handle, shape, dtype, context=None, host=None):
        """Owns a handle; None for an array without pixels."""
        self = object.__new__(ndarray)
        self._handle, self.shape, self.dtype = handle, shape, dtype
        self._context = context or handle.context
        self._host = host
        self._type = lib.clump_image_type(handle.pointer) if handle else TYPES[dtype]
        return self

    # What it is

    @property
    def ndim(self):
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self):
        """Number of elements."""
        size = 1
        for side in self.shape:
            size *= side
        return size

    @property
    def itemsize(self):
        """Bytes of an element, as NumPy would keep it."""
        return self.dtype.itemsize

    @property
    def nbytes(self):
        """Bytes that the pixels take on the device."""
        rows, cols = rows_cols(self.shape, self._type == lib.CLUMP_RGB)
        return lib.clump_type_row_bytes(self._type, cols) * rows

    @property
    def device(self):
        """The device on which the pixels are."""
        return self._context.device

    @property
    def pixel_type(self):
        """The type in which the pixels are kept: "bits", "uint8", ..., "rgb"."""
        return ffi.string(lib.clump_type_text(self._type)).decode()

    @property
    def cl_mem(self):
        """The address of the OpenCL buffer (a cl_mem); 0 on the reference."""
        return int(ffi.cast("uintptr_t", lib.clump_opencl_buffer(self._pointer)))

    @property
    def _pointer(self):
        return self._handle.pointer if self._handle else ffi.NULL

    def __len__(self):
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __repr__(self):
        text = f"<clump.ndarray {self.shape} {self.dtype} on {self.device}, {_bytes(self.nbytes)}>"
        if self.size <= 64:
            text += "\n" + repr(self.get())
        return text

    def __str__(self):
        return str(self.get()) if self.size <= 64 else repr(self)

    def __format__(self, spec):
        return format(self.item(), spec) if spec else str(self)

    def _repr_png_(self):
        from clump import _files

        return _files.thumbnail(self) if self.size and self.ndim >= 2 and self.size > 64 else None

    # To the host

    def get(self, out=None):
        """A copy of the pixels as a NumPy array. Waits for the device."""
        if self._host is not None:
            a = self._host.copy()
        elif self._handle is None:
            a = np.empty(self.shape, self.dtype)
        else:
            a = self._download()
        if out is None:
            return a
        out[...] = a
        return out

    def _download(self):
        rows, cols = rows_cols(self.shape, self._type == lib.CLUMP_RGB)
        if self._type == lib.CLUMP_BITS:
            packed = np.empty((rows, (cols + 31) // 32 * 4), np.uint8)
            self._context.call(lib.clump_image_download, self._pointer, pointer(packed))
            a = _pixels.unpack(packed, rows, cols)
        else:
            a = np.empty(self.shape, _pixels.STORED[self._type])
            self._context.call(lib.clump_image_download, self._pointer, pointer(a))
        return a.reshape(self.shape).astype(self.dtype, copy=False)

    def map(self, access="rw"):
        """The pixels as a NumPy array without a copy, where the device shares memory, else a copy
        that is written back. As long as the array or a view of it lives, the image refuses
        operations. access: "r", "w" (every pixel will be written) or "rw"."""
        if (
            self._type == lib.CLUMP_BITS
            or self._handle is None
            or (_pixels.STORED[self._type] != self.dtype)
        ):
            raise ValueError(
                f"map: pixels of {self.dtype} are kept as {self.pixel_type}, which "
                "NumPy does not know; get() gives a copy"
            )
        flags = {
            "r": lib.CLUMP_IMAGE_READ,
            "w": lib.CLUMP_IMAGE_WRITE,
            "rw": lib.CLUMP_IMAGE_READ_WRITE,
        }[access]
        place = ffi.new("void **")
        self._context.call(lib.clump_image_map, self._pointer, flags, place)
        if access != "r":
            self._host = None
        return np.asarray(_Mapping(self._handle, place[0], self.shape, self.dtype, access == "r"))

    def tolist(self):
        """As numpy.ndarray.tolist."""
        return self.get().tolist()

    def item(self, *index):
        """The one element as a Python number."""
        if not index and self.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        return self.get().item(*index)

    def __array__(self, dtype=None, copy=None):
        if not _allowed:
            raise TypeError(
                "Implicit conversion to a NumPy array is not allowed. "
                "Please use `.get()` to construct a NumPy array explicitly."
            )
        a = self.get()
        return a if dtype is None else a.astype(dtype, copy=False)

    def __bool__(self):
        if self.size != 1:
            raise ValueError(
                "The truth value of an array with more than one element is ambiguous. "
                "Use a.any() or a.all()"
            )
        return bool(self.item())

    def __int__(self):
        return int(self.item())

    def __float__(self):
        return float(self.item())

    def __index__(self):
        return self.get().__index__()

    def __iter__(self):
        raise TypeError("a device array is not iterated over, element by element; use `.get()`")

    def __contains__(self, value):
        return bool((self == value).any())

    def __reduce__(self):
        return _unpickled, (self.get(),)

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    def __dlpack_device__(self):
        return 4, self.device.index  # kDLOpenCL

    def __dlpack__(self, *, stream=None, dl_device=None, **others):
        if dl_device is not None and tuple(dl_device) == (1, 0):
            return self.get().__dlpack__()
        raise BufferError(
            "clump: an OpenCL buffer goes to nobody but by its cl_mem (x.cl_mem); "
            "dl_device=(1, 0) makes a copy on the host"
        )

    # NumPy's protocols; _protocol adds the operators and the methods of NumPy's names

    def __array_function__(self, function, types, args, kwargs):
        from clump import _protocol

        return _protocol.dispatch(function, types, args, kwargs)

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        from clump import _numpy

        return _numpy.ufunc(ufunc, method, inputs, kwargs)


class _Mapping:
    """Holds a mapped image; its end unmaps. NumPy takes the memory by __array_interface__."""

    def __init__(self, handle, address, shape, dtype, readonly):
        self.handle = handle
        self.__array_interface__ = {
            "version": 3,
            "shape": shape,
            "typestr": dtype.str,
            "data": (int(ffi.cast("uintptr_t", address)), readonly),
        }

    def __del__(self):
        context = self.handle.context
        if context.number == _core._Process.number and not _core._Process.ending:
            context.unmap(self.handle)


def _bytes(count):
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if count < 1024 or unit == "GiB":
            return f"{count:.4g} {unit}"
        count /= 1024


def _unpickled(a):
    return asarray(a)


_said_float32 = False


def _kept_dtype(dtype, context):
    """float32 in float64's place on a device that does not compute in double."""
    global _said_float32
    if dtype == np.float64 and not context.device.fp64:
        if os.environ.get("CLUMP_FLOAT64") == "error":
            raise TypeError(
                f"{context.device} does not compute in float64, and "
                "CLUMP_FLOAT64=error forbids float32 in its place"
            )
        if not _said_float32:
            _said_float32 = True
            warn(f"{context.device} does not compute in float64: such arrays become float32 there")
        return np.dtype(np.float32)
    return dtype


def asarray(a, dtype=None, *, order=None, device=None, copy=None):
    """Copies an array, list or number to the device; an array that is there is returned as it is.

    Peer: cupy.asarray. device: as in clump.device. copy=False wraps the memory instead, as
    clump.wrap does. Masked floats become NaN. Refused: complex numbers and the like (TypeError),
    order other than "C".
    """
    if order not in (None, "C", "K", "A"):
        raise ValueError(f"order={order!r}: arrays here are in order C")
    if isinstance(a, ndarray):
        if device is not None and _core.context(device) is not a._context:
            return asarray(a.get(), dtype, device=device)
        return a if dtype is None or np.dtype(dtype) == a.dtype else astype(a, dtype)
    if copy is False:
        return wrap(a, device=device)
    if isinstance(a, (list, tuple)) and any(isinstance(item, ndarray) for item in a):
        a = [item.get() if isinstance(item, ndarray) else item for item in a]
    a = _pixels.unmasked(a)
    context = _core.context(device) if device is not None else _core.current()
    wanted = _kept_dtype(canonical(a.dtype if dtype is None else dtype), context)
    return _upload(a, wanted, context)


def _upload(a, dtype, context):
    shape = a.shape
    small = a.astype(dtype) if a.size * dtype.itemsize <= SMALL else None
    if not a.size:
        return ndarray._of(None, shape, dtype, context)
    kept = _pixels.host_pixels(a if a.dtype == dtype else a.astype(dtype), dtype)
    type_ = lib.CLUMP_RGB if is_colour(shape, dtype) else TYPES[dtype]
    rows, cols = rows_cols(shape, type_ == lib.CLUMP_RGB)
    if type_ == lib.CLUMP_BITS:
        kept = _pixels.pack(kept, rows, cols)
    handle = context.image(
        lib.clump_image_upload, context.pointer, type_, rows, cols, pointer(kept)
    )
    return ndarray._of(handle, shape, dtype, context, small)


def wrap(a, *, device=None):
    """Makes an array of a NumPy array's own memory, without a copy.

    The device must share memory with the host, the array must be contiguous, writable, native and
    of a type that is kept as it is; else ValueError. `a` must not be changed as long as the result
    lives.
    """
    context = _core.context(device) if device is not None else _core.current()
    if not isinstance(a, np.ndarray):
        raise ValueError(f"wrap: {type(a)} is no numpy.ndarray; asarray copies it")
    dtype = canonical(a.dtype)
    if not context.device.shares_memory:
        raise ValueError(f"wrap: {context.device} has memory of its own; asarray copies")
    if not (a.flags.c_contiguous and a.flags.writeable and a.dtype.isnative and a.size) or (
        dtype == np.bool_ or _pixels.STORED[TYPES[dtype]] != dtype
    ):
        raise ValueError(
            f"wrap: an array of {a.dtype}, shape {a.shape}, is not laid out as an image; "
            "asarray copies it (contiguous, writable, native numbers are wrapped)"
        )
    type_ = lib.CLUMP_RGB if is_colour(a.shape, dtype) else TYPES[dtype]
    rows, cols = rows_cols(a.shape, type_ == lib.CLUMP_RGB)
    handle = context.image(lib.clump_image_wrap, context.pointer, type_, rows, cols, pointer(a))
    handle.keep = a
    return ndarray._of(handle, a.shape, dtype, context)


def asnumpy(a):
    """A NumPy array of a device array, or of anything that numpy.asarray takes. Peer: cupy.asnumpy.
    """
    return a.get() if isinstance(a, ndarray) else np.asarray(a)


def astype(x, dtype, copy=True):
    """An array of another dtype. As NumPy: floats become integers by truncation."""
    from clump import _ops

    return _ops.astype(x, dtype)


def new(shape, dtype, context=None):
    """An array whose pixels are undefined."""
    context = context or _core.current()
    shape = (
        (int(shape),)
        if np.ndim(shape) == 0 and not isinstance(shape, tuple)
        else tuple(int(side) for side in shape)
    )
    dtype = _kept_dtype(canonical(dtype), context)
    if 0 in shape:
        return ndarray._of(None, shape, dtype, context)
    type_ = lib.CLUMP_RGB if is_colour(shape, dtype) else TYPES[dtype]
    rows, cols = rows_cols(shape, type_ == lib.CLUMP_RGB)
    handle = context.image(lib.clump_image_create, context.pointer, type_, rows, cols)
    return ndarray._of(handle, shape, dtype, context)
