// Registers that a launch does not set, and those of the vector unit: the mask, and what instructions leave there for the scalar unit.
#include "device.h"
#include "dry_run.h"
#include "issue.h"

namespace npu_emu {

namespace {

struct RegisterText {
  const char *what, *hint;
};
constexpr const char* pipeHint = "construct a TPipe or call InitSocState first";
constexpr const char* scaleHint =
    "call SetDeqScale first, in the form that belongs to the instruction: TPipe does not set it";

RegisterText textOf(Register which) {
  if (which >= Register::FirstAddresses) return {"the addresses of a transposition", "call set_va_reg_sb first"};
  switch (which) {
    case Register::Mask: return {"the mask", pipeHint};
    case Register::MaskMode: return {"whether the mask counts elements", pipeHint};
    case Register::Atomic: return {"whether stores add to what is there", pipeHint};
    case Register::Scale: return {"the scale of SetDeqScale(half)", scaleHint};
    case Register::ScaleAndOffset: return {"the scale and offset of SetDeqScale", scaleHint};
    case Register::Scales: return {"the tensor of SetDeqScale", scaleHint};
    case Register::Comparison: return {"the register of comparisons", "compare first, or call SetCmpMask"};
    case Register::Sum: return {"the register of sums", "call ReduceSum for a count first"};
    case Register::Extreme: return {"the register of maxima and minima", "call ReduceMax or ReduceMin first"};
    case Register::Merged: return {"the register of merged lists", "call MrgSort first"};
    case Register::Kept: return {"the register of elements that are kept", "call GatherMask first"};
    case Register::FixpipeScale:
      return {"the scale of SetFixpipePreQuantFlag", "call SetFixpipePreQuantFlag first: TPipe does not set it"};
    case Register::Image:
      return {"the image of SetFmatrix", "call SetFmatrix first, or leave isSetFMatrix true: TPipe does not set it"};
    case Register::FirstAddresses: break;
  }
  return {"a register", ""};
}

[[gnu::noinline]] void reportUnset(Register which, const char* instruction) {
  const RegisterText said = textOf(which);
  report({Check::ErrorRead2, instruction, text("depends on %s, which this kernel has not set", said.what), said.hint});
}

}  // namespace

void markSet(Register which) { core->unset.remove(which); }

void markLost(Register which) { core->unset.add(which); }

void loseAddresses() {
  for (uint32_t i = 0; i < 4; ++i) markLost(addressRegister(i));
}

void requireSet(Register which, const char* instruction) {
  if (__builtin_expect(core->unset.has(which), 0)) reportUnset(which, instruction);
}

void restoreMask() {
  core->maskCounter = false;
  maskOfLanes(128, core->mask);
  markSet(Register::MaskMode);
  markSet(Register::Mask);
}

void fillMask() {
  core->mask[0] = core->mask[1] = ~uint64_t(0);
  markSet(Register::Mask);
}

void leaveLanes(uint32_t lanes) {
  maskOfLanes(lanes, core->mask);
  markSet(Register::Mask);
}

void leaveLowBits(uint64_t bits) {
  restoreMask();
  core->mask[0] = bits;
  core->mask[1] = 0;
}

void initialiseState() {
  restoreMask();
  core->atomic = vec::Atomic::None;
  markSet(Register::Atomic);
  core->cube.padBits = 0;
  core->cube.boundary = 0;
}

namespace vec {

namespace {

void beginRead(Register which, const char* instruction) {
  needComputed();
  requireSet(which, instruction);
  if (device.request->autoSync) orderAutomatically(Pipe::V, Pipe::S);
  scalarCycles(1);
}

uint64_t readRegister(Register which, const char* instruction, const VectorRegisters::Result& result, bool inLibrary) {
  beginRead(which, instruction);
  // the library waits for what it reads itself
  if (!device.request->autoSync) {
    if (inLibrary) orderPipes(Pipe::V, Pipe::S);
    else core->hazards.requireResult(instruction, result.leftBy);
  }
  return result.bits;
}

}  // namespace

uint64_t sumRegister() { return readRegister(Register::Sum, "GetAccVal", core->registers.sum, false); }
uint64_t extremeRegister() {
  return readRegister(Register::Extreme, "GetReduceRepeatMaxMinSpr", core->registers.extreme, false);
}
uint64_t mergeRegister(bool inLibrary) {
  return readRegister(Register::Merged, "GetMrgSortResult", core->registers.merged, inLibrary);
}
uint64_t keptRegister(bool asArgument) {
  // the library reads it for every GatherMask, and does not wait: whether the kernel looks at that, nobody knows
  if (asArgument) {
    beginRead(Register::Kept, "GatherMask");
    return core->registers.kept.bits;
  }
  return readRegister(Register::Kept, "GetGatherMaskRemainCount", core->registers.kept, false);
}

void initialise() {
  initialiseState();
  scalarCycles(3);
}

void setMask(uint64_t high, uint64_t low) {
  core->mask[0] = low;
  core->mask[1] = high;
  markSet(Register::Mask);
  scalarCycles(1);
}

void setMaskCounter(bool counter) {
  core->maskCounter = counter;
  markSet(Register::MaskMode);
  scalarCycles(1);
}

}  // namespace vec
}  // namespace npu_emu
