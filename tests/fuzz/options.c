/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes the command line: the bytes are arguments, each ended by a newline. Whatever they are,
 * parsing ends in operands or in one line.
 */
#include "cli/options.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ARGUMENTS 32

struct values {
    bool flag;
    int count, whole, choice;
    uint32_t natural, listed;
    uint64_t size;
    double real;
    const char *text;
    struct option_list list;
};

static void parse(struct values *v, int argc, char **argv)
{
    const struct option own[] = {
        {"flag", 'f', OPTION_FLAG, &v->flag, NULL, "a flag"},
        {"verbose", 'v', OPTION_COUNT, &v->count, NULL, "a count"},
        {"whole", 'w', OPTION_INT, &v->whole, "N", "a whole number"},
        {"natural", 'n', OPTION_UNSIGNED, &v->natural, "N", "a number"},
        {"connectivity", 0, OPTION_UNSIGNED, &v->listed, "4|8", "one of two"},
        {"size", 's', OPTION_SIZE, &v->size, "BYTES", "a size"},
        {0},
    };
    const struct option common[] = {
        {"above", 'a', OPTION_DOUBLE, &v->real, "T|otsu", "a number"},
        {"output", 'o', OPTION_STRING, &v->text, "FILE", "a word"},
        {"centre", 'c', OPTION_CHOICE, &v->choice, "median|mean", "a choice"},
        {"quantiles", 'q', OPTION_LIST, &v->list, "Q,...",
         "numbers parted by commas, and a help "
         "text that is longer than a line"},
        {0},
    };
    const struct option *const tables[] = {own, common, NULL};
    char *before[ARGUMENTS];
    memcpy(before, argv, sizeof before);
    int operands = options_parse("clump fuzz", tables, argc, argv);
    if (operands < -1 || operands > argc)
        abort();
    for (int i = 0, from = 0; i < operands; i++, from++) { /* in the order they were given */
        while (from < argc && before[from] != argv[i])
            from++;
        if (from == argc)
            abort();
    }
    if (v->real != v->real || (v->listed != 4 && v->listed != 8) || v->choice < 0 || v->choice > 1)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct values values = {.listed = 4};
    char *argv[ARGUMENTS] = {0}, *text = malloc(size + 1);
    int argc = 0;
    if (!text)
        return 0;
    for (size_t i = 0; i < size; i++)
        text[i] = data[i] == '\n' ? 0 : (char)data[i];
    text[size] = 0;
    for (size_t at = 0; at < size && argc < ARGUMENTS - 1; at += strlen(text + at) + 1)
        argv[argc++] = text + at;
    parse(&values, argc, argv);
    free(values.list.values);
    free(text);
    return 0;
}
