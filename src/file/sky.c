/* SPDX-License-Identifier: MIT */
#include "sky.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <wcslib/wcs.h>
#include <wcslib/wcsfix.h>
#include <wcslib/wcshdr.h>
#include <wcslib/sph.h>

#define AXES_LIMIT 32
#define CARD 80

struct sky {
    struct wcsprm *all; /* as WCSLIB read them */
    int count;
    struct wcsprm *wcs;
    unsigned kept[2];
    double pixel[AXES_LIMIT]; /* on the axes that are not kept */
    double world[AXES_LIMIT]; /* there, for the way back */
    bool galactic;
};

/* Euler angles from ICRS to galactic coordinates: the pole's RA, 90 - its Dec, the longitude of
 * the celestial pole (IAU 1958 as the Hipparcos catalogue puts it, volume 1, 1.5.3), the cosine
 * and sine of the second. */
static void galactic_angles(double euler[5])
{
    euler[0] = 192.85948;
    euler[1] = 90.0 - 27.12825;
    euler[2] = 122.93192;
    euler[3] = cos(euler[1] * acos(-1.0) / 180.0);
    euler[4] = sin(euler[1] * acos(-1.0) / 180.0);
}

static bool two_axes(const struct wcsprm *wcs, const unsigned kept[2])
{
    int first = (int)kept[0], second = (int)kept[1];
    return wcs->lng >= 0 && wcs->lat >= 0 && wcs->naxis <= AXES_LIMIT &&
           ((wcs->lng == first && wcs->lat == second) || (wcs->lng == second && wcs->lat == first));
}

static bool equatorial_or_galactic(struct sky *sky)
{
    sky->galactic = !strncmp(sky->wcs->lngtyp, "GLON", 4);
    return sky->galactic || !strncmp(sky->wcs->lngtyp, "RA", 2);
}

static bool to_world(const struct sky *sky, const double *pixel, double *world)
{
    double intermediate[AXES_LIMIT], phi, theta;
    int bad = 0;
    return wcsp2s(sky->wcs, 1, sky->wcs->naxis, pixel, intermediate, &phi, &theta, world, &bad) ==
               0 &&
           bad == 0;
}

/* True for a card whose value is a text that never ends. */
static bool open_text(const char *card)
{
    int i = 9;
    while (i < CARD && card[i] == ' ')
        i++;
    if (i == CARD || card[i] != '\'' || card[8] != '=')
        return false;
    for (i++; i < CARD; i++)
        if (card[i] == '\'' && (i + 1 == CARD || card[++i] != '\'')) /* two stand for one */
            return false;
    return true;
}

/* True for a card that claims more axes than can be of use. */
static bool crowded(const char *card)
{
    bool counts = !strncmp(card, "NAXIS   =", 9) || !strncmp(card, "WCSAXES", 7);
    return counts && card[8] == '=' && strtol(card + 9, NULL, 10) > AXES_LIMIT;
}

/* WCSLIB trusts a header: all its cards must be there, letters be letters, texts must end, and it
 * takes memory for the square of the axes. */
static bool clean(char *header, int cards)
{
    if (cards < 0 || strlen(header) < (size_t)cards * CARD)
        return false;
    for (char *card = header; card < header + cards * CARD; card += CARD) {
        for (int i = 0; i < CARD; i++)
            if (card[i] < ' ' || card[i] > '~')
                card[i] = ' ';
        if (crowded(card))
            return false;
        if (open_text(card))
            memset(card, ' ', CARD);
    }
    return true;
}

static bool prepare(struct sky *sky, char *header, int cards, const int64_t *position,
                    unsigned axes)
{
    int rejected, fixes[NWCSFIX];
    if (!clean(header, cards) ||
        wcspih(header, cards, WCSHDR_all, 0, &rejected, &sky->count, &sky->all) != 0 ||
        sky->count < 1)
        return false;
    sky->wcs = sky->all;
    wcsfix(7, 0, sky->wcs, fixes);
    if (wcsset(sky->wcs) != 0 || !two_axes(sky->wcs, sky->kept) || !equatorial_or_galactic(sky))
        return false;
    for (unsigned i = 0; i < AXES_LIMIT; i++)
        sky->pixel[i] = i < axes ? (double)position[i] : 1.0;
    double pixel[AXES_LIMIT];
    memcpy(pixel, sky->pixel, sizeof pixel);
    pixel[sky->kept[0]] = sky->wcs->crpix[sky->kept[0]];
    pixel[sky->kept[1]] = sky->wcs->crpix[sky->kept[1]];
    return to_world(sky, pixel, sky->world);
}

struct sky *clump_sky_create(char *header, int cards, const unsigned kept[2],
                             const int64_t *position, unsigned axes)
{
    struct sky *sky = calloc(1, sizeof *sky);
    if (!sky)
        return NULL;
    sky->kept[0] = kept[0];
    sky->kept[1] = kept[1];
    if (!prepare(sky, header, cards, position, axes))
        clump_sky_destroy(&sky);
    return sky;
}

void clump_sky_destroy(struct sky **sky)
{
    if (!*sky)
        return;
    wcsvfree(&(*sky)->count, &(*sky)->all);
    free(*sky);
    *sky = NULL;
}

double clump_sky_pixel_area(const struct sky *sky)
{
    const struct wcsprm *wcs = sky->wcs;
    int n = wcs->naxis, lng = wcs->lng, lat = wcs->lat;
    int x = (int)sky->kept[0], y = (int)sky->kept[1];
    const double *pc = wcs->lin.pc, *cdelt = wcs->lin.cdelt;
    double determinant = pc[lng * n + x] * pc[lat * n + y] - pc[lng * n + y] * pc[lat * n + x];
    return fabs(determinant * cdelt[lng] * cdelt[lat]);
}

bool clump_sky_world(const struct sky *sky, double row, double col, double *ra, double *dec)
{
    double pixel[AXES_LIMIT], world[AXES_LIMIT];
    memcpy(pixel, sky->pixel, sizeof pixel);
    pixel[sky->kept[0]] = col + 1;
    pixel[sky->kept[1]] = row + 1;
    *ra = *dec = NAN;
    if (!isfinite(row) || !isfinite(col) || !to_world(sky, pixel, world))
        return false;
    *ra = world[sky->wcs->lng];
    *dec = world[sky->wcs->lat];
    if (sky->galactic) {
        double euler[5], lng = *ra, lat = *dec;
        galactic_angles(euler);
        sphx2s(euler, 1, 1, 1, 1, &lng, &lat, ra, dec);
        if (*ra < 0)
            *ra += 360;
    }
    return true;
}

bool clump_sky_pixel(const struct sky *sky, double ra, double dec, double *row, double *col)
{
    double pixel[AXES_LIMIT], world[AXES_LIMIT], intermediate[AXES_LIMIT], phi, theta;
    int bad = 0;
    memcpy(world, sky->world, sizeof world);
    *row = *col = NAN;
    if (sky->galactic) {
        double euler[5], lng = ra, lat = dec;
        galactic_angles(euler);
        sphs2x(euler, 1, 1, 1, 1, &lng, &lat, &ra, &dec);
    }
    world[sky->wcs->lng] = ra;
    world[sky->wcs->lat] = dec;
    if (wcss2p(sky->wcs, 1, sky->wcs->naxis, world, &phi, &theta, intermediate, pixel, &bad) != 0 ||
        bad != 0)
        return false;
    *col = pixel[sky->kept[0]] - 1;
    *row = pixel[sky->kept[1]] - 1;
    return true;
}
