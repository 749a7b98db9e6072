#include "access.h"

#include <algorithm>

namespace npu_emu {

bool GmRows::touches(const uint8_t* from, const uint8_t* to) const {
  if (to <= begin || from >= end()) return false;
  const uint64_t last = std::min<uint64_t>(rows - 1, static_cast<uint64_t>(to - 1 - begin) / distance);
  return at(last) + bytes > from;
}

bool GmRows::touches(const GmRows& other) const {
  constexpr uint64_t many = 64;
  if (other.end() <= begin || other.begin >= end()) return false;
  if (distance == other.distance) {
    const bool isBehind = other.begin >= begin;
    const uint64_t between = static_cast<uint64_t>(isBehind ? other.begin - begin : begin - other.begin) % distance;
    // from a row of this one to the next of the other
    const uint64_t after = isBehind || between == 0 ? between : distance - between;
    if (after >= bytes && after + other.bytes <= distance) return false;
  }
  const GmRows &fewer = rows < other.rows ? *this : other, &more = rows < other.rows ? other : *this;
  bool touches = fewer.rows > many;
  for (uint64_t row = 0; row < fewer.rows && !touches; ++row)
    touches = more.touches(fewer.at(row), fewer.at(row) + fewer.bytes);
  return touches;
}

}  // namespace npu_emu
