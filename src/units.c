/* SPDX-License-Identifier: MIT */
#include "units.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define GAPS " .*/"

/* The length of the exponent at `at` ("-1", "^-2", "**(-1)"), and whether it is negative. */
static size_t exponent_at(const char *at, bool *negative)
{
    const char *from = at;
    at += strspn(at, "^*");
    bool open = *at == '(';
    at += open;
    size_t sign = strspn(at, "+-"), digits = strspn(at + sign, "0123456789");
    *negative = digits && sign && *at == '-';
    if (!digits || sign > 1)
        return 0;
    at += sign + digits;
    return (size_t)(at + (open && *at == ')') - from);
}

/* The last character before `at` that is not a space, or 0. */
static char before(const char *unit, const char *at)
{
    while (at > unit && at[-1] == ' ')
        at--;
    return at > unit ? at[-1] : '\0';
}

/* Finds a word of the list by which the unit is divided; `*from` and `*to` get its place. */
static bool divided_by(const char *unit, const char *const *words, const char **from,
                       const char **to)
{
    for (const char *at = unit; *at; at += strcspn(at, GAPS "()") + 1) {
        at += strspn(at, GAPS "()");
        size_t length = strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
        for (const char *const *word = words; *word; word++) {
            bool negative;
            size_t power = exponent_at(at + length, &negative);
            if (length != strlen(*word) || strncasecmp(at, *word, length) ||
                (before(unit, at) != '/' && !negative))
                continue;
            *from = at;
            *to = at + length + power;
            return true;
        }
        if (!at[strcspn(at, GAPS "()")])
            break;
    }
    return false;
}

/* Appends a part of a unit, without the separators at its ends. */
static void append(char rest[UNIT_ROOM], const char *from, const char *to)
{
    while (from < to && strchr(GAPS, *from) && !(*from == '/' && *rest))
        from++;
    while (to > from && strchr(GAPS, to[-1]))
        to--;
    size_t used = strlen(rest);
    if (to > from)
        snprintf(rest + used, UNIT_ROOM - used, "%s%.*s", used && *from != '/' ? " " : "",
                 (int)(to - from), from);
}

/* Spells "JY" as "Jy", also with a prefix, but not "MJY", which may be milli or mega. */
static void spell_jansky(char *unit)
{
    size_t length = strlen(unit);
    if (length < 2 || length > 4 || strcasecmp(unit + length - 2, "jy"))
        return;
    bool capitals = !strcmp(unit + length - 2, "JY");
    if (capitals && length == 3 && unit[0] == 'M')
        return;
    if (capitals && length == 3 && strchr("UKN", unit[0]))
        unit[0] = (char)tolower((unsigned char)unit[0]);
    memcpy(unit + length - 2, "Jy", 2);
}

bool clump_unit_per_beam(const char *unit, char rest[UNIT_ROOM])
{
    static const char *const words[] = {"beam", "beams", "bm", NULL};
    const char *from, *to;
    *rest = '\0';
    if (!divided_by(unit, words, &from, &to))
        return false;
    append(rest, unit, from);
    append(rest, to, to + strlen(to));
    spell_jansky(rest);
    return true;
}

bool clump_unit_per_angle(const char *unit)
{
    static const char *const words[] = {"sr", "arcsec", "arcmin", "deg", "sqarcsec", NULL};
    const char *from, *to;
    return divided_by(unit, words, &from, &to);
}

void clump_unit_spell(const char *unit, char spelled[UNIT_ROOM])
{
    char rest[UNIT_ROOM];
    snprintf(spelled, UNIT_ROOM, "%s", unit);
    if (!clump_unit_per_beam(unit, rest)) {
        spell_jansky(spelled);
        return;
    }
    size_t length = strlen(rest);
    if (length >= 2 && length <= 4 && !strcmp(rest + length - 2, "Jy"))
        snprintf(spelled, UNIT_ROOM, "%.4s/beam", rest);
}
