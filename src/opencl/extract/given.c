/* SPDX-License-Identifier: MIT */
/* The objects of a segmentation that is given: dense labels, boxes and lists, made on the host. */
#include "opencl/extract/extract.h"

#include <math.h>
#include <stdlib.h>

/* Which numbers there are: a bit each, and for every word of bits how many come before it. */
struct numbers {
    uint64_t *bits;
    uint32_t *before;
    size_t words;
};

/* What the host sees of the pixels. */
struct given {
    const int32_t *numbers;
    const float *good; /* positive where a pixel is good, or the image itself */
    bool image;
    int32_t *labels;
    uint32_t *boxes, *list;
};

static bool is_member(const struct given *given, size_t i)
{
    return given->numbers[i] > 0 && (given->image ? isfinite(given->good[i]) : given->good[i] > 0);
}

static enum clump_status count_numbers(struct extract_job *job, const struct given *given,
                                       size_t pixels, struct numbers *numbers)
{
    int32_t most = 0;
    uint32_t count = 0;
    for (size_t i = 0; i < pixels; i++)
        most = given->numbers[i] > most ? given->numbers[i] : most;
    numbers->words = (size_t)most / 64 + 1;
    enum clump_status status =
        clump_extract_memory(job, numbers->words, sizeof *numbers->bits, &numbers->bits);
    if (!status)
        status =
            clump_extract_memory(job, numbers->words, sizeof *numbers->before, &numbers->before);
    if (status)
        return status;
    for (size_t i = 0; i < pixels; i++)
        if (is_member(given, i))
            numbers->bits[given->numbers[i] / 64] |= (uint64_t)1 << given->numbers[i] % 64;
    for (size_t w = 0; w < numbers->words; w++) {
        numbers->before[w] = count;
        count += (uint32_t)__builtin_popcountll(numbers->bits[w]);
    }
    job->components = count;
    return CLUMP_OK;
}

static uint32_t place_of(const struct numbers *numbers, int32_t number)
{
    uint64_t below = numbers->bits[number / 64] & (((uint64_t)1 << number % 64) - 1);
    return numbers->before[number / 64] + (uint32_t)__builtin_popcountll(below);
}

static uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* Labels the pixels, counts them and finds their boxes. */
static uint32_t fill_boxes(const struct extract_job *job, const struct given *given,
                           const struct numbers *numbers)
{
    uint32_t cols = job->view.cols, members = 0;
    for (uint32_t y = 0, at = 0; y < job->view.rows; y++)
        for (uint32_t x = 0; x < cols; x++, at++) {
            given->labels[at] = 0;
            if (!is_member(given, at))
                continue;
            uint32_t place = place_of(numbers, given->numbers[at]);
            uint32_t *box = given->boxes + (size_t)place * BOX_WORDS;
            given->labels[at] = (int32_t)place + 1;
            box[BOX_COUNT]++;
            box[BOX_LEFT] = larger(box[BOX_LEFT], ~x);
            box[BOX_RIGHT] = larger(box[BOX_RIGHT], x);
            box[BOX_TOP] = larger(box[BOX_TOP], ~y);
            box[BOX_LAST] = at;
            members++;
        }
    return members;
}

/* Lists the pixels of the objects one behind the other. */
static enum clump_status fill_list(struct extract_job *job, struct given *given, uint32_t members)
{
    uint32_t pixels = job->view.rows * job->view.cols, *ends = NULL;
    enum clump_status status = clump_extract_memory(job, job->components, sizeof *ends, &ends);
    if (!status)
        status = clump_extract_memory(job, members, sizeof *given->list, &given->list);
    if (!status) {
        for (uint64_t i = 1; i < job->components; i++)
            ends[i] = ends[i - 1] + given->boxes[(i - 1) * BOX_WORDS + BOX_COUNT];
        for (uint32_t at = 0; at < pixels; at++)
            if (given->labels[at])
                given->list[ends[given->labels[at] - 1]++] = at;
        if (members)
            status =
                clump_extract_upload(job, given->list, members * sizeof *given->list, &job->list);
    }
    free(ends);
    return status;
}

/* Makes what the pipeline needs from pixels that the host sees. */
static enum clump_status make_all(struct extract_job *job, struct given *given)
{
    struct numbers numbers = {0};
    size_t pixels = (size_t)job->view.rows * job->view.cols;
    enum clump_status status = count_numbers(job, given, pixels, &numbers);
    if (!status)
        status = clump_extract_memory(job, job->components * BOX_WORDS, sizeof *given->boxes,
                                      &given->boxes);
    if (!status)
        status = fill_list(job, given, fill_boxes(job, given, &numbers));
    if (!status && job->components)
        status =
            clump_extract_upload(job, given->boxes,
                                 job->components * BOX_WORDS * sizeof *given->boxes, &job->boxes);
    free(given->list);
    free(given->boxes);
    free(numbers.before);
    free(numbers.bits);
    return status;
}

static enum clump_status unmap(struct extract_job *job, cl_mem buffer, const void *memory,
                               enum clump_status status)
{
    if (!memory)
        return status;
    enum clump_status unmapped = clump_buffer_unmap(job->context, buffer, (void *)memory);
    return status ? status : unmapped;
}

enum clump_status clump_extract_given(struct extract_job *job, const clump_image *good)
{
    const clump_image *numbers = job->params->segmentation, *seen = good ? good : job->image;
    struct given given = {.image = !good};
    void *all = NULL, *pixels = NULL, *labels = NULL;
    clump_context *context = job->context;
    enum clump_status status =
        clump_image_create(context, CLUMP_I32, numbers->rows, numbers->cols, &job->labels);
    if (!status)
        status = clump_buffer_map(context, numbers->buffer, CLUMP_IMAGE_READ, numbers->bytes, &all);
    if (!status)
        status = clump_buffer_map(context, seen->buffer, CLUMP_IMAGE_READ, seen->bytes, &pixels);
    if (!status)
        status = clump_buffer_map(context, job->labels->buffer, CLUMP_IMAGE_WRITE,
                                  job->labels->bytes, &labels);
    given.numbers = all;
    given.good = pixels;
    given.labels = labels;
    if (!status)
        status = make_all(job, &given);
    status = unmap(job, job->labels ? job->labels->buffer : NULL, labels, status);
    status = unmap(job, seen->buffer, pixels, status);
    return unmap(job, numbers->buffer, all, status);
}
