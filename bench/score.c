/* SPDX-License-Identifier: MIT */
/* One figure for a device: how fast it is beside a machine that never changes. */
#include "report.h"

#include <math.h>

#define SIZE 2048

/* Median wall times in ms of two cores of an Intel Xeon with AVX-512, POCL 3.1, clump 72ce14f2c34f,
 * at 2048 x 2048 (docs/benchmarks.md). They stay as they are, or old scores would change. */
static const struct {
    const char *name;
    double ms;
} fixed[] = {
    {"convolve-gauss-f32", 2.41},
    {"convolve-dense-f32", 8.85},
    {"stats", 2.36},
    {"clip", 10.3},
    {"threshold", 0.588},
    {"label-sky", 0.943},
    {"measure", 1.05},
    {"find", 11.4},
    {"label-noise", 6.41},
    {"label-checker", 8.11},
    {"label-spiral", 5.35},
    {"label-comb", 6.71},
    {"gaussian", 7.32},
    {"otsu", 4.21},
    {"erosion", 0.163},
    {"regions", 2.47},
    {"label2rgb", 6.63},
    {"cells", 27.3},
    {"primes", 2.50},
};

#define CASES (sizeof fixed / sizeof *fixed)

double bench_score(const struct bench_report *report, int64_t device, size_t *missing)
{
    double sum = 0;
    *missing = 0;
    for (size_t i = 0; i < CASES; i++) {
        double ms = bench_median(bench_row_at(report, fixed[i].name, device, SIZE));
        if (ms > 0 && !*report->image)
            sum += log(fixed[i].ms / ms);
        else
            ++*missing;
    }
    return *missing ? (double)NAN : 100 * exp(sum / CASES);
}

void bench_score_recipe(char *text, size_t room)
{
    snprintf(text, room,
             "Score: 100 times the geometric mean, over %zu cases in float32 or of masks at %d x "
             "%d, of the median wall time on two cores of an Intel Xeon (AVX-512, POCL 3.1, clump "
             "72ce14f2c34f) over that of the device. A device that lacks a case has no score.",
             CASES, SIZE, SIZE);
}
