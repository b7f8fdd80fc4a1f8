#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Fuzzes the whole command, the readers and the option parser, as TAP:
#   fuzz.sh SOURCE WORK [SECONDS [KIND...]]
# A KIND is a command (info stats find cells measure convert background extract photometry), a format
# (fits npy png tiff) or `options`.
# What is found is left in WORK/found; it belongs into tests/fuzz/corpus once it is put right.
set -u
source=$1 work=$2 seconds=${3:-300}
shift $(($# < 3 ? $# : 3))
kinds=("${@:-info stats find cells measure convert background extract photometry fits npy options png tiff}")
read -ra kinds <<<"${kinds[*]}"

runtime=$(clang-14 -print-file-name=libclang_rt.fuzzer-x86_64.a 2>/dev/null)
if ! [ -f "$(clang-14 -print-resource-dir 2>/dev/null)/lib/linux/libclang_rt.fuzzer-x86_64.a" ] &&
    ! [ -f "$runtime" ]; then
    printf '1..1\nok 1 - fuzzing # SKIP no libFuzzer (Debian: clang-14, libclang-rt-14-dev)\n'
    exit 0
fi
# Memory is refused as clump-reader's limit refuses it; what others forget to free is in leaks.supp.
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1:max_allocation_size_mb=256
ASAN_OPTIONS+=:use_sigaltstack=0:malloc_context_size=4:quarantine_size_mb=16
export LSAN_OPTIONS=suppressions=$source/tests/leaks.supp:print_suppressions=0
export OCL_ICD_VENDORS=$work/no-driver # drivers and sanitizers do not always get on
export UBSAN_OPTIONS=print_stacktrace=1
[ -f "$work/build.ninja" ] ||
    CC=clang-14 meson setup "$work" "$source" -Dfuzzer=true -Dtests=enabled -Dwerror=false \
        -Ddefault_library=static -Db_sanitize=address,undefined -Db_lundef=false \
        -Dc_args='-fsanitize=fuzzer-no-link -fno-sanitize-recover=undefined' >/dev/null
ninja -C "$work" tests/fuzz/fuzz_command tests/fuzz/fuzz_image tests/fuzz/fuzz_options \
    >"$work/ninja.log" ||
    { printf 'Bail out! fuzzers do not build\n'; cat "$work/ninja.log"; exit 1; }

number=0 failures=0
mkdir -p "$work/found"
for kind in "${kinds[@]}"; do
    target=fuzz_command seeds=("$source"/tests/fuzz/corpus/{fits,npy,png,tiff})
    case $kind in
    options) target=fuzz_options ;;
    photometry) seeds=("$source/tests/fuzz/corpus/positions") ;;
    fits | npy | png | tiff) target=fuzz_image ;;
    esac
    quiet=3 # the target's own streams are closed; that of the command looks at what is said
    [ $target = fuzz_command ] && quiet=0
    [ $target = fuzz_command ] || seeds=("$source/tests/fuzz/corpus/$kind")
    mkdir -p "$work/corpus/$kind"
    number=$((number + 1))
    log=$work/$kind.log
    if CLUMP_FUZZ_COMMAND=$kind "$work/tests/fuzz/$target" -max_total_time="$seconds" -timeout=25 -rss_limit_mb=2048 \
        -max_len=20000 -close_fd_mask=$quiet -print_final_stats=1 \
        -artifact_prefix="$work/found/$kind-" \
        "$work/corpus/$kind" "${seeds[@]}" >"$log" 2>&1; then
        echo "ok $number - $kind: $(sed -n 's/^stat::number_of_executed_units: */executions /p' "$log")"
    else
        echo "not ok $number - $kind"
        grep -aE 'ERROR|SUMMARY|runtime error|not so|Test unit|^    #[0-9] ' "$log" | head -30 | sed 's/^/# /'
        failures=$((failures + 1))
    fi
done
echo "1..$number"
exit $((failures > 0))
