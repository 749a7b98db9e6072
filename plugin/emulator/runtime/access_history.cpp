#include "access_history.h"

#include <algorithm>

namespace npu_emu {

namespace {

constexpr uint32_t pagesOf(uint32_t bytes) { return (bytes + pageBytes - 1) / pageBytes; }

}  // namespace

size_t AccessHistory::wordsFor(uint32_t bytes) {
  constexpr size_t aligned = 16;
  const size_t words =
      (sizeof(Log) + pagesOf(bytes) * sizeof(Page)) / sizeof(uint32_t) + pagesOf(bytes) + 2 * endCell(bytes);
  return (words + aligned - 1) / aligned * aligned;
}

uint32_t* AccessHistory::place(uint32_t* words, uint32_t bytes) {
  log_ = reinterpret_cast<Log*>(words);
  pages_ = reinterpret_cast<Page*>(words + sizeof(Log) / sizeof(uint32_t));
  newest_ = reinterpret_cast<uint32_t*>(pages_ + pagesOf(bytes));
  tags_ = newest_ + pagesOf(bytes);
  touched_ = tags_ + endCell(bytes);
  return words + wordsFor(bytes);
}

LocalAccess AccessHistory::accessAt(uint32_t place) const {
  const uint32_t lane = place % Log::lanes;
  const Log::Group& group = log_->groups[place / Log::lanes];
  const auto begin = static_cast<uint32_t>(group.begin[lane]), end = static_cast<uint32_t>(group.end[lane]);
  return {0, false, begin, group.strided[lane] ? log_->runs[place] : Runs{end - begin}, ""};
}

// The first access in the log after an instruction.
uint32_t AccessHistory::firstAfter(uint32_t count) const {
  auto countAt = [&](uint32_t place) {
    return static_cast<uint32_t>(log_->groups[place / Log::lanes].count[place % Log::lanes]);
  };
  uint32_t place = 0;
  for (uint32_t behind = logged_; place < behind;) {
    const uint32_t middle = (place + behind) / 2;
    if (countAt(middle) > count) behind = middle;
    else place = middle + 1;
  }
  return place;
}

void AccessHistory::makeRoom(uint32_t completed) {
  const uint32_t first = firstAfter(completed), behind = logged_;
  if (behind - first > logLimit / 2) return flushLog(completed);
  logged_ = searched_ = 0;
  for (uint32_t place = first; place < behind; ++place) {
    const LocalAccess access = accessAt(place);
    const Log::Group& group = log_->groups[place / Log::lanes];
    const uint32_t lane = place % Log::lanes, end = static_cast<uint32_t>(group.end[lane]);
    append(access.offset, end, access.runs, group.partnerKnown[lane], static_cast<uint32_t>(group.count[lane]));
  }
}

AccessHistory::Newer AccessHistory::findNewer(const LocalAccess& access, uint32_t count, uint32_t completed) {
  Newer found;
  if (!flush(access.offset, endOf(access), count, completed)) return found;
  const uint32_t limit = tagOf(count, true);
  forEachRange(access, [&](uint32_t begin, uint32_t end) {
    const uint32_t first = firstCell(begin), behind = endCell(end);
    bool any = false;
    for (uint32_t cell = first; cell < behind; ++cell) any |= tags_[cell] > limit;
    if (!any) return;
    for (uint32_t cell = first; cell < behind; ++cell) {
      const uint32_t tag = tags_[cell];
      if (tag <= limit) continue;
      const uint32_t touched = (tag & 1) != 0 ? touched_[cell] : ~0u;
      if ((bytesOfCell(cell, begin, end) & touched) == 0) continue;
      if (found.count == 0) found.offset = std::max(begin, cell * cellBytes);
      found.count = std::max(found.count, tag >> 1);
    }
  });
  return found;
}

// Brings the cells of a range up to date, unless nothing there is newer than `count`: then it is false.
bool AccessHistory::flush(uint32_t begin, uint32_t end, uint32_t count, uint32_t completed) {
  constexpr uint32_t searchesPerAccess = 16;  // to flush one takes longer
  if (logged_ != 0 && (searched_ > searchesPerAccess * logged_ || logHasNewer(begin, end, count))) flushLog(completed);
  if (flushed_ <= count) return false;
  const uint32_t first = begin / pageBytes, last = (end - 1) / pageBytes;
  uint32_t highest = 0;
  for (uint32_t page = first; page <= last; ++page) highest = std::max(highest, newest_[page]);
  if (highest <= count) return false;
  for (uint32_t page = first; page <= last; ++page)
    if (newest_[page] > count) flushPage(page);
  return true;
}

// Moves the accesses in the log to pages, in their order; those up to `completed` are dropped.
void AccessHistory::flushLog(uint32_t completed) {
  for (uint32_t place = firstAfter(completed); place < logged_; ++place) {
    const Log::Group& group = log_->groups[place / Log::lanes];
    flushed_ = static_cast<uint32_t>(group.count[place % Log::lanes]);
    touch(accessAt(place), group.partnerKnown[place % Log::lanes], flushed_);
  }
  logged_ = searched_ = 0;
}

// Moves what the page says to its cells.
void AccessHistory::flushPage(uint32_t page) {
  constexpr int few = 8;
  Page& of = pages_[page];
  const uint32_t tagOfWhole = tagOf(of.count, false), tagOfPart = tagOf(of.count, true);
  uint32_t *tags = tags_ + page * cellsPerPage, *touched = touched_ + page * cellsPerPage;
  if (__builtin_popcount(of.whole) > few) {
    for (uint32_t cell = 0; cell < cellsPerPage; ++cell)
      tags[cell] = (of.whole >> cell & 1) != 0 ? tagOfWhole : tags[cell];
  } else {
    for (uint32_t left = of.whole; left != 0; left &= left - 1) tags[__builtin_ctz(left)] = tagOfWhole;
  }
  for (uint32_t left = of.parts; left != 0; left &= left - 1) {
    tags[__builtin_ctz(left)] = tagOfPart;
    touched[__builtin_ctz(left)] = of.bits;
  }
  of.whole = of.parts = 0;
}

}  // namespace npu_emu
