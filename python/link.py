#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes a folder of links to the package's sources and to the built module, to import from.

link.py SOURCE PACKAGE MODULE STAMP
"""

import os
import sys

source, package, module, stamp = sys.argv[1:]
os.makedirs(package, exist_ok=True)
wanted = {name: os.path.join(source, name) for name in os.listdir(source) if name != "__pycache__"}
wanted[os.path.basename(module)] = os.path.abspath(module)
for name in os.listdir(package):
    path = os.path.join(package, name)
    if os.path.islink(path) and os.readlink(path) != wanted.get(name):
        os.unlink(path)
for name, target in wanted.items():
    if not os.path.lexists(os.path.join(package, name)):
        os.symlink(target, os.path.join(package, name))
with open(stamp, "w", encoding="utf-8"):
    pass
