#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the kernel files into a C file: embed.py OUT.c ROOT FILE..., named from ROOT on."""
import os
import sys

out = ['/* Made by embed.py from the files in cl/. */', '#include "opencl/core/embedded.h"', '']
names = []
for number, path in enumerate(sys.argv[3:]):
    name = os.path.relpath(path, sys.argv[2])
    with open(path, 'rb') as f:
        text = f.read()
    names.append(name)
    out.append(f'static const unsigned char text_{number}[] = {{')
    for i in range(0, len(text), 20):
        out.append('    ' + ' '.join(f'{b},' for b in text[i:i + 20]))
    out.append('    0};')
out.append('')
out.append('const struct embedded clump_embedded[] = {')
for number, name in enumerate(names):
    out.append(f'    {{"{name}", (const char *)text_{number}}},')
out.append('    {0, 0},')
out.append('};')
with open(sys.argv[1], 'w') as f:
    f.write('\n'.join(out) + '\n')
