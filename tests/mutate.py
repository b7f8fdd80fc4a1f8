#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Judges the judges: puts single faults into the code, and looks whether the tests see them.

    mutate.py BUILD [--seed S] [--count N] [--minutes M] [--layout coarse|fine] [--small] [--again]
              [--argued] [--work FOLDER] [NAME...]

BUILD is a build tree that is up to date. A NAME is a kernel file, `label` or `regions/label`, a
folder of them, `stats`, or a file of the scalar reference, `reference/label` (`kernels` and
`reference`: all of each; without names: all kernels).
The seed says in which order the faults come; a run that was ended goes on where it was. A mutant of
a kernel file is judged by the pairs of the operations that use it, in one layout, small cases first,
and if these let it pass by tests/limits.c and the race checker; one of the reference by the golden values and by the
numbers worked out by hand, and if it passes by the same with sanitizers. What becomes of a mutant:

    killed      a test failed, crashed or did not end
    not built   a compiler refused it
    same        it makes no difference: the code of every program that the pairs build is the same
                after the preprocessor, or after a compiler's optimiser
    argued      tests/gates/mutants.txt has it, with the reason why it is not a fault
    survived    nothing noticed: a case is missing

Only killed, argued and survived ones count. --small leaves out large images and most seeds, which
may let some pass that would not; --again, without it, then runs those that have survived before.
--argued runs those that are argued. Ends with status 1 if there is a survivor.
"""
import argparse
import collections
import glob
import json
import os
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import time

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TOP, 'tests', 'gates'))
import races  # noqa: E402

ARGUED = os.path.join(TOP, 'tests', 'gates', 'mutants.txt')
LAYOUTS = ['coarse', 'fine']
POCL = '/etc/OpenCL/vendors/pocl.icd'
GROUP = 64
# Each stage: how much the pairs look at, the seconds of CPU time that the pairs of a file may take, the
# size of work-groups, the width of vectors (0: this machine's). All but the last go without POCL's
# optimiser, which takes more than half of the time. In work-groups of one no other work-item does what
# the first has left undone. Other widths of vectors have code of their own in the coarse layout.
STAGES = [('--one', 30, GROUP, 0), ('--quick', 60, GROUP, 0), ('--quick', 60, GROUP, 4),
          ('--quick', 60, GROUP, 16), ('--small', 300, GROUP, 0), ('--one', 60, 1, 0),
          ('', 900, GROUP, 0)]
WIDTHS = {0: [], 4: ['--vector', '4', '--rows', '3'], 16: ['--vector', '16', '--rows', '6']}

# Operations whose pairs run a program, in the order in which they see most. What a program
# includes, its operations use.
OPERATIONS = {
    'background/boxes': ['background'], 'background/spread': ['background'],
    'convolve/direct': ['convolve'], 'convolve/fft': ['convolve'],
    'convolve/folded': ['convolve'], 'convolve/separable': ['gaussian', 'convolve'],
    'extract/deblend': ['extract'], 'extract/filter': ['extract'], 'extract/list': ['extract'],
    'extract/measure': ['extract'], 'extract/share': ['extract'],
    'photometry/rings': ['photometry'], 'photometry/sums': ['photometry'],
    'pixels/allclose': ['allclose'], 'pixels/arith': ['arith'], 'pixels/compress': ['compress'],
    'pixels/convert': ['convert'], 'pixels/crop': ['crop'], 'pixels/primes': ['primes'],
    'pixels/select': ['select'],
    'regions/hull': ['measure'], 'regions/hysteresis': ['threshold'], 'regions/label': ['label'],
    'regions/label_write': ['label'],
    'regions/label2rgb': ['label2rgb'], 'regions/measure': ['measure'],
    'regions/measure_ids': ['measure'], 'regions/measure_range': ['measure'],
    'regions/morphology': ['morphology'], 'regions/morphology_components': ['morphology'],
    'regions/morphology_frame': ['morphology'], 'regions/morphology_small': ['morphology'],
    'regions/outline': ['measure'], 'regions/threshold': ['threshold'],
    'stats/clip': ['clip'], 'stats/histogram': ['stats', 'clip'], 'stats/otsu': ['otsu'],
    'stats/sweep': ['stats', 'clip'], 'stats/sweep_sample': ['stats', 'clip'],
}
PRELUDE = 'common/prelude'
NEITHER = [PRELUDE, 'common/builtins', 'common/peak', 'common/peak_rates', 'common/probe']

# Tests of the reference, by file: topics of golden values or tests; the first ones see most.
REFERENCE_TESTS = {
    'convert': ['pixels'], 'threshold': ['pixels'], 'label2rgb': ['pixels'],
    'convolve': ['convolve'], 'gaussian': ['convolve'], 'boundary': ['convolve'],
    'products': ['convolve'], 'chain': ['convolve'],
    'label': ['label'], 'morphology': ['label'], 'measure': ['measure'], 'measure_shape': ['measure'],
    'exact': ['measure', 'stats'], 'big': ['measure', 'stats'], 'stats': ['stats'],
    'clip': ['stats'], 'otsu': ['stats'], 'sorted': ['stats'], 'primes': [],
    'pixel': ['pixels', 'stats', 'measure', 'convolve'], 'common': ['pixels', 'stats'],
    'background': ['sky', 'test_background'], 'mesh': ['sky', 'test_background'],
    'photometry': ['sky', 'test_photometry'], 'photometry_overlap': ['sky', 'test_photometry'],
    'photometry_radius': ['sky', 'test_photometry'], 'photometry_window': ['test_photometry'],
    'extract': ['test_extract'], 'extract_clean': ['test_extract'],
    'extract_deblend': ['test_extract'], 'extract_measure': ['test_extract'],
}

SPACED = {'<': ['<='], '>': ['>='], '<=': ['<', '>'], '>=': ['>', '<'], '==': ['!='], '!=': ['=='],
          '+': ['-'], '-': ['+'], '*': ['+'], '/': ['*'], '%': ['/'], '&': ['|'], '|': ['&'],
          '^': ['|'], '<<': ['>>'], '>>': ['<<'], '&&': ['||'], '||': ['&&'], '+=': ['-='],
          '-=': ['+='], '|=': ['&='], '&=': ['|=']}
WORDS = {'min': 'max', 'max': 'min', 'fmin': 'fmax', 'fmax': 'fmin', 'atomic_min': 'atomic_max',
         'atomic_max': 'atomic_min', 'atomic_inc': 'atomic_dec', 'atomic_dec': 'atomic_inc',
         'floor': 'ceil', 'ceil': 'floor', 'true': 'false', 'false': 'true', 'continue': 'break',
         'popcount': 'clz'}
TOKEN = re.compile(
    r'(?P<spaced>(?<= )(?:<<|>>|<=|>=|==|!=|&&|\|\||\+=|-=|\|=|&=|[-+*/%&|^<>])(?= |$))'
    r'|(?P<step>\+\+|--)|(?P<barrier>\bbarrier\([^)]*\);)'
    r'|(?P<not>(?<![\w)])[!~](?=[\w(]))'
    r'|(?P<word>\b(?:' + '|'.join(WORDS) + r')\b)'
    r'|(?P<number>(?<![\w.])\d+(?=u?l?\b)(?![\w.]*\.)(?!\.))')

INCLUDE = r'(?m)^#include "([\w/.]+)".*$'


def base(path):
    """A kernel file's name from its folder on, without .cl; headers keep their .h."""
    name = os.path.join(os.path.basename(os.path.dirname(path)), os.path.basename(path))
    return name[:-3] if name.endswith('.cl') else name


# The files of kernels by their names, from cl/ on.
KERNELS = {base(path): os.path.relpath(path, os.path.join(TOP, 'cl'))
           for path in glob.glob(os.path.join(TOP, 'cl', '*', '*.cl')) +
           glob.glob(os.path.join(TOP, 'cl', '*', '*.h'))}

SANITIZERS = ['-fsanitize=address,undefined', '-fno-sanitize-recover=all']

Mutant = collections.namedtuple('Mutant', 'path number before after layout barrier')


def changes(match):
    """What a token may become."""
    text = match.group()
    if match['spaced']:
        return SPACED[text]
    if match['step']:
        return ['--' if text == '++' else '++']
    if match['word']:
        return [WORDS[text]]
    if match['number']:
        return [str(int(text) + 1)] + ([str(int(text) - 1)] if int(text) > 1 else [])
    return [';' if match['barrier'] else '']


def without_comments(text):
    blank = lambda m: re.sub(r'[^\n]', ' ', m.group())
    return re.sub(r'/\*.*?\*/|//[^\n]*|"[^"\n]*"', blank, text, flags=re.S)


def layout_of(line, open_ifs):
    """The layout that lines belong to after this one, as far as conditions on COARSE alone tell."""
    word = line.split('#', 1)[1].split()[0] if line.split('#', 1)[1].split() else ''
    if word.startswith('if'):
        condition = line.split(None, 1)[1].strip() if word == 'if' else ''
        terms = [term.strip() for term in condition.split('&&')]
        whole = len(terms) == 1 and '||' not in condition
        yes = 'coarse' if 'COARSE' in terms else 'fine' if '!COARSE' in terms else None
        open_ifs.append((None if '||' in condition else yes,
                         {'coarse': 'fine', 'fine': 'coarse'}.get(yes) if whole else None))
    elif word in ('elif', 'else') and open_ifs:
        open_ifs[-1] = (open_ifs[-1][1], open_ifs[-1][1])
    elif word == 'endif' and open_ifs:
        open_ifs.pop()


def mutants_of(path, layouts):
    """Every mutant of a file: lines of code, and macros that take arguments."""
    with open(os.path.join(TOP, path)) as file:
        text = file.read()
    lines, directive, open_ifs = text.split('\n'), False, []
    half = base(path).rsplit('_', 1)[-1]  # X_coarse.cl and X_fine.cl belong to one layout
    if half in LAYOUTS:
        layouts = [layout for layout in layouts if layout == half]
    for i, line in enumerate(without_comments(text).split('\n')):
        continued, directive = directive, False
        if line.lstrip().startswith('#'):
            layout_of(line, open_ifs)
            if not re.match(r'\s*#define \w+\(', line):
                directive = line.endswith('\\') and not line.startswith('#define')
                continue
        elif continued:
            directive = line.endswith('\\')
            continue
        for match in TOKEN.finditer(line):
            for new in changes(match):
                after = lines[i][:match.start()] + new + lines[i][match.end():]
                for layout in layouts:
                    if any(yes and yes != layout for yes, _ in open_ifs):
                        continue
                    if any(base(path).endswith('_' + other) for other in LAYOUTS if other != layout):
                        continue  # the file of the other layout
                    yield Mutant(path, i, lines[i], after, layout, bool(match['barrier']))


def argued():
    """{(path, line, mutated line, layout)} of the list; a reason holds for the lines before it."""
    known, path, layout, before = {}, None, None, None
    waiting = []
    with open(ARGUED) as file:
        for line in file:
            line = line.rstrip('\n')
            if line.startswith('- '):
                before = line[2:]
            elif line.startswith('+ '):
                waiting.append((path, before, line[2:], layout))
            elif line.startswith('= '):
                known.update(dict.fromkeys(waiting, line[2:]))
                waiting = []
            elif line and not line.startswith(('#', ' ')):
                path, layout = (line.split() + [''])[:2]
    return known


def reason_for(known, mutant):
    for layout in (mutant.layout, ''):
        key = mutant.path, mutant.before.strip(), mutant.after.strip(), layout
        if key in known:
            return known[key]
    return None


def run(command, env, seconds, **more):
    """Status and output of a command that has so much CPU time; None where it took more."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        done = subprocess.run(command, env={**os.environ, **env}, preexec_fn=limit, text=True,
                              errors='replace', stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=40 * seconds, **more)
    except subprocess.TimeoutExpired:
        return None, ''
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return None, done.stdout
    return done.returncode, done.stdout


class Kernels:
    """Runs mutants of kernel files."""

    def __init__(self, build, work, small):
        self.stages = STAGES[:-1] if small else STAGES
        self.pairs = os.path.join(build, 'tests', 'run_pairs')
        self.work, self.seen, self.passed = work, {}, set()
        self.env = {'CLUMP_DEVICE': ''}
        if os.path.exists(POCL):  # alone: to load other drivers takes longer than most pairs
            self.env['OCL_ICD_VENDORS'] = POCL
        self.caches = {'XDG_CACHE_HOME': os.path.join(work, 'cache'),
                       'POCL_CACHE_DIR': os.path.join(work, 'pocl')}
        for folder in self.caches.values():
            os.makedirs(folder, exist_ok=True)
        shutil.rmtree(os.path.join(work, 'cl'), ignore_errors=True)
        shutil.copytree(os.path.join(TOP, 'cl'), os.path.join(work, 'cl'))

    def text(self, path, folder='cl'):
        with open(os.path.join(self.work, folder, path)) as file:
            return file.read()

    def includes(self, path):
        """What a file includes, directly or not."""
        found = set(re.findall(INCLUDE, self.text(path)))
        return found.union(*(self.includes(inner) for inner in found))

    def operations(self, name):
        """The operations whose pairs judge a file."""
        users = [name] if name in OPERATIONS else []
        users += [user for user in OPERATIONS if KERNELS[name] in self.includes(KERNELS[user])]
        if name == PRELUDE:  # which comes before every file
            users = ['stats/histogram', 'regions/label', 'convolve/direct']
        found = list(dict.fromkeys(op for user in users for op in OPERATIONS[user]))
        if not found:
            sys.exit(f'mutate: OPERATIONS does not say whose pairs run {name}')
        return found

    def entries(self):
        return {os.path.join(top, sub) for folder in self.caches.values()
                for top, subs, files in os.walk(folder) for sub in subs + files}

    def judge(self, operations, layout, stage, folder):
        """None where the pairs pass; else how the mutant died. And what was said."""
        size, seconds, group, width = stage
        env = {**self.caches, **self.env, 'CLUMP_KERNEL_DIR': os.path.join(self.work, folder)}
        if size:
            env['POCL_EXTRA_BUILD_FLAGS'] = '-cl-opt-disable'
            env['XDG_CACHE_HOME'] += '/plain'  # the library's cache does not know of these flags
        command = [self.pairs, *([size] if size else []), '--layout', layout, '--group', str(group),
                   *WIDTHS[width], '--stop', '--verbose', *operations]
        status, said = run(command, env, seconds)
        if status == 0:
            return None, said
        return ('not built' if 'does not build' in said else 'killed'), said

    def ready(self, operations, layout, stage):
        """Makes sure that the code as it is passes, and leaves its programs in the caches."""
        for operation in operations:
            key = operation, layout, stage
            if key in self.passed:
                continue
            fate, said = self.judge([operation], layout, stage, 'cl')
            if fate:
                sys.exit(f'mutate: {operation} fails as it is ({layout}, {stage[0]}):\n{said[-2000:]}')
            self.passed.add(key)

    def compose(self, name, folder):
        """The text of a program, as src/opencl/core/program.c has it."""
        seen = set()

        def whole(path):
            if path in seen:
                return ''
            seen.add(path)
            return re.sub(INCLUDE, lambda m: whole(m[1]), self.text(path, folder))
        return whole(KERNELS[PRELUDE]) + '\n' + whole(KERNELS[name])

    def compiled(self, text, options, how):
        command = ['clang-15', '-x', 'cl', '-target', 'x86_64-linux-gnu', *how, '-o', '-', '-',
                   *[option for option in options.split() if option != '-Werror']]
        done = subprocess.run(command, input=text, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
        return done.stdout if done.returncode == 0 else None

    def same(self, said):
        """True if no program that was built differs after the preprocessor or the optimiser."""
        programs = set(re.findall(r'# kernel (\w+/\w+) from .*?, options (.*): (?:built|from) ', said))
        for how in (['-E', '-P'], ['-O2', '-S', '-emit-llvm', '-march=native', '-Xclang',
                                   '-finclude-default-header', '-Xclang', '-cl-ext=+cl_khr_fp64']):
            differ = False
            for name, options in sorted(programs):
                texts = [self.compose(name, folder) for folder in ('cl', 'mutant')]
                if texts[0] == texts[1]:
                    continue
                codes = [self.compiled(text, options, how) for text in texts]
                if codes[0] is None or codes[0] != codes[1]:
                    differ = True
                    break
            if not differ:
                return bool(programs)
        return False

    def limits(self, name):
        """Whether the tests of limits fail: several bands of an image, full counters."""
        if name.split('/')[0] not in ('common', 'stats', 'regions'):
            return False
        env = {**self.caches, **self.env, 'CLUMP_KERNEL_DIR': os.path.join(self.work, 'mutant')}
        test = os.path.join(os.path.dirname(self.pairs), 'test_limits')
        return run([test, '-j1', '--fail-fast'], env, 120)[0] != 0

    def race(self, operations, layout):
        """What the race checker sees."""
        listed = subprocess.run([self.pairs, '--list'], stdout=subprocess.PIPE, text=True).stdout
        folder = os.path.join(self.work, 'races')
        os.makedirs(folder, exist_ok=True)
        os.environ['CLUMP_KERNEL_DIR'] = os.path.join(self.work, 'mutant')
        try:
            for pair in listed.split():
                if any(pair == op or pair.startswith(op + '_') for op in operations):
                    found = races.run(self.pairs, folder, '--one', pair, layout, GROUP)
                    if found:
                        return pair
        finally:
            del os.environ['CLUMP_KERNEL_DIR']
            shutil.rmtree(folder)
        return None

    def fate(self, mutant):
        name = base(mutant.path)
        operations = self.operations(name)
        folder = os.path.join(self.work, 'mutant')
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(os.path.join(self.work, 'cl'), folder)
        lines = self.text(KERNELS[name]).split('\n')
        lines[mutant.number] = mutant.after
        with open(os.path.join(folder, KERNELS[name]), 'w') as file:
            file.write('\n'.join(lines))
        made, heard = set(), ''
        try:
            for stage in self.stages:
                if mutant.layout == ('coarse' if stage[2] == 1 else 'fine' if stage[3] else ''):
                    continue  # coarse groups are all of one, fine ones have no vectors
                self.ready(operations, mutant.layout, stage)
                before = self.entries()
                fate, said = self.judge(operations, mutant.layout, stage, 'mutant')
                made |= self.entries() - before
                heard += said
                if fate:
                    how = ' '.join([f'{stage[0] or "all"} --group {stage[2]}', *WIDTHS[stage[3]]])
                    return fate, how
                if stage[0] == '--small':
                    if self.same(heard):
                        return 'same', ''
                    if self.limits(name):
                        return 'killed', 'limits'
                    pair = self.race(operations, mutant.layout)
                    if pair:
                        return 'killed', 'races'
            return 'survived', ''
        finally:
            for path in sorted(made, reverse=True):
                if os.path.isdir(path):
                    shutil.rmtree(path)  # what a run that was killed has left is in it too
                elif os.path.exists(path):
                    os.remove(path)


class Reference:
    """Runs mutants of the scalar reference: a changed copy of src/reference/, linked before the
    library, whose own object is then not taken."""

    def __init__(self, build, work, small):
        del small  # there is one size
        self.build, self.work = build, os.path.join(work, 'reference')
        self.sources = os.path.join(self.work, 'src', 'reference')
        shutil.rmtree(self.work, ignore_errors=True)
        shutil.copytree(os.path.join(TOP, 'src', 'reference'), self.sources)
        with open(os.path.join(build, 'compile_commands.json')) as file:
            commands = {os.path.basename(entry['file']): entry['command']
                        for entry in json.load(file) if '/reference/' in entry['file']}
        self.commands = {name: self.compiler(command) for name, command in commands.items()}
        self.originals, self.passed = {}, set()

    def compiler(self, command):
        """The compiler's arguments, without files, warnings and notes for debuggers."""
        words = iter(shlex.split(command))
        kept = [next(words)]
        for word in words:
            if word in ('-o', '-c', '-MF', '-MQ'):
                next(words)
            elif not word.startswith('-W') and word not in ('-g', '-MD'):
                kept.append(word)
        return kept[:2] + ['-I' + os.path.join(self.work, 'src')] + kept[2:]

    def compile(self, name, more=()):
        """Makes an object of a file; its bytes, or None."""
        output = os.path.join(self.work, name + '.o')
        status, _ = run([*self.commands[name], *more, '-w', '-o', output, '-c',
                         os.path.join(self.sources, name)], {}, 60, cwd=self.build)
        if status != 0:
            return None
        with open(output, 'rb') as file:
            return file.read()

    def link(self, test, objects):
        listed = subprocess.run(['ninja', '-t', 'commands', f'tests/{test}'], cwd=self.build,
                                stdout=subprocess.PIPE, text=True, check=True).stdout
        words = shlex.split(listed.strip().split('\n')[-1])
        at = words.index('-o')
        words[at + 1:at + 2] = [os.path.join(self.work, test), *objects]
        return run(words, {}, 60, cwd=self.build)[0] == 0

    def judge(self, name, objects):
        """None where all tests pass; else the name of the one that does not."""
        first = [topic if topic.startswith('test_') else 'golden_' + topic
                 for topic in REFERENCE_TESTS[name]]
        for test in first + ['test_reference', 'test_corners']:
            if not self.link(test, objects):
                return 'link'
            env = {'CLUMP_TEST_DEVICE': 'reference', 'CLUMP_DEVICE': 'reference',
                   'OCL_ICD_VENDORS': self.work, 'ASAN_OPTIONS': 'detect_leaks=0'}
            status, _ = run([os.path.join(self.work, test), '-j1', '--fail-fast'], env, 60)
            if status != 0:
                return test
        return None

    def users(self, name):
        """The files to compile: itself, or for a header those that know it."""
        if name.endswith('.c'):
            return [name]
        known, grown = {name}, True
        while grown:
            more = {file for file in os.listdir(self.sources) if file not in known and
                    any(f'reference/{header}"' in open(os.path.join(self.sources, file)).read()
                        for header in known if header.endswith('.h'))}
            grown = bool(more)
            known |= more
        return sorted(file for file in known if file.endswith('.c'))

    def fate(self, mutant):
        name = os.path.basename(mutant.path)
        path, topic = os.path.join(self.sources, name), name.split('.')[0]
        with open(os.path.join(TOP, mutant.path)) as file:
            text = file.read()
        users = self.users(name)
        for user in users:
            if user not in self.originals:
                self.originals[user] = self.compile(user)
        objects = [os.path.join(self.work, user + '.o') for user in users]
        if topic not in self.passed:
            for user in users:
                self.compile(user, SANITIZERS)
            test = self.judge(topic, [*objects, *SANITIZERS])
            if test:
                sys.exit(f'mutate: {test} fails as it is')
            self.passed.add(topic)
        lines = text.split('\n')
        lines[mutant.number] = mutant.after
        try:
            with open(path, 'w') as file:
                file.write('\n'.join(lines))
            made = {user: self.compile(user) for user in users}
            if None in made.values():
                return 'not built', ''
            if all(made[user] == self.originals[user] for user in users):
                return 'same', ''
            test = self.judge(topic, objects)
            if test:
                return 'killed', test
            for user in users:
                self.compile(user, SANITIZERS)
            test = self.judge(topic, [*objects, *SANITIZERS])
            return ('killed', 'sanitizers') if test else ('survived', '')
        finally:
            with open(path, 'w') as file:
                file.write(text)


class Log:
    """What became of the mutants of a seed, a line each, so that a later run goes on."""

    def __init__(self, path):
        self.path, self.fates = path, {}
        if os.path.exists(path):
            with open(path) as file:
                for line in file:
                    entry = json.loads(line)
                    self.fates[tuple(entry['mutant'])] = entry['fate']

    @staticmethod
    def key(mutant):
        return mutant.path, mutant.before.strip(), mutant.after.strip(), mutant.layout

    def fate(self, mutant):
        return self.fates.get(self.key(mutant))

    def add(self, mutant, fate, how):
        self.fates[self.key(mutant)] = fate
        with open(self.path, 'a') as file:
            file.write(json.dumps({'mutant': self.key(mutant), 'fate': fate, 'how': how}) + '\n')


def wanted(names):
    """Every mutant of the files that have these names."""
    kernels = sorted(name for name in KERNELS
                     if name not in NEITHER and not name.endswith('.h'))
    files = sorted(os.listdir(os.path.join(TOP, 'src', 'reference')))
    files = [f'reference/{name}' for name in files if name.split('.')[0] in REFERENCE_TESTS]
    for name in names:
        found = False
        for kernel in kernels:
            if name in ('kernels', kernel, *kernel.split('/')):
                found = True
                yield from mutants_of(f'cl/{KERNELS[kernel]}', LAYOUTS)
        for file in files:
            if name in ('reference', file, file.split('.')[0]):
                found = True
                yield from mutants_of(f'src/{file}', ['reference'])
        if not found:
            sys.exit(f'mutate: there is no {name}: kernels, reference, {", ".join(kernels + files)}')


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__.split('\n\n')[1].strip())
    parser.add_argument('build')
    parser.add_argument('names', nargs='*', default=['kernels'])
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--count', type=int, default=1 << 30)
    parser.add_argument('--minutes', type=float, default=1e9)
    parser.add_argument('--layout', choices=LAYOUTS)
    parser.add_argument('--small', action='store_true')
    parser.add_argument('--again', action='store_true')
    parser.add_argument('--argued', action='store_true')
    parser.add_argument('--work', default='/tmp/mutants')
    return parser.parse_intermixed_args()


def main():
    options = arguments()
    pool = [mutant for mutant in wanted(options.names)
            if not options.layout or mutant.layout in (options.layout, 'reference')]
    random.Random(options.seed).shuffle(pool)
    os.makedirs(options.work, exist_ok=True)
    log = Log(os.path.join(options.work, f'seed-{options.seed}.jsonl'))
    known, judges = argued(), {}
    tally, started, done = collections.Counter(), time.time(), 0
    for mutant in pool:
        if done >= options.count or time.time() - started > 60 * options.minutes:
            break
        reason, fate = reason_for(known, mutant), log.fate(mutant)
        if reason and not options.argued:
            if options.again:
                continue
            fate = 'argued'
        elif (options.again and fate != 'survived') or (options.argued and not reason):
            continue
        elif not fate or options.again or options.argued:
            kind = Reference if mutant.layout == 'reference' else Kernels
            if kind not in judges:
                judges[kind] = kind(os.path.abspath(options.build), options.work,
                                    options.small)
            fate, how = judges[kind].fate(mutant)
            log.add(mutant, fate, how)
            print(f'{fate}{" by " + how if how else ""}: {mutant.path}:{mutant.number + 1} '
                  f'({mutant.layout})\n- {mutant.before.strip()}\n+ {mutant.after.strip()}',
                  flush=True)
        tally[fate] += 1
        done += fate in ('killed', 'argued', 'survived')
    print(f'{done} mutants of seed {options.seed}: ' +
          ', '.join(f'{tally[fate]} {fate}' for fate in ('killed', 'argued', 'survived')) +
          f'; and {tally["not built"]} not built, {tally["same"]} that are the same')
    return 1 if tally['survived'] else 0


if __name__ == '__main__':
    sys.exit(main())
