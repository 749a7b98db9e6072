// Registers of the vector unit: the mask, and what instructions leave there for the scalar unit.
#include "device.h"
#include "dry_run.h"
#include "issue.h"

namespace npu_emu {
namespace vec {

namespace {

uint64_t readRegister(uint64_t value) {
  needComputed();
  if (device.request->autoSync) orderAutomatically(Pipe::V, Pipe::S);
  scalarCycles(1);
  return value;
}

}  // namespace

uint64_t sumRegister() { return readRegister(core->registers.sum); }
uint64_t extremeRegister() { return readRegister(core->registers.extreme); }
uint64_t mergeRegister() { return readRegister(core->registers.merged); }
uint64_t keptRegister() { return readRegister(core->registers.kept); }

void setMask(uint64_t high, uint64_t low) {
  core->mask[0] = low;
  core->mask[1] = high;
  scalarCycles(1);
}

void setMaskCounter(bool counter) {
  core->maskCounter = counter;
  scalarCycles(1);
}

}  // namespace vec
}  // namespace npu_emu
