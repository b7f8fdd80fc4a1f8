/* SPDX-License-Identifier: MIT */
/* Regions as a catalogue, with the column names of skimage.measure.regionprops_table. */
#include <clump/measure.h>

#include <stddef.h>

#include "catalog_fields.h"
#include "context.h"

#define REGION(member) offsetof(struct clump_region, member)

static const struct field shape[] = {
    {"label", NULL, "number of the region in the label image", "meta.id;meta.main", FIELD_U64,
     REGION(label)},
    {"area", "pix", "number of pixels", NULL, FIELD_U64, REGION(area)},
    {"bbox-0", "pix", "first row of the box", NULL, FIELD_U64, REGION(row_min)},
    {"bbox-1", "pix", "first column of the box", NULL, FIELD_U64, REGION(col_min)},
    {"bbox-2", "pix", "row after the box", NULL, FIELD_U64, REGION(row_max)},
    {"bbox-3", "pix", "column after the box", NULL, FIELD_U64, REGION(col_max)},
    {"centroid-0", "pix", "row of the shape's centre, from 0", NULL, FIELD_F64,
     REGION(centroid_row)},
    {"centroid-1", "pix", "column of the shape's centre, from 0", NULL, FIELD_F64,
     REGION(centroid_col)},
    {0},
};

static const struct field ellipse[] = {
    {"axis_major_length", "pix", "long axis of the ellipse of the same moments", NULL, FIELD_F64,
     REGION(axis_major)},
    {"axis_minor_length", "pix", "short axis of that ellipse", NULL, FIELD_F64, REGION(axis_minor)},
    {"orientation", "rad", "of the long axis, from the row axis", NULL, FIELD_F64,
     REGION(orientation)},
    {"eccentricity", NULL, "of that ellipse", NULL, FIELD_F64, REGION(eccentricity)},
    {0},
};

static const struct field intensity[] = {
    {"centroid_weighted-0", "pix", "row of the centre of mass, from 0", NULL, FIELD_F64,
     REGION(weighted_row)},
    {"centroid_weighted-1", "pix", "column of the centre of mass, from 0", NULL, FIELD_F64,
     REGION(weighted_col)},
    {"intensity_mean", NULL, "mean of the pixels", NULL, FIELD_F64, REGION(mean)},
    {"intensity_min", NULL, "least pixel", NULL, FIELD_F64, REGION(min)},
    {"intensity_max", NULL, "greatest pixel", NULL, FIELD_F64, REGION(max)},
    {"sum", NULL, "sum of the pixels", NULL, FIELD_F64, REGION(sum)},
    {"peak-0", "pix", "row of the greatest pixel, from 0", NULL, FIELD_U64, REGION(peak_row)},
    {"peak-1", "pix", "column of the greatest pixel, from 0", NULL, FIELD_U64, REGION(peak_col)},
    {0},
};

static const struct field spread[] = {
    {"std", NULL, "standard deviation of the pixels", NULL, FIELD_F64, REGION(std)},
    {0},
};

static const struct field perimeter[] = {
    {"perimeter", "pix", "length of the contour", NULL, FIELD_F64, REGION(perimeter)},
    {0},
};

static const struct field convex[] = {
    {"area_convex", "pix", "pixels of the convex hull", NULL, FIELD_U64, REGION(area_convex)},
    {"solidity", NULL, "area over area_convex", NULL, FIELD_F64, REGION(solidity)},
    {0},
};

static const struct field euler[] = {
    {"euler_number", NULL, "objects less holes", NULL, FIELD_I64, REGION(euler)},
    {0},
};

static enum clump_status check(const struct clump_log *log, const struct clump_region *regions,
                               uint64_t count, const struct clump_measure_params *params,
                               clump_catalog **catalog)
{
    enum clump_status status = clump_check_log("clump_measure_catalog", log);
    if (!status)
        status = clump_check_reserved(log, "clump_measure_catalog", "params", params);
    if (!status && count)
        status = clump_check_given(log, "measure", "list of regions", regions);
    return status ? status : clump_check_given(log, "measure", "place for the catalogue", catalog);
}

enum clump_status clump_measure_catalog(const struct clump_log *log,
                                        const struct clump_region *regions, uint64_t count,
                                        const struct clump_measure_params *params,
                                        clump_catalog **catalog)
{
    CLUMP_ROUNDING();
    if (!params)
        params = &clump_measure_defaults;
    const struct field *const groups[] = {shape,
                                          params->brief ? NULL : ellipse,
                                          intensity,
                                          params->brief ? NULL : spread,
                                          params->perimeter ? perimeter : NULL,
                                          params->convex ? convex : NULL,
                                          params->euler ? euler : NULL};
    clump_catalog *made = NULL;
    enum clump_status status = check(log, regions, count, params, catalog);
    if (!status)
        status = clump_catalog_create(log, "REGIONS", count, &made);
    for (size_t i = 0; i < sizeof groups / sizeof *groups && !status; i++)
        if (groups[i])
            status = clump_catalog_fields_add(made, regions, sizeof *regions, groups[i]);
    if (status)
        clump_catalog_destroy(&made);
    else
        *catalog = made;
    return status;
}
