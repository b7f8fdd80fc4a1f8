/* SPDX-License-Identifier: MIT */
/* The page of `clump extract --report`. */
#ifndef CLUMP_CLI_EXTRACT_REPORT_H
#define CLUMP_CLI_EXTRACT_REPORT_H

#include "run.h"

/* Writes the page as `pattern` names it (report.h). The rows of `catalog` are the objects in their
 * order; `level` is the background's, of which mesh_rows is 0 where none was measured. */
enum clump_status extract_report(struct run *run, const char *path, const struct input *input,
                                 const struct clump_extract_field_params *params,
                                 const struct clump_background_result *level,
                                 const struct clump_extract_result *found,
                                 const clump_catalog *catalog, const char *pattern, json_t *json);

#endif
