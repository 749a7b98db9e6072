#include "reached_blocks.h"

namespace npu_emu {

ReachedBlocks reachedBlocks;

void beginReachedBlocks() {
  ++reachedBlocks.launch;
  reachedBlocks.blocks.clear();
}

}  // namespace npu_emu
