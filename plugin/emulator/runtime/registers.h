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
  // Of the cube core: what DataCopy out of L0C quantises by, and the image of loads that unfold one.
  FixpipeScale,
  Image,
  FirstAddresses,  // of eight: one for each address register
};

inline Register addressRegister(uint32_t index) {
  return static_cast<Register>(static_cast<uint32_t>(Register::FirstAddresses) + index % 8);
}

class UnsetRegisters {
 public:
  bool has(Register which) const { return (bits_ & bitOf(which)) != 0; }
  void add(Register which) { bits_ |= bitOf(which); }
  void remove(Register which) { bits_ &= ~bitOf(which); }

 private:
  static constexpr uint32_t bitOf(Register which) { return uint32_t(1) << static_cast<unsigned>(which); }
  uint32_t bits_ = UINT32_MAX;
};

// From here on the register holds what this kernel has set.
void markSet(Register which);
// From here on it holds what the library has left there, which is none of the kernel's business.
void markLost(Register which);
// The library has put addresses of its own into the first four, of which a transposition takes its sixteen and sixteen.
void loseAddresses();
// Reports an instruction that depends on a register which the kernel has not set.
void requireSet(Register which, const char* instruction);

// What vector instructions leave that set the mask for themselves.
void restoreMask();
// What ResetMask leaves: whether the mask counts elements stays as it is.
void fillMask();
// The first lanes alone.
void leaveLanes(uint32_t lanes);
// Of lanes those of the low half whose bits are set: also of a count behind which the mask has lanes again.
void leaveLowBits(uint64_t bits);
// What TPipe and InitSocState set: they leave the other registers alone.
void initialiseState();

}  // namespace npu_emu
