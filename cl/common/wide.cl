/* SPDX-License-Identifier: MIT */
/*
 * Integers of 128 bits, in two's complement: a ulong2 has the low half in x and the high half in y.
 * For the kernel files that include this one.
 *
 * Method:    halves are added with a carry, and multiplied by 32-bit numbers in pieces of 32 bits.
 *            In memory such a number takes two ulongs, the low half first. The coarse layout adds
 *            to memory that no other work-item writes. The fine layout adds each 32-bit word by an
 *            atomic and carries by hand, since not every device has 64-bit atomics: words of one
 *            sum may be added to in any order, because each carry is added as well, exactly once.
 * Launch:    no kernels here.
 * Exactness: modulo 2^128.
 * Limits:    product() takes any 64-bit value, times() any 128-bit value; `by` has 32 bits.
 * Others:    users cl/regions/measure_row.cl and cl/extract/measure.cl; derivation
 * docs/measurement.md, "Sums of 128 bits".
 */

/* The carry out of sum = a + b, all three unsigned and of one type. A race checker's simulator
 * computes the comparison wrongly, so it gets the bitwise form. */
#ifdef CHECK_RACES
#define CARRY(a, b, sum) ((((a) & (b)) | (((a) | (b)) & ~(sum))) >> (8 * sizeof(sum) - 1))
#else
#define CARRY(a, b, sum) ((sum) < (a))
#endif

/* A 64-bit number with its sign extended. */
ulong2 wide(long value) { return (ulong2)((ulong)value, (ulong)(value >> 63)); }

ulong2 plus(ulong2 a, ulong2 b)
{
    ulong low = a.x + b.x;
    return (ulong2)(low, a.y + b.y + CARRY(a.x, b.x, low));
}

/* value 2^by, 0 < by < 64. */
ulong2 shifted(long value, uint by)
{
    return (ulong2)((ulong)value << by, (ulong)(value >> (64 - by)));
}

/* value by. The pieces are of 32 bits because mul_hi takes CPUs longer. `high` cannot overflow: its
 * first term has a magnitude of at most 2^31 (2^32 - 1), its second is below 2^32. */
ulong2 product(long value, uint by)
{
    long high = (value >> 32) * by + (long)(((ulong)value & UINT_MAX) * by >> 32);
    return (ulong2)((ulong)value * by, (ulong)(high >> 32));
}

/* The same of a 128-bit value. */
ulong2 times(ulong2 value, uint by)
{
    ulong high = (value.x >> 32) * by + ((value.x & UINT_MAX) * by >> 32);
    return (ulong2)(value.x * by, value.y * by + (high >> 32));
}

#if COARSE
void add_long(global ulong *word, ulong value) { *word += value; }

void add_wide(global ulong *word, ulong2 value)
{
    ulong low = word[0] + value.x;
    word[1] += value.y + CARRY(word[0], value.x, low);
    word[0] = low;
}
#else
/* Adds a 32-bit value and a carry to a word of memory; returns the carry out. */
uint add_word(volatile global uint *word, uint value, uint carry)
{
    uint sum = value + carry, out = CARRY(value, carry, sum);
    if (sum) {
        uint old = atomic_add(word, sum), total = old + sum;
        out += CARRY(old, sum, total);
    }
    return out;
}

/* Adds a 64-bit value and a carry; returns the carry out. */
uint add_carry(global ulong *word, ulong value, uint carry)
{
    volatile global uint *words = (volatile global uint *)word;
    carry = add_word(words, (uint)value, carry);
    return add_word(words + 1, (uint)(value >> 32), carry);
}

void add_long(global ulong *word, ulong value) { add_carry(word, value, 0); }

void add_wide(global ulong *word, ulong2 value)
{
    add_carry(word + 1, value.y, add_carry(word, value.x, 0));
}
#endif
