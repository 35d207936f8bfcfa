/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Preloaded: a disk that gets full. Files below FULL_DISK may take FULL_DISK_BYTES more bytes in this process; what goes
 * beyond fails with ENOSPC, as much of it as does not fit. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static long left = -1;

static int isBelow(int file) {
  const char *folder = getenv("FULL_DISK");
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  return folder && length > 0 && (size_t)length >= strlen(folder) && strncmp(path, folder, strlen(folder)) == 0;
}

/* How many of the bytes may go from `offset` on; they are counted where the file grows. */
static size_t allow(int file, off_t offset, size_t bytes) {
  struct stat status;
  if (!isBelow(file) || fstat(file, &status) != 0 || !S_ISREG(status.st_mode))
    return bytes;
  if (left < 0)
    left = atol(getenv("FULL_DISK_BYTES"));
  off_t end = offset + (off_t)bytes;
  long grows = end > status.st_size ? end - (offset > status.st_size ? offset : status.st_size) : 0;
  long most = grows < left ? grows : left;
  left -= most;
  return bytes - (grows - most);
}

static off_t positionOf(int file) {
  struct stat status;
  if (fcntl(file, F_GETFL) & O_APPEND)
    return fstat(file, &status) == 0 ? status.st_size : 0;
  return lseek(file, 0, SEEK_CUR);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int file, const void *bytes, size_t count) {
  int before = errno;
  size_t allowed = allow(file, positionOf(file), count);
  errno = before;
  if (allowed == 0 && count != 0)
    return errno = ENOSPC, -1;
  return REAL(write)(file, bytes, allowed);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
  size_t allowed = allow(file, offset, count);
  if (allowed == 0 && count != 0)
    return errno = ENOSPC, -1;
  return REAL(pwrite)(file, bytes, allowed, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) { return pwrite(file, bytes, count, offset); }

int posix_fallocate(int file, off_t offset, off_t count) {
  return allow(file, offset, count) == (size_t)count ? REAL(posix_fallocate)(file, offset, count) : ENOSPC;
}

int posix_fallocate64(int file, off64_t offset, off64_t count) { return posix_fallocate(file, offset, count); }

int fallocate(int file, int mode, off_t offset, off_t count) {
  if (allow(file, offset, count) != (size_t)count)
    return errno = ENOSPC, -1;
  return REAL(fallocate)(file, mode, offset, count);
}

int fallocate64(int file, int mode, off64_t offset, off64_t count) { return fallocate(file, mode, offset, count); }
