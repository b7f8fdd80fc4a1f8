#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What SEP says of the sample field, for tests/extract_sep.py.

    /usr/bin/python3 tests/golden/extract.py data/field.fits > tests/golden/extract.json
"""
import json
import sys

import numpy as np
import sep
from astropy.io import fits

COLUMNS = ["thresh", "npix", "tnpix", "xmin", "xmax", "ymin", "ymax", "x", "y", "x2", "y2", "xy",
           "errx2", "erry2", "errxy", "a", "b", "cxx", "cyy", "cxy", "cflux", "flux", "cpeak",
           "peak", "flag"]


def main():
    data = fits.getdata(sys.argv[1]).astype(np.float64)
    back = sep.Background(data)
    data -= back.back()
    cases = {}
    for name, words in {"plain": {"deblend_cont": 1.0},
                        "blends": {"clean": False},
                        "unfiltered": {"filter_kernel": None, "deblend_cont": 1.0, "clean": False},
                        "gain": {"gain": 3.0, "deblend_cont": 1.0}}.items():
        objects = sep.extract(data, 3.0, err=back.globalrms, **words)
        cases[name] = {c: [float(v) for v in objects[c]] for c in COLUMNS}
    json.dump({"made_by": "SEP %s, NumPy %s" % (sep.__version__, np.__version__),
               "rms": back.globalrms, "cases": cases}, sys.stdout, indent=0)
    print()


if __name__ == "__main__":
    main()
