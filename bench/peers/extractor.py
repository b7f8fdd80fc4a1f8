# SPDX-License-Identifier: MIT
"""Source Extractor, the program: it reads a FITS file and writes a catalogue, as its users run it.

Starting it, reading the image and writing the catalogue are in its time; writing the image is not.
Its threshold is in units of the unsmoothed noise, so that it finds fewer objects than a filter matched
to the noise does at the same number.
"""
import shutil
import subprocess

import numpy as np

from peer import Differs, Other, optional, peer

fits = optional("astropy.io.fits")
PROGRAM = "source-extractor"

COLUMNS = """NUMBER X_IMAGE Y_IMAGE A_IMAGE B_IMAGE THETA_IMAGE KRON_RADIUS FLUX_AUTO FLUXERR_AUTO
FLUX_RADIUS FLAGS"""
SMOOTHING = """CONV NORM
1 2 1
2 4 2
1 2 1
"""
SETTINGS = """PARAMETERS_NAME {0}/columns
FILTER_NAME {0}/smoothing
CATALOG_NAME {0}/found
CATALOG_TYPE ASCII
CHECKIMAGE_TYPE NONE
VERBOSE_TYPE QUIET
DETECT_THRESH 1.5
ANALYSIS_THRESH 1.5
BACK_SIZE 64
MEMORY_OBJSTACK 65535
MEMORY_PIXSTACK 10000000
"""


@peer("extract", "source-extractor, from file to catalogue", PROGRAM, goal=10)
def _(data):
    program, folder = shutil.which(PROGRAM), data.folder
    if not program or not fits:
        raise ImportError(PROGRAM)
    fits.writeto(folder + "/image.fits", data.image.astype(np.float32), overwrite=True)
    for name, text in (("columns", COLUMNS.replace(" ", "\n")), ("smoothing", SMOOTHING),
                       ("settings", SETTINGS.format(folder))):
        with open(f"{folder}/{name}", "w", encoding="ascii") as file:
            file.write(text)
    command = [program, folder + "/image.fits", "-c", folder + "/settings"]

    def run():
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.PIPE)
        with open(folder + "/found", encoding="ascii") as file:
            return sum(not line.startswith("#") for line in file)

    def check(result):
        mine = data.numbers["objects"]
        if not result and mine > 2:
            raise Differs(f"no objects, the reference has {mine:.0f}")
        raise Other(f"smooths without weights of the noise: {result} objects, the reference has {mine:.0f}")
    return run, check
