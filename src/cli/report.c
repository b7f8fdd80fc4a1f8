/* SPDX-License-Identifier: MIT */
#include "file/output.h"
#include "report.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "page.h"
#include "scratch.h"

#define ROWS 2000 /* rows that the table shows at most: nobody reads more on a page */

static const char style[] =
    ".sky{position:relative;max-width:100%;background:#000}"
    ".sky img,.sky svg{display:block;width:100%;height:auto}"
    ".sky img{image-rendering:pixelated}.sky svg{position:absolute;inset:0;height:100%}"
    ".sky ellipse{fill:transparent;stroke:#0a4;stroke-width:1.5;vector-effect:non-scaling-stroke}"
    ".sky a:hover ellipse,.sky .on ellipse,.sky g:target ellipse{stroke:#e0007a;stroke-width:4}"
    "tbody tr{cursor:pointer}tbody tr.on td,tbody tr:target td{background:#e0007a33}"
    "th button{all:unset;cursor:pointer}th button:focus-visible{outline:2px solid var(--d0)}"
    "th[aria-sort=ascending]::after{content:' \\2191'}th[aria-sort=descending]::after{content:' "
    "\\2193'}.table{max-height:32rem;overflow:auto}thead th{position:sticky;top:0;"
    "background:var(--card)}"
    ".bins{fill:var(--d0)}.level{stroke:var(--d2)}.threshold{stroke:var(--d1)}"
    "@media print{.table{max-height:none;overflow:visible}.table table{font-size:5pt}"
    ".table th,.table td{padding:.05rem .15rem}.sky{max-width:14cm}}\n";

static const char script[] =
    "const body=document.querySelector('tbody');"
    "function choose(number){for(const e of document.querySelectorAll('.on'))"
    "e.classList.remove('on');"
    "const row=document.getElementById('r'+number),mark=document.getElementById('m'+number);"
    "if(row)row.classList.add('on');if(mark)mark.classList.add('on');return[row,mark]}"
    "body.addEventListener('click',e=>{const row=e.target.closest('tr');if(!row)return;"
    "e.preventDefault();const[,mark]=choose(row.id.slice(1));"
    "if(mark)mark.scrollIntoView({block:'center'})});"
    "document.querySelector('.sky svg').addEventListener('click',e=>{"
    "const mark=e.target.closest('g');if(!mark)return;e.preventDefault();"
    "const[row]=choose(mark.id.slice(1));if(row)row.scrollIntoView({block:'center'})});"
    "document.querySelectorAll('thead th').forEach((head,i)=>{"
    "head.innerHTML='<button>'+head.innerHTML+'</button>';"
    "head.addEventListener('click',()=>{const up=head.getAttribute('aria-sort')=='descending';"
    "for(const h of head.parentNode.children)h.removeAttribute('aria-sort');"
    "head.setAttribute('aria-sort',up?'ascending':'descending');"
    "const of=r=>{const v=parseFloat(r.cells[i].dataset.v);return isNaN(v)?-Infinity:v};"
    "body.append(...[...body.rows].sort((a,b)=>(of(b)-of(a)||0)*(up?-1:1)))})});";

static double value_of(const struct clump_column *column, uint64_t row)
{
    return column->type == CLUMP_COLUMN_I64 ? (double)((const int64_t *)column->values)[row]
                                            : ((const double *)column->values)[row];
}

static int64_t number_of(const struct report *report, uint64_t row)
{
    return (int64_t)value_of(clump_catalog_find(report->table, report->key), row);
}

static uint64_t row_count(const struct report *report)
{
    uint64_t rows = clump_catalog_rows(report->table);
    return rows < ROWS ? rows : ROWS;
}

static void put_base64(FILE *out, const unsigned char *bytes, size_t count)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < count; i += 3) {
        size_t left = count - i;
        uint32_t word = (uint32_t)bytes[i] << 16 | (uint32_t)(left > 1 ? bytes[i + 1] : 0) << 8 |
                        (left > 2 ? bytes[i + 2] : 0);
        char text[4] = {digits[word >> 18], digits[word >> 12 & 63],
                        left > 1 ? digits[word >> 6 & 63] : '=',
                        left > 2 ? digits[word & 63] : '='};
        fwrite(text, 1, sizeof text, out);
    }
}

/* Puts a picture into the page, as the bytes of a PNG file. */
static enum clump_status put_png(struct run *run, FILE *out, const clump_image *picture)
{
    unsigned char bytes[3 * 8192];
    size_t count;
    const char *name = scratch_name("png");
    if (!name)
        return run_fail(run, CLUMP_ERROR_FILE, "a temporary file cannot be made: %s",
                        strerror(errno));
    enum clump_status status = clump_file_write(run->context, picture, name, NULL);
    FILE *in = status ? NULL : fopen(name, "rb");
    while (in && (count = fread(bytes, 1, sizeof bytes, in)) > 0)
        put_base64(out, bytes, count);
    if (!status && (!in || ferror(in)))
        status = run_fail(run, CLUMP_ERROR_FILE, "%s: cannot be read: %s", name, strerror(errno));
    if (in)
        fclose(in);
    scratch_remove();
    return status;
}

/* The picture, and over it the marks in the image's own pixels. */
static enum clump_status put_picture(struct run *run, FILE *out, const struct report *report,
                                     const struct input *input)
{
    clump_image *picture = NULL;
    uint64_t rows = clump_image_rows(input->image), cols = clump_image_cols(input->image);
    bool up = input->info->format == CLUMP_FILE_FITS;
    enum clump_status status = clump_render(run->context, input->image, &report->render, &picture);
    if (status)
        return status;
    fprintf(out,
            "<div class=\"sky\"><img alt=\"the image\" width=\"%" PRIu64 "\" height=\"%" PRIu64
            "\" src=\"data:image/png;base64,",
            cols, rows);
    status = put_png(run, out, picture);
    clump_image_destroy(&picture);
    fprintf(out,
            "\">\n<svg viewBox=\"0 0 %" PRIu64 " %" PRIu64 "\" preserveAspectRatio=\"none\">\n",
            cols, rows);
    for (uint64_t i = 0; i < row_count(report); i++) {
        const struct clump_mark *mark = &report->marks[i];
        double turn = (isfinite(mark->theta) ? mark->theta : 0) * 180 / acos(-1.0) * (up ? -1 : 1);
        double least = fmax((double)cols, (double)rows) / 150;
        if (!isfinite(mark->row) || !isfinite(mark->col))
            continue;
        fprintf(out,
                "<a href=\"#r%" PRId64 "\"><g id=\"m%" PRId64 "\"><title>%" PRId64 "</title>"
                "<ellipse rx=\"%.2f\" ry=\"%.2f\" transform=\"translate(%.2f %.2f) rotate(%.2f)\"/>"
                "</g></a>\n",
                number_of(report, i), number_of(report, i), number_of(report, i),
                isfinite(mark->a) ? fmax(mark->a, least) : least,
                isfinite(mark->b) ? fmax(mark->b, least) : least, mark->col + 0.5,
                up ? (double)rows - mark->row - 0.5 : mark->row + 0.5, turn);
    }
    fputs("</svg></div>\n", out);
    return status;
}

static void put_table(FILE *out, const struct report *report)
{
    const clump_catalog *table = report->table;
    size_t columns = clump_catalog_columns(table);
    uint64_t all = clump_catalog_rows(table), rows = row_count(report);
    fputs("<div class=\"wide table\"><table><thead><tr>", out);
    for (size_t c = 0; c < columns; c++) {
        const struct clump_column *column = clump_catalog_column(table, c);
        fputs("<th scope=\"col\" title=\"", out);
        page_text(out, column->description ? column->description : "");
        fputs("\">", out);
        page_text(out, column->name);
        if (column->unit) {
            fputs("<br><small>", out);
            page_text(out, column->unit);
            fputs("</small>", out);
        }
        fputs("</th>", out);
    }
    fputs("</tr></thead>\n<tbody>\n", out);
    for (uint64_t i = 0; i < rows; i++) {
        int64_t number = number_of(report, i);
        fprintf(out, "<tr id=\"r%" PRId64 "\">", number);
        for (size_t c = 0; c < columns; c++) {
            const struct clump_column *column = clump_catalog_column(table, c);
            double value = value_of(column, i);
            value = isnan(value) ? NAN : value; /* without a sign */
            fprintf(out, "<td data-v=\"%.17g\">", value);
            if (!strcmp(column->name, report->key))
                fprintf(out, "<a href=\"#m%" PRId64 "\">%" PRId64 "</a>", number, number);
            else
                fprintf(out, column->type == CLUMP_COLUMN_I64 ? "%.0f" : "%.9g", value);
            fputs("</td>", out);
        }
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
    if (all > rows)
        fprintf(out, "<p>And %" PRIu64 " more, which are in the catalogue.</p>\n", all - rows);
}

static int bin_count(const struct report *report)
{
    return report->bins ? report->bins : REPORT_BINS;
}

/* Counts the pixels of each bin between low and high. */
static enum clump_status count_bins(struct run *run, const struct report *report,
                                    const clump_image *image, uint64_t bins[REPORT_BINS])
{
    clump_image *floats = NULL;
    void *mapped;
    enum clump_status status = clump_convert(run->context, image, CLUMP_F32, &floats);
    if (!status)
        status = clump_image_map(floats, CLUMP_IMAGE_READ, &mapped);
    if (!status) {
        uint64_t count = clump_image_rows(image) * clump_image_cols(image);
        int most = bin_count(report);
        double scale = most / (report->high - report->low);
        for (uint64_t i = 0; i < count; i++) {
            double place = (((const float *)mapped)[i] - report->low) * scale;
            if (place >= 0 && place < most)
                bins[(int)place]++;
        }
        status = clump_image_unmap(floats);
    }
    clump_image_destroy(&floats);
    return status;
}

static void put_line(FILE *out, const struct report *report, double value, const char *name,
                     double top)
{
    double x = (value - report->low) / (report->high - report->low) * 500;
    if (!(x >= 0 && x <= 500))
        return;
    fprintf(out,
            "<line class=\"%s\" stroke-width=\"2\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.0f\" "
            "y2=\"160\"/><text x=\"%.1f\" y=\"%.0f\">%s %.6g</text>\n",
            name, x, x, top, x < 300 ? x + 4 : x - 150, top + 10, name, value);
}

/* Bars as high as the logarithm of their count, with the level and the threshold. */
static enum clump_status put_histogram(struct run *run, FILE *out, const struct report *report,
                                       const clump_image *image)
{
    uint64_t bins[REPORT_BINS] = {0}, most = 1;
    int count = bin_count(report);
    double wide = 500.0 / count;
    if (!(report->high > report->low))
        return CLUMP_OK;
    enum clump_status status = count_bins(run, report, image, bins);
    if (status)
        return status;
    for (int i = 0; i < count; i++)
        most = bins[i] > most ? bins[i] : most;
    fputs("<h2>Histogram</h2>\n<p class=\"faint\">Pixels for each value; the height is the "
          "logarithm of the number.</p>\n<svg class=\"histogram\" viewBox=\"-5 -5 510 195\" "
          "role=\"img\" aria-label=\"histogram of the pixels\">\n",
          out);
    for (int i = 0; i < count; i++) {
        double height = 130 * log1p((double)bins[i]) / log1p((double)most);
        fprintf(out, "<rect class=\"bins\" x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\"/>",
                wide * i, 160 - height, 0.9 * wide, height);
    }
    put_line(out, report, report->level, "level", 0);
    put_line(out, report, report->threshold, "threshold", 14);
    fprintf(out,
            "<text class=\"axis\" x=\"0\" y=\"178\">%.6g</text>"
            "<text class=\"axis\" x=\"500\" y=\"178\" text-anchor=\"end\">%.6g</text></svg>\n",
            report->low, report->high);
    return CLUMP_OK;
}

static void put_fact(FILE *out, const char *name, const char *value)
{
    fputs("<dt>", out);
    page_text(out, name);
    fputs("</dt><dd>", out);
    page_text(out, value);
    fputs("</dd>\n", out);
}

static void put_origin(struct run *run, FILE *out, const char *path)
{
    char date[40];
    time_t now = time(NULL);
    struct tm parts;
    strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S UTC", gmtime_r(&now, &parts));
    fputs("<h2>Where it comes from</h2>\n<dl>\n", out);
    put_fact(out, "file", path);
    put_fact(out, "command", run->history);
    put_fact(out, "program", "clump " CLUMP_VERSION);
    put_fact(out, "device", clump_context_device(run->context)->name);
    put_fact(out, "date", date);
    fputs("</dl>\n", out);
}

static enum clump_status put_page(struct run *run, FILE *out, const struct report *report,
                                  const char *path, const struct input *input)
{
    char title[400];
    snprintf(title, sizeof title, "%" PRIu64 " %s in %.300s", clump_catalog_rows(report->table),
             report->what, path);
    page_begin(out, title, style);
    enum clump_status status = put_picture(run, out, report, input);
    fprintf(out,
            "<h2>Table</h2>\n<p class=\"faint\">A row points to its mark, a mark to its row; a "
            "click on a name sorts.</p>\n");
    put_table(out, report);
    fputs("<h2>Statistics</h2>\n<dl>\n", out);
    for (size_t i = 0; i < report->fact_count; i++)
        put_fact(out, report->facts[i].name, report->facts[i].value);
    fputs("</dl>\n", out);
    if (!status)
        status = put_histogram(run, out, report, input->image);
    put_origin(run, out, path);
    fprintf(out, "<script>%s</script>\n</body>\n</html>\n", script);
    return status;
}

/* Writes the page whole or not at all. */
static enum clump_status save(struct run *run, const char *name, const char *page, size_t size)
{
    struct output output;
    enum clump_status status = clump_output_begin(&run->log, name, common.force, &output);
    if (status)
        return status;
    FILE *file = fopen(output.temporary, "wb");
    bool good = file && fwrite(page, 1, size, file) == size;
    good = file && fclose(file) == 0 && good;
    if (!good)
        status =
            run_fail(run, CLUMP_ERROR_FILE, "%s: cannot be written: %s", name, strerror(errno));
    return clump_output_end(&output, status);
}

enum clump_status run_report(struct run *run, const struct report *report, const char *pattern,
                             const char *path, const struct input *input, json_t *json)
{
    char *page = NULL, *name = pattern ? run_output(pattern, path) : NULL;
    size_t size = 0;
    if (!pattern)
        return CLUMP_OK;
    FILE *out = name ? open_memstream(&page, &size) : NULL;
    enum clump_status status = out ? put_page(run, out, report, path, input)
                                   : run_fail(run, CLUMP_ERROR_MEMORY, "no memory for the page");
    if (out && fclose(out) && !status)
        status = run_fail(run, CLUMP_ERROR_MEMORY, "no memory for the page");
    if (!status)
        status = save(run, name, page, size);
    if (!status)
        run_wrote(run, name, json);
    free(page);
    free(name);
    return status;
}
