/* SPDX-License-Identifier: MIT */
#include "bands/find.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <clump/threshold.h>

#include "checks.h"

/* What a pixel is, in finder->bytes. */
enum { SOURCE = 1, BLANK = 2, WITHOUT = 4, CLEAR = 8, HOLE = 16 };
/* WITHOUT: infinite or blank, so without a number to compare. CLEAR: of no source. */

#define AT_BORDER 1 /* flag of a component of `clear` */

void clump_finder_create(clump_context *context, enum clump_type type, uint64_t rows, uint64_t cols,
                         const struct clump_find_params *params, struct finder *finder)
{
    *finder = (struct finder){
        .context = context, .type = type, .rows = rows, .cols = cols, .params = *params};
    clump_components_create(params->connectivity, true, &finder->components);
}

void clump_finder_destroy(struct finder *finder)
{
    struct components *all[] = {&finder->components, &finder->again,       &finder->joined,
                                &finder->clear,      &finder->clear_again, &finder->filled};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        clump_components_destroy(all[i]);
    clump_find_release(&finder->found);
    free(finder->sources);
    free(finder->label);
    free(finder->bytes);
    free(finder->row.run);
    *finder = (struct finder){.pass = FINDER_DONE};
}

static enum clump_status no_memory(const struct finder *finder)
{
    return clump_fail(&finder->context->log, CLUMP_ERROR_MEMORY,
                      "bands: out of memory for %" PRIu32 " parts of regions, or there are more "
                      "than %" PRIu32,
                      finder->components.count, COMPONENT_NONE);
}

enum clump_status clump_finder_clipped(struct finder *finder, const struct clump_clip_result *clip)
{
    finder->found.clip = *clip;
    return clump_find_level(finder->context, finder->rows, finder->cols, &finder->params,
                            &finder->found);
}

/* The pixels of some rows and the mask of what is above the threshold, mapped. */
struct view {
    clump_image *mask;
    void *bits, *pixels;
    size_t row_bytes, row_words;
};

static enum clump_status open_view(const struct finder *finder, const clump_image *image,
                                   struct view *view)
{
    struct clump_threshold_params threshold = clump_threshold_defaults;
    threshold.above = finder->found.threshold;
    threshold.output = CLUMP_BITS;
    *view = (struct view){.row_bytes = clump_type_row_bytes(finder->type, finder->cols),
                          .row_words = clump_row_words(finder->cols)};
    enum clump_status status =
        clump_threshold(finder->context, image, &threshold, &view->mask, NULL);
    if (!status)
        status = clump_image_map(view->mask, CLUMP_IMAGE_READ, &view->bits);
    if (!status)
        status = clump_image_map((clump_image *)image, CLUMP_IMAGE_READ, &view->pixels);
    return status;
}

static enum clump_status close_view(const clump_image *image, struct view *view)
{
    enum clump_status status = CLUMP_OK, unmapped = CLUMP_OK;
    if (view->pixels)
        status = clump_image_unmap((clump_image *)image);
    if (view->bits)
        unmapped = clump_image_unmap(view->mask);
    clump_image_destroy(&view->mask);
    return status ? status : unmapped;
}

/* The first pass, of one row: joins its runs with those before. */
static bool label_row(struct finder *finder, const void *pixels)
{
    struct components *components = &finder->components;
    if (!clump_components_row(components, &finder->row))
        return false;
    const struct bands_row *row = &components->before;
    for (size_t i = 0; i < row->count; i++) {
        struct component *own = &components->list[row->run[i].id];
        int16_t exponent = clump_sums_exponent(finder->type, pixels, &row->run[i]);
        own->area += row->run[i].past - row->run[i].first;
        own->exponent = exponent > own->exponent ? exponent : own->exponent;
    }
    return true;
}

/* Numbers the components that are large enough, and makes a source for each. */
static enum clump_status number(struct finder *finder)
{
    struct components *all = &finder->components;
    clump_components_gather(all);
    finder->label = malloc(((size_t)all->count + 1) * sizeof *finder->label);
    if (!finder->label)
        return no_memory(finder);
    uint64_t least = finder->params.min_area, count = 0;
    for (uint32_t id = 0; id < all->count; id++) {
        const struct component *own = &all->list[id];
        if (own->parent != id)
            finder->label[id] = finder->label[own->parent];
        else
            finder->label[id] = own->area >= least ? (uint32_t)++count : 0;
    }
    if (count > INT32_MAX)
        return clump_fail(&finder->context->log, CLUMP_ERROR_UNSUPPORTED,
                          "bands: %" PRIu64 " regions are more than labels can number, %d", count,
                          INT32_MAX);
    finder->count = (uint32_t)count;
    finder->sources = calloc(count + 1, sizeof *finder->sources);
    if (!finder->sources)
        return no_memory(finder);
    double level = finder->found.subtracted ? finder->found.level : 0;
    for (uint32_t id = 0; id < all->count; id++) {
        const struct component *own = &all->list[id];
        if (own->parent == id && finder->label[id])
            finder->sources[finder->label[id]].sums.scale =
                clump_sums_scale(finder->type, own->exponent, level);
    }
    free(all->list);
    all->list = NULL;
    all->room = 0;
    return CLUMP_OK;
}

static bool is_blank(enum clump_type type, const void *pixels, uint64_t col, bool *infinite)
{
    double x =
        type == CLUMP_F32 ? (double)((const float *)pixels)[col] : ((const double *)pixels)[col];
    *infinite = isinf(x);
    return isnan(x);
}

/* Fills finder->bytes for the row before, whose pixels are given. */
static void describe(struct finder *finder, const void *pixels)
{
    const struct bands_row *row = &finder->again.before;
    memset(finder->bytes, CLEAR, finder->cols);
    for (size_t i = 0; i < row->count; i++)
        if (finder->label[row->run[i].id])
            memset(finder->bytes + row->run[i].first, SOURCE, row->run[i].past - row->run[i].first);
    for (uint64_t c = 0; c < finder->cols; c++) {
        bool infinite, blank = is_blank(finder->type, pixels, c, &infinite);
        finder->bytes[c] |= blank ? BLANK | WITHOUT : infinite ? WITHOUT : 0;
    }
}

/* Gives the runs of bytes with the bits `want` to `components`, and adds their flags. */
static bool walk(struct finder *finder, uint8_t want, struct components *components)
{
    if (!clump_bands_row_bytes(finder->bytes, finder->cols, want, &finder->row) ||
        !clump_components_row(components, &finder->row))
        return false;
    const struct bands_row *row = &components->before;
    for (size_t i = 0; components->joins && i < row->count; i++)
        components->list[row->run[i].id].flags |= row->run[i].flags & BLANK;
    return true;
}

/* Flags components of what is no source if they touch the image's border. */
static void flag_border(struct finder *finder, uint64_t row)
{
    const struct bands_row *runs = &finder->clear.before;
    for (size_t i = 0; i < runs->count; i++) {
        const struct bands_run *run = &runs->run[i];
        if (!row || row == finder->rows - 1 || !run->first || run->past == finder->cols)
            finder->clear.list[run->id].flags |= AT_BORDER;
    }
}

/* Notes for each source of the row before in which component of `components` it lies. */
static void note(struct finder *finder, const struct components *components, bool filled)
{
    const struct bands_row *row = &finder->again.before, *in = &components->before;
    size_t k = 0;
    for (size_t i = 0; i < row->count; i++) {
        uint32_t label = finder->label[row->run[i].id];
        while (k < in->count && in->run[k].past <= row->run[i].first)
            k++;
        if (!label || k == in->count)
            continue;
        if (filled)
            finder->sources[label].filled = in->run[k].id;
        else
            finder->sources[label].joined = in->run[k].id;
    }
}

/* Counts runs less the pairs of them that touch, diagonally too: objects less holes. */
static void count_euler(struct finder *finder, const struct bands_row *before)
{
    const struct bands_row *row = &finder->again.before;
    size_t next = 0;
    for (size_t i = 0; i < row->count; i++) {
        const struct bands_run *run = &row->run[i];
        uint32_t label = finder->label[run->id];
        finder->sources[label].euler++;
        while (next < before->count && before->run[next].past + 1 <= run->first)
            next++;
        for (size_t k = next; k < before->count && before->run[k].first < run->past + 1; k++)
            if (finder->label[before->run[k].id] == label)
                finder->sources[label].euler--;
    }
}

static void write_labels(const struct finder *finder, int32_t *labels)
{
    const struct bands_row *row = &finder->again.before;
    memset(labels, 0, finder->cols * sizeof *labels);
    for (size_t i = 0; i < row->count; i++)
        for (uint32_t c = row->run[i].first; c < row->run[i].past; c++)
            labels[c] = (int32_t)finder->label[row->run[i].id];
}

/* The second pass, of one row: adds its runs to their sources. */
static bool measure_row(struct finder *finder, const void *pixels, uint64_t at, int32_t *labels)
{
    struct bands_row before = finder->again.before;
    /* the row before stays readable: clump_components_row hands it back in finder->row */
    if (!clump_components_row(&finder->again, &finder->row))
        return false;
    before.run = finder->row.run;
    const struct bands_row *row = &finder->again.before;
    for (size_t i = 0; i < row->count; i++) {
        uint32_t label = finder->label[row->run[i].id];
        if (label)
            clump_sums_add(&finder->sources[label].sums, finder->type, pixels, at, &row->run[i]);
    }
    if (labels)
        write_labels(finder, labels);
    if (!finder->blanks)
        return true;
    count_euler(finder, &before);
    describe(finder, pixels);
    if (!walk(finder, SOURCE | WITHOUT, &finder->joined))
        return false;
    note(finder, &finder->joined, false);
    if (!walk(finder, CLEAR, &finder->clear))
        return false;
    flag_border(finder, at);
    return true;
}

/* The last pass, of one row: joins sources and their holes. */
static bool fill_row(struct finder *finder, const void *pixels)
{
    if (!clump_components_row(&finder->again, &finder->row))
        return false;
    describe(finder, pixels);
    if (!walk(finder, CLEAR, &finder->clear_again))
        return false;
    const struct bands_row *row = &finder->clear_again.before;
    for (size_t i = 0; i < row->count; i++) {
        uint32_t root = clump_components_root(&finder->clear, row->run[i].id);
        for (uint32_t c = row->run[i].first;
             !(finder->clear.list[root].flags & AT_BORDER) && c < row->run[i].past; c++)
            finder->bytes[c] |= HOLE;
    }
    if (!walk(finder, SOURCE | HOLE, &finder->filled))
        return false;
    note(finder, &finder->filled, true);
    return true;
}

static bool one_row(struct finder *finder, const struct view *view, uint64_t i, uint64_t first,
                    int32_t *labels)
{
    const uint32_t *words = view->bits;
    const char *pixels = (const char *)view->pixels + i * view->row_bytes;
    if (!clump_bands_row_bits(words + i * view->row_words, finder->cols, &finder->row))
        return false;
    if (finder->pass == FINDER_LABEL)
        return label_row(finder, pixels);
    if (finder->pass == FINDER_MEASURE)
        return measure_row(finder, pixels, first + i, labels ? labels + i * finder->cols : NULL);
    return fill_row(finder, pixels);
}

enum clump_status clump_finder_rows(struct finder *finder, const clump_image *image, uint64_t first,
                                    clump_image **labels)
{
    struct view view;
    clump_image *made = NULL;
    void *numbers = NULL;
    bool fits = true;
    enum clump_status status = open_view(finder, image, &view);
    if (!status && labels && finder->pass == FINDER_MEASURE)
        status = clump_image_create(finder->context, CLUMP_I32, image->rows, image->cols, &made);
    if (!status && made)
        status = clump_image_map(made, CLUMP_IMAGE_WRITE, &numbers);
    for (uint64_t i = 0; !status && fits && i < image->rows; i++)
        fits = one_row(finder, &view, i, first, numbers);
    if (!fits)
        status = no_memory(finder);
    enum clump_status closed = numbers ? clump_image_unmap(made) : CLUMP_OK;
    status = status ? status : closed;
    closed = close_view(image, &view);
    status = status ? status : closed;
    if (status)
        clump_image_destroy(&made);
    else if (labels)
        *labels = made;
    return status;
}

/* Rounds the sums of all sources. */
static enum clump_status finish_sources(struct finder *finder)
{
    struct clump_find_result *found = &finder->found;
    const struct clump_measure_params measured = {.connectivity = finder->params.connectivity,
                                                  .level = found->subtracted ? found->level : 0};
    found->count = finder->count;
    found->regions = malloc(((size_t)finder->count + 1) * sizeof *found->regions);
    if (!found->regions)
        return no_memory(finder);
    for (uint32_t i = 0; i < finder->count; i++)
        clump_sums_finish(&finder->sources[i + 1].sums, finder->type, finder->rows, finder->cols,
                          i + 1, measured.level, &found->regions[i]);
    return clump_measure_check(finder->context, &measured, found->regions, found->count);
}

/* Flags the sources that touch blank pixels, and those that have some in their holes: only the
 * first source of a component with its holes filled, which surrounds all others of it, and those
 * with holes of their own. */
static enum clump_status flag_sources(struct finder *finder)
{
    bool *seen = calloc((size_t)finder->filled.count + 1, sizeof *seen);
    if (!seen)
        return no_memory(finder);
    clump_components_gather(&finder->joined);
    clump_components_gather(&finder->filled);
    for (uint32_t i = 0; i < finder->count; i++) {
        const struct finder_source *source = &finder->sources[i + 1];
        uint32_t joined = finder->joined.list[source->joined].parent;
        uint32_t filled = finder->filled.list[source->filled].parent;
        bool around = !seen[filled] || source->euler < 1;
        seen[filled] = true;
        if (finder->joined.list[joined].flags & BLANK ||
            (around && finder->filled.list[filled].flags & BLANK))
            finder->found.regions[i].flags |= CLUMP_REGION_BLANK;
    }
    free(seen);
    return CLUMP_OK;
}

/* Begins a walk over the same rows. */
static void walk_again(struct finder *finder)
{
    clump_components_destroy(&finder->again);
    clump_components_create(finder->params.connectivity, false, &finder->again);
}

static enum clump_status end_labels(struct finder *finder)
{
    enum clump_status status = number(finder);
    finder->pass = FINDER_MEASURE;
    finder->blanks = finder->found.clip.before.blank && finder->count;
    walk_again(finder);
    clump_components_create(finder->params.connectivity, true, &finder->joined);
    clump_components_create(4, true, &finder->clear);
    finder->bytes = status || !finder->blanks ? NULL : malloc(finder->cols);
    return status || !finder->blanks || finder->bytes ? status : no_memory(finder);
}

enum clump_status clump_finder_finish(struct finder *finder)
{
    if (finder->pass == FINDER_LABEL)
        return end_labels(finder);
    if (finder->pass == FINDER_MEASURE) {
        finder->pass = finder->blanks ? FINDER_FILL : FINDER_DONE;
        walk_again(finder);
        clump_components_gather(&finder->clear);
        clump_components_create(4, false, &finder->clear_again);
        clump_components_create(finder->params.connectivity, true, &finder->filled);
        return finish_sources(finder);
    }
    finder->pass = FINDER_DONE;
    return flag_sources(finder);
}
