/* SPDX-License-Identifier: MIT */
/*
 * Method:    trial division of n by every candidate from 2 to n/2, as the lesson has it.
 * Launch:    one work-item a number, any group size; the mask is cleared before.
 * Exactness: integers.
 * Limits:    below <= 2^31.
 * Others:    host src/opencl/primes.c, definition src/reference/primes.c,
 *            pair tests/pairs/primes.c.
 */
kernel void primes_mark(global uint *mask, uint below)
{
    uint n = (uint)get_global_id(0);
    if (n >= below || n < 2)
        return;
    for (uint i = 2; i <= n / 2; i++)
        if (n % i == 0)
            return;
    atomic_or(&mask[n / 32], 1u << n % 32);
}
