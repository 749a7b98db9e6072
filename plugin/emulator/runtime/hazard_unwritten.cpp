// The content of memory that nothing has written: which bytes are valid, and where the others end up.
#include "device.h"
#include "hazard_bits.h"

namespace npu_emu {

ValidBytes::ValidBytes(uint32_t capacity) : bytes((capacity + 63) / 64), pages((capacity / pageBytes + 63) / 64 + 1) {}

void ValidBytes::clear() {
  std::fill(bytes.begin(), bytes.end(), 0);
  std::fill(pages.begin(), pages.end(), 0);
}

void ValidBytes::set(uint32_t begin, uint32_t end) {
  setBits(bytes, begin, end, true);
  if (end - begin >= pageBytes) setBits(pages, (begin + pageBytes - 1) / pageBytes, end / pageBytes, true);
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
