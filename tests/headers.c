/* SPDX-License-Identifier: MIT */
#include "headers.h"

#include <criterion/criterion.h>

#include <ctype.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *read_text(const char *path)
{
    FILE *file = fopen(path, "r");
    cr_assert(file, "%s cannot be read", path);
    char *text = calloc(1, 1 << 18);
    cr_assert_lt(fread(text, 1, 1 << 18, file), 1 << 18, "%s is too long", path);
    fclose(file);
    return text;
}

/* Copies the identifier that ends before `end`. */
static void copy_name(const char *end, char name[100])
{
    const char *from = end;
    while (isalnum((unsigned char)from[-1]) || from[-1] == '_')
        from--;
    snprintf(name, 100, "%.*s", (int)(end - from), from);
}

static size_t functions_of(const char *text, void (*see)(const char *name))
{
    size_t count = 0;
    char name[100];
    while ((text = strstr(text, "\nCLUMP_API "))) {
        text = strpbrk(text, "(;"); /* an object of defaults has no bracket */
        cr_assert(text);
        if (*text != '(')
            continue;
        copy_name(text, name);
        see(name);
        count++;
    }
    return count;
}

static size_t structs_of(const char *text, void (*see)(const char *name))
{
    size_t count = 0;
    char name[100];
    while ((text = strstr(text, "\nstruct "))) {
        text += strlen("\nstruct ");
        const char *end = text + strcspn(text, " ;");
        if (strncmp(end, " {\n", 3) != 0)
            continue;
        copy_name(end, name);
        see(name);
        count++;
    }
    return count;
}

static size_t each(size_t (*names_of)(const char *, void (*)(const char *)),
                   void (*see)(const char *))
{
    glob_t headers;
    size_t count = 0;
    cr_assert_eq(glob(HEADER_DIR "/*.h", 0, NULL, &headers), 0);
    for (size_t i = 0; i < headers.gl_pathc; i++) {
        char *text = read_text(headers.gl_pathv[i]);
        count += names_of(text, see);
        free(text);
    }
    globfree(&headers);
    return count;
}

size_t each_public_function(void (*see)(const char *name)) { return each(functions_of, see); }

size_t each_public_struct(void (*see)(const char *name)) { return each(structs_of, see); }
