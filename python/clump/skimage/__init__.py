# SPDX-License-Identifier: MIT
"""scikit-image's functions on device arrays, as cucim.skimage has them."""
