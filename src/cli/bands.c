/* SPDX-License-Identifier: MIT */
#include "bands.h"

#include <inttypes.h>

#define USUAL (UINT64_C(1) << 30)  /* memory where none was named */
#define MOST  (UINT64_C(64) << 20) /* bytes of a band: larger ones are no faster */
#define PARTS                                                                                      \
    8 /* of the memory that a band may be: it has a mask, labels, and a place in the pool */

int bands_check(const struct run *run, const char *text)
{
    uint64_t bytes;
    if (!text || run_parse_memory(text, &bytes))
        return EXIT_DONE;
    return run_misuse(run, "--memory wants a size as 2000000000, 512M or 2G, not '%s'", text);
}

/* Chooses the rows of a band. */
static enum clump_status choose(struct run *run, const char *path, uint64_t memory,
                                struct bands_input *in)
{
    const struct clump_file_info *info = in->input.info;
    uint64_t row = clump_type_row_bytes(info->type, info->cols), band = memory / PARTS;
    uint64_t largest = clump_context_device(run->context)->max_buffer;
    band = band < MOST ? band : MOST;
    band = band < largest ? band : largest;
    in->step = band / row;
    in->memory = memory / PARTS;
    if (!in->step)
        return run_fail(run, CLUMP_ERROR_MEMORY,
                        "%s: its rows have %" PRIu64 " bytes, so at least %" PRIu64
                        " bytes of memory are needed (--memory)",
                        path, row, row * PARTS);
    in->step = in->step < info->rows ? in->step : info->rows;
    return CLUMP_OK;
}

enum clump_status bands_open(struct run *run, const char *path, const char *memory,
                             struct bands_input *in)
{
    uint64_t bytes = 0, all;
    double begun = run_now_ms();
    *in = (struct bands_input){.run = run};
    enum clump_status status = run_open_input(run, path, &common.file, &in->input);
    if (status)
        return status;
    const struct clump_file_info *info = in->input.info;
    bool overflow =
        __builtin_mul_overflow(clump_type_row_bytes(info->type, info->cols), info->rows, &all);
    bool large = overflow || all > clump_context_device(run->context)->max_buffer;
    if (memory) {
        run_parse_memory(memory, &bytes);
        if (clump_file_by_rows(in->input.file))
            return choose(run, path, bytes, in);
        return run_fail(run, CLUMP_ERROR_UNSUPPORTED,
                        "%s: only plain FITS images, without compression, scaling or BLANK pixels, "
                        "and .npy files are read some rows at a time (--memory)",
                        path);
    }
    if (large && clump_file_by_rows(in->input.file))
        return choose(run, path, USUAL, in);
    status = clump_file_read(run->context, in->input.file, &in->input.image);
    run->reading_ms += run_now_ms() - begun;
    return status;
}

struct clump_bands_params bands_params(const struct bands_input *in, enum clump_bands_task task)
{
    const struct clump_file_info *info = in->input.info;
    return (struct clump_bands_params){.task = task,
                                       .type = info->type,
                                       .rows = info->rows,
                                       .cols = info->cols,
                                       .memory = in->memory};
}

/* Reads the rows from `row` on that make a band. */
static enum clump_status read_band(struct bands_input *in, uint64_t row, clump_image **band)
{
    uint64_t left = in->input.info->rows - row, rows = left < in->step ? left : in->step;
    double begun = run_now_ms();
    enum clump_status status =
        clump_file_read_rows(in->run->context, in->input.file, row, rows, band);
    in->run->reading_ms += run_now_ms() - begun;
    return status;
}

/* A pass whose labels are asked for by the writer of the file. */
struct labelling {
    struct bands_input *in;
    clump_bands *bands;
};

static enum clump_status next_labels(void *user, uint64_t row, clump_image **labels)
{
    const struct labelling *pass = user;
    clump_image *band = NULL;
    enum clump_status status = read_band(pass->in, row, &band);
    if (!status)
        status = clump_bands_rows(pass->bands, band, labels);
    clump_image_destroy(&band);
    return status;
}

static enum clump_status write_labels(struct run *run, const char *name, const void *user)
{
    const struct labelling *pass = user;
    const struct clump_file_info *info = pass->in->input.info;
    const struct clump_file_write_params params = {.force = common.force,
                                                   .like = pass->in->input.file,
                                                   .unit = "",
                                                   .history = run_history(run)};
    return clump_file_write_rows(run->context, CLUMP_I32, info->rows, info->cols, name, &params,
                                 next_labels, (void *)user);
}

static enum clump_status feed_pass(struct bands_input *in, clump_bands *bands)
{
    enum clump_status status = CLUMP_OK;
    for (uint64_t row = 0; !status && row < in->input.info->rows; row += in->step) {
        clump_image *band = NULL;
        status = read_band(in, row, &band);
        if (!status)
            status = clump_bands_rows(bands, band, NULL);
        clump_image_destroy(&band);
    }
    return status;
}

enum clump_status bands_feed(struct bands_input *in, clump_bands *bands, const char *segmentation,
                             const char *path, json_t *json)
{
    bool more;
    clump_image *hint = NULL;
    enum clump_status status = read_band(in, 0, &hint);
    if (!status)
        status = clump_bands_hint(bands, hint);
    clump_image_destroy(&hint);
    while (!status && !(status = clump_bands_begin(bands, &more)) && more) {
        const struct labelling pass = {in, bands};
        status = segmentation && clump_bands_labelling(bands)
                     ? run_write_by(in->run, write_labels, &pass, segmentation, path, json)
                     : feed_pass(in, bands);
        if (!status)
            status = clump_bands_finish(bands);
    }
    return status;
}

enum clump_status bands_clip(struct bands_input *in, const struct clump_clip_params *params,
                             struct clump_clip_result *result)
{
    struct clump_bands_params task = bands_params(in, CLUMP_BANDS_CLIP);
    clump_bands *bands = NULL;
    task.clip = params;
    if (in->input.image)
        return clump_clip(in->run->context, in->input.image, params, NULL, NULL, result);
    enum clump_status status = clump_bands_create(in->run->context, &task, &bands);
    if (!status)
        status = bands_feed(in, bands, NULL, NULL, NULL);
    if (!status)
        status = clump_bands_clip(bands, result);
    clump_bands_destroy(&bands);
    return status;
}

enum clump_status bands_stats(struct bands_input *in, const struct clump_stats_params *params,
                              double *quantiles, struct clump_stats_result *result)
{
    struct clump_bands_params task = bands_params(in, CLUMP_BANDS_STATS);
    clump_bands *bands = NULL;
    task.stats = params;
    if (in->input.image)
        return clump_stats(in->run->context, in->input.image, params, quantiles, result);
    enum clump_status status = clump_bands_create(in->run->context, &task, &bands);
    if (!status)
        status = bands_feed(in, bands, NULL, NULL, NULL);
    if (!status)
        status = clump_bands_stats(bands, quantiles, result);
    clump_bands_destroy(&bands);
    return status;
}
