/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Preloaded into helion-aot: the SIGNAL_AT-th of the calls below, of the process itself and not of its children, is followed
 * by the signal SIGNAL_NUMBER. With SIGNAL_AT=0 there is none; then SIGNAL_TOTAL is a file that gets the number of calls. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

static pid_t self;
static long seen, at;

__attribute__((constructor)) static void begin(void) {
  if (strcmp(program_invocation_short_name, "helion-aot") != 0)
    return;
  at = atol(getenv("SIGNAL_AT"));
  self = getpid();
}

static void called(void) {
  int before = errno;
  if (getpid() == self && ++seen == at)
    kill(self, atoi(getenv("SIGNAL_NUMBER")));
  errno = before;
}

__attribute__((destructor)) static void end(void) {
  if (getpid() != self || at != 0)
    return;
  FILE *file = fopen(getenv("SIGNAL_TOTAL"), "w");
  fprintf(file, "%ld", seen);
  fclose(file);
}

#define FOLLOWED(type, name, parameters, arguments)                                                                    \
  type name parameters {                                                                                               \
    type result = ((__typeof__(&name))dlsym(RTLD_NEXT, #name))arguments;                                               \
    called();                                                                                                          \
    return result;                                                                                                     \
  }

FOLLOWED(pid_t, fork, (void), ())
FOLLOWED(ssize_t, write, (int file, const void *bytes, size_t count), (file, bytes, count))
FOLLOWED(ssize_t, pwrite64, (int file, const void *bytes, size_t count, off64_t offset), (file, bytes, count, offset))
FOLLOWED(ssize_t, send, (int file, const void *bytes, size_t count, int flags), (file, bytes, count, flags))
FOLLOWED(int, fsync, (int file), (file))
FOLLOWED(int, fdatasync, (int file), (file))
FOLLOWED(int, rename, (const char *from, const char *to), (from, to))
FOLLOWED(int, unlink, (const char *path), (path))
FOLLOWED(int, mkdir, (const char *path, mode_t mode), (path, mode))
