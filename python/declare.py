#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the C source of the extension module clump._clump from the public headers, through cffi.

    declare.py OUTPUT.c HEADER...

The headers are the only place where a declaration stands: comments and directives are taken out,
and what is left is what cffi reads. The C that comes out includes the headers, so that the compiler
compares the two.
"""

import os
import re
import sys

import cffi

# What the headers take from OpenCL's: handles, which Python only passes on.
OPENCL = """
typedef struct _cl_context *cl_context;
typedef struct _cl_command_queue *cl_command_queue;
typedef struct _cl_mem *cl_mem;
"""
# The library calls these two; clump._core defines them.
CALLBACKS = """
extern "Python" void clump_python_line(void *, enum clump_log_level, const char *);
"""


def declarations(text):
    """What a header declares, without comments, directives and marks."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
    text = re.sub(r"#ifdef __cplusplus.*?#endif", "", text, flags=re.DOTALL)
    text = re.sub(r"^[ \t]*#.*(\\\n.*)*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"\bCLUMP_API\b", "", text)
    return re.sub(r"\n\s*\n+", "\n", text)


def ordered(headers):
    """The headers in the order in which they include each other."""
    by_name = {os.path.basename(header): header for header in headers}
    done = []

    def add(name):
        header = by_name.pop(name, None)
        if header is None:
            return
        with open(header, encoding="utf-8") as file:
            text = file.read()
        for included in re.findall(r"#include <clump/(\w+\.h)>", text):
            add(included)
        done.append(declarations(text))

    for header in headers:
        add(os.path.basename(header))
    return done


def main():
    output, headers = sys.argv[1], sys.argv[2:]
    ffi = cffi.FFI()
    ffi.cdef(OPENCL + "\n".join(ordered(headers)) + CALLBACKS)
    names = sorted(os.path.basename(header) for header in headers)
    ffi.set_source("clump._clump", "\n".join(f"#include <clump/{name}>" for name in names))
    ffi.emit_c_code(output)


if __name__ == "__main__":
    main()
