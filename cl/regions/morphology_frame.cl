/* SPDX-License-Identifier: MIT */
/*
 * The border of an erosion or a dilation, where what lies outside is not neutral.
 *
 * Method:    a pixel whose footprint reaches beyond the image is decided by the outside alone: a
 *            clear outside clears it in an erosion, a set one sets it in a dilation. Those are the
 *            pixels not in a rectangle, rows first_row to end_row - 1 and columns first_col to
 *            end_col - 1, which the host knows. Words are changed in place.
 * Launch:    one work-item per word; rows are the second dimension.
 * Exactness: bits.
 * Limits:    rows and columns below 2^31.
 * Others:    host src/opencl/regions/morphology.c, definition src/reference/morphology.c, pair
 *            src/pairs/morphology.c.
 */

/* The bits of a word from bit `from` to bit `to` - 1, each cut to 0..32. */
static inline uint bits_between(int from, int to)
{
    from = clamp(from, 0, 32);
    to = clamp(to, 0, 32);
    uint below_to = to < 32 ? (1u << to) - 1 : 0xffffffffu;
    uint below_from = from < 32 ? (1u << from) - 1 : 0xffffffffu;
    return below_to & ~below_from;
}

/* Leaves the pixels in the rectangle as they are, and makes the others set, or clear. */
kernel GROUPED void morphology_frame(global uint *mask, uint cols, int first_row, int end_row,
                                     int first_col, int end_col, uint set)
{
    uint words = (cols + 31) / 32, at = (uint)get_global_id(0), row = (uint)get_global_id(1);
    if (at >= words)
        return;
    int start = (int)(at * 32);
    uint inside = 0;
    if ((int)row >= first_row && (int)row < end_row && first_col < end_col)
        inside = bits_between(first_col - start, end_col - start);
    uint all = bits_between(0, (int)cols - start);
    size_t i = (size_t)row * words + at;
    mask[i] = set ? mask[i] | (all & ~inside) : mask[i] & inside;
}
