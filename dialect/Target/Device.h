// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of each target before anything runs: facts for choices and costs, never preferences. A target is
// written `cpu:x86-64-v3`; `cpu:native` is read as the row that the host is, so no text that is kept ever says
// `native`.
#ifndef HELION_DIALECT_TARGET_DEVICE_H
#define HELION_DIALECT_TARGET_DEVICE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace helion {

/// `dev.vector_bytes`, `dev.vector_registers`, `dev.l1_bytes`, `dev.l2_bytes`, `dev.l3_bytes`.
struct CpuDevice {
  llvm::StringRef baseline; // The x86-64 level that the chip has.
  unsigned vectorBytes;     // Of one vector register.
  unsigned vectorRegisters;
  int64_t level1Bytes; // Data cache of a core.
  int64_t level2Bytes; // Of a core.
  int64_t level3Bytes; // A core's share of the last level.
};

/// `dev.lanes`, `dev.max_threads`, `dev.registers`, `dev.thread_elements`, `dev.block_elements`,
/// `dev.shared_bytes`, `dev.l2_bytes`; `dev.tensor_maps` and `dev.group_matrices` where it has them. How many
/// processors there are differs between devices of one row: who has a device binds `dev.sms`.
struct NvidiaDevice {
  unsigned ptxVersion;   // That our PTX says: 86 is 8.6.
  unsigned lanes;        // Of a warp.
  unsigned maxThreads;   // Of a block.
  unsigned registers;    // The most that a thread may have.
  int64_t smRegisters;   // Of a multiprocessor, and the most that a block may have.
  int64_t smThreads;     // Resident on a multiprocessor.
  int64_t sharedBytes;   // The most that a block may have.
  int64_t smSharedBytes; // Of a multiprocessor.
  int64_t level2Bytes;   // Of the device.
  bool tensorMaps;       // Copies boxes of tensors by itself.
  bool groupMatrices;    // Four warps multiply what is in shared memory.

  /// Elements of one tile value that a thread holds at most: code is as long as that, and the registers hold two such
  /// values of 32 bits.
  int64_t threadElements() const { return (registers + 1) / 2; }
  /// The same of a block, whose threads share the registers of a multiprocessor.
  int64_t blockElements() const { return smRegisters / 2; }
};

/// One row of the table of targets; rows live as long as the program.
struct Device {
  llvm::StringRef vendor; // "cpu", "nvidia"
  llvm::StringRef chip;   // "x86-64-v3", "sm_90a": LLVM's name.
  std::variant<CpuDevice, NvidiaDevice> facts;

  /// The row's facts, or null for another vendor's.
  const CpuDevice *cpu() const { return std::get_if<CpuDevice>(&facts); }
  const NvidiaDevice *nvidia() const { return std::get_if<NvidiaDevice>(&facts); }

  /// `cpu:x86-64-v3`
  std::string name() const;
  /// The value of `dev.NAME` in an expression; none where the vendor has no such fact.
  std::optional<int64_t> fact(llvm::StringRef name) const;
  /// What code for a CPU's row needs of a processor: LLVM's names with blanks between, from the lowest level up.
  std::string features() const;
};

llvm::ArrayRef<Device> knownDevices();
/// Reads `cpu:x86-64-v3` or `cpu:native`; the error lists the known names.
llvm::Expected<const Device *> parseDevice(llvm::StringRef name);
/// The best row for this machine: its own chip's if the table has it and the system lets us use all of it, else the
/// highest x86-64 level. An error where the machine has not even `x86-64-v2`.
llvm::Expected<const Device *> hostDevice();
/// Whether this machine's processor can run code for `device`.
bool hostRuns(const Device &device);

} // namespace helion

#endif // HELION_DIALECT_TARGET_DEVICE_H
