/* SPDX-License-Identifier: MIT */
#include "sky.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <wcslib/wcs.h>
#include <wcslib/wcsfix.h>
#include <wcslib/wcshdr.h>
#include <wcslib/sph.h>
#include <wcslib/wcsmath.h>

#define AXES_LIMIT 32
#define CARD       80

const char *const clump_sky_missing = NULL;

struct sky {
    struct wcsprm *all; /* as WCSLIB read them */
    int count;
    struct wcsprm *wcs;
    unsigned kept[2];
    double pixel[AXES_LIMIT]; /* on the axes that are not kept */
    double world[AXES_LIMIT]; /* there, for the way back */
    bool galactic, equatorial;
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

/* True for a card that says that an axis is a longitude or latitude: CTYPE2  = 'DEC--TAN'. */
static bool claims(const char *card, unsigned axis)
{
    char name[12], type[CARD] = "";
    snprintf(name, sizeof name, "CTYPE%u", axis + 1);
    size_t length = strlen(name);
    if (strncmp(card, name, length) || (card[length] != ' ' && card[length] != '=') ||
        sscanf(card + 8, "= '%70[^']", type) != 1)
        return false;
    return !strncmp(type, "RA--", 4) || !strncmp(type, "DEC-", 4) ||
           !strncmp(type + 1, "LON-", 4) || !strncmp(type + 1, "LAT-", 4) ||
           !strncmp(type + 2, "LN-", 3) || !strncmp(type + 2, "LT-", 3);
}

/* Tells whether the header names the two kept axes as sky coordinates. */
static bool means_sky(const char *header, int cards, const unsigned kept[2])
{
    bool found[2] = {false, false};
    for (int i = 0; i < cards; i++)
        for (int k = 0; k < 2; k++)
            found[k] |= claims(header + i * CARD, kept[k]);
    return found[0] && found[1];
}

static bool to_world(const struct sky *sky, const double *pixel, double *world)
{
    double intermediate[AXES_LIMIT], phi, theta;
    int bad = 0;
    return wcsp2s(sky->wcs, 1, sky->wcs->naxis, pixel, intermediate, &phi, &theta, world, &bad) ==
               0 &&
           bad == 0;
}

/* True for a card whose value is a text without a closing quote. */
static bool open_text(const char *card)
{
    int i = 9;
    while (i < CARD && card[i] == ' ')
        i++;
    if (i == CARD || card[i] != '\'' || card[8] != '=')
        return false;
    for (i++; i < CARD; i++)
        if (card[i] == '\'' && (i + 1 == CARD || card[++i] != '\'')) /* two quotes stand for one */
            return false;
    return true;
}

/* True for a card with the number of an axis beyond those that are handled. */
static bool crowded(const char *card)
{
    bool counts = !strncmp(card, "NAXIS   =", 9) || !strncmp(card, "WCSAXES", 7);
    return counts && card[8] == '=' && strtol(card + 9, NULL, 10) > AXES_LIMIT;
}

/* Stems of keywords whose values WCSLIB takes for numbers before it has looked at them: those of
 * SIP polynomials, A_0_2 and A_ORDER, and those of the axes. */
static bool is_number_key(const char *card)
{
    static const char *const stems[] = {"A_",      "B_",      "AP_",   "BP_",    "CRPIX", "CRVAL",
                                        "CDELT",   "CROTA",   "CD",    "PC",     "PV",    "LONPOLE",
                                        "LATPOLE", "EQUINOX", "EPOCH", "WCSAXES"};
    for (size_t i = 0; i < sizeof stems / sizeof *stems; i++) {
        if (*card != *stems[i])
            continue;
        size_t length = strlen(stems[i]);
        bool whole = length > 5 || !strcmp(stems[i], "EPOCH");
        const char *next = card + length;
        bool polynomial = stems[i][length - 1] == '_' &&
                          (!strncmp(next, "ORDER", 5) || !strncmp(next, "DMAX", 4));
        if (!strncmp(card, stems[i], length) &&
            (whole || polynomial || isdigit((unsigned char)*next)))
            return true;
    }
    return false;
}

/* True where there is nothing but blanks, or a comment behind them. */
static bool ends(const char *card, int at)
{
    while (at < CARD && card[at] == ' ')
        at++;
    return at == CARD || card[at] == '/';
}

/* True for a card of such a keyword whose value is something else, or missing, or has something
 * behind it: of a card that WCSLIB makes room for and then does not read, it uses what is not
 * there. */
static bool wrong_type(const char *card)
{
    int i = 9, digits = 0;
    if (card[8] != '=' || !is_number_key(card))
        return false;
    while (i < CARD && card[i] == ' ')
        i++;
    i += i < CARD && strchr("+-", card[i]);
    for (int points = 0; i < CARD && (isdigit((unsigned char)card[i]) || card[i] == '.'); i++) {
        digits += card[i] != '.';
        points += card[i] == '.';
        if (points > 1)
            return true;
    }
    if (digits && i < CARD && strchr("EeDd", card[i])) {
        i++;
        i += i < CARD && strchr("+-", card[i]);
        int from = i;
        while (i < CARD && isdigit((unsigned char)card[i]))
            i++;
        digits = i - from;
    }
    return !digits || !ends(card, i);
}

/* True for a card whose value is a text and nothing but a comment behind it. */
static bool is_text(const char *card)
{
    int i = 9;
    if (card[8] != '=' || card[9] != ' ' || open_text(card))
        return false;
    while (i < CARD && card[i] == ' ')
        i++;
    if (i == CARD || card[i] != '\'')
        return false;
    for (i++; card[i] != '\'' || (i + 1 < CARD && card[i + 1] == '\''); i++)
        i += card[i] == '\'';
    return ends(card, i + 1);
}

/* True for a header with SIP polynomials but not both axes that these bend: WCSLIB makes room for
 * the axes that it has read of, and writes the polynomials of the second one past it. */
static bool lacks_bent_axis(const char *header, int cards)
{
    bool polynomial = false, axis[2] = {false, false};
    for (const char *card = header; card < header + cards * CARD; card += CARD) {
        polynomial |= card[0] && strchr("AB", card[0]) &&
                      (card[1] == '_' || (card[1] == 'P' && card[2] == '_'));
        axis[0] |= !strncmp(card, "CTYPE1  ", 8) && is_text(card);
        axis[1] |= !strncmp(card, "CTYPE2  ", 8) && is_text(card);
    }
    return polynomial && !(axis[0] && axis[1]);
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
        if (wrong_type(card) && strncmp(card, "E", 1) && strncmp(card, "L", 1))
            return false;                        /* without it the coordinates would be others */
        if (open_text(card) || wrong_type(card)) /* EQUINOX and poles have their defaults */
            memset(card, ' ', CARD);
    }
    return !lacks_bent_axis(header, cards);
}

/* Prepares the coordinates; NULL on success, else the reason why they cannot be used. */
static const char *prepare(struct sky *sky, char *header, int cards, const int64_t *position,
                           unsigned axes)
{
    int rejected, fixes[NWCSFIX];
    if (!clean(header, cards))
        return "its cards are damaged, have no number where one belongs, or claim too many axes";
    int status = wcspih(header, cards, WCSHDR_all, 0, &rejected, &sky->count, &sky->all);
    if (status || sky->count < 1)
        return status > 0 && status <= WCSHDRERR_PARSER ? wcshdr_errmsg[status] : "it has no WCS";
    sky->wcs = sky->all;
    wcsfix(7, 0, sky->wcs, fixes);
    status = wcsset(sky->wcs);
    if (status)
        return wcs_errmsg[status];
    if (!two_axes(sky->wcs, sky->kept))
        return "longitude and latitude are not the axes of the image";
    sky->galactic = !strncmp(sky->wcs->lngtyp, "GLON", 4);
    sky->equatorial = !strncmp(sky->wcs->lngtyp, "RA", 2);
    for (unsigned i = 0; i < AXES_LIMIT; i++)
        sky->pixel[i] = i < axes ? (double)position[i] : 1.0;
    double pixel[AXES_LIMIT];
    memcpy(pixel, sky->pixel, sizeof pixel);
    pixel[sky->kept[0]] = sky->wcs->crpix[sky->kept[0]];
    pixel[sky->kept[1]] = sky->wcs->crpix[sky->kept[1]];
    return to_world(sky, pixel, sky->world) ? NULL : "its reference point is nowhere on the sky";
}

struct sky *clump_sky_create(char *header, int cards, const unsigned kept[2],
                             const int64_t *position, unsigned axes, const char **problem)
{
    struct sky *sky = calloc(1, sizeof *sky);
    *problem = NULL;
    if (!sky)
        return NULL;
    sky->kept[0] = kept[0];
    sky->kept[1] = kept[1];
    const char *why = prepare(sky, header, cards, position, axes);
    if (why)
        clump_sky_destroy(&sky);
    if (why && cards > 0 && strlen(header) >= (size_t)cards * CARD &&
        means_sky(header, cards, kept))
        *problem = why;
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

/* The same angle from 0 to less than 360; WCSLIB gives it the sign of the reference point's. */
static double full_turn(double degrees)
{
    double rest = fmod(degrees, 360), positive = rest < 0 ? rest + 360 : rest;
    return positive < 360 ? positive + 0.0 : 0; /* + 0.0 makes 0 of -0 */
}

/* Degrees on the sky per pixel along one axis. */
static double step(const struct wcsprm *wcs, int axis)
{
    int n = wcs->naxis;
    double lng = wcs->lin.pc[wcs->lng * n + axis] * wcs->lin.cdelt[wcs->lng];
    double lat = wcs->lin.pc[wcs->lat * n + axis] * wcs->lin.cdelt[wcs->lat];
    return hypot(lng, lat);
}

/* Frames other than the equatorial, by the first letter of their coordinates. */
static const char *other_frame(const struct wcsprm *wcs)
{
    static const char *const frames[] = {"GALACTIC", "ECLIPTIC", "HELIOECLIPTIC", "SUPERGALACTIC"};
    static const char letters[] = "GEHS";
    const char *letter = strchr(letters, wcs->lngtyp[0]);
    bool known = letter && *letter && !strncmp(wcs->lngtyp + 1, "LON", 3);
    return known ? frames[letter - letters] : wcs->lngtyp;
}

static void lower(char name[8], const char *type)
{
    snprintf(name, 8, "%.7s", type);
    for (char *at = name; *at; at++)
        *at = (char)tolower((unsigned char)*at);
}

void clump_sky_describe(const struct sky *sky, struct clump_file_info *info)
{
    const struct wcsprm *wcs = sky->wcs;
    bool dated = !undefined(wcs->equinox);
    const char *assumed = !dated ? "ICRS" : wcs->equinox < 1984 ? "FK4" : "FK5";
    const char *frame =
        sky->equatorial ? (*wcs->radesys ? wcs->radesys : assumed) : other_frame(wcs);
    snprintf(info->projection, sizeof info->projection, "%.3s", wcs->cel.prj.code);
    snprintf(info->frame, sizeof info->frame, "%.15s", frame);
    info->equinox = NAN;
    if (!strncmp(frame, "FK", 2) || !strcmp(frame, "ECLIPTIC"))
        info->equinox = dated ? wcs->equinox : !strncmp(frame, "FK4", 3) ? 1950 : 2000;
    info->celestial = sky->equatorial || sky->galactic;
    lower(info->lon_name, sky->equatorial ? "RA" : wcs->lngtyp);
    lower(info->lat_name, sky->equatorial ? "DEC" : wcs->lattyp);
    info->scale_x = step(wcs, (int)sky->kept[0]);
    info->scale_y = step(wcs, (int)sky->kept[1]);
}

bool clump_sky_native(const struct sky *sky, double row, double col, double *lon, double *lat)
{
    double pixel[AXES_LIMIT], world[AXES_LIMIT];
    memcpy(pixel, sky->pixel, sizeof pixel);
    pixel[sky->kept[0]] = col + 1;
    pixel[sky->kept[1]] = row + 1;
    *lon = *lat = NAN;
    if (!isfinite(row) || !isfinite(col) || !to_world(sky, pixel, world))
        return false;
    *lon = full_turn(world[sky->wcs->lng]);
    *lat = world[sky->wcs->lat];
    return true;
}

bool clump_sky_world(const struct sky *sky, double row, double col, double *ra, double *dec)
{
    *ra = *dec = NAN;
    if (!(sky->equatorial || sky->galactic) || !clump_sky_native(sky, row, col, ra, dec))
        return false;
    if (sky->galactic) {
        double euler[5], lng = *ra, lat = *dec;
        galactic_angles(euler);
        sphx2s(euler, 1, 1, 1, 1, &lng, &lat, ra, dec);
    }
    *ra = full_turn(*ra);
    return true;
}

bool clump_sky_pixel(const struct sky *sky, double ra, double dec, double *row, double *col)
{
    double pixel[AXES_LIMIT], world[AXES_LIMIT], intermediate[AXES_LIMIT], phi, theta;
    int bad = 0;
    memcpy(world, sky->world, sizeof world);
    *row = *col = NAN;
    if (!sky->equatorial && !sky->galactic)
        return false;
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
