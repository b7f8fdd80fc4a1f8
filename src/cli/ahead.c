/* SPDX-License-Identifier: MIT */
#include "ahead.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "progress.h"

#define VARIABLE "CLUMP_AHEAD"
#define SIDE     64 /* of the tiny image */

extern char **environ;

static struct {
    char **words; /* the command line */
    bool planned;
    enum clump_type type;
    pid_t helper; /* 0: none */
} ahead;

void ahead_prepare(int argc, char **argv)
{
    enum clump_type type;
    if (ahead_is_helper(&type)) {
        /* A helper starts no helper, and does not outlive the command. */
        prctl(PR_SET_PDEATHSIG, SIGTERM);
    } else {
        ahead.words = calloc((size_t)argc + 1, sizeof *ahead.words);
        for (int i = 0; ahead.words && i < argc; i++)
            ahead.words[i] = argv[i];
    }
    /* POCL would build each kernel twice: for any size of work-group, to give the program out as a
     * binary, and again for the size of the launch. Kernels name their size, so once will do. */
    setenv("POCL_WORK_GROUP_SPECIALIZATION", "0", 0);
}

bool ahead_is_helper(enum clump_type *type)
{
    const char *word = getenv(VARIABLE);
    *type = word ? (enum clump_type)strtoul(word, NULL, 10) : CLUMP_U8;
    return word && *type < CLUMP_TYPE_COUNT;
}

void ahead_plan(enum clump_type type)
{
    ahead.planned = true;
    ahead.type = type;
}

/* The environment with the variable in it; release with free. */
static char **helper_environment(char *assignment)
{
    size_t count = 0;
    while (environ[count])
        count++;
    char **copy = calloc(count + 2, sizeof *copy);
    if (copy) {
        copy[0] = assignment;
        memcpy(copy + 1, environ, count * sizeof *copy);
    }
    return copy;
}

static void start_helper(void)
{
    char assignment[32];
    posix_spawn_file_actions_t files;
    snprintf(assignment, sizeof assignment, VARIABLE "=%d", (int)ahead.type);
    char **environment = helper_environment(assignment);
    if (!environment || posix_spawn_file_actions_init(&files)) {
        free(environment);
        return;
    }
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (posix_spawn(&ahead.helper, "/proc/self/exe", &files, NULL, ahead.words, environment))
        ahead.helper = 0;
    posix_spawn_file_actions_destroy(&files);
    free(environment);
}

void ahead_building(void *user)
{
    const struct run *run = user;
    progress_set("clump %s: building kernels for this device, once", run->command->name);
    if (ahead.planned && ahead.words && !ahead.helper && sysconf(_SC_NPROCESSORS_ONLN) > 1)
        start_helper();
}

void ahead_end(void)
{
    if (ahead.helper > 0) {
        kill(ahead.helper, SIGTERM);
        waitpid(ahead.helper, NULL, 0);
    }
    ahead.helper = 0;
    free(ahead.words);
    ahead.words = NULL;
}

/* The tiny image, with one bright square, and the mask of the square. */
static enum clump_status make_images(clump_context *context, enum clump_type type,
                                     clump_image **image, clump_image **mask)
{
    static uint64_t pixels[SIDE * SIDE];
    static uint32_t bits[SIDE][SIDE / 32];
    static const size_t sizes[CLUMP_TYPE_COUNT] = {
        [CLUMP_U8] = 1,  [CLUMP_U16] = 2, [CLUMP_I16] = 2, [CLUMP_I32] = 4,
        [CLUMP_U32] = 4, [CLUMP_I64] = 8, [CLUMP_F32] = 4, [CLUMP_F64] = 8,
    };
    for (size_t row = 20; row < 40; row++) {
        /* These bytes are more than 1 in every type. */
        memset((unsigned char *)pixels + (row * SIDE + 8) * sizes[type], 0x40, 16 * sizes[type]);
        bits[row][0] = 0x00ffff00;
    }
    enum clump_status status = clump_image_upload(context, type, SIDE, SIDE, pixels, image);
    return status ? status : clump_image_upload(context, CLUMP_BITS, SIDE, SIDE, bits, mask);
}

static void erode_and_remove(clump_context *context, const clump_image *mask, uint32_t erosion,
                             uint64_t area, uint32_t connectivity)
{
    struct clump_morphology_params params = clump_morphology_defaults;
    clump_image *changed = NULL;
    params.connectivity = connectivity;
    params.min_area = area;
    params.operation = CLUMP_MORPHOLOGY_REMOVE;
    if (area > 1)
        clump_morphology(context, mask, &params, &changed);
    clump_image_destroy(&changed);
    params.operation = CLUMP_MORPHOLOGY_EROSION;
    params.footprint = (struct clump_footprint){.kind = CLUMP_FOOTPRINT_DISK, .size = erosion};
    if (erosion)
        clump_morphology(context, mask, &params, &changed);
    clump_image_destroy(&changed);
}

static void label_and_measure(clump_context *context, const clump_image *image,
                              const clump_image *mask, bool labels,
                              const struct clump_measure_params *params)
{
    clump_image *numbers = NULL;
    struct clump_region *regions = NULL;
    uint64_t count;
    struct clump_label_params joined = {.connectivity = params->connectivity};
    if (labels)
        clump_label(context, mask, &joined, &numbers, &count);
    clump_measure(context, image, numbers ? numbers : mask, params, &regions, &count);
    clump_measure_destroy(&regions);
    clump_image_destroy(&numbers);
}

static void threshold(clump_context *context, const clump_image *image)
{
    struct clump_threshold_params params = clump_threshold_defaults;
    clump_image *mask = NULL;
    params.above = 1;
    clump_threshold(context, image, &params, &mask, NULL);
    clump_image_destroy(&mask);
}

int ahead_find(struct run *run, enum clump_type type, const struct clump_find_params *params,
               bool labels)
{
    clump_image *image = NULL, *mask = NULL;
    struct clump_clip_result clip;
    struct clump_measure_params measured = clump_measure_defaults;
    measured.connectivity = params->connectivity;
    if (run_open(run) || make_images(run->context, type, &image, &mask))
        return EXIT_FAILED;
    label_and_measure(run->context, image, mask, labels, &measured);
    erode_and_remove(run->context, mask, 0, params->min_area, params->connectivity);
    threshold(run->context, image);
    clump_clip(run->context, image, &params->clip, NULL, NULL, &clip);
    clump_image_destroy(&mask);
    clump_image_destroy(&image);
    return EXIT_DONE;
}

int ahead_cells(struct run *run, enum clump_type type, const struct clump_cells_params *params,
                bool labels, bool overlay)
{
    clump_image *image = NULL, *mask = NULL, *floats = NULL, *float_mask = NULL;
    const struct clump_measure_params measured = {.connectivity = params->connectivity,
                                                  .perimeter = true,
                                                  .convex = true,
                                                  .euler = true};
    enum clump_type blurred = type == CLUMP_F64 ? CLUMP_F64 : CLUMP_F32;
    double level;
    if (run_open(run) || make_images(run->context, type, &image, &mask) ||
        make_images(run->context, blurred, &floats, &float_mask))
        return EXIT_FAILED;
    label_and_measure(run->context, image, mask, labels || overlay, &measured);
    erode_and_remove(run->context, mask, params->erosion, params->min_area, params->connectivity);
    threshold(run->context, floats);
    if (isnan(params->threshold))
        clump_otsu(run->context, floats, &level);
    clump_image_destroy(&float_mask);
    clump_image_destroy(&floats);
    clump_image_destroy(&mask);
    clump_image_destroy(&image);
    return EXIT_DONE;
}
