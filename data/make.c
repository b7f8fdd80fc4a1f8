/* SPDX-License-Identifier: MIT */
/*
 * Makes the project's sample images: a field of radio sources and a plate of cells, each with the
 * truth about it in a CSV file beside it.
 *
 *   clump-make-field field OUT.fits [SIZE [SOURCES [SEED]]]
 *   clump-make-field cells OUT.png  [SIZE [CELLS [SEED]]]
 *
 * The generator is an integer one and exp and log are written out here in plain arithmetic, so the
 * pixels are the same with every compiler and C library.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fitsio.h>
#include <png.h>

#define NOISE       0.0133 /* standard deviation of the field's background, Jy/beam */
#define BEAM_MAJOR  2.3    /* standard deviations of the beam in pixels */
#define BEAM_MINOR  1.9
#define FWHM        2.3548200450309493
#define PIXEL       (4.0 / 3600) /* degrees */
#define LEAST_PEAK  8.0          /* of a source, in standard deviations of the noise */
#define MOST_TRIES  100000
#define MOST_THINGS 4096

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

enum kind { POINT, EXTENDED, SHELL };
static const char *const kind_names[] = {"point", "extended", "shell"};

/* Something in a picture: an elliptical gaussian, a ring, or a cell. */
struct thing {
    enum kind kind;
    double x, y;         /* 0-based pixel coordinates of the centre */
    double peak;         /* value at the centre; of a ring, along it */
    double major, minor; /* standard deviations; of a ring its radius and the width's deviation */
    double c, s;         /* direction of the major axis */
    double reach;        /* nothing of it is seen beyond, pixels */
    double flux;         /* sum of its pixels */
};

static double profile(const struct thing *thing, double x, double y)
{
    double dx = x - thing->x, dy = y - thing->y;
    double u = dx * thing->c + dy * thing->s, v = dy * thing->c - dx * thing->s;
    if (thing->kind == SHELL) {
        double off = (sqrt(dx * dx + dy * dy) - thing->major) / thing->minor;
        return thing->peak * plain_exp(-off * off / 2);
    }
    u /= thing->major;
    v /= thing->minor;
    return thing->peak * plain_exp(-(u * u + v * v) / 2);
}

/* Puts it where it touches no other and lies wholly inside; false when there is no room. */
static bool place(struct thing *things, size_t count, struct thing *thing, double size, double gap)
{
    if (2 * (thing->reach + gap) >= size)
        return false;
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
            return true;
    }
    return false;
}

static struct thing make_source(size_t number, size_t sources)
{
    struct thing source = {.kind = POINT, .major = BEAM_MAJOR, .minor = BEAM_MINOR};
    source.c = 0.5; /* position angle 30 degrees east of north, east being left */
    source.s = 0.8660254037844386;
    source.peak = LEAST_PEAK * NOISE / uniform(0.03, 1);
    if (number * 20 < sources) {
        source.kind = number % 3 == 2 ? SHELL : EXTENDED;
        direction(&source.c, &source.s);
        source.peak = uniform(0.6, 2.5);
        source.minor = uniform(3, 4.5);
        source.major = source.minor * uniform(1, 1.6);
        if (source.kind == SHELL) {
            source.peak = uniform(0.3, 0.6);
            source.major = uniform(12, 20);
        }
    }
    double sigmas = sqrt(2 * plain_log(source.peak / (NOISE * 2)));
    source.reach =
        source.kind == SHELL ? source.major + sigmas * source.minor : sigmas * source.major;
    return source;
}

static void add(double *pixels, long size, struct thing *thing)
{
    double far = (thing->kind == SHELL ? thing->major + 6 * thing->minor : 6 * thing->major) + 1;
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

static bool write_truth(const char *path, const struct thing *things, size_t count)
{
    char name[4096];
    const char *dot = strrchr(path, '.');
    snprintf(name, sizeof name, "%.*s.csv", (int)(dot ? dot - path : (long)strlen(path)), path);
    FILE *out = fopen(name, "w");
    if (!out)
        return false;
    fprintf(out, "id,kind,x,y,peak,flux,sigma_major,sigma_minor\n");
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%zu,%s,%.3f,%.3f,%.6g,%.6g,%.3f,%.3f\n", i + 1, kind_names[things[i].kind],
                things[i].x + 1, things[i].y + 1, things[i].peak, things[i].flux, things[i].major,
                things[i].minor);
    return !fclose(out);
}

static void write_header(fitsfile *file, long size, int *status)
{
    double centre = (double)size / 2 + 0.5;
    fits_write_key_str(file, "OBJECT", "synthetic field", NULL, status);
    fits_write_key_str(file, "BUNIT", "JY/BEAM", NULL, status);
    fits_write_key_str(file, "CTYPE1", "RA---SIN", NULL, status);
    fits_write_key_fixdbl(file, "CRVAL1", 266.4168, 6, "degrees", status);
    fits_write_key_fixdbl(file, "CRPIX1", centre, 1, NULL, status);
    fits_write_key_fixdbl(file, "CDELT1", -PIXEL, 12, "degrees", status);
    fits_write_key_str(file, "CUNIT1", "deg", NULL, status);
    fits_write_key_str(file, "CTYPE2", "DEC--SIN", NULL, status);
    fits_write_key_fixdbl(file, "CRVAL2", -29.0078, 6, "degrees", status);
    fits_write_key_fixdbl(file, "CRPIX2", centre, 1, NULL, status);
    fits_write_key_fixdbl(file, "CDELT2", PIXEL, 12, "degrees", status);
    fits_write_key_str(file, "CUNIT2", "deg", NULL, status);
    fits_write_key_str(file, "RADESYS", "ICRS", NULL, status);
    fits_write_key_fixdbl(file, "BMAJ", BEAM_MAJOR * FWHM * PIXEL, 12, "degrees", status);
    fits_write_key_fixdbl(file, "BMIN", BEAM_MINOR * FWHM * PIXEL, 12, "degrees", status);
    fits_write_key_fixdbl(file, "BPA", 30, 1, "degrees", status);
    fits_write_history(file, "made by clump-make-field; no telescope was involved", status);
}

static bool write_fits(const char *path, double *pixels, long size)
{
    fitsfile *file;
    int status = 0;
    long axes[2] = {size, size};
    remove(path);
    fits_create_file(&file, path, &status);
    fits_create_img(file, FLOAT_IMG, 2, axes, &status);
    write_header(file, size, &status);
    fits_write_img(file, TDOUBLE, 1, size * size, pixels, &status);
    fits_close_file(file, &status);
    fits_report_error(stderr, status);
    return !status;
}

static bool make_field(const char *path, long size, size_t sources)
{
    static struct thing things[MOST_THINGS];
    double *pixels = malloc((size_t)(size * size) * sizeof *pixels);
    bool good = pixels && fill_noise(pixels, size, NOISE);
    size_t count = 0;
    for (; good && count < sources; count++) {
        things[count] = make_source(count, sources);
        good = place(things, count, &things[count], (double)size, 4);
        if (good)
            add(pixels, size, &things[count]);
        else
            fprintf(stderr, "clump-make-field: no room for source %zu\n", count + 1);
    }
    good = good && write_fits(path, pixels, size) && write_truth(path, things, count);
    free(pixels);
    return good;
}

/* A cell: flat inside, its edge soft over two pixels. */
static void add_cell(double *pixels, long size, struct thing *cell)
{
    for (long y = 0; y < size; y++)
        for (long x = 0; x < size; x++) {
            double dx = (double)x - cell->x, dy = (double)y - cell->y;
            double u = (dx * cell->c + dy * cell->s) / cell->major;
            double v = (dy * cell->c - dx * cell->s) / cell->minor;
            double inside = (1 - sqrt(u * u + v * v)) * cell->minor / 2;
            double value = cell->peak * (inside <= -1 ? 0 : inside >= 1 ? 1 : (inside + 1) / 2);
            pixels[y * size + x] += value;
            cell->flux += value;
        }
}

static png_byte level(double value)
{
    return (png_byte)(value < 0 ? 0 : value > 255 ? 255 : value + 0.5);
}

static bool write_png(const char *path, const double *cells, const double *noise, long size)
{
    png_byte *rgb = malloc((size_t)(size * size * 3));
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)size,
                       .height = (png_uint_32)size,
                       .format = PNG_FORMAT_RGB};
    for (long i = 0; rgb && i < size * size; i++) {
        rgb[3 * i] = level(6 + cells[i] / 4);
        rgb[3 * i + 1] = level(12 + cells[i] * (1 + noise[i] / 20) + noise[i]);
        rgb[3 * i + 2] = level(20 - cells[i] / 16);
    }
    bool good = rgb && png_image_write_to_file(&image, path, 0, rgb, 0, NULL);
    if (!good)
        fprintf(stderr, "clump-make-field: %s: %s\n", path, image.message);
    free(rgb);
    return good;
}

static bool make_cells(const char *path, long size, size_t cells)
{
    static struct thing things[MOST_THINGS];
    double *pixels = calloc((size_t)(size * size) * 2, sizeof *pixels);
    bool good = pixels && fill_noise(pixels + size * size, size, 1.5);
    size_t count = 0;
    for (; good && count < cells; count++) {
        struct thing cell = {.kind = EXTENDED, .peak = uniform(45, 110)};
        direction(&cell.c, &cell.s);
        cell.minor = uniform(20, 38);
        cell.major = cell.minor * uniform(1, 1.4);
        cell.reach = cell.major * 0.86; /* some touch */
        good = place(things, count, &cell, (double)size, 2);
        things[count] = cell;
        if (good)
            add_cell(pixels, size, &things[count]);
        else
            fprintf(stderr, "clump-make-field: no room for cell %zu\n", count + 1);
    }
    good = good && write_png(path, pixels, pixels + size * size, size) &&
           write_truth(path, things, count);
    free(pixels);
    return good;
}

int main(int argc, char **argv)
{
    bool cells = argc > 1 && !strcmp(argv[1], "cells");
    long size = argc > 3 ? atol(argv[3]) : cells ? 640 : 2048;
    long count = argc > 4 ? atol(argv[4]) : cells ? 24 : 185;
    state = argc > 5 ? strtoull(argv[5], NULL, 10) : 1;
    if (argc < 3 || argc > 6 || (!cells && strcmp(argv[1], "field")) || size < 64 || size > 65536 ||
        count < 1 || count > MOST_THINGS) {
        fprintf(stderr, "usage: clump-make-field field OUT.fits [SIZE [SOURCES [SEED]]]\n"
                        "       clump-make-field cells OUT.png [SIZE [CELLS [SEED]]]\n");
        return 2;
    }
    bool good =
        cells ? make_cells(argv[2], size, (size_t)count) : make_field(argv[2], size, (size_t)count);
    return good ? 0 : 1;
}
