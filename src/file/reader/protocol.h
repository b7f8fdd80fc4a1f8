/* SPDX-License-Identifier: MIT */
/*
 * What the library and clump-reader say to each other, over a socket that only they have. Both are
 * of one build, so structs are sent as they are in memory; the greeting finds a reader of another
 * build. The library trusts no answer: whoever made the file may have taken the reader over.
 *
 * The reader greets. The library asks: one struct reader_ask, with a file descriptor, followed by
 * the path and the extension when a file is to be opened. The reader answers with any number of
 * lines for the log and one struct reader_answer of kind READER_DONE, followed by what was asked.
 */
#ifndef CLUMP_SRC_FILE_READER_PROTOCOL_H
#define CLUMP_SRC_FILE_READER_PROTOCOL_H

#include <clump/file.h>

#define READER_SOCKET 3 /* the reader's end */
#define READER_FILE   4 /* the file that it reads, once it was sent */

#define READER_AXES  32
#define READER_CARD  80
#define READER_CARDS 400000u /* the most that a header may have */
#define READER_LINE  8192u   /* the longest line, and path */
#define READER_LINES 100u    /* the most lines of one answer */

/* Address space beyond that of its libraries and of the file, for all but pixels. */
#define READER_WORK (UINT64_C(128) << 20)

/* Seconds of computing, and bytes of the file that are good for one more. */
#define READER_SECONDS      20u
#define READER_SECOND_BYTES (UINT64_C(1) << 20)

struct reader_greeting {
    char version[32];
    uint32_t sizes[4]; /* of the structs below */
};

static inline struct reader_greeting reader_greeting(uint32_t ask, uint32_t answer, uint32_t opened)
{
    return (
        struct reader_greeting){"clump " CLUMP_VERSION,
                                {ask, answer, opened, (uint32_t)sizeof(struct clump_file_page)}};
}

enum reader_what { READER_OPEN = 1, READER_PAGE, READER_READ };

struct reader_ask {
    enum reader_what what;
    /* READER_OPEN, with the descriptor of the file: */
    enum clump_file_format format;
    enum clump_log_level level;
    uint32_t path, extension; /* lengths of the texts that follow; extension 0: none */
    uint64_t size, memory_limit;
    struct clump_file_params params;
    /* READER_PAGE: */
    uint64_t page;
    /* READER_READ, with the descriptor of memory for the pixels; without one they follow: */
    uint64_t bytes;
    int channel;
    enum clump_type type;
};

enum reader_kind { READER_LINED = 1, READER_DONE };

struct reader_answer {
    enum reader_kind kind;
    enum clump_log_level level; /* READER_LINED: of a text of `length` bytes, which follows */
    uint32_t length;
    enum clump_status status; /* READER_DONE */
};

/* Follows READER_DONE of an opened file, and is followed by `cards` and `sky_cards` cards. */
struct reader_opened {
    struct clump_file_info info;
    uint32_t axes, kept[2];
    int64_t position[READER_AXES];
    uint32_t cards, sky_cards; /* as the header has them, and as WCSLIB read them */
    bool sky;                  /* WCSLIB made something of them */
    bool raw_flip;
    uint32_t raw_bytes; /* as in struct raw */
    uint64_t raw_at;
};

/* Sends or receives all of it, and a descriptor beside it; *fd is -1 where there is none. */
bool reader_send(int socket, const void *bytes, size_t count, int fd);
bool reader_receive(int socket, void *bytes, size_t count, int *fd);

#endif
