#include "written_bytes.h"

#include <algorithm>
#include <new>

#include "device.h"
#include "instruction_stream.h"
#include "report.h"

namespace npu_emu {

WrittenBytes::WrittenBytes(uint64_t held, uint64_t all)
    : bits_(all == held ? nullptr : static_cast<uint64_t*>(std::calloc((all - held + 63) / 64, sizeof(uint64_t)))),
      held_(held) {
  if (all != held && bits_ == nullptr) throw std::bad_alloc();
}

void WrittenBytes::set(uint64_t begin, uint64_t end) {
  begin = std::max(begin, held_);
  if (begin >= end) return;
  begin -= held_, end -= held_;
  const uint64_t first = begin / 64, last = (end - 1) / 64;
  const uint64_t head = ~uint64_t(0) << (begin % 64), tail = ~uint64_t(0) >> (63 - (end - 1) % 64);
  if (first == last) {
    bits_[first] |= head & tail;
    return;
  }
  bits_[first] |= head;
  std::fill(bits_.get() + first + 1, bits_.get() + last, ~uint64_t(0));
  bits_[last] |= tail;
}

// The first bit that is set, or that is not where all are inverted.
uint64_t WrittenBytes::first(uint64_t begin, uint64_t end, uint64_t inverted) const {
  for (uint64_t at = begin - held_; at < end - held_; at = (at / 64 + 1) * 64) {
    const uint64_t word = (bits_[at / 64] ^ inverted) & ~uint64_t(0) << (at % 64);
    if (word != 0) return std::min(end, held_ + at / 64 * 64 + static_cast<uint64_t>(__builtin_ctzll(word)));
  }
  return end;
}

uint64_t WrittenBytes::firstUnwritten(uint64_t begin, uint64_t end) const {
  return end <= held_ ? end : first(std::max(begin, held_), end, ~uint64_t(0));
}

uint64_t WrittenBytes::firstWritten(uint64_t begin, uint64_t end) const {
  return begin < held_ ? begin : first(begin, end, 0);
}

namespace {

bool isHeld(const GmRegion& region) {
  return region.use != GmRegion::Workspace && (region.access != Access::Out || region.isFilled);
}

WrittenBytes* writtenOf(const GmRegion& region) {
  return region.written == GmRegion::notCovered ? nullptr : &device.written[region.written];
}

}  // namespace

void beginWrittenBytes() {
  device.written.clear();
  for (GmRegion& region : device.regions) region.written = GmRegion::notCovered;
  if (isIssuing()) return;  // the process of the kernel: what it finds out about that is nobody's concern
  for (GmRegion& region : device.regions) {
    region.written = static_cast<uint32_t>(device.written.size());
    device.written.emplace_back(isHeld(region) ? region.bytes : 0, paddedBytes(region));
  }
}

void noteWritten(const GmRegion& region, const uint8_t* address, uint64_t bytes) {
  const auto begin = static_cast<uint64_t>(address - region.base);
  if (WrittenBytes* written = writtenOf(region)) written->set(begin, begin + bytes);
}

const uint8_t* firstUnwritten(const GmRegion& region, const uint8_t* begin, const uint8_t* end) {
  const WrittenBytes* written = writtenOf(region);
  if (written == nullptr) return end;
  return region.base +
         written->firstUnwritten(static_cast<uint64_t>(begin - region.base), static_cast<uint64_t>(end - region.base));
}

const uint8_t* firstWritten(const GmRegion& region, const uint8_t* begin, const uint8_t* end) {
  const WrittenBytes* written = writtenOf(region);
  if (written == nullptr) return begin;
  return region.base +
         written->firstWritten(static_cast<uint64_t>(begin - region.base), static_cast<uint64_t>(end - region.base));
}

void requireWritten(const char* instruction, const uint8_t* address, uint32_t bytes) {
  const GmRegion* region = regionAt(address);
  // an address that is none is reported when it is read
  if (region == nullptr || address + bytes > region->base + paddedBytes(*region)) return;
  const uint8_t* unwritten = firstUnwritten(*region, address, address + bytes);
  if (unwritten == address + bytes) return;
  report({Check::ErrorRead2, instruction,
          text("reads byte %td of %s, which nothing has written", unwritten - region->base, region->name.c_str()),
          "let the kernel store there first, and others wait for it; an output can have an InitValue"});
}

}  // namespace npu_emu
