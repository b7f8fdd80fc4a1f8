/* SPDX-License-Identifier: MIT */
#include "file/output.h"
#include "run.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "progress.h"

#define FULL_SIZE     2048
#define QUICK_SIZE    1024
#define AGREE_SIZE    256
#define FULL_SECONDS  2.0
#define QUICK_SECONDS 0.12

static struct {
    bool quick, agree, peers, tune, cases, force;
    const char *html, *save, *compare, *from, *python;
    uint64_t size;
    double seconds;
} set = {.python = "python3"};

static const struct option options[] = {
    {"quick", 0, OPTION_FLAG, &set.quick, NULL, "1024 x 1024, fewer runs: under a minute"},
    {"agree", 0, OPTION_FLAG, &set.agree, NULL,
     "compare results with the reference only, at 256 x 256; time nothing"},
    {"size", 0, OPTION_SIZE, &set.size, "N", "images of N x N (2048)"},
    {"seconds", 0, OPTION_DOUBLE, &set.seconds, "S",
     "how long one case may take on one device (2)"},
    {"peers", 0, OPTION_FLAG, &set.peers, NULL,
     "also time what one would take instead: NumPy, SciPy, scikit-image, OpenCV, SEP, astropy, as "
     "far "
     "as Python has them"},
    {"python", 0, OPTION_STRING, &set.python, "PATH", "the Python that has them (python3)"},
    {"html", 0, OPTION_STRING, &set.html, "FILE", "write a page with tables and charts"},
    {"save", 0, OPTION_STRING, &set.save, "FILE", "write what --json prints to a file"},
    {"force", 'f', OPTION_FLAG, &set.force, NULL, "replace existing files"},
    {"compare", 0, OPTION_STRING, &set.compare, "OLD.json",
     "tell what became slower since; the exit status is 1 when something did"},
    {"from", 0, OPTION_STRING, &set.from, "FILE.json", "measure nothing: tell about a saved run"},
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

/* The page of a report, or, for NULL, the JSON. */
static enum clump_status write_file(struct run *run, const char *path,
                                    const struct bench_report *page, json_t *json)
{
    struct output output;
    enum clump_status status = clump_output_begin(&run->log, path, set.force, &output);
    if (status)
        return status;
    FILE *file = fopen(output.temporary, "w");
    if (file && page)
        bench_html(file, page);
    else if (file)
        json_dumpf(json, file, JSON_REAL_PRECISION(17) | JSON_INDENT(1));
    bool failed = !file || ferror(file);
    if ((file && fclose(file)) || failed)
        status =
            run_fail(run, CLUMP_ERROR_FILE, "%s: cannot be written: %s", path, strerror(errno));
    status = clump_output_end(&output, status);
    if (!status && !common.quiet)
        fprintf(stderr, "clump bench: wrote %s\n", path);
    return status;
}

static enum clump_status compare_with(struct run *run, const struct bench_report *report)
{
    char problem[512];
    struct bench_report old = {0};
    enum clump_status status = CLUMP_OK;
    if (!bench_load(set.compare, &old, problem, sizeof problem))
        status = run_fail(run, CLUMP_ERROR_FORMAT, "--compare: %s", problem);
    else if (bench_compare(common.json ? stderr : stdout, report, &old))
        run->failed = true;
    bench_report_release(&old);
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
    settings.python = set.peers ? set.python : NULL;
    enum clump_status status = clump_device_list(&run->log, &devices, &count);
    if (!status)
        status = pick_devices(run, devices, &count);
    settings.devices = devices;
    settings.device_count = count;
    if (!status)
        status = set.tune ? bench_tune(&settings, common.json ? stderr : stdout, report)
                          : bench_run(&settings, report, &differ);
    clump_device_list_destroy(&devices);
    if (!status && differ) {
        run_fail(run, CLUMP_ERROR_OPENCL, "%zu results do not agree with the reference", differ);
        run->failed = true;
    }
    return status;
}

/* Writes what was asked for of a report. */
static enum clump_status tell_all(struct run *run, const struct bench_report *report, json_t *json)
{
    enum clump_status status = CLUMP_OK;
    progress_clear();
    bench_report_json(report, json);
    if (!common.json)
        bench_table(stdout, report);
    if (set.save)
        status = write_file(run, set.save, NULL, json);
    if (!status && set.html)
        status = write_file(run, set.html, report, NULL);
    if (!status && set.compare)
        status = compare_with(run, report);
    return status;
}

static enum clump_status bench_all(struct run *run, const char *path, json_t *json)
{
    char problem[512];
    struct bench_report report = {0};
    enum clump_status status = CLUMP_OK;
    (void)path;
    if (!set.from)
        status = measure(run, &report);
    else if (!bench_load(set.from, &report, problem, sizeof problem))
        status = run_fail(run, CLUMP_ERROR_FORMAT, "--from: %s", problem);
    if (!status && set.tune && !set.from)
        bench_tuned_json(&report, json);
    else if (!status)
        status = tell_all(run, &report, json);
    bench_report_release(&report);
    return status;
}

static int list_cases(void)
{
    for (size_t i = 0; i < bench_case_count; i++)
        printf("%-20s %s\n", bench_cases[i].name, bench_cases[i].about);
    return EXIT_DONE;
}

static int run_bench(struct run *run)
{
    if (set.cases)
        return list_cases();
    if (set.size && (set.size < 16 || set.size > 16384))
        return run_misuse(run, "--size is 16 to 16384");
    for (int i = 0; i < run->count; i++) {
        bool known = false;
        for (size_t k = 0; k < bench_case_count; k++)
            known |= strstr(bench_cases[k].name, run->operands[i]) != NULL;
        if (!known)
            return run_misuse(run, "no case is called '%s'; --cases lists them", run->operands[i]);
    }
    return run_once(run, bench_all);
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
                "  clump bench --from run.json --html run.html\n",
    .options = options,
    .groups = COMMAND_HOST,
    .most = -1,
    .run = run_bench,
};
