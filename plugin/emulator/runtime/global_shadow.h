// Shadow of global memory that kernels may write: the last accesses of all cores, and bytes that are not valid.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "access.h"
#include "interval_map.h"

namespace npu_emu {

struct Core;

class GlobalShadow {
 public:
  IntervalMap invalid;  // bytes that were copied from local memory that nothing has written

  // Notes the last write of the bytes, or the last read.
  void add(bool write, const uint8_t* begin, const GmInterval& interval);
  // Calls f(first byte, interval) for each write, or read, that has bytes of [begin, end): the last ones, and those that nothing
  // orders before these. Not for all that `unknownTo` knows by a barrier, where it is given.
  template <typename F>
  void forEach(bool write, const uint8_t* begin, const uint8_t* end, const Core* unknownTo, F f);

  // Whether the core knows that the access has completed.
  static bool isOrdered(const GmInterval& access, const Core& self);
  // Whether another core has stored there last; `Known`: and `self` knows that it has completed.
  enum class Order : uint8_t { Known, Any };
  bool isStoredByAnother(const uint8_t* begin, const uint8_t* end, const Core& self, Order order);
  // Whether all that the rows touch has completed for the core, so that they can be noted as one. `first` stands for
  // what all rows are; `own`: some of what they touch may be the core's own.
  bool areOrdered(const GmAccess& first, const GmRows& rows, const Core& self, bool& own);
  // Notes the rows as one, with all of `interval` but its end.
  void addRows(bool write, const GmRows& rows, const GmInterval& interval);
  // Makes intervals of the rows that were noted as one and may touch [begin, end): whoever looks at intervals there
  // does so first.
  void flushRows(const uint8_t* begin, const uint8_t* end);
  void forget(const uint8_t* begin, const uint8_t* end);

 private:
  // Accesses of a pipe whose place others have taken that do not know them to have completed: neither reads nor atomic operations
  // of a kind are in an order.
  struct Concurrent {
    const Core* core;
    Pipe pipe;
    uint32_t barrier;  // the last that the core had passed before one of them
    IntervalMap intervals;
  };
  // By `write`.
  std::array<IntervalMap, 2> last_;
  std::array<std::vector<Concurrent>, 2> concurrent_;
  IntervalMap::Parts replaced_;

  // Whether the core knows all that the other one has done before its next barrier after so many.
  static bool knowsBarrier(const Core& self, const Core& other, uint32_t barrier);
  void keep(bool write, const uint8_t* begin, const GmInterval& access);

  // Rows of one copy that touch nothing else of their kind: as intervals they would each be a node of the map.
  struct NotedRows {
    bool write;
    GmRows rows;
    std::vector<GmInterval> intervals;  // of the same rows, in their order, as far as nothing orders them
  };
  std::vector<NotedRows> rows_;

  void flush(const NotedRows& noted);
};

template <typename F>
void GlobalShadow::forEach(bool write, const uint8_t* begin, const uint8_t* end, const Core* unknownTo, F f) {
  auto visit = [&](IntervalMap& all) {
    for (auto access = all.lastFrom(begin); access != all.end() && access->first < end; ++access)
      if (access->second.end > begin) f(access->first, access->second);
  };
  visit(last_[write]);
  for (Concurrent& each : concurrent_[write])
    if (unknownTo == nullptr || !knowsBarrier(*unknownTo, *each.core, each.barrier)) visit(each.intervals);
}

}  // namespace npu_emu
