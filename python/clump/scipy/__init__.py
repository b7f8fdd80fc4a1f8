# SPDX-License-Identifier: MIT
"""SciPy's functions on device arrays, as cupyx.scipy has them."""
