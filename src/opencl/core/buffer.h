/* SPDX-License-Identifier: MIT */
/*
 * Device memory: scratch buffers from a pool, so that a repeated call allocates nothing; constants;
 * and transfers.
 */
#ifndef CLUMP_SRC_OPENCL_BUFFER_H
#define CLUMP_SRC_OPENCL_BUFFER_H

#include "context.h"
#include "opencl/core/api.h"

/* A pooled buffer that nobody uses. */
struct pooled {
    cl_mem buffer;
    size_t bytes;
    uint64_t used; /* clock of the last use */
};

/* A buffer that holds a copy of host memory. */
struct constant {
    cl_mem buffer;
    void *memory; /* what it holds */
    size_t bytes;
    uint64_t used; /* clock of the last use */
};

/* Borrows a buffer of at least `bytes`, contents undefined. */
enum clump_status clump_buffer_borrow(clump_context *context, size_t bytes, cl_mem *buffer);
/* Returns it to the pool and nulls it; accepts the address of NULL. As the queue is in order, that
 * may be done as soon as the last command that uses it is enqueued. */
void clump_buffer_return(clump_context *context, cl_mem *buffer);
/* Fills the first `bytes`, rounded up to words, with a word. */
enum clump_status clump_buffer_fill(clump_context *context, cl_mem buffer, uint32_t word,
                                    size_t bytes);
/* Maps the first `bytes` for the host, waiting for the queue; unmap before the next launch. */
enum clump_status clump_buffer_map(clump_context *context, cl_mem buffer,
                                   enum clump_image_access access, size_t bytes, void **memory);
enum clump_status clump_buffer_unmap(clump_context *context, cl_mem buffer, void *memory);
/* Copies host memory to the start of a buffer; `memory` may be reused on return. */
enum clump_status clump_buffer_write(clump_context *context, cl_mem buffer, const void *memory,
                                     size_t bytes);
/* The same without waiting: `memory` must not change until a later call has blocked. */
enum clump_status clump_buffer_send(clump_context *context, cl_mem buffer, const void *memory,
                                    size_t bytes);
/* Copies the start of a buffer to host memory. Blocks. */
enum clump_status clump_buffer_read(clump_context *context, cl_mem buffer, void *memory,
                                    size_t bytes);
/*
 * A buffer with a copy of host memory, made without waiting for the queue. It is found again by its
 * contents: weights that a repeated call gives again are neither copied nor allocated. Borrowed:
 * the last CLUMP_CONSTANT_SLOTS constants that were asked for are kept.
 */
enum clump_status clump_buffer_constant(clump_context *context, const void *memory, size_t bytes,
                                        cl_mem *buffer);
void clump_constants_release(struct opencl *opencl);

#endif
