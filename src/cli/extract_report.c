/* SPDX-License-Identifier: MIT */
#include "extract_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report.h"

enum fact { FACT_BACKGROUND, FACT_THRESHOLD, FACT_FOUND, FACT_SKY, FACTS };

/* An ellipse of three standard deviations around each object, as `clump find` draws them. */
static struct clump_mark *make_marks(const struct clump_extract_result *found)
{
    struct clump_mark *marks = calloc(found->count + 1, sizeof *marks);
    for (uint64_t i = 0; marks && i < found->count; i++) {
        const struct clump_object *o = &found->objects[i];
        marks[i] = (struct clump_mark){.row = o->y,
                                       .col = o->x,
                                       .a = 3 * o->a,
                                       .b = 3 * o->b,
                                       .theta = o->theta,
                                       .id = (int64_t)i + 1};
    }
    return marks;
}

static void tell(const struct input *input, const struct clump_extract_field_params *params,
                 const struct clump_background_result *level,
                 const struct clump_extract_result *found, struct report_fact facts[FACTS])
{
    const size_t room = sizeof facts->value;
    facts[FACT_BACKGROUND].name = "background";
    facts[FACT_THRESHOLD].name = "threshold";
    facts[FACT_FOUND].name = "objects";
    facts[FACT_SKY].name = "sky";
    if (level->mesh_rows)
        snprintf(facts[FACT_BACKGROUND].value, room,
                 "%.*g %s, rms %.4g, in %" PRIu64 " x %" PRIu64 " boxes",
                 run_digits(level->level, level->rms), level->level, input->info->unit, level->rms,
                 level->mesh_rows, level->mesh_cols);
    else
        snprintf(facts[FACT_BACKGROUND].value, room, "none measured");
    snprintf(facts[FACT_THRESHOLD].value, room, "%g of the noise of each pixel%s",
             params->extract.low > 0 ? params->extract.low : params->extract.thresh,
             params->extract.negative ? ", of the negative" : "");
    snprintf(facts[FACT_FOUND].value, room,
             "%" PRIu64 " sources, %" PRIu64 " after deblending, %" PRIu64 " after cleaning",
             found->sources, found->deblended, found->count);
    snprintf(facts[FACT_SKY].value, room, "%s",
             *input->info->frame ? input->info->frame : "no coordinates");
}

/* Shows faint objects beside bright ones, and the pixels around the level in the histogram. A
 * negative has its objects below the level. */
static void scale(struct report *page, const struct clump_extract_field_params *params,
                  double level, double noise)
{
    double threshold = params->extract.thresh;
    bool down = params->extract.negative;
    page->level = level;
    page->threshold = level + (down ? -threshold : threshold) * noise;
    page->low = level - (down ? threshold + 15 : 5) * noise;
    page->high = level + (down ? 5 : threshold + 15) * noise;
    if (!(noise > 0))
        return;
    page->render.stretch = down ? CLUMP_RENDER_STRETCH_LINEAR : CLUMP_RENDER_STRETCH_ASINH;
    page->render.low = level - (down ? 10 : 1) * noise;
    page->render.high = level + (down ? 10 : 40) * noise;
}

enum clump_status extract_report(struct run *run, const char *path, const struct input *input,
                                 const struct clump_extract_field_params *params,
                                 const struct clump_background_result *level,
                                 const struct clump_extract_result *found,
                                 const clump_catalog *catalog, const char *pattern, json_t *json)
{
    struct report_fact facts[FACTS];
    struct clump_mark *marks = make_marks(found);
    if (!marks)
        return run_fail(run, CLUMP_ERROR_MEMORY, "no memory for the picture's marks");
    struct report page = {.what = "objects",
                          .key = "id",
                          .table = catalog,
                          .marks = marks,
                          .render = clump_render_defaults,
                          .facts = facts,
                          .fact_count = FACTS};
    page.render.file = input->file;
    tell(input, params, level, found, facts);
    scale(&page, params, level->level, level->mesh_rows ? level->rms : params->extract.noise);
    enum clump_status status = run_report(run, &page, pattern, path, input, json);
    free(marks);
    return status;
}
