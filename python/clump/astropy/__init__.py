# SPDX-License-Identifier: MIT
"""astropy's functions on device arrays."""
