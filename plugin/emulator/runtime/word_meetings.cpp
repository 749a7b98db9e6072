#include "word_meetings.h"

#include "data_cache.h"

namespace npu_emu {

void WordMeetings::note(const uint8_t* address, Cores Line::*own, Cores Line::*other, uint32_t core) {
  // where a core looks at all, beyond that many lines it is taken to be so
  constexpr size_t mostLines = size_t(1) << 18;
  looks_ = looks_ || own == &Line::looks;
  if (any_ || lines_.size() > mostLines) {
    any_ = looks_;
    return;
  }
  Line& line = lines_[lineOf(address)];
  line.*own = line.*own == none || line.*own == core ? core : several;
  any_ = line.*other != none && (line.*other != core || line.*own == several);
}

}  // namespace npu_emu
