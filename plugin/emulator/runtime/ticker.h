// What a core knows of the time while the kernel runs: as if it had the memory for itself, and waited for all pipes where it
// waits for one. Cores that wait for others go on when these have come. Never goes back. The latency of the launch does not
// follow from it.
#pragma once

#include <algorithm>
#include <array>

#include "trace.h"

namespace npu_emu {

class Ticker {
 public:
  void count(const TraceEntry& entry) {
    scalar_ += entry.scalarCycles;
    scalarWork_ += entry.scalarCycles;
    if (entry.kind == TraceEntry::Work || entry.transfers != 0) work(entry);
    else if (entry.pipe == Pipe::S && entry.kind != TraceEntry::Set) scalar_ = std::max(scalar_, latest_);
  }
  // Work of the scalar unit that is part of the record before it.
  void extend(uint64_t scalarCycles) {
    scalarWork_ += static_cast<double>(scalarCycles);
    scalar_ += static_cast<double>(scalarCycles);
  }
  // The scalar unit waits for other cores.
  void waitUntil(double cycles) { scalar_ = std::max(scalar_, cycles); }
  double cycles() const { return scalar_; }
  // Of these, what the scalar unit has worked and not waited.
  double scalarWork() const { return scalarWork_; }

 private:
  void work(const TraceEntry& entry) {
    if (entry.pipe == Pipe::S) {
      scalar_ += static_cast<double>(entry.occupancy);
      scalarWork_ += static_cast<double>(entry.occupancy);
      return;
    }
    double& free = free_[static_cast<size_t>(entry.pipe)];
    free = std::max(free, scalar_) + static_cast<double>(entry.occupancy);
    latest_ = std::max(latest_, free + entry.tail + (entry.transfers != 0 ? transferCycles : 0));
  }

  static constexpr double transferCycles = 230;  // until the first bytes of a transfer are there
  double scalar_ = 0, scalarWork_ = 0, latest_ = 0;
  std::array<double, pipeCount> free_{};
};

}  // namespace npu_emu
