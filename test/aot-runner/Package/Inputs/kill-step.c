/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Preloaded: ends the process with SIGKILL before its KILL_STEP-th change of a name (from 1). With NO_EXCHANGE, the file
 * system cannot exchange two folders. FAIL_MOVE is the last part of a path that cannot be moved. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static void step(void) {
  static int done;
  const char *last = getenv("KILL_STEP");
  if (last && ++done == atoi(last))
    kill(getpid(), SIGKILL);
}

int rename(const char *from, const char *to) {
  const char *stuck = getenv("FAIL_MOVE"), *end = strrchr(from, '/');
  step();
  if (stuck && end && strcmp(end + 1, stuck) == 0)
    return errno = EBUSY, -1;
  return REAL(rename)(from, to);
}

int renameat2(int fromFolder, const char *from, int toFolder, const char *to, unsigned flags) {
  step();
  if (getenv("NO_EXCHANGE"))
    return errno = EINVAL, -1;
  return REAL(renameat2)(fromFolder, from, toFolder, to, flags);
}

int remove(const char *path) {
  step();
  return REAL(remove)(path);
}
