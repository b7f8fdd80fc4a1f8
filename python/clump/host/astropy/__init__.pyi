# SPDX-License-Identifier: MIT
from clump.host.astropy import stats as stats
