// Which instruction of a pipe touched which bytes of a local memory last.
#include <sys/mman.h>

#include <algorithm>
#include <new>

#include "hazard.h"
#include "hazard_bits.h"

namespace npu_emu {

// Accesses of many rows. They come again in loops, and then nothing has to be written down.
struct LocalShadow::Marks::Latest {
  static constexpr uint32_t limit = 16;
  uint32_t number;
  uint32_t begin[limit], end[limit];  // 0 where there is none
  uint32_t count[limit], waited[limit];
  Runs runs[limit];
};

namespace {

// Bits [begin, end) of a word, end > begin.
constexpr uint32_t bitRange(uint32_t begin, uint32_t end) { return (~0u << begin) & (~0u >> (32 - end)); }

// One bit for every so many cells, which go into a page.
uint32_t everyCell(uint32_t distance) {
  uint32_t cells = 1;
  for (uint32_t reach = distance; reach < cellsPerPage; reach *= 2) cells |= cells << reach;
  return cells;
}

}  // namespace

namespace {

constexpr uint32_t cellsOf(uint32_t bytes) { return (bytes + cellBytes - 1) / cellBytes; }
constexpr uint32_t pagesOf(uint32_t bytes) { return (bytes + pageBytes - 1) / pageBytes; }

constexpr size_t wordsPerPage = sizeof(LocalShadow::Marks::Page) / sizeof(uint32_t), wordsOfLatest = sizeof(LocalShadow::Marks::Latest) / sizeof(uint32_t);

// Takes the words of one pipe's marks of a memory from the area. Not inlined: it would be so a hundred times.
[[gnu::noinline]] uint32_t* place(LocalShadow::Marks& marks, uint32_t* next, uint32_t bytes) {
  const uint32_t cells = cellsOf(bytes);
  marks.latest = reinterpret_cast<LocalShadow::Marks::Latest*>(next);
  next += wordsOfLatest;
  marks.pages = reinterpret_cast<LocalShadow::Marks::Page*>(next);
  next += pagesOf(bytes) * wordsPerPage;
  marks.last = next;
  marks.part = next + cells;
  return next + 2 * cells;
}

}  // namespace

LocalShadow::LocalShadow(const std::array<uint32_t, memoryKinds>& capacity) : valid(capacity[ubIndex]) {
  size_t words = 0;
  for (uint32_t bytes : capacity) words += wordsOfLatest + pagesOf(bytes) * wordsPerPage + 2 * cellsOf(bytes);
  areaBytes = words * pipeCount * 2 * sizeof(uint32_t);
  area = mmap(nullptr, areaBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (area == MAP_FAILED) throw std::bad_alloc();
  auto* next = static_cast<uint32_t*>(area);
  for (size_t memory = 0; memory < memoryKinds; ++memory)
    for (size_t pipe = 0; pipe < pipeCount; ++pipe)
      for (auto* kind : {&writes, &reads}) next = place((*kind)[memory][pipe], next, capacity[memory]);
  loaded.resize((cellsOf(capacity[ubIndex]) + 63) / 64);
}

LocalShadow::~LocalShadow() { munmap(area, areaBytes); }

namespace {

bool isSame(const Runs& one, const Runs& other) {
  return one.bytes == other.bytes && one.rows == other.rows && one.rowStride == other.rowStride && one.blocks == other.blocks && one.blockStride == other.blockStride;
}

// Whether an access touches whole blocks only, whatever else is touched.
bool isWhole(uint32_t begin, const Runs& runs) {
  return (begin | runs.bytes | (runs.rows > 1 ? runs.rowStride : 0) | (runs.blocks > 1 ? runs.blockStride : 0)) % cellBytes == 0;
}

}  // namespace

// Whether one of the latest accesses after an instruction has its blocks among those of [begin, end).
bool LocalShadow::Marks::touchesLatest(uint32_t begin, uint32_t end, uint32_t after) const {
  const uint32_t from = begin / cellBytes * cellBytes, to = (end + cellBytes - 1) / cellBytes * cellBytes;
  const Latest& of = *latest;
  uint32_t touches = 0;  // all of them without a branch: few vector instructions
  for (uint32_t i = 0; i < Latest::limit; ++i)
    touches |= static_cast<uint32_t>(of.count[i] > after) & static_cast<uint32_t>(of.begin[i] < to) & static_cast<uint32_t>(of.end[i] > from);
  return touches != 0;
}

// Writes all of the latest accesses down, in their order.
void LocalShadow::Marks::writeLatest() {
  Latest& of = *latest;
  for (uint32_t left = of.number; left > 0; --left) {
    const auto oldest = static_cast<uint32_t>(std::min_element(of.count, of.count + of.number) - of.count);
    write({0, false, of.begin[oldest], of.runs[oldest], ""}, of.waited[oldest], of.count[oldest]);
    of.count[oldest] = UINT32_MAX;
  }
  std::fill(of.begin, of.begin + of.number, 0);
  std::fill(of.end, of.end + of.number, 0);
  of.number = 0;
}

void LocalShadow::Marks::add(const LocalAccess& access, uint32_t waited, uint32_t count) {
  const uint32_t begin = access.offset, end = endOf(access);
  if (begin == end) return;
  Latest& of = *latest;
  if (access.runs.rows * access.runs.blocks == 1) {
    if (of.number != 0 && touchesLatest(begin, end, 0)) writeLatest();
    return write(access, waited, count);
  }
  uint32_t same = Latest::limit, oldest = 0;
  for (uint32_t i = 0; i < of.number; ++i) {
    if (of.begin[i] == begin && of.end[i] == end && isSame(of.runs[i], access.runs)) same = i;
    if (of.count[i] < of.count[oldest]) oldest = i;
  }
  // parts add up in order, so that nothing between the two may have touched the same blocks
  if (same != Latest::limit && (isWhole(begin, access.runs) || !touchesLatest(begin, end, of.count[same]))) {
    if (of.count[same] <= waited) of.waited[same] = waited;
    of.count[same] = count;
    return;
  }
  uint32_t place = of.number;
  if (of.number == Latest::limit) {
    place = oldest;
    write({0, false, of.begin[oldest], of.runs[oldest], ""}, of.waited[oldest], of.count[oldest]);
  } else {
    ++of.number;
  }
  of.begin[place] = begin;
  of.end[place] = end;
  of.count[place] = count;
  of.waited[place] = waited;
  of.runs[place] = access.runs;
}

bool LocalShadow::Marks::settle(uint32_t begin, uint32_t end, uint32_t count) {
  if (latest->number != 0 && touchesLatest(begin, end, count)) writeLatest();
  const uint32_t first = begin / pageBytes, last = (end - 1) / pageBytes;
  uint32_t newest = 0;
  for (uint32_t page = first; page <= last; ++page) newest = std::max(newest, pages[page].newest);
  if (newest <= count) return false;
  for (uint32_t page = first; page <= last; ++page)
    if (pages[page].newest > count) settlePage(page);
  return true;
}

// Writes down for each block what the page says.
void LocalShadow::Marks::settlePage(uint32_t page) {
  constexpr int few = 8;
  Page& of = pages[page];
  const uint32_t tagOfWhole = tagOf(of.count, false), tagOfPart = tagOf(of.count, true);
  uint32_t *tags = last + page * cellsPerPage, *touched = part + page * cellsPerPage;
  if (__builtin_popcount(of.whole) > few) {
    for (uint32_t cell = 0; cell < cellsPerPage; ++cell) tags[cell] = (of.whole >> cell & 1) != 0 ? tagOfWhole : tags[cell];
  } else {
    for (uint32_t left = of.whole; left != 0; left &= left - 1) tags[__builtin_ctz(left)] = tagOfWhole;
  }
  for (uint32_t left = of.parts; left != 0; left &= left - 1) {
    tags[__builtin_ctz(left)] = tagOfPart;
    touched[__builtin_ctz(left)] = of.bits;
  }
  of.whole = of.parts = 0;
}

// The page says nothing of these blocks.
void LocalShadow::Marks::touchParts(uint32_t page, uint32_t blocks, uint32_t bits, uint32_t waited, uint32_t count) {
  for (uint32_t left = blocks; left != 0; left &= left - 1) {
    const uint32_t cell = page * cellsPerPage + static_cast<uint32_t>(__builtin_ctz(left)), tag = last[cell];
    uint32_t all = bits;
    if ((tag >> 1) > waited) all |= (tag & 1) != 0 ? part[cell] : ~0u;
    last[cell] = tagOf(count, all != ~0u);
    part[cell] = all;
  }
}

// An access of other blocks of the page may be newer than this one.
void LocalShadow::Marks::touch(uint32_t page, uint32_t whole, uint32_t parts, uint32_t bits, uint32_t waited, uint32_t count) {
  Page& of = pages[page];
  const uint32_t newest = std::max(of.newest, count);
  if (parts != 0) {
    const bool alike = of.bits == bits && (parts & ~of.parts) == 0;  // added up or not, it is the same
    if (of.count == count || (of.newest > waited && !alike)) {
      settlePage(page);
      touchParts(page, parts, bits, waited, count);
      parts = 0;
    }
  }
  if (of.count == count) {
    of.whole |= whole;
    of.parts &= ~whole;
    of.newest = newest;
    return;
  }
  const uint32_t others = ~(whole | parts);
  if (((of.whole | of.parts) & others) != 0) {
    of.whole &= others;
    of.parts &= others;
    settlePage(page);
  }
  of = {newest, count, whole, parts, bits};
}

// Rows at one distance that goes into a page: the same blocks in each page. False where the access is another.
bool LocalShadow::Marks::markRows(uint32_t offset, const Runs& runs, uint32_t waited, uint32_t count) {
  const bool even = runs.rows == 1 || runs.blocks == 1 || runs.rowStride == runs.blocks * runs.blockStride;
  const uint32_t number = runs.rows * runs.blocks, distance = runs.blocks == 1 ? runs.rowStride : runs.blockStride;
  const bool isPowerOfTwo = distance != 0 && (distance & (distance - 1)) == 0;
  if (!even || number == 1 || !isPowerOfTwo || distance < cellBytes || distance > pageBytes || offset % cellBytes != 0) return false;
  if ((offset & (distance - 1)) + runs.bytes > distance || runs.bytes == 0) return false;
  const auto shift = static_cast<uint32_t>(__builtin_ctz(distance));
  const uint32_t step = distance / cellBytes, perPage = pageBytes >> shift, start = (offset & (distance - 1)) / cellBytes;
  const uint32_t rows = everyCell(step), bits = (1u << runs.bytes % cellBytes) - 1;
  const uint32_t whole = runs.bytes < cellBytes ? 0 : rows * bitRange(start, start + runs.bytes / cellBytes);
  const uint32_t parts = bits == 0 ? 0 : rows << (start + runs.bytes / cellBytes);
  uint32_t page = offset / pageBytes, row = offset % pageBytes >> shift;  // in the page
  for (uint32_t left = number; left > 0; ++page, row = 0) {
    const uint32_t here = std::min(left, perPage - row);
    const uint32_t cells = here == perPage ? ~0u : bitRange(row * step, (row + here) * step);
    touch(page, whole & cells, parts & cells, bits, waited, count);
    left -= here;
  }
  return true;
}

// Whole blocks, one after the other.
void LocalShadow::Marks::markBlocks(uint32_t first, uint32_t last, uint32_t waited, uint32_t count) {
  while (first < last) {
    const uint32_t page = first / cellsPerPage, stop = std::min(last, (page + 1) * cellsPerPage);
    if (stop - first == cellsPerPage)
      pages[page] = {count, count, ~0u, 0, 0};
    else
      touch(page, bitRange(first % cellsPerPage, (stop - 1) % cellsPerPage + 1), 0, 0, waited, count);
    first = stop;
  }
}

// Collects what an instruction touches of a page, and marks it when all of it is known.
class PageOfMarks {
 public:
  PageOfMarks(LocalShadow::Marks& marks, uint32_t waited, uint32_t count) : marks_(marks), waited_(waited), count_(count) {}

  void whole(uint32_t page, uint32_t blocks) {
    if (page != page_ || (blocks & parts_) != 0) close();
    page_ = page;
    whole_ |= blocks;
  }
  void part(uint32_t cell, uint32_t bits) {
    const uint32_t page = cell / cellsPerPage, block = 1u << cell % cellsPerPage;
    if (page != page_ || ((whole_ | parts_) & block) != 0 || (parts_ != 0 && bits != bits_)) close();
    page_ = page;
    parts_ |= block;
    bits_ = bits;
  }
  void pages(uint32_t first, uint32_t last) {
    close();
    std::fill(marks_.pages + first, marks_.pages + last, LocalShadow::Marks::Page{count_, count_, ~0u, 0, 0});
  }
  void close() {
    if ((whole_ | parts_) != 0) marks_.touch(page_, whole_, parts_, bits_, waited_, count_);
    whole_ = parts_ = 0;
  }

 private:
  LocalShadow::Marks& marks_;
  uint32_t waited_, count_, page_ = 0, whole_ = 0, parts_ = 0, bits_ = 0;
};

void LocalShadow::Marks::write(const LocalAccess& access, uint32_t waited, uint32_t count) {
  if (access.runs.rows * access.runs.blocks > 1) {
    if (markRows(access.offset, access.runs, waited, count)) return;
  } else if ((access.offset | access.runs.bytes) % cellBytes == 0) {
    return markBlocks(access.offset / cellBytes, (access.offset + access.runs.bytes) / cellBytes, waited, count);
  }
  PageOfMarks open(*this, waited, count);
  forEachRun(access, [&](uint32_t begin, uint32_t end) {
    uint32_t first = begin / cellBytes, last = (end + cellBytes - 1) / cellBytes;
    if (begin % cellBytes != 0 || end < (first + 1) * cellBytes) open.part(first, bitsIn(first, begin, end)), ++first;
    if (first < last && end % cellBytes != 0) --last, open.part(last, bitsIn(last, begin, end));
    while (first < last) {
      uint32_t page = first / cellsPerPage, lastPage = last / cellsPerPage;
      if (first % cellsPerPage == 0 && page < lastPage) {
        open.pages(page, lastPage);
        first = lastPage * cellsPerPage;
        continue;
      }
      uint32_t stop = std::min(last, (page + 1) * cellsPerPage);
      open.whole(page, bitRange(first % cellsPerPage, (stop - 1) % cellsPerPage + 1));
      first = stop;
    }
  });
  open.close();
}

}  // namespace npu_emu
