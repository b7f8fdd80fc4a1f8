/* SPDX-License-Identifier: MIT */
/* Figures of objects, from the sums that the device made. */
#include "opencl/extract/extract.h"
#include "opencl/core/int128.h"

#include <math.h>
#include <stdlib.h>

/* SExtractor considers an object too thin where the determinant of its moments is below THIN,
 * 1/144; it then adds the moment of a pixel, 1/12: PIXEL to the moments, THIN_ERROR to those of
 * errors. */
#define THIN       0.00694
#define PIXEL      0.0833333
#define THIN_ERROR 0.08333

/* Rounds to F32. Not inlined: gcc 12 leaves the rounding out where it makes one vector of two such
 * numbers that become doubles again. */
__attribute__((noinline)) static float single(double value) { return (float)value; }

/* A sum of 128 bits as a double. */
static double real(const uint64_t *sums, enum extract_moment moment)
{
    const uint64_t *halves = sums + 2 * moment;
    return (double)(int128)((uint128)halves[1] << 64 | halves[0]);
}

/* Centre and second moments about it. `centre` NULL: that of the light. */
static void set_moments(const struct extract_sums *sums, const double *centre,
                        struct clump_object *object, double place[2])
{
    double total = real(sums->light, MOMENT_1);
    double xm = real(sums->light, MOMENT_X) / total, ym = real(sums->light, MOMENT_Y) / total;
    double x = centre ? centre[0] - (double)object->xmin : xm;
    double y = centre ? centre[1] - (double)object->ymin : ym;
    object->x = centre ? centre[0] : (double)object->xmin + xm;
    object->y = centre ? centre[1] : (double)object->ymin + ym;
    object->x2 = real(sums->light, MOMENT_XX) / total + x * x - 2 * xm * x;
    object->y2 = real(sums->light, MOMENT_YY) / total + y * y - 2 * ym * y;
    object->xy = real(sums->light, MOMENT_XY) / total + x * y - xm * y - x * ym;
    place[0] = x;
    place[1] = y;
}

/* Variances of the centre and of the flux; thin objects get the moments of a pixel. */
static void set_errors(const struct extract_sums *sums, const double place[2],
                       struct clump_object *object)
{
    double unit = ldexp(1, sums->variance_exponent - EXTRACT_BITS);
    double square = object->cflux * object->cflux, x = place[0], y = place[1];
    double q = real(sums->variances, MOMENT_1), qx = real(sums->variances, MOMENT_X),
           qy = real(sums->variances, MOMENT_Y);
    double xx = real(sums->variances, MOMENT_XX) - 2 * x * qx + x * x * q;
    double yy = real(sums->variances, MOMENT_YY) - 2 * y * qy + y * y * q;
    double xy = real(sums->variances, MOMENT_XY) - x * qy - y * qx + x * y * q;
    object->errx2 = fmax(xx, 0) * unit / square;
    object->erry2 = fmax(yy, 0) * unit / square;
    object->errxy = xy * unit / square;
    object->fluxerr = sqrt(q * unit);
    object->snr = object->fluxerr > 0 ? object->flux / object->fluxerr : NAN;
    if (!(object->x2 * object->y2 - object->xy * object->xy < THIN))
        return;
    object->flag |= CLUMP_OBJECT_SINGULAR;
    object->x2 += PIXEL;
    object->y2 += PIXEL;
    double least = THIN_ERROR * (q * unit) / square;
    if (object->errx2 * object->erry2 - object->errxy * object->errxy < least * least) {
        object->errx2 += least;
        object->erry2 += least;
    }
}

static void set_ellipse(struct clump_object *object)
{
    double x2 = object->x2, y2 = object->y2, xy = object->xy, det = x2 * y2 - xy * xy;
    double half = 0.5 * (x2 - y2), middle = 0.5 * (x2 + y2), root = sqrt(half * half + xy * xy);
    object->a = single(sqrt(middle + root));
    object->b = single(sqrt(middle - root));
    object->theta = x2 == y2 ? M_PI / 4 : 0.5 * atan2(2 * xy, x2 - y2);
    object->cxx = single(y2 / det);
    object->cyy = single(x2 / det);
    object->cxy = single(-2 * xy / det);
}

/* How much of a Gaussian's area the isophote shows. */
static float correction(const struct extract_sums *sums, float thresh,
                        const struct clump_object *object)
{
    float middle = (thresh + sums->peak) / 2;
    int64_t more = (int64_t)sums->higher - (int64_t)sums->above;
    double ratio = (double)thresh / middle;
    if (!(ratio > 0))
        return 1;
    double found = (double)(more < 0 ? more : -1) /
                   (2 * M_PI * log(ratio < 1 ? ratio : 0.99) * object->a * object->b);
    return found < 1 ? (float)found : 1;
}

static void set_figure(const struct extract_job *job, const struct extract_item *item,
                       const struct extract_sums *sums, const double *centre,
                       struct extract_figure *figure)
{
    uint32_t cols = job->view.cols;
    double place[2];
    struct clump_object *object = &figure->object;
    *object = (struct clump_object){
        .thresh = item->thresh,
        .npix = item->count,
        .tnpix = sums->above,
        .xmin = sums->left,
        .xmax = sums->right,
        .ymin = sums->top,
        .ymax = sums->bottom,
        .cflux = single(ldexp((double)(int64_t)sums->c, sums->c_exponent - EXTRACT_BITS)),
        .flux = single(ldexp((double)(int64_t)sums->v, sums->v_exponent - EXTRACT_BITS)),
        .cpeak = sums->cpeak,
        .peak = sums->peak,
        .xcpeak = sums->cpeak_at % cols,
        .ycpeak = sums->cpeak_at / cols,
        .xpeak = sums->peak_at % cols,
        .ypeak = sums->peak_at / cols,
        .flag = sums->saturated ? CLUMP_OBJECT_SATURATED : 0,
    };
    if (!sums->left || !sums->top || sums->right + 1 == cols || sums->bottom + 1 == job->view.rows)
        object->flag |= CLUMP_OBJECT_TRUNCATED;
    set_moments(sums, centre, object, place);
    set_errors(sums, place, object);
    set_ellipse(object);
    figure->abcor = correction(sums, item->thresh, object);
    figure->mthresh = sums->mthresh;
}

enum clump_status clump_extract_figures(struct extract_job *job, const struct extract_item *items,
                                        uint32_t count, cl_mem list, const double *const *centres,
                                        struct extract_figure *figures)
{
    clump_context *context = job->context;
    const clump_image *saturated = job->params->saturated;
    uint32_t flagged = saturated != NULL;
    cl_kernel kernel;
    cl_mem buffer = NULL, heights = NULL, sums = NULL;
    size_t bytes = count * sizeof(struct extract_sums);
    void *mapped;
    enum clump_status status =
        clump_kernel(context, "extract/measure", job->options, "extract_measure", &kernel);
    if (!status)
        status = clump_extract_upload(job, items, count * sizeof *items, &buffer);
    if (!status)
        status = clump_buffer_borrow(context, job->pixels * sizeof(float), &heights);
    if (!status)
        status = clump_buffer_borrow(context, bytes, &sums);
    if (!status)
        status =
            clump_extract_launch(job, kernel, count,
                                 CLUMP_ARGS(CLUMP_ARG_IMAGE(job->image), CLUMP_ARG_IMAGE(job->c),
                                            CLUMP_ARG_IMAGE(clump_extract_noise(job)),
                                            CLUMP_ARG_IMAGE(saturated ? saturated : job->image),
                                            CLUMP_ARG(flagged), CLUMP_ARG(job->view),
                                            CLUMP_ARG(buffer), CLUMP_ARG(count), CLUMP_ARG(list),
                                            CLUMP_ARG(heights), CLUMP_ARG(sums)));
    if (!status)
        status = clump_buffer_map(context, sums, CLUMP_IMAGE_READ, bytes, &mapped);
    if (!status) {
        const struct extract_sums *all = mapped;
        for (uint32_t i = 0; i < count; i++)
            set_figure(job, &items[i], &all[i], centres ? centres[i] : NULL, &figures[i]);
        status = clump_buffer_unmap(context, sums, mapped);
    }
    clump_buffer_return(context, &sums);
    clump_buffer_return(context, &heights);
    clump_buffer_return(context, &buffer);
    return status;
}
