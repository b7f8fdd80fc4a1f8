/* SPDX-License-Identifier: MIT */
#include "list.h"

#include <stddef.h>

#define ADDRESS(name) &pair_##name,

const struct pair *const pairs[] = {EVERY_PAIR(ADDRESS) NULL};
