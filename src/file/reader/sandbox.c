/* SPDX-License-Identifier: MIT */
#include "file/reader/sandbox.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#include "file/reader/protocol.h"

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define SANITIZED 1 /* sanitizers want terabytes of addresses, and files when they report */
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

#if defined __x86_64__
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined __aarch64__
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

static void limit(int what, uint64_t value)
{
    struct rlimit old, new = {value, value};
    if (getrlimit((__rlimit_resource_t)what, &old))
        return;
    new.rlim_cur = value < old.rlim_max ? value : old.rlim_max;
    new.rlim_max = what == RLIMIT_AS ? old.rlim_max : new.rlim_cur; /* the library may raise it */
    setrlimit((__rlimit_resource_t)what, &new);
}

/* Bytes of address space in use. */
static uint64_t in_use(void)
{
    uint64_t pages = 0;
    FILE *in = fopen("/proc/self/statm", "r");
    if (!in || fscanf(in, "%" SCNu64, &pages) != 1)
        pages = (UINT64_C(256) << 20) / 4096;
    if (in)
        fclose(in);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Without a rule, Landlock takes away every way to a file by its name, and TCP where it can. */
static bool close_file_system(void)
{
#ifdef SYS_landlock_create_ruleset
    /* Rights by version of the interface: 13 of version 1, then REFER, TRUNCATE, (TCP,) IOCTL. */
    static const struct {
        uint64_t files, net;
    } rights[] = {{0x1fff, 0}, {0x3fff, 0}, {0x7fff, 0}, {0x7fff, 3}, {0xffff, 3}};
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, 1u);
    if (version < 1)
        return false;
    size_t row = version < 5 ? (size_t)version - 1 : 4;
    struct {
        uint64_t files, net;
    } wanted = {rights[row].files, rights[row].net};
    long rules = syscall(SYS_landlock_create_ruleset, &wanted, version < 4 ? 8 : sizeof wanted, 0);
    if (rules < 0)
        return false;
    bool done = syscall(SYS_landlock_restrict_self, (int)rules, 0) == 0;
    close((int)rules);
    return done;
#else
    return false;
#endif
}

#ifdef ARCHITECTURE

#define ALLOW      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define KILL       BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
#define DENY       BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES)
#define LOAD(what) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, what))
#define LOW_WORD   (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0)
#define LOAD_ARGUMENT(n)                                                                           \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + 8 * (n) + LOW_WORD)
#define CALL(name, yes) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), yes

/* Calls with any arguments; `name` is compared with the number that is loaded. */
#define FREE(name) CALL(name, ALLOW)
/* Calls on the descriptor `fd` only. */
#define ON(name, fd)                                                                               \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 4), LOAD_ARGUMENT(0),                       \
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (fd), 0, 1), ALLOW, KILL
/* Memory that may not be run. */
#define DATA(name)                                                                                 \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 4), LOAD_ARGUMENT(2),                       \
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1), DENY, ALLOW

static bool filter_calls(void)
{
    const uint32_t self = (uint32_t)getpid();
    const struct sock_filter filter[] = {
        LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
        KILL,
        LOAD(nr),
        FREE(read),
        FREE(pread64),
        FREE(lseek),
        FREE(munmap),
        FREE(mremap),
        FREE(brk),
        FREE(madvise),
        FREE(futex),
        FREE(close),
        FREE(exit),
        FREE(exit_group),
        FREE(rt_sigreturn),
        FREE(rt_sigprocmask),
        FREE(clock_gettime),
        FREE(gettimeofday),
        FREE(getpid),
        FREE(gettid),
        FREE(getrandom),
        FREE(restart_syscall),
        ON(recvmsg, READER_SOCKET),
        ON(sendmsg, READER_SOCKET),
        DATA(mmap),
        DATA(mprotect),
        /* A library that aborts sends a signal to itself. */
        ON(tgkill, self),
    /* What libraries look for and can do without. */
#ifdef SYS_open
        CALL(open, DENY),
        CALL(stat, DENY),
        CALL(access, DENY),
        CALL(readlink, DENY),
        CALL(time, ALLOW),
#endif
        CALL(openat, DENY),
        CALL(newfstatat, DENY),
        CALL(fstat, DENY),
        CALL(ioctl, DENY),
        CALL(readlinkat, DENY),
        CALL(faccessat, DENY),
        CALL(write, DENY),
        CALL(writev, DENY),
        CALL(sysinfo, DENY),
        CALL(prlimit64, DENY),
        CALL(sched_getaffinity, DENY),
        KILL,
    };
    const struct sock_fprog program = {sizeof filter / sizeof *filter,
                                       (struct sock_filter *)filter};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

#else

static bool filter_calls(void) { return false; }

#endif

void reader_sandbox(const struct clump_log *log, uint64_t memory, uint64_t seconds)
{
    uint64_t used = in_use();
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, seconds);
    limit(RLIMIT_NOFILE, READER_FILE + 2); /* one more than it has, for the memory of pixels */
    if (!SANITIZED)
        limit(RLIMIT_FSIZE, 0); /* sanitizers report to where stderr goes, which may be a file */
    if (!SANITIZED)
        limit(RLIMIT_AS, memory < UINT64_MAX - used ? used + memory : RLIM_INFINITY);
    prctl(PR_SET_DUMPABLE, 0);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        clump_say(log, CLUMP_LOG_DEBUG, "clump-reader: the kernel knows no way to shut it in");
    if (SANITIZED)
        return;
    if (!close_file_system())
        clump_say(log, CLUMP_LOG_DEBUG, "clump-reader: the kernel has no Landlock");
    if (!filter_calls())
        clump_say(log, CLUMP_LOG_DEBUG, "clump-reader: system calls are not filtered here");
}
