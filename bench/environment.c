/* SPDX-License-Identifier: MIT */
/* What figures depend on besides the code. It is read from the system; nothing is guessed. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "commit.h"

/* The first line of a file, or "". */
static void first_line(const char *path, char *text, size_t room)
{
    FILE *file = fopen(path, "r");
    text[0] = 0;
    if (!file)
        return;
    if (!fgets(text, (int)room, file))
        text[0] = 0;
    text[strcspn(text, "\n")] = 0;
    fclose(file);
}

double bench_number_in(const char *path)
{
    double value = NAN;
    FILE *file = fopen(path, "r");
    if (!file)
        return NAN;
    if (fscanf(file, "%lf", &value) != 1)
        value = NAN;
    fclose(file);
    return value;
}

/* The processor's name: what follows "model name" in /proc/cpuinfo. */
static void processor(char *name, size_t room)
{
    char line[512];
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(name, room, "unknown");
    while (file && fgets(line, sizeof line, file)) {
        const char *value = strchr(line, ':');
        if (strncmp(line, "model name", 10) || !value)
            continue;
        snprintf(name, room, "%.*s", (int)strcspn(value + 2, "\n"), value + 2);
        break;
    }
    if (file)
        fclose(file);
}

/* "L1d 32K, L2 512K" of the first core. */
static void caches(char *text, size_t room)
{
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i < 8 && used < room; i++) {
        char path[128], level[16], kind[32], size[32];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/level", i);
        first_line(path, level, sizeof level);
        if (!*level)
            break;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/type", i);
        first_line(path, kind, sizeof kind);
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", i);
        first_line(path, size, sizeof size);
        used += (size_t)snprintf(text + used, room - used, "%sL%s%s %s", used ? ", " : "", level,
                                 *kind == 'D'   ? "d"
                                 : *kind == 'I' ? "i"
                                                : "",
                                 size);
    }
}

const char *bench_load_average(struct bench_report *report)
{
    char load[128];
    first_line("/proc/loadavg", load, sizeof load);
    return bench_keep(report, load);
}

void bench_environment(struct bench_report *report)
{
    char cpu[256], cache[256], date[32];
    struct bench_environment *environment = &report->environment;
    struct utsname name = {0};
    time_t now = time(NULL);
    struct tm utc;
    uname(&name);
    processor(cpu, sizeof cpu);
    caches(cache, sizeof cache);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    environment->clump = clump_version();
    environment->commit = CLUMP_COMMIT;
    environment->compiler = CLUMP_COMPILER;
    environment->build = CLUMP_BUILD;
    environment->date = bench_keep(report, date);
    environment->host = bench_keep(report, name.nodename);
    environment->energy = bench_energy_source();
    environment->system = bench_keep(report, name.sysname);
    environment->release = bench_keep(report, name.release);
    environment->cpu = bench_keep(report, cpu);
    environment->caches = bench_keep(report, cache);
    environment->load = bench_load_average(report);
    environment->cores = sysconf(_SC_NPROCESSORS_ONLN);
    environment->memory_gib =
        (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 1073741824.0;
}
