// Stores to global memory, and what atomic operations make of them.
#include <cstring>

#include "core.h"
#include "issue.h"
#include "numerics.h"

namespace npu_emu {

namespace {

template <typename T>
void accumulate(uint8_t* dst, const uint8_t* src, size_t bytes, vec::Atomic kind) {
  for (size_t i = 0; i + sizeof(T) <= bytes; i += sizeof(T)) {
    T a, b;
    std::memcpy(&a, dst + i, sizeof a);
    std::memcpy(&b, src + i, sizeof b);
    Wide<T> x = static_cast<Wide<T>>(a), y = static_cast<Wide<T>>(b);
    T result = static_cast<T>(kind == vec::Atomic::Add   ? isa::Add::element(x, y)
                              : kind == vec::Atomic::Max ? isa::Max::element(x, y)
                                                         : isa::Min::element(x, y));
    std::memcpy(dst + i, &result, sizeof result);
  }
}

}  // namespace

void storeGlobal(uint8_t* dst, const uint8_t* src, size_t bytes) {
  using Type = vec::AtomicType;
  if (core->atomic == vec::Atomic::None) {
    std::memcpy(dst, src, bytes);
    return;
  }
  switch (core->atomicType) {
    case Type::Float: return accumulate<float>(dst, src, bytes, core->atomic);
    case Type::Half: return accumulate<half>(dst, src, bytes, core->atomic);
    case Type::Int16: return accumulate<int16_t>(dst, src, bytes, core->atomic);
    case Type::Int32: return accumulate<int32_t>(dst, src, bytes, core->atomic);
    case Type::Int8: return accumulate<int8_t>(dst, src, bytes, core->atomic);
    case Type::Bf16: return accumulate<bfloat16_t>(dst, src, bytes, core->atomic);
  }
}

namespace dma {

void setAtomicConfig(uint16_t type, uint16_t operation) {
  using Type = vec::AtomicType;
  constexpr Type types[] = {Type::Float, Type::Float, Type::Half, Type::Int16, Type::Int32, Type::Int8, Type::Bf16};
  const bool known = type < sizeof types / sizeof *types && operation == 0;
  if (!known)
    trap({Check::ParameterRange, "SetStoreAtomicConfig", "unknown element type or operation",
          "use AtomicDtype and AtomicOp"});
  vec::setAtomic(type == 0 ? vec::Atomic::None : vec::Atomic::Add, types[type]);
}

uint16_t atomicConfig() {
  requireSet(Register::Atomic, "GetStoreAtomicConfig");
  scalarCycles(1);
  return core->atomic == vec::Atomic::None ? 0 : static_cast<uint16_t>(1 + static_cast<uint16_t>(core->atomicType));
}

}  // namespace dma

void vec::setAtomic(Atomic kind, AtomicType type) {
  core->atomic = kind;
  core->atomicType = type;
  markSet(Register::Atomic);
  scalarCycles(1);
}

}  // namespace npu_emu
