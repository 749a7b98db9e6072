// Where `new` takes memory from while a library is loaded, so that what its static objects own can be put back later
// together with the objects themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace npu_runner {

// While it lives, `new` takes from this memory; there is one such memory in the process, and it is never given back.
class LoadHeapScope {
 public:
  LoadHeapScope();
  ~LoadHeapScope();
  LoadHeapScope(const LoadHeapScope&) = delete;
  LoadHeapScope& operator=(const LoadHeapScope&) = delete;
};

// What was taken from it so far. What came later than that is not touched when it is put back.
class LoadHeapContent {
 public:
  void keep();
  void putBack() const;

 private:
  std::vector<uint8_t> bytes_;
};

}  // namespace npu_runner
