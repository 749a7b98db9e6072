// All cores of a launch while the clock plays it: who begins when, and how the memory is shared among those that use it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bandwidth.h"
#include "clock.h"
#include "core_player.h"
#include "l2_cache.h"

namespace npu_emu {

// L2 before anything is in it.
L2Cache cacheOf(const Played& played);

class DevicePlayer {
 public:
  DevicePlayer(const Played& played, L2Cache& cache);

  // Tells from here on what the pipes of a core do.
  void recordTo(size_t core, CoreRecorder* recorder) { recorders_[core] = recorder; }
  // Once.
  TimedKernel play();

 private:
  struct Flight {
    TransferStart start;
    Served left;               // what no memory serves yet
    double latencyNs, waitNs;  // waitNs: for writes of others
    size_t l2Class, hbmClass;
    uint64_t line;  // that a read begins in
    Fetch fetch;
    uint32_t awaited;     // how many that are fetching what it reads
    double awaitedUntil;  // when the last of them that has ended can be seen
    bool isServed;
  };

  void beginCores();
  void beginCore(size_t number, double now);
  void playCore(size_t number);
  void takePlace();
  void settle();
  uint32_t takeFlight();
  void beginTransfer(const TransferStart& start);
  void goOn(uint32_t number, double now);
  void endTransfer(uint32_t number, double now);
  void tell(uint32_t number, double now);
  bool giveUp();
  TimedKernel result() const;

  const Played& played_;
  double nsPerCycle_;
  Meetings meetings_;
  L2Cache& cache_;
  SharedBandwidth hbm_, l2_;
  std::vector<std::unique_ptr<CorePlayer>> players_;  // by trace; null before a core begins and when it has ended
  std::vector<CoreRecorder*> recorders_;
  std::vector<Flight> flights_;
  std::vector<uint32_t> freeFlights_;
  std::unordered_map<Fetch, std::vector<uint32_t>> followers_;  // flights that wait for what is fetched
  std::vector<Fetch> awaited_;                                  // by one flight
  size_t writesUnderWay_ = 0;
  double writesUntil_ = 0;                    // when the last of those that memory has taken are there
  using Place = std::pair<double, uint32_t>;  // when a core may begin, and of which kind
  std::priority_queue<Place, std::vector<Place>, std::greater<>> places_;
  std::array<std::vector<size_t>, 2> waiting_;  // cores that find none of their kind free, the last one first
  std::vector<double> ends_;
  size_t ended_ = 0;
  TimedKernel timed_;
  double hbmBytes_ = 0, l2Bytes_ = 0;
};

}  // namespace npu_emu
