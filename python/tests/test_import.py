# SPDX-License-Identifier: MIT
"""Importing the package needs NumPy and cffi, and nothing else."""

import subprocess
import sys


def test_imports_little():
    code = "import sys, clump; print({'scipy', 'skimage', 'astropy'} & set(sys.modules) or '[]')"
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert done.stdout == "[]\n"
