/* SPDX-License-Identifier: MIT */
/*
 * The fine half of sweep.cl.
 *
 * Method:    a group takes a chunk, neighbouring work-items neighbouring pixels. Every work-item
 *            adds up its own pixels; a tree in local memory merges the sums. Entries of the lists
 *            are held in local memory, as many as it has room for, and then appended together, so
 *            that a group asks for room in a list once. Only entries that are not held ask for
 *            room one by one.
 * Launch:    one group of GROUP work-items per chunk.
 * Exactness: integers.
 * Limits:    local memory: 40 or 48 bytes per work-item, and 3 * HELD_BYTES.
 * Others:    as in sweep.cl.
 */
#include "stats/fine_common.cl"

#define HELD_BYTES 4096
#define MERGED     4              /* words that are merged at once */
#define WORDS      (2 * SUMS + 3) /* of a part, that are merged by addition */

/* A list: where it is, its room, and what a group holds of it. */
#define LIST(name, type)                                                                           \
    local type held_##name[HELD_BYTES / sizeof(type)];                                             \
    local uint count_##name, start_##name;                                                         \
    global type *list_##name = (global type *)(memory + args.name##_at)

/* Holds an entry, or appends it at once where no more can be held. */
#define HOLD(name, type, word, entry)                                                              \
    do {                                                                                           \
        uint at = atomic_inc(&count_##name);                                                       \
        if (at < HELD_BYTES / sizeof(type))                                                        \
            held_##name[at] = entry;                                                               \
        else if ((at = atomic_inc(room + word)) < args.name)                                       \
            list_##name[at] = entry;                                                               \
    } while (0)

/* Asks for room for what is held; a barrier must follow. */
#define ASK(name, type, word)                                                                      \
    count_##name = min(count_##name, (uint)(HELD_BYTES / sizeof(type)));                           \
    start_##name = atomic_add(room + word, count_##name)

#define APPEND(name)                                                                               \
    for (uint j = l; j < count_##name && start_##name + j < args.name; j += GROUP)                 \
    list_##name[start_##name + j] = held_##name[j]

/* Leaves the sums of the words of all work-items in `part`. */
INLINE void merge(const ulong *words, local ulong *tree, global ulong *part)
{
    uint l = get_local_id(0);
    for (uint from = 0; from < WORDS; from += MERGED) {
        for (uint j = 0; j < MERGED; j++)
            tree[j * GROUP + l] = from + j < WORDS ? words[from + j] : 0;
        for (uint step = GROUP / 2; step > 0; step /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            for (uint j = 0; l < step && j < MERGED; j++)
                tree[j * GROUP + l] += tree[j * GROUP + l + step];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint j = l; j < MERGED && from + j < WORDS; j += GROUP)
            part[from + j] = tree[j * GROUP];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

/* Leaves a part per chunk and the lists. */
kernel GROUPED void sweep_parts(global const T *image, struct sweep_parts_args args,
                                global ulong *memory)
{
    local ulong tree[MERGED * GROUP];
    local key low[GROUP], high[GROUP];
    LIST(bracket, key);
    LIST(tails, entry);
    LIST(odd, key);
    uint l = get_local_id(0);
    ulong c = get_group_id(0), end = min((c + 1) * SWEEP_CHUNK, args.n);
    struct aim aim = aim_of(&args);
    volatile global uint *room = (volatile global uint *)memory;
    global ulong *part = memory + args.parts_at + c * PART_WORDS;
    ulong words[WORDS] = {0}, *counts = words + 2 * SUMS;
    REAL least = INFINITY, most = -INFINITY;
    if (l == 0)
        count_bracket = count_tails = count_odd = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (ulong i = c * SWEEP_CHUNK + l; i < end; i += GROUP) {
        T pixel = image[i];
        REAL x = pixel;
        key k = KEY_OF(pixel);
#if FLOATING
        x = WORD_OF(x) == KEY_SIGN ? 0 : x;
#endif
        struct number number = number_of(x, aim.first);
        if (number.usual) {
            add_number(number, words);
        } else if ((number = number_of(x, aim.second)).usual) {
            add_number(number, words + SUMS);
            counts[SWEEP_SECOND]++;
        } else if (x == x) {
            HOLD(odd, key, SWEEP_ODD, k);
        }
        counts[SWEEP_SECOND] += x == x ? 0 : 1ul << 32;
        counts[SWEEP_BELOW] += (TIES ? x < aim.low : x <= aim.low) | (ulong)(x <= aim.low) << 32;
        counts[SWEEP_TO_HIGH] += TIES && x <= aim.high;
        least = x < least ? x : least;
        most = x > most ? x : most;
        if (is_between(x, aim))
            HOLD(bracket, key, SWEEP_LISTED, k);
        if (is_tail(x, aim))
            HOLD(tails, entry, SWEEP_TAILS, ENTRY(k, i));
    }
    merge(words, tree, part);
#if FLOATING
    find_extremes(KEY_OF(least), KEY_OF(most), low, high);
#else /* a work-item without pixels has no integers */
    find_extremes(least == INFINITY ? BLANK : KEY_OF((T)least),
                  most == -INFINITY ? 0 : KEY_OF((T)most), low, high);
#endif
    if (l == 0) {
        part[2 * SUMS + SWEEP_LEAST] = low[0];
        part[2 * SUMS + SWEEP_MOST] = high[0];
        ASK(bracket, key, SWEEP_LISTED);
        ASK(tails, entry, SWEEP_TAILS);
        ASK(odd, key, SWEEP_ODD);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    APPEND(bracket);
    APPEND(tails);
    APPEND(odd);
}
