# SPDX-License-Identifier: MIT
from collections.abc import Callable
from typing import Any

from clump.host import astropy as astropy
from clump.host import scipy as scipy
from clump.host import skimage as skimage

def twin(function: Callable[..., Any]) -> Callable[..., Any]: ...
