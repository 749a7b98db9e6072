#include "overruns.h"

#include <algorithm>
#include <utility>

namespace npu_emu {

void Overruns::add(uint32_t begin, uint32_t end, const Report& report) {
  remove(begin, end);
  const auto goesOn = [&](const Range& range) { return range.end == begin && range.report.frames == report.frames; };
  const auto before = std::find_if(written_.begin(), written_.end(), goesOn);
  if (before != written_.end()) before->end = end;
  else written_.push_back({begin, end, report});
}

void Overruns::remove(uint32_t begin, uint32_t end) {
  for (size_t i = 0; i < written_.size(); ++i) {
    Range& range = written_[i];
    if (range.begin >= end || begin >= range.end) continue;
    if (end < range.end) written_.push_back({end, range.end, range.report});
    written_[i].end = std::max(written_[i].begin, begin);
  }
  const auto isNone = [](const Range& range) { return range.begin == range.end; };
  written_.erase(std::remove_if(written_.begin(), written_.end(), isNone), written_.end());
}

const Report* Overruns::find(uint32_t begin, uint32_t end) const {
  for (const Range& range : written_)
    if (range.begin < end && begin < range.end) return &range.report;
  return nullptr;
}

}  // namespace npu_emu
