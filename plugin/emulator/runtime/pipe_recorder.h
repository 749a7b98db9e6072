// What the pipes of a core did when, for those who want to see it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "trace.h"

namespace npu_emu {

// What a pipe did between two times, in nanoseconds since the cores started: one instruction, one wait, or, where there are
// too many to be told one by one, several of them.
struct PipeInterval {
  double begin, end;
  double busy, waited;      // of that time
  uint32_t count;           // instructions and waits
  const char* instruction;  // nullptr: none; "several"
  const char* waitsFor;     // a pipe, "all pipes" or "cores"; nullptr: nothing; "several"
};

// What all calls of an instruction at a place took.
struct PlaceTime {
  const char* instruction;
  uint32_t place;
  Pipe pipe;
  double busy;
  uint64_t count;
};

// What one pipe did, in order. Of what is too much neighbours become one, the shortest first.
class PipeRecorder {
 public:
  void add(const PipeInterval& interval);
  std::vector<PipeInterval> take() { return std::move(all_); }

 private:
  void join();
  std::vector<PipeInterval> all_;
};

class CoreRecorder {
 public:
  explicit CoreRecorder(const TraceOrigins& origins) : origins_(origins) {}

  // An instruction, by its number among the origins.
  void add(size_t pipe, PipeInterval interval, uint32_t number);
  void addWait(size_t pipe, const PipeInterval& interval);

  std::vector<PipeInterval> take(size_t pipe) { return pipes_[pipe].take(); }
  // The longest first.
  std::vector<PlaceTime> places() const;

 private:
  using Key = std::tuple<uint32_t, size_t, const char*>;
  const TraceOrigins& origins_;
  std::array<PipeRecorder, pipeCount> pipes_;
  std::map<Key, PlaceTime> places_;
};

}  // namespace npu_emu
