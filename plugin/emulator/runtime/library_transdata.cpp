// TransData: elements of 16 bits, moved one by one.
#include "ascendc/library_transdata.h"

#include <cstring>
#include <vector>

#include "library_work.h"

namespace npu_emu::vec {

namespace {

using sizes::Rearrangement;
using sizes::Volume;

constexpr uint32_t elementBytes = 2;

[[noreturn]] void reject(std::string message, const char* hint) {
  trap({Check::ParameterRange, "TransData", std::move(message), hint});
}

void checkShapes(Rearrangement kind, const Volume& v, const uint32_t* split) {
  constexpr uint64_t limit = 1u << 20;  // beyond what UB holds
  uint64_t elements = 1;
  for (uint32_t extent : {v.n, v.c, v.d, v.h, v.w}) {
    elements *= extent;
    if (elements == 0 || elements > limit)
      reject(text("NCDHW is [%u, %u, %u, %u, %u]", v.n, v.c, v.d, v.h, v.w),
             "extents are positive, and the tensor fits into UB");
  }
  const auto n1 = static_cast<uint32_t>(Volume::split(v.n)), c1 = static_cast<uint32_t>(Volume::split(v.c));
  const uint32_t blocks[7] = {v.n, v.d, c1, v.h, v.w, 16, 0}, fractal[7] = {v.d, c1, v.h, v.w, n1, 16, 16};
  const bool isBlocks = kind == Rearrangement::ToBlocks || kind == Rearrangement::FromBlocks;
  if (std::memcmp(split, isBlocks ? blocks : fractal, sizeof blocks) == 0) return;
  reject(text("[%u, %u, %u, %u, %u, %u, %u] is not the shape that NCDHW [%u, %u, %u, %u, %u] has", split[0], split[1],
              split[2], split[3], split[4], split[5], split[6], v.n, v.c, v.d, v.h, v.w),
         isBlocks ? "NDC1HWC0 is [N, D, (C + 15) / 16, H, W, 16]"
                  : "FRACTAL_Z_3D is [D, (C + 15) / 16, H, W, (N + 15) / 16, 16, 16]");
}

size_t placeOf(bool isBlocks, const Volume& v, uint32_t n, uint32_t c, uint32_t d, size_t plane) {
  const size_t c1 = Volume::split(v.c), n1 = Volume::split(v.n);
  if (isBlocks) return (((size_t(n) * v.d + d) * c1 + c / 16) * v.plane() + plane) * 16 + c % 16;
  return ((((d * c1 + c / 16) * v.plane() + plane) * n1 + n / 16) * 16 + n % 16) * 16 + c % 16;
}

// Copies of so many elements each, of which only the first waits.
void addCopies(Work& work, uint64_t elements, uint64_t times) {
  work.move(elements * elementBytes);
  for (uint64_t i = 1; i < times; ++i) work.beside(elements * elementBytes, moveCost.tail);
}

// Batch after batch in blocks; all batches at once in fractals, first along one axis and then along the other.
Work workOf(Rearrangement kind, const Volume& v) {
  const uint64_t padded = uint64_t(v.d) * v.padded(), blocks = uint64_t(v.plane()) * 16, n1 = Volume::split(v.n),
                 c1 = Volume::split(v.c), lines = v.d * blocks * n1;
  const auto ofChannels = static_cast<uint32_t>(c1), ofBatches = static_cast<uint32_t>(n1);
  Work work;
  switch (kind) {
    case Rearrangement::ToBlocks:
      work.step(padded * elementBytes);
      for (uint32_t n = 0; n < v.n; ++n) {
        work.listedTransposition(padded / 16, ofChannels);
        addCopies(work, v.d * blocks, c1);
      }
      break;
    case Rearrangement::FromBlocks:
      for (uint32_t n = 0; n < v.n; ++n) {
        addCopies(work, c1 * blocks, v.d);
        work.listedTransposition(padded / 16, ofChannels);
      }
      break;
    case Rearrangement::ToFractal:
      work.step(std::max(v.c * padded, lines) * elementBytes).listedTransposition(v.c * padded / 16, ofBatches);
      if (v.padded() != v.plane()) work.move(v.c * lines * elementBytes);
      work.listedTransposition(lines / 16, ofChannels);
      addCopies(work, 16 * lines, c1);
      break;
    default:
      work.step(c1 * padded * n1 * 256 * elementBytes);
      addCopies(work, c1 * blocks * n1 * 16, v.d);
      work.listedTransposition(padded * n1, ofChannels).listedTransposition(v.c * padded / 16, ofBatches);
  }
  return work;
}

}  // namespace

void transData(Operand dst, Operand src, const Temporary& temporary, Rearrangement kind, const Volume& v,
               const uint32_t (&split)[7]) {
  checkShapes(kind, v, split);
  const bool isBlocks = kind == Rearrangement::ToBlocks || kind == Rearrangement::FromBlocks,
             splits = kind == Rearrangement::ToBlocks || kind == Rearrangement::ToFractal;
  const uint64_t plain = v.plain() * elementBytes, other = (isBlocks ? v.blocks() : v.fractal()) * elementBytes;
  const uint64_t dstBytes = splits ? other : plain, srcBytes = splits ? plain : other;
  if (dst.address < src.address + srcBytes && src.address < dst.address + dstBytes)
    reject("dst and src overlap", "TransData has no in-place form");
  const WorkingMemory working =
      workingMemory("TransData", temporary, clampedBytes(sizes::transDataBytes(kind, v)), "GetTransDataMaxMinTmpSize");
  Work work = workOf(kind, v);
  // all others begin with zeros for the padding
  if (kind == Rearrangement::FromBlocks) work.keepMask();
  work.issue("TransData", working,
             {{dst, clampedBytes(dstBytes), writes, "dstTensor"}, {src, clampedBytes(srcBytes), reads, "srcTensor"}},
             [&] {
               loseAddresses();
               std::memset(dst.address, splits ? 0 : garbage, dstBytes);
               for (uint32_t n = 0; n < v.n; ++n) {
                 for (uint32_t c = 0; c < v.c; ++c) {
                   for (uint32_t d = 0; d < v.d; ++d) {
                     const size_t row = ((size_t(n) * v.c + c) * v.d + d) * v.padded();
                     for (size_t i = 0; i < v.plane(); ++i) {
                       const size_t place = placeOf(isBlocks, v, n, c, d, i);
                       std::memcpy(dst.address + (splits ? place : row + i) * elementBytes,
                                   src.address + (splits ? row + i : place) * elementBytes, elementBytes);
                     }
                   }
                 }
               }
             });
}

}  // namespace npu_emu::vec
