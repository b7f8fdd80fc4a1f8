/* SPDX-License-Identifier: MIT */
/*
 * The part of an image that is read: clump_file_params.crop or a section after the name asks for
 * it. The info of a file has the size of the part; formats read whole images.
 */
#ifndef CLUMP_SRC_FILE_WINDOW_H
#define CLUMP_SRC_FILE_WINDOW_H

#include "file/format.h"

/* Removes a section such as "[10:20,30:40]" from the end of the name and keeps its numbers. */
enum clump_status clump_window_split(clump_file *file);

/* Chooses the part and puts its size into the info; needs the size of the image in the info. */
enum clump_status clump_window_choose(clump_file *file);

/* Set the size in the info to that of the whole image, for formats to read, and back to the part.
 */
void clump_window_whole(clump_file *file);
void clump_window_part(clump_file *file);

/* Copies the part out of the whole image. */
void clump_window_copy(const clump_file *file, enum clump_type type, const void *whole, void *part);

#endif
