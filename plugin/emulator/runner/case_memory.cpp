#include "case_memory.h"

#include <algorithm>
#include <cstring>

#include <sys/mman.h>

#include "library.h"
#include "encoding.h"
#include "lockdown.h"

namespace npu_runner {

namespace {

constexpr size_t pageBytes = 4096;
// Of a scalar unit: memory that is moved by so much keeps its place there, and its time with it.
constexpr size_t cacheBytes = size_t(32) << 10;
constexpr uint64_t maxShapedOutputs = 1024;

size_t wholePages(uint64_t bytes) { return (bytes + pageBytes - 1) / pageBytes * pageBytes; }

[[noreturn]] void outOfMemory(const std::string& what, uint64_t bytes) {
  throw Rejected{what + " of " + std::to_string(bytes) + " bytes does not fit the memory limit"};
}

npu_emu::Access accessOf(const std::string& name) {
  if (name == "in") return npu_emu::Access::In;
  if (name == "out") return npu_emu::Access::Out;
  if (name == "inout") return npu_emu::Access::InOut;
  throw JsonError{"unknown access " + name};
}

Slot readSlot(const Json& json, uint64_t fileBytes) {
  Slot slot;
  slot.name = json.at("name").string("name");
  slot.offset = json.at("offset").unsignedInteger("offset");
  slot.bytes = json.at("bytes").unsignedInteger("bytes");
  for (const Json& extent : json.at("shape").array("shape")) slot.shape.push_back(extent.unsignedInteger("extent"));
  slot.access = accessOf(json.at("access").string("access"));
  if (slot.offset % pageBytes != 0) throw JsonError{"offset of " + slot.name + " is not a multiple of 4096"};
  if (slot.offset > fileBytes || slot.bytes > fileBytes - slot.offset)
    throw JsonError{"tensor " + slot.name + " lies outside of the case file"};
  return slot;
}

void fill(uint8_t* to, size_t bytes, const std::array<uint8_t, 8>& pattern) {
  uint64_t word;
  std::memcpy(&word, pattern.data(), sizeof word);
  auto* words = reinterpret_cast<uint64_t*>(to);
  std::fill(words, words + bytes / 8, word);
  std::memcpy(to + bytes / 8 * 8, pattern.data(), bytes % 8);
}

}  // namespace

std::vector<Argument> readArguments(const Json& args, uint64_t fileBytes) {
  std::vector<Argument> arguments;
  for (const Json& item : args.array("args")) {
    Argument& argument = arguments.emplace_back();
    if (item.isNull()) continue;
    argument.kind = item.isArray() ? Argument::List : Argument::Tensor;
    if (argument.kind == Argument::Tensor) argument.slots.push_back(readSlot(item, fileBytes));
    else
      for (const Json& member : item.array("args")) argument.slots.push_back(readSlot(member, fileBytes));
  }
  return arguments;
}

bool overwritesInputs(const std::vector<Argument>& arguments) {
  std::vector<const Slot*> slots;
  for (const Argument& argument : arguments)
    for (const Slot& slot : argument.slots) slots.push_back(&slot);
  return std::any_of(slots.begin(), slots.end(), [&](const Slot* written) {
    if (written->access == npu_emu::Access::In) return false;
    return written->access == npu_emu::Access::InOut || std::any_of(slots.begin(), slots.end(), [&](const Slot* read) {
             return read->access == npu_emu::Access::In && read->offset < written->offset + written->bytes &&
                    written->offset < read->offset + read->bytes;
           });
  });
}

CaseMemory::CaseMemory(const CaseFile& file, const std::vector<Argument>& arguments, uint64_t shapedOutputs,
                       uint64_t workspaceBytes, const std::vector<uint8_t>& tiling,
                       const std::array<uint8_t, 8>& poison)
    : chance_{file.seed} {
  constexpr size_t places = size_t(1) << 26;
  next_ += chance_.below(places) * cacheBytes;
  try {
    file_ = reserve("global memory", wholePages(file.bytes));
    fileBytes_ = file.bytes;
    for (const Argument& argument : arguments) {
      std::vector<uint8_t*> tensors;
      for (const Slot& slot : argument.slots) tensors.push_back(mapSlot(file, slot, poison));
      if (argument.kind == Argument::Absent) addresses_.push_back(nullptr);
      else if (argument.kind == Argument::Tensor) addresses_.push_back(tensors.front());
      else addresses_.push_back(listDescriptor(argument.slots, tensors));
    }
    if (shapedOutputs != 0) addresses_.push_back(outputShapes(shapedOutputs, file.isWritten));
    addresses_.push_back(workspace(workspaceBytes, file));
    addresses_.push_back(allocate("tiling", tiling.data(), tiling.size(), npu_emu::Access::In));
    regions_.back().use = npu_emu::GmRegion::Tiling;
  } catch (...) {
    unmap();
    throw;
  }
}

CaseMemory::~CaseMemory() { unmap(); }

void CaseMemory::unmap() const {
  munmap(reinterpret_cast<void*>(npu_emu::globalMemoryBegin), next_ - npu_emu::globalMemoryBegin);
}

const std::string* CaseMemory::tensorAt(const uint8_t* base) const {
  if (base < file_ || base >= file_ + fileBytes_) return nullptr;
  const auto found = std::find_if(regions_.begin(), regions_.end(),
                                  [base](const npu_emu::GmRegion& region) { return region.base == base; });
  return found == regions_.end() ? nullptr : &found->name;
}

uint8_t* CaseMemory::reserve(const std::string& what, size_t bytes) {
  constexpr size_t gaps = size_t(1) << 14;
  next_ += chance_.below(gaps) * cacheBytes;
  const size_t total = bytes + 2 * pageBytes;
  if (total < bytes || total > npu_emu::globalMemoryEnd - next_) outOfMemory(what, bytes);
  auto* address = reinterpret_cast<uint8_t*>(next_ + pageBytes);
  next_ += total;
  return address;
}

uint8_t* CaseMemory::allocate(const std::string& name, const void* content, size_t bytes, npu_emu::Access access) {
  const size_t pages = wholePages(std::max<size_t>(bytes, 1));
  uint8_t* address = reserve(name, pages);
  if (npu_emu::mapDeviceMemory(reinterpret_cast<uintptr_t>(address), pages) == nullptr) outOfMemory(name, bytes);
  if (bytes != 0) std::memcpy(address, content, bytes);
  if (access == npu_emu::Access::In) mprotect(address, pages, PROT_READ);
  regions_.push_back({address, bytes, access, name});
  return address;
}

// By output: the number of dimensions, then up to eight of them.
uint8_t* CaseMemory::outputShapes(uint64_t outputs, bool isWritten) {
  const std::vector<uint64_t> words(std::min<uint64_t>(outputs, maxShapedOutputs) * 9);
  const size_t bytes = words.size() * sizeof(uint64_t);
  uint8_t* address = allocate("the shapes of outputs", words.data(), bytes, npu_emu::Access::Out);
  regions_.back().isFilled = true;  // with zeros
  regions_.back().use = npu_emu::GmRegion::OutputShapes;
  if (!isWritten) mprotect(address, wholePages(bytes), PROT_NONE);
  return address;
}

uint8_t* CaseMemory::mapSlot(const CaseFile& file, const Slot& slot, const std::array<uint8_t, 8>& poison) {
  uint8_t* address = file_ + slot.offset;
  const bool writable = slot.access != npu_emu::Access::In;
  // Aliased arguments share their slot: it is mapped once, and writable if any of them writes.
  const auto known = std::find_if(regions_.begin(), regions_.end(), [&](const npu_emu::GmRegion& region) {
    return region.base == address && region.bytes == slot.bytes;
  });
  const bool again = known != regions_.end();
  if (again && (!writable || known->access != npu_emu::Access::In)) return address;
  if (slot.bytes != 0 && (!writable || file.isWritten)) {
    // Inputs come from a descriptor that cannot write: no mprotect makes them writable. Where there is no other, what is
    // written stays here.
    const bool isShared = !writable || file.readWrite >= 0;
    const int protection = writable ? PROT_READ | PROT_WRITE : PROT_READ;
    void* mapped = mmap(address, wholePages(slot.bytes), protection,
                        (isShared ? MAP_SHARED | MAP_POPULATE : MAP_PRIVATE | MAP_NORESERVE) | MAP_FIXED,
                        writable && isShared ? file.readWrite : file.readOnly, static_cast<off_t>(slot.offset));
    if (mapped == MAP_FAILED) outOfMemory("tensor " + slot.name, slot.bytes);
    if (slot.access == npu_emu::Access::Out) fill(address, slot.bytes, slot.initial.value_or(poison));
  }
  if (again) known->access = npu_emu::Access::InOut;
  else regions_.push_back({address, static_cast<size_t>(slot.bytes), slot.access, slot.name});
  if (!again) regions_.back().isFilled = slot.initial.has_value();
  return address;
}

// Layout: the byte offset of the address table; per tensor its rank (low half of a word) and index (high half), then its
// extents; then the table of addresses.
uint8_t* CaseMemory::listDescriptor(const std::vector<Slot>& slots, const std::vector<uint8_t*>& tensors) {
  std::vector<uint64_t> words{0};
  for (size_t i = 0; i < slots.size(); ++i) {
    words.push_back(slots[i].shape.size() | static_cast<uint64_t>(i) << 32);
    words.insert(words.end(), slots[i].shape.begin(), slots[i].shape.end());
  }
  words[0] = words.size() * sizeof(uint64_t);
  for (uint8_t* tensor : tensors) words.push_back(reinterpret_cast<uint64_t>(tensor));
  return allocate("tensor list", words.data(), words.size() * sizeof(uint64_t), npu_emu::Access::In);
}

// A private mapping of the poisoned template: only what a kernel writes is ever copied, so that a fresh workspace of
// many megabytes costs next to nothing.
uint8_t* CaseMemory::workspace(uint64_t bytes, const CaseFile& file) {
  // one that nobody has asked for has an address, and no bytes
  const size_t pages = wholePages(std::max<uint64_t>(bytes, 1));
  if (pages < bytes) outOfMemory("workspace", bytes);
  uint8_t* address = reserve("workspace", pages);
  for (size_t done = 0; file.isWritten && done < pages; done += workspaceTemplateBytes) {
    const size_t part = std::min(pages - done, workspaceTemplateBytes);
    void* mapped = mmap(address + done, part, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE,
                        npu_emu::templateFd, static_cast<off_t>(file.isNegative ? negativeOffset : 0));
    if (mapped == MAP_FAILED) outOfMemory("workspace", bytes);
  }
  regions_.push_back(
      {address, static_cast<size_t>(bytes), npu_emu::Access::InOut, "workspace", npu_emu::GmRegion::Workspace});
  return address;
}

}  // namespace npu_runner
