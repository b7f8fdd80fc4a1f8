# SPDX-License-Identifier: MIT
from clump.host.skimage import color as color, filters as filters, measure as measure, morphology as morphology
