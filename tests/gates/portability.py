#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles the library's kernels with the compilers of three vendors, as TAP.

    portability.py PROGRAMS WORK [--all] [--table FILE]

PROGRAMS is tests/gates/list_programs, which lists what the library builds; WORK is a folder for
temporary files. Without --all one target of each vendor is asked, with a few programs for each
kernel. --table writes registers, spills and local memory by kernel and target as Markdown.

No GPU is needed: NVIDIA's code is made by clang and assembled by ptxas, AMD's is made by clang,
Intel's by Intel's own compiler, ocloc. Budgets: no unresolved symbol; and in the layout for GPUs no
spill, at most 64 registers, 32 KiB of local memory, SIMD width 16 or more. What a compiler said of
a program is kept in a folder beside WORK, and not asked again.
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import glob
import hashlib
import json
import os
import re
import shlex
import shutil
import struct
import subprocess
import sys

from tap import Tap

HERE = os.path.dirname(os.path.abspath(__file__))
CLANG, NM = 'clang-15', ('llvm-nm-15', 'llvm-nm-14', 'nm')
LIBCLC = '/usr/lib/clc/nvptx64--nvidiacl.bc'
ROCM = '/usr/lib/x86_64-linux-gnu/amdgcn/bitcode'
REGISTERS, LOCAL, SIMD = 64, 32768, 16
with open(__file__, 'rb') as own:
    SELF = hashlib.sha256(own.read()).hexdigest()

Program = collections.namedtuple('Program', 'path name options fp64 kernels')
# What a compiler says of a kernel. Intel's registers are always 128, its width says what is left.
Figures = collections.namedtuple('Figures', 'registers spill local simd')


class Refused(Exception):
    """A compiler's error."""


def run(command, cwd=None):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors='replace', cwd=cwd)
    if done.returncode:
        found = re.search(r'.*(error|fatal|failed).*', done.stdout)
        raise Refused((found[0] if found else done.stdout.strip())[:300] or f'{command[0]} failed')
    return done.stdout


def xclang(*words):
    return [part for word in words for part in ('-Xclang', word)]


def clang(program, target, *more):
    return run([CLANG, '-x', 'cl', f'--target={target}', *xclang('-finclude-default-header'),
                *shlex.split(program.options), *more, program.path])


def lint(program, work):
    """Pure OpenCL C 1.2: no extension, but double precision where the library asked for it."""
    flags = ('-fsyntax-only', '-Wall', '-Wextra', '-Werror', '-Wno-unused-parameter')
    if program.fp64 < 2:
        clang(program, 'spir64', *xclang('-cl-ext=-all'), *flags)
    if program.fp64 > 0:
        clang(program, 'spir64', *xclang('-cl-ext=-all,+cl_khr_fp64'), *flags)
    older(program, flags)
    return {}


def older(program, flags):
    """A front end that does not know a warning that the kernels silence must not stumble over it."""
    with open(program.path) as text:
        source = re.sub(r'"-W[a-z-]+"', '"-Wnonesuch"', text.read())
    done = subprocess.run([CLANG, '-x', 'cl', '--target=spir64', *xclang('-finclude-default-header'),
                           *shlex.split(program.options), *flags, '-Wno-psabi', '-'], input=source,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise Refused('an older front end: ' + done.stdout.splitlines()[0][:300])


def age(tool):
    """Tells a compiler from its next version."""
    about = os.stat(shutil.which(tool))
    return f'{tool} {about.st_size} {about.st_mtime_ns}'


def remember(compiler, what, folder):
    """A compiler that looks into the folder first. `what` is the target and its tools."""
    os.makedirs(folder, exist_ok=True)

    def compile(program, work):
        with open(program.path) as text:
            source = text.read()
        name = hashlib.sha256('\0'.join((SELF, what, program.options, str(program.fp64),
                                         source)).encode()).hexdigest()
        path = os.path.join(folder, name)
        try:
            with open(path) as kept:
                return {kernel: Figures(*f) for kernel, f in json.load(kept).items()}
        except (OSError, ValueError):
            figures = compiler(program, work)
        with open(f'{path}.new', 'w') as out:
            json.dump(figures, out)
        os.rename(f'{path}.new', path)
        return figures
    return compile


class Nvidia:
    fp64 = True

    def __init__(self, name):
        self.name = name
        self.ptxas = shutil.which('ptxas') or shutil.which('/usr/local/cuda/bin/ptxas')
        self.tools = (CLANG, self.ptxas)

    def missing(self):
        if not os.path.exists(LIBCLC):
            return f'no {LIBCLC} (Debian: libclc-15)'
        return None if self.ptxas else 'no ptxas (CUDA toolkit, not a Debian package)'

    def compile(self, program, work):
        ptx = os.path.join(work, os.path.basename(program.path) + f'.{self.name}.ptx')
        clang(program, 'nvptx64-nvidia-cuda', *xclang('-mlink-builtin-bitcode', LIBCLC),
              '-Wno-linker-warnings', '-Wno-unknown-cuda-version',
              *xclang('-target-cpu', 'sm_75'), '-O2', '-S', '-o', ptx)
        with open(ptx) as text:
            unresolved = re.search(r'\.extern \.func[^;]*', text.read())
        if unresolved:
            raise Refused('unresolved: ' + ' '.join(unresolved[0].split())[:200])
        said = run([self.ptxas, '-v', f'-arch={self.name}', ptx, '-o', os.devnull])
        os.unlink(ptx)
        pattern = (r'Function properties for (\S+)\s+(\d+) bytes stack frame, (\d+) bytes spill '
                   r'stores, (\d+) bytes spill loads\s+ptxas info\s*: Used (\d+) registers([^\n]*)')
        figures = {}
        for m in re.finditer(pattern, said):
            shared = re.search(r'(\d+) bytes smem', m[6])
            figures[m[1]] = Figures(int(m[5]), max(int(m[2]), int(m[3]) + int(m[4])),
                                    int(shared[1]) if shared else 0, None)
        return figures


class Amd:
    fp64 = True

    def __init__(self, name):
        self.name = name
        self.nm = next((tool for tool in NM if shutil.which(tool)), None)
        self.tools = (CLANG,)

    def missing(self):
        return None if os.path.isdir(ROCM) else f'no {ROCM} (Debian: rocm-device-libs)'

    def library(self, work):
        """The packaged bitcode, and for a newer device than it knows the one line that differs."""
        number = re.sub('gfx', '', self.name)
        if os.path.exists(f'{ROCM}/oclc_isa_version_{number}.bc'):
            return ROCM
        folder = os.path.join(work, f'rocm-{self.name}')
        made = f'{folder}/oclc_isa_version_{number}.bc'
        if not os.path.exists(made):
            os.makedirs(folder, exist_ok=True)
            for name in os.listdir(ROCM):
                if not os.path.exists(f'{folder}/{name}'):
                    os.symlink(f'{ROCM}/{name}', f'{folder}/{name}')
            with open(f'{folder}/isa.cl', 'w') as source:
                source.write(f'const __constant int __oclc_ISA_version = {number}0;\n')
            run([CLANG, '-x', 'cl', '-cl-std=CL1.2', '--target=amdgcn-amd-amdhsa', '-nogpulib',
                 f'-mcpu={self.name}', '-emit-llvm', '-c', f'{folder}/isa.cl', '-o', made])
        return folder

    def compile(self, program, work):
        out = os.path.join(work, os.path.basename(program.path) + f'.{self.name}.o')
        said = clang(program, 'amdgcn-amd-amdhsa', f'-mcpu={self.name}',
                     f'--rocm-device-lib-path={self.folder}',
                     '-Rpass-analysis=kernel-resource-usage', '-O2', '-c', '-o', out)
        unresolved = run([self.nm, '-u', out]).strip()
        os.unlink(out)
        if unresolved:
            raise Refused('unresolved: ' + ' '.join(unresolved.split()))
        figures, now = {}, None
        for line in re.findall(r'remark: (?:\S+:\d+:\d+: )?(.*?) \[-Rpass', said):
            what, value = line.strip().rsplit(': ', 1)
            if what == 'Function Name':
                now = figures[value] = dict(registers=0, spill=0, local=0, simd=None)
            elif what == 'VGPRs':
                now['registers'] = int(value)
            elif what.startswith(('ScratchSize', 'VGPRs Spill')):
                now['spill'] = max(now['spill'], int(value))
            elif what.startswith('LDS'):
                now['local'] = int(value)
        return {name: Figures(**f) for name, f in figures.items()}


class Intel:
    def __init__(self, name):
        self.name = name
        self.fp64 = not name.startswith(('tgl', 'dg2'))
        self.tools = ('ocloc',)

    def missing(self):
        return None if shutil.which('ocloc') else 'no ocloc (Debian: intel-opencl-icd)'

    def compile(self, program, work):
        folder = os.path.join(work, os.path.basename(program.path) + f'.{self.name}')
        os.makedirs(folder, exist_ok=True)
        said = run(['ocloc', 'compile', '-file', program.path, '-device', self.name, '-options',
                    program.options, '-out_dir', folder], cwd=folder)
        binaries = [name for name in os.listdir(folder) if name.endswith('.bin')]
        if not binaries:
            raise Refused('ocloc made nothing: ' + said.strip()[:200])
        with open(os.path.join(folder, binaries[0]), 'rb') as binary:
            figures = patch_tokens(binary.read())
        shutil.rmtree(folder)
        for name, spilled in re.findall(r'kernel (\S+) .*spilled around (\d+)', said):
            figures[name] = figures[name]._replace(spill=max(figures[name].spill, int(spilled)))
        return figures


def patch_tokens(data):
    """Width, scratch and local memory of the kernels in a binary of Intel's compiler."""
    start = data.find(struct.pack('<I', 0x494E5443))
    if start < 0:
        raise Refused('the binary has no program header')
    *_, count, _, tokens = struct.unpack_from('<7I', data, start)
    at, figures = start + 28 + tokens, {}
    for _ in range(count):
        _, _, name_bytes, tokens, *heaps, _ = struct.unpack_from('<IQ7I', data, at)
        at += 40
        name = data[at:at + name_bytes].split(b'\0')[0].decode()
        at += name_bytes + sum(heaps)
        end, simd, spill, local = at + tokens, 0, 0, 0
        while at < end:
            token, size = struct.unpack_from('<II', data, at)
            words = struct.unpack_from(f'<{(size - 8) // 4}I', data, at + 8)
            if token == 23:
                simd = words[3]
            elif token == 18:
                spill = max(spill, words[1])
            elif token == 38:
                spill = max(spill, words[3])
            elif token == 15:
                local = words[1]
            at += size
        figures[name] = Figures(None, spill, local, simd)
    return figures


TARGETS = ([Nvidia(name) for name in ('sm_75', 'sm_90', 'sm_120')] +
           [Amd(name) for name in ('gfx906', 'gfx90a', 'gfx1030', 'gfx1100')] +
           [Intel(name) for name in ('skl', 'tgllp', 'dg2-g10', 'pvc')])
FAST = ('sm_75', 'gfx1030', 'tgllp')


def list_programs(lister, work, more):
    """What the library builds. fp64 is 0 without double precision, 2 only with it, 1 both."""
    folder = os.path.join(work, 'programs')
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    done = subprocess.run([lister, folder, *more], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        print('Bail out! the library cannot list its programs')
        sys.exit(1)
    seen = {}
    for line in sorted(set(done.stdout.splitlines())):
        name, fp64, kernel, options = line.split('\t')
        kernels, kinds, _ = seen.setdefault(name, (set(), set(), options))
        kernels.add(kernel)
        kinds.add(int(fp64))
    return [Program(os.path.join(folder, name), name.rsplit('-', 1)[0], options,
                    1 if len(kinds) > 1 else 2 * kinds.pop(), kernels)
            for name, (kernels, kinds, options) in sorted(seen.items())]


def uncovered(programs):
    """The kernels in cl/ that no program has."""
    written = set()
    for path in glob.glob(os.path.join(HERE, '../../cl/*/*.cl')):
        with open(path) as text:
            written |= set(re.findall(r'^kernel\s+(?:[A-Z_]+\s+)?void\s+(\w+)', text.read(), re.M))
    known = {kernel for program in programs for kernel in program.kernels}
    return [f'{kernel}: no program with it was built' for kernel in sorted(written - known)]


def few(programs):
    """For every kernel, in either layout, a program with floats or else the first."""
    chosen, covered = [], set()
    for program in sorted(programs, key=lambda p: ('=float' not in p.options, p.path)):
        new = {(kernel, '-DCOARSE=1' in program.options) for kernel in program.kernels} - covered
        if new:
            covered |= new
            chosen.append(program)
    return chosen


def read_exceptions():
    with open(os.path.join(HERE, 'exceptions.txt')) as lines:
        return [tuple(line.split(None, 3)) for line in lines if line.strip() and line[0] != '#']


def over_budget(target, figures):
    if figures.registers is not None and figures.registers > REGISTERS:
        yield 'registers', f'{figures.registers} registers, {REGISTERS} at most'
    if figures.spill:
        yield 'spill', f'{figures.spill} bytes of spills or scratch'
    if figures.local > LOCAL:
        yield 'local', f'{figures.local} bytes of local memory, {LOCAL} at most'
    if figures.simd is not None and figures.simd < SIMD:
        yield 'simd', f'SIMD width {figures.simd}, {SIMD} at least'


class Gate(Tap):
    def __init__(self, work):
        super().__init__()
        self.work = work
        self.exceptions, self.used = read_exceptions(), set()
        self.rows = {}  # (program name, kernel), target -> worst Figures

    def excused(self, kernel, target, budget):
        for e in self.exceptions:
            if fnmatch.fnmatch(kernel, e[0]) and fnmatch.fnmatch(target, e[1]) and budget == e[2]:
                self.used.add(e)
                return True
        return False

    def judge(self, target, program, figures):
        complaints = []
        if '-DCOARSE=1' in program.options:  # the CPUs' layout: it must build, no more
            return complaints
        for kernel in sorted(program.kernels):
            if kernel not in figures:
                complaints.append(f'{kernel}: the compiler gave no figures for it')
                continue
            row = self.rows.setdefault((program.name, kernel), {})
            row[target.name] = worst(row.get(target.name), figures[kernel])
            complaints += [f'{kernel}: {text} ({program.options})'
                           for budget, text in over_budget(target, figures[kernel])
                           if not self.excused(kernel, target.name, budget)]
        return complaints

    def ask(self, pool, what, programs, compiler, judge):
        def one(program):
            try:
                return compiler(program, self.work), []
            except Refused as refused:
                return None, [f'{program.name} ({program.options}): {refused}']
        complaints = []
        for program, (figures, refused) in zip(programs, pool.map(one, programs)):
            complaints += refused or judge(program, figures)
        self.report(f'{what}: {len(programs)} programs', complaints)

    def stale(self):
        self.report('every exception is needed', [f'not needed: {" ".join(e)}'
                                                  for e in self.exceptions if e not in self.used])


def worst(a, b):
    if a is None:
        return b
    pick = [None if x is None else max(x, y) for x, y in zip(a, b)]
    pick[3] = None if a.simd is None else min(a.simd, b.simd)
    return Figures(*pick)


def cell(figures):
    if figures is None:
        return '-'
    first = f'S{figures.simd}' if figures.simd is not None else str(figures.registers)
    parts = [first, str(figures.local) if figures.local else '',
             f'!{figures.spill}' if figures.spill else '']
    return ' '.join(part for part in parts if part)


TABLE = """\
# What three vendors' compilers say of the kernels

Made by `scripts/portability`; do not edit. It tells how heavy each kernel is on hardware that was not
there: the more registers a work-item takes, the fewer of them a GPU can keep in flight; what does not
fit is spilled to memory, which is slow; and local memory is shared by the work-items of a group.

The figures are the compilers' own, and nothing here ran on a GPU. NVIDIA's code is made by clang and
assembled by NVIDIA's ptxas, AMD's is made by clang, Intel's by Intel's own compiler, ocloc; the vendors'
drivers may do better or worse. Each cell is the worst of all types and options that the library uses
({programs} programs in {sources} files), in the layout for GPUs, in work-groups of up to 256.

- NVIDIA (sm_75 Turing, sm_90 Hopper, sm_120 Blackwell) and AMD (gfx906 Vega, gfx90a CDNA 2, gfx1030
  RDNA 2, gfx1100 RDNA 3): registers of a work-item. Intel (skl Skylake, tgllp Tiger Lake, dg2-g10 Arc,
  pvc Ponte Vecchio): S and how many work-items are run at once; a wide one has registers enough.
- A second number is local memory in bytes, without what the host asks for at a launch to suit the
  device (separable_fused's tile); `!` is a number of bytes spilled; `-` a compiler that was not there.
- Budgets: {registers} registers, {local} bytes, nothing spilled, width {simd}, no symbol unresolved.
  What breaks one, and why it may, is at the end.

"""


def write_table(path, gate, programs):
    names = [target.name for target in TARGETS]
    sources = len({program.name for program in programs})
    lines = ['| kernel | ' + ' | '.join(names) + ' |', '|---|' + '---|' * len(names)]
    lines += [f'| {kernel} | ' + ' | '.join(cell(row.get(name)) for name in names) + ' |'
              for (_, kernel), row in sorted(gate.rows.items())]
    lines += ['', '## What may break a budget', '', '| kernel | target | budget | reason |',
              '|---|---|---|---|']
    lines += [f'| {kernel} | {target} | {budget} | {reason.strip()} |'
              for kernel, target, budget, reason in gate.exceptions]
    with open(path, 'w') as out:
        out.write(TABLE.format(programs=len(programs), sources=sources, registers=REGISTERS,
                               local=LOCAL, simd=SIMD) + '\n'.join(lines) + '\n')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('programs')
    parser.add_argument('work')
    parser.add_argument('--all', action='store_true')
    parser.add_argument('--table')
    args = parser.parse_args()
    if not shutil.which(CLANG):
        print(f'1..1\nok 1 - vendors\' compilers # SKIP no {CLANG}')
        return 0
    os.makedirs(args.work, exist_ok=True)
    gate = Gate(args.work)
    programs = list_programs(args.programs, args.work, [] if args.all else ['--few'])
    gate.report('every kernel is asked about', uncovered(programs))
    kept = os.path.join(os.path.dirname(os.path.abspath(args.work)), 'portability-kept')
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        gate.ask(pool, 'OpenCL C 1.2 alone', programs,
                 remember(lint, f'lint {age(CLANG)}', kept), lambda program, figures: [])
        for target in TARGETS:
            if not args.all and target.name not in FAST:
                continue
            if target.missing():
                gate.skip(target.name, target.missing())
                continue
            if isinstance(target, Amd):
                target.folder = target.library(args.work)
            asked = [p for p in programs if (target.fp64 or p.fp64 < 2) and
                     (target.name in FAST or '-DCOARSE=1' not in p.options)]
            what = ' '.join([target.name] + [age(tool) for tool in target.tools])
            gate.ask(pool, target.name, asked if args.all else few(asked),
                     remember(target.compile, what, kept),
                     lambda program, figures, t=target: gate.judge(t, program, figures))
    if args.all:
        gate.stale()
    if args.table:
        write_table(args.table, gate, programs)
    shutil.rmtree(args.work)
    return gate.done()


if __name__ == '__main__':
    sys.exit(main())
