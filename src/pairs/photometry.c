/* SPDX-License-Identifier: MIT */
#include "pair.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT 40

static double uniform(uint64_t *state) { return (double)(pair_random(state) >> 11) * 0x1p-53; }

/* Apertures of every kind in and about the image, some of which make no sense. */
static void make_apertures(const struct pair_case *test, struct clump_aperture *apertures)
{
    uint64_t state = test->seed + 99;
    double cols = (double)test->cols, rows = (double)test->rows;
    for (int i = 0; i < COUNT; i++) {
        struct clump_aperture *a = &apertures[i];
        *a = (struct clump_aperture){.a = 1, .b = 1, .outer = 6 * uniform(&state)};
        a->x = uniform(&state) * (cols + 8) - 4;
        a->y = uniform(&state) * (rows + 8) - 4;
        a->id = (int64_t)(pair_random(&state) % 7) - 2;
        if (i % 3 == 1) {
            a->a = 0.3 + 5 * uniform(&state);
            a->b = 0.3 + 3 * uniform(&state);
            a->theta = 8 * uniform(&state) - 4;
            a->outer /= 2;
        }
        if (i % 4 == 2)
            a->inner = a->outer * uniform(&state);
        if (i % 5 == 3) { /* on a pixel, or on a corner */
            a->x = floor(a->x) + (i % 2) * 0.5;
            a->y = floor(a->y) + (i % 2) * 0.5;
        }
    }
    apertures[5].outer = 0;
    apertures[6].b = 0;
    apertures[7].outer = -1;
    apertures[8].x = (double)NAN;
    apertures[9].outer = fmin(cols + rows, 150);
    apertures[10].x = 1e18;
    apertures[11].inner = apertures[11].outer + 1;
}

/* A mask, a segmentation and errors, by seed. */
static enum clump_status make_images(clump_context *context, const struct pair_case *test,
                                     struct pair_input *in)
{
    const enum clump_type types[3] = {CLUMP_U8, test->seed % 2 ? CLUMP_I32 : CLUMP_U32,
                                      test->seed % 3 ? CLUMP_F32 : CLUMP_F64};
    uint64_t state = test->seed + 5, n = test->rows * test->cols;
    enum clump_status status = CLUMP_OK;
    for (int k = 0; k < 3 && !status; k++) {
        void *pixels;
        status = clump_image_create(context, types[k], test->rows, test->cols, &in->extra[k]);
        if (!status)
            status = clump_image_map(in->extra[k], CLUMP_IMAGE_WRITE, &pixels);
        for (uint64_t i = 0; i < n && !status; i++) {
            uint64_t bits = pair_random(&state);
            if (k == 0)
                ((uint8_t *)pixels)[i] = bits % 9 == 0 || (test->seed % 4 == 3 && i < n / 2);
            else if (k == 1)
                ((uint32_t *)pixels)[i] = bits % 4 ? 0 : (uint32_t)(bits >> 20) % 5;
            else if (types[k] == CLUMP_F32)
                ((float *)pixels)[i] = (float)(bits % 1000) * 0.01f;
            else
                ((double *)pixels)[i] = (double)(bits % 1000) * 0.01;
        }
        if (!status)
            status = clump_image_unmap(in->extra[k]);
    }
    return status;
}

static struct clump_photometry_params params_of(const struct pair_case *test,
                                                const struct pair_input *in)
{
    struct clump_photometry_params params = clump_photometry_defaults;
    params.subpix = test->seed % 2 ? 5 : test->seed % 4 ? 11 : (unsigned)test->seed % 7 + 1;
    params.mask = in->extra[0];
    params.segmentation = in->extra[1];
    params.error_map = in->extra[2];
    params.variance = test->seed % 4 == 1;
    params.error = in->extra[2] ? 0 : 0.5;
    params.gain = test->seed % 3 ? 2.5 : 0;
    params.ignore = test->seed % 5 == 2;
    params.local_inner = test->seed % 2 ? 3 : 0;
    params.local_outer = test->seed % 4 > 1 ? 5 : 0;
    params.local_subpix = test->seed % 3 ? 1 : 0;
    return params;
}

static enum clump_status sum(clump_context *context, const struct pair_case *test,
                             const struct pair_input *in, bool exact, struct pair_output *out)
{
    struct clump_aperture apertures[COUNT];
    struct clump_flux fluxes[COUNT];
    struct clump_photometry_params params = params_of(test, in);
    params.subpix = exact ? 0 : params.subpix;
    make_apertures(test, apertures);
    enum clump_status status =
        clump_photometry_sum(context, in->image, COUNT, apertures, &params, fluxes);
    if (status)
        return status;
    double *figures = pair_memory(5 * COUNT * sizeof *figures);
    for (int i = 0; i < COUNT; i++) {
        figures[5 * i] = fluxes[i].sum;
        figures[5 * i + 1] = fluxes[i].error;
        figures[5 * i + 2] = fluxes[i].area;
        figures[5 * i + 3] = fluxes[i].background;
        figures[5 * i + 4] = fluxes[i].flags;
    }
    pair_add_list(out, "sum, error, area, background, flags", figures, 5 * COUNT);
    return CLUMP_OK;
}

static enum clump_status run(clump_context *context, const struct pair_case *test,
                             const struct pair_input *in, struct pair_output *out)
{
    return sum(context, test, in, false, out);
}

static enum clump_status run_exact(clump_context *context, const struct pair_case *test,
                                   const struct pair_input *in, struct pair_output *out)
{
    return sum(context, test, in, true, out);
}

static enum clump_status run_kron(clump_context *context, const struct pair_case *test,
                                  const struct pair_input *in, struct pair_output *out)
{
    struct clump_aperture apertures[COUNT];
    struct clump_kron radii[COUNT];
    struct clump_photometry_params params = params_of(test, in);
    make_apertures(test, apertures);
    enum clump_status status =
        clump_photometry_kron(context, in->image, COUNT, apertures, &params, radii);
    if (status)
        return status;
    double *figures = pair_memory(2 * COUNT * sizeof *figures);
    for (int i = 0; i < COUNT; i++) {
        figures[2 * i] = radii[i].radius;
        figures[2 * i + 1] = radii[i].flags;
    }
    pair_add_list(out, "radius, flags", figures, 2 * COUNT);
    return CLUMP_OK;
}

static enum clump_status run_radius(clump_context *context, const struct pair_case *test,
                                    const struct pair_input *in, struct pair_output *out)
{
    const double fractions[] = {0.5, 0.1, 0.9, 1.5, -1};
    struct clump_aperture apertures[COUNT];
    double totals[COUNT];
    uint32_t flags[COUNT];
    struct clump_photometry_params params = params_of(test, in);
    make_apertures(test, apertures);
    for (int i = 0; i < COUNT; i++)
        totals[i] = i;
    double *figures = pair_memory(6 * COUNT * sizeof *figures);
    enum clump_status status = clump_photometry_radius(context, in->image, COUNT, apertures,
                                                       test->seed % 3 ? NULL : totals, fractions, 5,
                                                       &params, figures, flags);
    for (int i = 0; i < COUNT && !status; i++)
        figures[5 * COUNT + i] = flags[i];
    pair_add_list(out, "radii, flags", figures, status ? 0 : 6 * COUNT);
    return status;
}

static enum clump_status run_window(clump_context *context, const struct pair_case *test,
                                    const struct pair_input *in, struct pair_output *out)
{
    struct clump_aperture apertures[COUNT];
    struct clump_window places[COUNT];
    struct clump_photometry_params params = params_of(test, in);
    params.subpix = test->seed % 3 == 1 ? 0 : params.subpix;
    make_apertures(test, apertures);
    apertures[9].outer = 10;
    enum clump_status status =
        clump_photometry_window(context, in->image, COUNT, apertures, &params, places);
    if (status)
        return status;
    double *figures = pair_memory(4 * COUNT * sizeof *figures);
    for (int i = 0; i < COUNT; i++) {
        figures[4 * i] = places[i].x;
        figures[4 * i + 1] = places[i].y;
        figures[4 * i + 2] = places[i].iterations;
        figures[4 * i + 3] = places[i].flags;
    }
    pair_add_list(out, "x, y, iterations, flags", figures, 4 * COUNT);
    return CLUMP_OK;
}

/* Gaussians, free or with the shape of the aperture; some apertures make no sense. */
static enum clump_status run_gauss(clump_context *context, const struct pair_case *test,
                                   const struct pair_input *in, struct pair_output *out)
{
    struct clump_aperture apertures[COUNT];
    struct clump_gauss fits[COUNT];
    struct clump_photometry_params params = params_of(test, in);
    make_apertures(test, apertures);
    enum clump_status status = clump_photometry_gauss(context, in->image, COUNT, apertures,
                                                      test->seed % 3 == 1, &params, fits);
    if (status)
        return status;
    double *figures = pair_memory(13 * COUNT * sizeof *figures);
    for (int i = 0; i < COUNT; i++) {
        const struct clump_gauss *f = &fits[i];
        const double all[13] = {f->height,
                                f->x,
                                f->y,
                                f->cxx,
                                f->cyy,
                                f->cxy,
                                f->a,
                                f->b,
                                f->theta,
                                f->residual,
                                (double)f->pixels,
                                f->rounds,
                                f->flags};
        memcpy(figures + 13 * i, all, sizeof all);
    }
    pair_add_list(out, "gaussians", figures, 13 * COUNT);
    return CLUMP_OK;
}

/* Circles at every 16th pixel of every 16th row, from the 8th on. */
static enum clump_status run_circles(clump_context *context, const struct pair_case *test,
                                     const struct pair_input *in, struct pair_output *out)
{
    uint64_t high = (test->rows + 7) / 16, wide = (test->cols + 7) / 16, count = high * wide;
    struct clump_aperture *apertures = pair_memory((count + 1) * sizeof *apertures);
    struct clump_flux *fluxes = pair_memory((count + 1) * sizeof *fluxes);
    double *sums = pair_memory((count + 1) * sizeof *sums);
    for (uint64_t i = 0; i < count; i++)
        apertures[i] = (struct clump_aperture){.x = 8.25 + 16 * (double)(i % wide),
                                               .y = 8.25 + 16 * (double)(i / wide),
                                               .a = 1,
                                               .b = 1,
                                               .outer = 5};
    enum clump_status status =
        clump_photometry_sum(context, in->image, count, apertures, NULL, fluxes);
    for (uint64_t i = 0; i < count && !status; i++)
        sums[i] = fluxes[i].sum;
    pair_add_list(out, "sum", sums, status ? 0 : count);
    free(fluxes);
    free(apertures);
    return status;
}

#define PHOTOMETRY(pair_name, pixel_types, images, runner)                                         \
    const struct pair pair_photometry_##pair_name = {                                              \
        .name = "photometry_" #pair_name,                                                          \
        .operation = "photometry",                                                                 \
        .types = pixel_types,                                                                      \
        .picture = pair_picture_sky,                                                               \
        .prepare = images,                                                                         \
        .run = runner,                                                                             \
        .fp64 = true,                                                                              \
    }

PHOTOMETRY(sum, PAIR_NUMBERS, NULL, run);
PHOTOMETRY(circles, 1u << CLUMP_F32, NULL, run_circles);
PHOTOMETRY(exact, PAIR_FLOATS, NULL, run_exact);
PHOTOMETRY(masked, PAIR_FLOATS, make_images, run);
PHOTOMETRY(kron, PAIR_FLOATS, make_images, run_kron);
PHOTOMETRY(radius, PAIR_FLOATS, make_images, run_radius);
PHOTOMETRY(window, PAIR_FLOATS, make_images, run_window);
PHOTOMETRY(gauss, PAIR_FLOATS, make_images, run_gauss);
