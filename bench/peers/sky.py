# SPDX-License-Identifier: MIT
"""The lesson's four steps: background, segmentation, labels, measurements."""
import numpy as np

from peer import Differs, Other, near, optional, peer, same_partition

cv2, sep, bottleneck = optional("cv2"), optional("sep"), optional("bottleneck")
ndimage, measure = optional("scipy.ndimage"), optional("skimage.measure")
sigma_clip = optional("astropy.stats").sigma_clip
photutils, aperture = optional("photutils.background"), optional("photutils.aperture")
segmentation = optional("photutils.segmentation")

LEVEL = 0.0665
THREADS = cv2.getNumThreads() if cv2 else 1
if sep:
    sep.set_extract_pixstack(10**7)


def statistics(data):
    def check(result):
        mine = [data.numbers[k] for k in ("mean", "median", "std", "min", "max")]
        near("mean, median, std, min, max", mine, np.float64(result), rtol=1e-4, atol=1e-8)
    return check


@peer("stats", "NumPy", "numpy", goal=20)
def _(data):
    x = data.image
    return lambda: (x.mean(), np.median(x), x.std(), x.min(), x.max()), statistics(data)


def clipper(flat):
    """The lesson's own loop."""
    while True:
        median, std = np.median(flat), np.std(flat)
        lower = flat.compress(flat > median - 3 * std)
        both = lower.compress(lower < median + 3 * std)
        if len(both) == len(flat):
            return flat
        flat = both


CLIPS = "clip clip-f64 clip-u16 clip-i16"


def kept(data):
    """float32 bounds may leave a few pixels on the other side."""
    def check(result):
        near("kept", data.numbers["kept"], result.size, rtol=1e-5)
        near("std", data.numbers["std"], result.std(dtype=np.float64), rtol=1e-4)
    return check


@peer(CLIPS, "NumPy, the lesson's loop", "numpy", goal={"clip": 60})
def _(data):
    flat = data.image.ravel()
    return lambda: clipper(flat), kept(data)


def kept_otherwise(data):
    """Where bottleneck is installed, astropy computes with it: float sums, and other pixels are kept."""
    def check(result):
        mine = data.numbers["kept"]
        near("kept", mine, result.size, rtol=1e-2)
        raise Other(f"float sums of bottleneck: {result.size} pixels kept, the reference keeps {mine:.0f}")
    return check if bottleneck else kept(data)


@peer(CLIPS, "astropy sigma_clip" + (" with bottleneck" if bottleneck else ""), "astropy")
def _(data):
    return lambda: sigma_clip(data.image, sigma=3, maxiters=None, masked=False), kept_otherwise(data)


def mask(data):
    return lambda result: near("mask", data.load("mask") != 0, result != 0)


@peer("threshold", "NumPy where", "numpy", goal=15)
def _(data):
    return lambda: np.where(data.image > LEVEL, 1, 0), mask(data)


@peer("threshold", "OpenCV compare", "cv2", goal=2, threads=THREADS)
def _(data):
    return lambda: cv2.compare(data.image, LEVEL, cv2.CMP_GT), mask(data)


LABELS = "label-sky label-noise label-checker label-spiral label-comb"


@peer(LABELS, "SciPy label", "scipy", goal={"label-sky": 18})
def _(data):
    return lambda: ndimage.label(data.image), lambda r: near("labels", data.load("labels"), r[0])


@peer(LABELS, "OpenCV connectedComponents", "cv2", goal={"label-sky": 3, "label-noise": 2.5}, threads=THREADS)
def _(data):
    return (lambda: cv2.connectedComponents(data.image, connectivity=4, ltype=cv2.CV_32S)), \
        lambda r: same_partition(data.load("labels"), r[1])


@peer(LABELS, "scikit-image label", "skimage")
def _(data):
    return lambda: measure.label(data.image, connectivity=1), lambda r: near("labels", data.load("labels"), r)


def sources(x, labels, count):
    index = np.arange(1, count + 1)
    return ndimage.center_of_mass(x, labels, index), ndimage.sum_labels(x, labels, index)


def catalogue(data):
    def check(result):
        centres, fluxes = np.array(result[0]), np.array(result[1])
        near("flux", data.load("sum").ravel(), fluxes, rtol=1e-5)
        near("row", data.load("row").ravel(), centres[:, 0], rtol=1e-5)
        near("col", data.load("col").ravel(), centres[:, 1], rtol=1e-5)
    return check


@peer("measure", "SciPy com + sum_labels", "scipy", goal=100)
def _(data):
    labels = data.labels
    count = int(labels.max())
    return lambda: sources(data.image, labels, count), catalogue(data)


@peer("find", "NumPy + SciPy, the lesson", "scipy", goal=100)
def _(data):
    def run():
        x = data.image
        background = clipper(x.ravel())
        level = np.median(background) + 5 * np.std(background)
        labels, count = ndimage.label(np.where(x > level, 1, 0))
        return sources(x, labels, count)
    return run, catalogue(data)


@peer("find", "SEP Background + extract", "sep", goal=10)
def _(data):
    def run():
        background = sep.Background(data.image)
        return sep.extract(data.image - background, 5, err=background.globalrms, minarea=1,
                           filter_kernel=None, deblend_cont=1.0, clean=False)

    def check(result):
        mine = data.load("sum").size
        if abs(len(result) - mine) > 0.2 * mine:
            raise Differs(f"{len(result)} sources, the reference has {mine}")
        raise Other(f"a background map of its own, 8-connected: {len(result)} sources, the reference has {mine}")
    return run, check


@peer("extract", "SEP Background, extract, Kron, half-light", "sep", goal=10)
def _(data):
    def run():
        image = data.image.astype(np.float64)
        background = sep.Background(image)
        image -= background.back()
        found, segments = sep.extract(image, 1.5, err=background.rms(), segmentation_map=True)
        ids = np.arange(1, len(found) + 1, dtype=np.int32)
        shape = [found[c] for c in ("x", "y", "a", "b", "theta")]
        shape[4] = np.clip(shape[4], -np.pi / 2, np.pi / 2)
        kron, _ = sep.kron_radius(image, *shape, 6.0, segmap=segments, seg_id=ids)
        flux, _, _ = sep.sum_ellipse(image, *shape, np.maximum(2.5 * kron, 3.5), subpix=1,
                                     err=background.rms(), segmap=segments, seg_id=ids)
        sep.flux_radius(image, shape[0], shape[1], 6 * shape[2], 0.5, normflux=flux, subpix=5,
                        segmap=segments, seg_id=ids)
        return len(found)

    def check(result):
        mine = data.numbers["objects"]
        if abs(result - mine) > 0.05 * mine + 2:
            raise Differs(f"{result} objects, the reference has {mine:.0f}")
        raise Other(f"pixels of blends drawn at random: {result} objects, the reference has {mine:.0f}")
    return run, check


SMOOTHING = np.outer([1, 2, 1], [1, 2, 1]) / 16.0


@peer("extract", "photutils Background2D, deblend, SourceCatalog", "photutils", goal=10)
def _(data):
    """As its manual has it: the threshold in units of the unsmoothed noise. In those of the smoothed one
    nothing cleans its false sources away, five times as many as others keep, and deblending takes long."""
    def run():
        background = photutils.Background2D(data.image, 64, bkg_estimator=photutils.SExtractorBackground())
        image, rms = data.image - background.background, background.background_rms
        smooth = ndimage.convolve(image, SMOOTHING, mode="constant")
        found = segmentation.detect_sources(smooth, 1.5 * rms, npixels=5)
        found = segmentation.deblend_sources(smooth, found, npixels=5, nlevels=32, contrast=0.005,
                                             progress_bar=False)
        catalog = segmentation.SourceCatalog(image, found, convolved_data=smooth, error=rms)
        return catalog.centroid, catalog.kron_flux, catalog.kron_fluxerr, catalog.fluxfrac_radius(0.5)

    def check(result):
        mine, count = data.numbers["objects"], len(result[1])
        if not count and mine > 2:
            raise Differs(f"no objects, the reference has {mine:.0f}")
        raise Other(f"its filter has no weights of the noise, nothing is cleaned: {count} objects, "
                    f"the reference has {mine:.0f}")
    return run, check


@peer("background", "SEP Background, subtracted", "sep", goal=10)
def _(data):
    return lambda: data.image - sep.Background(data.image), \
        lambda r: near("subtracted", data.load("subtracted"), r, atol=2e-3 * data.numbers["rms"])


@peer("background", "photutils Background2D, subtracted", "photutils", goal=10)
def _(data):
    def check(result):
        mine = data.load("subtracted")
        raise Other(f"another spline and clipping: within {np.abs(result - mine).max():.2g}")
    return lambda: data.image - photutils.Background2D(data.image, 64).background, check


def places(data):
    rows, cols = ((n + 7) // 16 for n in data.image.shape)
    y, x = np.mgrid[:rows, :cols]
    return 8.25 + 16.0 * x.ravel(), 8.25 + 16.0 * y.ravel()


def fluxes(data, rtol=1e-9):
    return lambda r: near("sum", data.load("sum").ravel(), r, rtol=rtol, atol=1e-9)


@peer("photometry", "SEP sum_circle", "sep", goal=2)
def _(data):
    x, y = places(data)
    return lambda: sep.sum_circle(data.image, x, y, 5.0)[0], fluxes(data)


@peer("photometry", "photutils aperture_photometry, exact", "photutils", goal=10)
def _(data):
    circles = aperture.CircularAperture(np.transpose(places(data)), 5.0)

    def check(result):
        mine = data.load("sum").ravel()
        raise Other(f"exact areas, not points: within {np.abs(result - mine).max():.2g}")
    return lambda: circles.do_photometry(data.image, method="exact")[0], check
