/* SPDX-License-Identifier: MIT */
/* Deblending: the tree of a source's components at rising levels. docs/extract.md, "Deblending". */
#include "reference/extract.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FAR 70 /* beyond this distance a profile counts as nothing */

/* A component of at least min(min_area, 3) pixels above a level. */
struct node {
    struct places places;
    uint64_t father;  /* index of its father in the level below */
    bool significant; /* enough of the blend's flux lies in it above the level */
    bool clean;       /* there is no fork above it */
};

struct level {
    float thresh;
    struct node *nodes; /* by father, then by last pixel */
    uint64_t count;
};

struct tree {
    struct level *levels;
    uint32_t count;
    uint64_t least; /* pixels that a node has at least */
    double scale;   /* by which c is multiplied for sums */
    double bound;   /* flux above a level that makes a node significant */
};

/* What an output's profile is made of. */
struct profile {
    float cxx, cyy, cxy, height; /* half of the coefficients; logarithm of the amplitude */
    double x, y;
};

static void release(struct tree *tree)
{
    for (uint32_t k = 0; k < tree->count; k++) {
        for (uint64_t i = 0; i < tree->levels[k].count; i++)
            free(tree->levels[k].nodes[i].places.at);
        free(tree->levels[k].nodes);
    }
    free(tree->levels);
}

static int rising(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* Adds a node with the places of the scene's stack. */
static bool add_node(const struct scene *scene, struct tree *tree, struct level *level,
                     uint64_t father, uint64_t count)
{
    struct node *grown = realloc(level->nodes, (level->count + 1) * sizeof *grown);
    if (!grown)
        return false;
    level->nodes = grown;
    struct node *node = &grown[level->count];
    *node = (struct node){.father = father, .clean = true};
    node->places.at = malloc(count * sizeof *node->places.at);
    if (!node->places.at)
        return false;
    level->count++;
    node->places.count = count;
    memcpy(node->places.at, scene->stack, count * sizeof *node->places.at);
    qsort(node->places.at, count, sizeof *node->places.at, rising);
    float flux = extract_sum(scene, &node->places, tree->scale);
    float above = flux - level->thresh * (float)count;
    node->significant = above > tree->bound;
    return true;
}

/* Nodes of one father lie one after another from `first` on: sorts them by their last pixels. */
static void sort_sons(struct level *level, uint64_t first)
{
    for (uint64_t i = first + 1; i < level->count; i++) {
        struct node node = level->nodes[i];
        uint64_t j = i;
        for (; j > first; j--) {
            const struct places *before = &level->nodes[j - 1].places;
            if (before->at[before->count - 1] < node.places.at[node.places.count - 1])
                break;
            level->nodes[j] = level->nodes[j - 1];
        }
        level->nodes[j] = node;
    }
}

/* Makes the nodes above level->thresh within the nodes of the level below. */
static bool make_level(const struct scene *scene, struct tree *tree, const struct level *below,
                       struct level *level)
{
    for (uint64_t n = 0; n < below->count; n++) {
        const struct places *places = &below->nodes[n].places;
        uint64_t first = level->count;
        for (uint64_t i = 0; i < places->count; i++)
            scene->mark[places->at[i]] = scene->c[places->at[i]] > level->thresh ? -2 : 0;
        for (uint64_t i = 0; i < places->count; i++) {
            if (scene->mark[places->at[i]] != -2)
                continue;
            uint64_t count = extract_flood(scene, places->at[i], -2, 1);
            if (count >= tree->least && !add_node(scene, tree, level, n, count))
                return false;
        }
        for (uint64_t i = 0; i < places->count; i++)
            scene->mark[places->at[i]] = 0;
        sort_sons(level, first);
    }
    return true;
}

/* Makes all levels that have nodes. */
static bool make_tree(const struct scene *scene, float thresh, float peak,
                      const struct places *places, struct tree *tree)
{
    uint32_t wanted = scene->params->deblend_levels;
    double step = pow((double)peak / thresh, 1.0 / wanted), power = 1;
    tree->levels = calloc(wanted, sizeof *tree->levels);
    if (!tree->levels)
        return false;
    tree->levels[0].thresh = thresh;
    tree->count = 1;
    memcpy(scene->stack, places->at, places->count * sizeof *places->at);
    if (!add_node(scene, tree, &tree->levels[0], 0, places->count))
        return false;
    for (uint32_t k = 1; k < wanted && tree->levels[k - 1].count; k++) {
        power *= step;
        tree->levels[k].thresh = (float)(thresh * power);
        tree->count++;
        if (!make_level(scene, tree, &tree->levels[k - 1], &tree->levels[k]))
            return false;
    }
    return true;
}

/* Looks at a node's sons: those of a fork become outputs, which `found` gets. */
static void choose_sons(struct level *level, uint64_t n, struct level *above, struct node **found,
                        uint64_t *count)
{
    uint64_t significant = 0;
    for (uint64_t s = 0; s < above->count; s++)
        if (above->nodes[s].father == n) {
            level->nodes[n].clean = level->nodes[n].clean && above->nodes[s].clean;
            significant += above->nodes[s].significant;
        }
    if (significant < 2)
        return;
    level->nodes[n].clean = false;
    for (uint64_t s = 0; s < above->count; s++) {
        struct node *son = &above->nodes[s];
        if (son->father == n && son->clean && son->significant)
            found[(*count)++] = son;
    }
}

/* Measures the core of an output and makes its profile. */
static void make_profile(const struct scene *scene, float thresh, struct blob *core,
                         struct profile *profile)
{
    float level = (float)core->object.thresh;
    extract_measure(scene, level, NULL, core);
    const struct clump_object *object = &core->object;
    double abcor = core->abcor, highest = log(4 * object->cpeak);
    double area = (double)object->npix / (2 * M_PI * abcor * object->a * object->b);
    double height = area < FAR ? log(thresh) + area : highest;
    *profile = (struct profile){.cxx = (float)(0.5 * object->cxx / abcor),
                                .cyy = (float)(0.5 * object->cyy / abcor),
                                .cxy = (float)(0.5 * object->cxy / abcor),
                                .height = (float)(height < highest ? height : highest),
                                .x = object->x,
                                .y = object->y};
}

/* The output whose profile is highest at a pixel; the nearest where all are far. */
static uint64_t belongs_to(const struct profile *profiles, uint64_t count, uint64_t x, uint64_t y)
{
    float most = -INFINITY, nearest = INFINITY;
    uint64_t best = 0, close = 0;
    for (uint64_t i = 0; i < count; i++) {
        const struct profile *p = &profiles[i];
        float dx = (float)((double)x - p->x), dy = (float)((double)y - p->y);
        float distance = p->cxx * dx * dx + p->cyy * dy * dy + p->cxy * dx * dy;
        if (distance < nearest) {
            nearest = distance;
            close = i;
        }
        if (distance < FAR && p->height - distance > most) {
            most = p->height - distance;
            best = i;
        }
    }
    return most > -INFINITY ? best : close;
}

/* Divides the source's pixels among the cores and adds the objects. */
static enum clump_status share_out(clump_context *context, const struct scene *scene, float thresh,
                                   const struct places *source, struct blob *cores, uint64_t count,
                                   struct blobs *blobs)
{
    struct profile *profiles = malloc(count * sizeof *profiles);
    enum clump_status status = profiles ? CLUMP_OK : clump_reference_no_memory(context, "extract");
    for (uint64_t i = 0; !status && i < count; i++) {
        for (uint64_t p = 0; p < cores[i].places.count; p++)
            scene->mark[cores[i].places.at[p]] = (int32_t)i + 1;
        make_profile(scene, thresh, &cores[i], &profiles[i]);
    }
    for (uint64_t p = 0; !status && p < source->count; p++) {
        uint32_t at = source->at[p];
        if (!scene->mark[at])
            scene->mark[at] =
                (int32_t)belongs_to(profiles, count, at % scene->cols, at / scene->cols) + 1;
    }
    for (uint64_t i = 0; !status && i < count; i++) {
        const struct clump_object core = cores[i].object;
        const double centre[2] = {core.x, core.y};
        struct places own = {malloc(source->count * sizeof *own.at), 0};
        struct blob *blob = NULL;
        if (!own.at)
            status = clump_reference_no_memory(context, "extract");
        for (uint64_t p = 0; !status && p < source->count; p++)
            if (scene->mark[source->at[p]] == (int32_t)i + 1)
                own.at[own.count++] = source->at[p];
        if (!status)
            status = extract_add(context, blobs, &own, &blob);
        free(own.at);
        if (status)
            break;
        extract_measure(scene, thresh, centre, blob);
        blob->object.flag &= ~(uint32_t)CLUMP_OBJECT_TRUNCATED;
        blob->object.flag |=
            CLUMP_OBJECT_MERGED | (core.flag & (CLUMP_OBJECT_TRUNCATED | CLUMP_OBJECT_SINGULAR));
    }
    for (uint64_t p = 0; p < source->count; p++)
        scene->mark[source->at[p]] = 0;
    free(profiles);
    return status;
}

/* Turns outputs into cores and shares the source's pixels out among them. */
static enum clump_status divide(clump_context *context, const struct scene *scene, float thresh,
                                const struct places *source, const struct tree *tree,
                                struct node *const *found, uint64_t count, struct blobs *blobs)
{
    struct blob *cores = calloc(count, sizeof *cores);
    if (!cores)
        return clump_reference_no_memory(context, "extract");
    for (uint64_t i = 0; i < count; i++) {
        cores[i].places = found[i]->places;
        for (uint32_t k = 1; k < tree->count; k++)
            if (tree->levels[k].count && found[i] >= tree->levels[k].nodes &&
                found[i] < tree->levels[k].nodes + tree->levels[k].count)
                cores[i].object.thresh = tree->levels[k].thresh;
    }
    enum clump_status status = share_out(context, scene, thresh, source, cores, count, blobs);
    free(cores);
    return status;
}

enum clump_status extract_deblend(clump_context *context, const struct scene *scene, float thresh,
                                  struct places *places, struct blobs *blobs)
{
    const struct clump_extract_params *params = scene->params;
    struct tree tree = {.least = params->min_area < 3 ? params->min_area : 3};
    struct node **found = NULL;
    uint64_t count = 0;
    double most = 0;
    float peak = -INFINITY;
    enum clump_status status = CLUMP_OK;
    for (uint64_t i = 0; i < places->count; i++) {
        float c = scene->c[places->at[i]];
        most = fmax(most, fabsf(c));
        peak = c > peak ? c : peak;
    }
    tree.scale = extract_scale(most);
    tree.bound = extract_sum(scene, places, tree.scale) * params->deblend_contrast;
    if (params->deblend_levels > 1 && params->deblend_contrast < 1 && peak > thresh) {
        found = calloc(places->count, sizeof(struct node *));
        if (!found || !make_tree(scene, thresh, peak, places, &tree))
            status = clump_reference_no_memory(context, "extract");
        for (uint32_t k = tree.count - 1; !status && k-- > 0;)
            for (uint64_t n = 0; n < tree.levels[k].count; n++)
                choose_sons(&tree.levels[k], n, &tree.levels[k + 1], found, &count);
    }
    struct blob *whole = NULL;
    if (!status && count)
        status = divide(context, scene, thresh, places, &tree, found, count, blobs);
    else if (!status)
        status = extract_add(context, blobs, places, &whole);
    if (whole)
        extract_measure(scene, thresh, NULL, whole);
    free(found);
    release(&tree);
    return status;
}
