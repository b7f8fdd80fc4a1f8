/* SPDX-License-Identifier: MIT */
/*
 * Cells in a micrograph: the green channel, from pixels to a table and a coloured picture.
 *
 *   microscopy IMAGE TABLE.csv PICTURE.png
 */
#include <clump/clump.h>

#include <inttypes.h>
#include <stdio.h>

static enum clump_status write_all(clump_context *context, const struct clump_cells_result *cells,
                                   const clump_image *overlay, char **names)
{
    struct clump_catalog_write_params table_params = clump_catalog_write_defaults;
    struct clump_file_write_params picture_params = clump_file_write_defaults;
    clump_catalog *table = NULL;
    table_params.force = picture_params.force = true;
    enum clump_status status = clump_cells_catalog(NULL, cells, &table);
    if (!status)
        status = clump_catalog_write(table, names[0], &table_params);
    if (!status)
        status = clump_file_write(context, overlay, names[1], &picture_params);
    clump_catalog_destroy(&table);
    return status;
}

static void print(const struct clump_cells_result *cells)
{
    printf("%" PRIu64 " objects above %.6g\n", cells->count, cells->threshold);
    printf("label  area  intensity_mean  solidity\n");
    for (uint64_t i = 0; i < cells->count; i++)
        printf("%5" PRIu64 " %5" PRIu64 "  %14.4f  %8.4f\n", cells->regions[i].label,
               cells->regions[i].area, cells->regions[i].mean, cells->regions[i].solidity);
}

int main(int argc, char **argv)
{
    struct clump_file_params params = clump_file_defaults;
    struct clump_cells_result cells = {0};
    clump_context *context = NULL;
    clump_file *file = NULL;
    clump_image *image = NULL, *overlay = NULL;
    params.channel = 1;
    if (argc != 4) {
        fprintf(stderr, "usage: microscopy IMAGE TABLE.csv PICTURE.png\n");
        return 2;
    }
    int failed = clump_context_create(NULL, &context) ||
                 clump_file_open(NULL, argv[1], &params, &file) ||
                 clump_file_read(context, file, &image) ||
                 clump_cells(context, image, NULL, NULL, &overlay, &cells);
    if (!failed)
        print(&cells);
    failed = failed || write_all(context, &cells, overlay, argv + 2);
    clump_cells_release(&cells);
    clump_image_destroy(&overlay);
    clump_image_destroy(&image);
    clump_file_close(&file);
    clump_context_destroy(&context);
    return failed;
}
