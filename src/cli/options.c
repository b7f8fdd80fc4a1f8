/* SPDX-License-Identifier: MIT */
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "shown.h"

#define HELP_WIDTH  98
#define HELP_INDENT 28
#define MAX_OPTIONS 64

static bool takes_value(const struct option *option)
{
    return option->type != OPTION_FLAG && option->type != OPTION_COUNT;
}

static bool __attribute__((format(printf, 2, 3))) misuse(const char *who, const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    char *shown = clump_shown_new(text, ""); /* a file of a hostile name may be taken for one */
    fprintf(stderr, "%s: %s (%s --help)\n", who, shown ? shown : "out of memory", who);
    free(shown);
    return false;
}

/* Place of `text` among words parted by '|', or -1. */
static int word_index(const char *words, const char *text)
{
    size_t length = strlen(text);
    for (int index = 0;; index++) {
        size_t word = strcspn(words, "|");
        if (word == length && !strncmp(words, text, length))
            return index;
        if (!words[word])
            return -1;
        words += word + 1;
    }
}

static bool parse_double(const char *text, char **end, double *value)
{
    errno = 0;
    double number = strtod(text, end);
    bool spelt = strpbrk(text, "iInN"); /* "inf" may be meant; 1e999 is a slip */
    if (*end == text || isspace((unsigned char)*text) || isnan(number) || (isinf(number) && !spelt))
        return false;
    *value = number;
    return true;
}

static bool parse_whole(const char *text, unsigned long long most, unsigned long long *value)
{
    char *end;
    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (*end || errno || number > most)
        return false;
    *value = number;
    return true;
}

static bool parse_int(const char *text, int *value)
{
    unsigned long long number;
    bool negative = *text == '-';
    if (!parse_whole(text + negative, INT_MAX, &number))
        return false;
    *value = negative ? -(int)number : (int)number;
    return true;
}

static bool parse_list(const char *text, struct option_list *list)
{
    size_t count = 1;
    for (const char *c = text; *c; c++)
        count += *c == ',';
    double *values = malloc(count * sizeof *values);
    if (!values)
        return false;
    for (size_t i = 0; i < count; i++) {
        char *end;
        if (!parse_double(text, &end, &values[i]) || *end != (i + 1 < count ? ',' : '\0')) {
            free(values);
            return false;
        }
        text = end + 1;
    }
    free(list->values);
    *list = (struct option_list){values, count};
    return true;
}

static bool add_string(const char *text, struct option_strings *list)
{
    const char **grown = realloc(list->values, (list->count + 1) * sizeof *grown);
    if (!grown)
        return false;
    list->values = grown;
    grown[list->count++] = text;
    return *text;
}

bool options_value(const char *who, const char *what, const struct option *option, const char *text)
{
    unsigned long long whole = 0;
    const char *wanted = "a whole number from 0 to 4294967295";
    char *end = "";
    bool good = false;
    bool words = option->value && strchr(option->value, '|') && option->type != OPTION_STRING &&
                 option->type != OPTION_STRINGS && option->type != OPTION_DOUBLE;
    if (words && word_index(option->value, text) < 0)
        return misuse(who, "%s wants one of %s, not '%s'", what, option->value, text);
    switch (option->type) {
    case OPTION_CHOICE:
        *(int *)option->target = word_index(option->value, text);
        return true;
    case OPTION_STRING:
        *(const char **)option->target = text;
        wanted = "a word";
        good = *text;
        break;
    case OPTION_INT:
        good = parse_int(text, option->target);
        wanted = "a whole number";
        break;
    case OPTION_UNSIGNED:
        good = parse_whole(text, UINT32_MAX, &whole);
        if (good)
            *(uint32_t *)option->target = (uint32_t)whole;
        break;
    case OPTION_SIZE:
        wanted = "a whole number, 0 or more";
        good = parse_whole(text, INT64_MAX, &whole);
        if (good)
            *(uint64_t *)option->target = whole;
        break;
    case OPTION_DOUBLE:
        good = parse_double(text, &end, option->target) && !*end;
        wanted = "a number";
        break;
    case OPTION_LIST:
        good = parse_list(text, option->target);
        wanted = "numbers parted by commas";
        break;
    case OPTION_STRINGS:
        good = add_string(text, option->target);
        wanted = "a word";
        break;
    case OPTION_FLAG:
    case OPTION_COUNT:
        return misuse(who, "%s takes no value", what);
    }
    return good || misuse(who, "%s wants %s, not '%s'", what, wanted, text);
}

static void set_flag(const struct option *option)
{
    if (option->type == OPTION_FLAG)
        *(bool *)option->target = true;
    else
        ++*(int *)option->target;
}

static const struct option *find(const struct option *const *tables, const char *name,
                                 size_t length, char letter)
{
    for (; *tables; tables++)
        for (const struct option *option = *tables; option->name; option++)
            if (letter ? option->letter == letter
                       : strlen(option->name) == length && !strncmp(option->name, name, length))
                return option;
    return NULL;
}

static bool unknown(const char *who, const struct option *const *tables, const char *name,
                    size_t length)
{
    const char *words[MAX_OPTIONS] = {0};
    size_t count = 0;
    for (; *tables; tables++)
        for (const struct option *option = *tables; option->name; option++)
            if (count + 1 < MAX_OPTIONS)
                words[count++] = option->name;
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)(length < 63 ? length : 63), name);
    const char *near = options_nearest(word, words);
    if (near)
        return misuse(who, "unknown option --%s; did you mean --%s?", word, near);
    return misuse(who, "unknown option --%s", word);
}

/* One argument that begins with two dashes. `next` moves on when a value follows. */
static bool parse_long(const char *who, const struct option *const *tables, char **argv, int *next,
                       int argc)
{
    const char *name = argv[*next] + 2;
    size_t length = strcspn(name, "=");
    const char *value = name[length] ? name + length + 1 : NULL;
    const struct option *option = find(tables, name, length, 0);
    if (!option)
        return unknown(who, tables, name, length);
    char what[80];
    snprintf(what, sizeof what, "--%s", option->name);
    if (!takes_value(option)) {
        if (value)
            return misuse(who, "%s takes no value", what);
        set_flag(option);
        return true;
    }
    if (!value && (*next + 1 >= argc || !strncmp(argv[*next + 1], "--", 2)))
        return misuse(who, "%s wants a value: %s %s", what, what, option->value);
    if (!value)
        value = argv[++*next];
    return options_value(who, what, option, value);
}

/* One argument that begins with one dash: flags joined, the last may take a value. */
static bool parse_short(const char *who, const struct option *const *tables, char **argv, int *next,
                        int argc)
{
    for (const char *letter = argv[*next] + 1; *letter; letter++) {
        const struct option *option = find(tables, NULL, 0, *letter);
        char what[4] = {'-', *letter, 0};
        if (!option)
            return misuse(who, "unknown option %s", argv[*next]);
        if (!takes_value(option)) {
            set_flag(option);
            continue;
        }
        const char *value = letter[1] == '=' ? letter + 2 : letter + 1;
        if (!*value && (*next + 1 >= argc || !strncmp(argv[*next + 1], "--", 2)))
            return misuse(who, "%s wants a value: %s %s", what, what, option->value);
        return options_value(who, what, option, *value ? value : argv[++*next]);
    }
    return true;
}

int options_parse(const char *who, const struct option *const *tables, int argc, char **argv)
{
    int operands = 0;
    bool only_operands = false;
    for (int next = 0; next < argc; next++) {
        char *text = argv[next];
        bool good = true;
        bool number = text[0] == '-' && (isdigit((unsigned char)text[1]) || text[1] == '.');
        if (only_operands || text[0] != '-' || !text[1] || number)
            argv[operands++] = text;
        else if (!strcmp(text, "--"))
            only_operands = true;
        else if (text[1] == '-')
            good = parse_long(who, tables, argv, &next, argc);
        else
            good = parse_short(who, tables, argv, &next, argc);
        if (!good)
            return -1;
    }
    return operands;
}

/* Prints `text` from column `column`, wrapped, further lines indented like the first. */
static void print_wrapped(FILE *out, const char *text, size_t column)
{
    if (column > HELP_INDENT - 2) {
        fputc('\n', out);
        column = 0;
    }
    fprintf(out, "%*s", (int)(HELP_INDENT - column), "");
    column = HELP_INDENT;
    while (*text) {
        size_t word = strcspn(text, " ");
        if (column + word > HELP_WIDTH) {
            fprintf(out, "\n%*s", HELP_INDENT, "");
            column = HELP_INDENT;
        }
        fprintf(out, "%.*s", (int)word, text);
        column += word + 1;
        text += word;
        if (*text == ' ' && column + strcspn(text + 1, " ") <= HELP_WIDTH)
            fputc(' ', out);
        text += *text == ' ';
    }
    fputc('\n', out);
}

/* Writes the value that an option has as it would be typed; one of a kind without values is "". */
static void write_value(const struct option *option, char *text, size_t room)
{
    const char *word = option->value;
    switch (option->type) {
    case OPTION_INT:
        snprintf(text, room, "%d", *(const int *)option->target);
        return;
    case OPTION_UNSIGNED:
        snprintf(text, room, "%" PRIu32, *(const uint32_t *)option->target);
        return;
    case OPTION_SIZE:
        snprintf(text, room, "%" PRIu64, *(const uint64_t *)option->target);
        return;
    case OPTION_DOUBLE:
        snprintf(text, room, "%g", *(const double *)option->target);
        return;
    case OPTION_CHOICE:
        for (int i = *(const int *)option->target; i > 0 && strchr(word, '|'); i--)
            word = strchr(word, '|') + 1;
        snprintf(text, room, "%.*s", (int)strcspn(word, "|"), word);
        return;
    case OPTION_FLAG:
    case OPTION_COUNT:
    case OPTION_STRING:
    case OPTION_LIST:
    case OPTION_STRINGS:
        *text = 0;
    }
}

/* Writes an option's help with its value in the place of '@'. */
static void write_help(const struct option *option, char *text, size_t room)
{
    char value[64];
    int before = (int)strcspn(option->help, "@");
    const char *behind = option->help + before;
    write_value(option, value, sizeof value);
    if (*behind)
        snprintf(text, room, "%.*s%s%s", before, option->help, value, behind + 1);
    else
        snprintf(text, room, "%s", option->help);
}

void options_help(FILE *out, const struct option *table)
{
    for (const struct option *option = table; option->name; option++) {
        char left[160], help[512], letter[8] = "    ";
        if (option->letter)
            snprintf(letter, sizeof letter, "-%c, ", option->letter);
        snprintf(left, sizeof left, "  %s--%s%s%s", letter, option->name,
                 takes_value(option) ? " " : "", takes_value(option) ? option->value : "");
        fputs(left, out);
        write_help(option, help, sizeof help);
        print_wrapped(out, help, strlen(left));
    }
}

/* Letters to insert, delete or replace to make one word of the other. */
static size_t distance(const char *a, const char *b)
{
    size_t row[64];
    size_t width = strlen(b);
    if (width >= 64)
        return SIZE_MAX;
    for (size_t j = 0; j <= width; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= width; j++) {
            size_t change = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            size_t step = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            row[j] = change < step ? change : step;
        }
    }
    return row[width];
}

const char *options_nearest(const char *word, const char *const *words)
{
    const char *best = NULL;
    size_t least = strlen(word) / 2 + 1;
    for (; *words; words++) {
        size_t d =
            strlen(word) > 2 && !strncmp(word, *words, strlen(word)) ? 1 : distance(word, *words);
        if (d < least && d <= 3) {
            least = d;
            best = *words;
        }
    }
    return best;
}
