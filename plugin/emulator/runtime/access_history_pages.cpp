// How accesses are noted by page: what one instruction touched of a page stays together until another one touches other
// cells of it.
#include <algorithm>

#include "access_history.h"

namespace npu_emu {

namespace {

// Bits [begin, end) of a word, end > begin.
constexpr uint32_t bitRange(uint32_t begin, uint32_t end) { return (~0u << begin) & (~0u >> (32 - end)); }

// A bit for one cell of each `distance`, which goes into a page.
uint32_t everyCell(uint32_t distance) {
  uint32_t cells = 1;
  for (uint32_t reach = distance; reach < cellsPerPage; reach *= 2) cells |= cells << reach;
  return cells;
}

}  // namespace

// Collects what an instruction touches of a page, and touches the page once all of it is known.
class PageCollector {
 public:
  PageCollector(AccessHistory& history, uint32_t partnerKnown, uint32_t count)
      : history_(history), partnerKnown_(partnerKnown), count_(count) {}

  void whole(uint32_t page, uint32_t cells) {
    if (page != page_ || (cells & parts_) != 0) close();
    page_ = page;
    whole_ |= cells;
  }
  void part(uint32_t cell, uint32_t bits) {
    const uint32_t page = cell / cellsPerPage, bit = 1u << cell % cellsPerPage;
    if (page != page_ || ((whole_ | parts_) & bit) != 0 || (parts_ != 0 && bits != bits_)) close();
    page_ = page;
    parts_ |= bit;
    bits_ = bits;
  }
  void pages(uint32_t first, uint32_t end) {
    close();
    history_.touchWholePages(first, end, count_);
  }
  void close() {
    if ((whole_ | parts_) != 0) history_.touchPage(page_, {count_, whole_, parts_, bits_}, partnerKnown_);
    whole_ = parts_ = 0;
  }

 private:
  AccessHistory& history_;
  uint32_t partnerKnown_, count_, page_ = 0, whole_ = 0, parts_ = 0, bits_ = 0;
};

// Notes the access in the pages that it touches.
void AccessHistory::touch(const LocalAccess& access, uint32_t partnerKnown, uint32_t count) {
  if (access.runs.rows * access.runs.blocks > 1) {
    if (touchRows(access.offset, access.runs, partnerKnown, count)) return;
  } else if ((access.offset | access.runs.bytes) % cellBytes == 0) {
    return touchWholeCells(access.offset / cellBytes, (access.offset + access.runs.bytes) / cellBytes, partnerKnown,
                           count);
  }
  PageCollector collected(*this, partnerKnown, count);
  forEachRange(access, [&](uint32_t begin, uint32_t end) {
    uint32_t first = firstCell(begin), behind = endCell(end);
    if (begin % cellBytes != 0 || end < (first + 1) * cellBytes)
      collected.part(first, bytesOfCell(first, begin, end)), ++first;
    if (first < behind && end % cellBytes != 0) --behind, collected.part(behind, bytesOfCell(behind, begin, end));
    while (first < behind) {
      const uint32_t page = first / cellsPerPage, lastPage = behind / cellsPerPage;
      if (first % cellsPerPage == 0 && page < lastPage) {
        collected.pages(page, lastPage);
        first = lastPage * cellsPerPage;
        continue;
      }
      const uint32_t stop = std::min(behind, (page + 1) * cellsPerPage);
      collected.whole(page, bitRange(first % cellsPerPage, (stop - 1) % cellsPerPage + 1));
      first = stop;
    }
  });
  collected.close();
}

// Rows at one distance that goes into a page: the same cells in each page. False where the access is another.
bool AccessHistory::touchRows(uint32_t offset, const Runs& runs, uint32_t partnerKnown, uint32_t count) {
  const bool even = runs.rows == 1 || runs.blocks == 1 || runs.rowStride == runs.blocks * runs.blockStride;
  const uint32_t number = runs.rows * runs.blocks, distance = runs.blocks == 1 ? runs.rowStride : runs.blockStride;
  const bool isPowerOfTwo = distance != 0 && (distance & (distance - 1)) == 0;
  if (!even || number == 1 || !isPowerOfTwo || distance < cellBytes || distance > pageBytes || offset % cellBytes != 0)
    return false;
  if ((offset & (distance - 1)) + runs.bytes > distance || runs.bytes == 0) return false;
  const auto shift = static_cast<uint32_t>(__builtin_ctz(distance));
  const uint32_t step = distance / cellBytes, perPage = pageBytes >> shift,
                 start = (offset & (distance - 1)) / cellBytes;
  const uint32_t rows = everyCell(step), bits = (1u << runs.bytes % cellBytes) - 1;
  const uint32_t whole = runs.bytes < cellBytes ? 0 : rows * bitRange(start, start + runs.bytes / cellBytes);
  const uint32_t parts = bits == 0 ? 0 : rows << (start + runs.bytes / cellBytes);
  uint32_t page = offset / pageBytes, row = offset % pageBytes >> shift;  // in the page
  for (uint32_t left = number; left > 0; ++page, row = 0) {
    const uint32_t here = std::min(left, perPage - row);
    const uint32_t cells = here == perPage ? ~0u : bitRange(row * step, (row + here) * step);
    touchPage(page, {count, whole & cells, parts & cells, bits}, partnerKnown);
    left -= here;
  }
  return true;
}

void AccessHistory::touchWholePages(uint32_t first, uint32_t end, uint32_t count) {
  std::fill(newest_ + first, newest_ + end, count);
  std::fill(pages_ + first, pages_ + end, Page{count, ~0u, 0, 0});
}

void AccessHistory::touchWholeCells(uint32_t first, uint32_t end, uint32_t partnerKnown, uint32_t count) {
  while (first < end) {
    const uint32_t page = first / cellsPerPage, stop = std::min(end, (page + 1) * cellsPerPage);
    const uint32_t cells = bitRange(first % cellsPerPage, (stop - 1) % cellsPerPage + 1);
    if (stop - first == cellsPerPage) touchWholePages(page, page + 1, count);
    else touchPage(page, {count, cells, 0, 0}, partnerKnown);
    first = stop;
  }
}

void AccessHistory::touchPage(uint32_t page, Page touched, uint32_t partnerKnown) {
  Page& of = pages_[page];
  if (touched.parts != 0) {
    // added up or not, it is the same
    const bool alike = of.bits == touched.bits && (touched.parts & ~of.parts) == 0;
    if (of.count == touched.count || (newest_[page] > partnerKnown && !alike)) {
      flushPage(page);
      touchParts(page, touched.parts, touched.bits, partnerKnown, touched.count);
      touched.parts = 0;
    }
  }
  newest_[page] = touched.count;
  if (of.count == touched.count) {
    of.whole |= touched.whole;
    of.parts &= ~touched.whole;
    return;
  }
  const uint32_t others = ~(touched.whole | touched.parts);
  if (((of.whole | of.parts) & others) != 0) {
    of.whole &= others;
    of.parts &= others;
    flushPage(page);
  }
  of = touched;
}

// Of cells that the page says nothing of.
void AccessHistory::touchParts(uint32_t page, uint32_t cells, uint32_t bits, uint32_t partnerKnown, uint32_t count) {
  for (uint32_t left = cells; left != 0; left &= left - 1) {
    const uint32_t cell = page * cellsPerPage + static_cast<uint32_t>(__builtin_ctz(left)), tag = tags_[cell];
    uint32_t all = bits;
    if ((tag >> 1) > partnerKnown) all |= (tag & 1) != 0 ? touched_[cell] : ~0u;
    tags_[cell] = tagOf(count, all != ~0u);
    touched_[cell] = all;
  }
}

}  // namespace npu_emu
