// Which instruction of a pipe touched which bytes of a local memory last.
#include <sys/mman.h>

#include <algorithm>
#include <new>

#include "hazard.h"
#include "hazard_bits.h"
#include "hazard_log.h"

namespace npu_emu {

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

constexpr size_t wordsPerPage = sizeof(LocalShadow::Marks::Page) / sizeof(uint32_t),
                 wordsOfLog = sizeof(LocalShadow::Marks::Log) / sizeof(uint32_t);

constexpr size_t wordsOf(uint32_t bytes) {
  constexpr size_t aligned = 16;
  const size_t words = wordsOfLog + pagesOf(bytes) * (wordsPerPage + 1) + 2 * cellsOf(bytes);
  return (words + aligned - 1) / aligned * aligned;
}

// Takes the words of one pipe's marks of a memory from the area. Not inlined: it would be so a hundred times.
[[gnu::noinline]] uint32_t* place(LocalShadow::Marks& marks, uint32_t* next, uint32_t bytes) {
  marks.log = reinterpret_cast<LocalShadow::Marks::Log*>(next);
  marks.pages = reinterpret_cast<LocalShadow::Marks::Page*>(next + wordsOfLog);
  marks.newest = next + wordsOfLog + pagesOf(bytes) * wordsPerPage;
  marks.last = marks.newest + pagesOf(bytes);
  marks.part = marks.last + cellsOf(bytes);
  return next + wordsOf(bytes);
}

}  // namespace

LocalShadow::LocalShadow(const std::array<uint32_t, memoryKinds>& capacity) : valid(capacity[ubIndex]) {
  size_t words = 0;
  for (uint32_t bytes : capacity) words += wordsOf(bytes);
  areaBytes = words * pipeCount * 2 * sizeof(uint32_t);
  area = mmap(nullptr, areaBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (area == MAP_FAILED) throw std::bad_alloc();
  auto* next = static_cast<uint32_t*>(area);
  for (size_t memory = 0; memory < memoryKinds; ++memory)
    for (size_t pipe = 0; pipe < pipeCount; ++pipe)
      for (auto* kind : {&writes, &reads}) next = place((*kind)[memory][pipe], next, capacity[memory]);
  loaded.resize((cellsOf(capacity[ubIndex]) + 63) / 64);
}

void LocalShadow::forget() {
  madvise(area, areaBytes, MADV_DONTNEED);  // reads as zero from here on
  issued = {};
  newestWrites = newestReads = {};
  for (auto* kind : {&writes, &reads})
    for (auto& ofMemory : *kind)
      for (Marks& marks : ofMemory) marks.logged = marks.searched = marks.written = 0;
}

LocalShadow::~LocalShadow() { munmap(area, areaBytes); }

LocalAccess LocalShadow::Marks::accessAt(uint32_t place) const {
  const uint32_t lane = place % Log::lanes;
  const Log::Group& group = log->groups[place / Log::lanes];
  const auto begin = static_cast<uint32_t>(group.begin[lane]), end = static_cast<uint32_t>(group.end[lane]);
  return {0, false, begin, group.strided[lane] ? log->runs[place] : Runs{end - begin}, ""};
}

// The first access in the log after an instruction.
uint32_t LocalShadow::Marks::firstAfter(uint32_t over) const {
  auto countAt = [&](uint32_t place) {
    return static_cast<uint32_t>(log->groups[place / Log::lanes].count[place % Log::lanes]);
  };
  uint32_t place = 0;
  for (uint32_t behind = logged; place < behind;) {
    const uint32_t middle = (place + behind) / 2;
    if (countAt(middle) > over) behind = middle;
    else place = middle + 1;
  }
  return place;
}

void LocalShadow::Marks::makeRoom(uint32_t over) {
  const uint32_t first = firstAfter(over), behind = logged;
  if (behind - first > logLimit / 2) return writeDown(over);
  logged = searched = 0;
  for (uint32_t place = first; place < behind; ++place) {
    const LocalAccess access = accessAt(place);
    const Log::Group& group = log->groups[place / Log::lanes];
    const uint32_t lane = place % Log::lanes, end = static_cast<uint32_t>(group.end[lane]);
    append(access.offset, end, access.runs, group.waited[lane], static_cast<uint32_t>(group.count[lane]));
  }
}

// Writes the accesses in the log down, in their order.
void LocalShadow::Marks::writeDown(uint32_t over) {
  for (uint32_t place = firstAfter(over); place < logged; ++place) {
    const Log::Group& group = log->groups[place / Log::lanes];
    written = static_cast<uint32_t>(group.count[place % Log::lanes]);
    write(accessAt(place), group.waited[place % Log::lanes], written);
  }
  logged = searched = 0;
}

bool LocalShadow::Marks::settle(uint32_t begin, uint32_t end, uint32_t count, uint32_t over) {
  constexpr uint32_t searchesPerAccess = 16;  // writing one down takes longer
  if (logged != 0 && (searched > searchesPerAccess * logged || isLogged(begin, end, count))) writeDown(over);
  if (written <= count) return false;
  const uint32_t first = begin / pageBytes, last = (end - 1) / pageBytes;
  uint32_t highest = 0;
  for (uint32_t page = first; page <= last; ++page) highest = std::max(highest, newest[page]);
  if (highest <= count) return false;
  for (uint32_t page = first; page <= last; ++page)
    if (newest[page] > count) settlePage(page);
  return true;
}

// Writes down for each block what the page says.
void LocalShadow::Marks::settlePage(uint32_t page) {
  constexpr int few = 8;
  Page& of = pages[page];
  const uint32_t tagOfWhole = tagOf(of.count, false), tagOfPart = tagOf(of.count, true);
  uint32_t *tags = last + page * cellsPerPage, *touched = part + page * cellsPerPage;
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

void LocalShadow::Marks::touch(uint32_t page, uint32_t whole, uint32_t parts, uint32_t bits, uint32_t waited,
                               uint32_t count) {
  Page& of = pages[page];
  if (parts != 0) {
    const bool alike = of.bits == bits && (parts & ~of.parts) == 0;  // added up or not, it is the same
    if (of.count == count || (newest[page] > waited && !alike)) {
      settlePage(page);
      touchParts(page, parts, bits, waited, count);
      parts = 0;
    }
  }
  newest[page] = count;
  if (of.count == count) {
    of.whole |= whole;
    of.parts &= ~whole;
    return;
  }
  const uint32_t others = ~(whole | parts);
  if (((of.whole | of.parts) & others) != 0) {
    of.whole &= others;
    of.parts &= others;
    settlePage(page);
  }
  of = {count, whole, parts, bits};
}

// Rows at one distance that goes into a page: the same blocks in each page. False where the access is another.
bool LocalShadow::Marks::markRows(uint32_t offset, const Runs& runs, uint32_t waited, uint32_t count) {
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
    touch(page, whole & cells, parts & cells, bits, waited, count);
    left -= here;
  }
  return true;
}

void LocalShadow::Marks::touchPages(uint32_t first, uint32_t last, uint32_t count) {
  std::fill(newest + first, newest + last, count);
  std::fill(pages + first, pages + last, Page{count, ~0u, 0, 0});
}

// Whole blocks, one after the other.
void LocalShadow::Marks::markBlocks(uint32_t first, uint32_t last, uint32_t waited, uint32_t count) {
  while (first < last) {
    const uint32_t page = first / cellsPerPage, stop = std::min(last, (page + 1) * cellsPerPage);
    if (stop - first == cellsPerPage) touchPages(page, page + 1, count);
    else touch(page, bitRange(first % cellsPerPage, (stop - 1) % cellsPerPage + 1), 0, 0, waited, count);
    first = stop;
  }
}

// Collects what an instruction touches of a page, and marks it when all of it is known.
class PageOfMarks {
 public:
  PageOfMarks(LocalShadow::Marks& marks, uint32_t waited, uint32_t count)
      : marks_(marks), waited_(waited), count_(count) {}

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
    marks_.touchPages(first, last, count_);
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
