# SPDX-License-Identifier: MIT
from clump.host.scipy import ndimage as ndimage, signal as signal
