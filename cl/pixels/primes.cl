/* SPDX-License-Identifier: MIT */
/*
 * A mask of the prime numbers.
 *
 * Method:    trial division of n by every candidate from 2 to n / 2, as the GPU programming lesson
 *            of the Carpentries Incubator does it, 8 candidates at once: i divides n where the
 *            integer nearest to n / i, times i, is n.
 * Launch:    one work-item per number; the mask is cleared before.
 * Exactness: the product is one of integers. The quotient is a float that is off by at most 2.5
 *            ulp, so the nearest integer is the exact quotient, where there is one, as long as that
 *            is below 2^21; numbers from FLOAT_LIMIT on are divided as integers.
 * Limits:    below <= 2^31.
 * Others:    host src/opencl/pixels/primes.c, definition src/reference/primes.c, pair
 *            src/pairs/primes.c, docs/lesson.md.
 */
#define FLOAT_LIMIT (1u << 22)

/* `large` is a constant where this is called, so that only one of the quotients is compiled. */
INLINE bool divisible(uint n, bool large)
{
    const int8 step = (int8)(0, 1, 2, 3, 4, 5, 6, 7);
    for (int i = 2; i <= (int)n / 2; i += 8) {
        int8 candidate = i + step;
        int8 quotient =
            large ? (int)n / candidate : convert_int8((float)n / convert_float8(candidate) + 0.5f);
        if (any(quotient * candidate == (int)n && candidate <= (int)n / 2))
            return true;
    }
    return false;
}

/* Sets bit n of the mask, which was clear, if n is prime: one number per work-item. */
kernel GROUPED void primes_mark(global uint *mask, uint below)
{
    uint n = (uint)get_global_id(0);
    if (n >= below || n < 2)
        return;
    if (!(n < FLOAT_LIMIT ? divisible(n, false) : divisible(n, true)))
        atomic_or(&mask[n / 32], 1u << n % 32);
}
