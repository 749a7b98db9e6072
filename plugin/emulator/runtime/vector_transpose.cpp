// Transpositions of 16 x 16 elements and what the library builds from them. Only bytes are moved.
#include <cstring>

#include "library_rearrange_work.h"
#include "repeat_order.h"
#include "walk.h"

namespace npu_emu {

namespace {

constexpr uint32_t rows = 16, squareBytes = rows * rows * 2;
constexpr const char* transposeName = "TransDataTo5HD";

Operand operandAt(uint64_t address) { return {reinterpret_cast<uint8_t*>(address), 0, TPosition::VECCALC}; }

// Source and destination blocks of one repeat as a matrix of elements: dst element (i, j) is src element (j, i).
template <typename T>
void transposeRepeat(uint8_t* const* dst, const uint8_t* const* src, bool dstHigh, bool srcHigh) {
  constexpr uint32_t columns = sizeof(T) == 4 ? 8 : 16;
  T image[columns][rows];
  for (uint32_t row = 0; row < rows; ++row) {
    const T* in = reinterpret_cast<const T*>(src[row]) + (sizeof(T) == 1 && srcHigh ? 16 : 0);
    for (uint32_t column = 0; column < columns; ++column) image[column][row] = in[column];
  }
  if constexpr (sizeof(T) == 4) {
    // A column of sixteen words fills two blocks.
    for (uint32_t block = 0; block < rows; ++block)
      std::memcpy(dst[block], &image[block / 2][block % 2 * 8], blockBytes);
  } else {
    uint32_t half = sizeof(T) == 1 && dstHigh ? 16 : 0;
    for (uint32_t block = 0; block < rows; ++block) std::memcpy(dst[block] + half, image[block], rows * sizeof(T));
  }
}

constexpr uint32_t packingCycles = 12;  // of four addresses: shifts, masks and what puts them together

// One side of a transposition: sixteen blocks, each of which goes on from repeat to repeat.
struct Side {
  uint64_t starts[rows];
  Reach bytes;        // that the repeats of a block span
  size_t step;        // from one repeat to the next
  uint32_t runBytes;  // that a repeat touches of a block

  Side() = default;
  // Bytes take only a half of each block.
  Side(const uint64_t* addresses, uint32_t repeats, uint32_t stride, bool isHalf, bool isHigh)
      : bytes(Reach::strided(isHalf ? blockBytes / 2 : blockBytes, repeats, uint64_t(stride) * blockBytes)),
        step(size_t(stride) * blockBytes),
        runBytes(isHalf ? blockBytes / 2 : blockBytes) {
    bytes.bytes = (repeats - 1) * stride * blockBytes + blockBytes;
    bytes.begin = isHalf && isHigh ? blockBytes / 2 : 0;
    const uint32_t skipped = repeats == 1 ? stride * blockBytes : 0;  // a single repeat starts one stride on
    for (uint32_t i = 0; i < rows; ++i) starts[i] = addresses[i] + skipped;
  }
  uint8_t* at(uint32_t block, uint32_t repeat) const { return operandAt(starts[block]).address + repeat * step; }
  uint64_t lowest() const { return *std::min_element(starts, starts + rows) + bytes.begin; }
  uint64_t end() const { return *std::max_element(starts, starts + rows) + bytes.bytes; }
  // What each repeat touches, in the order of addresses: in which one it names its blocks makes no difference.
  Footprint footprint() const {
    uint64_t sorted[rows];
    std::copy(starts, starts + rows, sorted);
    std::sort(sorted, sorted + rows);
    std::vector<Footprint::Run> runs;
    for (uint64_t start : sorted) runs.push_back({static_cast<uint32_t>(start - sorted[0]) + bytes.begin, runBytes});
    return {operandAt(sorted[0]).address, step, std::move(runs)};
  }

  // Each of the blocks; the compiler sees the smallest range that holds them all.
  void addTo(Touches& touches, bool write) const {
    const char* role = write ? "a tensor of dstList" : "a tensor of srcList";
    for (uint64_t start : starts) touches.add(unseenByCompiler({operandAt(start), bytes, write, role}));
    const auto [low, high] = std::minmax_element(starts, starts + rows);
    touches.add(onlyForCompiler({operandAt(*low), static_cast<uint32_t>(*high - *low + bytes), write, role}));
  }
};

void checkRange(const char* what, uint32_t value, uint32_t limit) {
  if (value > limit)
    trap({Check::ParameterRange, "Transpose", text("%s is %u, more than %u", what, value, limit),
          "transpose the image in parts"});
}

// dst[j][i] = src[i][j] for elements of any size.
template <typename T>
void transposeMatrix(uint8_t* dst, const uint8_t* src, uint32_t height, uint32_t width) {
  for (uint32_t i = 0; i < height; ++i)
    for (uint32_t j = 0; j < width; ++j)
      reinterpret_cast<T*>(dst)[size_t(j) * height + i] = reinterpret_cast<const T*>(src)[size_t(i) * width + j];
}

// The sixteen addresses of each side may lie in memory: `lists`, which are read first, and of which the library packs the first four
// words into addresses of its own.
constexpr uint32_t packedBytes = 4 * sizeof(uint64_t);
void losePacked(const Extent& list) {
  if (list.bytes != 0) std::memset(list.operand.address, 0xff, packedBytes);
}

void transpose(const Extent (&lists)[2], const uint64_t* dst, const uint64_t* src, const vec::Transposition& how,
               uint32_t elementBytes) {
  if (how.repeats == 0) return inspect(transposeName, lists);
  Side to, from;
  issue(
      {transposeName, Pipe::V, std::max<uint32_t>(3, transposeCycles * how.repeats), transposeTail},
      [&](Touches& touches) {
        for (const Extent& list : lists) touches.add(list);
        for (const Extent& list : lists)
          if (list.bytes != 0) touches.add(unseenByCompiler({list.operand, packedBytes, writes, list.role}));
        to = Side(dst, how.repeats, how.dstStride, elementBytes == 1, how.dstHighHalf);
        from = Side(src, how.repeats, how.srcStride, elementBytes == 1, how.srcHighHalf);
        to.addTo(touches, writes);
        from.addTo(touches, reads);
      },
      [&] {
        auto rule = elementBytes == 1   ? transposeRepeat<uint8_t>
                    : elementBytes == 2 ? transposeRepeat<uint16_t>
                                        : transposeRepeat<uint32_t>;
        RepeatOrder order;
        if (to.lowest() < from.end() && from.lowest() < to.end())
          order = RepeatOrder(transposeName, how.repeats, to.footprint(), {from.footprint()});
        for (uint32_t repeat = 0; repeat < how.repeats; ++repeat) {
          uint8_t* out[rows];
          const uint8_t* in[rows];
          for (uint32_t i = 0; i < rows; ++i) {
            out[i] = to.at(i, repeat);
            in[i] = order.source(from.at(i, repeat));
          }
          order.begin(repeat);
          rule(out, in, how.dstHighHalf, how.srcHighHalf);
          order.end(repeat);
        }
        for (const Extent& list : lists) losePacked(list);
      });
}

}  // namespace

namespace vec {

namespace {

// A transposition that is given its addresses puts them into the first four registers.
void loadAddresses(const uint64_t* dst, const uint64_t* src) {
  for (uint32_t i = 0; i < rows; ++i) {
    core->registers.addresses[i / 8][i % 8] = dst[i];
    core->registers.addresses[2 + i / 8][i % 8] = src[i];
  }
  for (uint32_t i = 0; i < 4; ++i) markSet(addressRegister(i));
}

}  // namespace

void transposeBlocks(const BlockAddresses& dst, const BlockAddresses& src, const Transposition& how,
                     uint32_t elementBytes) {
  loadAddresses(dst, src);
  scalarCycles(addressListsCycles);
  transpose({unseenByCompiler({}), unseenByCompiler({})}, dst, src, how, elementBytes);
}

void transposeBlocks(Operand dst, Operand src, const Transposition& how, uint32_t elementBytes) {
  constexpr uint32_t listBytes = rows * sizeof(uint64_t);
  // the scalar unit reads all addresses, and writes them down packed
  scalarCycles(2 * rows * localReadCycles + 2 * (packedBytes / sizeof(uint64_t)) * (localWriteCycles + packingCycles));
  orderByFlag(transposeName, AscendC::HardEvent::S_V);
  scalarCycles(4);  // the address registers
  transpose({unseenByCompiler({dst, listBytes, reads, "dst"}), unseenByCompiler({src, listBytes, reads, "src"})},
            reinterpret_cast<const uint64_t*>(dst.address), reinterpret_cast<const uint64_t*>(src.address), how,
            elementBytes);
  loseAddresses();
}

void setAddressRegister(uint32_t index, const uint64_t (&addresses)[8]) {
  for (size_t i = 0; i < 8; ++i) core->registers.addresses[index % 8][i] = addresses[i];
  markSet(addressRegister(index));
  scalarCycles(addressRegisterCycles);
}

// An operand of sixteen addresses is a pair of registers.
void transposeRegisters(uint32_t dst, uint32_t src, const Transposition& how, uint32_t elementBytes) {
  for (uint32_t index : {dst, dst + 1, src, src + 1}) requireSet(addressRegister(index), transposeName);
  uint64_t to[rows], from[rows];
  for (uint32_t i = 0; i < rows; ++i) {
    to[i] = core->registers.addresses[(dst + i / 8) % 8][i % 8];
    from[i] = core->registers.addresses[(src + i / 8) % 8][i % 8];
  }
  transpose({unseenByCompiler({}), unseenByCompiler({})}, to, from, how, elementBytes);
}

void transposeSquare(Operand dst, Operand src) {
  issue({"Transpose", Pipe::V, 3, transposeTail}, {{dst, squareBytes, writes, "dst"}, {src, squareBytes, reads, "src"}},
        [&] {
          uint8_t image[squareBytes];
          std::memcpy(image, src.address, squareBytes);
          transposeMatrix<uint16_t>(dst.address, image, rows, rows);
        });
}

void transposeImage(Operand dst, Operand src, Operand work, uint32_t workBytes, uint32_t n, uint32_t c, uint32_t image,
                    bool channelsLast, uint32_t elementBytes) {
  if (n == 0 || c == 0 || image == 0) return;
  requireSize("Transpose", elementBytes, {1, 2, 4});
  checkRange("cSize", c, 4095);
  checkRange("hSize * wSize", image, 4095);
  if (image * elementBytes % blockBytes != 0) {
    trap({Check::ParameterRange, "Transpose", text("hSize * wSize of %u elements is no multiple of 32 bytes", image),
          "pad the image to whole blocks"});
  }
  uint32_t square = (elementBytes == 1 ? 32 : 16) * blockBytes;
  uint32_t needed = c == 1 ? 0 : (channelsLast ? c * 2 + 1 : c + 2) * square;
  if (workBytes < needed)
    reportAsserted("Transpose", text("sharedTmpBuffer has %u bytes, %u are needed", workBytes, needed),
                   "see the formula of sharedTmpBuffer of Transpose");
  uint32_t planes = c * image * elementBytes;
  const Reach all = Reach::dense(n, planes);
  const Work taken =
      c == 1 ? Work().move(all.bytes) : rearrange_work::ofImages(n, c, image, channelsLast, elementBytes);
  const Extent extents[] = {
      {dst, all, writes, "dst"}, {src, all, reads, "src"}, {work, needed, writes, Overlaps::working}};
  WorkingMemory working;
  working.extent = extents[2];
  Overlaps overlaps;
  if (c == 1) overlaps.bear("dst", "src", Lies::InPlace);  // a copy
  Losses losses;
  issue(
      {"Transpose", Pipe::V, taken.occupancy(), taken.tail()},
      [&](Touches& touches) {
        for (const Extent& extent : extents) touches.add(extent);
        losses = overlaps.find("Transpose", working, extents, 2);
      },
      [&] {
        working.leaveGarbage();
        losses.before.leaveGarbage();
        if (c != 1) loseAddresses();
        auto rule = elementBytes == 1   ? transposeMatrix<uint8_t>
                    : elementBytes == 2 ? transposeMatrix<uint16_t>
                                        : transposeMatrix<uint32_t>;
        uint32_t height = channelsLast ? image : c, width = channelsLast ? c : image;
        for (uint32_t i = 0; i < n; ++i)
          rule(dst.address + size_t(i) * planes, src.address + size_t(i) * planes, height, width);
        losses.after.leaveGarbage();
      });
}

}  // namespace vec
}  // namespace npu_emu
