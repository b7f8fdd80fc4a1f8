# SPDX-License-Identifier: MIT
"""Image files in and out, tables, pictures."""

import io
import os
import tempfile

import numpy as np

from clump import _core, _ops, _pixels
from clump._array import ndarray
from clump._clump import ffi, lib
from clump._errors import FileError, FileMissingError, FileThereError
from clump._ops import BOOL, either

_FORMATS = {
    lib.CLUMP_FILE_FITS: "FITS",
    lib.CLUMP_FILE_NPY: "NPY",
    lib.CLUMP_FILE_TIFF: "TIFF",
    lib.CLUMP_FILE_PNG: "PNG",
}


def _path(path):
    return ffi.new("char[]", os.fsencode(os.fspath(path)))


class File:
    """An open image file: `.info`, `.read()`, `.sky(row, col)`, `.pixel(ra, dec)`."""

    def __init__(self, path, params):
        self._lines, place = _core.Lines(), ffi.new("clump_file **")
        self._pointer = ffi.NULL
        self.path = os.fspath(path)
        try:
            self._lines.end(lib.clump_file_open(self._lines.log, _path(path), params, place))
        except FileError as error:
            if not os.path.exists(self.path.split("[")[0]):
                raise FileMissingError(str(error)) from None
            raise
        self._pointer = place[0]

    @property
    def info(self):
        """What is in the file: format, shape, dtype, planes, pages, channels, unit, frame, beam."""
        info = lib.clump_file_info(self._pointer)
        text = {
            name: ffi.string(getattr(info, name)).decode("utf-8", "replace")
            for name in ("unit", "projection", "frame")
        }
        numbers = {
            name: int(getattr(info, name)) for name in ("planes", "pages", "channels", "page")
        }
        return {
            "format": _FORMATS[info.format],
            "shape": (int(info.rows), int(info.cols)),
            "dtype": ffi.string(lib.clump_type_text(info.type)).decode(),
            **numbers,
            **text,
            "celestial": bool(info.celestial),
            "beam_pixels": info.beam_pixels,
        }

    def read(self, *, device=None):
        """The pixels as a device array."""
        context = _core.context(device) if device is not None else _core.current()
        handle = context.image(lib.clump_file_read, context.pointer, self._pointer)
        type_ = lib.clump_image_type(handle.pointer)
        shape = (lib.clump_image_rows(handle.pointer), lib.clump_image_cols(handle.pointer))
        if type_ == lib.CLUMP_RGB:
            shape += (3,)
        return ndarray._of(
            handle, shape, BOOL if type_ == lib.CLUMP_BITS else _pixels.STORED[type_]
        )

    def sky(self, row, col):
        """Right ascension and declination of a pixel, in degrees; NaN where there are none."""
        places = ffi.new("double[2]")
        lib.clump_wcs_sky(self._pointer, row, col, places, places + 1)
        return places[0], places[1]

    def pixel(self, ra, dec):
        """The pixel, (row, col), at a place on the sky."""
        places = ffi.new("double[2]")
        lib.clump_wcs_pixel(self._pointer, ra, dec, places, places + 1)
        return places[0], places[1]

    def close(self):
        """Closes the file; arrays that were read stay."""
        if self._pointer:
            place = ffi.new("clump_file **", self._pointer)
            self._pointer = ffi.NULL
            lib.clump_file_close(place)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def __del__(self):
        self.close()

    def __repr__(self):
        return f"<clump.File {self.path!r} {self.info if self._pointer else 'closed'}>"


def open(path, plane=0, page=0, channel=-1, float32=False):
    """Opens a FITS, TIFF, PNG or .npy file. channel: 0 to 3, -1 luminance, -2 all colours."""
    params = ffi.new("struct clump_file_params *", lib.clump_file_defaults)
    params.plane, params.page, params.channel, params.float32 = plane, page, channel, float32
    return File(path, params)


def read(path, *, device=None, **options):
    """The pixels of a file as a device array; options as in clump.open."""
    with open(path, **options) as file:
        return file.read(device=device)


def write(x, path, force=False, like=None):
    """Writes an image by the ending of the path: .fits .npy .tif .png. like: a clump.File whose
    header is kept. An existing file is kept unless `force`."""
    x = either(x)
    params = ffi.new("struct clump_file_write_params *", lib.clump_file_write_defaults)
    params.force = force
    if like is not None:
        params.like = like._pointer
    try:
        x._context.call(
            lib.clump_file_write, x._context.pointer, _ops.native(x)._pointer, _path(path), params
        )
    except FileError as error:
        if not force and os.path.exists(path):
            raise FileThereError(str(error)) from None
        raise


def write_table(columns, path, force=False, units=None):
    """Writes a dictionary of columns by the ending of the path: .csv .ecsv .fits .vot .reg."""
    lines, place = _core.Lines(), ffi.new("clump_catalog **")
    arrays = {name: np.ascontiguousarray(values) for name, values in columns.items()}
    rows = len(next(iter(arrays.values()), ()))
    lines.end(lib.clump_catalog_create(lines.log, ffi.NULL, rows, place))
    try:
        for name, values in arrays.items():
            _add_column(lines, place[0], name, values, (units or {}).get(name))
        params = ffi.new("struct clump_catalog_write_params *", lib.clump_catalog_write_defaults)
        params.force = force
        lines.end(lib.clump_catalog_write(place[0], _path(path), params))
    except FileError as error:
        if not force and os.path.exists(path):
            raise FileThereError(str(error)) from None
        raise
    finally:
        lib.clump_catalog_destroy(place)


def _add_column(lines, catalog, name, values, unit):
    column = ffi.new("struct clump_column *")
    keep = [ffi.new("char[]", name.encode())]
    column.name = keep[0]
    if unit:
        keep.append(ffi.new("char[]", unit.encode()))
        column.unit = keep[-1]
    if values.dtype.kind in "US":
        texts = [ffi.new("char[]", str(text).encode()) for text in values]
        keep += [texts, ffi.new("char *[]", texts)]
        column.type, column.values = lib.CLUMP_COLUMN_TEXT, keep[-1]
    else:
        whole = values.dtype.kind in "iub"
        keep.append(np.ascontiguousarray(values, np.int64 if whole else np.float64))
        column.type = lib.CLUMP_COLUMN_I64 if whole else lib.CLUMP_COLUMN_F64
        column.values = _pixels.pointer(keep[-1])
    lines.end(lib.clump_catalog_add(catalog, column))


def view(
    x,
    *,
    stretch="linear",
    colormap="grey_reversed",
    low=None,
    high=None,
    bar=False,
    grid=False,
    title=None,
    file=None,
    zoom=0.0,
):
    """A picture of an image, as an array of colours on the device. stretch: linear, sqrt, log,
    asinh, squared, sinh; colormap: grey, grey_reversed, viridis, magma, inferno, cividis,
    labels."""
    x = _ops.native(either(x))
    params = ffi.new("struct clump_render_params *", lib.clump_render_defaults)
    params.stretch = getattr(lib, f"CLUMP_RENDER_STRETCH_{stretch.upper()}")
    params.colormap = getattr(lib, f"CLUMP_RENDER_COLORMAP_{colormap.upper()}")
    params.low = np.nan if low is None else low
    params.high = np.nan if high is None else high
    params.bar, params.grid, params.zoom = bar, grid, zoom
    words = ffi.new("char[]", (title or "").encode())
    if title:
        params.title = words
    if file is not None:
        params.file = file._pointer
    handle = x._context.image(lib.clump_render, x._context.pointer, x._pointer, params)
    shape = (lib.clump_image_rows(handle.pointer), lib.clump_image_cols(handle.pointer), 3)
    return ndarray._of(handle, shape, np.dtype(np.uint8))


def thumbnail(x, side=256):
    """The bytes of a small PNG, for notebooks; None where pictures cannot be drawn."""
    try:
        if x._type != lib.CLUMP_RGB:
            if x.ndim != 2:
                return None
            x = view(x, zoom=min(1.0, side / max(x.shape)))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "thumbnail.png")
            write(x, path)
            with io.open(path, "rb") as file:
                return file.read()
    except (NotImplementedError, ValueError):
        return None
