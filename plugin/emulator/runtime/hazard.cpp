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

constexpr size_t wordsPerPage = sizeof(LocalShadow::Marks::Page) / sizeof(uint32_t);

// Takes the words of one pipe's marks of a memory from the area. Not inlined: it would be so a hundred times.
[[gnu::noinline]] uint32_t* place(LocalShadow::Marks& marks, uint32_t* next, uint32_t bytes) {
  const uint32_t cells = cellsOf(bytes);
  marks = {reinterpret_cast<LocalShadow::Marks::Page*>(next + 2 * cells), next, next + cells};
  return next + 2 * cells + pagesOf(bytes) * wordsPerPage;
}

}  // namespace

LocalShadow::LocalShadow(const std::array<uint32_t, memoryKinds>& capacity) : valid(capacity[ubIndex]) {
  size_t words = 0;
  for (uint32_t bytes : capacity) words += 2 * cellsOf(bytes) + pagesOf(bytes) * wordsPerPage;
  areaBytes = words * pipeCount * 2 * sizeof(uint32_t);
  area = mmap(nullptr, areaBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (area == MAP_FAILED) throw std::bad_alloc();
  auto* next = static_cast<uint32_t*>(area);
  for (size_t memory = 0; memory < memoryKinds; ++memory)
    for (size_t pipe = 0; pipe < pipeCount; ++pipe)
      for (auto* kind : {&writes, &reads}) next = place((*kind)[memory][pipe], next, capacity[memory]);
  loaded.resize((cellsOf(capacity[ubIndex]) + 63) / 64);
}

void LocalShadow::Marks::touchPages(uint32_t first, uint32_t last, uint32_t count) { std::fill(pages + first, pages + last, Page{count, count, ~0u, 0, 0}); }

// Writes down for each block what the page says.
void LocalShadow::Marks::settle(uint32_t page) {
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

void LocalShadow::Marks::touch(uint32_t page, uint32_t whole, uint32_t parts, uint32_t bits, uint32_t waited, uint32_t count) {
  Page& of = pages[page];
  if (parts != 0) {
    const bool alike = of.bits == bits && (parts & ~of.parts) == 0;  // added up or not, it is the same
    if (of.count == count || (of.newest > waited && !alike)) {
      settle(page);
      touchParts(page, parts, bits, waited, count);
      parts = 0;
    }
  }
  if (of.count == count) {
    of.whole |= whole;
    of.parts &= ~whole;
    of.newest = count;
    return;
  }
  const uint32_t others = ~(whole | parts);
  if (((of.whole | of.parts) & others) != 0) {
    of.whole &= others;
    of.parts &= others;
    settle(page);
  }
  of = {count, count, whole, parts, bits};
}

LocalShadow::~LocalShadow() { munmap(area, areaBytes); }

void HazardNotes::clear() {
  tokens.clear();
  local.clear();
  global.clear();
  for (auto& accesses : recent) accesses.clear();
}

void Hazards::begin(LocalShadow* shadow, bool automaticOrder) {
  shadow_ = shadow;
  notes_ = std::move(shadow->notes);
  notes_.clear();
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
  notes_.local.push_back(access);
}

void Hazards::global(const char* instruction, const GmAccess& access) {
  if (off_) return;
  instruction_ = instruction;
  notes_.global.push_back(access);
}

void Hazards::forget() {
  notes_.local.clear();
  notes_.global.clear();
  ordersItself_ = ordersWithFixpipe_ = false;
  resultBytes_ = 0;
}

void Hazards::issue(Pipe pipe) {
  if (notes_.local.empty() && notes_.global.empty()) return;
  size_t p = static_cast<size_t>(pipe);
  if (p != scalarPipe) join(known_[p], known_[scalarPipe]);  // what the scalar unit waited for is over for all it issues
  uint32_t count = ++shadow_->issued[p];
  siteOf(p, count) = {instruction_, placeOf(*core)};
  // a value read too early tells more than one overwritten
  for (const LocalAccess& access : notes_.local)
    if (!access.write) check(pipe, access);
  for (const LocalAccess& access : notes_.local)
    if (access.write) check(pipe, access);
  for (const LocalAccess& access : notes_.local)
    if (access.memory == ubIndex) noteLoads(pipe, access);
  for (const LocalAccess& access : notes_.local) mark(pipe, access);
  for (const GmAccess& access : notes_.global) checkGlobal(pipe, access);
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
  for (uint32_t page = firstPage; page <= lastPage; ++page) newest = std::max(newest, marks.pages[page].newest);
  if (newest <= known) return;
  for (uint32_t page = firstPage; page <= lastPage; ++page)
    if (marks.pages[page].newest > known) marks.settle(page);
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

// Rows at one distance that goes into a page: the same blocks in each page. False where the access is another.
static bool markRows(LocalShadow::Marks& marks, const LocalAccess& access, uint32_t waited, uint32_t count) {
  const Runs& runs = access.runs;
  const bool even = runs.rows == 1 || runs.blocks == 1 || runs.rowStride == runs.blocks * runs.blockStride;
  const uint32_t number = runs.rows * runs.blocks, distance = runs.blocks == 1 ? runs.rowStride : runs.blockStride;
  const bool isPowerOfTwo = distance != 0 && (distance & (distance - 1)) == 0;
  if (!even || number == 1 || !isPowerOfTwo || distance < cellBytes || distance > pageBytes || access.offset % cellBytes != 0) return false;
  if ((access.offset & (distance - 1)) + runs.bytes > distance || runs.bytes == 0) return false;
  const auto shift = static_cast<uint32_t>(__builtin_ctz(distance));
  const uint32_t step = distance / cellBytes, perPage = pageBytes >> shift, start = (access.offset & (distance - 1)) / cellBytes;
  const uint32_t rows = everyCell(step), bits = (1u << runs.bytes % cellBytes) - 1;
  const uint32_t whole = runs.bytes < cellBytes ? 0 : rows * bitRange(start, start + runs.bytes / cellBytes);
  const uint32_t parts = bits == 0 ? 0 : rows << (start + runs.bytes / cellBytes);
  uint32_t page = access.offset / pageBytes, row = access.offset % pageBytes >> shift;  // in the page
  for (uint32_t left = number; left > 0; ++page, row = 0) {
    const uint32_t here = std::min(left, perPage - row);
    const uint32_t cells = here == perPage ? ~0u : bitRange(row * step, (row + here) * step);
    marks.touch(page, whole & cells, parts & cells, bits, waited, count);
    left -= here;
  }
  return true;
}

namespace {

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

}  // namespace

void Hazards::mark(Pipe pipe, const LocalAccess& access) {
  size_t p = static_cast<size_t>(pipe);
  LocalShadow::Marks& marks = (access.write ? shadow_->writes : shadow_->reads)[access.memory][p];
  uint32_t count = shadow_->issued[p];
  (access.write ? shadow_->newestWrites : shadow_->newestReads)[access.memory][p] = count;
  // Parts of one cell touched by instructions that the partner has not waited for add up.
  uint32_t waited = known_[p == vectorPipe ? scalarPipe : vectorPipe][p];
  if (markRows(marks, access, waited, count)) return;
  PageOfMarks open(marks, waited, count);
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
  if (token >= notes_.tokens.size()) notes_.tokens.resize(token + 1);
  notes_.tokens[token] = clock;
}

void Hazards::wait(Pipe pipe, uint32_t token) {
  if (off_) return;
  if (token < notes_.tokens.size()) join(known_[static_cast<size_t>(pipe)], notes_.tokens[token]);
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
