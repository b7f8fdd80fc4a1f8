/* SPDX-License-Identifier: MIT */
/*
 * Kernel files are searched for in the context's folder, in $CLUMP_KERNEL_DIR, in the build tree of
 * a library that is not installed, in the installed folder, and last in the library itself.
 */
#include "opencl/core/opencl.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "opencl/core/embedded.h"

#define PLACES 4
#define NAMED  2 /* of these, the first ones, which somebody has named: they have to be there */

/* The folder `cl` of the build tree, one or two folders above the library or program that has this
 * code; false where there is none, as for an installed library. */
static bool build_tree(char *folder, size_t room)
{
    static const char here = 0;
    char real[PATH_MAX], probe[PATH_MAX + 32];
    Dl_info info;
    if ((!dladdr(&here, &info) || !info.dli_fname || !realpath(info.dli_fname, real)) &&
        !realpath("/proc/self/exe", real)) /* a program's own name may be no path */
        return false;
    for (int above = 0; above < 3; above++) {
        char *slash = strrchr(real, '/');
        if (!slash)
            return false;
        *slash = 0;
        snprintf(probe, sizeof probe, "%s/cl/common/prelude.cl", real);
        if (above && !access(probe, R_OK))
            return snprintf(folder, room, "%s/cl", real) < (int)room;
    }
    return false;
}

/* The whole file as text, or NULL with errno. */
static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    size_t room = 1 << 14, used = 0;
    char *text = malloc(room + 1);
    while (text) {
        used += fread(text + used, 1, room - used, file);
        if (used < room)
            break;
        char *more = realloc(text, (room *= 2) + 1);
        if (!more)
            free(text);
        text = more;
    }
    bool bad = ferror(file);
    int reason = errno;
    fclose(file);
    if (bad) {
        free(text);
        errno = reason;
        return NULL;
    }
    if (text)
        text[used] = 0;
    return text;
}

static char *embedded(const char *name)
{
    for (const struct embedded *e = clump_embedded; e->name; e++)
        if (!strcmp(e->name, name))
            return strdup(e->text);
    return NULL;
}

static enum clump_status missing(clump_context *context, const char *name, char paths[][PATH_MAX],
                                 unsigned count)
{
    char *list = calloc(PLACES, PATH_MAX + 2);
    for (unsigned i = 0; list && i < count; i++) {
        strcat(list, paths[i]);
        strcat(list, ", ");
    }
    enum clump_status status =
        clump_fail(&context->log, CLUMP_ERROR_KERNEL,
                   "kernel file %s is missing; looked for %sand for a copy inside the library",
                   name, list ? list : "");
    free(list);
    return status;
}

enum clump_status clump_kernel_source_read(clump_context *context, const char *name, char **text,
                                           char **origin)
{
    char tree[PATH_MAX], paths[PLACES][PATH_MAX];
    const char *folders[PLACES] = {
        context->opencl->kernel_dir,
        secure_getenv("CLUMP_KERNEL_DIR"),
        build_tree(tree, sizeof tree) ? tree : NULL,
        CLUMP_KERNEL_DIR,
    };
    unsigned tried = 0;
    for (unsigned i = 0; i < PLACES; i++) {
        if (!folders[i] || !*folders[i])
            continue;
        if (i < NAMED && access(folders[i], F_OK))
            return clump_fail(&context->log, CLUMP_ERROR_KERNEL,
                              "the folder of kernels %s (%s): %s", folders[i],
                              i ? "CLUMP_KERNEL_DIR" : "params.kernel_dir", strerror(errno));
        char *path = paths[tried++];
        if (snprintf(path, PATH_MAX, "%s/%s", folders[i], name) >= PATH_MAX)
            continue;
        *text = read_text(path);
        if (*text && (*origin = strdup(path)))
            return CLUMP_OK;
        if (*text || (errno != ENOENT && errno != ENOTDIR)) {
            free(*text);
            return clump_fail(&context->log, CLUMP_ERROR_KERNEL, "kernel file %s: %s", path,
                              strerror(errno));
        }
    }
    *text = embedded(name);
    if (!*text)
        return missing(context, name, paths, tried);
    *origin = strdup("the library itself");
    if (*origin)
        return CLUMP_OK;
    free(*text);
    return clump_fail(&context->log, CLUMP_ERROR_MEMORY, "kernel file %s: cannot allocate memory",
                      name);
}
