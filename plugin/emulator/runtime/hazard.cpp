#include "hazard.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "device.h"

namespace npu_emu {

namespace {

constexpr uint32_t cellBytes = 32, cellsPerPage = 32, pageBytes = cellBytes * cellsPerPage;
constexpr size_t scalarPipe = static_cast<size_t>(Pipe::S), vectorPipe = static_cast<size_t>(Pipe::V);
constexpr size_t ubIndex = static_cast<size_t>(Memory::UB), accumulatorIndex = static_cast<size_t>(Memory::L0C);
constexpr size_t recentLimit = 8192;

void join(Hazards::Clock& into, const Hazards::Clock& from) {
  for (size_t i = 0; i < pipeCount; ++i) into[i] = std::max(into[i], from[i]);
}

template <typename F>
void forEachRun(const LocalAccess& access, F f) {
  const Runs& runs = access.runs;
  for (uint32_t row = 0; row < runs.rows; ++row)
    for (uint32_t block = 0; block < runs.blocks; ++block) {
      uint32_t begin = access.offset + row * runs.rowStride + block * runs.blockStride;
      f(begin, begin + runs.bytes);
    }
}

// Behind the last byte.
uint32_t endOf(const LocalAccess& access) {
  const Runs& runs = access.runs;
  return access.offset + (runs.rows - 1) * runs.rowStride + (runs.blocks - 1) * runs.blockStride + runs.bytes;
}

// Bits of the bytes of a cell that lie in [begin, end).
uint32_t bitsIn(uint32_t cell, uint32_t begin, uint32_t end) {
  uint32_t low = cell * cellBytes, from = begin > low ? begin - low : 0, to = std::min(end - low, cellBytes);
  return (to == cellBytes ? ~0u : (1u << to) - 1) & ~((1u << from) - 1);
}

// A count with a mark of its own for accesses to a part of the cell.
constexpr uint32_t tagOf(uint32_t count, bool partial) { return count << 1 | (partial ? 1 : 0); }

// Calls f(word index, bits of that word) for the ends of a range of bits, and g(first word, last word) for what is between.
template <typename F, typename G>
void forEachWord(uint32_t begin, uint32_t end, F f, G g) {
  if (begin >= end) return;
  uint32_t first = begin / 64, last = end / 64;
  uint64_t head = ~uint64_t(0) << (begin % 64), tail = (uint64_t(1) << (end % 64)) - 1;
  if (first == last) {
    f(first, head & tail);
    return;
  }
  if (begin % 64 != 0) f(first++, head);
  if (first < last) g(first, last);
  if (tail != 0) f(last, tail);
}

void setBits(std::vector<uint64_t>& bits, uint32_t begin, uint32_t end, bool value) {
  forEachWord(
      begin, end, [&](uint32_t word, uint64_t mask) { bits[word] = value ? bits[word] | mask : bits[word] & ~mask; },
      [&](uint32_t first, uint32_t last) { std::fill(bits.begin() + first, bits.begin() + last, value ? ~uint64_t(0) : 0); });
}

bool allSet(const std::vector<uint64_t>& bits, uint32_t begin, uint32_t end) {
  bool all = true;
  forEachWord(
      begin, end, [&](uint32_t word, uint64_t mask) { all &= (bits[word] & mask) == mask; },
      [&](uint32_t first, uint32_t last) {
        uint64_t common = ~uint64_t(0);
        for (uint32_t word = first; word < last; ++word) common &= bits[word];
        all &= common == ~uint64_t(0);
      });
  return all;
}

bool anySet(const std::vector<uint64_t>& bits, uint32_t begin, uint32_t end) {
  uint64_t any = 0;
  forEachWord(
      begin, end, [&](uint32_t word, uint64_t mask) { any |= bits[word] & mask; },
      [&](uint32_t first, uint32_t last) {
        for (uint32_t word = first; word < last; ++word) any |= bits[word];
      });
  return any != 0;
}

// Bits [begin, end) of a word, end > begin.
constexpr uint32_t bitRange(uint32_t begin, uint32_t end) { return (~0u << begin) & (~0u >> (32 - end)); }

// Whether the order of the access and another one to these bytes can be seen: writing what is there already cannot.
bool matters(const GmAccess& access, const uint8_t* begin, const uint8_t* end) {
  return !access.write || (access.changedBegin < end && begin < access.changedEnd);
}

// Sums of sums, or maxima of maxima; a sum and a maximum do not.
bool commute(AtomicKind one, AtomicKind other) { return one != 0 && one == other; }

std::string eventName(Pipe from, Pipe to) { return std::string(nameOf(from)) + "_" + nameOf(to); }

}  // namespace

ValidBytes::ValidBytes(uint32_t capacity) : bytes((capacity + 63) / 64), pages((capacity / pageBytes + 63) / 64 + 1) {}

void ValidBytes::clear() {
  std::fill(bytes.begin(), bytes.end(), 0);
  std::fill(pages.begin(), pages.end(), 0);
}

void ValidBytes::set(uint32_t begin, uint32_t end) {
  setBits(bytes, begin, end, true);
  setBits(pages, (begin + pageBytes - 1) / pageBytes, end / pageBytes, true);
}

void ValidBytes::unset(uint32_t begin, uint32_t end) {
  setBits(bytes, begin, end, false);
  setBits(pages, begin / pageBytes, (end + pageBytes - 1) / pageBytes, false);
}

bool ValidBytes::hasAll(uint32_t begin, uint32_t end) {
  uint32_t first = (begin + pageBytes - 1) / pageBytes, last = end / pageBytes;
  if (first >= last) return allSet(bytes, begin, end);
  if (!allSet(bytes, begin, first * pageBytes) || !allSet(bytes, last * pageBytes, end)) return false;
  if (allSet(pages, first, last)) return true;
  if (!allSet(bytes, first * pageBytes, last * pageBytes)) return false;
  setBits(pages, first, last, true);
  return true;
}

LocalShadow::LocalShadow(const std::array<uint32_t, memoryKinds>& capacity) : valid(capacity[ubIndex]) {
  auto cellsOf = [](uint32_t bytes) { return (bytes + cellBytes - 1) / cellBytes; };
  auto pagesOf = [](uint32_t bytes) { return (bytes + pageBytes - 1) / pageBytes; };
  size_t words = 0;
  for (uint32_t bytes : capacity) words += 2 * cellsOf(bytes) + 3 * pagesOf(bytes);
  areaBytes = words * pipeCount * 2 * sizeof(uint32_t);
  area = mmap(nullptr, areaBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (area == MAP_FAILED) throw std::bad_alloc();
  auto* next = static_cast<uint32_t*>(area);
  auto take = [&next](uint32_t count) {
    next += count;
    return next - count;
  };
  for (size_t memory = 0; memory < memoryKinds; ++memory) {
    uint32_t cells = cellsOf(capacity[memory]), pages = pagesOf(capacity[memory]);
    for (size_t pipe = 0; pipe < pipeCount; ++pipe)
      for (Marks* marks : {&writes[memory][pipe], &reads[memory][pipe]}) *marks = {take(cells), take(cells), take(pages), take(pages), take(pages)};
  }
  loaded.resize((cellsOf(capacity[ubIndex]) + 63) / 64);
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
    for (auto* kind : {&shadow->writes, &shadow->reads})
      for (auto& memory : *kind)
        for (LocalShadow::Marks& marks : memory) marks.newest = 0;
  }
  known_.fill(shadow->issued);
  shadow->valid.clear();
  std::fill(shadow->loaded.begin(), shadow->loaded.end(), 0);
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

void Hazards::check(Pipe pipe, const LocalAccess& access) {
  auto& writes = shadow_->writes[access.memory];
  auto& reads = shadow_->reads[access.memory];
  for (size_t q = 0; q < pipeCount; ++q) {
    auto other = static_cast<Pipe>(q);
    bool own = other == pipe;
    // The scalar unit is in order; the compiler keeps vector instructions in order; reading first is in order on every pipe.
    if (own && (pipe == Pipe::S || ordersItself_ || (pipe == Pipe::V && automaticOrder_))) continue;
    if (other == Pipe::S && automaticOrder_) continue;  // the compiler has every pipe wait for the scalar unit
    bool unitFlag = ordersWithFixpipe_ && access.memory == accumulatorIndex;
    if (unitFlag && ((pipe == Pipe::M && other == Pipe::FIX) || (pipe == Pipe::FIX && other == Pipe::M))) continue;
    if (writes[q].newest > known_[static_cast<size_t>(pipe)][q]) scan(pipe, other, writes[q], access, true);
    if (access.write && !own && reads[q].newest > known_[static_cast<size_t>(pipe)][q]) scan(pipe, other, reads[q], access, false);
  }
}

void Hazards::scan(Pipe pipe, Pipe other, LocalShadow::Marks& marks, const LocalAccess& access, bool otherWrites) {
  uint32_t found = 0, place = 0;
  const uint32_t known = known_[static_cast<size_t>(pipe)][static_cast<size_t>(other)], limit = tagOf(known, true);
  bool recent = false;
  for (uint32_t page = access.offset / pageBytes; page <= (endOf(access) - 1) / pageBytes; ++page) {
    if (marks.pageNewest[page] <= known) continue;
    marks.settle(page);
    recent = true;
  }
  if (!recent) return;
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
  uint32_t pattern = 0;
  for (uint32_t cell = 0; cell < cellsPerPage; cell += distance) pattern |= 1u << cell;
  for (uint32_t cell = access.offset / cellBytes; left > 0;) {
    uint32_t within = cell % cellsPerPage, here = std::min(left, (cellsPerPage - 1 - within) / distance + 1);
    marks.touch(cell / cellsPerPage, pattern << within & bitRange(0, within + (here - 1) * distance + 1), count);
    cell += here * distance;
    left -= here;
  }
  return true;
}

void Hazards::mark(Pipe pipe, const LocalAccess& access) {
  size_t p = static_cast<size_t>(pipe);
  LocalShadow::Marks& marks = (access.write ? shadow_->writes : shadow_->reads)[access.memory][p];
  uint32_t count = shadow_->issued[p];
  marks.newest = count;
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
    uint32_t tag = (marks.pageBlocks[page] & bit) != 0 ? tagOf(marks.pageCount[page], false) : marks.last[cell];
    marks.pageBlocks[page] &= ~bit;
    marks.pageNewest[page] = count;
    if ((tag >> 1) > waited) bits |= (tag & 1) != 0 ? marks.part[cell] : ~0u;
    marks.last[cell] = tagOf(count, bits != ~0u);
    marks.part[cell] = bits;
  };
  if (markEvenly(marks, access, count)) return;
  forEachRun(access, [&](uint32_t begin, uint32_t end) {
    uint32_t first = begin / cellBytes, last = (end + cellBytes - 1) / cellBytes;
    if (begin % cellBytes != 0 || end < (first + 1) * cellBytes) part(first, bitsIn(first, begin, end)), ++first;
    if (first < last && end % cellBytes != 0) --last, part(last, bitsIn(last, begin, end));
    while (first < last) {
      uint32_t page = first / cellsPerPage, stop = std::min(last, (page + 1) * cellsPerPage);
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
  if (!loads && !anySet(loaded, from, to)) return;
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

// ---- global memory ---------------------------------------------------------------------------------------------------

// Accesses of all cores to what kernels may write. Neighbouring accesses of one core become one span.
void Hazards::checkGlobal(Pipe pipe, const GmAccess& access) {
  auto conflictsWith = [&](const GmShadow::Spans& spans, bool otherWrites) {
    bool own = false;
    auto span = spans.upper_bound(access.begin);
    if (span != spans.begin()) --span;
    for (; span != spans.end() && span->first < access.end; ++span) {
      if (span->second.end <= access.begin) continue;
      if (span->second.core == core) {
        own = true;
        continue;
      }
      if (device.gm.isOrdered(span->second, *core) || commute(access.atomic, span->second.atomic)) continue;
      const uint8_t *begin = std::max(access.begin, span->first), *end = std::min(access.end, span->second.end);
      if (matters(access, begin, end)) reportSharing(access, span->second, otherWrites, begin, end);
    }
    return own;
  };
  bool own = conflictsWith(device.gm.writes, true);
  if (access.write) own |= conflictsWith(device.gm.reads, false);
  if (own) ownConflicts(pipe, access);
  auto& recent = recent_[static_cast<size_t>(pipe)];
  if (recent.size() == recentLimit) recent.erase(recent.begin(), recent.begin() + recentLimit / 2);
  recent.push_back({access.begin, access.end, shadow_->issued[static_cast<size_t>(pipe)], access.write, access.atomic});
  uint32_t count = shadow_->issued[static_cast<size_t>(pipe)];
  GmShadow::Span span{access.end,   core,          pipe,         count, core->progress.barriers[core->isCube ? 1 : 0], core->phase,
                      access.atomic, instruction_, siteOf(static_cast<size_t>(pipe), count).path};
  device.gm.add(access.write ? device.gm.writes : device.gm.reads, access.begin, span);
}

void Hazards::reportSharing(const GmAccess& access, const GmShadow::Span& span, bool otherWrites, const uint8_t* begin, const uint8_t* end) {
  const GmRegion* region = regionAt(begin);
  std::string place = region == nullptr ? std::string("global memory")
                                        : text("bytes %td..%td of %s", begin - region->base, end - region->base - 1, region->name.c_str());
  const char* hint = access.atomic != 0 && span.atomic != 0 ? "call SyncAll between atomic operations of different kinds: a sum and a maximum do not commute"
                     : core->isCube == span.core->isCube    ? "give every core its own range, add with SetAtomicAdd, or call SyncAll between the two"
                                                            : "set a flag with CrossCoreSetFlag on the pipe of the first access, and wait for it before the second";
  report({"GmRace", instruction_,
          text("%s %s, which %s %s: nothing orders the two cores", access.write ? "writes" : "reads", place.c_str(), span.core->label().c_str(), otherWrites ? "writes" : "reads"),
          hint, nullptr, &span.where, span.instruction});
}

// The pipes of one core against each other. Spans only say that there is an overlap; single accesses say whether in order.
void Hazards::ownConflicts(Pipe pipe, const GmAccess& access) {
  size_t p = static_cast<size_t>(pipe);
  for (size_t q = 0; q < pipeCount; ++q) {
    bool own = q == p;
    if (own && (pipe == Pipe::S || !access.write)) continue;
    const auto& recent = recent_[q];
    for (size_t i = recent.size(); i-- > 0 && recent[i].count > known_[p][q];) {
      const Recent& other = recent[i];
      bool overlaps = other.begin < access.end && access.begin < other.end;
      if (!overlaps || (!access.write && !other.write) || (own && (!other.write || other.count == shadow_->issued[p]))) continue;
      if (commute(access.atomic, other.atomic)) continue;
      bool scalar = pipe == Pipe::S || static_cast<Pipe>(q) == Pipe::S;
      const uint8_t *begin = std::max(access.begin, other.begin), *end = std::min(access.end, other.end);
      if (!matters(access, begin, end)) continue;
      if (!(scalar && automaticOrder_)) {
        const GmRegion* region = regionAt(begin);
        reportRace(pipe, static_cast<Pipe>(q), other.count, access.write, other.write,
                   text("%s (%s) %s bytes %td..%td of %s", instruction_, nameOf(pipe), access.write ? "writes" : "reads", region == nullptr ? 0 : begin - region->base,
                        region == nullptr ? 0 : end - region->base - 1, region == nullptr ? "global memory" : region->name.c_str()));
      }
      known_[p][q] = std::max(known_[p][q], other.count);
      break;
    }
  }
}

bool GmShadow::isOrdered(const Span& span, const Core& self) const {
  if (self.progress.barriers[span.core->isCube ? 1 : 0] > span.barrier) return true;
  const PipeCounts* known = self.progress.of(span.core->number);
  return known != nullptr && (*known)[static_cast<size_t>(span.pipe)] >= span.count;
}

// Cuts out what was there and joins the span to the one before it.
void GmShadow::add(Spans& spans, const uint8_t* begin, const Span& span) {
  constexpr size_t limit = size_t(1) << 20;
  if (spans.size() > limit) return;
  auto next = spans.upper_bound(begin);
  if (next != spans.begin()) {
    auto before = std::prev(next);
    bool joins = before->second.end >= begin && before->second.core == span.core && before->second.pipe == span.pipe &&
                 before->second.barrier == span.barrier && before->second.phase == span.phase && before->second.atomic == span.atomic;
    if (joins) before->second.count = span.count;
    if (joins && before->second.end >= span.end) return;
    if (joins) {
      const uint8_t* start = before->first;
      cut(spans, before->second.end, span.end);
      spans.find(start)->second.end = span.end;
      return;
    }
  }
  cut(spans, begin, span.end);
  spans.emplace(begin, span);
}

void GmShadow::cut(Spans& spans, const uint8_t* begin, const uint8_t* end) {
  auto span = spans.upper_bound(begin);
  if (span != spans.begin()) --span;
  while (span != spans.end() && span->first < end) {
    Span old = span->second;
    const uint8_t* start = span->first;
    if (old.end <= begin) {
      ++span;
      continue;
    }
    if (start < begin) {
      span->second.end = begin;
      ++span;
    } else {
      span = spans.erase(span);
    }
    if (old.end > end) span = std::next(spans.emplace(end, old).first);
  }
}

// ---- what nothing has written --------------------------------------------------------------------------------------

// Invalid bytes are passed on by instructions that work element by element. Others (sorting, gathering, masks of bits) are
// taken to leave valid bytes: lanes that are never used again are no defect.
void Hazards::propagate(Pipe pipe) {
  auto& valid = shadow_->valid;
  const LocalAccess* target = nullptr;
  size_t targets = 0;
  invalid_.clear();
  for (const LocalAccess& access : local_) {
    if (access.memory != ubIndex) continue;
    if (access.write) {
      if (targets++ == 0) target = &access;
      continue;
    }
    bool whole = valid.hasAll(access.offset, endOf(access));
    if (!whole) {
      whole = true;
      forEachRun(access, [&](uint32_t begin, uint32_t end) { whole = whole && valid.hasAll(begin, end); });
    }
    if (!whole) invalid_.push_back(&access);
  }
  garbage_.clear();
  if (pipe == Pipe::V && (targets == 1 || (targets > 1 && resultBytes_ != 0)))
    for (const LocalAccess* source : invalid_) resultBytes_ != 0 ? collectReduced(*source, *target) : collectGarbage(*source, *target);
  for (const LocalAccess& access : local_)
    if (access.write && access.memory == ubIndex && !valid.hasAll(access.offset, endOf(access)))
      forEachRun(access, [&](uint32_t begin, uint32_t end) { valid.set(begin, end); });
  for (uint32_t at : garbage_) valid.unset(at, at + (resultBytes_ != 0 ? resultBytes_ : target->runs.elementBytes));
  if (pipe == Pipe::MTE3) leaveToGlobal(invalid_.empty() ? nullptr : invalid_.front());
  if (pipe == Pipe::S && !invalid_.empty()) {
    report({"ErrorRead2", instruction_, text("reads UB 0x%x, which nothing has written", invalid_.front()->offset),
            "copy or compute the data first; clear accumulators with Duplicate"});
  }
}

// Which bytes of the target an element-wise instruction computes from invalid bytes of the source. Operands of other shapes,
// and those that are walked as one although they have gaps, are taken to leave valid bytes.
void Hazards::collectGarbage(const LocalAccess& source, const LocalAccess& target) {
  const Runs &from = source.runs, &to = target.runs;
  if (from.elementBytes == 0 || to.elementBytes == 0 || from.rows != to.rows || from.blocks != to.blocks) return;
  uint32_t elements = to.bytes / to.elementBytes;
  if (from.bytes / from.elementBytes != elements) return;
  for (uint32_t row = 0; row < to.rows; ++row)
    for (uint32_t block = 0; block < to.blocks; ++block) {
      uint32_t read = source.offset + row * from.rowStride + block * from.blockStride;
      uint32_t written = target.offset + row * to.rowStride + block * to.blockStride;
      for (uint32_t i = 0; i < elements; ++i)
        if (!shadow_->valid.hasAll(read + i * from.elementBytes, read + (i + 1) * from.elementBytes)) garbage_.push_back(written + i * to.elementBytes);
    }
}

// Which results of a reduction come from invalid bytes.
void Hazards::collectReduced(const LocalAccess& source, const LocalAccess& target) {
  const Runs& to = target.runs;
  uint32_t results = to.bytes / resultBytes_, sources = source.runs.rows * source.runs.blocks * source.runs.bytes;
  if (to.rows * to.blocks != 1 || results == 0 || to.bytes % resultBytes_ != 0 || sources % results != 0) return;
  uint32_t share = sources / results, done = 0, last = results;
  forEachRun(source, [&](uint32_t begin, uint32_t end) {
    for (uint32_t at = begin; at < end; ++at, ++done) {
      if (done / share == last || shadow_->valid.has(at)) continue;
      last = done / share;
      garbage_.push_back(target.offset + last * resultBytes_);
    }
  });
}

// Rows of a copy to global memory: invalid bytes are remembered until something else is written there.
void Hazards::leaveToGlobal(const LocalAccess* invalid) {
  auto& garbage = device.gm.garbage;
  if (invalid == nullptr && garbage.empty()) return;
  std::vector<uint32_t> rows;
  if (invalid != nullptr) forEachRun(*invalid, [&](uint32_t begin, uint32_t) { rows.push_back(begin); });
  size_t row = 0;
  bool matches = invalid != nullptr && rows.size() == global_.size();
  for (const GmAccess& access : global_) {
    if (!access.write) continue;
    GmShadow::cut(garbage, access.begin, access.end);
    if (matches) {
      uint32_t start = rows[row++];
      auto length = static_cast<uint32_t>(access.end - access.begin);
      for (uint32_t i = 0; i < length;) {
        if (shadow_->valid.has(start + i)) {
          ++i;
          continue;
        }
        uint32_t end = i;
        while (end < length && !shadow_->valid.has(start + end)) ++end;
        device.gm.add(garbage, access.begin + i, {access.begin + end, core, Pipe::MTE3, 0, 0, 0, 0, instruction_, placeOf(*core)});
        i = end;
      }
    }
  }
}

void reportGarbage() {
  for (const auto& [begin, span] : device.gm.garbage) {
    const GmRegion* region = regionAt(begin);
    if (region == nullptr || region->access == Access::In || region->isWorkspace || begin >= region->base + region->bytes) continue;
    const uint8_t* end = std::min<const uint8_t*>(span.end, region->base + region->bytes);
    core = const_cast<Core*>(span.core);  // the report names it
    report({"ErrorRead2", span.instruction,
            text("leaves bytes %td..%td of %s with local memory that nothing has written", begin - region->base, end - region->base - 1, region->name.c_str()),
            "copy out only what was computed; check the length of the last tile", &span.where});
  }
  core = nullptr;
}

}  // namespace npu_emu
