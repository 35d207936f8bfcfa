// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks before anything is written.
#include "aot-runner/Phases/Preflight.h"

#include "aot-runner/Measure/InputData.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include <unistd.h>

using namespace helion;
using namespace helion::aot;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

//===-- Folders --------------------------------------------------------------------------------------------------===//

static llvm::SmallString<128> absolute(llvm::StringRef folder) {
  llvm::SmallString<128> full(folder);
  if (fs::make_absolute(full))
    return full; // Where there is no working directory, nothing that follows is found either.
  path::remove_dots(full, /*remove_dot_dot=*/true);
  return full;
}

/// A folder can be made there, or is there and can be written.
static llvm::Error checkWritable(llvm::StringRef folder, llvm::StringRef what) {
  llvm::SmallString<128> nearest = absolute(folder);
  while (!fs::exists(nearest) && path::has_parent_path(nearest))
    path::remove_filename(nearest);
  auto refuse = [&](const llvm::Twine &why) {
    return llvm::createStringError("cannot make " + what + " `" + folder + "`: " + why);
  };
  if (!fs::is_directory(nearest))
    return refuse("`" + nearest + "` is no folder");
  if (access(nearest.c_str(), W_OK | X_OK) != 0)
    return refuse("`" + nearest + "`: " + std::error_code(errno, std::generic_category()).message());
  return llvm::Error::success();
}

llvm::Error helion::aot::checkFolders(const Options &options) {
  bool learns = options.does(Options::Phase::Collect) || options.does(Options::Phase::Measure);
  bool packs = options.does(Options::Phase::Build);
  llvm::SmallString<128> output = absolute(options.output), runDir = absolute(options.runDir);
  bool inside = llvm::StringRef(runDir).starts_with((output + "/").str());
  if (options.from.empty() && (output == runDir || inside))
    return llvm::createStringError("the run directory `" + options.runDir + "` is " + (inside ? "inside " : "") +
                                   "the package's folder `" + options.output + "`; give another `--run-dir`");
  // Workers and reports are told of them in JSON.
  for (const std::string &folder : {options.output, options.runDir})
    if (!llvm::json::isUTF8(folder))
      return llvm::createStringError("the path `" + folder + "` is no UTF-8; give another folder");
  if (packs && path::parent_path(output).empty())
    return llvm::createStringError("`-o " + options.output + "` is no folder of a package, which is replaced whole");
  if (packs) {
    if (llvm::Error error = checkWritable(options.output, "package"))
      return error;
    // A package is put in place whole, so it is made beside the folder.
    if (llvm::Error error = checkWritable(path::parent_path(output), "package in"))
      return error;
  }
  return learns ? checkWritable(options.runDir, "run directory") : llvm::Error::success();
}

//===-- Rows -----------------------------------------------------------------------------------------------------===//

/// From the first byte to the last; none where 64 bits cannot count them.
static std::optional<int64_t> bytesOf(const RowArg &arg) {
  int64_t extent = 1;
  for (auto [size, stride] : llvm::zip_equal(arg.shape, arg.strides)) {
    if (size == 0)
      return 0;
    int64_t steps = 0;
    if (stride == std::numeric_limits<int64_t>::min() || llvm::MulOverflow(size - 1, std::abs(stride), steps) ||
        llvm::AddOverflow(extent, steps, extent))
      return std::nullopt;
  }
  int64_t bytes = 0;
  if (llvm::MulOverflow<int64_t>(extent, dtypeBytes(arg.dtype), bytes))
    return std::nullopt;
  return bytes;
}

/// Arguments, outputs and workspace.
static std::optional<int64_t> bytesOf(const Row &row, const ResolvedPlan &plan) {
  int64_t total = 0;
  auto add = [&](std::optional<int64_t> bytes) { return bytes && !llvm::AddOverflow(total, *bytes, total); };
  for (auto &[name, arg] : row.args)
    if (arg.kind == RowArg::Kind::Tensor && !add(bytesOf(arg)))
      return std::nullopt;
  for (const ResolvedBuffer &buffer : plan.buffers)
    if (buffer.role != ResolvedBuffer::Role::Argument && !add(buffer.endByte))
      return std::nullopt;
  return total;
}

llvm::Error helion::aot::checkInputs(const Row &row, const ResolvedPlan &plan) {
  if (!bytesOf(row, plan))
    return llvm::createStringError(row.place + ": the row's tensors have more bytes than 64 bits can count");
  for (auto &[name, arg] : row.args)
    if (arg.kind == RowArg::Kind::Tensor && arg.init.kind == Init::Kind::File)
      if (llvm::Error error = inputTensor(row, name).takeError())
        return llvm::createStringError(row.place + ": `" + name + "`: " + llvm::toString(std::move(error)));
  return llvm::Error::success();
}

static std::string gibibytes(int64_t bytes) {
  constexpr double kGiB = int64_t(1) << 30;
  return llvm::formatv("{0:F1} GiB", bytes / kGiB);
}

llvm::Error helion::aot::checkMemory(const Problem &problem, const WorkerDevice &device) {
  int64_t here = static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  for (const SignatureProblem &signature : problem.signatures) {
    for (const Row &row : signature.rows) {
      llvm::Expected<ResolvedPlan> plan =
          resolve(signature.universalArtifact.manifest, deviceBinding(row, /*cores=*/1));
      if (!plan)
        return plan.takeError();
      int64_t bytes = bytesOf(row, *plan).value_or(std::numeric_limits<int64_t>::max());
      if (device.memoryBytes > 0 && bytes > device.memoryBytes)
        return llvm::createStringError(row.place + ": the row's tensors take " + gibibytes(bytes) +
                                       ", the worker's device has " + gibibytes(device.memoryBytes));
      if (bytes > here / 2)
        return llvm::createStringError(row.place + ": the row's tensors take " + gibibytes(bytes) +
                                       "; their values are checked here, where half of the memory is " +
                                       gibibytes(here / 2));
    }
  }
  return llvm::Error::success();
}
