/* SPDX-License-Identifier: MIT */
/*
 * Keys: an unsigned integer for every pixel value, in the order of the values. The kernels make
 * them (cl/common/keys.cl); the host turns keys into values and levels into keys. Blank pixels
 * (NaN) have the highest key. See docs/statistics.md, "Keys".
 */
#ifndef CLUMP_SRC_OPENCL_STATS_KEYS_H
#define CLUMP_SRC_OPENCL_STATS_KEYS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <clump/image.h>

#include "opencl/core/int128.h"

/* How the keys of a pixel type stand for values. */
struct keys {
    enum clump_type type;
    unsigned bits;     /* of a key: 32 or 64 */
    unsigned fraction; /* bits of a float's fraction; 0 for integers */
    unsigned pad;      /* the key of an integer is shifted left by this many bits */
    bool is_signed;
};

struct keys clump_keys(enum clump_type type);

/* The highest key. */
uint64_t clump_keys_max(const struct keys *keys);

/* The value of a key of a float image. */
static inline float clump_keys_float(uint32_t key)
{
    uint32_t bits = key >> 31 ? key ^ UINT32_C(1) << 31 : ~key;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The value of a key, rounded to double where it is an integer of more than 53 bits. */
double clump_keys_value(const struct keys *keys, uint64_t key);

/*
 * The first key whose value is greater than `level`, or not less than `level` if `equal` is true.
 * The result may be one past the highest key. `level` must not be NaN.
 */
uint128 clump_keys_above(const struct keys *keys, double level, bool equal);

/* -1 or 1 for the key of an infinity, by its sign; 0 for every other key. */
int clump_keys_infinite(const struct keys *keys, uint64_t key);

#endif
