// Whether cores meet by words: one looks past its cache at global memory that another one stores to, or several store there past
// theirs. What is found follows from the order in which they run, whichever comes first here, and no race is seen there.
#pragma once

#include <cstdint>
#include <unordered_map>

namespace npu_emu {

class WordMeetings {
 public:
  // A core looks at the cache line of an address, or stores to it past its cache.
  void look(const uint8_t* address, uint32_t core) { note(address, &Line::looks, &Line::stores, core); }
  void store(const uint8_t* address, uint32_t core) { note(address, &Line::stores, &Line::looks, core); }
  // A core looks at what another one has stored in any way.
  void meet() { any_ = true; }
  // A core stores in any way, where another one may have looked before.
  void storeAnyhow(const uint8_t* begin, const uint8_t* end, uint32_t core) {
    if (looks_ && !any_) findLooks(begin, end, core);
  }
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

  void findLooks(const uint8_t* begin, const uint8_t* end, uint32_t core);
  void note(const uint8_t* address, Cores Line::*own, Cores Line::*other, uint32_t core);
};

}  // namespace npu_emu
