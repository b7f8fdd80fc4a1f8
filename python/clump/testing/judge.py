# SPDX-License-Identifier: MIT
"""A plugin for pytest: puts this package's functions into SciPy, scikit-image or astropy, and
judges them by that package's own tests.

    pytest -p clump.testing.judge --judge scipy.ndimage.morphology --pyargs scipy.ndimage.tests...

Only tests that call ours are judged. What they may refuse, and where they may fail, is in a list,
--judge-list FILE: "suite pattern count reason" per line. As many tests as `count` must match a
pattern and not pass: one that starts to pass must leave the list.
"""

import fnmatch
import functools
import importlib

import pytest

from clump import _pixels

# suite: the tests, and the names that become ours: in the package where tests look for them, and
# where the package's own modules hold them.
SUITES = {
    "ndimage.measurements": (
        "scipy.ndimage.tests.test_measurements",
        "scipy.ndimage",
        "label find_objects sum sum_labels mean variance standard_deviation minimum maximum median "
        "minimum_position maximum_position extrema center_of_mass",
    ),
    "ndimage.morphology": (
        "scipy.ndimage.tests.test_morphology",
        "scipy.ndimage",
        "binary_erosion binary_dilation binary_opening binary_closing binary_propagation "
        "binary_fill_holes binary_hit_or_miss",
    ),
    "ndimage.gaussian": (
        "scipy.ndimage.tests.test_filters",
        "scipy.ndimage",
        "gaussian_filter gaussian_filter1d",
    ),
    "ndimage.convolve": (
        "scipy.ndimage.tests.test_filters",
        "scipy.ndimage",
        "convolve correlate convolve1d correlate1d",
    ),
    "signal.convolve2d": ("scipy.signal.tests.test_signaltools", "scipy.signal", "convolve2d"),
    "signal.convolve": (
        "scipy.signal.tests.test_signaltools",
        "scipy.signal",
        "convolve fftconvolve correlate correlate2d",
    ),
    "measure.regionprops": (
        "skimage.measure.tests.test_regionprops",
        "skimage.measure",
        "regionprops regionprops_table",
    ),
    "measure.label": ("skimage.measure.tests.test_label", "skimage.measure", "label"),
    "measure.ccomp": ("skimage.measure.tests.test_ccomp", "skimage.measure", "label"),
    "filters.otsu": (
        "skimage.filters.tests.test_thresholding",
        "skimage.filters",
        "threshold_otsu",
    ),
    "filters.gaussian": ("skimage.filters.tests.test_gaussian", "skimage.filters", "gaussian"),
    "morphology.binary": (
        "skimage.morphology.tests.test_binary",
        "skimage.morphology",
        "binary_erosion binary_dilation binary_opening binary_closing",
    ),
    "morphology.misc": (
        "skimage.morphology.tests.test_misc",
        "skimage.morphology",
        "remove_small_objects remove_small_holes",
    ),
    "color.colorlabel": ("skimage.color.tests.test_colorlabel", "skimage.color", "label2rgb"),
    "stats.sigma_clipping": (
        "astropy.stats.tests.test_sigma_clipping",
        "astropy.stats",
        "sigma_clip sigma_clipped_stats SigmaClip",
    ),
}
# Which tests of a long file can call ours at all: an expression for pytest -k.
ONLY = {
    "ndimage.gaussian": "gauss or laplace or multiple_modes or gh_5430",
    "ndimage.convolve": "correlate or convolve or sobel or prewitt or laplace",
    "signal.convolve2d": "TestConvolve2d",
    "signal.convolve": "TestConvolve or TestCorrelate2d",
    "filters.otsu": "otsu or try_all",
}
PRIVATE = {
    "skimage.measure": ["skimage.measure._regionprops", "skimage.measure._label"],
    "skimage.filters": ["skimage.filters.thresholding", "skimage.filters._gaussian"],
    "skimage.morphology": ["skimage.morphology.binary", "skimage.morphology.misc"],
    "skimage.color": ["skimage.color.colorlabel"],
    "astropy.stats": ["astropy.stats.sigma_clipping"],
    "scipy.ndimage": [],
    "scipy.signal": ["scipy.signal._signaltools"],
}


def adopt(theirs, ours):
    """Newer SciPy's tests look up in a table what a function can do."""
    try:
        from scipy._lib._array_api import xp_capabilities_table as table
    except ImportError:
        return
    if theirs in table:
        table[ours] = table[theirs]


class Judge:
    """Counts what the tests of a suite did with our functions."""

    def __init__(self, suite, listed):
        self.suite, self.listed = suite, listed
        self.calls = 0
        self.refusals = 0
        self.seen = {}

    def counted(self, function):
        @functools.wraps(function)
        def call(*args, **kwargs):
            self.calls += 1
            try:
                return function(*args, **kwargs)
            except NotImplementedError:
                self.refusals += 1
                raise
            except (TypeError, OverflowError) as error:
                self.refusals += (
                    "not a pixel type" in str(error)
                    or "not offered" in str(error)
                    or ("uint64 pixels are kept" in str(error))
                )
                raise

        return call

    def install(self):
        module, package, names = SUITES[self.suite]
        ours = importlib.import_module("clump.host." + package)
        for name in names.split():
            function = getattr(ours, name)
            if isinstance(function, type):
                function = self.counted_class(function)
            else:
                function = self.counted(function)
            for place in [package, *PRIVATE.get(package, [])]:
                try:
                    target = importlib.import_module(place)
                except ImportError:
                    continue
                if hasattr(target, name):
                    adopt(getattr(target, name), function)
                    setattr(target, name, function)
        return module

    def counted_class(self, kind):
        judge = self

        class Counted(kind):
            def __call__(self, *args, **kwargs):
                judge.calls += 1
                return super().__call__(*args, **kwargs)

        Counted.__name__ = kind.__name__
        return Counted

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item):
        self.calls = self.refusals = 0
        self.outcome = "passed"
        trips = sum(_pixels.trips().values())
        yield
        if not self.calls:
            return
        outcome = self.outcome
        if outcome == "failed" and self.refusals:
            outcome = "refused"
        elif outcome == "passed" and sum(_pixels.trips().values()) > trips:
            outcome = "passed, with trips"
        self.seen[item.name if item.cls is None else f"{item.cls.__name__}.{item.name}"] = outcome

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item, call):
        report = (yield).get_result()
        if report.failed and not hasattr(report, "wasxfail"):
            self.outcome = "failed"
        elif report.skipped:
            self.outcome = "skipped" if not hasattr(report, "wasxfail") else "xfailed"

    def verdicts(self):
        """How many of each outcome, and what is not as the list says."""
        counts = {}
        for outcome in self.seen.values():
            counts[outcome] = counts.get(outcome, 0) + 1
        bad = {
            name: outcome for name, outcome in self.seen.items() if outcome in ("failed", "refused")
        }
        wrong = []
        for pattern, (count, reason) in self.listed.items():
            matched = [name for name in bad if fnmatch.fnmatchcase(name, pattern)]
            for name in matched:
                del bad[name]
            if len(matched) != count:
                wrong.append(f"{pattern}: {count} are on the list, {len(matched)} do not pass")
        wrong += [f"{name}: {outcome}, and not on the list" for name, outcome in bad.items()]
        return counts, wrong


def pytest_addoption(parser):
    parser.addoption("--judge", help="the suite: " + ", ".join(SUITES))
    parser.addoption("--judge-list", help="the file of what may be refused")


def read_list(path, suite):
    """The tests of a suite that may not pass: how many match a pattern, and why."""
    listed = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.split(None, 3)
            if words and not line.startswith("#") and words[0] == suite:
                listed[words[1]] = int(words[2]), words[3].strip()
    return listed


def pytest_configure(config):
    suite = config.getoption("--judge")
    if suite:
        _pixels.quiet = True
        path = config.getoption("--judge-list")
        judge = Judge(suite, read_list(path, suite) if path else {})
        judge.install()
        config.pluginmanager.register(judge, "clump-judge")
        config.clump_judge = judge


def pytest_terminal_summary(terminalreporter, config):
    judge = getattr(config, "clump_judge", None)
    if judge:
        counts, wrong = judge.verdicts()
        terminalreporter.write_line(
            f"judge {judge.suite}: {sum(counts.values())} call ours: "
            + ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items()))
        )
        for line in wrong:
            terminalreporter.write_line("  " + line)
