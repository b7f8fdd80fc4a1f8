# SPDX-License-Identifier: MIT
"""Source extraction with SEP's names: `import clump.sep as sep`.

Functions take and return NumPy arrays as SEP's do. What they compute is told in docs/background.md,
docs/extract.md and docs/photometry.md, each of which lists where SEP differs. Of the two limits that
SEP has, the pixel stack is only looked at where it was set below its default, and the number of
sub-objects not at all.
"""

import numpy as np

from clump import _ops
from clump._array import asarray, ndarray
from clump._clump import ffi, lib
from clump._core import Handle
from clump._ops import FLOAT32, INT32

__all__ = (
    "OBJ_MERGED OBJ_TRUNC OBJ_DOVERFLOW OBJ_SINGU APER_TRUNC APER_HASMASKED APER_ALLMASKED "
    "APER_NONPOSITIVE APER_INVALID default_kernel Background extract sum_circle sum_circann "
    "sum_ellipse sum_ellipann kron_radius flux_radius winpos ellipse_coeffs ellipse_axes "
    "mask_ellipse set_extract_pixstack get_extract_pixstack set_sub_object_limit "
    "get_sub_object_limit"
).split()

OBJ_MERGED, OBJ_TRUNC, OBJ_DOVERFLOW, OBJ_SINGU = 1, 2, 4, 8
APER_TRUNC, APER_HASMASKED, APER_ALLMASKED, APER_NONPOSITIVE = 0x10, 0x20, 0x40, 0x80
APER_INVALID = 0x200

default_kernel = np.array([[1, 2, 1], [2, 4, 2], [1, 2, 1]], np.float32)
_limits = {"pixstack": 300000, "sub_objects": 1024}
_BINS = {np.dtype(kind) for kind in (np.float32, np.float64, np.int32)}


def _plane(array, name="data"):
    """A 2-d array on the device; other types than SEP's become float32 or float64."""
    if isinstance(array, ndarray):
        return array
    array = np.asarray(array)
    if not array.dtype.isnative:
        raise ValueError(
            f"{name} has the byte order of another machine; "
            "array.byteswap().view(array.dtype.newbyteorder()) changes it"
        )
    if array.ndim != 2:
        raise ValueError(f"{name} array must be 2-d, not {array.ndim}-d")
    if array.dtype not in _BINS:
        array = array.astype(np.float64 if array.dtype.itemsize > 4 else np.float32)
    return asarray(np.ascontiguousarray(array))


def _masked(mask, maskthresh, shape):
    """Where a mask is above its threshold, on the device; None: nowhere."""
    if mask is None:
        return None
    mask = mask.get() if isinstance(mask, ndarray) else np.asarray(mask)
    if mask.shape != tuple(shape):
        raise ValueError(f"mask has the shape {mask.shape}, the data {tuple(shape)}")
    return asarray(np.ascontiguousarray(mask > maskthresh))


def _pointer(x):
    return x._pointer if x is not None else ffi.NULL


class Background:
    """Level and noise of the sky in every pixel, from a mesh of boxes.

    `np.array(background)` is back(), `data - background` subtracts it.
    """

    def __init__(self, data, mask=None, maskthresh=0.0, bw=64, bh=64, fw=3, fh=3, fthresh=0.0):
        x = _plane(data)
        self._dtype = np.dtype(x.dtype)
        params = _ops.defaults(
            "background",
            mesh_width=bw,
            mesh_height=bh,
            filter_width=max(fw, 1),
            filter_height=max(fh, 1),
            filter_threshold=fthresh,
        )
        bad = _masked(mask, maskthresh, x.shape)
        result = ffi.new("struct clump_background_result *")
        places = [ffi.new("clump_image **") for _ in range(2)]
        context = x._context
        context.call(
            lib.clump_background,
            context.pointer,
            x._pointer,
            _pointer(bad),
            params,
            *places,
            ffi.NULL,
            result,
        )
        self._back, self._rms = (
            ndarray._of(Handle(context, place[0]), x.shape, FLOAT32).get() for place in places
        )
        self.globalback, self.globalrms = float(result.level), float(result.rms)

    def _as(self, image, dtype, copy=True):
        dtype = self._dtype if dtype is None else np.dtype(dtype)
        if dtype.kind in "iu":
            return np.floor(image + 0.5).astype(dtype)
        return image.astype(dtype, copy=copy)

    def back(self, dtype=None, copy=True):
        """The level of every pixel, as `dtype`; None: that of the data."""
        return self._as(self._back, dtype)

    def rms(self, dtype=None):
        """The noise of every pixel."""
        return self._as(self._rms, dtype)

    def subfrom(self, array):
        """Subtracts the level from an array, in place."""
        if array.shape != self._back.shape:
            raise ValueError(
                f"the array has the shape {array.shape}, the background {self._back.shape}"
            )
        array -= self.back(array.dtype)

    def __array__(self, dtype=None, copy=None):
        return self.back(dtype)

    def __rsub__(self, array):
        array = np.asarray(array)
        return array - self.back(array.dtype)


_COLUMNS = (
    "thresh npix tnpix xmin xmax ymin ymax x y x2 y2 xy errx2 erry2 errxy a b theta cxx cyy cxy "
    "cflux flux cpeak peak xcpeak ycpeak xpeak ypeak flag"
).split()


def _object_dtypes():
    """struct clump_object as it is in memory, and SEP's record."""
    fields = dict(ffi.typeof("struct clump_object").fields)
    codes = {"uint64_t": "u8", "double": "f8", "uint32_t": "u4"}
    kinds = [codes[fields[name].type.cname] for name in _COLUMNS]
    own = {"u8": "i8", "f8": "f8", "u4": "i2"}
    memory = {
        "names": _COLUMNS,
        "formats": kinds,
        "offsets": [fields[name].offset for name in _COLUMNS],
        "itemsize": ffi.sizeof("struct clump_object"),
    }
    return np.dtype(memory), np.dtype(
        [(name, own[kind]) for name, kind in zip(_COLUMNS, kinds)]
    )


_MEMORY, _RECORD = _object_dtypes()


def _set_noise(params, err, var, shape):
    """Sets the noise of an extraction; returns what must live during the call."""
    if err is not None and var is not None:
        raise ValueError("err and var are both given; give one")
    given = err if err is not None else var
    if given is None:
        return None
    if np.ndim(given) == 0:
        params.noise = float(given) if err is not None else float(np.sqrt(given))
        return None
    noise = _plane(given, "err" if err is not None else "var")
    if tuple(noise.shape) != tuple(shape):
        raise ValueError(f"the noise has the shape {noise.shape}, the data {tuple(shape)}")
    params.noise_map = noise._pointer
    if var is not None:
        params.noise_kind = lib.CLUMP_EXTRACT_NOISE_VARIANCE
    return noise


def _set_filter(params, kernel):
    """Sets the filter; returns what must live during the call."""
    if kernel is None:
        params.filter = ffi.NULL
        return None
    kernel = np.ascontiguousarray(kernel, np.float64)
    if kernel.ndim != 2:
        raise ValueError(f"filter_kernel must be 2-d, not {kernel.ndim}-d")
    weights = ffi.new("struct clump_weights *")
    weights.rows, weights.cols = kernel.shape
    weights.weights = ffi.cast("double *", kernel.ctypes.data)
    params.filter = weights
    return weights, kernel


def extract(
    data,
    thresh,
    err=None,
    var=None,
    gain=None,
    mask=None,
    maskthresh=0.0,
    minarea=5,
    filter_kernel=default_kernel,
    filter_type="matched",
    deblend_nthresh=32,
    deblend_cont=0.005,
    clean=True,
    clean_param=1.0,
    segmentation_map=False,
):
    """Objects as records with SEP's columns; with segmentation_map also the map of their numbers.

    segmentation_map: True, or a map whose objects are measured instead of detecting any.
    """
    if filter_type not in ("matched", "conv"):
        raise ValueError(f"filter_type is 'matched' or 'conv', not {filter_type!r}")
    x = _plane(data)
    params = ffi.new("struct clump_extract_params *", lib.clump_extract_defaults)
    params.thresh, params.gain, params.min_area = thresh, gain or 0, minarea
    params.filter_type = {
        "matched": lib.CLUMP_EXTRACT_FILTER_MATCHED,
        "conv": lib.CLUMP_EXTRACT_FILTER_CONV,
    }[filter_type]
    params.deblend_levels, params.deblend_contrast = deblend_nthresh, deblend_cont
    params.clean, params.clean_param = bool(clean), clean_param
    bad, weights = _masked(mask, maskthresh, x.shape), _set_filter(params, filter_kernel)
    noise, given = _set_noise(params, err, var, x.shape), None
    params.mask = _pointer(bad)
    if np.ndim(segmentation_map):
        given = asarray(np.ascontiguousarray(segmentation_map, np.int32))
        params.segmentation = given._pointer
        segmentation_map = True
    result = ffi.new("struct clump_extract_result *")
    place = ffi.new("clump_image **") if segmentation_map else ffi.NULL
    context = x._context
    context.call(
        lib.clump_extract, context.pointer, x._pointer, params, place, ffi.NULL, result
    )
    del bad, weights, noise, given  # they had to live until here
    try:
        size = result.count * ffi.sizeof("struct clump_object")
        objects = np.zeros(result.count, _RECORD)
        if size:
            found = np.frombuffer(ffi.buffer(result.objects, size), _MEMORY)
            for name in _COLUMNS:
                objects[name] = found[name]
    finally:
        lib.clump_extract_release(result)
    if _limits["pixstack"] < min(300000, objects["npix"].sum()):
        raise Exception(
            f"internal pixel buffer full: The limit of {_limits['pixstack']} active object pixels "
            "was set by set_extract_pixstack; there is none unless it is set below 300000"
        )
    if not segmentation_map:
        return objects
    return objects, ndarray._of(Handle(context, place[0]), x.shape, INT32).get()


class _Apertures:
    """Apertures of one shape of arrays, and the parameters that all of them share."""

    def __init__(self, data, names, mask, maskthresh, segmap, seg_id, subpix):
        self.image = _plane(data)
        if segmap is not None and seg_id is None:
            raise ValueError("`segmap` supplied but not `seg_id`")
        arrays = np.broadcast_arrays(*(np.asarray(v, np.float64) for v in names.values()))
        self.shape = arrays[0].shape
        self.count = arrays[0].size
        if segmap is not None and np.shape(seg_id) != self.shape:
            raise ValueError("seg_id must have the shape of x and y")
        self.apertures = ffi.new("struct clump_aperture[]", max(self.count, 1))
        ids = np.ravel(seg_id) if segmap is not None else np.zeros(self.count, np.int64)
        for name, values in zip(names, arrays):
            self._column(name, values.ravel())
        self._column("id", ids.astype(np.int64))
        for name in ("a", "b"):
            if name not in names:
                self._column(name, np.ones(self.count))
        self.params = _ops.defaults("photometry", subpix=subpix)
        bad = _masked(mask, maskthresh, self.image.shape)
        segments = None if segmap is None else asarray(np.ascontiguousarray(segmap, np.int32))
        self.params.mask, self.params.segmentation = _pointer(bad), _pointer(segments)
        self.params.ignore = mask is None
        self.keep = [bad, segments]

    def _column(self, name, values):
        field = dict(ffi.typeof("struct clump_aperture").fields)[name]
        step = ffi.sizeof("struct clump_aperture")
        memory = np.frombuffer(ffi.buffer(self.apertures), np.uint8)[: self.count * step]
        rows = memory.reshape(self.count, step)[:, field.offset : field.offset + 8]
        rows[...] = np.ascontiguousarray(values).view(np.uint8).reshape(self.count, 8)

    def noise(self, err, var, gain):
        """Sets the errors of the pixels."""
        if err is not None and var is not None:
            raise ValueError("err and var are both given; give one")
        given = err if err is not None else var
        self.params.variance = var is not None
        self.params.gain = gain or 0
        if given is None:
            return self
        if np.ndim(given) == 0:
            self.params.error = float(given)
        else:
            image = _plane(given, "err" if err is not None else "var")
            self.params.error_map = image._pointer
            self.keep.append(image)
        return self

    def annulus(self, bkgann, subpix):
        """Sets the local background; None: none."""
        if bkgann is not None:
            self.params.local_inner, self.params.local_outer = bkgann
            self.params.local_subpix = subpix
        return self

    def call(self, function, kind, *members):
        """Calls a function that fills a struct per aperture; returns members in the shape of x."""
        results = ffi.new(f"struct clump_{kind}[]", max(self.count, 1))
        context = self.image._context
        context.call(
            function,
            context.pointer,
            self.image._pointer,
            self.count,
            self.apertures,
            self.params,
            results,
        )
        fields, codes = dict(ffi.typeof(f"struct clump_{kind}").fields), {"double": "f8"}
        size, memory = ffi.sizeof(f"struct clump_{kind}"), ffi.buffer(results)
        figures = []
        for name in members:
            code = codes.get(fields[name].type.cname, "u4")
            dtype = np.dtype(
                {"names": ["v"], "formats": [code], "offsets": [fields[name].offset],
                 "itemsize": size}
            )
            values = np.frombuffer(memory, dtype)["v"][: self.count]
            values = values.astype(np.int16 if code == "u4" else np.float64)
            figures.append(values.reshape(self.shape)[()])
        return tuple(figures)


def _sum(apertures, err, var, gain, bkgann, subpix):
    apertures.noise(err, var, gain).annulus(bkgann, subpix)
    return apertures.call(lib.clump_photometry_sum, "flux", "sum", "error", "flags")


def sum_circle(data, x, y, r, var=None, err=None, gain=None, mask=None, maskthresh=0.0,
               seg_id=None, segmap=None, bkgann=None, subpix=5):
    """Sums in circles: sum, error, flag."""
    names = {"x": x, "y": y, "outer": r}
    apertures = _Apertures(data, names, mask, maskthresh, segmap, seg_id, subpix)
    return _sum(apertures, err, var, gain, bkgann, 1)


def sum_circann(data, x, y, rin, rout, var=None, err=None, gain=None, mask=None, maskthresh=0.0,
                seg_id=None, segmap=None, subpix=5):
    """Sums in circular annuli."""
    names = {"x": x, "y": y, "inner": rin, "outer": rout}
    apertures = _Apertures(data, names, mask, maskthresh, segmap, seg_id, subpix)
    return _sum(apertures, err, var, gain, None, 1)


def sum_ellipse(data, x, y, a, b, theta, r=1.0, var=None, err=None, gain=None, mask=None,
                maskthresh=0.0, seg_id=None, segmap=None, bkgann=None, subpix=5):
    """Sums in ellipses of r times the axes a and b."""
    names = {"x": x, "y": y, "a": a, "b": b, "theta": theta, "outer": r}
    apertures = _Apertures(data, names, mask, maskthresh, segmap, seg_id, subpix)
    return _sum(apertures, err, var, gain, bkgann, subpix)


def sum_ellipann(data, x, y, a, b, theta, rin, rout, var=None, err=None, gain=None, mask=None,
                 maskthresh=0.0, seg_id=None, segmap=None, subpix=5):
    """Sums in elliptical annuli from rin to rout times the axes."""
    names = {"x": x, "y": y, "a": a, "b": b, "theta": theta, "inner": rin, "outer": rout}
    apertures = _Apertures(data, names, mask, maskthresh, segmap, seg_id, subpix)
    return _sum(apertures, err, var, gain, None, 1)


def kron_radius(data, x, y, a, b, theta, r, mask=None, maskthresh=0.0, seg_id=None, segmap=None):
    """Kron's radius in units of a and b, within r of them: radius, flag."""
    names = {"x": x, "y": y, "a": a, "b": b, "theta": theta, "outer": r}
    apertures = _Apertures(data, names, mask, maskthresh, segmap, seg_id, 1)
    return apertures.call(lib.clump_photometry_kron, "kron", "radius", "flags")


def flux_radius(data, x, y, rmax, frac, normflux=None, mask=None, maskthresh=0.0, seg_id=None,
                segmap=None, subpix=5):
    """Radii of circles that hold parts of the flux; several parts make a last axis: radius, flag.
    """
    names = {"x": x, "y": y, "outer": rmax}
    apertures = _Apertures(data, names, mask, maskthresh, segmap, seg_id, subpix)
    parts = np.ascontiguousarray(np.atleast_1d(frac), np.float64)
    radii, flags = np.zeros(apertures.count * parts.size), np.zeros(apertures.count, np.uint32)
    totals = ffi.NULL
    if normflux is not None:
        total = np.ascontiguousarray(np.broadcast_to(normflux, apertures.shape), np.float64)
        totals = ffi.cast("double *", total.ctypes.data)
    context = apertures.image._context
    context.call(
        lib.clump_photometry_radius,
        context.pointer,
        apertures.image._pointer,
        apertures.count,
        apertures.apertures,
        totals,
        ffi.cast("double *", parts.ctypes.data),
        parts.size,
        apertures.params,
        ffi.cast("double *", radii.ctypes.data),
        ffi.cast("uint32_t *", flags.ctypes.data),
    )
    shape = apertures.shape + (np.shape(frac) if np.ndim(frac) else ())
    return radii.reshape(shape)[()], flags.astype(np.int16).reshape(apertures.shape)[()]


def winpos(data, xinit, yinit, sig, mask=None, maskthresh=0.0, subpix=11, minsig=2.0 / 2.35 * 0.5):
    """Positions in a Gaussian window of the width sig, by iteration: x, y, flag."""
    names = {"x": xinit, "y": yinit, "outer": np.maximum(sig, minsig)}
    apertures = _Apertures(data, names, mask, maskthresh, None, None, subpix)
    return apertures.call(lib.clump_photometry_window, "window", "x", "y", "flags")


def ellipse_coeffs(a, b, theta):
    """cxx, cyy, cxy of ellipses."""
    a, b, theta = (np.asarray(v, np.float64) for v in (a, b, theta))
    cos, sin = np.cos(theta), np.sin(theta)
    return (
        cos**2 / a**2 + sin**2 / b**2,
        sin**2 / a**2 + cos**2 / b**2,
        2 * cos * sin * (1 / a**2 - 1 / b**2),
    )


def ellipse_axes(cxx, cyy, cxy):
    """a, b, theta of ellipses from their coefficients."""
    cxx, cyy, cxy = np.broadcast_arrays(*(np.asarray(v, np.float64) for v in (cxx, cyy, cxy)))
    found = np.zeros((3, cxx.size))
    place = ffi.new("double[3]")
    for i, given in enumerate(zip(cxx.flat, cyy.flat, cxy.flat)):
        if not lib.clump_ellipse_axes(*given, place, place + 1, place + 2):
            raise ValueError("parameters do not describe ellipse.")
        found[:, i] = list(place)
    return tuple(row.reshape(cxx.shape)[()] for row in found)


def mask_ellipse(arr, x, y, a=None, b=None, theta=None, r=1.0, cxx=None, cyy=None, cxy=None):
    """Sets what lies within ellipses, in place. They are told by a, b, theta or by coefficients."""
    if cxx is None:
        cxx, cyy, cxy = ellipse_coeffs(a, b, theta)
    rows, cols = np.mgrid[: arr.shape[0], : arr.shape[1]]
    for x0, y0, xx, yy, xy, r0 in np.broadcast(x, y, cxx, cyy, cxy, r):
        dx, dy = cols - x0, rows - y0
        arr[xx * dx * dx + yy * dy * dy + xy * dx * dy <= r0 * r0] = 1


def set_extract_pixstack(size):
    """Sets the number of pixels of objects beyond which extract() fails; 300000 and more: none."""
    _limits["pixstack"] = int(size)


def get_extract_pixstack():
    """What set_extract_pixstack() was given."""
    return _limits["pixstack"]


def set_sub_object_limit(size):
    """Keeps a number that nothing looks at: blends have no limit."""
    _limits["sub_objects"] = int(size)


def get_sub_object_limit():
    """What set_sub_object_limit() was given."""
    return _limits["sub_objects"]


__version__ = ffi.string(lib.clump_version()).decode()
