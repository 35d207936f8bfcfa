/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Preloaded into helion-aot: a clock that stands still, so that no healthy worker is ever late, and goes on by a tenth of a
 * second each time it is read while the process named in the file HANG_CLOCK lives, so that one that hangs always is. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int isHanging(void) {
  char text[32] = "";
  int before = errno, file = open(getenv("HANG_CLOCK"), O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    ssize_t length = read(file, text, sizeof text - 1);
    text[length < 0 ? 0 : length] = 0;
    close(file);
  }
  int pid = atoi(text), hangs = pid > 0 && kill(pid, 0) == 0;
  errno = before;
  return hangs;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  static long tenths;
  int isOurs = clock == CLOCK_MONOTONIC && strcmp(program_invocation_short_name, "helion-aot") == 0;
  if (!isOurs)
    return ((__typeof__(&clock_gettime))dlsym(RTLD_NEXT, "clock_gettime"))(clock, time);
  tenths += isHanging();
  time->tv_sec = 1000 + tenths / 10;
  time->tv_nsec = tenths % 10 * 100000000;
  return 0;
}
