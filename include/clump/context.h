/* SPDX-License-Identifier: MIT */
/*
 * A context: one device, one in-order queue, the kernels built for it and the memory kept for the
 * next call. Images are made from a context and keep it alive; files and catalogues need none.
 * Several contexts live side by side in one process. One thread at a time uses a context and its
 * images; different threads may use different contexts.
 *
 * A context and its images are destroyed in any order. clump_context_destroy gives the program's
 * hold on the context back; as long as an image of it is alive, the image works as before, and
 * clump_image_context(image) can be given to any operation. Whatever is destroyed last, context or
 * image, closes the device. The log's `user` and `building_user` must live until then.
 *
 * Results do not depend on the rounding mode of the calling thread, on whether it takes denormals
 * for zero, nor on which exceptions it has raised as signals: functions set C's usual arithmetic,
 * and that of the caller again when they return.
 *
 * fork(): in the child of a process that has used OpenCL, contexts of OpenCL devices and their
 * images can only be destroyed; other calls fail with CLUMP_ERROR_DEVICE, as does opening an OpenCL
 * device. The device `reference`, files and catalogues work there. Fork first, or use exec.
 *
 * Stack: docs/limits.md tells what a thread that calls these functions needs.
 */
#ifndef CLUMP_CONTEXT_H
#define CLUMP_CONTEXT_H

#include <stdint.h>

#include <clump/device.h>
#include <clump/log.h>
#include <clump/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct clump_context clump_context;

/* How kernels divide their work. Results have the same bits in every layout. */
enum clump_context_layout {
    CLUMP_CONTEXT_LAYOUT_AUTO,   /* coarse on CPUs with vectors, fine elsewhere */
    CLUMP_CONTEXT_LAYOUT_COARSE, /* few work-items, each with a part of the image of its own */
    CLUMP_CONTEXT_LAYOUT_FINE    /* many work-items that share local memory */
};

struct clump_context_params {
    const char *device;     /* as clump_device_choose takes it; NULL: the default device */
    struct clump_log log;   /* copied */
    const char *kernel_dir; /* folder that is searched first for .cl files; NULL: none */
    const char *cache_dir;  /* folder for built kernels; NULL: $XDG_CACHE_HOME/clump or
                               ~/.cache/clump; "": keep none on disk */
    enum clump_context_layout layout;
    uint32_t group_limit; /* largest work-group to use; 0: the device's own limit */

    /* Is called before the first program is built for the device, which takes seconds and happens
     * once, because built programs are kept in `cache_dir`. May be NULL. */
    void (*building)(void *user);
    void *building_user;
    uint64_t reserved[4]; /* 0 (clump.h) */
};

/* The default device, errors and warnings to stderr, the usual folders, automatic layout. */
CLUMP_API extern const struct clump_context_params clump_context_defaults;

/*
 * Opens a device. `params` NULL: clump_context_defaults. Release with clump_context_destroy.
 * Returns CLUMP_ERROR_DEVICE when the choice is missing or ambiguous, CLUMP_ERROR_UNSUPPORTED for
 * a device without a compiler.
 */
CLUMP_API enum clump_status clump_context_create(const struct clump_context_params *params,
                                                 clump_context **context);

/*
 * Gives the program's hold on the context back and nulls the pointer; accepts the address of NULL.
 * Where no image of the context is alive, waits for the queue and releases everything; else the
 * last image does that when it is destroyed.
 */
CLUMP_API void clump_context_destroy(clump_context **context);

/* Describes the context's device. Borrowed, valid as long as the context; NULL for NULL. */
CLUMP_API const struct clump_device *clump_context_device(const clump_context *context);

/* Waits until everything that was enqueued is done. */
CLUMP_API enum clump_status clump_context_finish(clump_context *context);

/* Gives the memory that was kept for later calls back to the device. Blocks. */
CLUMP_API enum clump_status clump_context_trim(clump_context *context);

#ifdef __cplusplus
}
#endif

#endif
