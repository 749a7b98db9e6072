// Padding, layouts and TopK. Elements are moved as bytes.
#include "ascendc/library_rearrange.h"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <vector>

#include "library_rearrange_work.h"
#include "numerics.h"
#include "api_calls.h"
#include "legal_library.h"

namespace npu_emu::vec {

namespace {

void moveElement(Operand dst, size_t to, Operand src, size_t from, uint32_t bytes) {
  std::memcpy(dst.address + to * bytes, src.address + from * bytes, bytes);
}

// What Pad leaves in the mask that it gives its last instruction: the lanes of the last block of each row that are filled, or those of a
// block, unless single elements are spread to blocks behind that.
void leaveMaskOfPadding(const Margins& m, const AscendC::tiling::PadTiling& t, uint32_t perBlock, bool aligned) {
  if (aligned) return leaveLowBits(((uint64_t(1) << m.right) - 1) << (perBlock - (t.srcWidth - t.srcOriWidth)));
  const uint64_t room = uint64_t(t.tmpBuffer1BlockNum) * sizes::cubeSide, width = t.srcWidth,
                 elements = t.srcHeight * width, lastSpread = (elements - 1) / room * room;
  uint64_t inLastRow = 0;
  if (m.right != 0 && t.widthFractal != 0) inLastRow = std::min(width, t.widthFractal * room - m.left);
  if (lastSpread < elements - width + inLastRow) leaveLanes(perBlock);
}

// Whether the device finds in a tiling what it reads there, by the way it goes.
bool isTilingOf(const AscendC::tiling::PadTiling& t, bool aligned, uint32_t bytes) {
  using Tiling = AscendC::tiling::PadTiling;
  constexpr uint32_t Tiling::*ofManyRows[] = {&Tiling::heightTiling, &Tiling::mainLoopOffset};
  constexpr uint32_t Tiling::*ofAligned[] = {&Tiling::widthWithoutLastBlock, &Tiling::blocksPerRow,
                                             &Tiling::heightFractal, &Tiling::heightFractalTail,
                                             &Tiling::tailBlockOffset};
  constexpr uint32_t Tiling::*ofOthers[] = {&Tiling::tmpBuffer1BlockNum,
                                            &Tiling::tmpBuffer2Offset,
                                            &Tiling::tmpBuffer1RowNum,
                                            &Tiling::widthFractal,
                                            &Tiling::widthFractalTailAlingned,
                                            &Tiling::brcbTiling,
                                            &Tiling::brcbFractal,
                                            &Tiling::brcbFractalTail,
                                            &Tiling::maxRepeatTimes,
                                            &Tiling::brcbTilingRepeatTimes,
                                            &Tiling::brcbTilingRepeatTimesTail,
                                            &Tiling::brcbFractalTailRepeatTimes,
                                            &Tiling::brcbFractalTailRepeatTimesTail};
  const Tiling wanted =
      sizes::tilePad(t.srcHeight, t.srcWidth, t.srcOriWidth, t.tmpBuffer1BlockNum * sizes::pad(1, 1).least, bytes);
  const auto agrees = [&](uint32_t Tiling::*field) { return t.*field == wanted.*field; };
  const auto agree = [&](const auto& fields) { return std::all_of(std::begin(fields), std::end(fields), agrees); };
  if (!aligned) return agree(ofOthers);
  return agree(ofAligned) && (wanted.heightFractal == 0 || agree(ofManyRows));
}

}  // namespace

void pad(Operand dst, Operand src, const Temporary& temporary, const Margins& m, const AscendC::tiling::PadTiling& t,
         uint32_t bytes) {
  const char* name = "Pad";
  requireSize(name, bytes, {1, 2, 4, 8});
  if (m.left > UINT16_MAX || m.right > UINT16_MAX)
    trap({Check::ParameterRange, name, text("rows are padded by %u left and %u right", m.left, m.right), ""});
  const uint32_t height = t.srcHeight, width = t.srcWidth, perBlock = blockBytes / bytes;
  if (height == 0 || width == 0)
    trap({Check::ParameterRange, name, "the tiling is empty", "fill it by PadTilingFunc on the host"});
  requireExtents(name, {height, width, bytes});
  const bool aligned = width % perBlock == 0;
  const uint32_t row = aligned ? width : width + m.left + m.right;
  if (aligned &&
      (m.left != 0 || t.srcOriWidth > width || t.srcOriWidth + m.right > width || width - t.srcOriWidth > perBlock)) {
    trap({Check::ParameterRange, name,
          text("rows of %u elements, of which %u are data, are padded by %u left and %u right", width, t.srcOriWidth,
               m.left, m.right),
          "rows of whole blocks are padded on the right, inside of their last block"});
  }
  if (!aligned && row != sizes::roundUp(width, perBlock)) {
    trap({Check::ParameterRange, name, text("rows of %u elements are padded to %u", width, row),
          "pad to the next multiple of 32 bytes"});
  }
  if (!aligned && t.tmpBuffer1BlockNum == 0)
    trap({Check::ParameterRange, name, "the tiling was made without temporary memory",
          "give PadTilingFunc the size that GetPadMaxMinTmpSize tells"});
  if (!isTilingOf(t, aligned, bytes))
    trap({Check::ParameterRange, name, "the tiling was made for another shape, type or memory",
          "fill it by PadTilingFunc on the host"});
  const uint32_t srcBytes = clampedBytes(uint64_t(height) * width * bytes),
                 dstBytes = clampedBytes(uint64_t(height) * row * bytes);
  const uint32_t needed = aligned ? 0 : t.tmpBuffer1BlockNum * sizes::pad(1, 1).least;
  if (core->maskCounter && (!aligned || m.right != 0))
    trap({Check::ParameterRange, name, "the mask counts elements here: what is filled would not end with a row",
          "call SetMaskNorm first"});
  const WorkingMemory working = workingMemory(name, temporary, needed, "GetPadMaxMinTmpSize");
  Work work;
  if (aligned) work.move(srcBytes).step(uint64_t(height) * repeatBytes);
  else work = rearrange_work::ofPadding(height, width, m.left, m.right, t.tmpBuffer1BlockNum);
  // a copy, or blocks of single elements that are all made before the first row is written
  if (aligned) work.bears("dst", "src", Lies::Behind);
  else if (t.brcbFractal == 0) work.bears("dst", "src", Lies::Anywhere);
  work.issue(name, working, {{dst, dstBytes, writes, "dst"}, {src, srcBytes, reads, "src"}}, [&] {
    const std::vector<uint8_t> in(src.address, src.address + srcBytes);
    const uint32_t left = aligned ? 0 : m.left, data = aligned ? t.srcOriWidth : width;
    for (uint32_t i = 0; i < height; ++i) {
      uint8_t* out = dst.address + size_t(i) * row * bytes;
      for (uint32_t j = 0; j < left; ++j) std::memcpy(out + j * bytes, &m.value, bytes);
      std::memcpy(out + left * bytes, in.data() + size_t(i) * width * bytes, width * bytes);
      for (uint32_t j = 0; j < m.right; ++j) std::memcpy(out + (left + data + j) * bytes, &m.value, bytes);
    }
    leaveMaskOfPadding(m, t, perBlock, aligned);
  });
}

void unpad(Operand dst, Operand src, uint32_t right, const AscendC::tiling::UnPadTiling& t, uint32_t bytes) {
  const char* name = "UnPad";
  requireSize(name, bytes, {1, 2, 4, 8});
  const uint32_t height = t.srcHeight, width = t.srcWidth;
  if (height == 0 || width == 0)
    trap({Check::ParameterRange, name, "the tiling is empty", "fill it by UnPadTilingFunc on the host"});
  requireExtents(name, {height, width, bytes});
  if (width * bytes % blockBytes != 0 || right * bytes >= blockBytes) {
    trap({Check::ParameterRange, name, text("%u columns are taken from rows of %u elements", right, width),
          "rows are multiples of 32 bytes, and lose less than 32 bytes"});
  }
  const uint32_t row = (width - right) * bytes;
  const Work work = Work()
                        .keeping(uint64_t(height) * sizes::roundUp(width * bytes, repeatBytes))
                        .bears("dst", "src", Lies::Behind);  // it is a GatherMask
  work.issue(name,
             {{dst, clampedBytes(uint64_t(height) * row), writes, "dst"},
              {src, clampedBytes(uint64_t(height) * width * bytes), reads, "src"}},
             [&] {
               markLost(Register::Kept);
               for (uint32_t i = 0; i < height; ++i)
                 std::memmove(dst.address + size_t(i) * row, src.address + size_t(i) * width * bytes, row);
             });
}

namespace {

// Where an element is in a layout of squares of 16: [batch, width / 16, S / 16, 16, 16].
struct Squares {
  uint32_t width, height;  // rounded up to 16
  size_t at(size_t batch, uint32_t row, uint32_t column) const {
    return batch * width * height + size_t(column / 16) * height * 16 + row * 16 + column % 16;
  }
};

struct Layouts {
  uint32_t batch, n, s, part;
};

Layouts layoutsOf(uint32_t scene, const AscendC::tiling::ConfusionTransposeTiling& t) {
  if (scene <= 2) return {t.param1, t.param2, t.param4, t.param3};
  if (scene == 7) return {1, 1, t.param1, t.param2};
  return {t.param1, t.param2, scene == 3 ? t.param9 : t.param6 * 16, t.param3};
}

// Element (b, n, s, h) of [B, N, S, H / N], before and after.
struct Places {
  size_t from, to;
};
Places placesOf(uint32_t scene, const Layouts& l, uint32_t b, uint32_t n, uint32_t s, uint32_t h) {
  const uint32_t part = sizes::roundUp(l.part, 16), whole = sizes::roundUp(l.n * l.part, 16), column = n * l.part + h;
  const Squares split{part, l.s}, merged{whole, l.s};
  const size_t head = size_t(b) * l.n + n;
  switch (scene) {
    case 1: return {split.at(head, s, h), (size_t(b) * l.s + s) * l.n * part + size_t(n) * part + h};
    case 2:
      return {split.at(head, s, h), (size_t(b) * l.s + s) * l.n * part + size_t(h / 16) * l.n * 16 + n * 16 + h % 16};
    case 3: return {merged.at(b, s, column), split.at(head, s, h)};
    case 4: return {merged.at(b, s, column), (head * l.s + s) * part + h};
    case 5: return {split.at(head, s, h), (size_t(b) * l.s + s) * whole + column};
    case 6: return {split.at(head, s, h), merged.at(b, s, column)};
    default: return {size_t(s) * l.part + h, size_t(h) * l.s + s};
  }
}

Work workOfLayouts(uint32_t scene, const AscendC::tiling::ConfusionTransposeTiling& t, const Layouts& l,
                   uint32_t bytes) {
  const uint32_t rowsOfSquares = ceilDivide(l.s, sizes::cubeSide);
  if (scene == 7)
    return Work().listedTransposition(l.part / (blockBytes / bytes), rowsOfSquares, rearrange_work::cyclesOfAddress);
  if (scene >= 3) return rearrange_work::ofRegrouping(l.batch * rowsOfSquares, l.n, l.part, bytes, scene <= 4);
  const uint32_t room = std::max(1u, t.param6 / sizes::cubeElements);
  return rearrange_work::ofExchange(l.batch * l.n * ceilDivide(l.part, sizes::cubeSide), rowsOfSquares, room, bytes);
}

}  // namespace

void transposeLayout(Operand dst, Operand src, const Temporary& temporary, uint32_t scene,
                     const AscendC::tiling::ConfusionTransposeTiling& t, uint32_t bytes) {
  const char* name = "Transpose";
  if (scene < 1 || scene > 7)
    trap({Check::ParameterRange, name, text("there is no transposition %u between layouts on this device", scene),
          "use TRANSPOSE_NZ2ND_0213 to TRANSPOSE_ND2ND_ONLY"});
  requireSize(name, bytes, {1, 2, 4});
  const Layouts l = layoutsOf(scene, t);
  if (l.batch == 0 || l.n == 0 || l.s == 0 || l.part == 0 || t.param0 != blockBytes / bytes) {
    trap({Check::ParameterRange, name, "the tiling is empty, or was made for another element size",
          "fill it by GetTransposeTilingInfo on the host"});
  }
  if (scene == 7 && (l.s % 16 != 0 || l.part % 16 != 0))
    trap({Check::ParameterRange, name, text("the matrix is %u x %u", l.s, l.part),
          "height and width are multiples of 16"});
  // the last axis is padded to 16 elements
  requireExtents(name, {l.batch, l.n, l.s, uint64_t(l.part) + 15, bytes});
  const sizes::Transposed shape = scene == 7 ? sizes::Transposed{scene, {l.s, l.part, 1, 1}, bytes}
                                             : sizes::Transposed{scene, {l.batch, l.n, l.s, l.part}, bytes};
  const auto wanted = sizes::tileTranspose(shape, scene <= 2 ? t.param6 * bytes : 0);
  if (std::memcmp(&wanted, &t, sizeof wanted) != 0 || (scene <= 2 && t.param6 == 0))
    trap({Check::ParameterRange, name, "the tiling was made for another shape, type, scene or memory",
          "fill it by GetTransposeTilingInfo on the host"});
  // Scenes that neither split nor merge the last axis move its padding as well.
  const uint32_t part = scene <= 2 ? sizes::roundUp(l.part, 16) : l.part;
  const uint64_t split = uint64_t(l.batch) * l.n * l.s * sizes::roundUp(l.part, 16),
                 merged = uint64_t(l.batch) * l.s * sizes::roundUp(l.n * l.part, 16);
  const uint64_t square = uint64_t(l.s) * l.part,
                 read = scene == 7                 ? square
                        : scene == 3 || scene == 4 ? merged
                                                   : split,
                 written = scene == 7   ? square
                           : scene <= 4 ? split
                                        : merged;
  Work work = workOfLayouts(scene, t, l, bytes);
  work.keepMask();
  // Square by square: one may be where it was. Without temporary memory a square is one repeat, of 32 bytes in width.
  const uint64_t squares = scene == 7 ? uint64_t(l.s / 16) * (l.part * bytes / blockBytes)
                                      : uint64_t(l.n) * ceilDivide(l.part, 16) * ceilDivide(l.s, 16);
  const bool staysInPlace = l.n == 1 && (scene == 2 || scene == 3 || scene == 6);
  if (squares == 1 || staysInPlace) work.bears("dst", "src", Lies::InPlace);
  uint32_t needed = sizes::transpose({scene, {l.batch, l.n, l.s, l.part}, bytes}).least;
  if (scene <= 2) needed = std::max(needed, std::min(t.param6, t.param8) * bytes);
  const WorkingMemory working = workingMemory(name, temporary, needed, "GetTransposeMaxMinTmpSize");
  work.issue(name, working,
             {{dst, clampedBytes(written * bytes), writes, "dst"}, {src, clampedBytes(read * bytes), reads, "src"}},
             [&] {
               loseAddresses();
               const std::vector<uint8_t> copy(src.address, src.address + read * bytes);
               const Operand in{const_cast<uint8_t*>(copy.data()), 0, src.position};
               for (uint32_t b = 0; b < l.batch; ++b) {
                 for (uint32_t n = 0; n < l.n; ++n) {
                   for (uint32_t s = 0; s < l.s; ++s) {
                     for (uint32_t h = 0; h < part; ++h) {
                       const Places places = placesOf(scene, l, b, n, s, h);
                       moveElement(dst, places.to, in, places.from, bytes);
                     }
                   }
                 }
               }
             });
}

namespace {

bool isTilingOf(const sizes::TopK& shape, const AscendC::tiling::TopkTiling& tiling) {
  const AscendC::tiling::TopkTiling wanted = sizes::tileTopK(shape);
  return std::memcmp(&wanted, &tiling, sizeof wanted) == 0;
}

// Whole numbers in the order of a ranking. NaN comes first either way, because the sign is turned for the smallest;
// zeros are alike.
uint32_t rankOf(float value, bool largest) {
  const auto bits = bitCast<uint32_t>(value + 0.0f);
  const uint32_t rising = (bits >> 31) != 0 ? ~bits : bits | 0x80000000u;
  return value != value ? 0 : largest ? ~rising : rising;
}

// Indices that are not given: a block by the scalar unit, and the others by adding to what is there.
void addProgression(Work& work, uint32_t count) {
  constexpr uint32_t lanes = blockBytes / sizeof(int32_t), indicesOfRepeat = repeatBytes / sizeof(int32_t);
  const uint32_t blocks = std::min(count / lanes, blocksPerRepeat), repeats = ceilDivide(count, indicesOfRepeat);
  work.awaitScalars(lanes * localWriteCycles).step(repeatBytes, 1, blocks - 1 + repeats - 1);
}

// Sorted rows of 32 are merged four at a time, and copied block by block, while there are as many of one length; then two at a time,
// of which no more than `k` count.
Work workOfRanking(const sizes::TopK& shape, bool hasFinished) {
  constexpr uint32_t lists = 4, row = 32, pairBytes = 8;
  const uint32_t inner = shape.inner, times = shape.outer, k = shape.k;
  const uint64_t copied = uint64_t(inner) * pairBytes / blockBytes * repeatBytes;
  Work work;
  if (!shape.hasIndices) addProgression(work, inner);
  if (shape.small) {
    // all rows at once, of which masks that the scalar unit writes down keep what counts
    const uint32_t masks = shape.typeBytes == 2 ? 10 : 4;
    const uint64_t rows = uint64_t(times) * repeatBytes;
    if (!shape.hasIndices && times > 1) work.step(rows - repeatBytes);
    if (!shape.largest) work.step(uint64_t(times) * row * shape.typeBytes);
    work.sorting(uint64_t(times) * row).waitForScalars().awaitScalars(masks * localWriteCycles);
    work.keeping(rows, 2);
    if (!shape.largest) work.step(uint64_t(times) * k * shape.typeBytes);
    return work;
  }
  if (!shape.largest) work.step(uint64_t(inner) * shape.typeBytes, 1, times);
  work.sorting(inner, times).move(copied, times);
  uint32_t sorted = row;
  for (; sorted * lists <= inner; sorted *= lists) work.sorting(inner, times).move(copied, times);
  uint32_t merged = 0;
  for (uint32_t left = inner, length = sorted; left != 0 && sorted < inner; length /= lists) {
    for (; left >= length; left -= length, merged += length)
      if (merged != 0) work.sorting(std::min(merged, k) + std::min(length, k), times);
  }
  work.keeping(uint64_t(k) * pairBytes, 2 * times);
  // of rows that are finished the indices are filled
  if (hasFinished) work.byScalars(times, uint64_t(k) * sizeof(int32_t));
  if (!shape.largest) work.step(uint64_t(times) * k * shape.typeBytes);
  return work;
}

}  // namespace

template <typename T>
void rank(Operand values, Operand indices, Operand src, Operand srcIndices, Operand finished,
          const Temporary& temporary, const Ranking& r, const AscendC::tiling::TopkTiling& t) {
  const char* name = "TopK";
  const bool sane =
      r.k >= 1 && r.k <= r.length && r.length <= r.inner && r.inner % 32 == 0 && r.inner <= 4096 && r.outer >= 1;
  if (!sane || (r.small && r.inner != 32)) {
    trap({Check::ParameterRange, name, text("k is %d, n %d, inner %d and outter %d", r.k, r.length, r.inner, r.outer),
          "1 <= k <= n <= inner; inner is a multiple of 32 up to 4096, and 32 in the mode TOPK_NSMALL"});
  }
  requireExtents(name, {static_cast<uint32_t>(r.inner), static_cast<uint32_t>(r.outer), sizeof(uint64_t)});
  const auto k = static_cast<uint32_t>(r.k), inner = static_cast<uint32_t>(r.inner),
             outer = static_cast<uint32_t>(r.outer), bytes = static_cast<uint32_t>(sizeof(T));
  const sizes::TopK shape{inner, outer, k, bytes, r.hasIndices, r.small, r.largest};
  sizes::TopK smallest = shape;
  smallest.largest = false;  // the tiling of the smallest has room for the largest as well
  if (!isTilingOf(shape, t) && !isTilingOf(smallest, t)) {
    trap({Check::ParameterRange, name, "the tiling was made for another shape, k, type or mode",
          "call TopKTilingFunc on the host with what the kernel uses"});
  }
  const uint32_t valueRow = r.small ? k : sizes::roundUp(k, blockBytes / bytes),
                 indexRow = r.small ? k : sizes::roundUp(k, 8);
  const uint32_t indexRows = r.small ? outer : 1;
  const Operand none = src;
  Work work = workOfRanking(shape, r.hasFinished);
  const WorkingMemory working = workingMemory(name, temporary, sizes::topK(shape), "GetTopKMaxMinTmpSize");
  // A row is sorted in the temporary memory, and so are all rows at once where they are short.
  constexpr uint32_t indicesOfRepeat = repeatBytes / sizeof(int32_t);
  if (core->maskCounter && !r.hasIndices && inner > indicesOfRepeat)
    trap({Check::ParameterRange, name, "the mask counts elements here: the indices would be more than UB has",
          "call SetMaskNorm first"});
  const bool isAtOnce = outer == 1 || r.small;
  work.bears("dstValue", "src", isAtOnce ? Lies::Anywhere : Lies::Behind);
  if (isAtOnce) {
    for (const char* written : {"dstValue", "dstIndex"})
      for (const char* read : {"srcIndex", "finish"}) work.bears(written, read, Lies::Anywhere);
    work.bears("dstIndex", "src", Lies::Anywhere);
  }
  work.issue(
      name, working,
      {{values, clampedBytes((uint64_t(outer - 1) * valueRow + k) * bytes), writes, "dstValue"},
       {indices, clampedBytes((uint64_t(outer - 1) * indexRow + k) * 4), writes, "dstIndex"},
       {src, clampedBytes(uint64_t(inner) * outer * bytes), reads, "src"},
       {r.hasIndices ? srcIndices : none, r.hasIndices ? clampedBytes(uint64_t(inner) * indexRows * 4) : 0, reads,
        "srcIndex"},
       {r.hasFinished ? finished : none, r.hasFinished ? outer : 0, reads, "finish"}},
      [&] {
        // it merges sorted lists, and takes values and indices apart by GatherMask
        markLost(Register::Kept);
        markLost(Register::Merged);
        std::vector<uint64_t> order(inner);
        const auto copyOf = [](const Operand& operand, size_t n, auto element) {
          const auto* first = reinterpret_cast<const decltype(element)*>(operand.address);
          return std::vector<decltype(element)>(first, first + n);
        };
        const std::vector<T> all = copyOf(src, size_t(inner) * outer, T());
        const std::vector<int32_t> given = copyOf(srcIndices, r.hasIndices ? size_t(inner) * indexRows : 0, int32_t());
        const std::vector<uint8_t> ends = copyOf(finished, r.hasFinished ? outer : 0, uint8_t());
        for (uint32_t row = 0; row < outer; ++row) {
          const T* in = all.data() + size_t(row) * inner;
          for (uint32_t i = 0; i < inner; ++i)
            order[i] = uint64_t(rankOf(static_cast<float>(in[i]), r.largest)) << 32 | i;
          std::partial_sort(order.begin(), order.begin() + k, order.end());
          const bool isFinished = r.hasFinished && ends[row] != 0;
          for (uint32_t i = 0; i < k; ++i) {
            const auto at = static_cast<uint32_t>(order[i]);
            reinterpret_cast<T*>(values.address)[size_t(row) * valueRow + i] = in[at];
            auto index = static_cast<int32_t>(at);
            if (r.hasIndices) index = given[size_t(indexRows == 1 ? 0 : row) * inner + at];
            reinterpret_cast<int32_t*>(indices.address)[size_t(row) * indexRow + i] = isFinished ? r.length : index;
          }
        }
      });
}

namespace {

template <typename... T>
constexpr auto rankings(Types<T...>) {
  return std::make_tuple(&rank<T>...);
}
constexpr auto instantiated = asTuple(rankings(isa::Floating{}));
const OffersOf<instantiated> offered;

}  // namespace
}  // namespace npu_emu::vec
