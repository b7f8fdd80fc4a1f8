/* SPDX-License-Identifier: MIT */
/* The figures of an object: docs/extract.md, "Measurements". */
#include "reference/extract.h"
#include "reference/big.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* SExtractor considers an object too thin where the determinant of its moments is below THIN,
 * 1/144; it then adds the moment of a pixel, 1/12: PIXEL to the moments, THIN_ERROR to those of
 * errors. */
#define THIN       0.00694
#define PIXEL      0.0833333
#define THIN_ERROR 0.08333

typedef clump_int128 wide;

/* Rounds to F32. Not inlined: gcc 12 leaves the rounding out where it makes one vector of two such
 * numbers that become doubles again. */
__attribute__((noinline)) static float single(double value) { return (float)value; }

/* Sums of whole numbers over the object: alone, times X, Y, X^2, Y^2 and X Y. */
struct moments {
    wide sum, x, y, xx, yy, xy;
};

float extract_threshold(const struct scene *scene, uint64_t i)
{
    if (scene->sigma)
        return scene->low * scene->sigma[i];
    return scene->params->noise > 0 ? scene->low * (float)scene->params->noise : scene->low;
}

double extract_variance(const struct scene *scene, uint64_t i)
{
    double noise = scene->sigma ? scene->sigma[i] : (float)scene->params->noise;
    double gain = scene->params->gain, c = scene->c[i];
    return noise * noise + (gain > 0 && c > 0 ? c / gain : 0);
}

double extract_scale(double magnitude)
{
    int exponent = 0;
    if (magnitude > 0)
        frexp(magnitude, &exponent);
    return ldexp(1, 30 - exponent);
}

float extract_sum(const struct scene *scene, const struct places *places, double scale)
{
    wide sum = 0;
    for (uint64_t i = 0; i < places->count; i++)
        sum += (wide)rint(scene->c[places->at[i]] * scale);
    return (float)((double)sum / scale);
}

static void add(struct moments *moments, int64_t k, uint64_t x, uint64_t y)
{
    moments->sum += k;
    moments->x += (wide)k * x;
    moments->y += (wide)k * y;
    moments->xx += (wide)k * x * x;
    moments->yy += (wide)k * y * y;
    moments->xy += (wide)k * x * y;
}

/* Sets the box, the peaks and the flags of where the pixels are. */
static void find_box(const struct scene *scene, const struct places *places,
                     struct clump_object *object)
{
    object->xmin = object->ymin = UINT64_MAX;
    object->cpeak = object->peak = -INFINITY;
    for (uint64_t i = 0; i < places->count; i++) {
        uint64_t at = places->at[i], x = at % scene->cols, y = at / scene->cols;
        object->xmin = x < object->xmin ? x : object->xmin;
        object->xmax = x > object->xmax ? x : object->xmax;
        object->ymin = y < object->ymin ? y : object->ymin;
        object->ymax = y > object->ymax ? y : object->ymax;
        if (scene->c[at] > object->cpeak) {
            object->cpeak = scene->c[at];
            object->xcpeak = x;
            object->ycpeak = y;
        }
        if (scene->v[at] > object->peak) {
            object->peak = scene->v[at];
            object->xpeak = x;
            object->ypeak = y;
        }
        const clump_image *saturated = scene->params->saturated;
        if (saturated &&
            (((const uint32_t *)saturated->pixels)[y * clump_row_words(scene->cols) + x / 32] >>
                 (x % 32) &
             1))
            object->flag |= CLUMP_OBJECT_SATURATED;
    }
    if (!object->xmin || !object->ymin || object->xmax + 1 == scene->cols ||
        object->ymax + 1 == scene->rows)
        object->flag |= CLUMP_OBJECT_TRUNCATED;
}

/* Sums c where it is positive, or ones where it nowhere is; returns the scale of the sums. */
static void sum_light(const struct scene *scene, const struct places *places,
                      struct clump_object *object, struct moments *light)
{
    double most = 0, most_v = 0;
    wide flux = 0;
    for (uint64_t i = 0; i < places->count; i++) {
        most = fmax(most, fabsf(scene->c[places->at[i]]));
        most_v = fmax(most_v, fabsf(scene->v[places->at[i]]));
    }
    double scale = extract_scale(most), scale_v = extract_scale(most_v);
    for (uint64_t i = 0; i < places->count; i++) {
        uint64_t at = places->at[i];
        int64_t k = (int64_t)rint(scene->c[at] * scale);
        flux += (wide)rint(scene->v[at] * scale_v);
        add(light, k > 0 ? k : 0, at % scene->cols - object->xmin, at / scene->cols - object->ymin);
    }
    for (uint64_t i = 0; !(object->cpeak > 0) && i < places->count; i++)
        add(light, 1, places->at[i] % scene->cols - object->xmin,
            places->at[i] / scene->cols - object->ymin);
    object->cflux = extract_sum(scene, places, scale);
    object->flux = single((double)flux / scale_v);
}

/* Sums variances; returns their scale. */
static double sum_variances(const struct scene *scene, const struct places *places,
                            const struct clump_object *object, struct moments *variances)
{
    double most = 0;
    for (uint64_t i = 0; i < places->count; i++)
        most = fmax(most, extract_variance(scene, places->at[i]));
    double scale = extract_scale(most);
    for (uint64_t i = 0; i < places->count; i++) {
        uint64_t at = places->at[i];
        add(variances, (int64_t)rint(extract_variance(scene, at) * scale),
            at % scene->cols - object->xmin, at / scene->cols - object->ymin);
    }
    return scale;
}

/* Axes, angle and coefficients of the ellipse that has the moments. */
static void set_ellipse(struct clump_object *object)
{
    double det = object->x2 * object->y2 - object->xy * object->xy;
    double half = 0.5 * (object->x2 - object->y2), middle = 0.5 * (object->x2 + object->y2);
    double root = sqrt(half * half + object->xy * object->xy);
    object->a = single(sqrt(middle + root));
    object->b = single(sqrt(middle - root));
    object->theta =
        object->x2 == object->y2 ? M_PI / 4 : 0.5 * atan2(2 * object->xy, object->x2 - object->y2);
    object->cxx = single(object->y2 / det);
    object->cyy = single(object->x2 / det);
    object->cxy = single(-2 * object->xy / det);
}

/* Centre and second moments, with their errors. */
static void set_shape(const struct moments *light, const struct moments *variances, double scale,
                      const double *centre, struct clump_object *object)
{
    double sum = (double)light->sum, total = (double)variances->sum / scale;
    double area = object->cflux * object->cflux;
    double xm = (double)light->x / sum, ym = (double)light->y / sum, xc = xm, yc = ym;
    if (centre) {
        xc = centre[0] - (double)object->xmin;
        yc = centre[1] - (double)object->ymin;
    }
    object->x = centre ? centre[0] : (double)object->xmin + xm;
    object->y = centre ? centre[1] : (double)object->ymin + ym;
    object->x2 = (double)light->xx / sum + xc * xc - 2 * xm * xc;
    object->y2 = (double)light->yy / sum + yc * yc - 2 * ym * yc;
    object->xy = (double)light->xy / sum + xc * yc - xm * yc - xc * ym;
    double vx = (double)variances->x, vy = (double)variances->y, v = (double)variances->sum;
    double exx = (double)variances->xx - 2 * xc * vx + xc * xc * v;
    double eyy = (double)variances->yy - 2 * yc * vy + yc * yc * v;
    double exy = (double)variances->xy - xc * vy - yc * vx + xc * yc * v;
    object->errx2 = fmax(exx, 0) / scale / area;
    object->erry2 = fmax(eyy, 0) / scale / area;
    object->errxy = exy / scale / area;
    if (object->x2 * object->y2 - object->xy * object->xy < THIN) {
        object->x2 += PIXEL;
        object->y2 += PIXEL;
        object->flag |= CLUMP_OBJECT_SINGULAR;
        double least = THIN_ERROR * total / area;
        if (object->errx2 * object->erry2 - object->errxy * object->errxy < least * least) {
            object->errx2 += least;
            object->erry2 += least;
        }
    }
    object->fluxerr = sqrt(total);
    object->snr = object->fluxerr > 0 ? object->flux / object->fluxerr : NAN;
}

/* Counts pixels above the threshold and above the middle between it and the peak: their ratio shows
 * how much of a Gaussian's area lies within the isophote. */
static float correction(const struct scene *scene, const struct places *places, float thresh,
                        struct clump_object *object)
{
    float peak = (float)object->peak, middle = (thresh + peak) / 2;
    int64_t above = 0, higher = 0;
    for (uint64_t i = 0; i < places->count; i++) {
        above += scene->v[places->at[i]] > thresh;
        higher += scene->v[places->at[i]] > middle;
    }
    object->tnpix = (uint64_t)above;
    double ratio = (double)thresh / middle;
    if (!(ratio > 0))
        return 1;
    double found = (double)(higher < above ? higher - above : -1) /
                   (2 * M_PI * log(ratio < 1 ? ratio : 0.99) * object->a * object->b);
    return found < 1 ? (float)found : 1;
}

static int rising(const void *left, const void *right)
{
    float a = *(const float *)left, b = *(const float *)right;
    return (a > b) - (a < b);
}

/* Lets h[0] sink as SExtractor's heap does: after a swap it goes on one place beyond. */
static void sink(float *h, uint64_t count)
{
    for (uint64_t j = 0; 2 * j + 1 < count;) {
        uint64_t son = 2 * j + 1;
        if (son + 1 < count && h[son + 1] < h[son])
            son++;
        if (h[j] <= h[son])
            return;
        float swap = h[j];
        h[j] = h[son];
        h[son] = swap;
        j = son + 1;
    }
}

/* SExtractor's height that the wings of another object must reach. It is near the min_area-th
 * largest of c - t; docs/extract.md, "Cleaning", tells why not exactly that. */
static float eating_height(const struct scene *scene, const struct places *places)
{
    uint64_t wanted = scene->params->min_area, count = places->count;
    if (count < wanted)
        return 0;
    float *e = scene->heights;
    for (uint64_t i = 0; i < count; i++)
        e[i] = scene->c[places->at[i]] - extract_threshold(scene, places->at[i]);
    if (count > wanted)
        qsort(e, wanted, sizeof *e, rising);
    for (uint64_t i = wanted + 1; i < count; i++)
        if (e[i] > e[0]) {
            e[0] = e[i];
            sink(e, wanted);
        }
    return e[0];
}

void extract_measure(const struct scene *scene, float thresh, const double *centre,
                     struct blob *blob)
{
    struct clump_object *object = &blob->object;
    struct moments light = {0}, variances = {0};
    *object = (struct clump_object){.thresh = thresh, .npix = blob->places.count};
    find_box(scene, &blob->places, object);
    sum_light(scene, &blob->places, object, &light);
    double scale = sum_variances(scene, &blob->places, object, &variances);
    set_shape(&light, &variances, scale, centre, object);
    set_ellipse(object);
    blob->abcor = correction(scene, &blob->places, thresh, object);
    blob->mthresh = eating_height(scene, &blob->places);
}
