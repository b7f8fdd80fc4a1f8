/* SPDX-License-Identifier: MIT */
/* What all methods of convolution share: numbers of the pixels' type, and the kernels' frame. */
#include "opencl/convolve/convolve.h"

#include <math.h>
#include <stdlib.h>

_Static_assert((int)BOUNDARY_FILL == (int)CLUMP_BOUNDARY_FILL &&
                   (int)BOUNDARY_WRAP == (int)CLUMP_BOUNDARY_WRAP &&
                   (int)BOUNDARY_SYMM == (int)CLUMP_BOUNDARY_SYMM &&
                   (int)BOUNDARY_NEAREST == (int)CLUMP_BOUNDARY_NEAREST &&
                   (int)BOUNDARY_MIRROR == (int)CLUMP_BOUNDARY_MIRROR,
               "kernels are given the public numbers of boundaries");

struct clump_arg clump_convolve_real(enum clump_type type, double value, union convolve_real *real)
{
    if (type == CLUMP_F32)
        real->f32 = (float)value;
    else
        real->f64 = value;
    return (struct clump_arg){clump_convolve_bytes(type), real, 0};
}

void clump_convolve_put(enum clump_type type, const double *values, size_t count, void *memory,
                        size_t at)
{
    for (size_t i = 0; i < count; i++)
        if (type == CLUMP_F32)
            ((float *)memory)[at + i] = (float)values[i];
        else
            ((double *)memory)[at + i] = values[i];
}

double clump_convolve_fma(enum clump_type type, double sum, double weight, double value)
{
    return type == CLUMP_F32 ? (double)fmaf((float)weight, (float)value, (float)sum)
                             : fma(weight, value, sum);
}

double clump_convolve_epsilon(enum clump_type type)
{
    return type == CLUMP_F32 ? 0x1p-23 : 0x1p-52;
}

size_t clump_convolve_bytes(enum clump_type type)
{
    return type == CLUMP_F32 ? sizeof(float) : sizeof(double);
}

uint32_t clump_convolve_vector(const clump_context *context, enum clump_type type)
{
    uint32_t floats = context->opencl->layout.convolve_vector;
    return type == CLUMP_F32 ? floats : floats / 2;
}

enum clump_status clump_convolve_allocate(clump_context *context, size_t count, size_t size,
                                          void **memory)
{
    *memory = calloc(count, size);
    if (!*memory)
        return clump_fail(&context->log, CLUMP_ERROR_MEMORY, "convolve: cannot allocate %zu bytes",
                          count * size);
    return CLUMP_OK;
}

double clump_convolve_total(const struct convolve_task *task,
                            const struct convolve_weights *weights)
{
    double total = 0;
    for (size_t i = 0; task->ignore && i < (size_t)weights->rows * weights->cols; i++)
        total = clump_convolve_fma(task->type, total, weights->values[i], 1);
    return total;
}

struct convolve_frame clump_convolve_frame(const struct convolve_task *task, uint32_t kernel_rows,
                                           uint32_t kernel_cols)
{
    return (struct convolve_frame){
        .rows = (int64_t)task->rows,
        .cols = (int64_t)task->cols,
        .out_rows = (int64_t)task->out_rows,
        .out_cols = (int64_t)task->out_cols,
        .up = task->up,
        .left = task->left,
        .kh = (int32_t)kernel_rows,
        .kw = (int32_t)kernel_cols,
        .boundary = (int32_t)task->boundary,
    };
}
