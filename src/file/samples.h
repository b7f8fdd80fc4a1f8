/* SPDX-License-Identifier: MIT */
/*
 * Converts numbers as files hold them to pixels: of the file's own type where an image can have it,
 * else of the next wider one (int8 -> int16, float16 -> float32, uint64 -> int64 with a check), or
 * of float32 on request.
 */
#ifndef CLUMP_SRC_FILE_SAMPLES_H
#define CLUMP_SRC_FILE_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <clump/image.h>

enum sample {
    SAMPLE_U8, /* bool too */
    SAMPLE_I8,
    SAMPLE_U16,
    SAMPLE_I16,
    SAMPLE_U32,
    SAMPLE_I32,
    SAMPLE_U64,
    SAMPLE_I64,
    SAMPLE_F16,
    SAMPLE_F32,
    SAMPLE_F64
};

size_t clump_sample_bytes(enum sample sample);

/* The type of image that holds such samples. */
enum clump_type clump_sample_type(enum sample sample, bool float32);

/* True when an image's pixels of that type are the samples themselves, byte for byte. */
bool clump_sample_native(enum sample sample, enum clump_type type);

/* Reverses the bytes of `count` samples of `bytes` each. */
void clump_samples_swap(void *samples, size_t bytes, size_t count);

/*
 * Makes `count` pixels of `type` from samples `stride` samples apart. False when one does not fit
 * (uint64 beyond int64).
 */
bool clump_samples_convert(enum sample sample, const void *samples, size_t stride, size_t count,
                           enum clump_type type, void *pixels);

/*
 * The same for the luminance of red, green, blue samples side by side: (2125 R + 7154 G + 721 B) /
 * 10000, rounded to nearest even where the image has integers.
 */
bool clump_samples_grey(enum sample sample, const void *samples, size_t stride, size_t count,
                        enum clump_type type, void *pixels);

#endif
