#include "hazard.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "device.h"
#include "hazard_bits.h"

namespace npu_emu {

namespace {

constexpr size_t scalarPipe = static_cast<size_t>(Pipe::S), vectorPipe = static_cast<size_t>(Pipe::V);
constexpr size_t accumulatorIndex = static_cast<size_t>(Memory::L0C);

void join(Hazards::Clock& into, const Hazards::Clock& from) {
  for (size_t i = 0; i < pipeCount; ++i) into[i] = std::max(into[i], from[i]);
}

// Bits of the bytes of a cell that lie in [begin, end).
uint32_t bitsIn(uint32_t cell, uint32_t begin, uint32_t end) {
  uint32_t low = cell * cellBytes, from = begin > low ? begin - low : 0, to = std::min(end - low, cellBytes);
  return (to == cellBytes ? ~0u : (1u << to) - 1) & ~((1u << from) - 1);
}

// A count with a mark of its own for accesses to a part of the cell.
constexpr uint32_t tagOf(uint32_t count, bool partial) { return count << 1 | (partial ? 1 : 0); }

// Bits [begin, end) of a word, end > begin.
constexpr uint32_t bitRange(uint32_t begin, uint32_t end) { return (~0u << begin) & (~0u >> (32 - end)); }

// One bit for every so many cells, which go into a page.
uint32_t everyCell(uint32_t distance) {
  uint32_t cells = 1;
  for (uint32_t reach = distance; reach < cellsPerPage; reach *= 2) cells |= cells << reach;
  return cells;
}

std::string eventName(Pipe from, Pipe to) { return std::string(nameOf(from)) + "_" + nameOf(to); }

}  // namespace

namespace {

constexpr uint32_t cellsOf(uint32_t bytes) { return (bytes + cellBytes - 1) / cellBytes; }
constexpr uint32_t pagesOf(uint32_t bytes) { return (bytes + pageBytes - 1) / pageBytes; }

// Takes the words of one pipe's marks of a memory from the area. Not inlined: it would be so a hundred times.
[[gnu::noinline]] uint32_t* place(LocalShadow::Marks& marks, uint32_t* next, uint32_t bytes) {
  const uint32_t cells = cellsOf(bytes), pages = pagesOf(bytes);
  marks = {next, next + cells, next + 2 * cells, next + 2 * cells + pages, next + 2 * cells + 2 * pages};
  return next + 2 * cells + 3 * pages;
}

}  // namespace

LocalShadow::LocalShadow(const std::array<uint32_t, memoryKinds>& capacity) : valid(capacity[ubIndex]) {
  size_t words = 0;
  for (uint32_t bytes : capacity) words += 2 * cellsOf(bytes) + 3 * pagesOf(bytes);
  areaBytes = words * pipeCount * 2 * sizeof(uint32_t);
  area = mmap(nullptr, areaBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (area == MAP_FAILED) throw std::bad_alloc();
  auto* next = static_cast<uint32_t*>(area);
  for (size_t memory = 0; memory < memoryKinds; ++memory)
    for (size_t pipe = 0; pipe < pipeCount; ++pipe)
      for (auto* kind : {&writes, &reads}) next = place((*kind)[memory][pipe], next, capacity[memory]);
  loaded.resize((cellsOf(capacity[ubIndex]) + 63) / 64);
}

void LocalShadow::Marks::touchPages(uint32_t first, uint32_t last, uint32_t count) {
  std::fill(pageBlocks + first, pageBlocks + last, ~0u);
  std::fill(pageCount + first, pageCount + last, count);
  std::fill(pageNewest + first, pageNewest + last, count);
}

// Writes down for each block what the page says.
void LocalShadow::Marks::settle(uint32_t page) {
  uint32_t tag = tagOf(pageCount[page], false);
  for (uint32_t blocks = pageBlocks[page]; blocks != 0; blocks &= blocks - 1) last[page * cellsPerPage + static_cast<uint32_t>(__builtin_ctz(blocks))] = tag;
  pageBlocks[page] = 0;
}

void LocalShadow::Marks::touch(uint32_t page, uint32_t blocks, uint32_t count) {
  bool same = pageCount[page] == count;
  pageBlocks[page] = same ? pageBlocks[page] : pageBlocks[page] & ~blocks;
  if (!same && pageBlocks[page] != 0) settle(page);
  pageBlocks[page] |= blocks;
  pageCount[page] = pageNewest[page] = count;
}

LocalShadow::~LocalShadow() { munmap(area, areaBytes); }

void Hazards::begin(LocalShadow* shadow, bool automaticOrder) {
  shadow_ = shadow;
  automaticOrder_ = automaticOrder;
  constexpr uint32_t limit = 1u << 29;
  if (*std::max_element(shadow->issued.begin(), shadow->issued.end()) > limit) {
    madvise(shadow->area, shadow->areaBytes, MADV_DONTNEED);  // reads as zero from here on
    shadow->issued = {};
    shadow->newestWrites = shadow->newestReads = {};
  }
  known_.fill(shadow->issued);
  shadow->valid.clear();
  std::fill(shadow->loaded.begin(), shadow->loaded.end(), 0);
  shadow->loadedBegin = shadow->loadedEnd = 0;
}

void Hazards::local(const char* instruction, const LocalAccess& access) {
  if (off_) return;
  instruction_ = instruction;
  local_.push_back(access);
}

void Hazards::global(const char* instruction, const GmAccess& access) {
  if (off_) return;
  instruction_ = instruction;
  global_.push_back(access);
}

void Hazards::forget() {
  local_.clear();
  global_.clear();
  ordersItself_ = ordersWithFixpipe_ = false;
  resultBytes_ = 0;
}

void Hazards::issue(Pipe pipe) {
  if (local_.empty() && global_.empty()) return;
  size_t p = static_cast<size_t>(pipe);
  if (p != scalarPipe) join(known_[p], known_[scalarPipe]);  // what the scalar unit waited for is over for all it issues
  uint32_t count = ++shadow_->issued[p];
  siteOf(p, count) = {instruction_, placeOf(*core)};
  // a value read too early tells more than one overwritten
  for (const LocalAccess& access : local_)
    if (!access.write) check(pipe, access);
  for (const LocalAccess& access : local_)
    if (access.write) check(pipe, access);
  for (const LocalAccess& access : local_)
    if (access.memory == ubIndex) noteLoads(pipe, access);
  for (const LocalAccess& access : local_) mark(pipe, access);
  for (const GmAccess& access : global_) checkGlobal(pipe, access);
  if (!core->isCube) propagate(pipe);
  forget();
}

// Pipes whose newest access is not known to be over, one bit each.
static uint32_t unordered(const PipeCounts& newest, const PipeCounts& known) {
  uint32_t pipes = 0;
  for (size_t q = 0; q < pipeCount; ++q) pipes |= static_cast<uint32_t>(newest[q] > known[q]) << q;
  return pipes;
}

void Hazards::check(Pipe pipe, const LocalAccess& access) {
  const size_t p = static_cast<size_t>(pipe);
  constexpr auto only = [](Pipe which) { return 1u << static_cast<size_t>(which); };
  uint32_t writers = unordered(shadow_->newestWrites[access.memory], known_[p]), readers = 0;
  // The scalar unit is in order; the compiler keeps vector instructions in order; reading first is in order on every pipe.
  if (pipe == Pipe::S || ordersItself_ || (pipe == Pipe::V && automaticOrder_)) writers &= ~only(pipe);
  if (access.write) readers = unordered(shadow_->newestReads[access.memory], known_[p]) & ~only(pipe);
  uint32_t pipes = writers | readers;
  if (automaticOrder_) pipes &= ~only(Pipe::S);  // the compiler has every pipe wait for the scalar unit
  if (ordersWithFixpipe_ && access.memory == accumulatorIndex) pipes &= ~(pipe == Pipe::M ? only(Pipe::FIX) : pipe == Pipe::FIX ? only(Pipe::M) : 0);
  for (; pipes != 0; pipes &= pipes - 1) {
    const auto q = static_cast<size_t>(__builtin_ctz(pipes));
    if ((writers >> q & 1) != 0) scan(pipe, static_cast<Pipe>(q), shadow_->writes[access.memory][q], access, true);
    if ((readers >> q & 1) != 0) scan(pipe, static_cast<Pipe>(q), shadow_->reads[access.memory][q], access, false);
  }
}

void Hazards::scan(Pipe pipe, Pipe other, LocalShadow::Marks& marks, const LocalAccess& access, bool otherWrites) {
  uint32_t found = 0, place = 0;
  const uint32_t known = known_[static_cast<size_t>(pipe)][static_cast<size_t>(other)], limit = tagOf(known, true);
  const uint32_t firstPage = access.offset / pageBytes, lastPage = (endOf(access) - 1) / pageBytes;
  uint32_t newest = 0;
  for (uint32_t page = firstPage; page <= lastPage; ++page) newest = std::max(newest, marks.pageNewest[page]);
  if (newest <= known) return;
  for (uint32_t page = firstPage; page <= lastPage; ++page)
    if (marks.pageNewest[page] > known) marks.settle(page);
  forEachRun(access, [&](uint32_t begin, uint32_t end) {
    uint32_t first = begin / cellBytes, last = (end + cellBytes - 1) / cellBytes;
    bool any = false;
    for (uint32_t cell = first; cell < last; ++cell) any |= marks.last[cell] > limit;
    if (!any) return;
    for (uint32_t cell = first; cell < last; ++cell) {
      uint32_t tag = marks.last[cell];
      if (tag <= limit) continue;
      uint32_t theirs = (tag & 1) != 0 ? marks.part[cell] : ~0u;
      if ((bitsIn(cell, begin, end) & theirs) == 0) continue;
      if (found == 0) place = std::max(begin, cell * cellBytes);
      found = std::max(found, tag >> 1);
    }
  });
  if (found != 0) conflict(pipe, other, found, access, otherWrites, place);
}

void Hazards::conflict(Pipe pipe, Pipe other, uint32_t count, const LocalAccess& access, bool otherWrites, uint32_t offset) {
  size_t p = static_cast<size_t>(pipe), q = static_cast<size_t>(other);
  bool compilerOrders = pipe == Pipe::S && automaticOrder_;
  if (!compilerOrders) {
    auto memory = static_cast<Memory>(access.memory);
    reportRace(pipe, other, count, access.write, otherWrites,
               text("%s (%s) %s %s from 0x%x on", access.role, nameOf(pipe), access.write ? "writes" : "reads", nameOf(memory), offset));
  }
  known_[p][q] = std::max(known_[p][q], count);
}

void Hazards::reportRace(Pipe pipe, Pipe other, uint32_t count, bool write, bool otherWrites, const std::string& what) {
  size_t q = static_cast<size_t>(other);
  bool remembered = shadow_->issued[q] - count < LocalShadow::siteCount;
  static const Site unknown{"an earlier instruction", {}};
  const Site& site = remembered ? siteOf(q, count) : unknown;
  std::string hint = pipe == other ? text("put PipeBarrier<PIPE_%s>() between the two", nameOf(pipe))
                     : text("EnQue and DeQue the tensor, or SetFlag and WaitFlag<HardEvent::%s> between the two", eventName(other, pipe).c_str());
  report({write ? "ErrorSync1" : "ErrorSync2", instruction_,
          text("%s while %s (%s) may still %s it: nothing orders the two", what.c_str(), site.instruction, nameOf(other), otherWrites ? "write" : "read"),
          hint.c_str(), nullptr, &site.path, site.instruction});
}

// Single blocks at one distance that goes into a page: the same bits in each page. False where the access is another.
static bool markEvenly(LocalShadow::Marks& marks, const LocalAccess& access, uint32_t count) {
  const Runs& runs = access.runs;
  if (runs.bytes != cellBytes || access.offset % cellBytes != 0) return false;
  bool even = runs.rows == 1 || runs.blocks == 1 || runs.rowStride == runs.blocks * runs.blockStride;
  uint32_t distance = runs.blocks == 1 ? runs.rowStride : runs.blockStride, left = runs.rows * runs.blocks;
  if (!even || left == 1 || distance == 0 || distance % cellBytes != 0 || pageBytes % distance != 0) return false;
  distance /= cellBytes;
  const uint32_t cell = access.offset / cellBytes, within = cell % cellsPerPage, perPage = cellsPerPage / distance;
  const uint32_t pattern = everyCell(distance) << cell % distance;
  uint32_t page = cell / cellsPerPage, here = std::min(left, (cellsPerPage - 1 - within) / distance + 1);
  marks.touch(page++, pattern & bitRange(within, within + (here - 1) * distance + 1), count);
  for (left -= here; left >= perPage; left -= perPage) marks.touch(page++, pattern, count);
  if (left > 0) marks.touch(page, pattern & bitRange(0, cell % distance + (left - 1) * distance + 1), count);
  return true;
}

// The same bytes of each of the blocks. Parts touched by instructions that nobody has waited for, up to `waited`, add up.
static void touchParts(LocalShadow::Marks& marks, uint32_t page, uint32_t blocks, uint32_t bits, uint32_t waited, uint32_t count) {
  const uint32_t ofPage = marks.pageBlocks[page] & blocks, tagOfPage = tagOf(marks.pageCount[page], false);
  marks.pageBlocks[page] &= ~blocks;
  marks.pageNewest[page] = count;
  for (uint32_t left = blocks; left != 0; left &= left - 1) {
    const auto bit = static_cast<uint32_t>(__builtin_ctz(left)), cell = page * cellsPerPage + bit;
    const uint32_t tag = (ofPage >> bit & 1) != 0 ? tagOfPage : marks.last[cell];
    uint32_t all = bits;
    if ((tag >> 1) > waited) all |= (tag & 1) != 0 ? marks.part[cell] : ~0u;
    marks.last[cell] = tagOf(count, all != ~0u);
    marks.part[cell] = all;
  }
}

// Rows that end inside a block, at one distance that goes into a page: in each page the same blocks are touched whole and the
// same ones in part. False where the access is another.
static bool markRows(LocalShadow::Marks& marks, const LocalAccess& access, uint32_t count, uint32_t waited) {
  const Runs& runs = access.runs;
  if (runs.blocks != 1 || runs.rows == 1 || runs.bytes % cellBytes == 0 || runs.rowStride == 0 || access.offset % cellBytes != 0) return false;
  if (runs.rowStride % cellBytes != 0 || pageBytes % runs.rowStride != 0 || access.offset % runs.rowStride + runs.bytes > runs.rowStride) return false;
  const uint32_t distance = runs.rowStride / cellBytes, start = access.offset / cellBytes % distance, whole = runs.bytes / cellBytes, perPage = cellsPerPage / distance;
  const uint32_t rows = everyCell(distance), bits = (1u << runs.bytes % cellBytes) - 1;
  uint32_t wholes = 0;
  for (uint32_t i = 0; i < whole; ++i) wholes |= rows << (start + i);
  const uint32_t first = access.offset / runs.rowStride, end = first + runs.rows;
  for (uint32_t row = first; row < end;) {
    const uint32_t page = row / perPage, stop = std::min(end, (page + 1) * perPage);
    const uint32_t cells = bitRange(row % perPage * distance, (stop - 1) % perPage * distance + distance);
    touchParts(marks, page, rows << (start + whole) & cells, bits, waited, count);
    if ((wholes & cells) != 0) marks.touch(page, wholes & cells, count);
    row = stop;
  }
  return true;
}

void Hazards::mark(Pipe pipe, const LocalAccess& access) {
  size_t p = static_cast<size_t>(pipe);
  LocalShadow::Marks& marks = (access.write ? shadow_->writes : shadow_->reads)[access.memory][p];
  uint32_t count = shadow_->issued[p];
  (access.write ? shadow_->newestWrites : shadow_->newestReads)[access.memory][p] = count;
  // Parts of one cell touched by instructions that the partner has not waited for add up.
  uint32_t waited = known_[p == vectorPipe ? scalarPipe : vectorPipe][p];
  uint32_t openPage = 0, open = 0;  // whole blocks, marked when all of their page are known
  auto close = [&] {
    if (open != 0) marks.touch(openPage, open, count);
    open = 0;
  };
  auto part = [&](uint32_t cell, uint32_t bits) {
    uint32_t page = cell / cellsPerPage, bit = 1u << cell % cellsPerPage;
    if (page == openPage && (open & bit) != 0) close();
    touchParts(marks, page, bit, bits, waited, count);
  };
  if (markEvenly(marks, access, count) || markRows(marks, access, count, waited)) return;
  forEachRun(access, [&](uint32_t begin, uint32_t end) {
    uint32_t first = begin / cellBytes, last = (end + cellBytes - 1) / cellBytes;
    if (begin % cellBytes != 0 || end < (first + 1) * cellBytes) part(first, bitsIn(first, begin, end)), ++first;
    if (first < last && end % cellBytes != 0) --last, part(last, bitsIn(last, begin, end));
    while (first < last) {
      uint32_t page = first / cellsPerPage, lastPage = last / cellsPerPage;
      if (first % cellsPerPage == 0 && page < lastPage) {
        marks.touchPages(page, lastPage, count);
        if (openPage >= page && openPage < lastPage) open = 0;
        first = lastPage * cellsPerPage;
        continue;
      }
      uint32_t stop = std::min(last, (page + 1) * cellsPerPage);
      if (page != openPage) close();
      openPage = page;
      open |= bitRange(first % cellsPerPage, (stop - 1) % cellsPerPage + 1);
      first = stop;
    }
  });
  close();
}

// A whole copy from global memory that nothing has used when the next one takes its place.
void Hazards::noteLoads(Pipe pipe, const LocalAccess& access) {
  auto& loaded = shadow_->loaded;
  bool loads = pipe == Pipe::MTE2 && access.write, lost = loads;
  uint32_t from = access.offset / cellBytes, to = (endOf(access) + cellBytes - 1) / cellBytes;
  auto &loadedBegin = shadow_->loadedBegin, &loadedEnd = shadow_->loadedEnd;
  if (!loads && (to <= loadedBegin || from >= loadedEnd || !anySet(loaded, from, to))) return;
  if (loads) {
    loadedBegin = loadedBegin == loadedEnd ? from : std::min(loadedBegin, from);
    loadedEnd = std::max(loadedEnd, to);
  }
  forEachRun(access, [&](uint32_t begin, uint32_t end) {
    uint32_t first = begin / cellBytes, last = (end + cellBytes - 1) / cellBytes;
    lost = lost && allSet(loaded, first, last);
    setBits(loaded, first, last, loads);
  });
  if (!lost) return;
  report({"ErrorWrite3", instruction_, text("copies over UB 0x%x; nothing has used what was copied there before", access.offset),
          "leave out the first copy, or use its data before"});
}

void Hazards::set(Pipe pipe, uint32_t token) {
  if (off_) return;
  size_t p = static_cast<size_t>(pipe);
  if (p != scalarPipe) join(known_[p], known_[scalarPipe]);
  Clock clock = known_[p];
  clock[p] = shadow_->issued[p];
  if (token >= tokens_.size()) tokens_.resize(token + 1);
  tokens_[token] = clock;
}

void Hazards::wait(Pipe pipe, uint32_t token) {
  if (off_) return;
  if (token < tokens_.size()) join(known_[static_cast<size_t>(pipe)], tokens_[token]);
}

void Hazards::barrier(Pipe pipe) {
  size_t p = static_cast<size_t>(pipe);
  known_[p][p] = shadow_->issued[p];
}

void Hazards::barrierAll() { known_.fill(shadow_->issued); }

// Scalar work is over when the next instruction is issued, on whatever pipe.
Hazards::Clock Hazards::toldBy(Pipe pipe) {
  size_t p = static_cast<size_t>(pipe);
  join(known_[p], known_[scalarPipe]);
  Clock clock = known_[p];
  clock[p] = shadow_->issued[p];
  clock[scalarPipe] = shadow_->issued[scalarPipe];
  return clock;
}

void Hazards::learn(const Clock& over) {
  for (Clock& known : known_) join(known, over);
}

void Hazards::exposed(uint32_t offset, uint32_t bytes) { shadow_->valid.set(offset, offset + bytes); }

}  // namespace npu_emu
