/* SPDX-License-Identifier: MIT */
#include "run.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const formats[] = {[CLUMP_FILE_FITS] = "FITS",
                                      [CLUMP_FILE_NPY] = "NumPy",
                                      [CLUMP_FILE_TIFF] = "TIFF",
                                      [CLUMP_FILE_PNG] = "PNG"};

static void add_count(json_t *json, const char *name, uint64_t value)
{
    json_object_set_new(json, name, json_integer((json_int_t)value));
}

static void add_beam(struct run *run, const struct clump_file_info *info, json_t *json)
{
    json_object_set_new(json, "beam_major", run_json_real(info->beam_major));
    json_object_set_new(json, "beam_minor", run_json_real(info->beam_minor));
    json_object_set_new(json, "beam_angle", run_json_real(info->beam_angle));
    json_object_set_new(json, "beam_pixels", run_json_real(info->beam_pixels));
    run_print(run, "beam         %.4g x %.4g arcsec at %.4g degrees", info->beam_major * 3600,
              info->beam_minor * 3600, info->beam_angle);
    if (info->beam_pixels > 0)
        run_print(run, ", %.5g pixels", info->beam_pixels);
    run_print(run, "\n");
}

/* "l" and "b" are what people call the galactic ones. */
static const char *native_name(const char *name)
{
    return !strcmp(name, "glon") ? "l" : !strcmp(name, "glat") ? "b" : name;
}

/* Projection, frame, size of a pixel and the sky at the middle of the image. */
static void add_sky(struct run *run, const clump_file *file, json_t *json)
{
    const struct clump_file_info *info = clump_file_info(file);
    double ra, dec;
    run_word(run, json, "projection", info->projection);
    json_object_set_new(json, "frame", run_json_text(info->frame));
    json_object_set_new(json, "equinox", run_json_real(info->equinox));
    run_print(run, "frame        %s", info->frame);
    if (isfinite(info->equinox))
        run_print(run, ", equinox %g", info->equinox);
    json_object_set_new(json, "scale",
                        json_pack("[o,o]", run_json_real(info->scale_x * 3600),
                                  run_json_real(info->scale_y * 3600)));
    run_print(run, "\npixel scale  %.5g x %.5g arcsec\n", info->scale_x * 3600,
              info->scale_y * 3600);
    double row = ((double)info->rows - 1) / 2, col = ((double)info->cols - 1) / 2;
    bool known = clump_wcs_sky(file, row, col, &ra, &dec);
    json_object_set_new(json, "centre", json_pack("[o,o]", run_json_real(ra), run_json_real(dec)));
    if (known)
        run_print(run, "centre       RA %.6f, Dec %+.6f degrees\n", ra, dec);
    else
        run_print(run, "centre       outside the projection\n");
    if (strcmp(info->lon_name, "ra") && clump_wcs_native(file, row, col, &ra, &dec)) {
        json_object_set_new(json, "centre_native",
                            json_pack("[o,o]", run_json_real(ra), run_json_real(dec)));
        run_print(run, "%s  %s %.6f, %s %+.6f degrees\n", "           ",
                  native_name(info->lon_name), ra, native_name(info->lat_name), dec);
    }
}

/* The sizes along columns, rows and slices that are known, with one unit where it is the same. */
static void print_pixel_size(struct run *run, const struct clump_file_info *info)
{
    const char *before = "";
    for (int k = 0; k < 3; k++) {
        if (!isfinite(info->pixel_size[k]))
            continue;
        bool same = k < 2 && isfinite(info->pixel_size[k + 1]) &&
                    !strcmp(info->pixel_size_unit[k], info->pixel_size_unit[k + 1]);
        run_print(run, "%s%.6g%s%s", *before ? before : "pixel size   ", info->pixel_size[k],
                  same ? "" : " ", same ? "" : info->pixel_size_unit[k]);
        before = " x ";
    }
    if (*before)
        run_print(run, "\n");
}

/* What ImageJ's or OME's description tells about the pages of a TIFF file. */
static void add_stack(struct run *run, const struct clump_file_info *info, json_t *json)
{
    json_t *sizes = json_array(), *units = json_array();
    for (int k = 0; k < 3; k++) {
        json_array_append_new(sizes, run_json_real(info->pixel_size[k]));
        json_array_append_new(units, run_json_text(info->pixel_size_unit[k]));
    }
    json_object_set_new(json, "stack",
                        json_pack("{s:o, s:o, s:I, s:I, s:I}", "writer",
                                  run_json_text(info->stack_writer), "order",
                                  run_json_text(info->stack_order), "channels",
                                  (json_int_t)info->stack_channels, "slices",
                                  (json_int_t)info->stack_slices, "frames",
                                  (json_int_t)info->stack_frames));
    json_object_set_new(json, "pixel_size", sizes);
    json_object_set_new(json, "pixel_size_unit", units);
    run_print(run,
              "axes         %" PRIu64 " channels, %" PRIu64 " slices, %" PRIu64
              " frames (%s%s%s)\n",
              info->stack_channels, info->stack_slices, info->stack_frames, info->stack_order,
              *info->stack_order ? ", " : "", info->stack_writer);
    print_pixel_size(run, info);
}

static void describe(struct run *run, const clump_file *file, json_t *json)
{
    const struct clump_file_info *info = clump_file_info(file);
    bool fits = info->format == CLUMP_FILE_FITS;
    run_word(run, json, "format", formats[info->format]);
    add_count(json, "rows", info->rows);
    add_count(json, "cols", info->cols);
    run_print(run, "shape        %" PRIu64 " x %" PRIu64 " (rows x columns)\n", info->rows,
              info->cols);
    run_word(run, json, "type", clump_type_text(info->type));
    add_count(json, "dimensions", info->dimensions);
    add_count(json, "planes", info->planes);
    add_count(json, "pages", info->pages);
    add_count(json, "page", info->page);
    add_count(json, "channels", info->channels);
    run_print(run, "dimensions   %" PRIu32 "\n", info->dimensions);
    if (info->planes > 1)
        run_print(run, "planes       %" PRIu64 "\n", info->planes);
    if (info->pages > 1 || fits)
        run_print(run, "%-12s %" PRIu64 ", of which [%" PRIu64 "] is read\n",
                  fits ? "HDUs" : "pages", info->pages, info->page);
    if (info->channels > 1)
        run_print(run, "channels     %" PRIu64 "\n", info->channels);
    if (*info->stack_writer)
        add_stack(run, info, json);
    json_object_set_new(json, "unit", run_json_text(info->unit));
    if (info->unit[0])
        run_print(run, "unit         %s\n", info->unit);
    json_object_set_new(json, "celestial", json_boolean(info->celestial));
    if (fits)
        run_print(run, "WCS          %s\n", info->celestial ? "celestial" : "none");
    if (info->celestial)
        add_sky(run, file, json);
    json_object_set_new(json, "beam", json_boolean(info->beam));
    if (info->beam)
        add_beam(run, info, json);
}

static const char *kind_of(const struct clump_file_page *page)
{
    return page->image ? clump_type_text(page->type) : page->dimensions ? "table" : "header";
}

static bool equal_pages(const struct clump_file_page *a, const struct clump_file_page *b)
{
    bool same = a->image == b->image && a->type == b->type && a->dimensions == b->dimensions &&
                !strcmp(a->name, b->name);
    for (uint32_t k = 0; same && k < a->dimensions && k < 8; k++)
        same = a->axes[k] == b->axes[k];
    return same;
}

/* One line for the equal pages from `first` to `last`. */
static void print_pages(struct run *run, const struct clump_file_page *page, uint64_t first,
                        uint64_t last)
{
    char range[64];
    if (first == last)
        snprintf(range, sizeof range, "[%" PRIu64 "]", first);
    else
        snprintf(range, sizeof range, "[%" PRIu64 "]...[%" PRIu64 "]", first, last);
    run_print(run, "  %s %-8s", range, kind_of(page));
    for (uint32_t k = 0; k < page->dimensions && k < 8; k++)
        run_print(run, "%s%" PRIu64, k ? " x " : " ", page->axes[k]);
    run_print(run, "%s%s\n", *page->name ? "  " : "", page->name);
}

static void add_page(json_t *list, const struct clump_file_page *page)
{
    json_t *item = json_object(), *axes = json_array();
    json_object_set_new(item, "name", run_json_text(page->name));
    json_object_set_new(item, "kind", run_json_text(kind_of(page)));
    json_object_set_new(item, "axes", axes);
    json_array_append_new(list, item);
    for (uint32_t k = 0; k < page->dimensions && k < 8; k++)
        json_array_append_new(axes, json_integer((json_int_t)page->axes[k]));
}

/* One object for each HDU or page, and one line for each run of equal ones. */
static enum clump_status list_pages(struct run *run, clump_file *file, json_t *json)
{
    uint64_t count = clump_file_info(file)->pages, first = 0;
    struct clump_file_page before = {0};
    json_t *list = json_array();
    json_object_set_new(json, "parts", list);
    for (uint64_t i = 0; i < count; i++) {
        struct clump_file_page page = {0};
        enum clump_status status = clump_file_page(file, i, &page);
        if (status)
            return status;
        add_page(list, &page);
        if (i > 0 && !equal_pages(&before, &page)) {
            print_pages(run, &before, first, i - 1);
            first = i;
        }
        before = page;
    }
    print_pages(run, &before, first, count - 1);
    return CLUMP_OK;
}

static enum clump_status info_file(struct run *run, const char *path, json_t *json)
{
    clump_file *file = NULL;
    enum clump_status status = clump_file_open(&run->log, path, &common.file, &file);
    if (!status)
        describe(run, file, json);
    if (!status && clump_file_info(file)->pages > 1)
        status = list_pages(run, file, json);
    clump_file_close(&file);
    return status;
}

static int run_info(struct run *run) { return run_each(run, info_file); }

const struct command command_info = {
    .name = "info",
    .summary = "Tells what is in an image file",
    .usage = "FILE...",
    .about = "Format, shape, pixel type, unit, world coordinates (projection, frame, pixel scale,\n"
             "centre) and beam of the image that the other commands would read with the same\n"
             "options, and which HDU or page that is; of TIFF files by ImageJ or OME channels,\n"
             "slices and frames, and the size of a pixel. No pixel is read.",
    .examples = "  clump info field.fits\n"
                "  clump info 'field.fits[SCI]' --json\n"
                "  clump info cube.fits --plane 3\n",
    .groups = COMMAND_READS | COMMAND_HOST,
    .least = 1,
    .most = -1,
    .run = run_info,
};
