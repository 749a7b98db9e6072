// Shadow of global memory that kernels may write: the last accesses of all cores, and bytes that are not valid.
#pragma once

#include <cstdint>
#include <vector>

#include "access.h"
#include "interval_map.h"

namespace npu_emu {

struct Core;

class GlobalShadow {
 public:
  IntervalMap writes, reads;
  IntervalMap invalid;  // bytes that were copied from local memory that nothing has written

  // Whether the core knows that the access has completed.
  static bool isOrdered(const GmInterval& access, const Core& self);
  // Whether another core has stored there last; `Known`: and `self` knows that it has completed.
  enum class Order : uint8_t { Known, Any };
  bool isStoredByAnother(const uint8_t* begin, const uint8_t* end, const Core& self, Order order);
  // Whether all that the rows touch has completed for the core, so that they can be noted as one. `first` stands for
  // what all rows are; `own`: some of what they touch is the core's own.
  bool areOrdered(const GmAccess& first, const GmRows& rows, const Core& self, bool& own);
  // Notes the rows as one, with all of `interval` but its end.
  void addRows(bool write, const GmRows& rows, const GmInterval& interval);
  // Makes intervals of the rows that were noted as one and may touch [begin, end): whoever looks at intervals there
  // does so first.
  void flushRows(const uint8_t* begin, const uint8_t* end);
  void forget(const uint8_t* begin, const uint8_t* end);

 private:
  // Rows of one copy that touch nothing else of their kind: as intervals they would each be a node of the map.
  struct NotedRows {
    bool write;
    GmRows rows;
    GmInterval interval;
  };
  std::vector<NotedRows> rows_;

  void flush(const NotedRows& noted);
};

}  // namespace npu_emu
