// The latest accesses of a pipe to a local memory: every instruction adds some and looks for those of others.
#pragma once

#include "hazard_bits.h"

namespace npu_emu {

// In groups, each of which is searched at once.
struct LocalShadow::Marks::Log {
  static constexpr uint32_t lanes = 8;
  typedef int32_t Lanes __attribute__((vector_size(lanes * sizeof(int32_t))));
  struct Group {
    Lanes begin, end, count;  // end 0: none
    uint32_t waited[lanes];
    bool strided[lanes];  // an access of several runs, which are in `runs`
  };
  Group groups[logLimit / lanes];
  Runs runs[logLimit];
};

// Whether an access in the log after an instruction has its blocks among those of [begin, end).
inline bool LocalShadow::Marks::isLogged(uint32_t begin, uint32_t end, uint32_t after) {
  constexpr uint32_t few = 2;  // groups that are no reason to write anything down
  const auto from = static_cast<int32_t>(begin / cellBytes * cellBytes),
             to = static_cast<int32_t>((end + cellBytes - 1) / cellBytes * cellBytes);
  const auto newerThan = static_cast<int32_t>(after);
  const Log::Group *first = log->groups, *last = first + (logged - 1) / Log::lanes, *group = last;
  auto touches = (group->count > newerThan) & (group->begin < to) & (group->end > from);
  for (; group != first && group->count[0] > newerThan;) {
    --group;
    touches |= (group->count > newerThan) & (group->begin < to) & (group->end > from);
  }
  const auto looked = static_cast<uint32_t>(last - group);
  if (looked > few) searched += looked - few;
  int32_t any = 0;
  for (uint32_t lane = 0; lane < Log::lanes; ++lane) any |= touches[lane];
  return any != 0;
}

inline void LocalShadow::Marks::append(uint32_t begin, uint32_t end, const Runs& runs, uint32_t waited,
                                       uint32_t count) {
  const uint32_t lane = logged % Log::lanes;
  Log::Group& group = log->groups[logged / Log::lanes];
  if (lane == 0) group.end = Log::Lanes{};
  group.begin[lane] = static_cast<int32_t>(begin);
  group.end[lane] = static_cast<int32_t>(end);
  group.count[lane] = static_cast<int32_t>(count);
  group.waited[lane] = waited;
  group.strided[lane] = runs.rows * runs.blocks != 1;
  if (group.strided[lane]) log->runs[logged] = runs;
  ++logged;
}

inline void LocalShadow::Marks::add(const LocalAccess& access, uint32_t waited, uint32_t count) {
  const uint32_t begin = access.offset, end = endOf(access);
  if (begin != end) append(begin, end, access.runs, waited, count);
}

inline bool LocalShadow::Marks::mayTouch(uint32_t begin, uint32_t end, uint32_t count) {
  return written > count || (logged != 0 && isLogged(begin, end, count));
}

}  // namespace npu_emu
