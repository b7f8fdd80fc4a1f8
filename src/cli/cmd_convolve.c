/* SPDX-License-Identifier: MIT */
#include "run.h"

#include <stdlib.h>

#include "weights.h"

static struct {
    const char *kernel;
    bool normalize;
    struct clump_convolve_params params;
} set;

static const struct option options[] = {
    {"kernel", 'k', OPTION_STRING, &set.kernel, WEIGHTS_USAGE,
     "the weights: a gaussian of peak 1, a square or a disk of ones, or an image. SIGMA (1) is in "
     "the lesson's units, in which SIZE points go from -2 to 2 whatever SIZE is; SIGMApx is in "
     "pixels, and so is the full width at half maximum FWHMpx, which takes as many points as 4 "
     "standard deviations on either side need"},
    {"normalize", 0, OPTION_FLAG, &set.normalize, NULL,
     "scale the weights to a sum of 1, so that a flat image stays as it is but for rounding; else "
     "a "
     "gaussian sums to about 2 pi sigma^2"},
    {"mode", 'm', OPTION_CHOICE, &set.params.mode, "full|same|valid",
     "every place of overlap, the image's size, or without the border (full)"},
    {"boundary", 'b', OPTION_CHOICE, &set.params.boundary, "fill|wrap|symm|nearest|mirror",
     "what lies beyond the border (fill)"},
    {"fill-value", 0, OPTION_DOUBLE, &set.params.fill_value, "V", "the value of fill (0)"},
    {"method", 0, OPTION_CHOICE, &set.params.method, "auto|direct|separable|fft|folded|fast",
     "how to sum (auto: separable or direct, the same bits on every device; fast: the fastest)"},
    {"blank", 0, OPTION_CHOICE, &set.params.blank, "spread|ignore",
     "NaN spreads, or is left out and the other weights are scaled up (spread)"},
    {0},
};

/* Where the image's first pixel lies in the result, along one axis. */
static int64_t margin(uint64_t image, uint64_t kernel)
{
    uint64_t smaller = image < kernel ? image : kernel;
    int64_t same = (int64_t)(kernel - 1) / 2;
    return set.params.mode == CLUMP_CONVOLVE_MODE_FULL   ? same
           : set.params.mode == CLUMP_CONVOLVE_MODE_SAME ? 0
                                                         : same - (int64_t)(smaller - 1);
}

static enum clump_status convolve_file(struct run *run, const char *path, json_t *json)
{
    struct input input;
    struct clump_weights kernel = {0};
    clump_image *convolved = NULL;
    enum clump_status status = run_read(run, path, &input);
    bool line = !status && input.info->dimensions == 1;
    if (!status)
        status = weights_make(run, set.kernel, line, set.normalize, &kernel);
    line = line && kernel.rows == 1;
    if (!status && line &&
        (set.params.boundary != CLUMP_BOUNDARY_FILL || set.params.fill_value != 0))
        status =
            run_fail(run, CLUMP_ERROR_ARGUMENT,
                     "%s: is an array of one axis, which numpy.convolve's definition surrounds "
                     "by zeros: --boundary and --fill-value are for images",
                     path);
    if (!status)
        status = (line ? clump_convolve_1d : clump_convolve)(run->context, input.image, &kernel,
                                                             &set.params, &convolved);
    if (!status)
        status = run_write_moved(run, convolved, common.output, path, &input,
                                 margin(clump_image_rows(input.image), kernel.rows),
                                 margin(clump_image_cols(input.image), kernel.cols), json);
    if (!status) {
        run_count(run, json, "rows", clump_image_rows(convolved));
        run_count(run, json, "cols", clump_image_cols(convolved));
    }
    free((void *)kernel.weights);
    clump_image_destroy(&convolved);
    run_release(&input);
    return status;
}

static int run_convolve(struct run *run)
{
    if (!set.kernel)
        return run_misuse(run, "--kernel " WEIGHTS_USAGE " is wanted");
    if (!common.output)
        return run_misuse(run, "-o FILE is wanted");
    int usage = weights_check(run, set.kernel);
    return usage ? usage : run_each(run, convolve_file);
}

const struct command command_convolve = {
    .name = "convolve",
    .summary = "Convolves an image with a kernel of weights",
    .usage = "FILE... --kernel KERNEL -o OUT",
    .about = "True convolution, the kernel turned by half a turn, as scipy.signal.convolve2d. An\n"
             "array of one dimension is convolved in one, as numpy.convolve: beyond it is 0.\n"
             "Integer images become float32.",
    .examples =
        "  clump convolve deltas.npy --kernel gauss:15,1.0 -o blurred.npy\n"
        "  clump convolve field.fits --kernel disk:3 --normalize --mode same -o out.fits\n"
        "  clump convolve field.fits --kernel gauss:3.5px --normalize --mode same -o s.fits\n"
        "  clump convolve field.fits --kernel psf.fits --mode same --boundary symm \\\n"
        "      --blank ignore -o smooth.fits\n",
    .options = options,
    .groups = COMMAND_READS | COMMAND_WRITES,
    .least = 1,
    .most = -1,
    .run = run_convolve,
};
