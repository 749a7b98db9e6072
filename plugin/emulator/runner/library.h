// A candidate's library in this process, and the static data it started with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "launch.h"

struct link_map;

namespace npu_runner {

// Thrown when a request cannot be served for a reason that is the candidate's.
struct Rejected {
  std::string message;
};

class Library {
 public:
  // Loads the library, which runs its static initialisers. Throws Rejected.
  explicit Library(const std::string& path);

  // Address of an exported symbol; nullptr when it is not there.
  void* symbol(const char* name) const;

  // Keeps what the writable data holds now, and puts it back: no launch can remember another through static data.
  void snapshot();
  void restore() const;

  // The thread-local variables: the device has a single thread and gives each core its own. To be called after `snapshot`.
  npu_emu::CoreVariables variables() const;

  // Adds the read-only data as global memory: constants that a kernel declares `__gm__` lie there.
  void addConstants(std::vector<npu_emu::GmRegion>& regions) const;

  // Whether the address is in this library.
  bool contains(const void* address) const;
  link_map* map() const { return map_; }
  // What its addresses are told from, and the first and the one past the last of them.
  uint64_t base() const { return base_; }
  std::pair<uint64_t, uint64_t> range() const { return {begin_, end_}; }

 private:
  struct Segment {
    uint8_t* address;
    std::vector<uint8_t> content;
  };
  // Thread-local data: allocated when first touched, so that there may be nothing to keep yet.
  struct ThreadData {
    size_t size = 0;
    std::vector<uint8_t> content;
  };
  struct Layout;

  Layout layout() const;

  void* handle_;
  link_map* map_ = nullptr;
  uintptr_t base_ = 0, begin_ = 0, end_ = 0;
  std::vector<Segment> segments_;
  ThreadData threadData_;
};

}  // namespace npu_runner
