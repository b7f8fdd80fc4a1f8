/* SPDX-License-Identifier: MIT */
/*
 * Device memory: the pool of scratch buffers, constants, transfers, and the memory of images. Where
 * host and device share memory, pixels are mapped and not copied by the driver.
 */
#include "opencl/core/opencl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <clump/opencl.h>

#define GRAIN 4096 /* bytes that sizes are rounded up to, so that buffers of the pool fit again */

static size_t rounded(size_t bytes) { return (bytes + GRAIN - 1) / GRAIN * GRAIN; }

static void drop(struct opencl *opencl, unsigned slot)
{
    clump_cl.ReleaseMemObject(opencl->pool[slot].buffer);
    opencl->pool[slot].buffer = NULL;
    opencl->pool[slot].bytes = 0;
}

enum clump_status clump_opencl_trim(clump_context *context)
{
    struct opencl *opencl = context->opencl;
    enum clump_status status = opencl->queue ? clump_opencl_finish(context) : CLUMP_OK;
    for (unsigned i = 0; i < CLUMP_POOL_SLOTS; i++)
        if (opencl->pool[i].buffer)
            drop(opencl, i);
    return status;
}

/* The smallest pooled buffer that is large enough without wasting more than a quarter. */
static cl_mem take_pooled(struct opencl *opencl, size_t bytes)
{
    size_t waste = opencl->tight ? 0 : bytes / 4 + GRAIN;
    int best = -1;
    for (int i = 0; i < CLUMP_POOL_SLOTS; i++) {
        size_t have = opencl->pool[i].bytes;
        if (opencl->pool[i].buffer && have >= bytes && have - bytes <= waste &&
            (best < 0 || have < opencl->pool[best].bytes))
            best = i;
    }
    if (best < 0)
        return NULL;
    cl_mem buffer = opencl->pool[best].buffer;
    opencl->pool[best].buffer = NULL;
    opencl->pool[best].bytes = 0;
    return buffer;
}

/* Puts a buffer into a free slot. Drops the buffers used longest ago where no slot is free, or
 * where the pool has more than half of the memory of the device. */
static void put_pooled(clump_context *context, cl_mem buffer, size_t bytes)
{
    struct opencl *opencl = context->opencl;
    uint64_t total = bytes;
    for (unsigned i = 0; i < CLUMP_POOL_SLOTS; i++)
        total += opencl->pool[i].bytes;
    for (;;) {
        unsigned oldest = 0, empty = CLUMP_POOL_SLOTS;
        for (unsigned i = 0; i < CLUMP_POOL_SLOTS; i++) {
            if (!opencl->pool[i].buffer)
                empty = i;
            else if (!opencl->pool[oldest].buffer ||
                     opencl->pool[i].used < opencl->pool[oldest].used)
                oldest = i;
        }
        bool crowded = context->device.memory && total > context->device.memory / 2 &&
                       opencl->pool[oldest].buffer;
        if (empty < CLUMP_POOL_SLOTS && !crowded) {
            opencl->pool[empty].buffer = buffer;
            opencl->pool[empty].bytes = bytes;
            opencl->pool[empty].used = ++opencl->pool_clock;
            return;
        }
        total -= opencl->pool[oldest].bytes;
        drop(opencl, oldest);
    }
}

static enum clump_status allocate(clump_context *context, cl_mem_flags flags, size_t bytes,
                                  void *host, cl_mem *buffer)
{
    struct opencl *opencl = context->opencl;
    const struct clump_device *device = &context->device;
    cl_int error = CL_SUCCESS;
    if (device->max_buffer && bytes > device->max_buffer) /* 0: the driver does not tell */
        return clump_fail(&context->log, CLUMP_ERROR_DEVICE_MEMORY,
                          "%zu bytes do not fit into one buffer of %s, which has at most %" PRIu64
                          " bytes: use a smaller image or another device",
                          bytes, device->name, device->max_buffer);
    cl_mem made = clump_cl.CreateBuffer(opencl->context, flags, bytes, host, &error);
    if (!made) { /* once more without the buffers of the pool */
        clump_opencl_trim(context);
        made = clump_cl.CreateBuffer(opencl->context, flags, bytes, host, &error);
    }
    if (!made)
        return clump_cl_fail(context, error,
                             "allocating a buffer of %zu bytes (the device has %" PRIu64
                             " bytes, and at most %" PRIu64 " in one buffer)",
                             bytes, device->memory, device->max_buffer);
    context->profile.allocations++;
    *buffer = made;
    return CLUMP_OK;
}

enum clump_status clump_buffer_borrow(clump_context *context, size_t bytes, cl_mem *buffer)
{
    bytes = bytes ? bytes : 1;
    if (!context->opencl->tight)
        bytes = rounded(bytes);
    cl_mem pooled = take_pooled(context->opencl, bytes);
    if (pooled) {
        *buffer = pooled;
        return CLUMP_OK;
    }
    cl_mem_flags flags = CL_MEM_READ_WRITE;
    if (context->device.shares_memory)
        flags |= CL_MEM_ALLOC_HOST_PTR;
    return allocate(context, flags, bytes, NULL, buffer);
}

void clump_buffer_return(clump_context *context, cl_mem *buffer)
{
    size_t bytes = 0;
    if (!*buffer)
        return;
    if (clump_cl.GetMemObjectInfo(*buffer, CL_MEM_SIZE, sizeof bytes, &bytes, NULL) == CL_SUCCESS)
        put_pooled(context, *buffer, bytes);
    else
        clump_cl.ReleaseMemObject(*buffer);
    *buffer = NULL;
}

static void constant_release(struct constant *constant)
{
    if (constant->buffer)
        clump_cl.ReleaseMemObject(constant->buffer);
    free(constant->memory);
    *constant = (struct constant){0};
}

void clump_constants_release(struct opencl *opencl)
{
    for (unsigned i = 0; i < CLUMP_CONSTANT_SLOTS; i++)
        constant_release(&opencl->constants[i]);
}

enum clump_status clump_buffer_constant(clump_context *context, const void *memory, size_t bytes,
                                        cl_mem *buffer)
{
    struct opencl *opencl = context->opencl;
    struct constant *oldest = opencl->constants;
    for (unsigned i = 0; i < CLUMP_CONSTANT_SLOTS; i++) {
        struct constant *constant = &opencl->constants[i];
        if (constant->bytes == bytes && !memcmp(constant->memory, memory, bytes)) {
            constant->used = ++opencl->pool_clock;
            *buffer = constant->buffer;
            return CLUMP_OK;
        }
        if (constant->used < oldest->used)
            oldest = constant;
    }
    struct constant made = {NULL, malloc(bytes), bytes, ++opencl->pool_clock};
    if (!made.memory)
        return clump_fail(&context->log, CLUMP_ERROR_MEMORY, "cannot allocate %zu bytes", bytes);
    memcpy(made.memory, memory, bytes);
    enum clump_status status = allocate(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes,
                                        made.memory, &made.buffer);
    if (status) {
        free(made.memory);
        return status;
    }
    constant_release(oldest);
    *oldest = made;
    *buffer = made.buffer;
    return CLUMP_OK;
}

enum clump_status clump_buffer_fill(clump_context *context, cl_mem buffer, uint32_t word,
                                    size_t bytes)
{
    cl_int error = clump_cl.EnqueueFillBuffer(context->opencl->queue, buffer, &word, sizeof word, 0,
                                              (bytes + 3) / 4 * 4, 0, NULL, NULL);
    if (error != CL_SUCCESS)
        return clump_cl_fail(context, error, "filling %zu bytes (clEnqueueFillBuffer)", bytes);
    return CLUMP_OK;
}

enum clump_status clump_buffer_map(clump_context *context, cl_mem buffer,
                                   enum clump_image_access access, size_t bytes, void **memory)
{
    cl_map_flags flags = access == CLUMP_IMAGE_READ    ? CL_MAP_READ
                         : access == CLUMP_IMAGE_WRITE ? CL_MAP_WRITE_INVALIDATE_REGION
                                                       : CL_MAP_READ | CL_MAP_WRITE;
    cl_int error;
    cl_event *event = clump_event_place(context, TIMED_DOWNLOAD);
    void *mapped = clump_cl.EnqueueMapBuffer(context->opencl->queue, buffer, CL_TRUE, flags, 0,
                                             bytes, 0, NULL, event, &error);
    if (!mapped)
        return clump_cl_fail(context, error, "mapping %zu bytes (clEnqueueMapBuffer)", bytes);
    clump_event_keep(context, event);
    context->profile.waits += access & CLUMP_IMAGE_READ ? 1 : 0;
    context->profile.download_bytes += access & CLUMP_IMAGE_READ ? bytes : 0;
    context->profile.upload_bytes += access & CLUMP_IMAGE_WRITE ? bytes : 0;
    *memory = mapped;
    return CLUMP_OK;
}

enum clump_status clump_buffer_unmap(clump_context *context, cl_mem buffer, void *memory)
{
    cl_event *event = clump_event_place(context, TIMED_UPLOAD);
    cl_int error =
        clump_cl.EnqueueUnmapMemObject(context->opencl->queue, buffer, memory, 0, NULL, event);
    if (error != CL_SUCCESS)
        return clump_cl_fail(context, error, "unmapping (clEnqueueUnmapMemObject)");
    clump_event_keep(context, event);
    return CLUMP_OK;
}

static enum clump_status upload(clump_context *context, cl_mem buffer, const void *memory,
                                size_t bytes, cl_bool wait)
{
    cl_event *event = clump_event_place(context, TIMED_UPLOAD);
    cl_int error = clump_cl.EnqueueWriteBuffer(context->opencl->queue, buffer, wait, 0, bytes,
                                               memory, 0, NULL, event);
    if (error != CL_SUCCESS)
        return clump_cl_fail(context, error, "uploading %zu bytes (clEnqueueWriteBuffer)", bytes);
    clump_event_keep(context, event);
    context->profile.upload_bytes += bytes;
    return CLUMP_OK;
}

enum clump_status clump_buffer_send(clump_context *context, cl_mem buffer, const void *memory,
                                    size_t bytes)
{
    return upload(context, buffer, memory, bytes, CL_FALSE);
}

enum clump_status clump_buffer_write(clump_context *context, cl_mem buffer, const void *memory,
                                     size_t bytes)
{
    void *mapped;
    if (!context->device.shares_memory)
        return upload(context, buffer, memory, bytes, CL_TRUE);
    enum clump_status status = clump_buffer_map(context, buffer, CLUMP_IMAGE_WRITE, bytes, &mapped);
    if (status)
        return status;
    double start = context->profiling ? clump_now_ms() : 0;
    memcpy(mapped, memory, bytes);
    if (context->profiling)
        context->profile.upload_ms += clump_now_ms() - start;
    return clump_buffer_unmap(context, buffer, mapped);
}

enum clump_status clump_buffer_read(clump_context *context, cl_mem buffer, void *memory,
                                    size_t bytes)
{
    void *mapped;
    if (!context->device.shares_memory) {
        cl_event *event = clump_event_place(context, TIMED_DOWNLOAD);
        cl_int error = clump_cl.EnqueueReadBuffer(context->opencl->queue, buffer, CL_TRUE, 0, bytes,
                                                  memory, 0, NULL, event);
        if (error != CL_SUCCESS)
            return clump_cl_fail(context, error, "downloading %zu bytes (clEnqueueReadBuffer)",
                                 bytes);
        clump_event_keep(context, event);
        context->profile.waits++;
        context->profile.download_bytes += bytes;
        return CLUMP_OK;
    }
    enum clump_status status = clump_buffer_map(context, buffer, CLUMP_IMAGE_READ, bytes, &mapped);
    if (status)
        return status;
    double start = context->profiling ? clump_now_ms() : 0;
    memcpy(memory, mapped, bytes);
    if (context->profiling)
        context->profile.download_ms += clump_now_ms() - start;
    return clump_buffer_unmap(context, buffer, mapped);
}

enum clump_status clump_opencl_image_create(clump_image *image, void *wrapped)
{
    cl_mem buffer = NULL;
    enum clump_status status;
    if (wrapped)
        status = allocate(image->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, image->bytes,
                          wrapped, &buffer);
    else
        status = clump_buffer_borrow(image->context, image->bytes, &buffer);
    image->pixels = wrapped;
    image->borrowed = wrapped != NULL;
    image->buffer = buffer;
    return status;
}

void clump_opencl_image_destroy(clump_image *image)
{
    cl_mem buffer = image->buffer;
    if (clump_cl_forked())
        return;
    if (!image->borrowed) {
        clump_buffer_return(image->context, &buffer);
        return;
    }
    if (image->pixels) /* the host may free its memory next: wait until nothing uses it */
        clump_cl.Finish(image->context->opencl->queue);
    clump_cl.ReleaseMemObject(buffer);
}

enum clump_status clump_opencl_image_write(clump_image *image, const void *pixels)
{
    return clump_buffer_write(image->context, image->buffer, pixels, image->bytes);
}

enum clump_status clump_opencl_image_download(const clump_image *image, void *pixels)
{
    return clump_buffer_read(image->context, image->buffer, pixels, image->bytes);
}

enum clump_status clump_opencl_image_map(clump_image *image, enum clump_image_access access,
                                         void **pixels)
{
    return clump_buffer_map(image->context, image->buffer, access, image->bytes, pixels);
}

enum clump_status clump_opencl_image_unmap(clump_image *image)
{
    return clump_cl_forked() ? CLUMP_OK
                             : clump_buffer_unmap(image->context, image->buffer, image->mapped);
}

enum clump_status clump_opencl_image(clump_context *context, enum clump_type type, uint64_t rows,
                                     uint64_t cols, cl_mem buffer, clump_image **image)
{
    CLUMP_ROUNDING();
    size_t have = 0;
    clump_image *made;
    if (!context || !context->opencl || !buffer)
        return clump_fail(context ? &context->log : NULL, CLUMP_ERROR_ARGUMENT,
                          "image: a context on an OpenCL device and a buffer are needed");
    enum clump_status status = clump_check_context("image", context);
    if (!status)
        status = clump_check_given(&context->log, "image", "place for the image", image);
    if (!status)
        status = clump_image_describe(context, "image", type, rows, cols, &made);
    if (status)
        return status;
    cl_int error = clump_cl.GetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof have, &have, NULL);
    if (error != CL_SUCCESS)
        status = clump_cl_fail(context, error, "image: the given buffer");
    else if (have < made->bytes)
        status = clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                            "image: the given buffer has %zu bytes, and the image needs %zu", have,
                            made->bytes);
    else if ((error = clump_cl.RetainMemObject(buffer)) != CL_SUCCESS)
        status = clump_cl_fail(context, error, "image: keeping the given buffer");
    if (status) {
        free(made);
        return status;
    }
    made->buffer = buffer;
    made->borrowed = true;
    context->images++;
    *image = made;
    return CLUMP_OK;
}

cl_mem clump_opencl_buffer(const clump_image *image)
{
    return image && image->context->opencl ? image->buffer : NULL;
}
