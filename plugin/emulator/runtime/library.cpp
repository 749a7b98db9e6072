#include "library.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace npu_emu {

void WorkingMemory::touch(Touches& touches) const {
  touches.add(extent);
  // whatever lies there, buffer by buffer
  const uint8_t* end = extent.end() + behind;
  for (Operand at{extent.operand.address + extent.bytes, 0, extent.operand.position}; at.address < end;) {
    const uint8_t* until = end;
    const Buffer& here = bufferOf(at);
    if (here.base != nullptr) until = std::min<const uint8_t*>(end, here.base + here.bytes);
    else
      for (const Buffer& buffer : core->buffers)
        if (buffer.base > at.address) until = std::min<const uint8_t*>(until, buffer.base);
    const auto bytes = static_cast<uint32_t>(until - at.address);
    touches.add(unseenByCompiler({at, bytes, writes, "sharedTmpBuffer", 1}));
    at.address += bytes;
  }
  if (reserved != 0) touches.addReservedArea(reserved);
}

void WorkingMemory::leaveGarbage() const {
  if (extent.bytes + behind != 0) std::memset(extent.operand.address, garbage, extent.bytes + behind);
  if (reserved != 0) std::memset(reservedArea(), garbage, reserved);
}

void reportAsserted(const char* name, std::string message, const char* hint) {
  report({Check::AssertIgnored, name, std::move(message), hint});
}

void reportShortage(const char* name, uint32_t bytes, uint32_t needed, const char* sizeHelper) {
  reportAsserted(name, text("sharedTmpBuffer has %u bytes, %u are needed", bytes, needed),
                 text("take the size from %s on the host", sizeHelper).c_str());
}

WorkingMemory workingMemory(const char* name, const Temporary& temporary, uint32_t needed, const char* sizeHelper) {
  return workingMemory(name, temporary, needed, needed, sizeHelper);
}

namespace {

// Whether a function selects by the register of comparisons, for which it loads it itself.
bool loadsRegisterOfComparisons(const char* name) {
  constexpr const char* all[] = {"Digamma", "LayerNorm",      "Lgamma", "Power", "SelectWithBytesMask",
                                 "Sign",    "WelfordFinalize"};
  return std::any_of(std::begin(all), std::end(all), [&](const char* each) { return std::strcmp(each, name) == 0; });
}

}  // namespace

WorkingMemory workingMemory(const char* name, const Temporary& temporary, uint32_t least, uint32_t most,
                            const char* sizeHelper) {
  if (loadsRegisterOfComparisons(name)) markLost(Register::Comparison);
  if (temporary.bytes < least) {
    if (!temporary.ofCaller)
      trap({Check::BufferSize, name,
            text("the temporary memory of the library takes %u bytes, %u are left in UB", least, temporary.bytes),
            "give fewer bytes to InitBuffer, or pass a sharedTmpBuffer"});
    reportShortage(name, temporary.bytes, least, sizeHelper);
  }
  return worksIn(temporary, std::max(least, std::min(temporary.bytes, most)));
}

WorkingMemory worksIn(const Temporary& temporary, uint32_t bytes) {
  const uint32_t given = std::min(temporary.bytes, bytes);
  return {unseenByCompiler({temporary.operand, given, writes, "sharedTmpBuffer"}), bytes - given};
}

WorkingMemory reservedMemory(const char* name, uint32_t bytes) {
  checkReservedArea(name);
  WorkingMemory memory;
  memory.reserved = bytes;
  return memory;
}

}  // namespace npu_emu
