/* SPDX-License-Identifier: MIT */
/*
 * Gaussians fitted to the pixels of apertures by least squares, after Levenberg and Marquardt.
 *
 * Method:    FREE figures are free: 6, or 3 where the shape stays. A round sums over the pixels
 *            how far a Gaussian is off and its derivatives, and tries the step that these ask for.
 * Launch:    one work-item per aperture; coarse: in work-groups of one.
 * Exactness: double, in one order: row after row, from left to right.
 * Limits:    needs double.
 * Others:    host src/opencl/photometry/photometry_gauss.c, definition
 *            src/reference/photometry_gauss.c, pair src/pairs/photometry.c, docs/photometry.md,
 *            "Gaussians".
 */
#include "photometry/aperture.cl"
#include "photometry/decay.cl"

#define TERMS (FREE * (FREE + 1) / 2)

/* Residual, slopes, and the lower half of the curvature row by row. */
struct terms {
    double residual, slope[FREE], curve[TERMS];
    ulong pixels;
    uint flags;
};

/* Sums over the pixels of the aperture. */
CALLED void look(const struct images *images, const struct photometry_view *view,
                 const struct photometry_source *s, const double *f, struct terms *sums)
{
    struct extent e = extent_of(s, view, s->x, s->y, s->outer);
    double most = s->outer * s->outer;
    sums->residual = 0;
    sums->pixels = 0;
    sums->flags = e.truncated ? PHOTOMETRY_TRUNCATED : 0;
    for (uint i = 0; i < FREE; i++)
        sums->slope[i] = 0;
    for (uint i = 0; i < TERMS; i++)
        sums->curve[i] = 0;
    for (ulong row = e.top; row < e.bottom; row++)
        for (ulong col = e.left; col < e.right; col++) {
            if (!(rho_squared(s, (double)col - s->x, (double)row - s->y) <= most))
                continue;
            double v = (double)images->image[row * view->cols + col];
            if (is_out(images, view, row, col, v, s->id)) {
                sums->flags |= PHOTOMETRY_LEFT_OUT;
                continue;
            }
            double d[PHOTOMETRY_GAUSS], dx = (double)col - f[1], dy = (double)row - f[2];
            double rise = f[3] * dx * dx + f[4] * dy * dy + f[5] * dx * dy;
            double half_rise = 0.5 * (rise > 0 ? rise : 0.0);
            double light = half_rise < 700 ? decay(half_rise) : 0.0, model = f[0] * light;
            double off = v - model;
            d[0] = light;
            d[1] = model * (f[3] * dx + 0.5 * f[5] * dy);
            d[2] = model * (f[4] * dy + 0.5 * f[5] * dx);
            d[3] = -0.5 * model * dx * dx;
            d[4] = -0.5 * model * dy * dy;
            d[5] = -0.5 * model * dx * dy;
            sums->pixels++;
            sums->residual += off * off;
            for (uint i = 0, t = 0; i < FREE; i++) {
                sums->slope[i] += d[i] * off;
                for (uint j = 0; j <= i; j++, t++)
                    sums->curve[t] += d[i] * d[j];
            }
        }
}

/* Finds the step, with the diagonal raised by `damping` of itself; false: there is none. */
CALLED bool solve(const struct terms *sums, double damping, double *step)
{
    double root[FREE][FREE];
    for (uint i = 0, t = 0; i < FREE; i++)
        for (uint j = 0; j <= i; j++, t++) {
            double rest = sums->curve[t];
            if (i == j)
                rest = rest + rest * damping;
            for (uint k = 0; k < j; k++)
                rest -= root[i][k] * root[j][k];
            if (i == j && !(rest > 0))
                return false;
            root[i][j] = i == j ? sqrt(rest) : rest / root[j][j];
        }
    for (uint i = 0; i < FREE; i++) {
        step[i] = sums->slope[i];
        for (uint k = 0; k < i; k++)
            step[i] -= root[i][k] * step[k];
        step[i] /= root[i][i];
    }
    for (uint i = FREE; i-- > 0;) {
        for (uint k = i + 1; k < FREE; k++)
            step[i] -= root[k][i] * step[k];
        step[i] /= root[i][i];
    }
    return true;
}

INLINE bool is_gaussian(const double *f)
{
    return f[3] > 0 && f[4] > 0 && 4 * f[3] * f[4] - f[5] * f[5] > 0;
}

/* Leaves the Gaussian of every aperture; pixels is 0 where there is none. */
kernel SIZED void photometry_gauss(global const T *image, global const E *error_map,
                                   global const uint *mask, global const S *segmentation,
                                   struct photometry_view view, global const double *offsets,
                                   global const struct photometry_source *sources,
                                   global struct photometry_fit *results)
{
    struct images images = {image, error_map, mask, segmentation};
    ulong index = get_global_id(0);
    (void)offsets;
    if (index >= view.count)
        return;
    struct photometry_source s = sources[index];
    struct photometry_fit fit = {{1, s.x, s.y, s.cxx, s.cyy, s.cxy}, 0, 0, 0, 0};
    struct terms now, next;
    double damping = 1e-3;
    if (s.invalid != 0) {
        results[index] = fit;
        return;
    }
    look(&images, &view, &s, fit.figures, &now);
    fit.flags = now.flags;
    if (now.pixels <= FREE || !(now.curve[0] > 0)) {
        results[index] = fit;
        return;
    }
    fit.figures[0] = 1 + now.slope[0] / now.curve[0];
    look(&images, &view, &s, fit.figures, &now);
    for (bool done = false; !done && fit.rounds < PHOTOMETRY_ROUNDS && damping < 1e12;
         fit.rounds++) {
        double step[FREE], trial[PHOTOMETRY_GAUSS];
        bool better = solve(&now, damping, step);
        for (uint i = 0; i < PHOTOMETRY_GAUSS; i++)
            trial[i] = fit.figures[i];
        for (uint i = 0; better && i < FREE; i++)
            trial[i] += step[i];
        better = better && is_gaussian(trial);
        if (better) {
            look(&images, &view, &s, trial, &next);
            better = next.residual < now.residual;
        }
        damping = better ? damping * 0.1 : damping * 10;
        if (!better)
            continue;
        done = now.residual - next.residual <= 1e-12 * now.residual;
        for (uint i = 0; i < PHOTOMETRY_GAUSS; i++)
            fit.figures[i] = trial[i];
        now = next;
    }
    fit.residual = now.residual;
    fit.pixels = now.pixels;
    results[index] = fit;
}
