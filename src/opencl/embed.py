#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the kernel files into a C file: embed.py OUT.c IN.cl..."""
import os
import sys

out = ['/* Made by embed.py from the files in cl/. */', '#include "opencl/embedded.h"', '']
names = []
for path in sys.argv[2:]:
    name = os.path.splitext(os.path.basename(path))[0]
    with open(path, 'rb') as f:
        text = f.read()
    names.append(name)
    out.append(f'static const unsigned char text_{name}[] = {{')
    for i in range(0, len(text), 20):
        out.append('    ' + ' '.join(f'{b},' for b in text[i:i + 20]))
    out.append('    0};')
out.append('')
out.append('const struct embedded clump_embedded[] = {')
for name in names:
    out.append(f'    {{"{name}", (const char *)text_{name}}},')
out.append('    {0, 0},')
out.append('};')
with open(sys.argv[1], 'w') as f:
    f.write('\n'.join(out) + '\n')
