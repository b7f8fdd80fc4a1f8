/* SPDX-License-Identifier: MIT */
/*
 * Cleaning: which objects the wings of others explain. The definition looks at all pairs in order.
 * Here the pairs that are near enough come from a grid of cells, only those of which one would eat
 * the other are kept, and these are gone through in the definition's order.
 */
#include "opencl/extract/extract.h"

#include <math.h>
#include <stdlib.h>

/* A pair, the first before the second in the catalogue, of which one would eat the other. */
struct meal {
    uint32_t first, second;
    bool eats_first;
};

/* The profile of an object. */
struct wing {
    double x, y, a, amplitude, alpha;
};

/* Cells of `side` pixels; the objects of cell i are order[starts[i]..starts[i + 1] - 1]. */
struct grid {
    double side;
    uint32_t rows, cols, *starts, *order;
};

struct meals {
    struct meal *all;
    size_t count, room;
};

static uint32_t cell_of(double place, double side, uint32_t most)
{
    double cell = floor(place / side);
    return cell > 0 ? (cell < most - 1 ? (uint32_t)cell : most - 1) : 0;
}

static uint32_t cell_at(const struct grid *grid, const struct wing *wing)
{
    return cell_of(wing->y, grid->side, grid->rows) * grid->cols +
           cell_of(wing->x, grid->side, grid->cols);
}

static enum clump_status make_grid(struct extract_job *job, const struct wing *wings,
                                   struct grid *grid)
{
    grid->side = 32;
    grid->rows = (uint32_t)(job->view.rows / grid->side) + 1;
    grid->cols = (uint32_t)(job->view.cols / grid->side) + 1;
    size_t cells = (size_t)grid->rows * grid->cols;
    enum clump_status status =
        clump_extract_memory(job, cells + 2, sizeof *grid->starts, &grid->starts);
    if (!status)
        status = clump_extract_memory(job, job->count, sizeof *grid->order, &grid->order);
    if (status)
        return status;
    for (uint32_t i = 0; i < job->count; i++)
        grid->starts[cell_at(grid, &wings[i]) + 2]++;
    for (size_t i = 2; i < cells + 2; i++)
        grid->starts[i] += grid->starts[i - 1];
    for (uint32_t i = 0; i < job->count; i++)
        grid->order[grid->starts[cell_at(grid, &wings[i]) + 1]++] = i;
    return CLUMP_OK;
}

/* Tells whether the profile of `eater` is higher at `victim` than the victim stands out. */
static bool eats(const struct extract_job *job, const struct wing *wings, uint32_t eater,
                 uint32_t victim)
{
    const struct wing *wing = &wings[eater];
    const struct clump_object *object = &job->figures[eater].object;
    double beta = job->params->clean_param;
    double dx = wings[victim].x - wing->x, dy = wings[victim].y - wing->y;
    double value =
        1 + wing->alpha * (object->cxx * dx * dx + object->cyy * dy * dy + object->cxy * dx * dy);
    if (!(value > 1) || !(value < 1e10))
        return false;
    return (float)(wing->amplitude * pow(value, -beta)) > job->figures[victim].mthresh;
}

static enum clump_status add_meal(struct extract_job *job, struct meals *meals,
                                  const struct meal *meal)
{
    if (meals->count == meals->room) {
        size_t room = 2 * meals->room + 1024;
        struct meal *grown = realloc(meals->all, room * sizeof *grown);
        if (!grown)
            return clump_fail(&job->context->log, CLUMP_ERROR_MEMORY,
                              "extract: cannot allocate %zu bytes", room * sizeof *grown);
        meals->all = grown;
        meals->room = room;
    }
    meals->all[meals->count++] = *meal;
    return CLUMP_OK;
}

/* Finds the meals of object i with objects whose long axes are not longer than its own; the others
 * look for it. A pair is near enough within 10 of both axes, so within 20 of the object's own. */
static enum clump_status find_meals(struct extract_job *job, const struct wing *wings,
                                    const struct grid *grid, uint32_t i, struct meals *meals)
{
    const struct wing *own = &wings[i];
    double far = 20 * own->a + 1;
    uint32_t top = cell_of(own->y - far, grid->side, grid->rows),
             bottom = cell_of(own->y + far, grid->side, grid->rows),
             left = cell_of(own->x - far, grid->side, grid->cols),
             right = cell_of(own->x + far, grid->side, grid->cols);
    enum clump_status status = CLUMP_OK;
    for (uint32_t row = top; row <= bottom; row++)
        for (uint32_t p = grid->starts[row * grid->cols + left];
             p < grid->starts[row * grid->cols + right + 1] && !status; p++) {
            uint32_t j = grid->order[p];
            double dx = wings[j].x - own->x, dy = wings[j].y - own->y;
            double reach = 10 * (own->a + wings[j].a);
            if (j == i || wings[j].a > own->a || (wings[j].a == own->a && j > i) ||
                dx * dx + dy * dy > reach * reach)
                continue;
            struct meal meal = {.first = i < j ? i : j, .second = i < j ? j : i};
            meal.eats_first =
                !(job->figures[meal.first].object.cflux > job->figures[meal.second].object.cflux);
            uint32_t eater = meal.eats_first ? meal.second : meal.first,
                     victim = meal.eats_first ? meal.first : meal.second;
            if (eats(job, wings, eater, victim))
                status = add_meal(job, meals, &meal);
        }
    return status;
}

static int in_order(const void *left, const void *right)
{
    const struct meal *a = left, *b = right;
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    return a->second < b->second ? -1 : a->second > b->second;
}

/* Goes through the meals in the definition's order. An object that is eaten while its own pairs are
 * looked at goes on eating until these are done. numbers[i] is 0 for the dead. */
static void replay(struct extract_job *job, const struct meals *meals)
{
    for (size_t m = 0; m < meals->count;) {
        uint32_t first = meals->all[m].first;
        bool alive = job->numbers[first];
        for (; m < meals->count && meals->all[m].first == first; m++) {
            const struct meal *meal = &meals->all[m];
            if (alive && job->numbers[meal->second])
                job->numbers[meal->eats_first ? first : meal->second] = 0;
        }
    }
}

static void make_wing(const struct extract_figure *figure, double beta, struct wing *wing)
{
    const struct clump_object *object = &figure->object;
    double area = M_PI * object->a * object->b;
    wing->x = object->x;
    wing->y = object->y;
    wing->a = object->a;
    wing->amplitude = object->cflux / (2 * area * figure->abcor);
    wing->alpha =
        (pow(wing->amplitude / object->thresh, 1 / beta) - 1) * area / (double)object->npix;
}

enum clump_status clump_extract_clean(struct extract_job *job)
{
    struct wing *wings = NULL;
    struct grid grid = {0};
    struct meals meals = {0};
    enum clump_status status =
        clump_extract_memory(job, job->count, sizeof *job->numbers, &job->numbers);
    for (uint32_t i = 0; !status && i < job->count; i++)
        job->numbers[i] = 1;
    if (!status && job->params->clean && !job->params->segmentation && job->count) {
        status = clump_extract_memory(job, job->count, sizeof *wings, &wings);
        for (uint32_t i = 0; !status && i < job->count; i++)
            make_wing(&job->figures[i], job->params->clean_param, &wings[i]);
        if (!status)
            status = make_grid(job, wings, &grid);
        for (uint32_t i = 0; !status && i < job->count; i++)
            status = find_meals(job, wings, &grid, i, &meals);
        if (!status && meals.count)
            qsort(meals.all, meals.count, sizeof *meals.all, in_order);
        if (!status)
            replay(job, &meals);
    }
    for (uint32_t i = 0; !status && i < job->count; i++)
        if (job->numbers[i])
            job->numbers[i] = ++job->kept;
    free(meals.all);
    free(grid.order);
    free(grid.starts);
    free(wings);
    return status;
}
