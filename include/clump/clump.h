/* SPDX-License-Identifier: MIT */
/*
 * Clump: finds and measures what stands out in an image, on any OpenCL device.
 *
 * This header brings the whole interface, in the order in which an image passes through it. Every
 * header can also be included alone. opencl.h is not among them, so that only programs which bring
 * an OpenCL context or buffers of their own need OpenCL's headers.
 *
 * Arguments stand in one order: context, inputs, parameters, outputs. NULL as parameters means the
 * object clump_X_defaults of the module. NULL for anything else is refused with
 * CLUMP_ERROR_ARGUMENT and one line in the log, unless the function says that it may be NULL. A
 * function that fails leaves its outputs as they were. A returned pointer is borrowed; what a
 * function stores through `**x` belongs to the caller.
 *
 * Structs can grow. Parameters and results end in `reserved`, words that are 0: a later version
 * takes its new members from them, and 0 in such a member means what this version does. So start
 * parameters from clump_X_defaults, or from {0} where a module has none, and set members by name.
 * Functions refuse a reserved word that is not 0, because it asks for something that this version
 * does not know. A member that tells the size of its struct would not do as well: arrays of
 * results (struct clump_region) keep their stride, structs may lie in other structs, defaults are
 * copied by value, and the defaults of a shared library are copied into a program at the size that
 * they had when it was linked.
 *
 * "The lesson" in these headers is "Lesson: GPU Programming" of the Carpentries Incubator, whose
 * work docs/lesson.md does with Clump.
 */
#ifndef CLUMP_CLUMP_H
#define CLUMP_CLUMP_H

#include <clump/version.h>

#include <clump/status.h>
#include <clump/log.h>
#include <clump/lookup.h>
#include <clump/device.h>
#include <clump/context.h>
#include <clump/image.h>
#include <clump/file.h>
#include <clump/wcs.h>

#include <clump/convert.h>
#include <clump/crop.h>
#include <clump/channel.h>
#include <clump/reshape.h>
#include <clump/compress.h>
#include <clump/arith.h>
#include <clump/select.h>
#include <clump/allclose.h>
#include <clump/boundary.h>
#include <clump/convolve.h>
#include <clump/gaussian.h>
#include <clump/stats.h>
#include <clump/clip.h>
#include <clump/otsu.h>
#include <clump/background.h>
#include <clump/threshold.h>
#include <clump/morphology.h>
#include <clump/label.h>
#include <clump/measure.h>
#include <clump/photometry.h>
#include <clump/label2rgb.h>
#include <clump/find.h>
#include <clump/bands.h>
#include <clump/extract.h>
#include <clump/cells.h>
#include <clump/primes.h>

#include <clump/catalog.h>
#include <clump/render.h>

#include <clump/profile.h>
#include <clump/benchmark.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Tells the version of the library in use, such as "0.1.0". Borrowed, never NULL. */
CLUMP_API const char *clump_version(void);

/*
 * Names the optional libraries that the library in use was built without, such as "libtiff, Cairo";
 * "" where it has all. What needs one of them returns CLUMP_ERROR_UNSUPPORTED. Borrowed, never
 * NULL.
 */
CLUMP_API const char *clump_built_without(void);

#ifdef __cplusplus
}
#endif

#endif
