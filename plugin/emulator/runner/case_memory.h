// The global memory of one launch: tensors of the case file, descriptors of tensor lists, workspace, tiling.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "device_memory.h"
#include "json.h"
#include "launch.h"
#include "split_mix.h"

namespace npu_runner {

struct Slot {
  std::string name;
  uint64_t offset = 0, bytes = 0;
  std::vector<uint64_t> shape;
  npu_emu::Access access = npu_emu::Access::In;
  // what an output holds before the kernel starts, instead of the poison
  std::optional<std::array<uint8_t, 8>> initial;
};

// One kernel argument: absent, one tensor, or a list of them.
struct Argument {
  enum Kind { Absent, Tensor, List } kind = Absent;
  std::vector<Slot> slots;
};

// Reads the `args` of a launch request. Throws JsonError for anything that does not fit a file of `fileBytes`.
std::vector<Argument> readArguments(const Json& args, uint64_t fileBytes);
// Whether the kernel writes what it reads: a second launch would find other inputs.
bool overwritesInputs(const std::vector<Argument>& arguments);

struct CaseFile {
  int readOnly;
  int readWrite;  // below 0: outputs are private to this process
  uint64_t bytes;
  bool isWritten = true;    // false: what a kernel writes is not there, and cannot be touched
  bool isNegative = false;  // the workspace holds the second of its patterns
  uint64_t seed = 0;        // of where memories lie: the same in both processes of a launch
};

class CaseMemory {
 public:
  // Maps the file, fills outputs with `poison` and workspace with a pattern that is NaN in every floating type. Throws
  // Rejected when there is not enough memory. The kernel writes the shapes of `shapedOutputs` outputs into an argument.
  CaseMemory(const CaseFile& file, const std::vector<Argument>& arguments, uint64_t shapedOutputs,
             uint64_t workspaceBytes, const std::vector<uint8_t>& tiling, const std::array<uint8_t, 8>& poison);
  ~CaseMemory();
  CaseMemory(const CaseMemory&) = delete;
  CaseMemory& operator=(const CaseMemory&) = delete;

  // What the kernel receives: arguments, shapes of outputs where it has to tell them, workspace, tiling.
  const std::vector<uint8_t*>& addresses() const { return addresses_; }
  const std::vector<npu_emu::GmRegion>& regions() const { return regions_; }
  // Name of the tensor of the case file that begins there; nullptr where none does.
  const std::string* tensorAt(const uint8_t* base) const;
  // Where bytes of the case file are.
  const uint8_t* at(uint64_t offset) const { return file_ + offset; }

 private:
  void unmap() const;
  // Addresses where nothing is, between pages where nothing ever will be: who goes there faults. How far behind the last ones
  // they are is drawn: a device puts memories anywhere.
  uint8_t* reserve(const std::string& what, size_t bytes);
  uint8_t* allocate(const std::string& name, const void* content, size_t bytes, npu_emu::Access access);
  uint8_t* outputShapes(uint64_t outputs, bool isWritten);
  uint8_t* mapSlot(const CaseFile& file, const Slot& slot, const std::array<uint8_t, 8>& poison);
  uint8_t* listDescriptor(const std::vector<Slot>& slots, const std::vector<uint8_t*>& tensors);
  uint8_t* workspace(uint64_t bytes, const CaseFile& file);

  uint8_t* file_ = nullptr;
  uint64_t fileBytes_ = 0;
  uintptr_t next_ = npu_emu::globalMemoryBegin;
  npu_emu::SplitMix64 chance_;
  std::vector<uint8_t*> addresses_;
  std::vector<npu_emu::GmRegion> regions_;
};

// What nobody has written in a workspace is unknown on a device: NaN here, of either sign, so that whoever goes by it does so by
// chance. The template file holds so many bytes of each pattern.
constexpr uint16_t workspacePattern = 0x7FCA, negativePattern = 0xFFCA;
constexpr size_t workspaceTemplateBytes = 2u << 20;
constexpr size_t negativeOffset = npu_emu::leftoversOffset + npu_emu::leftoversBytes;

}  // namespace npu_runner
