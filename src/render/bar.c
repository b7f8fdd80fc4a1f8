/* SPDX-License-Identifier: MIT */
/* The colour bar. */
#include "render.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TICKS 64

static double bar_y(const struct view *view, double value)
{
    return view->top + view->height * (1 - clump_stretch_at(view, value));
}

/* Adds a tick unless it lies outside the bar or too near to another tick. */
static void add_tick(const struct view *view, double value, double *ticks, int *count)
{
    double apart = 26 * view->scale;
    double slack = (view->high - view->low) * 1e-9;
    if (*count == TICKS || value < view->low - slack || value > view->high + slack)
        return;
    for (int i = 0; i < *count; i++)
        if (fabs(bar_y(view, value) - bar_y(view, ticks[i])) < apart)
            return;
    ticks[(*count)++] = value;
}

/* The roundest number from `low` to `high`: 0 if it lies there, else the number with the fewest
 * digits, of several the one nearest to the middle. */
static double roundest(double low, double high)
{
    if (low <= 0 && high >= 0)
        return 0;
    double middle = (low + high) / 2;
    for (int power = (int)floor(log10(fmax(fabs(low), fabs(high)))); power > -330; power--)
        for (int i = 0; i < 3; i++) {
            double step = pow(10, power) / (const double[]){1, 2, 5}[i];
            double value = round(middle / step) * step;
            if (value >= low && value <= high)
                return value;
        }
    return middle;
}

/* The value at a place of the bar, by bisection, since every stretch rises. */
static double value_at(const struct view *view, double brightness)
{
    double low = view->low, high = view->high;
    for (int i = 0; i < 60; i++) {
        double middle = low + (high - low) / 2;
        if (clump_stretch_at(view, middle) < brightness)
            low = middle;
        else
            high = middle;
    }
    return low + (high - low) / 2;
}

/* Ticks of a linear stretch, at multiples of a round step; nearer ones where fewer than two fit. */
static void even_ticks(const struct view *view, double *ticks, int *count)
{
    double range = view->high - view->low, wanted = fmax(view->height / (60 * view->scale), 2);
    for (int tries = 0; tries < 4 && *count < 2; tries++, wanted *= 1.6) {
        double power = pow(10, floor(log10(range / wanted)));
        double part = range / wanted / power;
        double step = power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
        *count = 0;
        for (double at = ceil(view->low / step); at * step <= view->high && *count < TICKS; at++)
            add_tick(view, at * step, ticks, count);
    }
}

/* Ticks of a stretch that is not linear: round numbers near evenly spaced places of the bar. */
static void uneven_ticks(const struct view *view, double *ticks, int *count)
{
    int parts = (int)fmin(fmax(view->height / (60 * view->scale), 2), TICKS);
    for (int i = 0; i <= parts; i++) {
        double low = value_at(view, fmax((i - 0.3) / parts, 0));
        double high = value_at(view, fmin((i + 0.3) / parts, 1));
        add_tick(view, roundest(low, high), ticks, count);
    }
}

/* The number of digits that tells the two nearest ticks apart. */
static int digits_needed(const double *ticks, int count)
{
    double least = INFINITY, size = 0;
    for (int i = 0; i < count; i++) {
        size = fmax(size, fabs(ticks[i]));
        for (int k = 0; k < i; k++)
            least = fmin(least, fabs(ticks[i] - ticks[k]));
    }
    double digits = isfinite(least) && least > 0 ? ceil(log10(size / least)) + 1 : 4;
    return (int)fmin(fmax(digits, 4), 15);
}

/* Writes "×10⁻³" and the unit; the power of ten is left out where it is 0, as for numbers that need
 * none to be short. */
static void bar_label(const struct view *view, int power, char *text, size_t size)
{
    static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    const char *unit = view->params->file ? clump_file_info(view->params->file)->unit : "";
    char number[16], raised[64] = "";
    snprintf(number, sizeof number, "%d", power);
    for (char *at = number; *at; at++)
        strcat(raised, *at == '-' ? "⁻" : digits[*at - '0']);
    if (power)
        snprintf(text, size, "10%s %s", raised, unit);
    else
        snprintf(text, size, "%s", unit);
}

static void draw_gradient(const struct view *view, cairo_t *cairo, double x, double wide)
{
    for (int y = 0; y < view->height; y++) {
        double brightness = 1 - (y + 0.5) / view->height;
        struct colour colour = clump_colormap_at(view->params->colormap, brightness);
        cairo_set_source_rgb(cairo, colour.red / 255.0, colour.green / 255.0, colour.blue / 255.0);
        cairo_rectangle(cairo, x, view->top + y, wide, 1);
        cairo_fill(cairo);
    }
    cairo_set_source_rgb(cairo, 0.15, 0.15, 0.15);
    cairo_set_line_width(cairo, view->scale);
    cairo_rectangle(cairo, x - 0.5, view->top - 0.5, wide + 1, view->height + 1);
    cairo_stroke(cairo);
}

void clump_draw_bar(const struct view *view, cairo_t *cairo)
{
    double scale = view->scale, ticks[TICKS], wide = 16 * scale;
    double x = view->left + view->width + 14 * scale, widest = 0;
    int count = 0;
    double size = fmax(fabs(view->low), fabs(view->high));
    int power = size > 0 ? (int)floor(log10(size)) : 0;
    power = power >= -2 && power <= 4 ? 0 : (int)floor(power / 3.0) * 3;
    draw_gradient(view, cairo, x, wide);
    if (view->params->stretch == CLUMP_RENDER_STRETCH_LINEAR)
        even_ticks(view, ticks, &count);
    else
        uneven_ticks(view, ticks, &count);
    int digits = digits_needed(ticks, count);
    for (int i = 0; i < count; i++) {
        char text[32];
        cairo_text_extents_t extents;
        double y = bar_y(view, ticks[i]);
        cairo_move_to(cairo, x + wide, y);
        cairo_line_to(cairo, x + wide + 4 * scale, y);
        cairo_stroke(cairo);
        snprintf(text, sizeof text, "%.*g", digits, ticks[i] / pow(10, power) + 0.0);
        clump_draw_text(view, cairo, x + wide + 7 * scale, y, 11, ANCHOR_LEFT, text);
        cairo_text_extents(cairo, text, &extents);
        widest = fmax(widest, extents.x_advance);
    }
    char label[128];
    bar_label(view, power, label, sizeof label);
    cairo_save(cairo);
    cairo_translate(cairo, x + wide + 7 * scale + widest + 13 * scale,
                    view->top + view->height / 2.0);
    cairo_rotate(cairo, -acos(-1.0) / 2);
    clump_draw_text(view, cairo, 0, 0, 12, ANCHOR_CENTRE, label);
    cairo_restore(cairo);
}
