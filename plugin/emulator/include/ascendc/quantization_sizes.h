// Bytes of temporary memory that the quantisations take, for the host and the device.
#pragma once

#include <cstdint>

namespace npu_emu::quant {

struct Range {
  uint32_t most, least;
};

constexpr uint32_t repeatBytes = 256, blockBytes = 32, repeatFloats = 64, floatsPerBlock = 8;

constexpr Range sizesOfQuant(uint32_t elements) {
  uint32_t least = 2 * repeatBytes, most = 2 * elements > least ? 2 * elements : least;
  return {(most + blockBytes - 1) / blockBytes * blockBytes, least};
}

constexpr Range sizesOfDequant(uint32_t m, uint32_t n) {
  uint32_t scale = n + floatsPerBlock;
  return {(repeatFloats + m * n + scale) * 4, (repeatFloats + n + scale) * 4};
}

// half needs none. `k` is the first extent of a source that is not transposed, `scales` the number of scales.
constexpr Range sizesOfAntiQuant(uint32_t elements, uint32_t k, uint32_t scales, bool isTranspose, bool isHalf) {
  if (isHalf) return {0, 0};
  if (scales == 1) return {elements * 4, 1024};
  uint32_t size = isTranspose ? 80 * scales * 4 : (2 * scales + 64 * k) * 4;
  return {size, size};
}

}  // namespace npu_emu::quant
