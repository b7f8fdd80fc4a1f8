/* SPDX-License-Identifier: MIT */
#include "sample.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOISE      0.0133 /* standard deviation of the field's background, Jy/beam */
#define BEAM_MAJOR 2.3    /* standard deviations of the beam in pixels */
#define BEAM_MINOR 1.9
#define FWHM       2.3548200450309493
#define PIXEL      (4.0 / 3600) /* degrees */
#define LEAST_PEAK 8.0          /* of a source, in standard deviations of the noise */
#define MOST_TRIES 100000

static uint64_t state;

/* Sebastiano Vigna's splitmix64. */
static uint64_t random_bits(void)
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static double uniform(double low, double high)
{
    return low + (high - low) * ((double)(random_bits() >> 11) * 0x1p-53);
}

/* ln x for x > 0: x = m * 2^e, ln m = 2 artanh((m - 1) / (m + 1)) by its series. */
static double plain_log(double x)
{
    int e;
    double m = frexp(x, &e), z = (m - 1) / (m + 1), power = z, sum = 0;
    for (int k = 1; k < 60; k += 2, power *= z * z)
        sum += power / k;
    return 2 * sum + e * 0.6931471805599453;
}

/* e^x for x <= 0, by the series of x / 1024 and ten squarings. */
static double plain_exp(double x)
{
    if (x < -700)
        return 0;
    double y = x / 1024, term = 1, sum = 1;
    for (int k = 1; k < 12; k++) {
        term *= y / k;
        sum += term;
    }
    for (int k = 0; k < 10; k++)
        sum *= sum;
    return sum;
}

/* A normal deviate, by Marsaglia's polar method. */
static double normal(void)
{
    double u, s;
    do {
        u = uniform(-1, 1);
        double v = uniform(-1, 1);
        s = u * u + v * v;
    } while (s >= 1 || s == 0);
    return u * sqrt(-2 * plain_log(s) / s);
}

/* A direction as (cosine, sine), without trigonometry. */
static void direction(double *c, double *s)
{
    double x, y, r;
    do {
        x = uniform(-1, 1);
        y = uniform(-1, 1);
        r = x * x + y * y;
    } while (r > 1 || r < 0.01);
    *c = x / sqrt(r);
    *s = y / sqrt(r);
}

static double profile(const struct sample_thing *thing, double x, double y)
{
    double dx = x - thing->x, dy = y - thing->y;
    double u = dx * thing->c + dy * thing->s, v = dy * thing->c - dx * thing->s;
    if (thing->kind == SAMPLE_SHELL) {
        double off = (sqrt(dx * dx + dy * dy) - thing->major) / thing->minor;
        return thing->peak * plain_exp(-off * off / 2);
    }
    u /= thing->major;
    v /= thing->minor;
    return thing->peak * plain_exp(-(u * u + v * v) / 2);
}

enum room { ROOM, TOO_LARGE, NO_ROOM };

/* Puts it where it touches no other and lies wholly inside. */
static enum room place(struct sample_thing *things, size_t count, struct sample_thing *thing,
                       double size, double gap)
{
    if (2 * (thing->reach + gap) >= size)
        return TOO_LARGE;
    for (int try = 0; try < MOST_TRIES; try++) {
        thing->x = uniform(thing->reach + gap, size - 1 - thing->reach - gap);
        thing->y = uniform(thing->reach + gap, size - 1 - thing->reach - gap);
        bool free_place = true;
        for (size_t i = 0; i < count && free_place; i++) {
            double dx = thing->x - things[i].x, dy = thing->y - things[i].y;
            double apart = thing->reach + things[i].reach + gap;
            free_place = dx * dx + dy * dy > apart * apart;
        }
        if (free_place)
            return ROOM;
    }
    return NO_ROOM;
}

static struct sample_thing make_source(size_t number, size_t sources)
{
    struct sample_thing source = {.kind = SAMPLE_POINT, .major = BEAM_MAJOR, .minor = BEAM_MINOR};
    source.c = 0.5; /* 30 degrees from up to the right: as east is left, a position angle of 150,
                     * and not the 30 of BPA, which mirrors it */
    source.s = 0.8660254037844386;
    source.peak = LEAST_PEAK * NOISE / uniform(0.03, 1);
    if (number * 20 < sources) {
        source.kind = number % 3 == 2 ? SAMPLE_SHELL : SAMPLE_EXTENDED;
        direction(&source.c, &source.s);
        source.peak = uniform(0.6, 2.5);
        source.minor = uniform(3, 4.5);
        source.major = source.minor * uniform(1, 1.6);
        if (source.kind == SAMPLE_SHELL) {
            source.peak = uniform(0.3, 0.6);
            source.major = uniform(12, 20);
        }
    }
    double sigmas = sqrt(2 * plain_log(source.peak / (NOISE * 2)));
    source.reach =
        source.kind == SAMPLE_SHELL ? source.major + sigmas * source.minor : sigmas * source.major;
    return source;
}

static void add(double *pixels, long size, struct sample_thing *thing)
{
    double far =
        (thing->kind == SAMPLE_SHELL ? thing->major + 6 * thing->minor : 6 * thing->major) + 1;
    long left = (long)(thing->x - far), right = (long)(thing->x + far);
    long bottom = (long)(thing->y - far), top = (long)(thing->y + far);
    for (long y = bottom < 0 ? 0 : bottom; y <= top && y < size; y++)
        for (long x = left < 0 ? 0 : left; x <= right && x < size; x++) {
            double value = profile(thing, (double)x, (double)y);
            pixels[y * size + x] += value;
            thing->flux += value;
        }
}

/* Smooths along one axis by 1 4 6 4 1, borders repeated; `step` is the axis's stride. */
static void smooth(double *pixels, double *line, long size, long step, long other)
{
    for (long i = 0; i < size; i++) {
        double *start = pixels + i * other;
        for (long k = -2; k < size + 2; k++)
            line[k + 2] = start[(k < 0 ? 0 : k >= size ? size - 1 : k) * step];
        for (long k = 0; k < size; k++)
            start[k * step] =
                (line[k] + 4 * line[k + 1] + 6 * line[k + 2] + 4 * line[k + 3] + line[k + 4]) / 16;
    }
}

/* Noise of the given deviation, smooth over a few pixels as an interferometer's is. */
static bool fill_noise(double *pixels, long size, double deviation)
{
    double *line = malloc((size_t)(size + 4) * sizeof *line);
    if (!line)
        return false;
    for (long i = 0; i < size * size; i++)
        pixels[i] = normal() * deviation / (70.0 / 256); /* what the smoothing leaves */
    smooth(pixels, line, size, 1, size);
    smooth(pixels, line, size, size, 1);
    free(line);
    return true;
}

/* A cell: flat inside, its edge soft over two pixels. */
static void add_cell(double *pixels, long size, struct sample_thing *cell)
{
    double far = cell->major * (1 + 2 / cell->minor) + 1;
    long left = (long)(cell->x - far), right = (long)(cell->x + far);
    long bottom = (long)(cell->y - far), top = (long)(cell->y + far);
    for (long y = bottom < 0 ? 0 : bottom; y <= top && y < size; y++)
        for (long x = left < 0 ? 0 : left; x <= right && x < size; x++) {
            double dx = (double)x - cell->x, dy = (double)y - cell->y;
            double u = (dx * cell->c + dy * cell->s) / cell->major;
            double v = (dy * cell->c - dx * cell->s) / cell->minor;
            double inside = (1 - sqrt(u * u + v * v)) * cell->minor / 2;
            double value = cell->peak * (inside <= -1 ? 0 : inside >= 1 ? 1 : (inside + 1) / 2);
            pixels[y * size + x] += value;
            cell->flux += value;
        }
}

static uint8_t level(double value)
{
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value + 0.5);
}

/* A cell without a place yet. */
static struct sample_thing make_cell(void)
{
    struct sample_thing cell = {.kind = SAMPLE_EXTENDED, .peak = uniform(45, 110)};
    direction(&cell.c, &cell.s);
    cell.minor = uniform(20, 38);
    cell.major = cell.minor * uniform(1, 1.4);
    cell.reach = cell.major * 0.86; /* some touch */
    return cell;
}

bool sample_field(double *pixels, long size, size_t count, uint64_t seed,
                  struct sample_thing *things, size_t *placed)
{
    state = seed;
    *placed = 0;
    if (!fill_noise(pixels, size, NOISE))
        return false;
    for (size_t number = 0; number < count; number++) {
        struct sample_thing source = make_source(number, count);
        enum room room = place(things, *placed, &source, (double)size, 4);
        if (room == NO_ROOM)
            break;
        if (room == TOO_LARGE)
            continue;
        things[*placed] = source;
        add(pixels, size, &things[(*placed)++]);
    }
    return true;
}

static void colour(const double *cells, const double *noise, long pixels, uint8_t *rgb)
{
    for (long i = 0; i < pixels; i++) {
        rgb[3 * i] = level(6 + cells[i] / 4);
        rgb[3 * i + 1] = level(12 + cells[i] * (1 + noise[i] / 20) + noise[i]);
        rgb[3 * i + 2] = level(20 - cells[i] / 16);
    }
}

bool sample_cells(uint8_t *rgb, long size, size_t count, uint64_t seed, struct sample_thing *things,
                  size_t *placed)
{
    double *pixels = calloc((size_t)(size * size) * 2, sizeof *pixels);
    double *noise = pixels ? pixels + size * size : NULL;
    state = seed;
    *placed = 0;
    bool good = pixels && fill_noise(noise, size, 1.5);
    for (size_t number = 0; good && number < count; number++) {
        struct sample_thing cell = make_cell();
        enum room room = place(things, *placed, &cell, (double)size, 2);
        if (room == NO_ROOM)
            break;
        if (room == TOO_LARGE)
            continue;
        things[*placed] = cell;
        add_cell(pixels, size, &things[(*placed)++]);
    }
    if (good)
        colour(pixels, noise, size * size, rgb);
    free(pixels);
    return good;
}

const char *sample_kind_text(enum sample_kind kind)
{
    static const char *const names[] = {"point", "extended", "shell"};
    return names[kind];
}

void sample_cards(char *text, size_t room, long size)
{
    double centre = (double)size / 2 + 0.5;
    snprintf(text, room,
             "OBJECT  = 'synthetic field'\n"
             "BUNIT   = 'JY/BEAM '\n"
             "CTYPE1  = 'RA---SIN'\n"
             "CRVAL1  = 266.416800 / degrees\n"
             "CRPIX1  = %.1f\n"
             "CDELT1  = %.12f / degrees\n"
             "CUNIT1  = 'deg     '\n"
             "CTYPE2  = 'DEC--SIN'\n"
             "CRVAL2  = -29.007800 / degrees\n"
             "CRPIX2  = %.1f\n"
             "CDELT2  = %.12f / degrees\n"
             "CUNIT2  = 'deg     '\n"
             "RADESYS = 'ICRS    '\n"
             "BMAJ    = %.12f / degrees\n"
             "BMIN    = %.12f / degrees\n"
             "BPA     = 30.0 / degrees\n",
             centre, -PIXEL, centre, PIXEL, BEAM_MAJOR * FWHM * PIXEL, BEAM_MINOR * FWHM * PIXEL);
}
