/* SPDX-License-Identifier: MIT */
/* Cleaning: removes objects that the wings of others explain. docs/extract.md, "Cleaning". */
#include "reference/extract.h"

#include <math.h>
#include <stdlib.h>

/* Tells whether the profile of `eater` is higher at `victim` than the victim stands out. */
static bool eats(const struct blob *eater, const struct blob *victim, double beta)
{
    const struct clump_object *e = &eater->object, *v = &victim->object;
    double dx = v->x - e->x, dy = v->y - e->y, reach = 10 * (e->a + v->a);
    if (dx * dx + dy * dy > reach * reach)
        return false;
    double area = M_PI * e->a * e->b, amp = e->cflux / (2 * area * eater->abcor);
    double alpha = (pow(amp / e->thresh, 1 / beta) - 1) * area / (double)e->npix;
    double value = 1 + alpha * (e->cxx * dx * dx + e->cyy * dy * dy + e->cxy * dx * dy);
    if (!(value > 1) || !(value < 1e10))
        return false;
    return (float)(amp * pow(value, -beta)) > victim->mthresh;
}

enum clump_status extract_clean(clump_context *context, double beta, struct blobs *blobs)
{
    bool *dead = calloc(blobs->count + 1, sizeof *dead);
    if (!dead)
        return clump_reference_no_memory(context, "extract");
    for (uint64_t i = 0; i < blobs->count; i++) {
        if (dead[i])
            continue;
        for (uint64_t j = i + 1; j < blobs->count; j++) {
            if (dead[j])
                continue;
            const struct blob *a = &blobs->all[i], *b = &blobs->all[j];
            if (a->object.cflux > b->object.cflux)
                dead[j] = eats(a, b, beta);
            else if (eats(b, a, beta))
                dead[i] = true;
        }
    }
    uint64_t kept = 0;
    for (uint64_t i = 0; i < blobs->count; i++)
        if (dead[i])
            free(blobs->all[i].places.at);
        else
            blobs->all[kept++] = blobs->all[i];
    blobs->count = kept;
    free(dead);
    return CLUMP_OK;
}
