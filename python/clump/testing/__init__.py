# SPDX-License-Identifier: MIT
"""Other packages' own tests as judges of this one: clump.testing.judge."""
