/* SPDX-License-Identifier: MIT */
/* Catalogues: what is written, and that astropy and fitsverify agree with it. */
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "scratch.h"

static struct scratch scratch;
static clump_catalog *catalog;

static void begin(void)
{
    static const int64_t id[3] = {1, 2, INT64_C(9007199254740993)};
    static const double x[3] = {0.1, -1e300, NAN}, y[3] = {1, 2.5, 3}, a[3] = {2, 3, 4};
    static const double theta[3] = {0, 0.78539816339744828, -1};
    static const char *const name[3] = {"plain", "comma, \"quote\" & <tag>", ""};
    static const struct clump_column columns[] = {
        {"id", NULL, "number of the source", "meta.id;meta.main", CLUMP_COLUMN_I64, id},
        {"x", "pix", "column, the first is 1: \"FITS\"", "pos.cartesian.x", CLUMP_COLUMN_F64, x},
        {"y", "pix", "row, told at such a length that no card of a FITS header has room for it",
         NULL, CLUMP_COLUMN_F64, y},
        {"a", "pix", NULL, NULL, CLUMP_COLUMN_F64, a},
        {"b", "pix", NULL, NULL, CLUMP_COLUMN_F64, y},
        {"theta", "rad", NULL, NULL, CLUMP_COLUMN_F64, theta},
        {"name", NULL, "a word", NULL, CLUMP_COLUMN_TEXT, name},
    };
    scratch_begin(&scratch);
    cr_assert_eq(clump_catalog_create(&scratch.log, "SOURCES", 3, &catalog), CLUMP_OK);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        cr_assert_eq(clump_catalog_add(catalog, &columns[i]), CLUMP_OK, "%s", scratch.line);
    cr_assert_eq(clump_catalog_note(catalog, "DEVICE", "reference"), CLUMP_OK);
    cr_assert_eq(clump_catalog_note(catalog, "parameters", "kappa=3: \"strict\""), CLUMP_OK);
}

static void end(void)
{
    clump_catalog_destroy(&catalog);
    scratch_end(&scratch);
}

TestSuite(table, .init = begin, .fini = end);

static const char *slurp(const char *path)
{
    static char text[8192];
    FILE *in = fopen(path, "rb");
    cr_assert(in);
    text[fread(text, 1, sizeof text - 1, in)] = '\0';
    fclose(in);
    return text;
}

static void put(const char *name)
{
    cr_assert_eq(clump_catalog_write(catalog, scratch_path(&scratch, name), NULL), CLUMP_OK, "%s",
                 scratch.line);
}

Test(table, csv)
{
    setlocale(LC_ALL, ""); /* a comma for a point must not get in */
    put("t.csv");
    cr_expect_str_eq(slurp(scratch.path),
                     "id,x,y,a,b,theta,name\n"
                     "1,0.1,1,2,1,0,plain\n"
                     "2,-1e+300,2.5,3,2.5,0.7853981633974483,\"comma, \"\"quote\"\" & <tag>\"\n"
                     "9007199254740993,nan,3,4,3,-1,\"\"\n");
}

Test(table, regions)
{
    put("t.reg");
    const char *text = slurp(scratch.path);
    cr_expect(strstr(text, "\nimage\nellipse(0.1000,1.0000,6.0000,3.0000,0.000) # text={1}\n"),
              "%s", text);
    cr_expect(strstr(text, ",9.0000,7.5000,45.000) # text={2}\n"), "%s", text);
    cr_expect(!strstr(text, "9007199254740993"), "a source without a place was drawn");
}

/* The same table in the three formats that astropy reads back. */
static const char script[] =
    "import sys, warnings, numpy as n\n"
    "from astropy.table import Table\n"
    "warnings.simplefilter(\"error\")\n"
    "t = Table.read(sys.argv[1], format=sys.argv[2])\n"
    "assert t.colnames == \"id x y a b theta name\".split(), t.colnames\n"
    "assert len(t) == 3 and t[\"id\"][2] == 9007199254740993\n"
    "assert t[\"x\"][0] == 0.1 and t[\"x\"][1] == -1e300\n"
    "last = t[\"x\"][2]; assert last is n.ma.masked or n.isnan(last)\n"
    "assert str(t[\"x\"].unit) == \"pix\" and str(t[\"theta\"].unit) == \"rad\"\n"
    "assert str(t[\"name\"][1]) == chr(99) + \"omma, \\\"quote\\\" & <tag>\", t[\"name\"][1]\n"
    "from astropy.io import fits\n"
    "words = fits.getheader(sys.argv[1], 1)[\"TCOMM2\"] if sys.argv[2] == \"fits\" else "
    "t[\"x\"].description\n"
    "assert \"first is 1\" in words, words\n"
    "m = dict(t.meta)\n"
    "m = {k: getattr(v, \"value\", v) for k, v in m.items()}\n"
    "assert sys.argv[2] == \"votable\" or m[\"DEVICE\"] == \"reference\", m\n";

Test(table, astropy_reads_it)
{
    static const char *const cases[][2] = {{"t.ecsv", "ascii.ecsv"},
                                           {"t.fits", "fits"},
                                           {"t.vot", "votable"},
                                           {"t.fits.gz", "fits"}};
    char check[300];
    if (scratch_run(&scratch, "/usr/bin/python3 -c 'import astropy'") != 0) {
        fprintf(stderr, "SKIPPED: python3 has no astropy\n");
        return;
    }
    strcpy(check, scratch_file(&scratch, "check.py", script, sizeof script - 1));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put(cases[i][0]);
        int code =
            scratch_run(&scratch, "/usr/bin/python3 %s %s %s", check, scratch.path, cases[i][1]);
        cr_expect_eq(code, 0, "%s: %s", cases[i][0], slurp(scratch_path(&scratch, "output")));
    }
}

Test(table, fitsverify_passes_it)
{
    put("t.fits");
    int code = scratch_run(&scratch, "fitsverify %s", scratch.path);
    if (code < 0)
        fprintf(stderr, "SKIPPED: fitsverify is not installed\n");
    else
        cr_expect_eq(code, 0, "%s", slurp(scratch_path(&scratch, "output")));
}

Test(table, no_rows)
{
    static const char *const names[] = {"e.csv", "e.ecsv", "e.fits", "e.vot", "e.reg"};
    clump_catalog *empty = NULL;
    struct clump_column x = {"x", "pix", NULL, NULL, CLUMP_COLUMN_F64, NULL};
    struct clump_column y = {"y", "pix", NULL, NULL, CLUMP_COLUMN_TEXT, NULL};
    cr_assert_eq(clump_catalog_create(&scratch.log, NULL, 0, &empty), CLUMP_OK);
    cr_assert_eq(clump_catalog_add(empty, &x), CLUMP_OK);
    cr_assert_eq(clump_catalog_add(empty, &y), CLUMP_OK);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        cr_expect_eq(clump_catalog_write(empty, scratch_path(&scratch, names[i]), NULL), CLUMP_OK,
                     "%s: %s", names[i], scratch.line);
    clump_catalog_destroy(&empty);
}

Test(table, what_is_refused)
{
    struct clump_column twice = {"x", NULL, NULL, NULL, CLUMP_COLUMN_F64, &scratch};
    struct clump_column odd = {"a b", NULL, NULL, NULL, CLUMP_COLUMN_F64, &scratch};
    cr_expect_eq(clump_catalog_add(catalog, &twice), CLUMP_ERROR_ARGUMENT);
    cr_expect_eq(clump_catalog_add(catalog, &odd), CLUMP_ERROR_ARGUMENT);
    cr_expect_eq(clump_catalog_write(catalog, scratch_path(&scratch, "t.xls"), NULL),
                 CLUMP_ERROR_ARGUMENT);
    cr_expect(strstr(scratch.line, ".ecsv"), "%s", scratch.line);
    scratch_file(&scratch, "old.vot", "precious", 8);
    cr_expect_eq(clump_catalog_write(catalog, scratch.path, NULL), CLUMP_ERROR_FILE);
    cr_expect_str_eq(slurp(scratch.path), "precious");
    cr_expect_eq(clump_catalog_columns(catalog), 7);
}
