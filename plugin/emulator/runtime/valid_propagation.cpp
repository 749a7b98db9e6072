#include "valid_propagation.h"

#include <algorithm>
#include <vector>

#include "bit_set.h"
#include "device.h"
#include "gm_regions.h"
#include "walk.h"
#include "written_bytes.h"

namespace npu_emu {

namespace {

// An instruction that computes one short run of elements from others of the same size. False where it is another: long
// runs are found out about many words at a time.
bool propagateRuns(bool readsDst, DetectorState& state, ValidBytes& valid) {
  constexpr uint32_t most = 512;
  const LocalAccess* target = nullptr;
  auto& sources = state.invalidSources;
  sources.clear();
  for (const LocalAccess& access : state.local) {
    if (access.memory != ubIndex || !access.runs.isOne() || (access.write && target != nullptr)) return false;
    if (access.write) target = &access;
    if (!access.write || readsDst) sources.push_back(&access);
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

// Which bytes of the target an element-wise instruction computes from invalid bytes of the source. false: it does not work
// element by element, or it is not known which elements its operands are.
bool collectElements(const LocalAccess& source, const LocalAccess& target, const ValidBytes& valid,
                     std::vector<uint64_t>& results) {
  const Runs &from = source.runs, &to = target.runs;
  if (from.elementBytes == 0 || to.elementBytes == 0) return false;
  if (from.rows != to.rows || from.blocks != to.blocks || from.bytes * to.elementBytes != to.bytes * from.elementBytes)
    return false;
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

// Whether the runs of all operands are the lanes of the instruction and nothing else: no gaps in masks, and no parts of
// blocks that lie apart.
bool areRuns(const DetectorState& state, const LaneMap& map) {
  if (map.resultBytes != 0) return false;
  const Lanes& lanes = map.lanes;
  const uint32_t lowest = lowestLane(lanes.mask), highest = highestLane(lanes.mask);
  if (!lanes.contiguous) {
    uint64_t below[2], all[2];
    maskOfLanes(lowest, below);
    maskOfLanes(highest, all);
    for (int i = 0; i < 2; ++i)
      if (lanes.mask[i] != (all[i] & ~below[i]) || lanes.lastMask[i] != lanes.mask[i]) return false;
  }
  return std::all_of(state.local.begin(), state.local.end(), [&](const LocalAccess& access) {
    const Runs& runs = access.runs;
    if (runs.place == LanePlace::Unknown) return !access.write;
    if (runs.place != LanePlace::Elements) return false;
    if (lanes.contiguous) return true;
    const bool isWhole = lowest * runs.elementBytes % cellBytes == 0 && highest * runs.elementBytes % cellBytes == 0;
    const bool areRowsApart = lanes.repeats == runs.rows || map.walk.repeatStride[runs.operand] == 0;
    return areRowsApart && (map.walk.blockStride[runs.operand] == 1 || isWhole);
  });
}

// Where the lanes of an operand lie.
class LanesOfOperand {
 public:
  LanesOfOperand(const LaneMap& map, const LocalAccess& access)
      : place_(access.runs.place),
        isDense_(map.lanes.contiguous),
        bytes_(place_ == LanePlace::Elements ? access.runs.elementBytes : 1),
        begin_(access.offset - access.ahead),
        blockStride_(isDense_ ? cellBytes : map.walk.blockStride[access.runs.operand] * cellBytes),
        repeatStride_(map.walk.repeatStride[access.runs.operand] * cellBytes) {}

  uint32_t bytes() const { return bytes_; }
  bool isOfElements() const { return place_ == LanePlace::Elements; }
  // Whether each block of elements is a block of its own.
  bool areBlocks() const { return isOfElements() && blockStride_ != 0; }
  // Dense lanes count on from repeat to repeat.
  uint32_t offsetOf(uint32_t repeat, uint32_t lane) const {
    constexpr uint32_t lanesOfBlock = cellBytes / 2;
    const uint32_t start = isDense_ ? begin_ : begin_ + repeat * repeatStride_;
    switch (place_) {
      case LanePlace::LowerHalves: return start + lane / lanesOfBlock * blockStride_ + lane % lanesOfBlock;
      case LanePlace::UpperHalves:
        return start + lane / lanesOfBlock * blockStride_ + lanesOfBlock + lane % lanesOfBlock;
      case LanePlace::Nibbles: return start + lane / 2 / cellBytes * blockStride_ + lane / 2 % cellBytes;
      default: break;
    }
    const uint32_t byte = lane * bytes_;
    return start + byte / cellBytes * blockStride_ + byte % cellBytes;
  }

 private:
  LanePlace place_;
  bool isDense_;
  uint32_t bytes_, begin_, blockStride_, repeatStride_;
};

// Calls f(repeat, lane) for each lane that takes part.
template <typename F>
void forEachLane(const Lanes& lanes, F f) {
  if (lanes.contiguous) {
    for (uint32_t lane = 0; lane < lanes.total; ++lane) f(0u, lane);
    return;
  }
  for (uint32_t repeat = 0; repeat < lanes.repeats; ++repeat) {
    const uint64_t* mask = repeat + 1 == lanes.repeats ? lanes.lastMask : lanes.mask;
    for (uint32_t lane = 0; lane < lanes.perRepeat; ++lane)
      if ((mask[lane / 64] >> (lane % 64) & 1) != 0) f(repeat, lane);
  }
}

// Calls f(repeat, first lane, mask) for each block of so many lanes of which some take part, those that the mask has.
template <typename F>
void forEachBlock(const Lanes& lanes, uint32_t lanesOfBlock, F f) {
  const auto all = static_cast<uint32_t>((uint64_t(1) << lanesOfBlock) - 1);
  if (lanes.contiguous) {
    for (uint32_t lane = 0; lane < lanes.total; lane += lanesOfBlock)
      f(0u, lane, lanes.total - lane < lanesOfBlock ? all & ((1u << (lanes.total - lane)) - 1) : all);
    return;
  }
  for (uint32_t repeat = 0; repeat < lanes.repeats; ++repeat) {
    const uint64_t* mask = repeat + 1 == lanes.repeats ? lanes.lastMask : lanes.mask;
    for (uint32_t lane = 0; lane < lanes.perRepeat; lane += lanesOfBlock) {
      const uint32_t some = static_cast<uint32_t>(mask[lane / 64] >> (lane % 64)) & all;
      if (some != 0) f(repeat, lane, some);
    }
  }
}

// Which bytes of the target are invalid after the instruction, lane by lane: a result is where an element is that it is
// made of, and what no lane writes stays as it was.
class LaneResults {
 public:
  LaneResults(const LaneMap& map, const LocalAccess& target, const ValidBytes& valid, std::vector<uint64_t>& invalid)
      : map_(map), target_(target), place_(map, target), valid_(valid), invalid_(invalid) {
    const uint32_t length = endOf(target) - target.offset;
    invalid_.assign(length / 64 + 2, 0);
    for (uint32_t at = 0; at < length; at += 64)
      invalid_[at / 64] = ~wordFrom(valid.wordOf(target.offset + at), target.offset % 64);
  }

  void collect(const std::vector<const LocalAccess*>& sources) {
    std::vector<LanesOfOperand> places;
    for (const LocalAccess* source : sources)
      if (source->runs.place != LanePlace::Unknown) places.emplace_back(map_, *source);
    if (lieInBlocks(places)) collectBlocks(places);
    else collectLanes(places);
  }

 private:
  // Bytes of an element where a block of lanes is looked at at once. Nothing depends on it where all that is read is valid.
  uint32_t bytesInBlock(const std::vector<LanesOfOperand>& places) const {
    if (map_.resultBytes == 0) return place_.bytes();
    return places.empty() ? sizeof(float) : places.front().bytes();
  }

  // Whether the lanes of a block are one block of each operand, and of one result where there are several to a result.
  bool lieInBlocks(const std::vector<LanesOfOperand>& places) const {
    if (map_.resultBytes == 0 && !place_.areBlocks()) return false;
    const uint32_t size = bytesInBlock(places);
    const bool isOneResult = map_.resultBytes == 0 || map_.lanesOfResult % (cellBytes / size) == 0;
    return isOneResult && std::all_of(places.begin(), places.end(), [&](const LanesOfOperand& place) {
             return place.isOfElements() && place.bytes() == size;
           });
  }

  // The same as lane by lane.
  void collectBlocks(const std::vector<LanesOfOperand>& places) {
    const uint32_t size = bytesInBlock(places);
    const ElementBits elements(size);
    uint32_t last = UINT32_MAX, repeatOfLast = 0;
    forEachBlock(map_.lanes, cellBytes / size, [&](uint32_t repeat, uint32_t lane, uint32_t some) {
      uint64_t touched = some;
      for (uint32_t each = 1; each < size; each *= 2) touched = doubled(touched);
      const uint32_t result = resultOf(repeat, lane);
      uint64_t invalid = 0;
      for (const LanesOfOperand& place : places) {
        const uint32_t from = place.offsetOf(repeat, lane);
        const bool isOwn = map_.resultBytes == 0 && from == result;
        invalid |= isOwn ? notedOfBlock(result) : ~wordFrom(valid_.wordOf(from), from % 64);
      }
      if (map_.resultBytes == 0) {
        if (map_.readsDst) invalid |= notedOfBlock(result);
        noteBlock(result, touched, elements.spread(invalid & touched));
        return;
      }
      const bool isSame = result == last && (repeat == repeatOfLast || map_.lanesOfResult == LaneMap::all);
      note(result, (invalid & touched) != 0 || ((isSame || map_.readsDst) && isNoted(result)));
      last = result, repeatOfLast = repeat;
    });
  }

  // The block may begin before the target does, with lanes that do not take part.
  uint64_t notedOfBlock(uint32_t block) const {
    if (block < target_.offset) return invalid_[0] << (target_.offset - block);
    const uint32_t at = block - target_.offset;
    return wordFrom(invalid_.data() + at / 64, at % 64);
  }
  void noteBlock(uint32_t block, uint64_t touched, uint64_t invalid) {
    if (block < target_.offset) {
      touched >>= target_.offset - block, invalid >>= target_.offset - block;
      block = target_.offset;
    }
    const uint32_t at = block - target_.offset, word = at / 64, shift = at % 64;
    invalid_[word] = (invalid_[word] & ~(touched << shift)) | invalid << shift;
    if (shift > 64 - cellBytes)
      invalid_[word + 1] = (invalid_[word + 1] & ~(touched >> (64 - shift))) | invalid >> (64 - shift);
  }

  void collectLanes(const std::vector<LanesOfOperand>& places) {
    uint32_t last = UINT32_MAX, repeatOfLast = 0;
    forEachLane(map_.lanes, [&](uint32_t repeat, uint32_t lane) {
      const uint32_t result = resultOf(repeat, lane);
      const bool isSame = result == last && (repeat == repeatOfLast || map_.lanesOfResult == LaneMap::all);
      bool isInvalid = (isSame || map_.readsDst) && isNoted(result);
      for (const LanesOfOperand& place : places)
        isInvalid = isInvalid || reads(place, place.offsetOf(repeat, lane), result);
      note(result, isInvalid);
      last = result, repeatOfLast = repeat;
    });
  }

  uint32_t resultOf(uint32_t repeat, uint32_t lane) const {
    if (map_.resultBytes == 0) return place_.offsetOf(repeat, lane);
    const uint32_t begin = target_.offset - target_.ahead;
    if (map_.lanesOfResult == LaneMap::all) return begin;
    return begin + repeat * map_.resultStep + lane / map_.lanesOfResult * map_.resultBytes;
  }
  uint32_t bytes() const { return map_.resultBytes == 0 ? place_.bytes() : map_.resultBytes; }
  // Whether an element is invalid; in its own place it is what the instruction has left there so far.
  bool reads(const LanesOfOperand& source, uint32_t from, uint32_t result) const {
    const bool isOwn = map_.resultBytes == 0 && from == result && source.bytes() == bytes();
    const uint32_t end = from + source.bytes();
    return isOwn ? isNoted(result) : valid_.firstInvalid(from, end) < end;
  }
  bool isNoted(uint32_t result) const {
    const uint32_t at = result - target_.offset;
    return anySet(invalid_, at, at + bytes());
  }
  void note(uint32_t result, bool isInvalid) {
    const uint32_t at = result - target_.offset;
    setBits(invalid_, at, at + bytes(), isInvalid);
  }

  const LaneMap& map_;
  const LocalAccess& target_;
  const LanesOfOperand place_;
  const ValidBytes& valid_;
  std::vector<uint64_t>& invalid_;
};

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

// Bytes of one row that a copy from global memory brings. The bits of invalid ones are set, of which the first is that of the first
// byte of the target.
bool collectLoaded(const GmAccess& row, uint32_t start, std::vector<uint64_t>& results) {
  bool any = false;
  forEachInvalidRange(row.begin, row.end, [&](const uint8_t* begin, const uint8_t* end) {
    any = true;
    setBits(results, start + static_cast<uint32_t>(begin - row.begin), start + static_cast<uint32_t>(end - row.begin),
            true);
  });
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

// What an instruction of the vector unit leaves invalid of its target: nothing where `results` stays empty.
void compute(const LocalAccess& target, const LaneMap* map, bool areAllRuns, const DetectorState& state,
             const ValidBytes& valid, std::vector<uint64_t>& results) {
  const auto& sources = state.invalidSources;
  bool isKnown = map == nullptr || areAllRuns;
  if (isKnown && !sources.empty()) {
    results.resize((endOf(target) - target.offset) / 64 + 2);
    for (const LocalAccess* source : sources) isKnown = collectElements(*source, target, valid, results) && isKnown;
  }
  const bool isOfLanes = map != nullptr && (map->resultBytes != 0 || target.runs.place != LanePlace::Unknown);
  if (!isKnown && isOfLanes) {
    LaneResults(*map, target, valid, results).collect(sources);
    // what lies between its lanes stays as it was, whatever the others are
    const auto isPlaced = [](const LocalAccess* source) { return source->runs.place != LanePlace::Unknown; };
    if (std::all_of(sources.begin(), sources.end(), isPlaced)) return;
  }
  if (!isKnown && !sources.empty() && areWhollyInvalid(state, valid)) {
    results.resize((endOf(target) - target.offset) / 64 + 2);
    std::fill(results.begin(), results.end(), ~uint64_t(0));
  }
}

// Not inlined, so that instructions on valid bytes alone pay nothing for what the others need.
[[gnu::noinline]] void propagate(Pipe pipe, IssuedInstruction instruction, DetectorState& state, ValidBytes& valid) {
  const LaneMap* map = instruction.lanes;
  const bool readsDst = map != nullptr && map->readsDst, areAllRuns = map != nullptr && areRuns(state, *map);
  if (pipe == Pipe::V && (map == nullptr || areAllRuns) && propagateRuns(readsDst, state, valid)) return;
  const LocalAccess* target = nullptr;  // the first one, or that of the lanes
  size_t targets = 0;
  auto& sources = state.invalidSources;
  sources.clear();
  for (const LocalAccess& access : state.local) {
    if (access.memory != ubIndex) continue;
    if (access.write && (targets++ == 0 || (map != nullptr && access.runs.place != LanePlace::Unknown)))
      target = &access;
    if ((!access.write || (readsDst && &access == target)) && !valid.areValid(access)) sources.push_back(&access);
  }
  auto& results = state.invalidResults;
  results.clear();
  if (pipe == Pipe::V && target != nullptr && (targets == 1 || map != nullptr))
    compute(*target, map, areAllRuns, state, valid, results);
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

void forEachInvalidRange(const uint8_t* begin, const uint8_t* end,
                         const std::function<void(const uint8_t*, const uint8_t*)>& f) {
  IntervalMap& noted = device.gm.invalid;
  for (auto each = noted.lastFrom(begin); each != noted.end() && each->first < end; ++each)
    if (each->second.end > begin) f(std::max(begin, each->first), std::min(end, each->second.end));
  const GmRegion* region = regionAt(begin);
  if (region == nullptr) return;
  for (const uint8_t* at = begin; (at = firstUnwritten(*region, at, end)) < end;) {
    const uint8_t* next = firstWritten(*region, at, end);
    f(at, next);
    at = next;
  }
}

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
