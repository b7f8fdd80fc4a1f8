/* SPDX-License-Identifier: MIT */
#include "shown.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the UTF-8 character at `text` that a terminal only draws; 0 for all else. */
static size_t drawn(const unsigned char *text)
{
    if (*text >= ' ' && *text < 0x7f)
        return 1;
    size_t more = *text >= 0xc2 && *text < 0xe0   ? 1
                  : *text >= 0xe0 && *text < 0xf0 ? 2
                  : *text >= 0xf0 && *text < 0xf5 ? 3
                                                  : 0;
    for (size_t i = 1; i <= more; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    bool control = *text == 0xc2 && text[1] < 0xa0;
    bool overlong = (*text == 0xe0 && text[1] < 0xa0) || (*text == 0xf0 && text[1] < 0x90);
    /* Marks that turn the direction of writing make a line look like another. */
    bool turns = *text == 0xe2 && ((text[1] == 0x80 && text[2] >= 0xaa && text[2] <= 0xae) ||
                                   (text[1] == 0x81 && text[2] >= 0xa6 && text[2] <= 0xa9));
    return more && !control && !overlong && !turns ? more + 1 : 0;
}

size_t clump_shown(const char *text, const char *kept, char *to, size_t room)
{
    size_t length = 0;
    bool full = !room;
    while (*text) {
        char piece[8];
        size_t count = drawn((const unsigned char *)text), taken = count ? count : 1;
        if (count || strchr(kept, *text)) {
            memcpy(piece, text, taken);
            count = taken;
        } else {
            count = (size_t)snprintf(piece, sizeof piece, "\\x%02x", (unsigned char)*text);
        }
        full |= length + count >= room;
        if (!full)
            memcpy(to + length, piece, count);
        if (!full)
            to[length + count] = '\0';
        else if (room && length < room)
            to[length] = '\0';
        length += count;
        text += taken;
    }
    if (!length && room)
        *to = '\0';
    return length;
}

char *clump_shown_new(const char *text, const char *kept)
{
    size_t length = clump_shown(text, kept, NULL, 0);
    char *copy = malloc(length + 1);
    if (copy)
        clump_shown(text, kept, copy, length + 1);
    return copy;
}
