#include "word_meetings.h"

#include <algorithm>

#include "data_cache.h"

namespace npu_emu {

void WordMeetings::note(const uint8_t* address, Cores Line::*own, Cores Line::*other, uint32_t core) {
  // where a core looks at all, beyond that many lines it is taken to be so
  constexpr size_t mostLines = size_t(1) << 18;
  looks_ = looks_ || own == &Line::looks;
  any_ = any_ || (looks_ && lines_.size() > mostLines);
  if (any_ || lines_.size() > mostLines) return;
  Line& line = lines_[lineOf(address)];
  line.*own = line.*own == none || line.*own == core ? core : several;
  any_ = line.stores == several || (line.*other != none && (line.*other != core || line.*own == several));
}

void WordMeetings::findLooks(const uint8_t* begin, const uint8_t* end, uint32_t core) {
  const auto isMet = [&](const Line& line) { return line.looks != none && line.looks != core; };
  const uint8_t* first = lineOf(begin);
  if (static_cast<size_t>(end - first) / cacheLineBytes < lines_.size()) {
    for (const uint8_t* at = first; at < end && !any_; at += cacheLineBytes) {
      const auto line = lines_.find(at);
      any_ = line != lines_.end() && isMet(line->second);
    }
    return;
  }
  any_ = std::any_of(lines_.begin(), lines_.end(), [&](const auto& entry) {
    return entry.first >= first && entry.first < end && isMet(entry.second);
  });
}

}  // namespace npu_emu
