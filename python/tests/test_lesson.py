# SPDX-License-Identifier: MIT
"""Every code cell of the lesson, of its workshop's notes and of the blog post, on a device.

Imports of cupy, cupyx and cucim.skimage become clump's; magic lines of IPython are run as what they
time; images are smaller. Everything else is as it was written.
"""

import os
import re
import sys
import time

import numpy as np
import pytest

import clump

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "golden"))
from lesson_cells import BLOG, LESSON, NOTES, OLDER  # noqa: E402

pytest.importorskip("scipy")
pytest.importorskip("astropy")
pytest.importorskip("matplotlib").use("Agg")

# What needs another machine: a shell, the network, or Numba's CUDA.
LEFT_OUT = {
    "NOTES": {
        2: "numba.cuda",
        3: "numba.cuda",
        4: "numba.cuda",
        5: "nvidia-smi",
        6: "pip",
        20: "wget",
        31: "numba",
        32: "numba.cuda",
        33: "numba.cuda",
    },
    "BLOG": {0: "curl and pip"},
}


class Timed:
    """What %timeit -o gives."""

    def __init__(self, function):
        start = time.perf_counter()
        function()
        self.best = time.perf_counter() - start


def translated(cell):
    """A cell as plain Python."""
    cell = re.sub(r"\bcupyx?\b", "clump", cell).replace("cucim.skimage", "clump.skimage")
    cell = cell.replace("import cucim\n", "").replace("2048", "192").replace("10_000", "1_000")
    cell = cell.replace("n_repeat=10", "n_repeat=2, n_warmup=1")
    cell = cell.replace("n_repeat =10", "n_repeat=2, n_warmup=1")
    if cell.startswith("%%timeit -o"):
        body = "\n".join("    " + line for line in cell.split("\n")[1:])
        return f"def _timed():\n{body}\n_ = Timed(_timed)\n"
    cell = re.sub(r"^%matplotlib.*$", "", cell, flags=re.M)
    cell = re.sub(r"(\w+) = %timeit -o (.*)$", r"\1 = Timed(lambda: \2)", cell, flags=re.M)
    cell = re.sub(r"^%timeit( -\w \d+)* (\w+ = )?(.*)$", r"Timed(lambda: \3)", cell, flags=re.M)
    # a list of the file's own words: NumPy 2 has no such method
    return cell.replace(".byteswap().newbyteorder()", ".astype('=f4')")


class Notebook:
    """Runs cells one after another in one namespace."""

    def __init__(self, **names):
        self.names = {"Timed": Timed, **names}

    def run(self, name, cells, numbers=None):
        import pylab

        for number in numbers if numbers is not None else range(len(cells)):
            if number in LEFT_OUT.get(name, {}):
                continue
            code = compile(translated(cells[number]), f"{name}-{number + 1}", "exec")
            exec(code, self.names)
            pylab.close("all")
        return self.names


@pytest.fixture
def place(tmp_path, monkeypatch, field):
    """A folder where the lesson's image is, under its name."""
    monkeypatch.chdir(tmp_path)
    os.symlink(field, "GMRT_image_of_Galactic_Center.fits")
    return tmp_path


# Cells that must fail, and how.
FAILS = {8: "Unsupported type <class 'numpy.ndarray'>", 11: "Implicit conversion to a NumPy array"}


@pytest.mark.filterwarnings("ignore")
def test_lesson(device, place, capsys):
    book = Notebook()
    clump.trips(reset=True)
    for number in range(len(LESSON)):
        if number in FAILS:
            with pytest.raises(TypeError, match=re.escape(FAILS[number])):
                book.run("LESSON", LESSON, [number])
        else:
            book.run("LESSON", LESSON, [number])
        if number == 15:
            book.run("OLDER", [cell.replace("500:1000", "100:300") for cell in OLDER])
    v = book.names
    assert np.allclose(v["convolved_image_using_GPU"].get(), v["convolved_image_using_CPU"])
    assert np.array_equal(v["data_gpu_clipped"].get(), v["data_clipped"])
    assert np.isclose(v["stddev_gpu_"], v["stddev_"])
    assert np.array_equal(v["segmented_image_gpu"].get(), v["segmented_image"])
    assert np.array_equal(v["labelled_image_gpu"].get(), v["labelled_image"])
    assert v["labelled_image_gpu"].dtype == np.float64
    count = v["number_of_sources_in_image"]
    index = clump.arange(1, count + 1)
    assert np.allclose(
        v["com_gpu"](v["data_gpu"], v["labelled_image_gpu"], index), v["all_positions"], rtol=1e-6
    )
    assert np.allclose(
        v["sl_gpu"](v["data_gpu"], v["labelled_image_gpu"], index),
        v["all_integrated_fluxes"],
        rtol=1e-6,
    )
    assert f"level is {count}." in capsys.readouterr().out
    assert clump.trips() == {}  # no cell moves its pixels through the host


@pytest.mark.filterwarnings("ignore")
def test_notes(device, place, capsys):
    book = Notebook()
    clump.trips(reset=True)
    v = book.run("NOTES", NOTES, [*range(5, len(NOTES)), 0, 1])
    assert np.allclose(v["convolved_image_gpu"].get(), v["convolved_image_cpu"])
    said = capsys.readouterr().out
    assert "positions agree: True" in said and "fluxes agree: True" in said
    primes = v["find_all_primes_cpu"](1000)[2:]  # the lesson's first version counts 0 and 1
    assert clump.primes(1000).tolist() == primes
    assert clump.trips() == {}  # no cell moves its pixels through the host


@pytest.mark.filterwarnings("ignore")
def test_printed_lesson(device, place):
    """The printed version thresholds host data by the device's figure."""
    v = Notebook().run("LESSON", LESSON, [0, 1, 2, 14, 16, 17, 4])
    from clump.profiler import benchmark

    exec(
        "data_flat_gpu = cp.asarray(data_flat)\n"
        "data_clipped_on_GPU = kappa_sigma_clipper(data_flat_gpu)\n"
        "stddev_gpu_ = np.std(data_clipped_on_GPU)\n"
        "threshold = 5 * stddev_gpu_\n"
        "segmented_image = np.where(data > threshold, 1,  0)\n",
        v,
    )
    assert isinstance(v["segmented_image"], np.ndarray) and v["segmented_image"].sum() > 0
    assert benchmark(len, ("abc",), n_repeat=2).gpu_times.shape == (1, 2)


@pytest.mark.filterwarnings("ignore")
def test_blog(device, plate, monkeypatch):
    skimage = pytest.importorskip("skimage")
    pytest.importorskip("pandas")
    from skimage import color, filters, io, measure, morphology

    before = clump.allow_array(True)
    clump.trips(reset=True)
    monkeypatch.setattr(io, "imread", lambda url: skimage.io._io.imread(plate))
    monkeypatch.setattr(io, "imshow", lambda image: None)
    try:
        v = Notebook().run("BLOG", BLOG)
    finally:
        clump.allow_array(before)
    assert clump.trips() == {}
    channel = v["image"][:, :, 1]
    assert np.array_equal(v["single_channel"], channel)
    blurred = filters.gaussian(channel, sigma=5)
    assert np.allclose(v["blurred_gpu"].get(), blurred, atol=1e-15)
    assert np.isclose(v["threshold"], filters.threshold_otsu(blurred), rtol=1e-12)
    eroded = morphology.binary_erosion(blurred > v["threshold"], morphology.disk(2))
    assert np.array_equal(v["eroded_gpu"].get(), eroded)
    labels = measure.label(eroded)
    assert np.array_equal(v["labels_gpu"].get(), labels)
    assert np.allclose(v["labels_rgb_gpu"].get(), color.label2rgb(labels), atol=0)
    table = measure.regionprops_table(labels, channel, ("mean_intensity", "area", "solidity"))
    for name, column in table.items():
        assert np.allclose(v["table_gpu"][name], column), name
    assert len(v["table"]["area"]) == labels.max()
