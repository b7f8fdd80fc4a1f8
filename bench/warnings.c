/* SPDX-License-Identifier: MIT */
/* What makes figures of a run doubtful, in sentences. */
#include "report.h"

#include <math.h>
#include <stdlib.h>

#define MOST_STEAL  0.02 /* shares of the processors' time that are not worth a word */
#define MOST_OTHERS 0.05
#define MOST_LOAD   0.5 /* processes that run or wait at the start, for each processor */
#define LEAST_MHZ   0.8 /* of the most, below which a processor is held back */
#define SAME_MHZ    0.1 /* a change of the frequency that is not worth a word */

bool bench_device_above_wall(const struct bench_row *row)
{
    return bench_is_timed(row) && row->device_ms > row->wall.median;
}

static size_t count_rows(const struct bench_report *report, bool (*is)(const struct bench_row *row))
{
    size_t count = 0;
    for (size_t i = 0; i < report->row_count; i++)
        count += report->rows[i].main && is(&report->rows[i]);
    return count;
}

static bool is_single(const struct bench_row *row)
{
    return bench_is_timed(row) && row->wall.runs == 1;
}

bool bench_warning(const struct bench_report *report, size_t index, char *text, size_t room)
{
    const struct bench_environment *e = &report->environment;
    double load = e->load ? strtod(e->load, NULL) : 0; /* of one minute, the first of three */
    size_t single = count_rows(report, is_single);
    size_t above = count_rows(report, bench_device_above_wall);
    if (e->steal > MOST_STEAL && !index--)
        snprintf(text, room, "the machine's host took %.0f %% of the processors' time away (steal)",
                 100 * e->steal);
    else if (e->others > MOST_OTHERS && !index--)
        snprintf(text, room, "other processes took %.0f %% of the processors' time",
                 100 * e->others);
    else if (load > MOST_LOAD * (double)e->cores && !index--)
        snprintf(text, room,
                 "the load average was %.2f at the start, on %.0f processors: others were busy, or "
                 "had just been",
                 load, (double)e->cores);
    else if (e->mhz_end < LEAST_MHZ * e->mhz_most && !index--)
        snprintf(text, room, "the processor ran at %.0f of %.0f MHz at the end", e->mhz_end,
                 e->mhz_most);
    else if (fabs(e->mhz_end / e->mhz - 1) > SAME_MHZ && !index--)
        snprintf(text, room, "the processor's frequency went from %.0f to %.0f MHz", e->mhz,
                 e->mhz_end);
    else if (above && !index--)
        snprintf(text, room,
                 "in %zu rows, marked !, the kernels' own times add up to more than the whole call "
                 "takes: they were taken in other runs, or kernels overlap",
                 above);
    else if (single && !index--)
        snprintf(text, room,
                 "of %zu rows there was time for one run only: how much runs differ is not known",
                 single);
    else
        return false;
    return true;
}
