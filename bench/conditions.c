/* SPDX-License-Identifier: MIT */
/*
 * What else the machine did during a run: time that its host took away, time of other processes,
 * the processors' frequency, the load. Linux tells it in /proc/stat and in sysfs; what it does not
 * tell is NaN.
 */
#include "bench.h"

#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define FREQUENCIES "/sys/devices/system/cpu/cpu*/cpufreq/scaling_cur_freq"
#define MOST        "/sys/devices/system/cpu/cpu*/cpufreq/cpuinfo_max_freq"

/* The largest of the numbers in the files that a pattern names, kHz there, in MHz. */
static double largest_mhz(const char *pattern)
{
    glob_t found;
    double most = NAN;
    if (glob(pattern, 0, NULL, &found))
        return NAN;
    for (size_t i = 0; i < found.gl_pathc; i++)
        most = fmax(most, bench_number_in(found.gl_pathv[i]));
    globfree(&found);
    return most / 1e3;
}

/* Seconds of processor time that this process and those it has waited for have taken. */
static double own_seconds(void)
{
    double sum = 0;
    const int whose[] = {RUSAGE_SELF, RUSAGE_CHILDREN};
    for (int i = 0; i < 2; i++) {
        struct rusage usage;
        if (getrusage(whose[i], &usage))
            return NAN;
        sum += (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec +
               1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    }
    return sum;
}

void bench_conditions_read(struct bench_conditions *now)
{
    /* user nice system idle iowait irq softirq steal */
    double t[8] = {0}, tick = 1 / (double)sysconf(_SC_CLK_TCK);
    FILE *file = fopen("/proc/stat", "r");
    bool good = file && fscanf(file, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", t, t + 1, t + 2, t + 3,
                               t + 4, t + 5, t + 6, t + 7) == 8;
    if (file)
        fclose(file);
    now->busy = good ? tick * (t[0] + t[1] + t[2] + t[5] + t[6]) : (double)NAN;
    now->steal = good ? tick * t[7] : (double)NAN;
    now->all = now->busy + now->steal + tick * (t[3] + t[4]);
    now->own = own_seconds();
    now->mhz = largest_mhz(FREQUENCIES);
}

void bench_conditions_tell(const struct bench_conditions *begin, struct bench_environment *to)
{
    struct bench_conditions end;
    bench_conditions_read(&end);
    double all = end.all - begin->all;
    to->mhz = begin->mhz;
    to->mhz_end = end.mhz;
    to->mhz_most = largest_mhz(MOST);
    to->steal = all > 0 ? (end.steal - begin->steal) / all : (double)NAN;
    /* what was busy and was not this run; ticks are coarse, so a short run may come out below 0 */
    to->others =
        all > 0 ? fmax(0, (end.busy - begin->busy - (end.own - begin->own)) / all) : (double)NAN;
}
