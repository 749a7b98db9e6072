// What the functions of the library share. Each is checked, recorded and carried out as one instruction whose cost is
// the sum of the instructions it is made of.
#pragma once

#include <string>
#include <vector>

#include "ascendc/library.h"
#include "walk.h"

namespace npu_emu {

// What the library leaves in memory that it worked in: NaN in every float format.
constexpr int garbage = 0xff;

// Reports what the library of the device only asserts, by a macro that is empty there: it goes on.
void reportAsserted(const char* name, std::string message, const char* hint);

// What a function of the library works in. It leaves garbage there, as the library does: a kernel that keeps data there
// loses it.
struct WorkingMemory {
  Extent extent{};
  uint32_t behind = 0;    // bytes behind the extent, which the caller has not given
  uint32_t reserved = 0;  // bytes at the start of the area at the top of UB

  void touch(Touches& touches) const;
  void leaveGarbage() const;
};

// Reports that the caller gives a function fewer bytes than it needs.
void reportShortage(const char* name, uint32_t bytes, uint32_t needed, const char* sizeHelper);

// Registers that such functions load for their own use are lost to the kernel.
// The temporary memory of `name`, which needs so many bytes of it. Where the caller gives fewer, the library works past
// them; traps where UB has no more. `sizeHelper` is the host function that tells the size.
WorkingMemory workingMemory(const char* name, const Temporary& temporary, uint32_t needed, const char* sizeHelper);
// The same of a function that works in whatever it is given, between `least` and `most` bytes: nothing of that is left
// to the kernel.
WorkingMemory workingMemory(const char* name, const Temporary& temporary, uint32_t least, uint32_t most,
                            const char* sizeHelper);
// The first bytes of it, and those behind it where there are fewer.
WorkingMemory worksIn(const Temporary& temporary, uint32_t bytes);

// Bytes that a function loses on a device where its operands overlap: garbage stands for them.
class Loss {
 public:
  void add(const uint8_t* begin, const uint8_t* end);
  // What both have.
  void add(const Extent& a, const Extent& b);
  void leaveGarbage() const;

 private:
  struct Range {
    uint8_t* begin;
    size_t bytes;
  };
  std::vector<Range> ranges_;
};

struct Losses {
  Loss before, after;  // before operands are read, after they are written
};

// Where what a function writes may lie on what it reads.
enum class Lies : uint8_t {
  InPlace,   // both begin at one address
  Behind,    // it begins no later: what lies under it has been read by then
  Anywhere,  // it is written when nothing is read any more
};

// Which operands of a function may lie on each other. Others must not, and none in what the function works in, unless
// something here says so.
class Overlaps {
 public:
  static constexpr const char* working = "sharedTmpBuffer";

  // Documented.
  void allow(const char* written, const char* read, Lies how) { add({written, read, how, true}); }
  // Forbidden or not mentioned, but the library of Atlas A2 reads before it writes: that is a warning.
  void bear(const char* written, const char* read, Lies how) { add({written, read, how, false}); }
  // An operand that is written as well as read.
  void take(const char* role) {
    if (takes_ == std::size(taken_)) __builtin_trap();
    taken_[takes_++] = role;
  }

  // Reports what overlaps, and says what is lost.
  Losses find(const char* name, const WorkingMemory& memory, const Extent* extents, size_t count) const;

 private:
  struct Rule {
    const char *written, *read;
    Lies how;
    bool isDocumented;
  };
  void add(const Rule& rule) {
    if (count_ == std::size(rules_)) __builtin_trap();
    rules_[count_++] = rule;
  }
  bool isRead(const Extent& extent) const;
  // Reports where one lies on the other; false where that loses data.
  bool holds(const char* name, const Extent& written, const Extent& read) const;

  Rule rules_[8] = {};
  const char* taken_[3] = {};
  size_t count_ = 0, takes_ = 0;
};

// That many bytes of the area at the top of UB; reports buffers that reach there.
WorkingMemory reservedMemory(const char* name, uint32_t bytes = architecture::libraryBytes);

}  // namespace npu_emu
