/* SPDX-License-Identifier: MIT */
#include "opencl/stats/keys.h"

#include <math.h>
#include <string.h>

struct keys clump_keys(enum clump_type type)
{
    static const struct keys kinds[CLUMP_TYPE_COUNT] = {
        [CLUMP_U8] = {CLUMP_U8, 32, 0, 24, false},  [CLUMP_U16] = {CLUMP_U16, 32, 0, 16, false},
        [CLUMP_I16] = {CLUMP_I16, 32, 0, 16, true}, [CLUMP_I32] = {CLUMP_I32, 32, 0, 0, true},
        [CLUMP_U32] = {CLUMP_U32, 32, 0, 0, false}, [CLUMP_I64] = {CLUMP_I64, 64, 0, 0, true},
        [CLUMP_F32] = {CLUMP_F32, 32, 23, 0, true}, [CLUMP_F64] = {CLUMP_F64, 64, 52, 0, true},
    };
    return kinds[type];
}

uint64_t clump_keys_max(const struct keys *keys) { return UINT64_MAX >> (64 - keys->bits); }

static uint64_t sign_of(const struct keys *keys) { return UINT64_C(1) << (keys->bits - 1); }

double clump_keys_value(const struct keys *keys, uint64_t key)
{
    uint64_t sign = sign_of(keys);
    if (!keys->fraction) {
        if (!keys->is_signed)
            return (double)(key >> keys->pad);
        int64_t value = keys->bits == 64 ? (int64_t)(key ^ sign) : (int64_t)key - (int64_t)sign;
        return (double)(value >> keys->pad);
    }
    uint64_t bits = key & sign ? key ^ sign : ~key & clump_keys_max(keys);
    if (keys->bits == 64) {
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    uint32_t narrow = (uint32_t)bits;
    float value;
    memcpy(&value, &narrow, sizeof value);
    return value;
}

static uint64_t float_key(const struct keys *keys, double value)
{
    uint64_t bits, sign = sign_of(keys);
    if (value == 0)
        return sign;
    if (keys->bits == 64) {
        memcpy(&bits, &value, sizeof bits);
    } else {
        float narrow = (float)value;
        uint32_t word;
        memcpy(&word, &narrow, sizeof word);
        bits = word;
    }
    return bits & sign ? ~bits & clump_keys_max(keys) : bits | sign;
}

static uint128 integer_above(const struct keys *keys, double level, bool equal)
{
    double first = equal ? ceil(level) : floor(level); /* then one more, unless equal */
    uint128 end = (uint128)clump_keys_max(keys) + 1;
    double offset = keys->is_signed ? (double)(sign_of(keys) >> keys->pad) : 0;
    if (first < -offset)
        return 0;
    if (first >= ldexp(1, (int)(keys->bits - keys->pad)) - offset)
        return end;
    uint128 key =
        (uint128)((int128)first + (keys->is_signed ? (int128)(sign_of(keys) >> keys->pad) : 0));
    return (key + !equal) << keys->pad;
}

uint128 clump_keys_above(const struct keys *keys, double level, bool equal)
{
    if (!keys->fraction)
        return integer_above(keys, level, equal);
    if (keys->bits == 64)
        return (uint128)float_key(keys, level) + !equal;
    float nearest = (float)level; /* which may lie on either side */
    uint128 key = float_key(keys, nearest);
    if ((double)nearest < level)
        return key + 1;
    return (double)nearest > level ? key : key + !equal;
}

int clump_keys_infinite(const struct keys *keys, uint64_t key)
{
    double value = clump_keys_value(keys, key);
    return !keys->fraction || !isinf(value) ? 0 : value < 0 ? -1 : 1;
}
