// What the tiling helpers of the library share.
#pragma once

#include <cstring>

#include "lib/utils/types.h"
#include "register/tilingdata_base.h"

namespace npu_emu {

// A shape as rows of its last axis; no rows where the shape is empty.
struct Rows {
  explicit Rows(const ge::Shape& shape) {
    size_t rank = shape.GetDimNum();
    int64_t last = rank == 0 ? 0 : shape.GetDim(rank - 1);
    if (last <= 0 || shape.GetShapeSize() <= 0) return;
    k = static_cast<uint32_t>(last);
    m = static_cast<uint32_t>(shape.GetShapeSize() / last);
  }
  uint32_t m = 0, k = 0;
};

template <typename To, typename From>
inline To bitsAs(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(static_cast<void*>(&to), &from, sizeof to);
  return to;
}

template <typename Write>
struct Filled;
template <typename Write, typename Plain>
struct Filled<void (Write::*)(Plain&) const> {
  using type = Plain;
};

// Sets all fields of a tiling class from the plain struct that `write` fills.
template <typename Class, typename Write>
inline void fill(Class& tiling, Write write) {
  typename Filled<decltype(&Write::operator())>::type plain;
  write(plain);
  tiling.ReadFrom(&plain, sizeof plain);
}

}  // namespace npu_emu
