// Selection by bytes and DropOut. A mask whose rows are longer than those of the source is first made as short, in
// place or in the temporary memory.
#include "ascendc/library_select.h"

#include <cstring>
#include <tuple>
#include <vector>

#include "ascendc/select_sizes.h"
#include "library_work.h"
#include "numerics.h"
#include "api_calls.h"
#include "legal_library.h"

namespace npu_emu::vec {

namespace {

struct MaskRows {
  uint32_t rows, bytes, strideBytes;
};

void checkMask(const char* name, const MaskRows& mask) {
  if (mask.strideBytes % blockBytes == 0 && mask.bytes % 2 == 0 && mask.bytes <= mask.strideBytes) return;
  trap({Check::ParameterRange, name,
        text("rows of the mask have %u bytes, of which %u are used", mask.strideBytes, mask.bytes),
        "pad the rows of the mask to 32 bytes, and use an even number of bytes"});
}

Reach reachOf(const MaskRows& mask) { return Reach::strided(mask.bytes, mask.rows, mask.strideBytes); }

std::vector<uint8_t> shortened(const uint8_t* mask, const MaskRows& shape) {
  std::vector<uint8_t> bytes(size_t(shape.rows) * shape.bytes);
  for (uint32_t row = 0; row < shape.rows; ++row)
    std::memcpy(bytes.data() + size_t(row) * shape.bytes, mask + size_t(row) * shape.strideBytes, shape.bytes);
  return bytes;
}

// Masks of 32 bits are compared as floats: the sign of a zero does not count.
bool isSet(const uint8_t* mask, size_t index, uint32_t bytes) {
  if (bytes == 1) return mask[index] != 0;
  if (bytes == 2) return reinterpret_cast<const uint16_t*>(mask)[index] != 0;
  return (reinterpret_cast<const uint32_t*>(mask)[index] & 0x7fffffffu) != 0;
}

// What is selected where a bit is not set comes from the register of comparisons: a value is spread, and loaded into it.
Work& addValue(Work& work) { return work.step(repeatBytes, 1, 2); }

constexpr uint32_t selectCycles = static_cast<uint32_t>(selectCost.c16);

// Calls add(elements) for each round, of as many elements as the memory holds that is given, by whole blocks of bytes.
template <typename Add>
void inRounds(uint32_t elements, uint32_t most, const Add& add) {
  const uint32_t ofRound = std::max(most / blockBytes, 1u) * blockBytes;
  for (uint32_t left = elements, round; left != 0; left -= round) add(round = std::min(left, ofRound));
}

}  // namespace

template <typename T>
void selectByBytes(Operand dst, Operand src, T value, Operand mask, const Temporary& temporary,
                   const ByteSelection& s) {
  const char* name = "SelectWithBytesMask";
  requireSize(name, s.maskBytes, {1, 2, 4});
  requireExtents(name, {s.elements, sizeof(uint32_t)});
  requireExtents(name, {s.rows, std::max({s.columns, s.maskColumns, 1u}), s.maskBytes});
  const uint32_t elements = s.elements, bytes = elements * static_cast<uint32_t>(sizeof(T));
  const bool longer = s.columns != s.maskColumns;
  const MaskRows rows{s.rows, s.columns * s.maskBytes, s.maskColumns * s.maskBytes};
  if (longer) {
    checkMask(name, rows);
    if (uint64_t(s.rows) * s.columns != elements) {
      trap({Check::ParameterRange, name,
            text("the source has %u elements, the shape says %u x %u", elements, s.rows, s.columns),
            "SetSize of the source must agree with info"});
    }
  }
  Work work;
  if (longer) work.keeping(s.rows * uint64_t(sizes::roundUp(rows.bytes, repeatBytes)));
  constexpr uint32_t reserved = 256, mostAtOnce = 255 * repeatBytes / 2;
  const uint32_t ofMask = longer && !s.reusesMask ? sizes::roundUp(elements * s.maskBytes, blockBytes) : 0,
                 room = temporary.bytes - std::min(temporary.bytes, ofMask + reserved);
  addValue(work);
  inRounds(elements, std::min(room / 2, mostAtOnce),
           [&](uint64_t n) { work.step(n * std::max(2u, s.maskBytes)).step(n * 2).step(n * sizeof(T), selectCycles); });
  // piece by piece, but a mask that is shortened in the temporary memory is read first
  work.bears("dst", "src", Lies::InPlace);
  if (longer && !s.reusesMask) work.bears("dst", "mask", Lies::Anywhere);
  else if (!longer && s.maskBytes >= sizeof(T)) work.bears("dst", "mask", Lies::InPlace);
  const sizes::Range range = sizes::select({elements, s.maskBytes, longer && !s.reusesMask});
  WorkingMemory working =
      workingMemory(name, temporary, range.least, range.most, "GetSelectWithBytesMaskMaxMinTmpSize");
  working.reserved = reservedMemory(name).reserved;
  work.issue(name, working,
             {{dst, bytes, writes, "dst"},
              {src, bytes, reads, "src"},
              {mask, longer ? reachOf(rows) : Reach(elements * s.maskBytes), reads, "mask"},
              {mask, longer && s.reusesMask ? rows.rows * rows.bytes : 0, writes, "mask"}},
             [&] {
               std::vector<uint8_t> kept;
               const uint8_t* bits = mask.address;
               if (longer) {
                 markLost(Register::Kept);  // the mask is shortened by GatherMask
                 kept = shortened(mask.address, rows);
                 if (s.reusesMask) std::memcpy(mask.address, kept.data(), kept.size());
                 bits = kept.data();
               }
               const T* in = reinterpret_cast<const T*>(src.address);
               T* out = reinterpret_cast<T*>(dst.address);
               for (uint32_t i = 0; i < elements; ++i)
                 out[i] = isSet(bits, i, s.maskBytes) == s.tensorWhereSet ? in[i] : value;
             });
}

template <typename T>
void dropOut(Operand dst, Operand src, Operand mask, const Temporary& temporary, const Dropping& d) {
  const char* name = "DropOut";
  requireExtents(name, {d.rows, std::max({d.columns, d.maskColumns, 1u}), sizeof(T)});
  if (!(d.keepProbability > 0 && d.keepProbability <= 1))
    reportAsserted(name, text("keepProb is %g", static_cast<double>(d.keepProbability)),
                   "a probability lies between 0 and 1");
  const bool byBits = d.mode >= 3, longer = d.mode == 1 || d.mode == 4;
  const uint32_t elements = clampedBytes(uint64_t(d.rows) * d.columns),
                 bytes = clampedBytes(uint64_t(elements) * sizeof(T));
  const MaskRows rows{d.rows, byBits ? d.columns / 8 : d.columns, d.maskColumns};
  if (longer) checkMask(name, rows);
  if (longer && byBits && d.columns % 8 != 0)
    trap({Check::ParameterRange, name, text("rows have %u elements", d.columns),
          "rows of a mask of bits that is longer than they are have multiples of 8 elements"});
  if (byBits && !d.keepsRegister && core->maskCounter)
    trap({Check::ParameterRange, name, "the mask counts elements here: the library would have more than UB cleared",
          "call SetMaskNorm first"});
  Work work;
  if (longer) work.keeping(d.rows * uint64_t(sizes::roundUp(rows.bytes, repeatBytes)));
  if (byBits) {
    if (!d.keepsRegister) addValue(work);
    work.step(bytes, selectCycles).step(bytes);
  } else {
    constexpr uint32_t bytesOfElement = sizeof(T) == 4 ? 2 + 4 : 2;
    inRounds(elements, temporary.bytes / bytesOfElement, [&](uint64_t n) {
      work.step(n * 2);
      if (sizeof(T) == 4) work.step(n * 4);
      work.step(n * sizeof(T)).step(n * sizeof(T));
    });
  }
  work.allows("dst", "src", Lies::InPlace);
  const Reach maskSpan = longer ? reachOf(rows) : Reach(byBits ? ceilDivide(elements, 8) : elements);
  const sizes::Range range = sizes::dropOut(elements);
  WorkingMemory working = workingMemory(name, temporary, range.least, range.most, "GetDropOutMaxMinTmpSize");
  if (byBits && d.keepsRegister) {
    requireSet(Register::Comparison, name);
    work.takeComparison();
  } else if (byBits) {
    markSet(Register::Comparison);
  }
  if (byBits) working.reserved = reservedMemory(name).reserved;
  work.issue(name, working,
             {{dst, bytes, writes, "dst"},
              {src, bytes, reads, "src"},
              {mask, maskSpan, reads, "mask"},
              {mask, longer ? rows.rows * rows.bytes : 0, writes, "mask"}},
             [&] {
               if (longer) {
                 markLost(Register::Kept);
                 const std::vector<uint8_t> kept = shortened(mask.address, rows);
                 std::memcpy(mask.address, kept.data(), kept.size());
               }
               // What is dropped comes from the register of the comparison mask.
               if (byBits && !d.keepsRegister) std::memset(core->compareMask, 0, sizeof core->compareMask);
               T dropped;
               std::memcpy(&dropped, core->compareMask, sizeof dropped);
               const float factor = static_cast<float>(static_cast<T>(1.0f / d.keepProbability));
               const T* in = reinterpret_cast<const T*>(src.address);
               T* out = reinterpret_cast<T*>(dst.address);
               for (uint32_t i = 0; i < elements; ++i) {
                 const float value = static_cast<float>(in[i]);
                 float taken;
                 if (byBits) taken = mask.address[i / 8] >> (i % 8) & 1 ? value : static_cast<float>(dropped);
                 else taken = static_cast<float>(static_cast<T>(static_cast<float>(mask.address[i]) * value));
                 out[i] = static_cast<T>(taken * factor);
               }
             });
}

namespace {

template <typename... T>
constexpr auto selections(Types<T...>) {
  return std::make_tuple(&selectByBytes<T>..., &dropOut<T>...);
}
constexpr auto instantiated = asTuple(selections(isa::Floating{}));
const OffersOf<instantiated> offered;

}  // namespace
}  // namespace npu_emu::vec
