// Whether cores meet by words: one looks past its cache at global memory that another one stores to past its own. What it finds
// follows from the order in which they run, whichever comes first here, and no race is seen there.
#pragma once

#include <cstdint>
#include <unordered_map>

namespace npu_emu {

class WordMeetings {
 public:
  // A core looks at the cache line of an address, or stores to it.
  void look(const uint8_t* address, uint32_t core) { note(address, &Line::looks, &Line::stores, core); }
  void store(const uint8_t* address, uint32_t core) { note(address, &Line::stores, &Line::looks, core); }
  bool any() const { return any_; }

 private:
  // The cores that do so: none, one by its number, or several.
  using Cores = uint32_t;
  static constexpr Cores none = ~Cores(0), several = none - 1;
  struct Line {
    Cores looks = none, stores = none;
  };
  std::unordered_map<const uint8_t*, Line> lines_;
  bool any_ = false, looks_ = false;

  void note(const uint8_t* address, Cores Line::*own, Cores Line::*other, uint32_t core);
};

}  // namespace npu_emu
