#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What SExtractor says of the sample field, for tests/extract_sep.py.

    tests/golden/sextractor.py data/field.fits > tests/golden/sextractor.json

Debian's source-extractor must be installed (2.25.0 made what is stored). Positions count from 1.
"""
import json
import os
import subprocess
import sys
import tempfile

from astropy.io import fits

COLUMNS = ["X_IMAGE", "Y_IMAGE", "X2_IMAGE", "Y2_IMAGE", "XY_IMAGE", "ISOAREAF_IMAGE", "FLUX_ISO", "FLUX_ISOCOR",
           "FLUX_APER(1)", "FLUX_AUTO", "FLUXERR_AUTO", "KRON_RADIUS", "FLUX_RADIUS",
           "XWIN_IMAGE", "YWIN_IMAGE", "FLAGS"]
OPTIONS = ("-DETECT_MINAREA 5 -THRESH_TYPE RELATIVE -DETECT_THRESH 3 -ANALYSIS_THRESH 3 -FILTER Y "
           "-DEBLEND_MINCONT 1 -CLEAN Y -CLEAN_PARAM 1 -WEIGHT_TYPE NONE -PHOT_APERTURES 10 "
           "-PHOT_AUTOPARAMS 2.5,3.5 -MASK_TYPE BLANK -GAIN 0 -SATUR_LEVEL 1e9 -BACK_SIZE 64 "
           "-BACK_FILTERSIZE 3 -BACKPHOTO_TYPE GLOBAL -VERBOSE_TYPE QUIET "
           "-CHECKIMAGE_TYPE BACKGROUND,BACKGROUND_RMS -CHECKIMAGE_NAME back.fits,rms.fits "
           "-CATALOG_TYPE ASCII_HEAD -CATALOG_NAME out.cat -PARAMETERS_NAME columns "
           "-FILTER_NAME filter")


def main():
    path = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "columns"), "w", encoding="ascii") as f:
            f.write("\n".join(COLUMNS) + "\n")
        with open(os.path.join(folder, "filter"), "w", encoding="ascii") as f:
            f.write("CONV NORM\n1 2 1\n2 4 2\n1 2 1\n")
        with open(os.path.join(folder, "config"), "w", encoding="ascii") as f:
            pass
        subprocess.run(["source-extractor", path, "-c", "config"] + OPTIONS.split(), cwd=folder,
                       check=True)
        with open(os.path.join(folder, "out.cat"), encoding="ascii") as f:
            rows = [list(map(float, line.split())) for line in f if not line.startswith("#")]
        maps = {name: [[float(v) for v in row[::60]]
                       for row in fits.getdata(os.path.join(folder, name + ".fits"))[::60]]
                for name in ("back", "rms")}
    version = subprocess.run(["source-extractor", "--version"], capture_output=True, text=True,
                             check=True).stdout.strip()
    json.dump({"made_by": version, "options": OPTIONS, "maps": maps,
               "catalog": {c: [row[i] for row in rows] for i, c in enumerate(COLUMNS)}},
              sys.stdout, indent=0)
    print()


if __name__ == "__main__":
    main()
