// Bytes of the memories around the matrix unit that were copied from global memory which nothing has written, and what
// follows from them. On a device they are anything: NaN, which a product with zero is as well.
//
// Each of these memories has an image, of which the bytes are not zero where those of the memory are leftovers. What moves bytes is
// carried out on the images as it is on the memories (issueMove). An image is there as soon as there are leftovers, which
// most launches never have.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "access.h"
#include "ascendc/types.h"

namespace npu_emu {

struct DetectorState;
struct Operands;

class Leftovers {
 public:
  // Whether there are none in any memory.
  bool isEmpty() const { return !any_; }
  void clear();

  // Of a memory of the running core, from an address in it on.
  uint8_t* at(const uint8_t* address);
  // The image of bytes that are leftovers from here on.
  void note(const uint8_t* address, uint32_t bytes);
  // An instruction is issued: what it writes is no leftover any more, unless it turns out to be one afterwards.
  void forgetWritten(const DetectorState& state);

 private:
  std::array<std::vector<uint8_t>, memoryCount> images_;  // empty until they are asked for
  bool any_ = false;
};

// While it lives, memories hold their images where the operands lie, and images what the memories hold.
class ImagesInPlace {
 public:
  explicit ImagesInPlace(const Operands& operands);
  ~ImagesInPlace();
  ImagesInPlace(const ImagesInPlace&) = delete;
  ImagesInPlace& operator=(const ImagesInPlace&) = delete;

 private:
  struct Range {
    uint8_t *begin = nullptr, *end = nullptr;
  };
  std::array<Range, memoryCount> ranges_{};
  uint64_t padBits_;

  void swap();
};

// Rows were copied from global memory to memories other than UB.
void followLoad(const uint8_t* to, const uint8_t* from, uint32_t rows, uint32_t rowBytes, uint64_t toPitch,
                uint64_t fromPitch);
// The same where rows became columns of fractals.
void followNd2Nz(const uint8_t* to, const uint8_t* from, const AscendC::Nd2NzParams& p, uint32_t elementBytes);
// A row was stored to global memory, of which `image` says what is a leftover.
void followStore(const char* instruction, const uint8_t* to, const uint8_t* image, size_t bytes);

}  // namespace npu_emu
