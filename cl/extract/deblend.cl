/* SPDX-License-Identifier: MIT */
/*
 * Deblending: the tree of a blend's components at rising levels.
 *
 * Method:    extract_levels gives every pixel of a source the number of levels below it, and counts
 *            the peaks of that map: a source with one peak is no blend. extract_tree adds the
 *            pixels of a blend from the highest level down. A pixel begins a node unless one of
 *            its neighbours was added before; otherwise it joins its neighbours' nodes, which are
 *            merged by union-find. A node that is about to change keeps what it was at the level
 *            above: that is a son. When all pixels of a level were added, the nodes that the level
 *            changed decide what becomes of their sons (close_node). A node's pixels are a list;
 *            merging appends one list to the other, so that a son's pixels stay together. The
 *            image of labels, which is not needed any more, says which node a pixel is in, and gets
 *            the numbers of cores in the end.
 * Launch:    EACH source.
 * Exactness: the same tree as the definition, which labels each level anew: a node is a component,
 *            whatever the order of joining; sums are of integers. Outputs are listed from left to
 *            right in the tree, and then by level.
 * Limits:    at most 255 levels, so that a level and one fit a byte. A blend has as many nodes as
 *            peaks.
 * Others:    host src/opencl/extract/blends.c, definition src/reference/extract_deblend.c, pair
 *            src/pairs/extract.c, docs/extract.md.
 */
#include "extract/view.cl"

typedef global struct extract_node *nodes_t;

/* The thresholds of a blend's levels, by repeated multiplication. */
INLINE void level_table(const struct extract_blend *blend, float *table)
{
    double power = 1;
    table[0] = blend->thresh;
    for (uint k = 1; k < LEVELS; k++) {
        power *= blend->step;
        table[k] = (float)(blend->thresh * power);
    }
}

/* How many levels are below c: since levels rise, the first ones. */
INLINE uint level_of(const float *table, float c)
{
    uint low = 0, high = LEVELS - 1;
    while (low < high) {
        uint middle = (low + high + 1) / 2;
        if (c > table[middle])
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* Whether no neighbour comes before the pixel: by level, then in raster order. */
INLINE bool is_peak(global const uchar *levels, uint rows, uint cols, uint at)
{
    uint y = at / cols, x = at % cols, own = levels[at];
    uint left = x > 0, right = x + 1 < cols;
    if ((left && levels[at - 1] >= own) || (right && levels[at + 1] > own))
        return false;
    if (y > 0) {
        global const uchar *above = levels + at - cols;
        if (above[0] >= own || (left && above[-1] >= own) || (right && above[1] >= own))
            return false;
    }
    if (y + 1 < rows) {
        global const uchar *below = levels + at + cols;
        if (below[0] > own || (left && below[-1] > own) || (right && below[1] > own))
            return false;
    }
    return true;
}

/* Leaves in levels[] one more than the number of levels below each pixel of a blend, and in
 * peaks[b] how many pixels come before all of their neighbours. */
kernel SIZED void extract_levels(global const float *c, uint rows, uint cols,
                                 global const struct extract_blend *blends, uint count,
                                 global const uint *list, global uchar *levels, global uint *peaks)
{
    EACH(b, count)
    {
        struct extract_blend blend = blends[b];
        global const uint *own = list + blend.first;
        float table[LEVELS];
        uint found = 0;
        level_table(&blend, table);
        for (uint i = 0; i < blend.count; i++)
            levels[own[i]] = (uchar)(level_of(table, c[own[i]]) + 1);
        for (uint i = 0; i < blend.count; i++)
            found += is_peak(levels, rows, cols, own[i]);
        peaks[b] = found;
    }
}

/* What a work-item knows of the blend that it works on. */
struct tree {
    nodes_t nodes;
    global struct extract_output *outputs;
    global uint *next; /* of the lists of pixels */
    uint node_count, output_count, touched, least;
    double scale, bound;
};

INLINE uint root_of(nodes_t nodes, uint i)
{
    while (nodes[i].up != i) {
        nodes[i].up = nodes[nodes[i].up].up;
        i = nodes[i].up;
    }
    return i;
}

INLINE uint begin_node(struct tree *tree, uint place, uint at, long flux, uint level)
{
    uint i = tree->node_count++;
    struct extract_node node = {0};
    node.up = i;
    node.level = level;
    node.count = 1;
    node.flux = (ulong)flux;
    node.last = at;
    node.head = node.tail = place;
    node.clean = 1;
    node.first_out = node.last_out = node.sons = node.last_son = EXTRACT_NONE;
    node.touched = tree->touched;
    tree->touched = i;
    tree->nodes[i] = node;
    return i;
}

/* Keeps what a node is, before the level changes it. */
INLINE void open_node(struct tree *tree, uint i, uint level)
{
    global struct extract_node *node = tree->nodes + i;
    if (node->level == level)
        return;
    node->level = level;
    node->touched = tree->touched;
    tree->touched = i;
    node->sons = node->last_son = EXTRACT_NONE;
    if (node->count < tree->least)
        return;
    node->son_count = node->count;
    node->son_flux = node->flux;
    node->son_last = node->last;
    node->son_tail = node->tail;
    node->son_clean = node->clean;
    node->son_first_out = node->first_out;
    node->son_last_out = node->last_out;
    node->son_next = EXTRACT_NONE;
    node->sons = node->last_son = i;
}

/* Joins two nodes that the level has opened; returns the one that is left. */
INLINE uint merge_nodes(struct tree *tree, uint a, uint b)
{
    if (tree->nodes[a].count < tree->nodes[b].count) {
        uint swap = a;
        a = b;
        b = swap;
    }
    global struct extract_node *to = tree->nodes + a, *from = tree->nodes + b;
    from->up = a;
    to->count += from->count;
    to->flux += from->flux;
    to->last = max(to->last, from->last);
    tree->next[to->tail] = from->head;
    to->tail = from->tail;
    if (from->sons != EXTRACT_NONE) {
        if (to->sons == EXTRACT_NONE)
            to->sons = from->sons;
        else
            tree->nodes[to->last_son].son_next = from->sons;
        to->last_son = from->last_son;
    }
    return a;
}

/* Adds a pixel to the nodes around it. */
INLINE void add_pixel(struct tree *tree, global int *labels, uint rows, uint cols, uint place,
                      uint at, long flux, uint level)
{
    uint y = at / cols, x = at % cols, own = EXTRACT_NONE;
    for (uint d = 0; d < 9; d++) {
        uint row = y + d / 3 - 1, col = x + d % 3 - 1;
        if (d == 4 || row >= rows || col >= cols)
            continue;
        uint other = (uint)labels[row * cols + col];
        if (!other)
            continue;
        other = root_of(tree->nodes, other - 1);
        if (other == own)
            continue;
        open_node(tree, other, level);
        if (own != EXTRACT_NONE) {
            own = merge_nodes(tree, own, other);
            continue;
        }
        own = other;
        global struct extract_node *node = tree->nodes + own;
        node->count++;
        node->flux += (ulong)flux;
        node->last = max(node->last, at);
        tree->next[node->tail] = place;
        node->tail = place;
    }
    if (own == EXTRACT_NONE)
        own = begin_node(tree, place, at, flux, level);
    labels[at] = (int)own + 1;
}

/* Sorts a list of sons by their last pixels, merging runs of doubled lengths; returns its first. */
INLINE uint sort_sons(nodes_t nodes, uint list)
{
    for (uint length = 1;; length *= 2) {
        uint from = list, tail = EXTRACT_NONE, merges = 0;
        list = EXTRACT_NONE;
        while (from != EXTRACT_NONE) {
            uint a = from, b = from, a_left = 0, b_left = length;
            merges++;
            while (a_left < length && b != EXTRACT_NONE) {
                a_left++;
                b = nodes[b].son_next;
            }
            while (a_left || (b_left && b != EXTRACT_NONE)) {
                bool left = a_left &&
                            (!b_left || b == EXTRACT_NONE || nodes[a].son_last < nodes[b].son_last);
                uint taken = left ? a : b;
                if (left) {
                    a = nodes[a].son_next;
                    a_left--;
                } else {
                    b = nodes[b].son_next;
                    b_left--;
                }
                if (tail == EXTRACT_NONE)
                    list = taken;
                else
                    nodes[tail].son_next = taken;
                tail = taken;
            }
            from = b;
        }
        nodes[tail].son_next = EXTRACT_NONE;
        if (merges <= 1)
            return list;
    }
}

/* Appends outputs to a node's list. */
INLINE void append_outputs(struct tree *tree, global struct extract_node *node, uint first,
                           uint last)
{
    if (first == EXTRACT_NONE)
        return;
    if (node->first_out == EXTRACT_NONE)
        node->first_out = first;
    else
        tree->outputs[node->last_out].next = first;
    node->last_out = last;
}

/* Whether the flux of a son above its level is a large enough part of the blend's. */
INLINE bool is_significant(const struct tree *tree, const global struct extract_node *son,
                           float thresh)
{
    float flux = (float)((double)(long)son->son_flux / tree->scale);
    float above = flux - thresh * (float)son->son_count;
    return (double)above > tree->bound;
}

/* Decides what becomes of a node's sons, once all pixels of the node's level were added. Two or
 * more significant sons are a fork: those of them above which there is no fork become outputs.
 * `thresh` is the threshold of the level above. */
INLINE void close_node(struct tree *tree, uint i, uint level, float thresh)
{
    global struct extract_node *node = tree->nodes + i;
    uint first = node->sons, significant = 0, clean = 1;
    node->first_out = node->last_out = EXTRACT_NONE;
    if (first != EXTRACT_NONE && tree->nodes[first].son_next != EXTRACT_NONE)
        first = sort_sons(tree->nodes, first);
    for (uint s = first; s != EXTRACT_NONE; s = tree->nodes[s].son_next) {
        clean &= tree->nodes[s].son_clean;
        significant += is_significant(tree, tree->nodes + s, thresh);
    }
    bool fork = significant >= 2;
    for (uint s = first; s != EXTRACT_NONE; s = tree->nodes[s].son_next) {
        global const struct extract_node *son = tree->nodes + s;
        if (!fork || !son->son_clean || !is_significant(tree, son, thresh)) {
            append_outputs(tree, node, son->son_first_out, son->son_last_out);
            continue;
        }
        struct extract_output output;
        uint o = tree->output_count++;
        output.head = son->head;
        output.tail = son->son_tail;
        output.level = level + 1;
        output.count = son->son_count;
        output.next = EXTRACT_NONE;
        tree->outputs[o] = output;
        append_outputs(tree, node, o, o);
    }
    node->clean = fork ? 0 : clean;
}

/* Sorts the places of a blend by falling level, in raster order within a level; starts[k] gets the
 * place behind the last of level k. */
INLINE void sort_places(global const uint *own, uint count, global const uchar *levels,
                        global uint *places, uint *starts)
{
    for (uint k = 0; k <= LEVELS; k++)
        starts[k] = 0;
    for (uint i = 0; i < count; i++)
        starts[levels[own[i]] - 1]++;
    for (uint k = LEVELS, before = 0; k-- > 0;) {
        uint number = starts[k];
        starts[k] = before;
        before += number;
    }
    for (uint i = 0; i < count; i++)
        places[starts[levels[own[i]] - 1]++] = own[i];
}

/* Numbers the outputs by falling level and writes their numbers into the labels. */
INLINE uint number_outputs(struct tree *tree, uint first, global const uint *places,
                           const float *table, global int *labels,
                           global struct extract_core *cores)
{
    uint number = 0;
    for (uint level = LEVELS - 1; level > 0; level--)
        for (uint o = first; o != EXTRACT_NONE; o = tree->outputs[o].next) {
            struct extract_output output = tree->outputs[o];
            if (output.level != level)
                continue;
            cores[number].thresh = table[level];
            cores[number].count = output.count;
            number++;
            for (uint p = output.head;; p = tree->next[p]) {
                labels[places[p]] = (int)number;
                if (p == output.tail)
                    break;
            }
        }
    return number;
}

/* Leaves in children[b] how many objects blend b becomes, 0 where it stays whole; their cores; and
 * in the image of labels the numbers of the cores, from 1. Pixels of no core get 0. */
kernel SIZED void extract_tree(global const float *c, struct extract_view view,
                               global const struct extract_blend *blends, uint count,
                               global const uint *list, global const uchar *levels,
                               global int *labels, global uint *all_places, global uint *all_next,
                               global struct extract_node *all_nodes,
                               global struct extract_output *all_outputs,
                               global struct extract_core *cores, global uint *children)
{
    EACH(b, count)
    {
        struct extract_blend blend = blends[b];
        global const uint *own = list + blend.first;
        global uint *places = all_places + blend.places;
        struct tree tree;
        float table[LEVELS];
        uint starts[LEVELS + 1];
        tree.nodes = all_nodes + blend.nodes;
        tree.outputs = all_outputs + blend.nodes;
        tree.next = all_next + blend.places;
        tree.node_count = tree.output_count = 0;
        tree.least = view.least;
        tree.scale = scale_of(blend.exponent);
        tree.bound = blend.bound;
        level_table(&blend, table);
        for (uint i = 0; i < blend.count; i++)
            labels[own[i]] = 0;
        sort_places(own, blend.count, levels, places, starts);
        for (uint k = LEVELS, p = 0; k-- > 0;) {
            tree.touched = EXTRACT_NONE;
            for (; p < starts[k]; p++)
                add_pixel(&tree, labels, view.rows, view.cols, p, places[p],
                          whole_of(c[places[p]], tree.scale), k);
            for (uint t = tree.touched; t != EXTRACT_NONE; t = tree.nodes[t].touched)
                if (tree.nodes[t].up == t)
                    close_node(&tree, t, k, table[min(k + 1, (uint)LEVELS - 1)]);
        }
        uint root = root_of(tree.nodes, 0), outputs = tree.nodes[root].first_out;
        for (uint i = 0; i < blend.count; i++)
            labels[own[i]] = 0;
        children[b] = tree.nodes[root].clean ? 0
                                             : number_outputs(&tree, outputs, places, table, labels,
                                                              cores + blend.nodes);
    }
}
