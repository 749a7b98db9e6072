// The access history of one pipe in one local memory, of its reads or of its writes: the epoch of the last access to
// each cell. A pipe's counts only ever grow, so that an epoch is the count of an instruction.
//
// Every instruction adds accesses, and few are ever asked for, so that they are written down as late as possible:
//   log     the newest accesses as they came. Most have completed for all pipes before another pipe comes near them,
//           and are dropped from here.
//   pages   what one instruction touched of a page, until another one touches other cells of it.
//   cells   the epoch of each cell, and which of its bytes were touched.
// To flush is to move accesses from the log to pages, and from a page to its cells.
#pragma once

#include <cstdint>

#include "access.h"

namespace npu_emu {

struct AccessHistory {
  static constexpr uint32_t logLimit = 1024;

  // The newest access of a range that is newer than what was asked for.
  struct Newer {
    uint32_t count = 0;   // of its instruction; 0: there is none
    uint32_t offset = 0;  // first byte that is touched by any such access
  };

  // Words that the history of a memory of so many bytes takes.
  static size_t wordsFor(uint32_t bytes);
  // Takes that many words, which are zero, from `words` on; returns the first one behind them.
  uint32_t* place(uint32_t* words, uint32_t bytes);
  void clear() { logged_ = searched_ = flushed_ = 0; }

  // Accesses to parts of a cell add up where the partner of the pipe does not know of the earlier ones: its clock's
  // entry for the pipe is `partnerKnown`.
  void add(const LocalAccess& access, uint32_t partnerKnown, uint32_t count);
  bool isFull() const { return logged_ == logLimit; }
  // Drops the accesses up to `completed` from the log, which have completed for all pipes; flushes the others if many.
  void makeRoom(uint32_t completed);
  // Whether any access to [begin, end) may be newer than `count`.
  bool mayHaveNewer(uint32_t begin, uint32_t end, uint32_t count);
  // The newest access to bytes of `access` after `count`; those up to `completed` need not be found.
  Newer findNewer(const LocalAccess& access, uint32_t count, uint32_t completed);

 private:
  struct Page {
    uint32_t count;  // of the cells in `whole` and `parts`
    uint32_t whole;  // cells touched whole, one bit each: they take their count from the page
    uint32_t parts;  // cells of which the bytes in `bits` were touched
    uint32_t bits;
  };
  // In groups, each of which is searched at once.
  struct Log {
    static constexpr uint32_t lanes = 8;
    typedef int32_t Lanes __attribute__((vector_size(lanes * sizeof(int32_t))));
    struct Group {
      Lanes begin, end, count;  // end 0: none
      uint32_t partnerKnown[lanes];
      bool strided[lanes];  // an access of several runs, which are in `runs`
    };
    Group groups[logLimit / lanes];
    Runs runs[logLimit];
  };

  Log* log_;
  uint32_t* newest_;  // highest count of each page
  Page* pages_;
  uint32_t* tags_;     // of each cell: tagOf its last access
  uint32_t* touched_;  // and the bytes it touched, one bit each, where it is partial
  uint32_t logged_;    // accesses in the log
  uint32_t searched_;  // groups of the log, since it was flushed
  uint32_t flushed_;   // highest count that was flushed

  // The count of an access, and whether it touched only a part of the cell.
  static constexpr uint32_t tagOf(uint32_t count, bool partial) { return count << 1 | (partial ? 1 : 0); }

  void append(uint32_t begin, uint32_t end, const Runs& runs, uint32_t partnerKnown, uint32_t count);
  bool logHasNewer(uint32_t begin, uint32_t end, uint32_t count);
  LocalAccess accessAt(uint32_t place) const;
  uint32_t firstAfter(uint32_t count) const;

  bool flush(uint32_t begin, uint32_t end, uint32_t count, uint32_t completed);
  void flushLog(uint32_t completed);
  void flushPage(uint32_t page);

  void touch(const LocalAccess& access, uint32_t partnerKnown, uint32_t count);
  bool touchRows(uint32_t offset, const Runs& runs, uint32_t partnerKnown, uint32_t count);
  void touchWholeCells(uint32_t first, uint32_t end, uint32_t partnerKnown, uint32_t count);
  void touchWholePages(uint32_t first, uint32_t end, uint32_t count);
  void touchPage(uint32_t page, Page touched, uint32_t partnerKnown);
  void touchParts(uint32_t page, uint32_t cells, uint32_t bits, uint32_t partnerKnown, uint32_t count);
  friend class PageCollector;
};

inline bool AccessHistory::logHasNewer(uint32_t begin, uint32_t end, uint32_t count) {
  constexpr uint32_t few = 2;  // groups that are no reason to flush anything
  const auto from = static_cast<int32_t>(firstCell(begin) * cellBytes),
             to = static_cast<int32_t>(endCell(end) * cellBytes);
  const auto newerThan = static_cast<int32_t>(count);
  const Log::Group *first = log_->groups, *last = first + (logged_ - 1) / Log::lanes, *group = last;
  auto touches = (group->count > newerThan) & (group->begin < to) & (group->end > from);
  for (; group != first && group->count[0] > newerThan;) {
    --group;
    touches |= (group->count > newerThan) & (group->begin < to) & (group->end > from);
  }
  const auto looked = static_cast<uint32_t>(last - group);
  if (looked > few) searched_ += looked - few;
  int32_t any = 0;
  for (uint32_t lane = 0; lane < Log::lanes; ++lane) any |= touches[lane];
  return any != 0;
}

inline void AccessHistory::append(uint32_t begin, uint32_t end, const Runs& runs, uint32_t partnerKnown,
                                  uint32_t count) {
  const uint32_t lane = logged_ % Log::lanes;
  Log::Group& group = log_->groups[logged_ / Log::lanes];
  if (lane == 0) group.end = Log::Lanes{};
  group.begin[lane] = static_cast<int32_t>(begin);
  group.end[lane] = static_cast<int32_t>(end);
  group.count[lane] = static_cast<int32_t>(count);
  group.partnerKnown[lane] = partnerKnown;
  group.strided[lane] = !runs.isOne();
  if (group.strided[lane]) log_->runs[logged_] = runs;
  ++logged_;
}

inline void AccessHistory::add(const LocalAccess& access, uint32_t partnerKnown, uint32_t count) {
  const uint32_t begin = access.offset, end = endOf(access);
  if (begin != end) append(begin, end, access.runs, partnerKnown, count);
}

inline bool AccessHistory::mayHaveNewer(uint32_t begin, uint32_t end, uint32_t count) {
  return flushed_ > count || (logged_ != 0 && logHasNewer(begin, end, count));
}

}  // namespace npu_emu
