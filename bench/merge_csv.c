/* SPDX-License-Identifier: MIT */
/* Every row of every run as CSV. */
#include "merge.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* A text in quotes where it needs them (RFC 4180); NULL is an empty field. */
static void text(FILE *out, const char *value)
{
    bool quoted = value && strpbrk(value, ",\"\r\n");
    fputc(',', out);
    if (!value)
        return;
    if (quoted)
        fputc('"', out);
    for (; *value; value++) {
        if (*value == '"')
            fputc('"', out);
        fputc(*value, out);
    }
    if (quoted)
        fputc('"', out);
}

/* A number with all its digits; what does not exist is an empty field. */
static void real(FILE *out, double value)
{
    fputc(',', out);
    if (isfinite(value))
        fprintf(out, "%.17g", value);
}

static void count(FILE *out, int64_t value)
{
    fputc(',', out);
    if (value >= 0)
        fprintf(out, "%" PRId64, value);
}

static void write_row(FILE *out, const struct bench_report *report, const char *letters,
                      const struct bench_row *row)
{
    static const char *const by[] = {"reference", "device", "peer"};
    static const char *const states[] = {"agrees", "differs", "unsupported", "failed", "other"};
    const struct bench_environment *environment = &report->environment;
    const struct bench_device_info *device = bench_device_at(report, row->device);
    bool timed = bench_is_timed(row);
    const double walls[] = {row->wall.median, row->wall.low, row->wall.high, row->wall.min,
                            row->wall.mean,   row->wall.std, row->wall.noise};
    const double others[] = {row->device_ms, row->total.runs > 0 ? row->total.median : (double)NAN,
                             row->upload_ms, row->download_ms,
                             row->first_ms,  row->joules,
                             row->gbs,       row->gflops,
                             row->limit,     row->speedup};
    fputs(letters, out);
    text(out, environment->host);
    text(out, environment->cpu);
    text(out, environment->date);
    text(out, environment->commit);
    text(out, row->name);
    text(out, row->type);
    count(out, row->rows);
    count(out, row->cols);
    text(out, by[row->by]);
    count(out, row->by == BENCH_DEVICE ? row->device : -1);
    text(out, row->by == BENCH_PEER ? row->peer.name : device ? device->name : NULL);
    text(out, row->by == BENCH_PEER ? row->peer.package : device ? device->platform : NULL);
    text(out, device ? device->driver : NULL);
    text(out, states[row->peer.state]);
    count(out, timed ? row->wall.runs : 0);
    for (size_t i = 0; i < sizeof walls / sizeof *walls; i++)
        real(out, timed ? walls[i] : (double)NAN);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        real(out, others[i]);
    fputs("\r\n", out);
}

void bench_merge_csv(FILE *out, const struct bench_merge *merge)
{
    fputs("run,host,cpu,date,commit,case,type,rows,cols,by,device,name,platform,driver,state,runs,"
          "median_ms,low_ms,high_ms,min_ms,mean_ms,std_ms,noise,device_ms,total_ms,upload_ms,"
          "download_ms,first_ms,joules,gbs,gflops,limit,speedup\r\n",
          out);
    for (size_t run = 0; run < merge->count; run++) {
        const struct bench_report *report = &merge->runs[run];
        char letters[8];
        bench_merge_letters(run, letters);
        for (size_t i = 0; i < report->row_count; i++)
            write_row(out, report, letters, &report->rows[i]);
    }
}
