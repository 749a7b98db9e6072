// What the normalisations share: checks of shapes and tilings, the operands that a call has, and the time of a pass
// over rows.
#pragma once

#include <initializer_list>
#include <vector>

#include "library_rows.h"

namespace npu_emu::norm {

struct Shape {
  uint32_t rows, width;
};

[[noreturn]] inline void reject(const char* name, std::string message, const char* hint) {
  trap({Check::ParameterRange, name, std::move(message), hint});
}

inline void checkWidth(const char* name, Shape shape, uint32_t bytes) {
  if (shape.width > extentLimit || shape.rows > extentLimit)
    reject(name, text("the shape is [%u, %u]", shape.rows, shape.width), "the source has to fit into UB");
  requireExtents(name, {shape.rows, shape.width, bytes});
  if (shape.width * bytes % blockBytes != 0 || shape.width == 0) {
    reject(name, text("rows of %u elements take %u bytes", shape.width, shape.width * bytes),
           "rows take a multiple of 32 bytes");
  }
}

// `elements`: of what the function works in for so many rows at a time, where the tiling tells it.
inline void checkTiling(const char* name, uint32_t rowsAtATime, const char* sizeHelper, uint32_t width = 0,
                        uint32_t elements = 0) {
  if (rowsAtATime == 0)
    reject(name, "the tiling has no rows", text("give the tiling function at least what %s says", sizeHelper).c_str());
  if (uint64_t(rowsAtATime) * width > elements)
    reject(name,
           text("the tiling takes %u rows of %u elements at a time, and has room for %u elements", rowsAtATime, width,
                elements),
           "take the tiling as the tiling function made it");
}

// The device takes so many rounds of so many rows, or columns, and what is left: others stay as they were.
inline void checkRounds(const char* name, uint32_t rounds, uint32_t ofRound, uint32_t rest, uint32_t all) {
  if (uint64_t(rounds) * ofRound + rest == all) return;
  reject(name, text("the tiling has %u rounds of %u and %u more, and there are %u", rounds, ofRound, rest, all),
         "take the tiling as the tiling function made it: a call with a last round that is shorter changes it");
}

constexpr const char* asMade = "take the tiling as the tiling function made it";

// A field of a tiling, and what follows for it from others: the device goes by each of them.
struct Field {
  const char* name;
  uint64_t value, wanted;
};

inline void checkFields(const char* name, std::initializer_list<Field> fields) {
  for (const Field& field : fields) {
    if (field.value == field.wanted) continue;
    reject(name,
           text("%s of the tiling is %llu, and by its other fields %llu", field.name,
                static_cast<unsigned long long>(field.value), static_cast<unsigned long long>(field.wanted)),
           asMade);
  }
}

// Where rounds and what is left begin and how much they are, in rows and in elements: those of a round as it comes next are given.
template <typename Tiling>
inline void checkPlaces(const char* name, const Tiling& tiling, uint32_t width, const Field& elements, uint32_t rows) {
  checkFields(name, {elements,
                     {"inputRoundSize", tiling.inputRoundSize, uint64_t(rows) * width},
                     {"meanVarRoundSize", tiling.meanVarRoundSize, rows},
                     {"inputTailSize", tiling.inputTailSize, uint64_t(tiling.meanVarTailSize) * width}});
  if (tiling.meanVarTailSize == 0) return;
  checkFields(name, {{"inputTailPos", tiling.inputTailPos, uint64_t(tiling.loopRound) * rows * width},
                     {"meanVarTailPos", tiling.meanVarTailPos, uint64_t(tiling.loopRound) * rows}});
}

// A part of what a function works in, in floats.
struct Part {
  const char* name;
  uint64_t position, size;
};

// Parts lie one behind the other. Returns where the last one ends.
inline uint64_t endOfParts(const char* name, std::initializer_list<Part> parts) {
  uint64_t end = 0;
  for (const Part& part : parts) {
    if (part.size == 0) continue;
    if (part.position < end)
      reject(name,
             text("%s of the tiling is %llu, where what comes before ends at %llu", part.name,
                  static_cast<unsigned long long>(part.position), static_cast<unsigned long long>(end)),
             asMade);
    end = part.position + part.size;
  }
  return end;
}

// Mean and variance of all rows where these are not the outputs themselves, and buffers of which some functions take the first from
// the source.
template <typename Tiling>
inline uint64_t endOfBuffers(const char* name, const Tiling& tiling, uint64_t results, bool isReuseSource) {
  const uint64_t one = tiling.oneTmpSize;
  return endOfParts(name, {{"meanTmpTensorPos", tiling.meanTmpTensorPos, results},
                           {"varianceTmpTensorPos", tiling.varianceTmpTensorPos, results},
                           {"firstTmpStartPos", tiling.firstTmpStartPos, one},
                           {"secondTmpStartPos", tiling.secondTmpStartPos, one},
                           {"thirdTmpStartPos", tiling.thirdTmpStartPos, isReuseSource ? 0 : one}});
}

// Operands as they are collected, and what the function works in.
class Extents {
 public:
  explicit Extents(const WorkingMemory& working) : working_(working) {}
  void add(Operand operand, uint64_t bytes, bool write, const char* role) {
    if (bytes != 0) all_[count_++] = {operand, clampedBytes(bytes), write, role};
  }
  // One that a call may leave out.
  void addGiven(Operand operand, uint64_t bytes, bool write, const char* role) {
    if (operand.address != nullptr) add(operand, bytes, write, role);
  }
  template <typename Body>
  void issue(const char* name, const Work& work, const Body& body) const {
    work.issue(name, working_, all_, count_, body);
  }

 private:
  WorkingMemory working_;
  Extent all_[8];
  size_t count_ = 0;
};

// Calls add(rows) for each step of so many rows at a time.
template <typename Add>
inline void inSteps(Shape shape, uint32_t rowsAtATime, const Add& add) {
  for (uint32_t left = shape.rows, rows; left != 0; left -= rows) add(rows = std::min(left, std::max(1u, rowsAtATime)));
}

constexpr uint32_t floatsOfRepeat = repeatBytes / sizeof(float);

// What an instruction reads, repeat after repeat.
inline RepeatedSource sourceOf(const uint8_t* address, uint64_t bytes) {
  return {reinterpret_cast<uintptr_t>(address), bytes / repeatBytes, repeatBytes};
}

// Sums of rows, one row after the other: of its repeats, then of their sums, each of which waits.
inline void addSumsByRepeats(Work& work, uint32_t rows, uint32_t width) {
  for (uint32_t left = width; left > 1; left = ceilDivide(left, floatsOfRepeat))
    work.reduction(uint64_t(left) * sizeof(float), wholeCycles, rows);
}

// The same by the first repeat of each row, to which the others are added row by row, and then of all rows at once.
inline void addSumsByFronts(Work& work, uint32_t rows, uint32_t width) {
  const uint32_t further = width / floatsOfRepeat, tail = width % floatsOfRepeat;
  if (further > 1) work.step(uint64_t(further - 1) * repeatBytes, 1, rows);
  if (further > 0 && tail != 0) work.step(uint64_t(tail) * sizeof(float), 1, rows);
  work.reductionsTogether(uint64_t(rows) * repeatBytes, wholeCycles, 2);
}

// A value of each row is put into all of it by selecting it: the register that names it, and the selection.
inline void addSpreads(Work& work, uint32_t rows, uint32_t width) {
  work.step(uint64_t(width) * sizeof(float)).step(blockBytes, 1, rows).step(uint64_t(width) * sizeof(float), 2, rows);
}

// An instruction for each row with a value that the scalar unit has read.
inline void addScaled(Work& work, uint32_t rows, uint32_t width) {
  work.waitForScalars().byScalars(rows, uint64_t(width) * sizeof(float));
}

// One by the root of a value of each row.
inline void addReciprocalRoots(Work& work, uint32_t rows) {
  const uint64_t bytes = uint64_t(rows) * sizeof(float);
  work.step(bytes, 1, 2).step(bytes, 2).step(bytes, 4);
}

// Rows by a weight for each column, and more by another: an instruction for each row.
inline void addWeights(Work& work, uint32_t rows, uint32_t width) {
  for (int weight = 0; weight < 2; ++weight) work.together(rows, uint64_t(width) * sizeof(float), 0);
}
// The same of rows and weights that may lie in the same banks.
inline void addWeights(Work& work, uint32_t rows, uint64_t rowBytes, const uint8_t* const (&of)[2],
                       const uint8_t* const (&weights)[2]) {
  for (int i = 0; i < 2; ++i) work.together(rows, rowBytes, sourceOf(of[i], rowBytes), sourceOf(weights[i], rowBytes));
}

// One by the root, with the two instructions the device has for that.
inline float reciprocalRoot(float value) { return 1.0f / std::sqrt(value); }

template <typename U>
inline std::vector<float> weightsOf(Operand operand, size_t n, float otherwise) {
  std::vector<float> weights(n, otherwise);
  if (operand.address != nullptr) loadRow<U>(weights.data(), operand, 0, n);
  return weights;
}

}  // namespace npu_emu::norm
