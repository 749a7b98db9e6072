// How the elements of a tensor are arranged, for kernels and for the helpers of the host.
#pragma once

#include <cstdint>

namespace AscendC {

enum class DataFormat : uint8_t { ND = 0, NZ, NCHW, NC1HWC0, NHWC, NCDHW, NDC1HWC0, FRACTAL_Z_3D };

struct TransDataConfig {
  DataFormat srcFormat;
  DataFormat dstFormat;
};

}  // namespace AscendC

namespace npu_emu::sizes {

// [N, C, D, H, W] of 16-bit elements, whose channels and batches are split into 16 each.
struct Volume {
  uint32_t n, c, d, h, w;
  static constexpr uint64_t split(uint64_t extent) { return (extent + 15) / 16; }
  constexpr uint64_t plane() const { return uint64_t(h) * w; }
  constexpr uint64_t padded() const { return split(plane()) * 16; }
  constexpr uint64_t plain() const { return uint64_t(n) * c * d * padded(); }
  constexpr uint64_t blocks() const { return uint64_t(n) * d * split(c) * plane() * 16; }
  constexpr uint64_t fractal() const { return d * split(c) * plane() * split(n) * 256; }
};

enum class Rearrangement : uint8_t { ToBlocks, FromBlocks, ToFractal, FromFractal };

constexpr uint64_t transDataBytes(Rearrangement kind, const Volume& v) {
  const uint64_t split = Volume::split(v.c) * 16 * v.d * v.padded(), all = Volume::split(v.n) * 16 * split;
  const uint64_t zeros = v.c * v.d * v.padded(), plane = v.d * v.plane() * Volume::split(v.n) * 16;
  switch (kind) {
    case Rearrangement::ToBlocks: return 2 * (v.d * v.padded() + split);
    case Rearrangement::FromBlocks: return 2 * split + 512;
    case Rearrangement::ToFractal: return 2 * ((zeros > plane ? zeros : plane) + all);
    default: return v.n % 16 == 0 && v.c % 16 == 0 ? 2 * all : 4 * all;
  }
}

}  // namespace npu_emu::sizes
