// What cores wait for in vain, and what nobody waits for.
#pragma once

namespace npu_emu {

// Reports that no core can go on, and ends the launch.
void reportDeadlock();

// Reports flags between cores that are still set when the kernel has ended.
void checkFlagsLeft();

}  // namespace npu_emu
