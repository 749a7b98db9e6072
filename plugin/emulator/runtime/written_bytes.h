// Which bytes of global memory hold something: those that have been there before the kernel starts, and those that instructions
// have stored since. A device has there, in workspaces, in outputs and behind tensors, what others have left: anything.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>

#include "launch.h"

namespace npu_emu {

// Of one region and its padding: a bit for each byte that has not been there before.
class WrittenBytes {
 public:
  // `held` of `all` bytes have been there. Throws std::bad_alloc.
  WrittenBytes(uint64_t held, uint64_t all);
  void set(uint64_t begin, uint64_t end);
  // The first byte of a range that nobody has written, or that somebody has; `end` where there is none.
  uint64_t firstUnwritten(uint64_t begin, uint64_t end) const;
  uint64_t firstWritten(uint64_t begin, uint64_t end) const;

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  // most of a large workspace is never touched
  std::unique_ptr<uint64_t[], Free> bits_;
  uint64_t held_;

  uint64_t first(uint64_t begin, uint64_t end, uint64_t inverted) const;
};

// Gives every region of the launch its bytes.
void beginWrittenBytes();

// An instruction has stored there. What is added to anything is anything: that counts for nothing.
void noteWritten(const GmRegion& region, const uint8_t* address, uint64_t bytes);

// The first byte between two addresses of a region that nobody has written, or that somebody has; `end` where there is none.
const uint8_t* firstUnwritten(const GmRegion& region, const uint8_t* begin, const uint8_t* end);
const uint8_t* firstWritten(const GmRegion& region, const uint8_t* begin, const uint8_t* end);

// Reports a read of the scalar unit that finds what nobody has written.
void requireWritten(const char* instruction, const uint8_t* address, uint32_t bytes);

}  // namespace npu_emu
