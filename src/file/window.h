/* SPDX-License-Identifier: MIT */
/*
 * The part of an image that is read: what --crop or a section behind the name asks for. A file's
 * info has the size of the part; formats read whole images.
 */
#ifndef CLUMP_SRC_FILE_WINDOW_H
#define CLUMP_SRC_FILE_WINDOW_H

#include "file/format.h"

/* Takes "[10:20,30:40]" off the end of the name, where it is a section, and keeps its numbers. */
enum clump_status clump_window_split(clump_file *file);

/* Chooses the part, when the size of the image is known, and puts its size into the info. */
enum clump_status clump_window_choose(clump_file *file);

/* Gives the info the size of the whole image, for formats to read, and of the part again. */
void clump_window_whole(clump_file *file);
void clump_window_part(clump_file *file);

/* Copies the part out of the whole image. */
void clump_window_copy(const clump_file *file, enum clump_type type, const void *whole, void *part);

#endif
