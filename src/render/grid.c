/* SPDX-License-Identifier: MIT */
/* Right ascension and declination: lines over the picture, labels at its left and lower edge. */
#include "render.h"

#include <math.h>
#include <stdio.h>

#include <clump/wcs.h>

#define SAMPLES 48   /* places looked at along each side */
#define STEPS   240  /* parts of a line */
#define HALVES  16   /* to find where a part of a line ends */
#define BESIDE  1e-5 /* degrees: to either side of a meridian */
#define ROUND   300  /* degrees of longitude: whoever shows so many shows all, or means to */
#define NAMES   128  /* within the picture */

/* What the picture covers, longitudes counted from that of its middle. */
struct field {
    double ra, ra_low, ra_high, dec_low, dec_high;
    double ra_step, dec_step;
    bool any;
};

static double wrap(double degrees) { return degrees - 360 * floor((degrees + 180) / 360); }

static void widen(const struct view *view, struct field *field, double row, double col)
{
    double ra, dec;
    if (!clump_wcs_sky(view->params->file, row, col, &ra, &dec))
        return;
    if (!field->any)
        *field = (struct field){ra, 0, 0, dec, dec, 0, 0, true};
    ra = wrap(ra - field->ra);
    field->ra_low = fmin(field->ra_low, ra);
    field->ra_high = fmax(field->ra_high, ra);
    field->dec_low = fmin(field->dec_low, dec);
    field->dec_high = fmax(field->dec_high, dec);
}

/* True when the pole lies in the part shown: then every longitude does. */
static bool has_pole(const struct view *view, double dec)
{
    double row, col;
    return clump_wcs_pixel(view->params->file, 0, dec, &row, &col) && row >= (double)view->row &&
           col >= (double)view->col && row <= (double)(view->row + view->rows) &&
           col <= (double)(view->col + view->cols);
}

/* The step in `steps` (ascending, up to 0) that gives about as many lines as wanted. */
static double choose(const double *steps, double range, double wanted)
{
    while (steps[1] > 0 && range / *steps > wanted)
        steps++;
    return *steps;
}

static struct field look(const struct view *view)
{
    /* seconds of arc and of time, from a hundredth of a second to 45 degrees and 6 hours */
    static const double arc[] = {0.01, 0.02, 0.05,  0.1,   0.2,   0.5,    1,      2,   5,
                                 10,   15,   30,    60,    120,   300,    600,    900, 1800,
                                 3600, 7200, 18000, 36000, 54000, 108000, 162000, 0};
    static const double time[] = {0.001, 0.002, 0.005, 0.01, 0.02, 0.05,  0.1,   0.2, 0.5,
                                  1,     2,     5,     10,   15,   30,    60,    120, 300,
                                  600,   900,   1800,  3600, 7200, 10800, 21600, 0};
    struct field field = {0};
    widen(view, &field, (double)view->row + (double)view->rows / 2,
          (double)view->col + (double)view->cols / 2);
    for (int i = 0; i <= SAMPLES; i++)
        for (int k = 0; k <= SAMPLES; k++)
            widen(view, &field, (double)view->row + (double)view->rows * i / SAMPLES - 0.5,
                  (double)view->col + (double)view->cols * k / SAMPLES - 0.5);
    bool north = has_pole(view, 90), south = has_pole(view, -90);
    if (north || south || field.ra_high - field.ra_low > ROUND) {
        field.ra_low = -180;
        field.ra_high = 180;
    }
    if (north)
        field.dec_high = 90;
    if (south)
        field.dec_low = -90;
    double wanted = fmax(3, 6 * sqrt(view->width / (600 * view->scale)));
    field.dec_step = choose(arc, (field.dec_high - field.dec_low) * 3600, wanted) / 3600;
    field.ra_step = choose(time, (field.ra_high - field.ra_low) * 240, wanted) / 240;
    return field;
}

/* The angle between two places of the sky, in degrees. */
static double angle(double ra, double dec, double other_ra, double other_dec)
{
    double degree = acos(-1.0) / 180;
    double half_dec = sin((other_dec - dec) * degree / 2);
    double half_ra = sin((other_ra - ra) * degree / 2);
    double square =
        half_dec * half_dec + cos(dec * degree) * cos(other_dec * degree) * half_ra * half_ra;
    return 2 * asin(fmin(sqrt(square), 1)) / degree;
}

/* The end of a line that is being drawn. */
struct pen {
    bool down;
    double ra, dec, row, col;
};

/*
 * True where a straight stroke between two neighbouring places of a line would run through pixels
 * that lie elsewhere on the sky, or nowhere: at the seam of an all-sky map, behind the horizon.
 */
static bool is_chord(const struct view *view, const struct pen *from, const struct pen *to)
{
    double ra, dec, long_enough = 0.015 * (double)(view->rows + view->cols) / 2;
    if (hypot(to->row - from->row, to->col - from->col) < long_enough)
        return false; /* near a horizon the sky changes much within a pixel */
    if (!clump_wcs_sky(view->params->file, (from->row + to->row) / 2, (from->col + to->col) / 2,
                       &ra, &dec))
        return true;
    double apart = angle(from->ra, from->dec, to->ra, to->dec);
    return angle(from->ra, from->dec, ra, dec) > 2 * apart + 1e-9;
}

/* A place of the sky in the picture: not down where the projection does not have it. */
static struct pen find(const struct view *view, double ra, double dec)
{
    struct pen pen = {.ra = ra, .dec = dec};
    double x, y;
    if (!clump_wcs_pixel(view->params->file, ra, dec, &pen.row, &pen.col))
        return pen;
    clump_view_place(view, pen.row, pen.col, &x, &y);
    pen.down = fabs(x) <= 1e6 && fabs(y) <= 1e6;
    return pen;
}

static void draw_to(const struct view *view, cairo_t *cairo, const struct pen *pen, bool line)
{
    double x, y;
    clump_view_place(view, pen->row, pen->col, &x, &y);
    (line ? cairo_line_to : cairo_move_to)(cairo, x, y);
}

/* The last place on the way from one place to another up to which a straight stroke is right. */
static struct pen last_before(const struct view *view, const struct pen *from, const struct pen *to)
{
    struct pen last = *from;
    double good = 0, bad = 1;
    for (int i = 0; i < HALVES; i++) {
        double part = (good + bad) / 2;
        struct pen middle = find(view, from->ra + part * (to->ra - from->ra),
                                 from->dec + part * (to->dec - from->dec));
        if (middle.down && !is_chord(view, &last, &middle)) {
            last = middle;
            good = part;
        } else {
            bad = part;
        }
    }
    return last;
}

/* Adds a place of a line to the path; a gap where the line leaves the projection and comes back. */
static void go(const struct view *view, cairo_t *cairo, double ra, double dec, struct pen *pen)
{
    struct pen to = find(view, ra, dec);
    if (to.down && pen->down && !is_chord(view, pen, &to)) {
        draw_to(view, cairo, &to, true);
    } else {
        struct pen end;
        if (pen->down) {
            end = last_before(view, pen, &to);
            draw_to(view, cairo, &end, true);
        }
        if (to.down) {
            end = isnan(pen->ra) ? to : last_before(view, &to, pen);
            draw_to(view, cairo, &end, false);
            draw_to(view, cairo, &to, true);
        }
    }
    *pen = to;
}

/* A pen that has been nowhere yet. */
static const struct pen fresh = {.ra = NAN};

static void draw_meridian(const struct view *view, cairo_t *cairo, double ra, double low,
                          double high)
{
    struct pen pen = fresh;
    for (int i = 0; i <= STEPS; i++)
        go(view, cairo, ra, low + (high - low) * i / STEPS, &pen);
}

/* True where a map is cut open along a meridian, which then has two places in it. */
static bool is_seam(const struct view *view, double ra, double low, double high)
{
    int apart = 0;
    for (int i = 1; i < 8; i++) {
        double dec = low + (high - low) * i / 8;
        struct pen left = find(view, ra - BESIDE, dec), right = find(view, ra + BESIDE, dec);
        apart += left.down && right.down && hypot(left.row - right.row, left.col - right.col) > 2;
    }
    return apart > 3;
}

static void draw_lines(const struct view *view, cairo_t *cairo, const struct field *field)
{
    bool round = field->ra_high - field->ra_low > 359;
    double ra_margin = round ? 0 : (field->ra_high - field->ra_low) * 0.02;
    double dec_margin = (field->dec_high - field->dec_low) * 0.02;
    double first = ceil((field->ra + field->ra_low - ra_margin) / field->ra_step);
    double last = field->ra + field->ra_high + ra_margin;
    double dec_from = fmax(field->dec_low - dec_margin, -90);
    double dec_to = fmin(field->dec_high + dec_margin, 90);
    for (double k = first; k * field->ra_step <= last; k++) {
        double ra = k * field->ra_step;
        if (is_seam(view, ra, dec_from, dec_to)) {
            draw_meridian(view, cairo, ra - BESIDE, dec_from, dec_to);
            draw_meridian(view, cairo, ra + BESIDE, dec_from, dec_to);
        } else {
            draw_meridian(view, cairo, ra, dec_from, dec_to);
        }
    }
    for (double k = ceil(dec_from / field->dec_step); k * field->dec_step <= dec_to; k++) {
        struct pen pen = fresh;
        double from = field->ra + field->ra_low - ra_margin;
        double wide = field->ra_high - field->ra_low + 2 * ra_margin;
        for (int i = 0; i <= STEPS; i++)
            go(view, cairo, from + wide * i / STEPS, k * field->dec_step, &pen);
    }
    cairo_stroke(cairo);
}

/* Places after the point that a step of so many seconds needs. */
static int decimals(double seconds)
{
    return seconds >= 0.999 ? 0 : (int)ceil(-log10(seconds) - 1e-9);
}

/* "11ʰ32ᵐ10ˢ" or "+27°40′05″", no finer than the step. */
static void name(char *text, size_t size, double degrees, double step, bool hours)
{
    const char *marks[2][3] = {{"°", "′", "″"}, {"ʰ", "ᵐ", "ˢ"}};
    double seconds_step = hours ? step * 240 : step * 3600;
    int places = decimals(seconds_step);
    double unit = pow(10, -places);
    if (hours)
        degrees -= 360 * floor(degrees / 360);
    double whole = round(fabs(hours ? degrees * 240 : degrees * 3600) / unit) * unit;
    int first = (int)floor(whole / 3600 + 1e-12);
    int minutes = (int)floor((whole - first * 3600.0) / 60 + 1e-12);
    double seconds = fabs(whole - first * 3600.0 - minutes * 60.0);
    const char *sign = hours ? "" : degrees < -unit / 7200 ? "−" : "+";
    if (hours)
        first %= 24;
    if (seconds_step >= 3599)
        snprintf(text, size, "%s%d%s", sign, first, marks[hours][0]);
    else if (seconds_step >= 59)
        snprintf(text, size, "%s%d%s%02d%s", sign, first, marks[hours][0], minutes,
                 marks[hours][1]);
    else
        snprintf(text, size, "%s%d%s%02d%s%0*.*f%s", sign, first, marks[hours][0], minutes,
                 marks[hours][1], places ? places + 3 : 2, places, seconds, marks[hours][2]);
}

/* The coordinate at a place along the lower or the left edge: RA or Dec. */
static bool edge(const struct view *view, double along, bool below, bool hours, double *value)
{
    double ra, dec, row, col;
    bool mirrored = view->params->flip;
    double last_row = (double)view->rows - 0.5, last_col = (double)view->cols - 0.5;
    double across = along * (double)view->cols - 0.5, down = along * (double)view->rows - 0.5;
    if (below) {
        row = view->up ? -0.5 : last_row;
        col = mirrored ? last_col - 0.5 - across : across;
    } else {
        row = view->up ? last_row - 0.5 - down : down;
        col = mirrored ? last_col : -0.5;
    }
    if (!clump_wcs_sky(view->params->file, row + (double)view->row, col + (double)view->col, &ra,
                       &dec))
        return false;
    *value = hours ? ra : dec;
    return true;
}

static void draw_label(const struct view *view, cairo_t *cairo, double along, bool below,
                       const char *text)
{
    double gap = 8 * view->scale;
    if (below)
        clump_draw_text(view, cairo, view->left + along * view->width,
                        view->top + view->height + 1.6 * gap, 11, ANCHOR_CENTRE, text);
    else
        clump_draw_text(view, cairo, view->left - gap, view->top + along * view->height, 11,
                        ANCHOR_RIGHT, text);
}

/*
 * Walks along an edge and names each line that it meets, unless the last name is too near.
 * `cairo` NULL: only counts them.
 */
static int draw_labels(const struct view *view, cairo_t *cairo, double step, bool below, bool hours)
{
    int parts = below ? view->width : view->height, count = 0;
    double apart = (below ? 84 : 18) * view->scale / parts, last = -1, before = 0, here = 0;
    bool known = false;
    for (int i = 0; i <= parts; i++, before = here) {
        double along = (double)i / parts;
        bool good = edge(view, along, below, hours, &here), both = good && known;
        double change = hours ? wrap(here - before) : here - before;
        double low = before + fmin(change, 0), high = before + fmax(change, 0);
        double line = ceil(low / step) * step;
        known = good;
        if (!both || line > high + step * 1e-6 || high - low >= step ||
            (last >= 0 && along - last < apart))
            continue;
        char text[64];
        name(text, sizeof text, line, step, hours);
        if (cairo)
            draw_label(view, cairo, along, below, text);
        last = along;
        count++;
    }
    return count;
}

/* Where names stand within the picture. */
struct names {
    double x[NAMES], y[NAMES];
    int count;
};

/* True where a name would stand on another. */
static bool is_taken(const struct view *view, const struct names *names, double x, double y)
{
    for (int i = 0; i < names->count; i++)
        if (fabs(x - names->x[i]) < 34 * view->scale && fabs(y - names->y[i]) < 14 * view->scale)
            return true;
    return false;
}

/* A name on a line within the picture; false where there is no room for it. */
static bool label_place(const struct view *view, cairo_t *cairo, struct names *names, double ra,
                        double dec, const char *text)
{
    double row, col, x, y, margin = 12 * view->scale;
    if (!clump_wcs_pixel(view->params->file, ra, dec, &row, &col))
        return false;
    clump_view_place(view, row, col, &x, &y);
    if (x < view->left + margin || x > view->left + view->width - margin ||
        y < view->top + margin || y > view->top + view->height - margin || names->count == NAMES ||
        is_taken(view, names, x, y))
        return false;
    names->x[names->count] = x;
    names->y[names->count++] = y;
    clump_draw_text(view, cairo, x + 4 * view->scale, y - 8 * view->scale, 11, ANCHOR_LEFT, text);
    return true;
}

/* Names the meridians along the equator, or half-way between the declinations shown. */
static void label_meridians(const struct view *view, cairo_t *cairo, struct names *names,
                            const struct field *field)
{
    char text[64];
    bool equator = field->dec_low <= 0 && field->dec_high >= 0;
    double dec = equator ? 0 : (field->dec_low + field->dec_high) / 2;
    for (double k = ceil((field->ra + field->ra_low) / field->ra_step);
         k * field->ra_step < field->ra + field->ra_high; k++) {
        name(text, sizeof text, k * field->ra_step, field->ra_step, true);
        label_place(view, cairo, names, k * field->ra_step, dec, text);
    }
}

/* Names the parallels along the meridian in the middle, or beside it where a name is there. */
static void label_parallels(const struct view *view, cairo_t *cairo, struct names *names,
                            const struct field *field)
{
    static const double beside[] = {0, 0.25, -0.25, 0.5, -0.5};
    char text[64];
    for (double k = ceil(field->dec_low / field->dec_step); k * field->dec_step <= field->dec_high;
         k++) {
        if (fabs(k * field->dec_step) > 90 - 1e-9) /* a pole is a point */
            continue;
        name(text, sizeof text, k * field->dec_step, field->dec_step, false);
        for (size_t i = 0; i < sizeof beside / sizeof *beside; i++)
            if (label_place(view, cairo, names, field->ra + beside[i] * field->ra_step,
                            k * field->dec_step, text))
                break;
    }
}

enum named { NAMED_NONE, NAMED_RA, NAMED_DEC };

/* An edge names the lines that are its own, or the others where it hardly meets its own. */
static enum named label_edge(const struct view *view, cairo_t *cairo, const struct field *field,
                             bool below)
{
    int ra = draw_labels(view, NULL, field->ra_step, below, true);
    int dec = draw_labels(view, NULL, field->dec_step, below, false);
    bool hours = below ? ra >= 2 || ra >= dec : ra > dec && dec < 2;
    int count = draw_labels(view, cairo, hours ? field->ra_step : field->dec_step, below, hours);
    return count == 0 ? NAMED_NONE : hours ? NAMED_RA : NAMED_DEC;
}

static void set_line_colour(const struct view *view, cairo_t *cairo, double opacity)
{
    if (view->dark)
        cairo_set_source_rgba(cairo, 1, 1, 1, 0.38 * opacity);
    else
        cairo_set_source_rgba(cairo, 0.10, 0.50, 0.95, 0.60 * opacity);
}

void clump_draw_grid(const struct view *view, cairo_t *cairo)
{
    struct field field = look(view);
    struct names names = {.count = 0};
    if (!field.any)
        return;
    cairo_save(cairo);
    cairo_rectangle(cairo, view->left, view->top, view->width, view->height);
    cairo_clip(cairo);
    set_line_colour(view, cairo, 1);
    cairo_set_line_width(cairo, view->scale);
    draw_lines(view, cairo, &field);
    cairo_restore(cairo);
    cairo_set_source_rgb(cairo, 0.15, 0.15, 0.15);
    enum named below = label_edge(view, cairo, &field, true);
    enum named beside = label_edge(view, cairo, &field, false);
    /* An all-sky map's edges lie outside the projection, those round a pole meet no meridian. */
    set_line_colour(view, cairo, 1.6);
    if (below != NAMED_RA && beside != NAMED_RA)
        label_meridians(view, cairo, &names, &field);
    if (below != NAMED_DEC && beside != NAMED_DEC)
        label_parallels(view, cairo, &names, &field);
}
