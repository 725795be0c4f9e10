/* Preloaded into a program: one of its calls on the files of a directory fails, or kills it.
 *
 * FAULT_DIR    the directory; calls on other files pass
 * FAULT_AT     the call, from 1
 * FAULT_KIND   "kill", or the number of the error
 * FAULT_LOG    a file to which the name of the call and its file are written when it happens
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define FILES 1024
static const char *inside[FILES];
static atomic_long calls;

static int is_inside(const char *path) {
    const char *dir = getenv("FAULT_DIR");
    return dir && path && strncmp(path, dir, strlen(dir)) == 0;
}

/* Counts a call, and lets it happen or not. */
static int fails(const char *call, const char *path) {
    const char *at = getenv("FAULT_AT"), *kind = getenv("FAULT_KIND"), *log = getenv("FAULT_LOG");
    if (!at || !kind || !log || atomic_fetch_add(&calls, 1) + 1 != atol(at)) return 0;
    int file = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    char line[512];
    const char *name = strrchr(path, '/');
    int length = snprintf(line, sizeof line, "%s %s\n", call, name ? name + 1 : path);
    syscall(SYS_write, file, line, length);
    syscall(SYS_close, file);
    if (strcmp(kind, "kill") == 0) syscall(SYS_kill, getpid(), SIGKILL);
    errno = atoi(kind);
    return 1;
}

static int remember(int file, const char *path) {
    if (file >= 0 && file < FILES) inside[file] = is_inside(path) ? strdup(path) : NULL;
    return file;
}

#define REAL(type, name, ...) ((type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name))

static int opened(const char *path, int flags, mode_t mode) {
    if (is_inside(path) && fails("open", path)) return -1;
    return remember(syscall(SYS_openat, AT_FDCWD, path, flags | O_LARGEFILE, mode), path);
}

#define OPEN(name)                                                            \
    int name(const char *path, int flags, ...) {                              \
        va_list list;                                                         \
        va_start(list, flags);                                                \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0; \
        va_end(list);                                                         \
        return opened(path, flags, mode);                                     \
    }
OPEN(open)
OPEN(open64)

int close(int file) {
    if (file >= 0 && file < FILES) inside[file] = NULL;
    return syscall(SYS_close, file);
}

#define ON_FILE(type, name, call, declared, given)                                      \
    type name declared {                                                                \
        if (file >= 0 && file < FILES && inside[file] && fails(call, inside[file])) return -1; \
        return (type)syscall given;                                                     \
    }
ON_FILE(ssize_t, write, "write", (int file, const void *from, size_t size), (SYS_write, file, from, size))
ON_FILE(ssize_t, writev, "write", (int file, const struct iovec *from, int count), (SYS_writev, file, from, count))
ON_FILE(ssize_t, pwrite, "write", (int file, const void *from, size_t size, off_t at), (SYS_pwrite64, file, from, size, at))
ON_FILE(ssize_t, pwrite64, "write", (int file, const void *from, size_t size, off64_t at), (SYS_pwrite64, file, from, size, at))
ON_FILE(int, fsync, "fsync", (int file), (SYS_fsync, file))
ON_FILE(int, fdatasync, "fsync", (int file), (SYS_fdatasync, file))
ON_FILE(int, ftruncate, "truncate", (int file, off_t size), (SYS_ftruncate, file, size))
ON_FILE(int, ftruncate64, "truncate", (int file, off64_t size), (SYS_ftruncate, file, size))

int rename(const char *from, const char *to) {
    if (is_inside(to) && fails("rename", to)) return -1;
    return syscall(SYS_rename, from, to);
}

int link(const char *from, const char *to) {
    if (is_inside(to) && fails("link", to)) return -1;
    return syscall(SYS_link, from, to);
}

int unlink(const char *path) {
    if (is_inside(path) && fails("unlink", path)) return -1;
    return syscall(SYS_unlink, path);
}
