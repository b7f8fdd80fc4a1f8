/* SPDX-License-Identifier: MIT */
/* Gaussians by least squares, after Levenberg and Marquardt: docs/photometry.md, "Gaussians". */
#include "reference/photometry_overlap.h"

#include <math.h>
#include <string.h>

#include "reference/pixel.h"

enum { HEIGHT, X, Y, CXX, CYY, CXY, FIGURES };

/* What the pixels say of a Gaussian: how far it is off, and where to go from it. */
struct sums {
    double residual, slope[FIGURES], curve[FIGURES][FIGURES];
    uint64_t pixels;
};

static void slopes(const double *f, double dx, double dy, double light, double *d)
{
    double model = f[HEIGHT] * light;
    d[HEIGHT] = light;
    d[X] = model * (f[CXX] * dx + 0.5 * f[CXY] * dy);
    d[Y] = model * (f[CYY] * dy + 0.5 * f[CXY] * dx);
    d[CXX] = -0.5 * model * dx * dx;
    d[CYY] = -0.5 * model * dy * dy;
    d[CXY] = -0.5 * model * dx * dy;
}

/* Sums over the aperture, row after row, from left to right. */
static uint32_t look(const struct photometry_job *job, const struct photometry_source *s, int free,
                     const double *f, struct sums *sums)
{
    struct photometry_extent e = clump_photometry_extent(s, job->image, s->x, s->y, s->outer);
    uint32_t flags = e.truncated ? CLUMP_PHOTOMETRY_TRUNCATED : 0;
    memset(sums, 0, sizeof *sums);
    for (uint64_t y = e.top; y < e.bottom; y++)
        for (uint64_t x = e.left; x < e.right; x++) {
            double d[FIGURES], dx = (double)x - f[X], dy = (double)y - f[Y];
            double rho2 = clump_photometry_rho2(s, (double)x - s->x, (double)y - s->y);
            if (!(rho2 <= s->outer * s->outer))
                continue;
            if (clump_photometry_left_out(job, y, x, s->id)) {
                flags |= CLUMP_PHOTOMETRY_MASKED;
                continue;
            }
            double rise = f[CXX] * dx * dx + f[CYY] * dy * dy + f[CXY] * dx * dy;
            double far = 0.5 * fmax(rise, 0);
            double light = far < 700 ? clump_photometry_decay(far) : 0;
            double off =
                (double)pixel_get(job->image, y * job->image->cols + x) - f[HEIGHT] * light;
            slopes(f, dx, dy, light, d);
            sums->pixels++;
            sums->residual += off * off;
            for (int i = 0; i < free; i++) {
                sums->slope[i] += d[i] * off;
                for (int j = 0; j <= i; j++)
                    sums->curve[i][j] += d[i] * d[j];
            }
        }
    return flags;
}

/* Solves for the step by Cholesky's roots, the diagonal being raised by `damping` of itself. */
static bool solve(const struct sums *sums, int free, double damping, double *step)
{
    double root[FIGURES][FIGURES] = {{0}};
    for (int i = 0; i < free; i++)
        for (int j = 0; j <= i; j++) {
            double rest = sums->curve[i][j];
            if (i == j)
                rest = rest + rest * damping;
            for (int k = 0; k < j; k++)
                rest -= root[i][k] * root[j][k];
            if (i == j && !(rest > 0))
                return false;
            root[i][j] = i == j ? sqrt(rest) : rest / root[j][j];
        }
    for (int i = 0; i < free; i++) {
        step[i] = sums->slope[i];
        for (int k = 0; k < i; k++)
            step[i] -= root[i][k] * step[k];
        step[i] /= root[i][i];
    }
    for (int i = free - 1; i >= 0; i--) {
        for (int k = i + 1; k < free; k++)
            step[i] -= root[k][i] * step[k];
        step[i] /= root[i][i];
    }
    return true;
}

static bool is_gaussian(const double *f)
{
    return f[CXX] > 0 && f[CYY] > 0 && 4 * f[CXX] * f[CYY] - f[CXY] * f[CXY] > 0;
}

static void fit_one(const struct photometry_job *job, const struct photometry_source *s, int free,
                    struct clump_gauss *fit)
{
    double f[FIGURES] = {1, s->x, s->y, s->cxx, s->cyy, s->cxy}, damping = 1e-3;
    struct sums now, next;
    uint32_t flags = look(job, s, free, f, &now);
    *fit = (struct clump_gauss){.flags = flags};
    if (now.pixels <= (uint64_t)free || !(now.curve[0][0] > 0)) {
        fit->flags |= CLUMP_PHOTOMETRY_ALL_MASKED;
        fit->height = fit->x = fit->y = fit->cxx = fit->cyy = fit->cxy = fit->residual =
            (double)NAN;
        return;
    }
    f[HEIGHT] = 1 + now.slope[0] / now.curve[0][0];
    look(job, s, free, f, &now);
    for (bool done = false; !done && fit->rounds < 100 && damping < 1e12; fit->rounds++) {
        double step[FIGURES], trial[FIGURES];
        bool better = solve(&now, free, damping, step);
        memcpy(trial, f, sizeof f);
        for (int i = 0; better && i < free; i++)
            trial[i] += step[i];
        better = better && is_gaussian(trial);
        if (better) {
            look(job, s, free, trial, &next);
            better = next.residual < now.residual;
        }
        damping = better ? damping * 0.1 : damping * 10;
        if (!better)
            continue;
        done = now.residual - next.residual <= 1e-12 * now.residual;
        memcpy(f, trial, sizeof f);
        now = next;
    }
    fit->height = f[HEIGHT];
    fit->x = f[X];
    fit->y = f[Y];
    fit->cxx = f[CXX];
    fit->cyy = f[CYY];
    fit->cxy = f[CXY];
    fit->residual = now.residual;
    fit->pixels = now.pixels;
    fit->flags |= f[HEIGHT] > 0 ? 0 : CLUMP_PHOTOMETRY_NONPOSITIVE;
}

enum clump_status clump_reference_photometry_gauss(clump_context *context,
                                                   const struct photometry_job *job, bool fixed,
                                                   struct clump_gauss *fits)
{
    (void)context;
    for (uint64_t i = 0; i < job->count; i++)
        if (!job->sources[i].invalid)
            fit_one(job, &job->sources[i], fixed ? CXX : FIGURES, &fits[i]);
    return CLUMP_OK;
}
