#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds with each option, and with each combination that matters: builds.sh SOURCE WORK, as TAP.
# docs/builds.md lists them. Warnings are errors here.
set -u
source=$1 work=$2
here=$(dirname "$0")
. "$here/tap.sh"
rm -rf "$work"
mkdir -p "$work/cache"
log=$work/log
export XDG_CACHE_HOME=$work/cache
unset CLUMP_KERNEL_DIR CLUMP_DEVICE CC
usual=(-Dtests=disabled -Dwerror=true -Doptimization=0 -Ddebug=false)

# configure FOLDER OPTION...: for the first time, or again with other options.
configure() {
    local folder=$work/$1
    shift
    if [ -f "$folder/build.ninja" ]; then
        "${meson:-meson}" setup --reconfigure "$folder" "$source" "$@"
    else
        "${meson:-meson}" setup "$folder" "$source" "${usual[@]}" "$@"
    fi
}
build() { configure "$@" && ninja -C "$work/$1"; }

# says TEXT COMMAND...: the command's output has the text, whatever its status.
says() {
    local text=$1
    shift
    "$@" >"$work/said" 2>&1
    cat "$work/said"
    grep -qF -- "$text" "$work/said"
}
fails() { ! "$@"; }

clump=$work/gcc/src/cli/clump
field=$source/data/field.fits cells=$source/data/cells.png
find_sources() { # TABLE: finds them, and says how many lines they are
    "$clump" find "$field" --device reference --force -o "$1" && test "$(wc -l <"$1")" -gt 10
}

check 'gcc, as it comes' build gcc
check 'it says nothing of what is left out' test "$("$clump" --version | wc -l)" -eq 1
check 'it finds sources' find_sources "$work/all.csv"
check 'tests=disabled builds no test program' test -z "$(find "$work/gcc" -name 'run_pairs' \
    -o -name 'test_*' -o -name 'fuzz_*' -o -name 'faults' -o -name 'golden_*')"

check 'without libtiff' build gcc -Dtiff=disabled
check 'it says so' says 'built without libtiff' "$clump" --version
check 'and refuses to write' says 'was built without libtiff' "$clump" threshold "$field" \
    --above 1 --device reference -o "$work/a.tif"
check 'and leaves nothing behind' test ! -e "$work/a.tif"
printf 'II*\0\10\0\0\0' >"$work/b.tif"
check 'and to read' says 'is a TIFF image, and this clump was built without libtiff' \
    "$clump" info "$work/b.tif"

check 'without libpng' build gcc -Dtiff=auto -Dpng=disabled
check 'it says so' says 'built without libpng' "$clump" --version
check 'and refuses to read' says 'is a PNG image, and this clump was built without libpng' \
    "$clump" info "$cells"
check 'and to write' says 'was built without libpng' "$clump" threshold "$field" --above 1 \
    --device reference -o "$work/a.png"

check 'without WCSLIB' build gcc -Dpng=auto -Dwcs=disabled
check 'it says so' says 'built without WCSLIB' "$clump" --version
check 'and that coordinates are left out' says 'sky coordinates are left out' "$clump" info "$field"
check 'and finds sources' find_sources "$work/no-wcs.csv"
check 'as many' test "$(wc -l <"$work/all.csv")" -eq "$(wc -l <"$work/no-wcs.csv")"

check 'without Cairo' build gcc -Dwcs=auto -Dcairo=disabled
check 'it says so' says 'built without Cairo' "$clump" --version
check 'and draws nothing' says 'was built without Cairo' "$clump" view "$field" \
    --device reference -o "$work/view.png"
check 'and leaves nothing behind' test ! -e "$work/view.png"

check 'without VkFFT' build gcc -Dcairo=auto -Dvkfft=disabled
check 'it says so' says 'built without VkFFT' "$clump" --version

check 'without any of them' build gcc -Dtiff=disabled -Dpng=disabled -Dwcs=disabled \
    -Dcairo=disabled -Dvkfft=disabled
check 'it names them all' says 'built without libtiff, libpng, WCSLIB, Cairo, VkFFT' \
    "$clump" --version
check 'and finds sources' find_sources "$work/none.csv"
check 'the same' cmp "$work/no-wcs.csv" "$work/none.csv"
check 'tests that cannot be are refused' says 'the tests need every optional library' \
    configure gcc -Dtests=enabled
configure gcc -Dtests=disabled -Dtiff=auto -Dpng=auto -Dwcs=auto -Dcairo=auto -Dvkfft=auto \
    >/dev/null 2>&1

check 'without kernels inside' build gcc -Dembed_kernels=false
check 'it uses the files' "$clump" primes 1000
mv "$work/gcc/cl" "$work/gcc/cl.gone"
rm -rf "$XDG_CACHE_HOME/clump"
check 'and names what is missing without them' says 'is missing' "$clump" primes 1000
mv "$work/gcc/cl.gone" "$work/gcc/cl"
check 'a shared library alone' build gcc -Dembed_kernels=true -Ddefault_library=shared
check 'it runs' "$clump" primes 1000
check 'a static library alone' build gcc -Ddefault_library=static
check 'it runs' "$clump" primes 1000
rm -rf "$work/gcc"

clang=$(command -v clang-15 || command -v clang-14 || command -v clang)
if [ -n "$clang" ]; then
    export CC=$clang
    check 'clang, with the tests' build clang -Dtests=enabled
    check 'it runs' "$work/clang/src/cli/clump" primes 1000
    unset CC
    rm -rf "$work/clang"
else
    leave_out 'clang' 'clang is missing'
fi

# The sanitizers' own time is in VkFFT's header, which is compiled without them.
for level in 0 2 3; do
    check "sanitizers at -O$level" build sanitized -Doptimization=$level -Db_lundef=false \
        -Db_sanitize=address,undefined -Ddefault_library=static
done
rm -rf "$work/sanitized"

# The oldest meson that meson.build allows, and the newest there is.
oldest=$(sed -n "s/.*meson_version: '>=\([0-9.]*\)'.*/\1/p" "$source/meson.build")
for version in "==$oldest" ''; do
    what="meson ${version:-, the newest}"
    if ! { python3 -m venv "$work/venv" && "$work/venv/bin/pip" install -q "meson$version"; } \
        >"$work/pip.log" 2>&1; then
        leave_out "$what" 'Python has no venv, or there is no network'
        continue
    fi
    meson=$work/venv/bin/meson
    check "$what, $("$meson" --version)" build meson -Dvkfft=disabled
    check 'it installs' env DESTDIR="$work/to" "$meson" install -C "$work/meson" --no-rebuild
    rm -rf "$work/venv" "$work/meson" "$work/to"
    unset meson
done

# A tarball is made of what is committed, and has to pass its own tests.
if git -C "$source" rev-parse -q --verify HEAD >/dev/null 2>&1; then
    check 'a folder to make a tarball from' configure dist
    check 'meson dist' meson dist -C "$work/dist" --no-tests --allow-dirty
    mkdir -p "$work/unpacked"
    check 'it unpacks' sh -c "tar -C '$work/unpacked' --strip-components=1 -xf '$work'/dist/meson-dist/*.tar.xz"
    source=$work/unpacked
    check 'it builds, with its tests' build tarball -Dtests=enabled
    check 'it passes its tests' meson test -C "$work/tarball" --no-rebuild reference png fits \
        corpus-fits corpus-options data
else
    leave_out 'meson dist' 'this is no clone of the repository'
fi
rm -rf "$work"
finish
