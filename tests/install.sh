#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs into a folder of its own and uses what is there, as TAP: install.sh SOURCE WORK
set -u
source=$1 work=$2
. "$(dirname "$0")/tap.sh"
log=$work/log

rm -rf "$work"
mkdir -p "$work/elsewhere"
cd "$work/elsewhere" || exit 1
prefix=$work/prefix
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig PATH=$prefix/bin:$PATH XDG_CACHE_HOME=$work/cache
export LD_LIBRARY_PATH=$prefix/lib
unset CLUMP_KERNEL_DIR CLUMP_DEVICE
mkdir -p "$XDG_CACHE_HOME"

check 'configures for release' meson setup "$work/build" "$source" --prefix="$prefix" \
    --libdir=lib --buildtype=release -Dtests=disabled
check 'compiles' ninja -C "$work/build"
check 'installs' meson install -C "$work/build" --no-rebuild
[ "$failures" -eq 0 ] || finish
mv "$work/build" "$work/built" # nothing of it may be found

for header in "$prefix"/include/clump/*.h; do
    name=$(basename "$header")
    printf '#include <clump/%s>\nint one;\n' "$name" >one.c
    check "$name compiles alone" cc -std=c11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only \
        $(pkg-config --cflags clump) one.c
done
if command -v c++ >/dev/null; then
    check 'clump.h compiles as C++' c++ -Wall -Wextra -Werror -fsyntax-only -x c++ \
        $(pkg-config --cflags clump) "$prefix/include/clump/clump.h"
fi

# The README's program, word for word.
awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on' "$source/README.md" >first.c
check 'the README program is under 30 lines' test "$(wc -l <first.c)" -lt 30
check 'it compiles' cc -std=c11 -Wall -Wextra -Wpedantic -Werror first.c \
    $(pkg-config --cflags --libs clump) -o first
check 'it runs' ./first "$source/data/field.fits"
./first "$source/data/field.fits" >default.txt 2>&1
CLUMP_DEVICE=reference ./first "$source/data/field.fits" >reference.txt 2>&1
check 'it says the same on the reference device' cmp default.txt reference.txt
check 'it finds sources' grep -E '^[1-9][0-9]* sources above' default.txt
check 'pkg-config names nothing but ours for the compiler' test "$(pkg-config --cflags clump |
    sed 's/ *$//')" = "-I$prefix/include"
check 'and for a link with the shared library' test "$(pkg-config --libs clump |
    sed 's/ *$//')" = "-L$prefix/lib -lclump"
# The library alone is linked statically: Debian has no static libraries of all that it needs.
check 'it compiles with the static library' sh -c "cc first.c \$(pkg-config --cflags clump) \
    \$(pkg-config --static --libs clump | sed 's/-lclump /-Wl,-Bstatic -lclump -Wl,-Bdynamic /') \
    -o first-static"
check 'which is in it' sh -c "! ldd first-static | grep libclump"
check 'and runs' ./first-static "$source/data/field.fits"

check 'clump runs from another folder' clump primes 10000
check 'its kernels are the installed ones' sh -c \
    "rm -rf '$XDG_CACHE_HOME/clump'; clump primes 10000 -v -v 2>&1 | grep -F '$prefix/share/clump/cl/pixels/primes.cl'"
mv "$prefix/share/clump/cl" "$prefix/share/clump/cl.gone"
check 'without them it has a copy inside' sh -c \
    "rm -rf '$XDG_CACHE_HOME/clump'; clump primes 10000 -v -v 2>&1 | grep -F 'from the library itself'"
mv "$prefix/share/clump/cl.gone" "$prefix/share/clump/cl"
check 'a second start compiles nothing' sh -c \
    "clump primes 10000; clump primes 10000 -v -v 2>&1 | grep -F 'from the cache'"
check 'the version is the same everywhere' sh -c \
    "clump --version | grep -F \"\$(pkg-config --modversion clump)\""
check 'no name but clump_ is exported' sh -c \
    "! nm -D --defined-only '$prefix/lib/libclump.so' | awk '\$2 != \"A\" {print \$3}' | grep -v '^clump_'"
reader=$prefix/libexec/clump/clump-reader
check 'the reader of files is there' test -x "$reader"
check 'and is used' sh -c "clump info '$source/data/field.fits' 2>&1 >/dev/null | cmp - /dev/null"
mv "$reader" "$reader.gone"
check 'without it files are read, with a warning' sh -c \
    "clump info '$source/data/field.fits' 2>&1 | grep -F 'without its protection'"
mv "$reader.gone" "$reader"
check 'the manual page is there' test -s "$prefix/share/man/man1/clump.1"
check 'the completion is there' test -s "$prefix/share/bash-completion/completions/clump"
mkdir -p "$work/nothing"
echo 'no library' >"$work/nothing/libOpenCL.so.1"
check 'reference needs no OpenCL at all' env LD_LIBRARY_PATH="$work/nothing:$prefix/lib" \
    clump primes 10000 --device reference
check 'and is the only device then' sh -c \
    "LD_LIBRARY_PATH='$work/nothing:$prefix/lib' clump devices --json | grep -c '\"index\": 0' |
        grep -qx 1 && LD_LIBRARY_PATH='$work/nothing:$prefix/lib' clump devices | grep 'no default'"
mv "$work/built" "$work/build"
check 'uninstall' ninja -C "$work/build" uninstall
check 'leaves nothing' test -z "$(find "$prefix" -mindepth 1 -print -quit 2>/dev/null)"
[ "$failures" -gt 0 ] || rm -rf "$work"
finish
