/* SPDX-License-Identifier: MIT */
/*
 * Method:    trial division of n by every candidate from 2 to n/2, as the lesson has it, 8
 *            candidates at once: i divides n when the integer nearest to n / i, times i, is n.
 * Launch:    one work-item a number, any group size; the mask is cleared before.
 * Exactness: the product is one of integers. The quotient is a float with an error of at most
 *            2.5 ulp, so the nearest integer is the exact quotient, where there is one, as long
 *            as that is below 2^21; larger numbers are divided as integers.
 * Limits:    below <= 2^31.
 * Others:    host src/opencl/pixels/primes.c, definition src/reference/primes.c,
 *            pair src/pairs/primes.c.
 */
#define FLOAT_LIMIT (1u << 22)

/* `large` is known where this is called: what the other kind needs takes no time. */
INLINE bool divisible(uint n, bool large)
{
    const int8 step = (int8)(0, 1, 2, 3, 4, 5, 6, 7);
    for (int i = 2; i <= (int)n / 2; i += 8) {
        int8 candidate = i + step;
        int8 quotient = large ? (int)n / candidate
                              : convert_int8((float)n / convert_float8(candidate) + 0.5f);
        if (any(quotient * candidate == (int)n && candidate <= (int)n / 2))
            return true;
    }
    return false;
}

kernel GROUPED void primes_mark(global uint *mask, uint below)
{
    uint n = (uint)get_global_id(0);
    if (n >= below || n < 2)
        return;
    if (!(n < FLOAT_LIMIT ? divisible(n, false) : divisible(n, true)))
        atomic_or(&mask[n / 32], 1u << n % 32);
}
