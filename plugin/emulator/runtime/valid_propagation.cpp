#include "valid_propagation.h"

#include <algorithm>
#include <vector>

#include "bit_set.h"
#include "coverage.h"
#include "device.h"
#include "gm_regions.h"

namespace npu_emu {

namespace {

// An instruction that computes one short run of elements from others of the same size. False where it is another: long
// runs are found out about many words at a time.
bool propagateRuns(DetectorState& state, ValidBytes& valid) {
  constexpr uint32_t most = 512;
  const LocalAccess* target = nullptr;
  auto& sources = state.invalidSources;
  sources.clear();
  for (const LocalAccess& access : state.local) {
    if (access.memory != ubIndex || !access.runs.isOne() || (access.write && target != nullptr)) return false;
    if (access.write) target = &access;
    else sources.push_back(&access);
  }
  if (target == nullptr || sources.empty() || target->runs.bytes > most || target->runs.elementBytes == 0 ||
      target->runs.bytes % target->runs.elementBytes != 0)
    return false;
  for (const LocalAccess* source : sources) {
    if (source->runs.bytes != target->runs.bytes || source->runs.elementBytes != target->runs.elementBytes)
      return false;
    if (source->offset != target->offset && source->offset < endOf(*target) && target->offset < endOf(*source))
      return false;
  }
  if (!valid.setFrom(*target, sources)) return true;
  for (const LocalAccess& access : state.local) valid.areValid(access);  // the next time, they are cached
  return true;
}

// Every second bit, moved together.
uint64_t halved(uint64_t bits) {
  constexpr uint64_t kept[] = {0x3333333333333333, 0x0f0f0f0f0f0f0f0f, 0x00ff00ff00ff00ff, 0x0000ffff0000ffff,
                               0x00000000ffffffff};
  bits &= 0x5555555555555555;
  for (uint32_t step = 0; step < 5; ++step) bits = (bits | bits >> (1u << step)) & kept[step];
  return bits;
}

// Each of the lower 32 bits twice.
uint64_t doubled(uint64_t bits) {
  constexpr uint64_t kept[] = {0x0000ffff0000ffff, 0x00ff00ff00ff00ff, 0x0f0f0f0f0f0f0f0f, 0x3333333333333333,
                               0x5555555555555555};
  bits &= 0xffffffff;
  for (uint32_t step = 0; step < 5; ++step) bits = (bits | bits << (16u >> step)) & kept[step];
  return bits | bits << 1;
}

// Notes invalid ones among 64 bytes of the target, `begin` bytes behind its first.
void addInvalid(std::vector<uint64_t>& results, uint32_t begin, uint64_t bits) {
  const uint32_t word = begin / 64, shift = begin % 64;
  results[word] |= bits << shift;
  if (shift != 0) results[word + 1] |= bits >> (64 - shift);
}

// Blocks of an operand, one after the other as an instruction walks them; none where it begins or ends within one.
struct BlockWalk {
  uint32_t ofRow = 0, rows = 0, blockStride = 0, rowStride = 0;
  explicit BlockWalk(const LocalAccess& access) {
    const Runs& runs = access.runs;
    const bool isApart = runs.blocks > 1;
    // a mask that begins within a block shows in the offset
    if (access.offset % cellBytes != 0 || (isApart ? runs.bytes != cellBytes : runs.bytes % cellBytes != 0)) return;
    ofRow = isApart ? runs.blocks : runs.bytes / cellBytes;
    rows = runs.rows;
    blockStride = isApart ? runs.blockStride : cellBytes;
    rowStride = runs.rowStride;
  }
  uint32_t blocks() const { return ofRow * rows; }
  uint32_t offsetOf(uint32_t block) const { return block / ofRow * rowStride + block % ofRow * blockStride; }
};

// The same block by block: operands in other strides, and sources of which a block or a row is read again and again.
bool collectBlocks(const LocalAccess& source, const LocalAccess& target, const ValidBytes& valid,
                   std::vector<uint64_t>& results) {
  const BlockWalk from(source), to(target);
  const uint32_t elementBytes = source.runs.elementBytes, blocks = to.blocks();
  if (from.blocks() == 0 || blocks % from.blocks() != 0 || elementBytes != target.runs.elementBytes) return false;
  const bool isWhole = blocks == from.blocks(), repeatsBlock = from.ofRow == 1;
  if (!isWhole && from.rows != 1 && !repeatsBlock) return false;
  const ElementBits elements(elementBytes);
  for (uint32_t block = 0; block < blocks; ++block) {
    // of several rows of one block each is the source of a row
    const uint32_t same = isWhole ? block : from.rows == 1 ? block % from.ofRow : block / (blocks / from.rows);
    const uint32_t read = source.offset + from.offsetOf(same);
    const uint64_t invalid = ~wordFrom(valid.wordOf(read), read % 64) & ((uint64_t(1) << cellBytes) - 1);
    if (invalid != 0) addInvalid(results, to.offsetOf(block), elements.spread(invalid));
  }
  return true;
}

// Which bytes of the target an element-wise instruction computes from invalid bytes of the source. false: it does not work
// element by element, or it is not known which elements its operands are.
bool collectElements(const LocalAccess& source, const LocalAccess& target, const ValidBytes& valid,
                     std::vector<uint64_t>& results) {
  const Runs &from = source.runs, &to = target.runs;
  if (from.elementBytes == 0 || to.elementBytes == 0) return false;
  if (from.rows != to.rows || from.blocks != to.blocks || from.bytes * to.elementBytes != to.bytes * from.elementBytes)
    return collectBlocks(source, target, valid, results);
  const uint32_t elements = to.bytes / to.elementBytes, bytes = elements * from.elementBytes;
  if (from.bytes / from.elementBytes != elements || elements == 0) return false;
  const ElementBits sourceElements(from.elementBytes);
  const uint32_t whole = bytes / 64, toTarget = 64 / from.elementBytes * to.elementBytes,
                 parts = std::max(1u, toTarget / 64);
  const uint64_t last = (uint64_t(1) << bytes % 64) - 1;
  for (uint32_t row = 0; row < to.rows; ++row)
    for (uint32_t block = 0; block < to.blocks; ++block) {
      const uint32_t read = source.offset + row * from.rowStride + block * from.blockStride, shift = read % 64;
      const uint32_t written = row * to.rowStride + block * to.blockStride;
      const uint64_t* bits = valid.wordOf(read);
      if (written % 64 == 0 && from.elementBytes == to.elementBytes) {
        uint64_t* invalid = results.data() + written / 64;
        for (uint32_t word = 0; word < whole; ++word)
          invalid[word] |= sourceElements.spread(~wordFrom(bits + word, shift));
        if (last != 0) invalid[whole] |= sourceElements.spread(~wordFrom(bits + whole, shift) & last);
        continue;
      }
      for (uint32_t word = 0; word * 64 < bytes; ++word) {
        uint64_t invalid = ~wordFrom(bits + word, shift) & (word < whole ? ~uint64_t(0) : last);
        if (invalid == 0) continue;
        invalid = sourceElements.spread(invalid);
        for (uint32_t size = from.elementBytes; size > to.elementBytes; size /= 2) invalid = halved(invalid);
        for (uint32_t part = 0; part < parts; ++part) {
          uint64_t ofPart = invalid >> part * (64 / parts);
          for (uint32_t size = from.elementBytes; size < to.elementBytes; size *= 2) ofPart = doubled(ofPart);
          if (ofPart != 0) addInvalid(results, written + word * toTarget + part * 64, ofPart);
        }
      }
    }
  return true;
}

// Whatever it makes of its operands: where no byte of them is valid, no byte of the target is.
bool areWhollyInvalid(const DetectorState& state, const ValidBytes& valid) {
  return std::all_of(state.local.begin(), state.local.end(), [&](const LocalAccess& access) {
    bool anyValid = access.memory != ubIndex;
    if (!access.write && !anyValid)
      forEachRange(access, [&](uint32_t begin, uint32_t end) { anyValid |= valid.firstValid(begin, end) < end; });
    return access.write || !anyValid;
  });
}

// Which results of a reduction come from invalid bytes. false: it is not known what they come from.
bool collectReduced(const LocalAccess& source, const LocalAccess& target, uint32_t resultBytes, const ValidBytes& valid,
                    std::vector<uint64_t>& results) {
  const Runs& to = target.runs;
  const uint32_t ofRow = to.bytes / resultBytes, number = ofRow * to.rows,
                 sources = source.runs.rows * source.runs.blocks * source.runs.bytes;
  if (to.blocks != 1 || number == 0 || to.bytes % resultBytes != 0 || sources % number != 0) return false;
  const uint32_t share = sources / number;
  const uint64_t resultBits = (uint64_t(1) << resultBytes) - 1;
  uint32_t before = 0;   // bytes of the source in earlier runs
  uint32_t decided = 0;  // bytes of the source whose results are known to be invalid or not
  forEachRange(source, [&](uint32_t begin, uint32_t end) {
    for (uint32_t at = begin + std::max(decided, before) - before; (at = valid.firstInvalid(at, end)) < end;
         at = begin + decided - before) {
      const uint32_t result = (before + at - begin) / share;
      addInvalid(results, result / ofRow * to.rowStride + result % ofRow * resultBytes, resultBits);
      decided = (result + 1) * share;
    }
    before += end - begin;
  });
  return true;
}

// A copy to global memory: its invalid bytes are noted until something else is written there.
void copyOut(const char* instruction, const LocalAccess* invalid, const DetectorState& state, const ValidBytes& valid) {
  IntervalMap& noted = device.gm.invalid;
  if (invalid == nullptr && noted.empty()) return;
  std::vector<uint32_t> rows;
  if (invalid != nullptr) forEachRange(*invalid, [&](uint32_t begin, uint32_t) { rows.push_back(begin); });
  size_t row = 0;
  const bool matches = invalid != nullptr && rows.size() == state.global.size();
  for (const GmAccess& access : state.global) {
    if (!access.write) continue;
    // what is added to something unknown is unknown
    if (access.atomic == 0) noted.cut(access.begin, access.end);
    if (!matches) continue;
    const uint32_t start = rows[row++], end = start + static_cast<uint32_t>(access.end - access.begin);
    for (uint32_t at = start; (at = valid.firstInvalid(at, end)) < end;) {
      const uint32_t stop = valid.firstValid(at, end);
      noted.add(access.begin + (at - start),
                {access.begin + (stop - start), core, Pipe::MTE3, 0, 0, 0, 0, instruction, placeOf(*core)});
      at = stop;
    }
  }
}

// Bytes of one row that a copy from global memory brings: those that were invalid when they were stored, and those of an
// output that nothing has written yet. Their bits are set, of which the first is that of the first byte of the target.
bool collectLoaded(const GmAccess& row, uint32_t start, std::vector<uint64_t>& results) {
  bool any = false;
  const auto add = [&](const uint8_t* begin, const uint8_t* end) {
    if (begin >= end) return;
    any = true;
    setBits(results, start + static_cast<uint32_t>(begin - row.begin), start + static_cast<uint32_t>(end - row.begin),
            true);
  };
  IntervalMap& noted = device.gm.invalid;
  for (auto each = noted.lastFrom(row.begin); each != noted.end() && each->first < row.end; ++each)
    add(std::max(row.begin, each->first), std::min(row.end, each->second.end));
  const GmRegion* region = regionAt(row.begin);
  if (region == nullptr) return any;
  for (const uint8_t* at = row.begin; (at = firstUnwritten(*region, at, row.end)) < row.end;) {
    const uint8_t* next = std::min(row.end, at + cellBytes - (at - region->base) % cellBytes);
    add(at, next);
    at = next;
  }
  return any;
}

// Which bytes of the target a copy from global memory leaves invalid.
void copyIn(const LocalAccess& target, uint32_t leftPadding, const DetectorState& state,
            std::vector<uint64_t>& results) {
  std::vector<uint32_t> starts;
  forEachRange(target, [&](uint32_t begin, uint32_t) { starts.push_back(begin - target.offset + leftPadding); });
  const bool matches = starts.size() == state.global.size();
  const uint32_t length = endOf(target) - target.offset;
  results.assign(length / 64 + 2, 0);
  bool any = false;
  uint32_t next = 0;
  for (size_t row = 0; row < state.global.size(); ++row) {
    const GmAccess& access = state.global[row];
    const uint32_t start = matches ? starts[row] : next;
    const auto bytes = static_cast<uint32_t>(access.end - access.begin);
    next = start + bytes;
    if (access.write || next > length) break;
    any = collectLoaded(access, start, results) || any;
  }
  if (!any) results.clear();
}

// Not inlined, so that instructions on valid bytes alone pay nothing for what the others need.
[[gnu::noinline]] void propagate(Pipe pipe, IssuedInstruction instruction, DetectorState& state, ValidBytes& valid) {
  const uint32_t resultBytes = instruction.resultBytes;
  if (pipe == Pipe::V && resultBytes == 0 && propagateRuns(state, valid)) return;
  const LocalAccess* target = nullptr;  // the first one
  size_t targets = 0;
  auto& sources = state.invalidSources;
  sources.clear();
  for (const LocalAccess& access : state.local) {
    if (access.memory != ubIndex) continue;
    if (access.write) {
      if (targets++ == 0) target = &access;
      continue;
    }
    if (!valid.areValid(access)) sources.push_back(&access);
  }
  auto& results = state.invalidResults;
  results.clear();
  if (!sources.empty() && pipe == Pipe::V && (targets == 1 || (targets > 1 && resultBytes != 0))) {
    results.resize((endOf(*target) - target->offset) / 64 + 2);
    bool isKnown = true;
    for (const LocalAccess* source : sources) {
      const bool isFound = resultBytes != 0 ? collectReduced(*source, *target, resultBytes, valid, results)
                                            : collectElements(*source, *target, valid, results);
      isKnown = isKnown && isFound;
    }
    if (!isKnown && areWhollyInvalid(state, valid)) std::fill(results.begin(), results.end(), ~uint64_t(0));
  }
  if (pipe == Pipe::MTE2 && targets == 1 && !state.global.empty())
    copyIn(*target, instruction.leftPadding, state, results);
  for (const LocalAccess& access : state.local) {
    if (!access.write || access.memory != ubIndex) continue;
    if (&access == target && !results.empty()) valid.setExcept(access, results);
    else valid.set(access);
  }
  if (pipe == Pipe::MTE3) copyOut(instruction.name, sources.empty() ? nullptr : sources.front(), state, valid);
  if (pipe == Pipe::S && !sources.empty()) {
    report({Check::ErrorRead2, instruction.name,
            text("reads UB 0x%x, which nothing has written", sources.front()->offset),
            "copy or compute the data first; clear accumulators with Duplicate"});
  }
}

}  // namespace

void forgetOverwritten(const DetectorState& state) {
  if (device.gm.invalid.empty()) return;
  for (const GmAccess& access : state.global)
    if (access.write && access.atomic == 0) device.gm.invalid.cut(access.begin, access.end);
}

void propagateValidity(Pipe pipe, IssuedInstruction instruction, DetectorState& state, ValidBytes& valid) {
  const bool allValid = std::all_of(state.local.begin(), state.local.end(), [&](const LocalAccess& access) {
    return access.memory != ubIndex || valid.areCached(access);
  });
  // copies from global memory that the kernel may have written bring what is there
  const bool loadsWritten = pipe == Pipe::MTE2 && !state.global.empty();
  if (!allValid || loadsWritten || pipe == Pipe::MTE3) propagate(pipe, instruction, state, valid);
}

void reportInvalidOutputs() {
  for (const auto& [begin, interval] : device.gm.invalid) {
    const GmRegion* region = regionAt(begin);
    if (region == nullptr || region->access == Access::In || region->use == GmRegion::Workspace ||
        begin >= region->base + region->bytes)
      continue;
    const uint8_t* end = std::min<const uint8_t*>(interval.end, region->base + region->bytes);
    core = const_cast<Core*>(interval.core);  // the report names it
    report({Check::ErrorRead2, interval.instruction,
            text("fills bytes %td..%td of %s from local memory that nothing has written", begin - region->base,
                 end - region->base - 1, region->name.c_str()),
            "copy out only what was computed; check the length of the last tile", &interval.where});
  }
  core = nullptr;
}

}  // namespace npu_emu
