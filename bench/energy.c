/* SPDX-License-Identifier: MIT */
/*
 * Energy, where the system counts it. Processors: RAPL, which Linux shows for Intel and AMD in
 * /sys/class/powercap, in microjoules for each package (usually for root only). NVIDIA's cards:
 * their library NVML, in millijoules, opened by name if it is there and matched by the card's name.
 * A counter is of the whole package or card: what else it did meanwhile is in the figure.
 */
#include "bench.h"

#include <dlfcn.h>
#include <glob.h>
#include <math.h>
#include <string.h>

#define PACKAGES  "/sys/class/powercap/*-rapl:*/energy_uj"
#define RANGE     "max_energy_range_uj"
#define NVML      "libnvidia-ml.so.1"
#define NVML_GOOD 0

/* A package has one colon in its folder's name; what has two is a part of it. */
static bool is_package(const char *path)
{
    const char *colon = strchr(path, ':');
    return colon && !strchr(colon + 1, ':');
}

/* All packages in joules, and how far their counters go before they start again; NaN: none. */
static double processors(double *range)
{
    glob_t found;
    double sum = NAN;
    *range = 0;
    if (glob(PACKAGES, 0, NULL, &found))
        return NAN;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *path = found.gl_pathv[i];
        char other[256];
        if (!is_package(path))
            continue;
        snprintf(other, sizeof other, "%.*s" RANGE, (int)(strrchr(path, '/') + 1 - path), path);
        sum = (isnan(sum) ? 0 : sum) + 1e-6 * bench_number_in(path);
        *range += 1e-6 * bench_number_in(other);
    }
    globfree(&found);
    return sum;
}

/* The functions of NVML that are called, by its documented names and types. */
static struct {
    bool tried, there;
    int (*count)(unsigned *count);
    int (*handle)(unsigned index, void **device);
    int (*name)(void *device, char *name, unsigned room);
    int (*energy)(void *device, unsigned long long *millijoules);
} nvml;

static void *symbol(void *library, const char *name, bool *good)
{
    void *found = dlsym(library, name);
    *good &= found != NULL;
    return found;
}

static bool open_nvml(void)
{
    if (nvml.tried)
        return nvml.there;
    nvml.tried = true;
    void *library = dlopen(NVML, RTLD_NOW | RTLD_LOCAL);
    bool good = library != NULL;
    if (!good)
        return false;
    int (*start)(void);
    *(void **)&start = symbol(library, "nvmlInit_v2", &good);
    *(void **)&nvml.count = symbol(library, "nvmlDeviceGetCount_v2", &good);
    *(void **)&nvml.handle = symbol(library, "nvmlDeviceGetHandleByIndex_v2", &good);
    *(void **)&nvml.name = symbol(library, "nvmlDeviceGetName", &good);
    *(void **)&nvml.energy = symbol(library, "nvmlDeviceGetTotalEnergyConsumption", &good);
    nvml.there = good && start() == NVML_GOOD;
    return nvml.there;
}

/* The card with the device's name, in joules; NaN: there is none. */
static double card(const char *device)
{
    unsigned count = 0;
    if (!open_nvml() || nvml.count(&count) != NVML_GOOD)
        return NAN;
    for (unsigned i = 0; i < count; i++) {
        void *handle;
        char name[128] = "";
        unsigned long long millijoules;
        if (nvml.handle(i, &handle) == NVML_GOOD &&
            nvml.name(handle, name, sizeof name) == NVML_GOOD && strstr(device, name) &&
            nvml.energy(handle, &millijoules) == NVML_GOOD)
            return 1e-3 * (double)millijoules;
    }
    return NAN;
}

struct bench_energy bench_energy_read(const struct clump_device *device)
{
    struct bench_energy now = {NAN, 0};
    if (device && device->type == CLUMP_DEVICE_GPU)
        now.joules = card(device->name);
    else
        now.joules = processors(&now.range);
    return now;
}

double bench_energy_since(const struct clump_device *device, struct bench_energy begin)
{
    struct bench_energy end = bench_energy_read(device);
    double spent = end.joules - begin.joules;
    return spent < 0 ? spent + end.range : spent; /* the counter has started again */
}

const char *bench_energy_source(void)
{
    double range;
    bool packages = !isnan(processors(&range)), cards = open_nvml();
    return packages && cards ? "RAPL and NVML"
           : packages        ? "RAPL"
           : cards           ? "NVML"
                             : "not available: no RAPL counter can be read, and there is no NVML";
}
