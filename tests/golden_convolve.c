/* SPDX-License-Identifier: MIT */
/* Convolution and blur against SciPy, NumPy and astropy, within the bound of convolve.h. */
#include "golden.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static const char *const modes[] = {"full", "same", "valid", NULL};
static const char *const boundaries[] = {"fill", "wrap", "symm", "nearest", "mirror", NULL};
static const char *const blanks[] = {"spread", "ignore", NULL};

#define LARGEST   2.0  /* magnitude of a pixel or fill value */
#define SCALED_UP 64.0 /* by how much leaving out blanks may scale a result, and its error */

static double bound(enum clump_type type, uint64_t weights, double sum, bool ignore)
{
    double eps = type == CLUMP_F32 ? (double)FLT_EPSILON : DBL_EPSILON;
    return ((double)weights + 4) * eps * sum * LARGEST * (ignore ? SCALED_UP : 1);
}

/* False when the method cannot be exact enough. */
static bool convolve_case(struct golden *g, clump_context *context,
                          enum clump_convolve_method method)
{
    bool flat = golden_count(g) == 1;
    enum clump_type type = golden_type(g);
    uint64_t rows = golden_count(g), cols = golden_count(g), seed = golden_count(g);
    struct clump_weights kernel = {.rows = golden_count(g)};
    kernel.cols = golden_count(g);
    uint64_t kernel_seed = golden_count(g);
    struct clump_convolve_params p = clump_convolve_defaults;
    p.method = method;
    p.mode = (enum clump_convolve_mode)golden_choice(g, modes);
    p.boundary = (enum clump_boundary)golden_choice(g, boundaries);
    p.fill_value = golden_number(g);
    p.blank = (enum clump_blank_rule)golden_choice(g, blanks);
    bool nan = golden_count(g) != 0, ignore = p.blank == CLUMP_BLANK_IGNORE;
    if (!golden_takes(context, type))
        return false;
    clump_image *image = golden_real_image(context, type, rows, cols, seed, nan), *out = NULL;
    double *weights = golden_weights(kernel.rows, kernel.cols, kernel_seed, ignore), sum = 0;
    for (uint64_t i = 0; i < kernel.rows * kernel.cols; i++)
        sum += fabs(weights[i]);
    kernel.weights = weights;
    enum clump_status status =
        (flat ? clump_convolve_1d : clump_convolve)(context, image, &kernel, &p, &out);
    bool refused = method != CLUMP_CONVOLVE_METHOD_AUTO && status == CLUMP_ERROR_ARGUMENT;
    if (!refused) {
        ok(status);
        golden_expect_sampled(g, out, seed, bound(type, kernel.rows * kernel.cols, sum, ignore));
    }
    clump_image_destroy(&out);
    clump_image_destroy(&image);
    free(weights);
    return !refused && kernel.rows >= 8; /* from which on rows are folded */
}

Test(golden, convolve, .timeout = 300)
{
    clump_context *context = golden_context();
    struct golden g = golden_open("convolve");
    while (golden_line(&g))
        convolve_case(&g, context, CLUMP_CONVOLVE_METHOD_AUTO);
    golden_close(&g);
    clump_context_destroy(&context);
}

Test(golden, folded_bands, .timeout = 300)
{
    clump_context *context = golden_context();
    struct golden g = golden_open("convolve");
    unsigned folded = 0;
    while (golden_line(&g))
        folded += convolve_case(&g, context, CLUMP_CONVOLVE_METHOD_FOLDED);
    cr_assert(folded >= 10, "%u", folded);
    golden_close(&g);
    clump_context_destroy(&context);
}

static void gaussian_case(struct golden *g, clump_context *context)
{
    enum clump_type type = golden_type(g);
    uint64_t rows = golden_count(g), cols = golden_count(g), seed = golden_count(g);
    struct clump_gaussian_params p = clump_gaussian_defaults;
    p.sigma_rows = golden_number(g);
    p.sigma_cols = golden_number(g);
    p.truncate = golden_number(g);
    p.boundary = (enum clump_boundary)golden_choice(g, boundaries);
    p.fill_value = golden_number(g);
    p.blank = (enum clump_blank_rule)golden_choice(g, blanks);
    bool nan = golden_count(g) != 0, ignore = p.blank == CLUMP_BLANK_IGNORE;
    if (!golden_takes(context, type))
        return;
    uint64_t weights = 2 * (uint64_t)(p.truncate * p.sigma_rows + 0.5) +
                       2 * (uint64_t)(p.truncate * p.sigma_cols + 0.5) + 2;
    clump_image *image = golden_real_image(context, type, rows, cols, seed, nan), *out = NULL;
    ok(clump_gaussian(context, image, &p, &out));
    golden_expect_sampled(g, out, seed, bound(type, weights, 1, ignore));
    clump_image_destroy(&out);
    clump_image_destroy(&image);
}

Test(golden, gaussian, .timeout = 300)
{
    clump_context *context = golden_context();
    struct golden g = golden_open("gaussian");
    while (golden_line(&g))
        gaussian_case(&g, context);
    golden_close(&g);
    clump_context_destroy(&context);
}
