// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A driver for tests on machines without a GPU: device memory is host memory, a module is a shared object whose
// functions stand for kernels (fake-kernels.c). Work runs when it is put on a stream; its errors come out at the next
// call that waits, and stay. It refuses what a real driver refuses, and has the entry points of NVML as well, so that
// one source gives both libraries. What else it is like is set by -D: see below.
#define _GNU_SOURCE
#include "fake-cuda.h"

#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifndef FAKE_CUDA
#define FAKE_CUDA 13000 // What it knows.
#endif
#ifndef FAKE_DEVICES
#define FAKE_DEVICES 1
#endif
#ifndef FAKE_MAJOR
#define FAKE_MAJOR 9
#endif
#ifndef FAKE_MINOR
#define FAKE_MINOR 0
#endif
#ifndef FAKE_MEMORY
#define FAKE_MEMORY (1ul << 30)
#endif
#ifndef FAKE_INIT
#define FAKE_INIT 0 // cuInit's answer.
#endif
// FAKE_WITHOUT_GRAPHS leaves cuGraphLaunch out, FAKE_WITHOUT_MAPS cuTensorMapEncodeTiled; REFUSES_CUBINS takes texts
// alone.

enum {
  INVALID_VALUE = 1,
  OUT_OF_MEMORY = 2,
  NOT_INITIALIZED = 3,
  NO_DEVICE = 100,
  INVALID_CONTEXT = 201,
  NO_BINARY = 209,
  INVALID_PTX = 218,
  NOT_FOUND = 500
};
enum { GRANTED_SHARED = 48 << 10, MAX_SHARED = 227 << 10, MAX_THREADS = 1024, MAX_GRID_YZ = 65535, WORDS = 128, MAPS = 4 };

struct context {
  int device;
  unsigned long long id;
};

struct function {
  fake_kernel *run;
  unsigned allowedShared;
  const struct context *context; // Where its module was loaded.
};

struct operation {
  enum { SET, COPY, LAUNCH } kind;
  char *to;
  const char *from;
  size_t bytes, pitch, width, height; // SET: `height` rows of `width` units of `bytes` bytes.
  unsigned value;
  struct function *function;
  unsigned grid[3], threads, shared;
  uint64_t words[WORDS];
  struct fake_map maps[MAPS];
  unsigned char mapOf[WORDS]; // 0, or one more than the map that the parameter is.
};

struct graph {
  struct operation *operations;
  size_t count;
};

static int lost;                     // The error that stays.
static __thread struct context *contexts[16]; // The current one is the last.
static __thread int depth;
static __thread int captureMode; // Of this thread; 2: loading is allowed while a stream is captured.
static size_t memoryUsed;
static struct graph *capturing;
static struct fake_state state;
static pid_t user; // The process that started the driver, which does not work in its children.

// Every call after a sticky error gives it.
#define USABLE()                                                                                                       \
  if (user != getpid())                                                                                                \
    return NOT_INITIALIZED;                                                                                            \
  if (lost)                                                                                                            \
    return lost;                                                                                                       \
  if (!current())                                                                                                      \
  return INVALID_CONTEXT

static struct context *current(void) { return depth ? contexts[depth - 1] : NULL; }

//===-- Driver and device -----------------------------------------------------------------------------------------===//

int cuInit(unsigned flags) {
  if (!user)
    user = getpid();
  return user == getpid() ? FAKE_INIT : NOT_INITIALIZED;
}

int cuDriverGetVersion(int *version) {
  *version = FAKE_CUDA;
  return 0;
}

static const struct {
  int code;
  const char *name, *words;
} errors[] = {
    {INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {NO_BINARY, "CUDA_ERROR_NO_BINARY_FOR_GPU", "no kernel image is available for execution on the device"},
    {INVALID_PTX, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"},
    {702, "CUDA_ERROR_LAUNCH_TIMEOUT", "the launch timed out and was terminated"},
    {719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
};

static int errorText(int code, const char **text, int words) {
  for (size_t i = 0; i < sizeof errors / sizeof *errors; ++i)
    if (errors[i].code == code) {
      *text = words ? errors[i].words : errors[i].name;
      return 0;
    }
  *text = NULL;
  return INVALID_VALUE;
}
int cuGetErrorName(int code, const char **text) { return errorText(code, text, 0); }
int cuGetErrorString(int code, const char **text) { return errorText(code, text, 1); }

int cuDeviceGetCount(int *count) {
  *count = FAKE_DEVICES;
  return 0;
}
int cuDeviceGet(int *device, int ordinal) {
  *device = ordinal + 40;
  return ordinal < FAKE_DEVICES ? 0 : INVALID_VALUE;
}
int cuDeviceGetName(char *name, int size, int device) {
  snprintf(name, size, "Fake GPU");
  return 0;
}
int cuDeviceGetPCIBusId(char *text, int size, int device) {
  snprintf(text, size, "0000:01:00.0");
  return 0;
}
int cuDeviceTotalMem_v2(size_t *bytes, int device) {
  *bytes = FAKE_MEMORY;
  return 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  static const int values[][2] = {{1, MAX_THREADS}, {5, 0x7fffffff}, {6, MAX_GRID_YZ}, {7, MAX_GRID_YZ},
                                  {13, 1980000},    {16, 132},       {36, 3201000},    {38, 1 << 20},
                                  {75, FAKE_MAJOR}, {76, FAKE_MINOR},         {97, MAX_SHARED}};
  for (size_t i = 0; i < sizeof values / sizeof *values; ++i)
    if (values[i][0] == attribute) {
      *value = values[i][1];
      return 0;
    }
  return INVALID_VALUE;
}

//===-- Contexts --------------------------------------------------------------------------------------------------===//

int cuDevicePrimaryCtxRetain(struct context **context, int device) {
  static struct context primary[FAKE_DEVICES + 1];
  if (device < 40 || device >= 40 + FAKE_DEVICES)
    return INVALID_VALUE;
  *context = &primary[device - 40];
  (*context)->device = device;
  (*context)->id = (unsigned long long)(device - 39);
  return 0;
}
/// A test's own context.
struct context *fake_context(int device) {
  static unsigned long long last = 100;
  struct context *context = malloc(sizeof *context);
  context->device = device + 40;
  context->id = ++last;
  return context;
}
int cuCtxGetCurrent(struct context **context) {
  *context = current();
  return 0;
}
int cuCtxSetCurrent(struct context *context) {
  depth = context != NULL;
  contexts[0] = context;
  return 0;
}
int cuCtxPushCurrent_v2(struct context *context) {
  contexts[depth++] = context;
  return 0;
}
int cuCtxPopCurrent_v2(struct context **context) {
  USABLE();
  *context = contexts[--depth];
  return 0;
}
int cuCtxGetDevice(int *device) {
  USABLE();
  *device = current()->device;
  return 0;
}
int cuCtxGetId(const struct context *context, unsigned long long *id) {
  *id = context->id;
  return 0;
}
int cuThreadExchangeStreamCaptureMode(int *mode) {
  int old = captureMode;
  captureMode = *mode;
  *mode = old;
  return 0;
}
struct fake_state *fake_counts(void) { return &state; }
int *fake_error(void) { return &lost; }

//===-- Memory ----------------------------------------------------------------------------------------------------===//

int cuMemAlloc_v2(uint64_t *address, size_t bytes) {
  USABLE();
  if (bytes == 0)
    return INVALID_VALUE;
  if (memoryUsed + bytes > FAKE_MEMORY)
    return OUT_OF_MEMORY;
  // The size lies before the block.
  char *block = aligned_alloc(256, (bytes + 511) / 256 * 256);
  *(size_t *)block = bytes;
  memoryUsed += bytes;
  *address = (uint64_t)(block + 256);
  return 0;
}
int cuMemFree_v2(uint64_t address) {
  USABLE();
  memoryUsed -= *(size_t *)(address - 256);
  free((void *)(address - 256));
  return 0;
}
int cuMemAllocHost_v2(void **memory, size_t bytes) {
  USABLE();
  *memory = bytes ? malloc(bytes) : NULL;
  return bytes ? 0 : INVALID_VALUE;
}
int cuMemFreeHost(void *memory) {
  USABLE();
  free(memory);
  return 0;
}
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) {
  USABLE();
  memcpy((void *)to, from, bytes);
  return 0;
}
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) {
  USABLE();
  memcpy(to, (void *)from, bytes);
  return 0;
}

//===-- Work on streams -------------------------------------------------------------------------------------------===//

static void set(const struct operation *work) {
  // Nobody reads what was written to empty the caches.
  if (work->width * work->height * work->bytes > 100 << 20) {
    ++state.evictions;
    return;
  }
  for (size_t row = 0; row < work->height; ++row)
    for (size_t column = 0; column < work->width; ++column)
      memcpy(work->to + row * work->pitch + column * work->bytes, &work->value, work->bytes);
}

static void launch(struct operation *work) {
  void *parameters[WORDS];
  for (int i = 0; i < WORDS; ++i)
    parameters[i] = work->mapOf[i] ? (void *)&work->maps[work->mapOf[i] - 1] : &work->words[i];
  int error = work->function->run(parameters, work->grid, work->threads, work->shared, &state);
  __atomic_add_fetch(&state.launches, 1, __ATOMIC_RELAXED);
  if (error)
    lost = error;
}

static int put(void *stream, struct operation *work) {
  USABLE();
  state.lastStream = (uint64_t)stream;
  if (capturing) {
    capturing->operations = realloc(capturing->operations, (capturing->count + 1) * sizeof *work);
    capturing->operations[capturing->count++] = *work;
    return 0;
  }
  if (work->kind == SET)
    set(work);
  else if (work->kind == COPY)
    memcpy(work->to, work->from, work->bytes);
  else
    launch(work);
  return 0;
}

static int putSet(uint64_t to, size_t pitch, unsigned value, size_t unit, size_t width, size_t height, void *stream) {
  if (to % unit || pitch % unit)
    return INVALID_VALUE;
  struct operation work = {.kind = SET, .to = (char *)to, .bytes = unit, .pitch = pitch, .width = width};
  work.height = height;
  work.value = value;
  return put(stream, &work);
}
int cuMemsetD8Async(uint64_t to, unsigned char value, size_t count, void *stream) {
  return putSet(to, 0, value, 1, count, 1, stream);
}
int cuMemsetD16Async(uint64_t to, unsigned short value, size_t count, void *stream) {
  return putSet(to, 0, value, 2, count, 1, stream);
}
int cuMemsetD32Async(uint64_t to, unsigned value, size_t count, void *stream) {
  return putSet(to, 0, value, 4, count, 1, stream);
}
int cuMemsetD2D8Async(uint64_t to, size_t pitch, unsigned char value, size_t width, size_t height, void *stream) {
  return putSet(to, pitch, value, 1, width, height, stream);
}
int cuMemsetD2D16Async(uint64_t to, size_t pitch, unsigned short value, size_t width, size_t height, void *stream) {
  return putSet(to, pitch, value, 2, width, height, stream);
}
int cuMemsetD2D32Async(uint64_t to, size_t pitch, unsigned value, size_t width, size_t height, void *stream) {
  return putSet(to, pitch, value, 4, width, height, stream);
}
int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *stream) {
  struct operation work = {.kind = COPY, .to = (char *)to, .from = (const char *)from, .bytes = bytes};
  return put(stream, &work);
}

int cuLaunchKernel(struct function *function, unsigned x, unsigned y, unsigned z, unsigned threads, unsigned threadsY,
                   unsigned threadsZ, unsigned shared, void *stream, void **parameters, void **extra) {
  struct operation work = {.kind = LAUNCH, .function = function, .grid = {x, y, z}, .threads = threads};
  work.shared = shared;
  if (lost || function->context != current())
    return lost ? lost : INVALID_CONTEXT;
  if (x == 0 || y == 0 || z == 0 || y > MAX_GRID_YZ || z > MAX_GRID_YZ || threads == 0 || threads > MAX_THREADS ||
      threadsY != 1 || threadsZ != 1 || shared > function->allowedShared)
    return INVALID_VALUE;
  unsigned char maps = 0;
  for (int i = 0; parameters[i]; ++i) {
    memcpy(&work.words[i], parameters[i], 8);
    if (work.words[i] != FAKE_MAP_MAGIC)
      continue;
    memcpy(&work.maps[maps], parameters[i], sizeof work.maps[maps]);
    work.mapOf[i] = ++maps;
  }
  // What a kernel's registers ask for is not seen before its launch.
  int error = function->run(NULL, work.grid, threads, shared, &state);
  return error ? error : put(stream, &work);
}

//===-- Tensor maps -----------------------------------------------------------------------------------------------===//

#ifndef FAKE_WITHOUT_MAPS
/// What the hardware can do, as the driver's manual has it.
static int isMapGood(const struct fake_map *map, const uint32_t *steps) {
  static const unsigned char elementBytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2};
  static const unsigned char widest[] = {0, 32, 64, 128};
  unsigned rowBytes = map->box[0] * elementBytes[map->type];
  int good = map->address % 16 == 0 && rowBytes % 16 == 0 && (!map->swizzle || rowBytes <= widest[map->swizzle]);
  for (int d = 0; d < map->rank; ++d) {
    good = good && map->sizes[d] >= 1 && map->sizes[d] <= 1ul << 32 && map->box[d] >= 1 && map->box[d] <= 256;
    good = good && steps[d] == 1;
    good = good && (d == 0 || (map->byteStrides[d - 1] % 16 == 0 && map->byteStrides[d - 1] < 1ul << 40));
  }
  return good;
}

int cuTensorMapEncodeTiled(struct fake_map *map, int type, uint32_t rank, void *data, const uint64_t *sizes,
                           const uint64_t *byteStrides, const uint32_t *box, const uint32_t *steps, int interleave,
                           int swizzle, int promotion, int fill) {
  if ((uint64_t)map % 64 != 0 || type < 0 || type > 9 || rank < 1 || rank > 5 || interleave != 0 || swizzle < 0 ||
      swizzle > 3 || promotion < 0 || promotion > 3 || fill != 0)
    return INVALID_VALUE;
  struct fake_map made = {.magic = FAKE_MAP_MAGIC, .address = (uint64_t)data, .rank = (uint8_t)rank};
  made.type = (uint8_t)type;
  made.swizzle = (uint8_t)swizzle;
  made.promotion = (uint8_t)promotion;
  for (uint32_t d = 0; d < rank; ++d) {
    made.sizes[d] = sizes[d];
    made.box[d] = box[d] > 0xffff ? 0xffff : (uint16_t)box[d];
    if (d > 0)
      made.byteStrides[d - 1] = byteStrides[d - 1];
  }
  ++state.maps;
  state.lastMap = made;
  if (!isMapGood(&made, steps))
    return INVALID_VALUE;
  *map = made;
  return 0;
}
#endif

int cuStreamCreate(void **stream, unsigned flags) {
  USABLE();
  *stream = &state;
  return flags == 0 ? 0 : INVALID_VALUE;
}
int cuStreamSynchronize(void *stream) {
  USABLE();
  return 0;
}

int cuStreamBeginCapture_v2(void *stream, int mode) {
  USABLE();
  capturing = calloc(1, sizeof *capturing);
  return 0;
}
int cuStreamEndCapture(void *stream, struct graph **graph) {
  USABLE();
  *graph = capturing;
  capturing = NULL;
  return *graph ? 0 : INVALID_VALUE;
}
int cuGraphInstantiateWithFlags(struct graph **executable, struct graph *graph, unsigned long long flags) {
  *executable = calloc(1, sizeof *graph);
  **executable = *graph;
  return 0;
}
int cuGraphDestroy(struct graph *graph) {
  free(graph);
  return 0;
}
int cuGraphExecDestroy(struct graph *graph) {
  free(graph->operations);
  free(graph);
  return 0;
}
#ifndef FAKE_WITHOUT_GRAPHS
int cuGraphLaunch(struct graph *graph, void *stream) {
  USABLE();
  ++state.graphLaunches;
  for (size_t i = 0; i < graph->count; ++i)
    put(stream, &graph->operations[i]);
  return 0;
}
#endif

int cuEventCreate(struct timespec **event, unsigned flags) {
  USABLE();
  *event = calloc(1, sizeof **event);
  return 0;
}
int cuEventRecord(struct timespec *event, void *stream) {
  USABLE();
  clock_gettime(CLOCK_MONOTONIC, event);
  return 0;
}
int cuEventSynchronize(struct timespec *event) {
  USABLE();
  return 0;
}
int cuEventElapsedTime(float *milliseconds, const struct timespec *from, const struct timespec *to) {
  *milliseconds = (float)((double)(to->tv_sec - from->tv_sec) * 1e3 + (double)(to->tv_nsec - from->tv_nsec) * 1e-6);
  return 0;
}

//===-- Modules ---------------------------------------------------------------------------------------------------===//

/// A module may say in `fake_chip` which compute capability it is for, 80 or 90; the device must have that major number
/// and no smaller minor one. A compiler of texts would not say it.
static int runsHere(void *module) {
#ifdef REFUSES_CUBINS
  return 0;
#endif
  const int *chip = dlsym(module, "fake_chip");
  return !chip || (*chip / 10 == FAKE_MAJOR && *chip % 10 <= FAKE_MINOR);
}

/// Text is compiled by looking up the module that its first line names: `// fake: PATH`.
static int loadText(void **module, const char *image) {
  char path[512];
  if (sscanf(image, "// fake: %511s", path) != 1)
    return INVALID_PTX;
  ++state.texts;
  *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  return *module ? 0 : INVALID_PTX;
}

int cuModuleLoadDataEx(void **module, const char *image, unsigned count, const int *options, void **values) {
  USABLE();
  if (capturing && captureMode != 2)
    return INVALID_VALUE;
  __atomic_add_fetch(&state.loads, 1, __ATOMIC_RELAXED);
  if (state.loading)
    state.loading();
  if (loadText(module, image) == 0)
    return 0;
  const Elf64_Ehdr *header = (const Elf64_Ehdr *)image;
  if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) {
    if (count == 2)
      snprintf(values[0], (size_t)values[1], "fake, line 1; fatal: this is no code");
    return INVALID_PTX;
  }
  size_t bytes = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize; // Its last part.
  char path[] = "/tmp/fake-cuda-XXXXXX";
  int file = mkstemp(path);
  int whole = write(file, image, bytes) == (ssize_t)bytes;
  close(file);
  *module = whole ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  unlink(path);
  return !*module ? INVALID_PTX : runsHere(*module) ? 0 : NO_BINARY;
}
int cuModuleUnload(void *module) {
  USABLE();
  return dlclose(module);
}
int cuModuleGetFunction(struct function **function, void *module, const char *name) {
  USABLE();
  void *address = dlsym(module, name);
  if (!address)
    return NOT_FOUND;
  *function = calloc(1, sizeof **function);
  (*function)->run = (fake_kernel *)address;
  (*function)->allowedShared = GRANTED_SHARED;
  (*function)->context = current();
  return 0;
}
int cuFuncGetAttribute(int *value, int attribute, struct function *function) {
  USABLE();
  *value = 16;
  return attribute == 4 ? 0 : INVALID_VALUE;
}
int cuFuncSetAttribute(struct function *function, int attribute, int value) {
  USABLE();
  if (attribute != 8 || value > MAX_SHARED)
    return INVALID_VALUE;
  function->allowedShared = (unsigned)value;
  return 0;
}

//===-- NVML ------------------------------------------------------------------------------------------------------===//

int nvmlInit_v2(void) { return 0; }
int nvmlDeviceGetHandleByPciBusId_v2(const char *busId, void **device) {
  *device = &state;
  return strcmp(busId, "0000:01:00.0") == 0 ? 0 : 6;
}
int nvmlDeviceGetEnforcedPowerLimit(void *device, unsigned *limit) {
  *limit = 700000;
  return 0;
}
int nvmlDeviceGetClockInfo(void *device, int type, unsigned *megahertz) {
  *megahertz = type == 1 ? 1755 : 3201;
  return 0;
}
