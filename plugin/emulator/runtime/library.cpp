#include "library.h"

#include <cstring>

namespace npu_emu {

void WorkingMemory::leaveGarbage() const {
  if (extent.bytes != 0) std::memset(extent.operand.address, garbage, extent.bytes);
}

WorkingMemory workingMemory(const char* name, const Temporary& temporary, uint32_t needed, const char* sizeHelper) {
  if (temporary.bytes < needed) {
    if (temporary.ofCaller) {
      trap({Check::BufferSize, name, text("sharedTmpBuffer has %u bytes, %u are needed", temporary.bytes, needed),
            text("take the size from %s on the host", sizeHelper).c_str()});
    }
    trap({Check::BufferSize, name,
          text("the temporary memory of the library takes %u bytes, %u are left in UB", needed, temporary.bytes),
          "give fewer bytes to InitBuffer, or pass a sharedTmpBuffer"});
  }
  return {unseenByCompiler({temporary.operand, needed, writes, "sharedTmpBuffer"})};
}

}  // namespace npu_emu
