// Copies that take effect as late as flags allow, as a second witness of a wait that is missing: wrong values.
//
// A device carries out copies of MTE2 and MTE3 while other pipes go on. Here a copy is kept back until somebody is known
// to wait for it: a pipe acquires its completion (WaitFlag, DeQue, AllocTensor), a barrier, the scalar unit where the
// compiler has it wait, a wait for other cores, the end of the kernel. Until then its destination holds what was there,
// and its source may be overwritten. Copies of one pipe keep their order; those of both pipes have none unless one waits
// for the other, and where all land at once those of the pipe that was given one last land first.
//
// Which copies were late is told by the bytes: somebody touched them while the copy was kept back, and they changed.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "access.h"
#include "clock.h"
#include "detector_state.h"
#include "vector_clock.h"

namespace npu_emu {

// The copies of one core.
class LateCopies {
 public:
  // An instruction is issued: `state` has its accesses, `issued` how many each pipe has had. `scalarWaits`: the compiler
  // has the scalar unit wait for what it touches.
  void note(Pipe pipe, const char* instruction, const DetectorState& state, const VectorClock& issued,
            bool scalarWaits);
  // The instruction that was noted last is a copy, which `effect` carries out.
  void keepBack(std::function<void()> effect);
  // Somebody knows what has completed.
  void land(const VectorClock& completed);
  void landAll();
  // A copy is about to write there: what it writes is compared with what is there.
  void landStoresTo(const uint8_t* begin, const uint8_t* end);

 private:
  // Bytes that another instruction touched while the copy was kept back.
  struct Touched {
    uint8_t* begin;
    std::vector<uint8_t> before;  // of a source that is overwritten; of a destination, once the copy lands
    uint32_t bytes;
    bool ofSource;
    bool written;  // by the other one
    std::string instruction;
    CallPath where;
  };
  struct Copy {
    Pipe pipe{};
    uint32_t count = 0;  // on its pipe
    std::function<void()> effect;
    std::vector<LocalAccess> local;
    std::vector<GmAccess> global;
    std::string instruction;
    CallPath where{};
    std::vector<Touched> touched;
  };
  using Copies = std::deque<Copy>;

  Copies& of(Pipe pipe) { return copies_[pipe == Pipe::MTE3 ? 1 : 0]; }
  void touch(Copy& copy, uint8_t* begin, uint8_t* end, bool copyWrites, bool otherWrites, const char* instruction);
  template <typename F>
  void forEachMeeting(Copy& copy, const DetectorState& state, const F& f);
  void landFirst(Copies& copies);
  void landUpTo(Copies& copies, uint32_t count);

  Copies copies_[2];  // of MTE2, of MTE3
  Copy next_;
  bool isNoted_ = false;    // next_
  Pipe last_ = Pipe::MTE2;  // of the newest copy
};

}  // namespace npu_emu
