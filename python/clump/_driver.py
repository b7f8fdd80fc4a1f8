# SPDX-License-Identifier: MIT
"""Finds OpenCL drivers that pip has installed, which no system knows of.

The loader reads a folder of .icd files, each of which names a driver's library. pip cannot write
into the system's folder, and the .icd files in wheels have names that the loader does not find. So
a folder of the user's own is made, with the system's files and one for each driver that pip has
brought, and OCL_ICD_VENDORS leads there. Whoever has set that variable keeps what it says.
"""

import glob
import hashlib
import os
import shutil
import site
import sys
import sysconfig

SYSTEM = "/etc/OpenCL/vendors"
# where wheels put their libraries: pocl-binary-distribution, intel-opencl-rt
PLACES = (
    "pyopencl/.libs/libpocl*.so*",
    "pocl_binary_distribution*/libpocl*.so*",
    "pocl*/.libs/libpocl*.so*",
    "pocl*.libs/libpocl*.so*",
)
INTEL = ("lib/libintelocl.so",)

found = []  # the libraries, for python -m clump
_done = False


def _folders():
    folders = [sysconfig.get_path("platlib"), sysconfig.get_path("purelib"), *sys.path]
    try:
        folders += [site.getusersitepackages()]
    except AttributeError:
        pass
    return [folder for folder in dict.fromkeys(folders) if folder and os.path.isdir(folder)]


def libraries():
    """The absolute paths of the drivers that pip has installed."""
    paths = [
        path
        for folder in _folders()
        for place in PLACES
        for path in sorted(glob.glob(os.path.join(folder, place)))
    ]
    paths += [path for place in INTEL for path in glob.glob(os.path.join(sys.prefix, place))]
    first = {}
    for path in paths:
        first.setdefault(os.path.basename(path).split(".so")[0], os.path.realpath(path))
    return list(first.values())


def prepare():
    """Is called before anything of OpenCL is."""
    global _done
    if _done:
        return
    _done = True
    found[:] = libraries()
    if not found or os.environ.get("OCL_ICD_VENDORS"):
        return
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    system = sorted(glob.glob(os.path.join(SYSTEM, "*.icd")))
    name = hashlib.sha256("\n".join(found + system).encode()).hexdigest()[:16]
    folder = os.path.join(cache, "clump", "vendors-" + name)
    try:
        os.makedirs(folder, exist_ok=True)
        for path in system:
            shutil.copyfile(path, os.path.join(folder, os.path.basename(path)))
        for path in found:
            icd = os.path.join(folder, "pip-" + os.path.basename(path).split(".so")[0] + ".icd")
            with open(icd + f".{os.getpid()}", "w", encoding="utf-8") as file:
                file.write(path + "\n")
            os.replace(icd + f".{os.getpid()}", icd)
    except OSError:
        return
    os.environ["OCL_ICD_VENDORS"] = folder
