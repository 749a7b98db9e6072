// Registers that a launch does not set: they hold what an earlier kernel has left there until this one sets them.
#pragma once

#include <cstdint>

namespace npu_emu {

enum class Register : uint8_t {
  Mask,
  MaskMode,
  Atomic,
  // The register of SetDeqScale, which holds what one of its three forms has set.
  Scale,
  ScaleAndOffset,
  Scales,
  Comparison,
  Sum,
  Extreme,
  Merged,
  Kept,
};

class UnsetRegisters {
 public:
  bool has(Register which) const { return (bits_ & bitOf(which)) != 0; }
  void add(Register which) { bits_ = static_cast<uint16_t>(bits_ | bitOf(which)); }
  void remove(Register which) { bits_ = static_cast<uint16_t>(bits_ & ~bitOf(which)); }

 private:
  static constexpr uint16_t bitOf(Register which) { return static_cast<uint16_t>(1u << static_cast<unsigned>(which)); }
  uint16_t bits_ = UINT16_MAX;
};

// From here on the register holds what this kernel has set.
void markSet(Register which);
// Reports an instruction that depends on a register which the kernel has not set.
void requireSet(Register which, const char* instruction);

// What vector instructions leave that set the mask for themselves.
void restoreMask();
// What TPipe and InitSocState set: they leave the other registers alone.
void initialiseState();

}  // namespace npu_emu
