/* SPDX-License-Identifier: MIT */
/*
 * Clump: finds and measures what stands out in an image, on any OpenCL device.
 *
 * This header brings the whole interface, in the order in which an image passes
 * through it. Every header may also be included alone. opencl.h, for programs
 * that bring an OpenCL context or buffers of their own, is not among them, so
 * that nobody else needs OpenCL's headers.
 */
#ifndef CLUMP_CLUMP_H
#define CLUMP_CLUMP_H

#include <clump/version.h>

#include <clump/status.h>
#include <clump/log.h>
#include <clump/device.h>
#include <clump/context.h>
#include <clump/image.h>
#include <clump/file.h>
#include <clump/wcs.h>

#include <clump/convert.h>
#include <clump/crop.h>
#include <clump/channel.h>
#include <clump/arith.h>
#include <clump/allclose.h>
#include <clump/boundary.h>
#include <clump/convolve.h>
#include <clump/gaussian.h>
#include <clump/stats.h>
#include <clump/clip.h>
#include <clump/otsu.h>
#include <clump/threshold.h>
#include <clump/morphology.h>
#include <clump/label.h>
#include <clump/measure.h>
#include <clump/label2rgb.h>
#include <clump/find.h>
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
