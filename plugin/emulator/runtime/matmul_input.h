// A and B of a Matmul call alike: what their blocks are along the result and along k.
#pragma once

#include "matmul.h"

namespace npu_emu::matmul {

using cube::bytesOf;
using cube::Element;

// Bytes of so many elements.
inline uint64_t bytesIn(Element element, uint64_t elements) {
  return element == Element::Int4 ? elements / 2 : elements * bytesOf(element);
}
inline bool isInteger(Element element) { return element == Element::Int4 || element == Element::Int8; }

constexpr uint32_t alignedUp(uint32_t value, uint32_t unit) { return (value + unit - 1) / unit * unit; }
inline uint32_t ceilOf(int32_t value, int32_t unit) {
  return static_cast<uint32_t>((int64_t(value) + unit - 1) / unit);
}

// A or B of a call: what a block of it is along the result (m or n) and along k. Two elements of 4 bits count as one
// where they lie beside each other, and of a sparse matrix the elements that are there.
struct InputMatrix {
  const char* name;
  bool isLeft;
  const Kind& kind;
  const Source& source;
  PanelCache& panels;
  UserFunction copy;
  int32_t orgOuter, orgDepth, singleOuter, singleDepth, baseOuter, baseDepth, stepOuter, stepDepth, depth;

  uint32_t bytes() const { return bytesOf(kind.element); }
  uint32_t width() const { return blockBytes / bytes(); }
  // Rows of the matrix in memory run along k: its fractals are transposed on the way to L0.
  bool isTransposedInL0() const { return isLeft == source.transposed; }
  // Rows of what is transposed as a whole, in elements of their own.
  uint32_t squareRows() const { return kind.element == Element::Int4 ? 64 : bytes() == 1 ? 32 : 16; }
  // What rows and columns of a panel are multiples of.
  uint32_t rowUnit() const { return isTransposedInL0() ? squareRows() : 16; }
  uint32_t columnUnit() const { return isTransposedInL0() && bytes() == 4 ? 16 : width(); }
  uint32_t slotBytes() const;
  uint32_t slotCount() const;
  // Of a sparse matrix: one byte for four elements, in columns of fractals beside the matrix.
  uint32_t indexBytes() const { return kind.sparse ? slotBytes() / 4 : 0; }

  // Sizes as the elements lie in memory.
  InputMatrix packed() const;
};

// Whether several blocks of a matrix come with one copy.
bool loadsBigBlocks(const Traits& traits);

InputMatrix leftOf(const Job& job);
InputMatrix rightOf(const Job& job);
// Traps where the matrix was not set, or not in a way that its type allows.
void checkSource(const Job& job, const InputMatrix& matrix);

}  // namespace npu_emu::matmul
