/* SPDX-License-Identifier: MIT */
/*
 * The sample that tells a sweep where to aim.
 *
 * Method:    one pixel from each of `samples` equal stretches of the image, at a place that looks
 *            random.
 * Launch:    sweep_sample one work-item per sample or word to clear.
 * Exactness: keys (cl/common/keys.cl).
 * Limits:    stretches of fewer than 2^32 pixels.
 * Others:    host src/opencl/stats/sweep.c and sweep_aim.c, derivation docs/statistics.md, "Sample
 *            and bracket". A program of its own, because the sample chooses how sweep.cl is built.
 */
#include "common/keys.cl"
#include "stats/sweep.h"

/* Leaves the keys of pixels from all over the image, and clears `zeros` words of the memory. */
kernel GROUPED void sweep_sample(global const word *image, struct sweep_sample_args args,
                                 global ulong *memory)
{
    size_t i = get_global_id(0);
    global key *sample = (global key *)(memory + args.sample_at);
    ulong stride = args.n / args.samples; /* below 2^32 */
    if (i < args.zeros)
        memory[i] = 0;
    if (i < args.samples)
        sample[i] = key_of(image[i * stride + ((uint)i * 2654435761u * stride >> 32)]);
}
