/* SPDX-License-Identifier: MIT */
/*
 * exp(-z) for the kernel files that include this one.
 *
 * Method:    a power of two, and a series for the rest.
 * Launch:    no kernels here.
 * Exactness: double products and sums, rounded correctly, in one order: the same bits everywhere.
 * Limits:    needs double; 0 <= z < 700.
 * Others:    cl/photometry/sums.cl, gauss.cl; definition src/reference/photometry_window.c.
 */

/* exp(-z), 0 <= z < 700. */
INLINE double decay(double z)
{
    double n = rint(z * 1.4426950408889634);
    double r = n * 0x1.62e42fee00000p-1 - z + n * 0x1.a39ef35793c76p-33; /* ln 2 in two parts */
    double sum = 1.0 / 6227020800;
    sum = 1.0 / 479001600 + r * sum;
    sum = 1.0 / 39916800 + r * sum;
    sum = 1.0 / 3628800 + r * sum;
    sum = 1.0 / 362880 + r * sum;
    sum = 1.0 / 40320 + r * sum;
    sum = 1.0 / 5040 + r * sum;
    sum = 1.0 / 720 + r * sum;
    sum = 1.0 / 120 + r * sum;
    sum = 1.0 / 24 + r * sum;
    sum = 1.0 / 6 + r * sum;
    sum = 0.5 + r * sum;
    sum = 1 + r * sum;
    sum = 1 + r * sum;
    return sum * as_double((ulong)(1023 - (int)n) << 52);
}
