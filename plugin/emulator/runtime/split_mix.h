// SplitMix64: the same numbers on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace npu_emu {

struct SplitMix64 {
  uint64_t state = 0;

  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
  uint32_t below(size_t limit) { return static_cast<uint32_t>(next() % limit); }
  template <typename T>
  void shuffle(T& all) {
    for (size_t left = all.size(); left > 1; --left) std::swap(all[left - 1], all[below(left)]);
  }
};

}  // namespace npu_emu
