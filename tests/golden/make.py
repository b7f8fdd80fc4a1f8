#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Makes the golden values: what NumPy, SciPy, scikit-image and astropy say.

    python3 tests/golden/make.py stats > tests/golden/stats.txt

and so on for each word in COMMANDS; `all` writes every file beside this one. A line of a
file is one case: how to make its input, then what must come out. Inputs come from an integer
generator that tests/golden.c repeats, so that they need not be stored. Numbers are hexadecimal
floats: no digit is lost. Sums, means, variances and bounds are computed here in rational
numbers and rounded once, and checked against the libraries' floating ones.
"""
import io
import math
import os
import sys
import warnings
from fractions import Fraction

import astropy
import numpy as np
import scipy
import skimage
from astropy.convolution import convolve as astropy_convolve
from astropy.stats import sigma_clip
from scipy import ndimage, signal
from skimage import color, filters, measure, morphology

warnings.simplefilter("ignore")
MASK = (1 << 64) - 1
TYPES = ["uint8", "uint16", "int16", "int32", "uint32", "int64", "float32", "float64"]
BITS = {"uint8": 8, "uint16": 16, "int16": 16, "int32": 32, "uint32": 32, "int64": 64}


# --- the generator that golden.c repeats ------------------------------------------------------

def draw(seed, count):
    """One 64-bit number a pixel: splitmix64 of seed and index."""
    with np.errstate(over="ignore"):
        z = np.uint64(seed * 0x9E3779B97F4A7C15 & MASK)
        z = z + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0xD1B54A32D192ED03)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def bits(h, low, count):
    return ((h >> np.uint64(low)) & np.uint64((1 << count) - 1)).astype(np.int64)


def bell(h):
    """Roughly normal integers, sigma about 37,800, a bright one in 101."""
    sum4 = sum(bits(h, 16 * k, 16) for k in range(4)) - 2 * 65536
    return np.where(h % np.uint64(101) == 0, 64 * np.abs(sum4), sum4)


def reals(h, kind, name):
    """Integer mantissas and exponents of a float image, and where it is NaN."""
    f32 = name == "float32"
    n = np.zeros(h.shape, np.int64)
    if kind == "constant":
        return n + 29, n - 2
    if kind == "two":
        return np.where(h & np.uint64(1), n + 11, n + 3), n - 1
    if kind == "tails":
        return bits(h, 40, 24) - (1 << 23), (h % np.uint64(120)).astype(np.int64) - 80
    if kind == "denormal":
        return bits(h, 40, 20) - (1 << 19), n - (149 if f32 else 1074)
    if kind == "extremes":
        return bits(h, 40, 20) - (1 << 19), np.where(h & np.uint64(1), n + 80, n - 120)
    if kind == "huge":
        return bits(h, 40, 24) - (1 << 23), n + (105 if f32 else 1001)
    if kind == "adjacent":
        step = 23 if f32 else 52
        return (1 << step) + (h % np.uint64(3) == 0).astype(np.int64), n - step
    if kind == "narrow":
        step = 23 if f32 else 52
        return (1 << step) + (h % np.uint64(100)).astype(np.int64), n - step
    if kind == "zero":
        return n, n
    if kind == "uniform":
        return bits(h, 40, 24) - (1 << 23), n - 20
    if kind == "offset":
        return bits(h, 44, 10) + (1 << 23), n - 3
    return bell(h), n - 10


def edges(h, name):
    """Just below the edges of 256 bins from -1/3 to 5/3, where rounding decides on the bin."""
    low, high = (float(np.dtype(name).type(x)) for x in (-1 / 3, 5 / 3))
    place = 1 + (h % np.uint64(255)).astype(np.int64)
    v = np.nextafter((place * ((high - low) / 256) + low).astype(name), np.dtype(name).type(-9))
    v[:2] = low, high
    return v


def image(name, kind, rows, cols, seed):
    h = draw(seed, rows * cols)
    if name in BITS:
        if kind == "constant":
            v = np.full(h.shape, 7)
        elif kind == "two":
            v = np.where(h & np.uint64(1), 11, 3)
        elif kind == "full":
            v = h.astype(np.int64)
        elif kind == "ramp":
            v = np.arange(rows * cols)
        else:
            shift = {8: 12, 16: 5}.get(BITS[name], 0)
            v = (bell(h) >> shift) + (128 if BITS[name] == 8 else 20000)
            top = 255 if BITS[name] == 8 else 32767 if BITS[name] == 16 else 1 << 24
            v = np.clip(v, 0 if name[0] == "u" else -top, top)
        return v.astype(name).reshape(rows, cols)
    if kind == "edges":
        return edges(h, name).reshape(rows, cols)
    m, e = reals(h, kind, name)
    v = np.ldexp(m.astype(np.float64), e.astype(np.int32))
    if kind == "zero":
        v = np.where(h & np.uint64(1), -0.0, 0.0)
    if kind == "blank":
        v[h % np.uint64(7) == 0] = np.nan
    if kind == "allblank":
        v[:] = np.nan
    if kind in ("infinite", "plusinfinite"):
        v[h % np.uint64(53) == 0] = np.inf
        if kind == "infinite":
            v[h % np.uint64(53) == 1] = -np.inf
            v[h % np.uint64(53) == 2] = np.nan
    return v.astype(name).reshape(rows, cols)


def mask(kind, rows, cols, seed, permille):
    h = draw(seed, rows * cols).reshape(rows, cols)
    r, c = np.mgrid[0:rows, 0:cols]
    if kind == "noise":
        return h % np.uint64(1000) < np.uint64(permille)
    if kind == "checkerboard":
        return (r + c) % 2 == 0
    if kind == "comb":
        return (c % 2 == 0) | (r == rows - 1)
    if kind == "hanging":
        return (c % 2 == 0) | (r == 0)
    if kind == "serpent":
        return (r % 2 == 0) | (c == np.where(r % 4 == 1, cols - 1, 0))
    if kind == "spiral":
        d = np.minimum(np.minimum(r, c), np.minimum(rows - 1 - r, cols - 1 - c))
        joint = (c == d) & (r == d + 1)
        return (d % 2 == 0) ^ joint
    if kind == "stairs":
        return (r + c) % 4 == 0
    if kind == "blobs":  # a pixel and what lies within 2 of it
        seeds = np.pad(h % np.uint64(1000) < np.uint64(permille), 2)
        return np.logical_or.reduce([seeds[2 + y:2 + y + rows, 2 + x:2 + x + cols]
                                     for y in range(-2, 3) for x in range(-2, 3)
                                     if abs(x) + abs(y) <= 2])
    return np.full((rows, cols), kind == "ones")


def fnv(array):
    value = 0xCBF29CE484222325
    for byte in np.ascontiguousarray(array).tobytes():
        value = (value ^ byte) * 0x100000001B3 & MASK
    return f"{value:016x}"


def number(x):
    x = float(x)
    return "nan" if math.isnan(x) else x.hex() if math.isfinite(x) else str(x)


def line(*parts):
    out.write(" ".join(str(p) for p in parts) + "\n")


# --- exact figures ----------------------------------------------------------------------------

def quotient(a, b):
    """The double nearest to a / b, integers; Python's own division is that."""
    try:
        return a / b
    except OverflowError:
        return math.inf if a > 0 else -math.inf


def root(a, b):
    """The double nearest to the root of a / b."""
    shift = max(0, 300 + 2 * b.bit_length() - a.bit_length()) & ~1
    r = math.isqrt((a << shift) // b)
    sticky = r * r * b != a << shift
    return quotient(2 * r + sticky, 2 << (shift // 2))


def moments(values):
    """n, scale, sum and sum of squares in integers: values times scale."""
    fractions = [Fraction(v) for v in values.tolist()]
    scale = max((f.denominator for f in fractions), default=1)
    whole = [int(f * scale) for f in fractions]
    return len(whole), scale, sum(whole), sum(v * v for v in whole)


def exact(values, ddof):
    """Sum, mean, variance, std of finite values."""
    n, scale, s, q = moments(values)
    if n == 0:
        return 0.0, math.nan, math.nan, math.nan
    result = [quotient(s, scale), quotient(s, n * scale), math.nan, math.nan]
    if n > ddof:
        a, b = n * q - s * s, n * (n - ddof) * scale * scale
        result[2:] = quotient(a, b), root(a, b)
    return result


def close(a, b, scale=0.0, eps=1e-9):
    assert (math.isnan(a) and math.isnan(b)) or a == b or abs(a - b) <= eps * (abs(b) + scale), (a, b)


def middle(values):
    """numpy.median, which overflows where the header has a / 2 + b / 2."""
    if not len(values):
        return math.nan
    v = np.sort(values)
    a, b = v[(len(v) - 1) // 2], v[len(v) // 2]
    if a == b:
        return float(a)
    return float(a / 2 + b / 2 if np.isinf(a + b) and np.isfinite(a) and np.isfinite(b)
                 else np.median(v))


def deviation(values, median):
    return middle(np.abs(values - median)) if np.isfinite(median) else math.nan


STATS_IMAGES = [
    (t, kind, rows, cols)
    for t in TYPES
    for kind, rows, cols in [("constant", 5, 9), ("two", 16, 33), ("bell", 37, 41), ("bell", 1, 1),
                             ("bell", 1, 64), ("bell", 64, 1)]
] + [(t, kind, 19, 23) for t in BITS for kind in ("full", "ramp")
     ] + [(t, kind, rows, cols)
          for t in ("float32", "float64")
          for kind, rows, cols in [("uniform", 65, 63), ("tails", 31, 33), ("denormal", 20, 20),
                                   ("extremes", 24, 25), ("huge", 17, 19), ("adjacent", 9, 14),
                                   ("zero", 6, 6), ("offset", 30, 30), ("blank", 40, 21),
                                   ("allblank", 3, 4), ("infinite", 40, 40),
                                   ("plusinfinite", 21, 40), ("narrow", 11, 13),
                                   ("edges", 3, 4), ("edges", 20, 25), ("edges", 6, 10)]]
QUANTILES = [0.0, 0.001, 0.1, 0.25, 0.5, 0.77, 0.9, 1.0]


def stats():
    line("# type kind rows cols seed ddof: count blank infinite min max min_row min_col max_row "
         "max_col sum mean variance std median mad quantiles", *QUANTILES)
    for seed, (t, kind, rows, cols) in enumerate(STATS_IMAGES, 100):
        a = image(t, kind, rows, cols, seed)
        ddof = seed % 3
        v = a[~np.isnan(a)] if a.dtype.kind == "f" else a.ravel()
        d = v.astype(np.float64) + 0.0
        infinite = int(np.isinf(d).sum())
        if infinite:
            with np.errstate(invalid="ignore"):
                s = float(np.sum(d))
            figures = [s, s, math.nan, math.nan]
        else:
            figures = exact(v, ddof)
            if len(d) and kind not in ("huge", "denormal", "extremes", "tails"):
                close(figures[0], float(np.sum(d)), float(np.abs(d).sum()))
                close(figures[1], float(np.mean(d)), float(np.abs(d).sum()))
                if len(d) > ddof:
                    close(figures[3], float(np.std(d, ddof=ddof)), float(np.abs(d).max()), 1e-7)
        if len(d):
            low = np.unravel_index(np.nanargmin(a), a.shape)
            high = np.unravel_index(np.nanargmax(a), a.shape)
            extremes = [number(d.min()), number(d.max()), *low, *high]
        else:
            extremes = ["nan", "nan", 0, 0, 0, 0]
        median = middle(d)
        q = np.quantile(d, QUANTILES) if len(d) else np.full(len(QUANTILES), np.nan)
        if infinite:  # NumPy 1.24 makes NaN of inf - inf; between equals there is nothing to do
            order = np.sort(d)
            for i, p in enumerate(QUANTILES):
                h = (len(d) - 1) * p
                x, y = order[int(h)], order[min(int(h) + 1, len(d) - 1)]
                if x == y or h == int(h):
                    q[i] = x
        line(t, kind, rows, cols, seed, ddof, len(d), a.size - len(d), infinite, *extremes,
             *map(number, figures), number(median), number(deviation(d, median)),
             *map(number, q + 0.0))


CLIP_WAYS = [  # low, high, limit, centre, scale, inclusive
    (3.0, 3.0, 0, "median", "std", 0), (3.0, 3.0, 0, "mean", "std", 0),
    (2.5, 3.5, 0, "median", "std", 1), (3.0, 3.0, 2, "median", "std", 0),
    (3.0, 3.0, 0, "median", "mad", 1), (math.inf, 2.0, 5, "mean", "mad", 0),
]
MAD_TO_STD = 1.482602218505602


def clip_once(values, low, high, centre, scale, inclusive):
    d = values.astype(np.float64)
    _, mean, _, std = exact(values, 0)
    median = middle(d)
    mid = mean if centre == "mean" else median
    wide = std if scale == "std" else MAD_TO_STD * deviation(d, median)
    lower = -math.inf if math.isinf(low) else mid - low * wide
    upper = math.inf if math.isinf(high) else mid + high * wide
    # exact comparison of integers of 64 bits with doubles, through Python's
    keep = np.array([lower <= x <= upper if inclusive else lower < x < upper
                     for x in values.tolist()])
    return lower, upper, keep


def check_clip(values, way, kept):
    """astropy keeps what is equal to a bound; the lesson's loop does not."""
    low, high, limit, centre, scale, inclusive = way
    d = values.astype(np.float64)
    if inclusive:
        after = sigma_clip(d, sigma_lower=low, sigma_upper=high, maxiters=limit or None,
                           cenfunc=centre, stdfunc="std" if scale == "std" else "mad_std",
                           masked=False)
        assert len(after) == kept, (len(after), kept)
    elif scale == "std" and not limit and low == high:
        while True:
            mid = np.median(d) if centre == "median" else np.mean(d)
            next_d = d[(d > mid - low * np.std(d)) & (d < mid + high * np.std(d))]
            if len(next_d) == len(d):
                break
            d = next_d
        assert len(d) == kept, (len(d), kept)


def clip():
    line("# type kind rows cols seed low high limit centre scale inclusive: lower upper kept "
         "iterations converged after.min after.max after.sum after.mean after.std after.median "
         "after.mad mask_hash kept_hash")
    for seed, (t, kind, rows, cols) in enumerate(STATS_IMAGES, 100):
        a = image(t, kind, rows, cols, seed)
        for way in CLIP_WAYS if seed % 2 else CLIP_WAYS[:3]:
            low, high, limit, centre, scale, inclusive = way
            values = a[np.isfinite(a)] if a.dtype.kind == "f" else a.ravel()
            first = values
            lower = upper = math.nan
            count, done = 0, not len(values)
            while not done and (not limit or count < limit):
                lower, upper, keep = clip_once(values, *way[:2], *way[3:])
                count += 1
                done = not keep.any() or keep.all()
                if keep.any():
                    values = values[keep]
            if kind in ("bell", "uniform", "tails") and len(first) > 1:
                check_clip(first, way, len(values))
            inside = np.isfinite(a) if a.dtype.kind == "f" else np.ones(a.shape, bool)
            if len(values):
                inside &= (a >= values.min()) & (a <= values.max())
            else:
                inside[:] = False
            d = values.astype(np.float64) + 0.0
            figures = exact(values, 0)
            extremes = [number(d.min()), number(d.max())] if len(d) else ["nan", "nan"]
            line(t, kind, rows, cols, seed, number(low), number(high), limit, centre, scale,
                 inclusive, number(lower), number(upper), len(values), count, int(done), *extremes,
                 number(figures[0]), number(figures[1]), number(figures[3]), number(middle(d)),
                 number(deviation(d, middle(d))), fnv(inside.astype(np.uint8)), fnv(a[inside]))


def otsu():
    line("# type kind rows cols seed: threshold, or `error`")
    images = [i for i in STATS_IMAGES if i[:2] != ("int64", "full")
              and i[:2] not in (("uint32", "full"), ("int32", "full"))]
    for seed, (t, kind, rows, cols) in enumerate(images, 300):
        a = image(t, kind, rows, cols, seed)
        v = a[~np.isnan(a)] if a.dtype.kind == "f" else a.ravel()
        if not len(v) or (a.dtype.kind == "f" and np.isinf(v).any()):
            line(t, kind, rows, cols, seed, "error")
            continue
        power = 0
        if kind in ("huge", "denormal"):  # where NumPy overflows: powers of two change nothing
            power = -int(np.frexp(np.abs(v).max())[1])
            v = np.ldexp(v, power)
        threshold = np.ldexp(np.float64(filters.threshold_otsu(v)), -power)
        line(t, kind, rows, cols, seed, number(threshold + 0.0))


def convert():
    line("# from kind rows cols seed to: hash of the converted pixels")
    limits = {t: np.iinfo(t) for t in BITS}
    kinds = ["bell", "full", "tails", "infinite", "huge", "uniform", "zero"]
    seed = 400
    for t in TYPES:
        for kind in kinds:
            if (kind == "full" and t[0] == "f") or (kind not in ("full", "bell") and t[0] != "f"):
                continue
            a = image(t, kind, 13, 37, seed)
            for to in TYPES:
                if to == "int64" or to == t:
                    continue  # numpy.clip cannot hold the limits of int64 in a double
                with np.errstate(all="ignore"):
                    if to[0] == "f":
                        b = a.astype(to)
                    elif a.dtype.kind == "f":
                        b = np.rint(np.nan_to_num(a.astype(np.float64), nan=0.0, posinf=1e300,
                                                  neginf=-1e300))
                        b = np.clip(b, limits[to].min, limits[to].max).astype(to)
                    else:
                        low = max(limits[to].min, limits[t].min)
                        b = np.clip(a, low, min(limits[to].max, limits[t].max)).astype(to)
                if to[0] == "f":
                    b[np.isnan(b)] = np.nan
                line(t, kind, 13, 37, seed, to, fnv(b))
            line(t, kind, 13, 37, seed, "bits", fnv((a != 0).astype(np.uint8)))
            seed += 1
    grey = color.rgb2gray(np.arange(0, 243, dtype=np.uint8).reshape(9, 9, 3)) * 255
    line("rgb", "ramp", 9, 9, 0, "float64", *map(number, grey.ravel()))


def threshold():
    line("# type kind rows cols seed above low connectivity: count hash; low `nan`: none; above "
         "`map`: the map is the same kind of image with the next seed")
    seed = 500
    for t, kind, rows, cols in STATS_IMAGES[::2]:
        a = image(t, kind, rows, cols, seed)
        v = a[np.isfinite(a)] if a.dtype.kind == "f" else a.ravel()
        if not len(v):
            v = np.zeros(1)
        levels = np.quantile(v.astype(np.float64), [0.4, 0.9])
        for low in (math.nan, float(levels[0])):
            for connectivity in (4, 8):
                high = float(levels[1])
                if math.isnan(low):
                    m = np.array([x > high for x in a.ravel().tolist()]).reshape(a.shape)
                elif connectivity == 4:
                    m = filters.apply_hysteresis_threshold(a.astype(np.longdouble), low, high)
                else:
                    weak = a.astype(np.longdouble) > low
                    numbers, n = ndimage.label(weak, np.ones((3, 3)))
                    strong = np.unique(numbers[a.astype(np.longdouble) > high])
                    m = np.isin(numbers, strong[strong > 0])
                line(t, kind, rows, cols, seed, number(high), number(low), connectivity,
                     int(m.sum()), fnv(m.astype(np.uint8)))
        m = a > image(t, kind, rows, cols, seed + 1)
        line(t, kind, rows, cols, seed, "map", "nan", 4, int(m.sum()), fnv(m.astype(np.uint8)))
        seed += 2


# --- convolution ------------------------------------------------------------------------------

def real_image(t, rows, cols, seed, nan):
    h = draw(seed, rows * cols)
    v = (bits(h, 40, 24) - (1 << 23)) * 2.0 ** -22
    if nan:
        v[h % np.uint64(9) == 0] = np.nan
    return v.astype(t).reshape(rows, cols)


def weights_of(rows, cols, seed, positive):
    h = draw(seed, rows * cols)
    if positive:
        return ((bits(h, 44, 20) + (1 << 16)) * 2.0 ** -20).reshape(rows, cols)
    return ((bits(h, 40, 24) - (1 << 23)) * 2.0 ** -23).reshape(rows, cols)


def sampled(result, seed):
    """Shape, corners, 16 places and one sum with signs: enough to notice any difference."""
    flat = result.ravel()
    places = [0, result.shape[-1] - 1, flat.size - result.shape[-1], flat.size - 1]
    places += [int(x) for x in draw(seed, 16) % np.uint64(flat.size)]
    signs = np.where(draw(seed + 1, flat.size) & np.uint64(1), 1.0, -1.0)
    kept = np.nan_to_num(flat.astype(np.float64), nan=0.0)
    return [*result.shape, *(number(flat[p]) for p in places), number(math.fsum(kept * signs)),
            int(np.isnan(flat).sum())]


MODES = ["full", "same", "valid"]
BOUNDARIES = {"fill": "constant", "wrap": "wrap", "symm": "reflect", "nearest": "nearest",
              "mirror": "mirror"}
ASTROPY = {"fill": "fill", "wrap": "wrap", "nearest": "extend"}


def padded(a, kernel, boundary, fill):
    if boundary == "fill":
        return None
    pad = [(k - 1, k - 1) for k in kernel.shape]
    how = {"wrap": "wrap", "symm": "symmetric", "nearest": "edge", "mirror": "reflect"}[boundary]
    return np.pad(a, pad, how)


def full2d(a, kernel, boundary, fill):
    """The full convolution; SciPy's own where it knows the boundary."""
    if boundary in ("fill", "wrap", "symm"):
        return signal.convolve2d(a, kernel, "full", boundary, fill)
    return signal.convolve2d(padded(a, kernel, boundary, fill), kernel, "valid")


def convolve2d(a, kernel, mode, boundary, fill, ignore):
    """In double, by SciPy; blank pixels left out as astropy does."""
    if not ignore:
        if boundary in ("fill", "wrap", "symm"):
            return signal.convolve2d(a, kernel, mode, boundary, fill)
        top = full2d(a, kernel, boundary, fill)
    else:
        there = (~np.isnan(a)).astype(np.float64)
        top = full2d(np.where(np.isnan(a), 0.0, a), kernel, boundary, fill)
        bottom = full2d(there, kernel, boundary, 1.0)
        if mode == "valid":
            top = full2d(np.where(np.isnan(a), 0.0, a), kernel, "fill", 0.0)
            bottom = full2d(there, kernel, "fill", 1.0)
        bottom[bottom < 1e-9] = np.nan
        top = top * (kernel.sum() / bottom)
    shape = [abs(n - k) + 1 if mode == "valid" else n for n, k in zip(a.shape, kernel.shape)]
    if mode == "valid":
        if not ignore:
            return signal.convolve2d(a, kernel, "valid")
        start = [min(n, k) - 1 for n, k in zip(a.shape, kernel.shape)]
    else:
        start = [(k - 1) // 2 if mode == "same" else 0 for k in kernel.shape]
        shape = shape if mode == "same" else top.shape
    return top[start[0]:start[0] + shape[0], start[1]:start[1] + shape[1]]


def convolve():
    line("# 2 or 1 (dimensions) type rows cols seed kernel_rows kernel_cols kernel_seed mode "
         "boundary fill blank nan: rows cols, 20 values, their signed sum, number of NaN")
    seed = 1000
    shapes = [(1, 1), (1, 9), (8, 1), (5, 7), (13, 11), (3, 40), (33, 17)]
    kernels = [(1, 1), (3, 3), (2, 4), (5, 1), (1, 6), (7, 5), (20, 9), (4, 45)]
    for rows, cols in shapes:
        for krows, kcols in kernels:
            for boundary in BOUNDARIES:
                seed += 2
                t = TYPES[6 + seed // 2 % 2]
                mode = MODES[seed // 2 % 3]
                ignore = seed // 2 % 5 == 0
                nan = ignore or seed // 2 % 7 == 0
                if boundary == "mirror" and (rows == 1 or cols == 1):
                    continue  # numpy.pad cannot reflect one pixel
                if mode == "valid" and not ((rows >= krows and cols >= kcols)
                                            or (rows <= krows and cols <= kcols)):
                    mode = "same"
                a = real_image(t, rows, cols, seed, nan).astype(np.float64)
                k = weights_of(krows, kcols, seed + 1, ignore)
                fill = [0.0, 1.5, -0.25][seed // 2 % 3]
                result = convolve2d(a, k, mode, boundary, fill, ignore)
                if ignore and mode == "same" and krows % 2 and kcols % 2 and boundary in ASTROPY \
                        and krows <= rows and kcols <= cols:
                    peer = astropy_convolve(a, k, ASTROPY[boundary], fill, "interpolate", False)
                    assert np.allclose(result, peer, rtol=1e-12, atol=1e-12, equal_nan=True)
                line(2, t, rows, cols, seed, krows, kcols, seed + 1, mode, boundary, number(fill),
                     "ignore" if ignore else "spread", int(nan), *sampled(result, seed))
    for n in (1, 2, 5, 16, 40, 100):
        for k in (1, 2, 3, 8, 15, 41):
            for mode in MODES:
                seed += 2
                t = TYPES[6 + seed // 2 % 2]
                a = real_image(t, 1, n, seed, 0).astype(np.float64)
                w = weights_of(1, k, seed + 1, 0)
                result = np.convolve(a[0], w[0], mode).reshape(1, -1)
                line(1, t, 1, n, seed, 1, k, seed + 1, mode, "fill", number(0.0), "spread", 0,
                     *sampled(result, seed))


def gaussian():
    line("# type rows cols seed sigma_rows sigma_cols truncate boundary fill blank nan: rows cols, "
         "20 values, their signed sum, number of NaN")
    seed = 3000
    sigmas = [(1.0, 1.0), (0.0, 2.0), (0.3, 0.7), (2.5, 1.25), (5.0, 5.0), (0.6, 0.0)]
    for rows, cols in [(1, 1), (1, 30), (17, 1), (6, 9), (25, 40), (50, 11)]:
        for sigma in sigmas:
            for boundary, mode in BOUNDARIES.items():
                seed += 1
                t = TYPES[6 + seed % 2]
                ignore = seed % 4 == 0
                nan = ignore or seed % 7 == 0
                truncate = [4.0, 3.0, 5.5][seed % 3]
                fill = [0.0, 1.5, -0.25][seed % 3]
                a = real_image(t, rows, cols, seed, nan).astype(np.float64)

                def blur(x, outside):
                    return ndimage.gaussian_filter(x, sigma, mode=mode, cval=outside,
                                                   truncate=truncate)
                if ignore:
                    bottom = blur((~np.isnan(a)).astype(np.float64), 1.0)
                    bottom[bottom < 1e-12] = np.nan
                    result = blur(np.where(np.isnan(a), 0.0, a), fill) / bottom
                else:
                    result = blur(a, fill)
                if boundary == "nearest" and not nan:
                    peer = filters.gaussian(a, sigma, truncate=truncate)
                    assert np.allclose(result, peer, rtol=1e-12, atol=1e-14)
                line(t, rows, cols, seed, number(sigma[0]), number(sigma[1]), number(truncate),
                     boundary, number(fill), "ignore" if ignore else "spread", int(nan),
                     *sampled(result, seed))


# --- masks, labels, regions -------------------------------------------------------------------

def label():
    line("# type kind rows cols seed permille connectivity: count hash of the int32 labels")
    cases = []
    shapes = [(1, 1), (1, 70), (70, 1), (7, 3), (33, 31), (32, 64), (65, 63), (100, 129), (2, 200)]
    for i, (rows, cols) in enumerate(shapes):
        for permille in (0, 30, 100, 250, 400, 500, 593, 700, 800, 900, 970, 1000):
            cases.append(("noise", rows, cols, permille))
    for kind in ("checkerboard", "comb", "hanging", "serpent", "spiral", "stairs", "ones", "blobs"):
        for rows, cols in [(1, 33), (33, 1), (8, 8), (31, 65), (64, 32), (97, 61), (150, 131)]:
            cases.append((kind, rows, cols, 15))
    cases.append(("noise", 512, 512, 500))
    for seed, (kind, rows, cols, permille) in enumerate(cases, 5000):
        m = mask(kind, rows, cols, seed, permille)
        for connectivity in (4, 8):
            structure = np.ones((3, 3)) if connectivity == 8 else None
            numbers, n = ndimage.label(m, structure)
            peer = measure.label(m, connectivity=connectivity // 4)
            assert np.array_equal(numbers, peer)
            line("bits" if seed % 3 else "uint8", kind, rows, cols, seed, permille, connectivity, n,
                 fnv(numbers.astype("<i4")))


MORPHOLOGY = {"erosion": morphology.binary_erosion, "dilation": morphology.binary_dilation,
              "opening": morphology.binary_opening, "closing": morphology.binary_closing}


def custom(rows, cols, seed):
    cells = draw(seed, rows * cols) % np.uint64(3) > 0
    cells[0] = True
    return cells.reshape(rows, cols)


def morph():
    line("# kind rows cols seed permille operation shape size (custom: ROWSxCOLS seed; remove: "
         "connectivity area): count hash")
    seed = 7000
    for r in range(1, 21):
        shapes = [("disk", morphology.disk(r), r), ("square", morphology.square(r), r),
                  ("diamond", morphology.diamond(r), r)]
        crows, ccols = 1 + r * 3 % 11, 1 + r * 7 % 13
        shapes.append(("custom", custom(crows, ccols, r), f"{crows}x{ccols} {r}"))
        for shape, footprint, size in shapes:
            for operation, function in MORPHOLOGY.items():
                seed += 1
                rows, cols = [(70, 95), (33, 129), (64, 64), (1, 100), (100, 1)][seed % 5]
                grows = operation in ("dilation", "closing")
                kind = "noise" if grows else "blobs" if r < 4 else "noise"
                permille = 10 if grows else 60 if r < 4 else 995
                m = mask(kind, rows, cols, seed, permille)
                result = function(m, footprint)
                line(kind, rows, cols, seed, permille, operation, shape, size, int(result.sum()),
                     fnv(result.astype(np.uint8)))
    for permille in (100, 300, 500, 600, 700, 900):
        for rows, cols in [(60, 77), (1, 50), (33, 2)]:
            seed += 1
            m = mask("noise", rows, cols, seed, permille)
            result = ndimage.binary_fill_holes(m)
            line("noise", rows, cols, seed, permille, "fill", "none", 0, int(result.sum()),
                 fnv(result.astype(np.uint8)))
            for connectivity in (4, 8):
                for area in (0, 2, 9, 64):
                    result = morphology.remove_small_objects(m, area, connectivity // 4)
                    line("noise", rows, cols, seed, permille, "remove", connectivity, area,
                         int(result.sum()), fnv(result.astype(np.uint8)))


def labels_of(kind, rows, cols, seed, permille):
    if kind == "scattered":
        return (draw(seed, rows * cols) % np.uint64(6)).astype(np.int32).reshape(rows, cols)
    return ndimage.label(mask(kind, rows, cols, seed, permille), np.ones((3, 3)))[0].astype(np.int32)


def orientation(p):
    """That of scikit-image since 0.20: before, regions with equal moments had the other sign."""
    a, b, _, c = p.inertia_tensor.flat
    wanted = p.orientation if a != c else math.pi / 4 if b < 0 else -math.pi / 4
    assert wanted == p.orientation or tuple(map(int, skimage.__version__.split(".")[:2])) < (0, 20)
    return wanted


def region_line(p, values):
    """A region's figures in the order of struct clump_region."""
    d = values[p.image].astype(np.float64)
    total = math.fsum(d)
    intensity = np.where(p.image, values, 0).astype(np.float64)
    with np.errstate(all="ignore"):
        mu = measure.moments_central(intensity, order=2) / np.float64(total)
        centre = ndimage.center_of_mass(intensity)
    centre = [c + p.bbox[k] for k, c in enumerate(centre)]
    peak = np.argwhere(p.image & (values == values[p.image].max()))[0] + p.bbox[:2]
    shape = p.moments_central / p.moments_central[0, 0]
    return [p.label, p.area, number(total), number(d.mean()), number(d.std()), number(d.min()),
            number(d.max()), *peak, *map(number, p.centroid), *map(number, centre), *p.bbox,
            *map(number, (shape[2, 0], shape[1, 1], shape[0, 2])),
            *map(number, (mu[2, 0], mu[1, 1], mu[0, 2])),
            *map(number, (p.axis_major_length, p.axis_minor_length, orientation(p), p.eccentricity,
                          p.perimeter)), int(p.area_convex), number(p.solidity), int(p.euler_number)]


def measures():
    line("# image TYPE IMAGE_KIND labels ROWS COLS SEED PERMILLE COUNT, then for each region: label "
         "area sum mean std min max peak centroid weighted box moments weighted_moments axes "
         "orientation eccentricity perimeter area_convex solidity euler")
    cases = [("blobs", 60, 70, 12), ("noise", 16, 40, 420), ("scattered", 20, 25, 0),
             ("spiral", 31, 40, 0), ("serpent", 20, 20, 0), ("ones", 9, 17, 0),
             ("noise", 1, 64, 700), ("noise", 64, 1, 700), ("blobs", 120, 90, 4),
             ("checkerboard", 11, 12, 0), ("comb", 12, 21, 0), ("noise", 40, 40, 900)]
    kinds = [("float32", "uniform"), ("uint8", "bell"), ("float64", "bell"), ("uint16", "bell"),
             ("int16", "full"), ("float32", "offset"), ("int32", "bell"), ("uint32", "full")]
    for seed, (kind, rows, cols, permille) in enumerate(cases, 9000):
        t, picture = kinds[seed % len(kinds)]
        values = image(t, picture, rows, cols, seed + 500)
        numbers = labels_of(kind, rows, cols, seed, permille)
        props = measure.regionprops(numbers, values)
        line("image", t, picture, kind, rows, cols, seed, permille, len(props))
        for p in props:
            local = values[p.slice]
            line(*region_line(p, local))


def coloured():
    line("# type kind rows cols seed labels alpha image_alpha overlay plain low high: 255 times the "
         "colours, 3 a pixel; type none: no picture")
    seed = 11000
    ways = [(0.3, 1.0, 0, 0), (0.6, 0.4, 0, 0), (0.3, 1.0, 0, 1), (0.3, 1.0, 1, 0), (1.0, 1.0, 0, 0),
            (0.0, 0.5, 0, 0)]
    for t, kind in [("none", "none"), ("float32", "uniform"), ("float64", "uniform"),
                    ("uint8", "bell"), ("uint16", "bell")]:
        for alpha, image_alpha, overlay, plain in ways:
            seed += 1
            rows, cols = 9, 13
            numbers = (np.arange(rows * cols) % 24).reshape(rows, cols)
            low, high = {"uint8": (0.0, 255.0), "uint16": (0.0, 65535.0)}.get(t, (-2.0, 6.0))
            if t == "none":
                picture = None
            else:
                a = image(t, kind, rows, cols, seed).astype(np.float64)
                picture = np.clip((a - low) / (high - low), 0, 1)
            result = color.label2rgb(numbers, picture, alpha=alpha, image_alpha=image_alpha,
                                     bg_label=-1 if overlay else 0,
                                     bg_color=None if plain else (0, 0, 0))
            line(t, kind, rows, cols, seed, 24, number(alpha), number(image_alpha), overlay, plain,
                 number(low), number(high), *(f"{255 * x:.4f}" for x in result.ravel()))


COMMANDS = {"stats": stats, "clip": clip, "otsu": otsu, "convert": convert, "threshold": threshold,
            "convolve": convolve, "gaussian": gaussian, "label": label, "morphology": morph,
            "measure": measures, "label2rgb": coloured}


def run(word, stream):
    global out
    out = stream
    line(f"# python3 tests/golden/make.py {word} > tests/golden/{word}.txt (NumPy {np.__version__}, "
         f"SciPy {scipy.__version__}, scikit-image {skimage.__version__}, "
         f"astropy {astropy.__version__})")
    COMMANDS[word]()


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in [*COMMANDS, "all"]:
        sys.exit(f"usage: make.py {'|'.join(COMMANDS)}|all")
    if sys.argv[1] != "all":
        run(sys.argv[1], sys.stdout)
        return
    for word in COMMANDS:
        text = io.StringIO()
        run(word, text)
        with open(os.path.join(os.path.dirname(__file__), word + ".txt"), "w") as file:
            file.write(text.getvalue())


if __name__ == "__main__":
    main()
