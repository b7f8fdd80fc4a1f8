#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds with sanitizers and runs the suite again: sanitize.sh SOURCE WORK KIND, KIND being
# address,undefined or thread. Drivers put signal stacks of their own into threads, so the
# sanitizer must not.
set -eu
source=$1 work=$2 kind=$3
# The sanitizer of GCC 12 crashes now and then where it looks for thread-local memory.
export ASAN_OPTIONS=use_sigaltstack=0:intercept_tls_get_addr=0
export ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=1:allocator_may_return_null=1
export LSAN_OPTIONS=suppressions=$source/tests/leaks.supp:print_suppressions=0
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
# Drivers' locks and threads are none of ours, and only partly seen.
export TSAN_OPTIONS=halt_on_error=1:ignore_noninstrumented_modules=1:allocator_may_return_null=1
# Where it would write a file as a program starts, even one that may write none.
export TEST_TMPDIR=/nonexistent
# POCL alone: Intel's driver looks for its hardware in a way that sanitizers do not allow.
pocl=/etc/OpenCL/vendors/pocl.icd
[ ! -f $pocl ] || export OCL_ICD_VENDORS=$pocl
# Criterion wants memory at addresses that the thread sanitizer keeps, and does not start: its
# tests are left out there. The gate `soak` has the threads.
without=()
[ "$kind" != thread ] || without=(--no-suite criterion)
[ -f "$work/build.ninja" ] ||
    meson setup "$work" "$source" -Ddefault_library=static -Doptimization=1 -Dtests=enabled \
        -Db_sanitize="$kind" -Db_lundef=false -Dwerror=false >/dev/null
ninja -C "$work" >/dev/null
meson test -C "$work" --no-suite slow --no-suite whole --no-suite foreign "${without[@]}" \
    --no-rebuild --print-errorlogs -t 4
