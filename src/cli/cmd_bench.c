/* SPDX-License-Identifier: MIT */
#include "file/output.h"
#include "run.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bench.h"
#include "merge.h"
#include "places.h"
#include "progress.h"

#define FULL_SIZE     2048
#define QUICK_SIZE    1024
#define AGREE_SIZE    256
#define FULL_SECONDS  2.0
#define QUICK_SECONDS 0.12

static struct {
    bool quick, agree, peers, tune, cases, force, merge;
    const char *html, *csv, *markdown, *save, *compare, *python, *image, *history;
    struct option_strings from;
    uint64_t size;
    double seconds;
} set;

static const struct option options[] = {
    {"quick", 0, OPTION_FLAG, &set.quick, NULL, "1024 x 1024, fewer runs: under a minute"},
    {"agree", 0, OPTION_FLAG, &set.agree, NULL,
     "compare results with the reference only, at 256 x 256; time nothing"},
    {"size", 0, OPTION_SIZE, &set.size, "N", "images of N x N (2048)"},
    {"image", 0, OPTION_STRING, &set.image, "FILE",
     "your own image, as float32, in the place of the cases' pictures: stats, clip, otsu, "
     "gaussian, find, cells, background, extract and two convolutions"},
    {"seconds", 0, OPTION_DOUBLE, &set.seconds, "S",
     "how long one case may take on one device (2)"},
    {"peers", 0, OPTION_FLAG, &set.peers, NULL,
     "also time what one would take instead: NumPy, SciPy, scikit-image, OpenCV, SEP, astropy, "
     "photutils, CuPy, cuCIM, pyclesperanto, as far as Python has them, and source-extractor"},
    {"python", 0, OPTION_STRING, &set.python, "PATH",
     "the Python that has them (python3, or /usr/bin/python3 where that has no NumPy)"},
    {"html", 0, OPTION_STRING, &set.html, "FILE", "write a page with tables and charts"},
    {"csv", 0, OPTION_STRING, &set.csv, "FILE", "write every figure as CSV; -: to stdout"},
    {"markdown", 0, OPTION_STRING, &set.markdown, "FILE",
     "write tables for a document; -: to stdout"},
    {"save", 0, OPTION_STRING, &set.save, "FILE",
     "write what --json prints to a file, or into a folder as DATE-COMMIT.json"},
    {"force", 'f', OPTION_FLAG, &set.force, NULL, "replace existing files"},
    {"compare", 0, OPTION_STRING, &set.compare, "OLD.json",
     "tell what became slower since; the exit status is 1 when something did, or when the two runs "
     "have nothing in common"},
    {"from", 0, OPTION_STRINGS, &set.from, "FILE.json",
     "measure nothing: tell about a saved run; given again, about all of them side by side"},
    {"merge", 0, OPTION_FLAG, &set.merge, NULL,
     "measure nothing: the operands are saved runs, to be put side by side"},
    {"history", 0, OPTION_STRING, &set.history, "FOLDER",
     "measure nothing: tell what changed from run to run of a folder, and at which commit"},
    {"tune", 0, OPTION_FLAG, &set.tune, NULL,
     "try parameters of convolution, statistics and labels on the devices; keep the best for "
     "every later use of them"},
    {"cases", 0, OPTION_FLAG, &set.cases, NULL, "list the cases"},
    {0},
};

/* Up to 4096 the cost per pixel is worth seeing; beyond, the reference takes its time. */
static const uint64_t full_sizes[] = {256, 512, 1024, 2048, 4096, 0};
static const uint64_t quick_sizes[] = {256, 0};

static void tell(const char *format, ...)
{
    char text[256];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    progress_set("%s", text);
}

/* The devices that one word of --device names: "all", or what every command takes. */
static enum clump_status choose(struct run *run, const struct clump_device *devices, size_t count,
                                const char *name, bool *chosen)
{
    size_t index = 0;
    if (name && !strcmp(name, "all")) {
        for (size_t i = 0; i < count; i++)
            chosen[i] = true;
        return CLUMP_OK;
    }
    enum clump_status status = clump_device_choose(&run->log, devices, count, name, &index, NULL);
    if (!status)
        chosen[index] = true;
    return status;
}

/* Moves the chosen devices to the front; the reference takes part in any case. */
static enum clump_status pick_devices(struct run *run, struct clump_device *devices, size_t *count)
{
    bool *chosen = calloc(*count, sizeof *chosen);
    char *names = common.device ? strdup(common.device) : NULL, *rest = names;
    if (!chosen || (common.device && !names)) {
        free(names);
        free(chosen);
        return run_fail(run, CLUMP_ERROR_MEMORY, "out of memory");
    }
    enum clump_status status = CLUMP_OK;
    if (!names)
        status = choose(run, devices, *count, NULL, chosen);
    for (char *name; !status && (name = strsep(&rest, ","));)
        status = choose(run, devices, *count, name, chosen);
    size_t kept = 0;
    for (size_t i = 0; i < *count && !status; i++)
        if (chosen[i] && devices[i].type != CLUMP_DEVICE_REFERENCE)
            devices[kept++] = devices[i];
    *count = kept;
    free(names);
    free(chosen);
    return status;
}

/* What a file is written of: the runs, and their JSON. */
struct content {
    const struct bench_merge *merge;
    json_t *json;
};

static void write_html(FILE *file, const struct content *content)
{
    if (content->merge->count == 1)
        bench_html(file, &content->merge->runs[0]);
    else
        bench_merge_html(file, content->merge);
}

static void write_csv(FILE *file, const struct content *content)
{
    bench_merge_csv(file, content->merge);
}

static void write_markdown(FILE *file, const struct content *content)
{
    bench_merge_markdown(file, content->merge);
}

static void write_json(FILE *file, const struct content *content)
{
    json_dumpf(content->json, file, JSON_REAL_PRECISION(17) | JSON_INDENT(1));
}

/* Does nothing where `path` is NULL. */
static enum clump_status write_file(struct run *run, const char *path,
                                    void (*writer)(FILE *file, const struct content *content),
                                    const struct content *content)
{
    struct output output;
    if (!path)
        return CLUMP_OK;
    if (run_to_stdout(path)) {
        writer(stdout, content);
        return CLUMP_OK;
    }
    enum clump_status status = clump_output_begin(&run->log, path, set.force, &output);
    if (status)
        return status;
    FILE *file = fopen(output.temporary, "w");
    if (file)
        writer(file, content);
    bool failed = !file || ferror(file);
    if ((file && fclose(file)) || failed)
        status =
            run_fail(run, CLUMP_ERROR_FILE, "%s: cannot be written: %s", path, strerror(errno));
    status = clump_output_end(&output, status);
    if (!status && !common.quiet)
        fprintf(stderr, "clump bench: wrote %s\n", path);
    return status;
}

static bool is_folder(const char *path)
{
    struct stat about;
    return path && !stat(path, &about) && S_ISDIR(about.st_mode);
}

/* --save: the file, or in a folder one that is called by date and commit. */
static const char *saved_as(const struct bench_report *report, char *path, size_t room)
{
    if (!is_folder(set.save))
        return set.save;
    size_t at = (size_t)snprintf(path, room, "%s/", set.save);
    const char *date = report->environment.date;
    for (; *date && at + 1 < room; date++) /* colons are no good in names */
        if (*date != ':')
            path[at++] = *date;
    snprintf(path + at, room - at, "-%s.json", report->environment.commit);
    return path;
}

static enum clump_status compare_with(struct run *run, const struct bench_report *report)
{
    char problem[512];
    struct bench_report old = {0};
    size_t compared = 0;
    enum clump_status status = CLUMP_OK;
    if (!bench_load(set.compare, &old, problem, sizeof problem))
        status = run_fail(run, CLUMP_ERROR_FORMAT, "--compare: %s", problem);
    else if (bench_compare(common.json ? stderr : stdout, report, &old, &compared))
        run->failed = true;
    if (!status && !compared) {
        run_fail(run, CLUMP_ERROR_ARGUMENT,
                 "--compare: nothing was compared: %s has no timed case of the same size on the "
                 "same device",
                 set.compare);
        run->failed = true;
    }
    bench_report_release(&old);
    return status;
}

static enum clump_status load_image(struct run *run, struct bench_settings *settings)
{
    struct clump_context_params params = clump_context_defaults;
    clump_context *reference = NULL;
    params.log = run->log;
    params.device = "reference";
    enum clump_status status = clump_context_create(&params, &reference);
    if (!status)
        status = bench_own_load(reference, &run->log, set.image, &common.file, &settings->size);
    clump_context_destroy(&reference);
    return status;
}

static enum clump_status measure(struct run *run, struct bench_report *report)
{
    struct clump_device *devices = NULL;
    size_t count = 0, differ = 0;
    struct bench_settings settings = {.log = run->log,
                                      .names = run->operands,
                                      .name_count = run->count,
                                      .tell = tell};
    settings.size = set.size    ? set.size
                    : set.agree ? AGREE_SIZE
                    : set.quick ? QUICK_SIZE
                                : FULL_SIZE;
    settings.sizes = set.agree ? NULL : set.quick ? quick_sizes : full_sizes;
    settings.seconds = set.seconds > 0 ? set.seconds : set.quick ? QUICK_SECONDS : FULL_SECONDS;
    settings.runs = set.quick ? 1 : 3;
    settings.agree_only = set.agree;
    settings.peers = set.peers;
    settings.python = set.python;
    settings.image = set.image ? set.image : "";
    enum clump_status status = clump_device_list(&run->log, &devices, &count);
    if (!status)
        status = pick_devices(run, devices, &count);
    settings.devices = devices;
    settings.device_count = count;
    if (!status && set.image)
        status = load_image(run, &settings);
    if (!status)
        status = set.tune ? bench_tune(&settings, common.json ? stderr : stdout, report)
                          : bench_run(&settings, report, &differ);
    clump_device_list_destroy(&devices);
    bench_own_release();
    if (!status && differ) {
        run_fail(run, CLUMP_ERROR_OPENCL, "%zu results do not agree with the reference", differ);
        run->failed = true;
    }
    return status;
}

/* Writes what was asked for of the runs. */
static enum clump_status tell_all(struct run *run, const struct bench_merge *merge, json_t *json)
{
    const struct content content = {merge, json};
    const struct bench_report *report = &merge->runs[0];
    char path[PATH_MAX];
    bool silent = common.json || run_to_stdout(set.csv) || run_to_stdout(set.markdown);
    progress_clear();
    if (merge->count == 1)
        bench_report_json(report, json);
    else
        bench_merge_json(merge, json);
    if (!silent && merge->count == 1)
        bench_table(stdout, report);
    else if (!silent)
        bench_merge_table(stdout, merge);
    enum clump_status status =
        write_file(run, saved_as(report, path, sizeof path), write_json, &content);
    if (!status)
        status = write_file(run, set.html, write_html, &content);
    if (!status)
        status = write_file(run, set.csv, write_csv, &content);
    if (!status)
        status = write_file(run, set.markdown, write_markdown, &content);
    if (!status && set.compare && merge->count > 1)
        return run_fail(run, CLUMP_ERROR_ARGUMENT,
                        "--compare is of one run, and there are %zu side by side", merge->count);
    if (!status && set.compare)
        status = compare_with(run, report);
    return status;
}

static enum clump_status add_file(struct run *run, struct bench_merge *merge, const char *option,
                                  const char *path)
{
    char problem[512];
    if (bench_merge_add(merge, path, problem, sizeof problem))
        return CLUMP_OK;
    return run_fail(run, CLUMP_ERROR_FORMAT, "%s: %s", option, problem);
}

/* The saved runs that were asked for, or one that is made now. */
static enum clump_status gather(struct run *run, struct bench_merge *merge)
{
    enum clump_status status = CLUMP_OK;
    for (size_t i = 0; i < set.from.count && !status; i++)
        status = add_file(run, merge, "--from", set.from.values[i]);
    for (int i = 0; set.merge && i < run->count && !status; i++)
        status = add_file(run, merge, "--merge", run->operands[i]);
    if (status || merge->count)
        return status;
    merge->runs = calloc(1, sizeof *merge->runs);
    if (!merge->runs)
        return run_fail(run, CLUMP_ERROR_MEMORY, "out of memory");
    merge->count = 1;
    return measure(run, &merge->runs[0]);
}

static enum clump_status bench_all(struct run *run, const char *path, json_t *json)
{
    struct bench_merge merge = {0};
    enum clump_status status = gather(run, &merge);
    (void)path;
    if (!status && !bench_merge_finish(&merge))
        status = run_fail(run, CLUMP_ERROR_MEMORY, "out of memory");
    if (!status && set.tune)
        bench_tuned_json(&merge.runs[0], json);
    else if (!status)
        status = tell_all(run, &merge, json);
    bench_merge_release(&merge);
    return status;
}

static enum clump_status tell_history(struct run *run, const char *path, json_t *json)
{
    struct bench_merge merge = {0};
    char pattern[PATH_MAX];
    glob_t found = {0};
    enum clump_status status = CLUMP_OK;
    (void)path;
    snprintf(pattern, sizeof pattern, "%s/*.json", set.history);
    if (glob(pattern, 0, NULL, &found))
        status =
            run_fail(run, CLUMP_ERROR_FILE, "--history: %s holds no run, FILE.json", set.history);
    for (size_t i = 0; i < found.gl_pathc && !status; i++)
        status = add_file(run, &merge, "--history", found.gl_pathv[i]);
    globfree(&found);
    size_t compared = status ? 0 : bench_history(common.json ? stderr : stdout, &merge);
    if (!status)
        json_object_set_new(json, "compared", json_integer((json_int_t)compared));
    if (!status && !compared) {
        run_fail(run, CLUMP_ERROR_ARGUMENT,
                 "--history: nothing was compared: no two runs of %s have a case in common",
                 set.history);
        run->failed = true;
    }
    bench_merge_release(&merge);
    return status;
}

static int list_cases(void)
{
    for (size_t i = 0; i < bench_case_count; i++)
        printf("%-20s %s\n", bench_cases[i].name, bench_cases[i].about);
    return EXIT_DONE;
}

/* EXIT_USAGE where the operands are no cases that can be run. */
static int check_cases(const struct run *run)
{
    for (int i = 0; i < run->count; i++) {
        bool known = false, fits = !set.image;
        for (size_t k = 0; k < bench_case_count; k++)
            if (strstr(bench_cases[k].name, run->operands[i])) {
                known = true;
                fits |= bench_own_has(bench_cases[k].name);
            }
        if (!known)
            return run_misuse(run, "no case is called '%s'; --cases lists them", run->operands[i]);
        if (!fits)
            return run_misuse(run, "'%s' is not for --image: its input is no plain image",
                              run->operands[i]);
    }
    return EXIT_DONE;
}

/* EXIT_USAGE where two options do not go together. */
static int check_options(const struct run *run)
{
    bool saved = set.merge || set.from.count || set.history;
    if (set.size && (set.size < 16 || set.size > 16384))
        return run_misuse(run, "--size is 16 to 16384");
    if (set.size && set.image)
        return run_misuse(run, "--image has its own size: leave --size out");
    if (saved && (set.tune || set.agree || set.peers || set.image))
        return run_misuse(run, "saved runs are not measured again: leave --tune, --agree, --peers "
                               "and --image out");
    if (set.merge && !run->count && !set.from.count)
        return run_misuse(run, "--merge wants saved runs: clump bench --merge A.json B.json");
    if (set.compare && (set.merge || set.from.count > 1))
        return run_misuse(run, "--compare is of one run, not of several side by side");
    return EXIT_DONE;
}

static int run_bench(struct run *run)
{
    if (set.cases)
        return list_cases();
    int status = check_options(run);
    if (!status && !set.merge)
        status = check_cases(run);
    if (status)
        return status;
    if (set.save && !is_folder(set.save))
        places_add("--save", set.save, NULL);
    for (int i = 0; set.merge && i < run->count; i++)
        places_add_input(run->operands[i]);
    places_add("--html", set.html, NULL);
    places_add("--csv", set.csv, NULL);
    places_add("--markdown", set.markdown, NULL);
    common.force = set.force;
    status = places_check(run, false);
    if (status)
        return status;
    status = run_once(run, set.history ? tell_history : bench_all);
    free(set.from.values);
    return status;
}

const struct command command_bench = {
    .name = "bench",
    .summary = "Times every operation on devices, against the reference and against peers",
    .usage = "[CASE...]",
    .about = "Each case is run on the devices of --device (several parted by commas, or all) and\n"
             "on the reference, in turns, until the medians are steady. No time is shown for a\n"
             "result that does not agree with the reference, and the exit status is then 1.",
    .examples = "  clump bench --quick\n"
                "  clump bench --device all --peers --save run.json --html run.html\n"
                "  clump bench label convolve --size 4096\n"
                "  clump bench --compare run.json\n"
                "  clump bench --from run.json --html run.html\n"
                "  clump bench --merge desk.json server.json --html devices.html\n"
                "  clump bench find --image field.fits --peers\n"
                "  clump bench --history runs/\n",
    .options = options,
    .groups = COMMAND_HOST,
    .most = -1,
    .run = run_bench,
};
