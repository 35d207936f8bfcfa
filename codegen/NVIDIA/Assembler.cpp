// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two assemblers, the places where toolkits lie, and the log that both write.

#include "codegen/NVIDIA/Assembler.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Regex.h"

using namespace llvm;
using namespace helion;

//===-- The log ---------------------------------------------------------------------------------------------------===//

/// Raises `value` to the largest number that `pattern` catches.
static void raise(int64_t &value, StringRef pattern, StringRef line) {
  SmallVector<StringRef> parts;
  int64_t number = 0;
  if (Regex(pattern).match(line, &parts) && !parts[1].getAsInteger(10, number))
    value = std::max(value, number);
}

Expected<ThreadResources> helion::readAssemblerLog(StringRef log) {
  ThreadResources resources;
  SmallVector<StringRef> lines;
  log.split(lines, '\n');
  for (StringRef line : lines) {
    raise(resources.registers, "Used ([0-9]+) registers", line);
    raise(resources.spillBytes, "([0-9]+) bytes spill stores", line);
    raise(resources.sharedBytes, "([0-9]+) bytes smem", line);
    if (line.contains_insensitive("serialized"))
      return createStringError("the assembler made matrix instructions wait for each other: " + line.trim());
  }
  return resources;
}

//===-- nvJitLink -------------------------------------------------------------------------------------------------===//

namespace {
/// The functions of nvJitLink that are used, as its documentation declares them. All give 0 on success.
struct JitLink {
  using Handle = void *;
  int (*version)(unsigned *major, unsigned *minor);
  int (*create)(Handle *, uint32_t count, const char **options);
  int (*destroy)(Handle *);
  int (*addData)(Handle, int kind, const void *data, size_t size, const char *name);
  int (*complete)(Handle);
  int (*getCubinSize)(Handle, size_t *);
  int (*getCubin)(Handle, void *);
  int (*getErrorLogSize)(Handle, size_t *);
  int (*getErrorLog)(Handle, char *);
  int (*getInfoLogSize)(Handle, size_t *);
  int (*getInfoLog)(Handle, char *);

  /// False where a function is missing.
  bool load(sys::DynamicLibrary library);
  Expected<Cubin> assemble(StringRef ptx, const Device &device) const;

private:
  template <typename Bytes>
  std::string text(int (*size)(Handle, size_t *), int (*get)(Handle, Bytes *), Handle handle) const;
};
} // namespace

template <typename Function> static bool find(sys::DynamicLibrary library, const char *name, Function &function) {
  function = reinterpret_cast<Function>(library.getAddressOfSymbol(name));
  return function != nullptr;
}

bool JitLink::load(sys::DynamicLibrary library) {
  return find(library, "nvJitLinkVersion", version) && find(library, "nvJitLinkCreate", create) &&
         find(library, "nvJitLinkDestroy", destroy) && find(library, "nvJitLinkAddData", addData) &&
         find(library, "nvJitLinkComplete", complete) && find(library, "nvJitLinkGetLinkedCubinSize", getCubinSize) &&
         find(library, "nvJitLinkGetLinkedCubin", getCubin) &&
         find(library, "nvJitLinkGetErrorLogSize", getErrorLogSize) &&
         find(library, "nvJitLinkGetErrorLog", getErrorLog) &&
         find(library, "nvJitLinkGetInfoLogSize", getInfoLogSize) && find(library, "nvJitLinkGetInfoLog", getInfoLog);
}

template <typename Bytes>
std::string JitLink::text(int (*size)(Handle, size_t *), int (*get)(Handle, Bytes *), Handle handle) const {
  size_t bytes = 0;
  if (size(handle, &bytes) || bytes == 0)
    return {};
  std::string text(bytes, '\0');
  return get(handle, text.data()) ? std::string() : text;
}

Expected<Cubin> JitLink::assemble(StringRef ptx, const Device &device) const {
  constexpr int kindPtx = 2;
  std::string arch = "-arch=" + device.chip.str(), source = ptx.str();
  const char *options[] = {arch.c_str(), "-O3", "-verbose"};
  Handle handle = nullptr;
  if (int code = create(&handle, std::size(options), options))
    return createStringError("nvJitLink does not start for `" + device.chip + "`: error " + Twine(code));
  scope_exit atEnd([&] { destroy(&handle); });
  // The text ends with a 0, which counts.
  int code = addData(handle, kindPtx, source.c_str(), source.size() + 1, "kernel.ptx");
  if (!code)
    code = complete(handle);
  if (code)
    return createStringError("nvJitLink: error " + Twine(code) + ": " +
                             StringRef(text(getErrorLogSize, getErrorLog, handle)).rtrim('\0').trim());
  Expected<ThreadResources> resources = readAssemblerLog(text(getInfoLogSize, getInfoLog, handle));
  if (!resources)
    return resources.takeError();
  return Cubin{text(getCubinSize, getCubin, handle), *resources};
}

static std::optional<Assembler> jitLinkOf(StringRef toolkit) {
  for (StringRef folder : {"lib64", "lib"}) {
    SmallString<128> path(toolkit);
    sys::path::append(path, folder, "libnvJitLink.so.13");
    if (!sys::fs::exists(path))
      continue;
    std::string message;
    sys::DynamicLibrary library = sys::DynamicLibrary::getPermanentLibrary(path.c_str(), &message);
    JitLink link;
    unsigned major = 0, minor = 0;
    if (!library.isValid() || !link.load(library) || link.version(&major, &minor))
      continue;
    std::string description = ("nvJitLink " + Twine(major) + "." + Twine(minor) + " " + StringRef(path)).str();
    return Assembler{description, [link](StringRef ptx, const Device &device) { return link.assemble(ptx, device); }};
  }
  return std::nullopt;
}

//===-- ptxas -----------------------------------------------------------------------------------------------------===//

namespace {
/// A file that is gone with the object.
struct ScratchFile {
  explicit ScratchFile(StringRef ending) { code = sys::fs::createTemporaryFile("helion", ending, path); }
  ~ScratchFile() { sys::fs::remove(path); }
  std::string read() const {
    ErrorOr<std::unique_ptr<MemoryBuffer>> file = MemoryBuffer::getFile(path, /*IsText=*/false, false);
    return file ? (*file)->getBuffer().str() : std::string();
  }
  SmallString<128> path;
  std::error_code code;
};
} // namespace

/// Standard output and errors of a program; its status in `status`.
static std::string outputOf(ArrayRef<StringRef> command, int &status) {
  ScratchFile log("log");
  std::string message;
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(log.path), StringRef(log.path)};
  status = sys::ExecuteAndWait(command[0], command, std::nullopt, redirects, 0, 0, &message);
  return message.empty() ? log.read() : message;
}

static Expected<Cubin> runPtxas(StringRef program, StringRef ptx, const Device &device) {
  ScratchFile source("ptx"), object("cubin");
  if (source.code || object.code)
    return createStringError("no temporary file for `ptxas`: " + (source.code ? source.code : object.code).message());
  std::error_code code;
  raw_fd_ostream os(source.path, code);
  os << ptx;
  os.close();
  if (code || os.has_error()) {
    os.clear_error();
    return createStringError("`" + StringRef(source.path) + "` cannot be written");
  }
  std::string arch = "-arch=" + device.chip.str();
  int status = 0;
  std::string log = outputOf({program, arch, "-O3", "-v", "-o", object.path, source.path}, status);
  if (status != 0)
    return createStringError("`ptxas` failed: " + StringRef(log).trim());
  Expected<ThreadResources> resources = readAssemblerLog(log);
  if (!resources)
    return resources.takeError();
  return Cubin{object.read(), *resources};
}

static std::optional<Assembler> ptxasOf(StringRef toolkit) {
  SmallString<128> path(toolkit);
  sys::path::append(path, "bin", "ptxas");
  if (!sys::fs::can_execute(path))
    return std::nullopt;
  int status = 0;
  std::string text = outputOf({path, "--version"}, status);
  SmallVector<StringRef> parts;
  StringRef version = Regex("V([0-9.]+)").match(text, &parts) ? parts[1] : StringRef("of unknown version");
  std::string program(path);
  return Assembler{("ptxas " + version + " " + program).str(),
                   [program](StringRef ptx, const Device &device) { return runPtxas(program, ptx, device); }};
}

//===-- Toolkits --------------------------------------------------------------------------------------------------===//

static std::string toolkitFolder() {
  if (std::optional<std::string> home = sys::Process::GetEnv("CUDA_HOME"))
    return *home;
  SmallString<128> real;
  ErrorOr<std::string> compiler = sys::findProgramByName("nvcc");
  if (compiler && !sys::fs::real_path(*compiler, real))
    return sys::path::parent_path(sys::path::parent_path(real)).str();
  return "/usr/local/cuda";
}

std::optional<Assembler> helion::findAssembler() {
  std::string toolkit = toolkitFolder();
  if (std::optional<Assembler> found = jitLinkOf(toolkit))
    return found;
  return ptxasOf(toolkit);
}
