// The content of memory that nothing has written: which bytes are valid, and where the others end up.
#include "device.h"
#include "hazard_bits.h"

namespace npu_emu {

// Words are read and written past the last byte where a range is shifted.
ValidBytes::ValidBytes(uint32_t capacity)
    : bytes(capacity / 64 + 4), pages((capacity / pageBytes + 63) / 64 + 1), capacity_(capacity) {}

void ValidBytes::clear() {
  ++unsets_;
  std::fill(bytes.begin(), bytes.end(), 0);
  std::fill(pages.begin(), pages.end(), 0);
}

void ValidBytes::set(uint32_t begin, uint32_t end) {
  setBits(bytes, begin, end, true);
  if (end - begin >= pageBytes) setBits(pages, (begin + pageBytes - 1) / pageBytes, end / pageBytes, true);
}

namespace {

// 64 bits from any place on. The word after the last one is read as well.
uint64_t wordFrom(const uint64_t* bits, uint32_t shift) { return bits[0] >> shift | bits[1] << 1 << (63 - shift); }

// Bits of bytes, set for a whole element of 1, 2, 4 or 8 bytes where one of them is set.
struct Elements {
  uint32_t near, far, farthest;  // shifts without a branch, so that loops over words become vector code
  uint64_t first = 0;            // of each element

  explicit Elements(uint32_t bytes)
      : near(bytes > 1 ? 1 : 0),
        far(bytes > 2 ? 2 : 0),
        farthest(bytes > 4 ? 4 : 0),
        first(~uint64_t(0) / ((uint64_t(1) << bytes) - 1)) {}

  uint64_t whole(uint64_t bits) const {
    bits |= bits >> near, bits |= bits >> far, bits |= bits >> farthest;
    bits &= first;
    bits |= bits << near, bits |= bits << far, bits |= bits << farthest;
    return bits;
  }
};

}  // namespace

void ValidBytes::setExcept(const LocalAccess& access, const std::vector<uint64_t>& bits) {
  uint64_t lost = 0;
  forEachRun(access, [&](uint32_t begin, uint32_t end) {
    const uint64_t* except = bits.data();
    auto change = [&](uint32_t word, uint64_t before, uint64_t all, uint64_t unsets) {
      bytes[word] = (before | all) & ~unsets;
      lost |= before & unsets;
    };
    forEachWord(
        begin, end,
        [&](uint32_t word, uint64_t all) {
          const uint32_t from = std::max(begin, word * 64), at = from - access.offset;
          change(word, bytes[word], all, wordFrom(except + at / 64, at % 64) << from % 64 & all);
        },
        [&](uint32_t first, uint32_t last) {
          const uint32_t at = first * 64 - access.offset;
          for (uint32_t word = first; word < last; ++word)
            change(word, bytes[word], ~uint64_t(0), wordFrom(except + at / 64 + (word - first), at % 64));
        });
  });
  if (lost != 0) lose(access.offset, endOf(access));
}

// Some of these bytes are valid no longer.
void ValidBytes::lose(uint32_t begin, uint32_t end) {
  ++unsets_;
  setBits(pages, begin / pageBytes, (end + pageBytes - 1) / pageBytes, false);
}

bool ValidBytes::setFrom(const LocalAccess& target, const std::vector<const LocalAccess*>& sources) {
  const uint32_t length = target.runs.bytes;
  const Elements garbage(target.runs.elementBytes);
  uint64_t lost = 0, invalid = 0;
  auto change = [&](uint32_t word, uint64_t all, uint64_t unsets) {
    const uint64_t before = bytes[word];
    bytes[word] = (before | all) & ~unsets;
    lost |= before & unsets;
  };
  for (uint32_t at = 0; at < length; at += 64) {
    const uint64_t all = ~uint64_t(0) >> (length - at < 64 ? 64 - (length - at) : 0);
    uint64_t unset = 0;
    for (const LocalAccess* source : sources)
      unset |= ~wordFrom(&bytes[(source->offset + at) / 64], source->offset % 64);
    unset = garbage.whole(unset & all);
    invalid |= unset;
    const uint32_t word = (target.offset + at) / 64, shift = target.offset % 64;
    change(word, all << shift, unset << shift);
    if (shift != 0) change(word + 1, all >> (64 - shift), unset >> (64 - shift));
  }
  if (lost != 0) lose(target.offset, endOf(target));
  return invalid == 0;
}

// What lies behind the range may be valid as well.
bool ValidBytes::findAll(uint32_t begin, uint32_t end) {
  constexpr uint32_t reach = 16384;
  if (!areSet(begin, end)) return false;
  Near& found = nearOf(begin);
  if (found.unsets != unsets_ || begin < found.begin || begin > found.end) found.begin = begin;
  found.end = firstUnset(end, std::min(end + reach, capacity_));
  found.unsets = unsets_;
  return true;
}

bool ValidBytes::areSet(uint32_t begin, uint32_t end) {
  uint32_t first = (begin + pageBytes - 1) / pageBytes, last = end / pageBytes;
  if (first >= last) return allSet(bytes, begin, end);
  if (!allSet(bytes, begin, first * pageBytes) || !allSet(bytes, last * pageBytes, end)) return false;
  if (allSet(pages, first, last)) return true;
  if (!allSet(bytes, first * pageBytes, last * pageBytes)) return false;
  setBits(pages, first, last, true);
  return true;
}

ValidBytes::Whole& ValidBytes::wholeOf(const LocalAccess& access) {
  // tensors lie powers of two apart: all bits of the place have to count
  const uint32_t place = (access.offset / cellBytes + access.runs.bytes / 4 + access.runs.rows) * 0x9e3779b1u;
  return whole_[place >> 26];
}

bool ValidBytes::isKnown(const LocalAccess& access) {
  const Whole& known = wholeOf(access);
  const Runs &one = known.runs, &other = access.runs;
  return known.unsets == unsets_ && known.offset == access.offset && one.bytes == other.bytes &&
         one.rows == other.rows && one.rowStride == other.rowStride && one.blocks == other.blocks &&
         one.blockStride == other.blockStride;
}

bool ValidBytes::findAll(const LocalAccess& access) {
  const bool oneRun = access.runs.rows * access.runs.blocks == 1;
  if (!oneRun && isKnown(access)) return true;
  if (findAll(access.offset, endOf(access))) return true;
  if (oneRun) return false;
  bool all = true;
  forEachRun(access, [&](uint32_t begin, uint32_t end) { all = all && hasAll(begin, end); });
  if (all) wholeOf(access) = {access.offset, access.runs, unsets_};
  return all;
}

void ValidBytes::set(const LocalAccess& access) {
  if (hasAll(access)) return;
  forEachRun(access, [&](uint32_t begin, uint32_t end) { set(begin, end); });
}

// The first bit of [begin, end) that is one, where `flip` turns zeros into ones; `end` where there is none.
static uint32_t firstBit(const std::vector<uint64_t>& bits, uint32_t begin, uint32_t end, uint64_t flip) {
  if (begin >= end) return end;
  const uint32_t last = (end - 1) / 64;
  uint32_t word = begin / 64;
  uint64_t left = (bits[word] ^ flip) & ~uint64_t(0) << (begin % 64);
  while (left == 0 && word < last) left = bits[++word] ^ flip;
  return left == 0 ? end : std::min(end, word * 64 + static_cast<uint32_t>(__builtin_ctzll(left)));
}

uint32_t ValidBytes::firstSet(uint32_t begin, uint32_t end) const { return firstBit(bytes, begin, end, 0); }

uint32_t ValidBytes::firstUnset(uint32_t begin, uint32_t end) const {
  return firstBit(bytes, begin, end, ~uint64_t(0));
}

// An instruction that computes one short run of elements from others of the same size. False where it is another: long runs are
// found out about many words at a time.
bool Hazards::propagateRuns() {
  constexpr uint32_t most = 512;
  const LocalAccess* target = nullptr;
  notes_.invalid.clear();
  for (const LocalAccess& access : notes_.local) {
    if (access.memory != ubIndex || access.runs.rows * access.runs.blocks != 1 || (access.write && target != nullptr))
      return false;
    if (access.write) target = &access;
    else notes_.invalid.push_back(&access);
  }
  if (target == nullptr || notes_.invalid.empty() || target->runs.bytes > most || target->runs.elementBytes == 0 ||
      target->runs.bytes % target->runs.elementBytes != 0)
    return false;
  for (const LocalAccess* source : notes_.invalid) {
    if (source->runs.bytes != target->runs.bytes || source->runs.elementBytes != target->runs.elementBytes)
      return false;
    if (source->offset != target->offset && source->offset < endOf(*target) && target->offset < endOf(*source))
      return false;
  }
  if (!shadow_->valid.setFrom(*target, notes_.invalid)) return true;
  for (const LocalAccess& access : notes_.local) shadow_->valid.hasAll(access);  // the next time, it is near
  return true;
}

// Invalid bytes are passed on by instructions that work element by element. Others (sorting, gathering, masks of bits) are
// taken to leave valid bytes: lanes that are never used again are no defect.
void Hazards::propagate(Pipe pipe) {
  auto& valid = shadow_->valid;
  const bool allValid = std::all_of(notes_.local.begin(), notes_.local.end(), [&](const LocalAccess& access) {
    return access.memory != ubIndex || valid.isNear(access);
  });
  if (allValid && pipe != Pipe::MTE3) return;
  if (pipe == Pipe::V && resultBytes_ == 0 && propagateRuns()) return;
  const LocalAccess* target = nullptr;
  size_t targets = 0;
  notes_.invalid.clear();
  for (const LocalAccess& access : notes_.local) {
    if (access.memory != ubIndex) continue;
    if (access.write) {
      if (targets++ == 0) target = &access;
      continue;
    }
    if (!valid.hasAll(access)) notes_.invalid.push_back(&access);
  }
  notes_.garbage.clear();
  if (!notes_.invalid.empty() && pipe == Pipe::V && (targets == 1 || (targets > 1 && resultBytes_ != 0))) {
    notes_.garbage.resize((endOf(*target) - target->offset) / 64 + 2);
    for (const LocalAccess* source : notes_.invalid)
      resultBytes_ != 0 ? collectReduced(*source, *target) : collectGarbage(*source, *target);
  }
  for (const LocalAccess& access : notes_.local) {
    if (!access.write || access.memory != ubIndex) continue;
    if (&access == target && !notes_.garbage.empty()) valid.setExcept(access, notes_.garbage);
    else valid.set(access);
  }
  if (pipe == Pipe::MTE3) leaveToGlobal(notes_.invalid.empty() ? nullptr : notes_.invalid.front());
  if (pipe == Pipe::S && !notes_.invalid.empty()) {
    report({Check::ErrorRead2, instruction_,
            text("reads UB 0x%x, which nothing has written", notes_.invalid.front()->offset),
            "copy or compute the data first; clear accumulators with Duplicate"});
  }
}

namespace {

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

}  // namespace

// Notes garbage among 64 bytes of the target, `begin` bytes behind its first.
void Hazards::addGarbage(uint32_t begin, uint64_t bits) {
  const uint32_t word = begin / 64, shift = begin % 64;
  notes_.garbage[word] |= bits << shift;
  if (shift != 0) notes_.garbage[word + 1] |= bits >> (64 - shift);
}

// Which bytes of the target an element-wise instruction computes from invalid bytes of the source. Operands of other shapes,
// and those that are walked as one although they have gaps, are taken to leave valid bytes.
void Hazards::collectGarbage(const LocalAccess& source, const LocalAccess& target) {
  const Runs &from = source.runs, &to = target.runs;
  if (from.elementBytes == 0 || to.elementBytes == 0 || from.rows != to.rows || from.blocks != to.blocks) return;
  const uint32_t elements = to.bytes / to.elementBytes, bytes = elements * from.elementBytes;
  if (from.bytes / from.elementBytes != elements || elements == 0) return;
  const Elements invalid(from.elementBytes);
  const uint32_t whole = bytes / 64, toTarget = 64 / from.elementBytes * to.elementBytes,
                 parts = std::max(1u, toTarget / 64);
  const uint64_t last = (uint64_t(1) << bytes % 64) - 1;
  for (uint32_t row = 0; row < to.rows; ++row)
    for (uint32_t block = 0; block < to.blocks; ++block) {
      const uint32_t read = source.offset + row * from.rowStride + block * from.blockStride, shift = read % 64;
      const uint32_t written = row * to.rowStride + block * to.blockStride;
      const uint64_t* valid = shadow_->valid.bytes.data() + read / 64;
      if (written % 64 == 0 && from.elementBytes == to.elementBytes) {
        uint64_t* garbage = notes_.garbage.data() + written / 64;
        for (uint32_t word = 0; word < whole; ++word) garbage[word] |= invalid.whole(~wordFrom(valid + word, shift));
        if (last != 0) garbage[whole] |= invalid.whole(~wordFrom(valid + whole, shift) & last);
        continue;
      }
      for (uint32_t word = 0; word * 64 < bytes; ++word) {
        uint64_t garbage = ~wordFrom(valid + word, shift) & (word < whole ? ~uint64_t(0) : last);
        if (garbage == 0) continue;
        garbage = invalid.whole(garbage);
        for (uint32_t size = from.elementBytes; size > to.elementBytes; size /= 2) garbage = halved(garbage);
        for (uint32_t part = 0; part < parts; ++part) {
          uint64_t bits = garbage >> part * (64 / parts);
          for (uint32_t size = from.elementBytes; size < to.elementBytes; size *= 2) bits = doubled(bits);
          if (bits != 0) addGarbage(written + word * toTarget + part * 64, bits);
        }
      }
    }
}

// Which results of a reduction come from invalid bytes.
void Hazards::collectReduced(const LocalAccess& source, const LocalAccess& target) {
  const Runs& to = target.runs;
  const uint32_t results = to.bytes / resultBytes_, sources = source.runs.rows * source.runs.blocks * source.runs.bytes;
  if (to.rows * to.blocks != 1 || results == 0 || to.bytes % resultBytes_ != 0 || sources % results != 0) return;
  const uint32_t share = sources / results;
  const uint64_t resultBits = (uint64_t(1) << resultBytes_) - 1;
  uint32_t before = 0,
           told = 0;  // bytes of the source: in earlier runs, and those whose results are known to be garbage
  forEachRun(source, [&](uint32_t begin, uint32_t end) {
    for (uint32_t at = begin + std::max(told, before) - before; (at = shadow_->valid.firstUnset(at, end)) < end;
         at = begin + told - before) {
      const uint32_t result = (before + at - begin) / share;
      addGarbage(result * resultBytes_, resultBits);
      told = (result + 1) * share;
    }
    before += end - begin;
  });
}

// Rows of a copy to global memory: invalid bytes are remembered until something else is written there.
void Hazards::leaveToGlobal(const LocalAccess* invalid) {
  auto& garbage = device.gm.garbage;
  if (invalid == nullptr && garbage.empty()) return;
  std::vector<uint32_t> rows;
  if (invalid != nullptr) forEachRun(*invalid, [&](uint32_t begin, uint32_t) { rows.push_back(begin); });
  size_t row = 0;
  bool matches = invalid != nullptr && rows.size() == notes_.global.size();
  for (const GmAccess& access : notes_.global) {
    if (!access.write) continue;
    GmShadow::cut(garbage, access.begin, access.end);
    if (!matches) continue;
    const uint32_t start = rows[row++], end = start + static_cast<uint32_t>(access.end - access.begin);
    for (uint32_t at = start; (at = shadow_->valid.firstUnset(at, end)) < end;) {
      const uint32_t stop = shadow_->valid.firstSet(at, end);
      device.gm.add(garbage, access.begin + (at - start),
                    {access.begin + (stop - start), core, Pipe::MTE3, 0, 0, 0, 0, instruction_, placeOf(*core)});
      at = stop;
    }
  }
}

void reportGarbage() {
  for (const auto& [begin, span] : device.gm.garbage) {
    const GmRegion* region = regionAt(begin);
    if (region == nullptr || region->access == Access::In || region->isWorkspace ||
        begin >= region->base + region->bytes)
      continue;
    const uint8_t* end = std::min<const uint8_t*>(span.end, region->base + region->bytes);
    core = const_cast<Core*>(span.core);  // the report names it
    report({Check::ErrorRead2, span.instruction,
            text("leaves bytes %td..%td of %s with local memory that nothing has written", begin - region->base,
                 end - region->base - 1, region->name.c_str()),
            "copy out only what was computed; check the length of the last tile", &span.where});
  }
  core = nullptr;
}

}  // namespace npu_emu
