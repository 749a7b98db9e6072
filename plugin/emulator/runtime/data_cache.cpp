#include "data_cache.h"

#include <algorithm>
#include <cstring>

namespace npu_emu {

namespace {

static_assert(cacheLineBytes == 64, "a word has a bit for each byte of a line");

uintptr_t numberOf(const uint8_t* address) { return reinterpret_cast<uintptr_t>(address) / cacheLineBytes; }

// The bytes of a line that lie between two addresses.
uint64_t bytesOf(uintptr_t line, uintptr_t begin, uintptr_t end) {
  const uintptr_t first = line * cacheLineBytes;
  const uintptr_t from = std::max(begin, first) - first, to = std::min(end, first + cacheLineBytes) - first;
  return (to == cacheLineBytes ? ~uint64_t(0) : (uint64_t(1) << to) - 1) & ~((uint64_t(1) << from) - 1);
}

}  // namespace

bool DataCache::hold(const uint8_t* address, bool keepsContent) {
  const uintptr_t number = numberOf(address);
  held_.resize(lines);
  Line& line = held_[number % lines];
  if (line.number == number) return true;
  if (line.number == 0) ++used_;
  if (line.stored != 0) --ahead_;
  line = {number, 0, 0, 0, keepsContent, false};
  if (!keepsContent) return false;
  content_.resize(lines);
  std::memcpy(content_[number % lines].data(), lineOf(address), cacheLineBytes);
  return false;
}

void DataCache::preload(const uint8_t* address, double now) {
  lastComesAt_ = std::max(lastComesAt_, now) + missCycles;
  held_[numberOf(address) % lines].comesAt = lastComesAt_;
}

uint32_t DataCache::cyclesUntilThere(const uint8_t* address, double now) const {
  const double rest = held_[numberOf(address) % lines].comesAt - now;
  // it need not be waited for longer than for a line that is fetched now
  return rest <= 0 ? 0 : static_cast<uint32_t>(std::min<double>(rest, missCycles));
}

void DataCache::store(const uint8_t* address, uint64_t bytes, bool isChange) {
  refresh(address, bytes);
  const auto begin = reinterpret_cast<uintptr_t>(address);
  Line& line = held_[numberOf(address) % lines];
  if (line.number != numberOf(address)) return;
  line.isDirty = true;
  if (!isChange) return;
  if (line.stored == 0) ++ahead_;
  const uint64_t stored = bytesOf(line.number, begin, begin + bytes);
  line.stored |= stored;
  line.old &= ~stored;
}

// Calls visit(line, index, bytes between the two) for each line that is held.
template <typename Visit>
void DataCache::forEachIn(const uint8_t* begin, const uint8_t* end, Visit visit) const {
  const auto from = reinterpret_cast<uintptr_t>(begin), to = reinterpret_cast<uintptr_t>(end);
  if (from >= to) return;
  const uintptr_t first = numberOf(begin), last = numberOf(end - 1);
  const uint32_t count = static_cast<uint32_t>(std::min<uintptr_t>(last - first + 1, lines));
  for (uint32_t i = 0; i < count; ++i) {
    const auto index = static_cast<uint32_t>((first + i) % lines);
    const Line& line = held_[index];
    if (line.number >= first && line.number <= last) visit(line, index, bytesOf(line.number, from, to));
  }
}

void DataCache::keepBefore(const uint8_t* address, uint64_t count) {
  if (used_ == 0) return;
  before_.resize(lines);
  forEachIn(address, address + count, [&](const Line& line, uint32_t index, uint64_t bytes) {
    const auto* memory = reinterpret_cast<const uint8_t*>(line.number * cacheLineBytes);
    for (uint32_t i = 0; i < cacheLineBytes; ++i)
      if (((bytes & ~line.stored) >> i & 1) != 0) before_[index][i] = memory[i];
  });
}

DataCache::Stored DataCache::storedIn(const uint8_t* address) const {
  if (used_ == 0) return {};
  const auto index = static_cast<uint32_t>(numberOf(address) % lines);
  const Line& line = held_[index];
  if (line.number != numberOf(address)) return {};
  return {line.stored, before_.empty() ? std::array<uint8_t, cacheLineBytes>{} : before_[index]};
}

bool DataCache::isAheadOfMemory(const uint8_t* begin, const uint8_t* end) const {
  bool found = false;
  if (ahead_ == 0) return found;
  forEachIn(begin, end, [&](const Line& line, uint32_t, uint64_t bytes) { found |= (line.stored & bytes) != 0; });
  return found;
}

bool DataCache::storeAround(const uint8_t* begin, const uint8_t* end) {
  bool found = false;
  if (used_ == 0) return found;
  forEachIn(begin, end, [&](const Line& line, uint32_t index, uint64_t bytes) {
    found |= (line.stored & bytes) != 0;
    held_[index].old |= bytes;
  });
  return found;
}

bool DataCache::isBehindMemory(const uint8_t* address, uint64_t count) const {
  bool found = false;
  if (used_ == 0) return found;
  forEachIn(address, address + count,
            [&](const Line& line, uint32_t, uint64_t bytes) { found |= (line.old & bytes) != 0; });
  return found;
}

void DataCache::refresh(const uint8_t* address, uint64_t count) {
  if (used_ == 0) return;
  forEachIn(address, address + count, [&](const Line& line, uint32_t index, uint64_t bytes) {
    const auto* memory = reinterpret_cast<const uint8_t*>(line.number * cacheLineBytes);
    for (uint32_t i = 0; line.hasContent && i < cacheLineBytes; ++i)
      if ((bytes >> i & 1) != 0) content_[index][i] = memory[i];
  });
}

bool DataCache::differsFromMemory(const uint8_t* address, uint64_t count) const {
  bool found = false;
  if (used_ == 0) return found;
  forEachIn(address, address + count, [&](const Line& line, uint32_t index, uint64_t bytes) {
    const auto* memory = reinterpret_cast<const uint8_t*>(line.number * cacheLineBytes);
    for (uint32_t i = 0; line.hasContent && i < cacheLineBytes; ++i)
      found |= (bytes >> i & 1) != 0 && content_[index][i] != memory[i];
  });
  return found;
}

void DataCache::addLost(uint32_t index, std::vector<const uint8_t*>& lost) const {
  const Line& line = held_[index];
  if (!line.isDirty || !line.hasContent) return;
  const auto* memory = reinterpret_cast<const uint8_t*>(line.number * cacheLineBytes);
  if (std::memcmp(memory, content_[index].data(), cacheLineBytes) == 0) return;
  const uint64_t told = line.stored & line.old;
  for (uint32_t i = 0; i < cacheLineBytes; ++i)
    if (content_[index][i] != memory[i] && (told >> i & 1) == 0) lost.push_back(memory + i);
}

std::vector<const uint8_t*> DataCache::lostTo(const uint8_t* address) const {
  std::vector<const uint8_t*> lost;
  if (used_ == 0) return lost;
  if (address == nullptr) {
    for (uint32_t index = 0; index < lines; ++index) addLost(index, lost);
    return lost;
  }
  const auto index = static_cast<uint32_t>(numberOf(address) % lines);
  if (held_[index].number == numberOf(address)) addLost(index, lost);
  return lost;
}

const uint8_t* DataCache::lineInPlaceOf(const uint8_t* address) const {
  if (used_ == 0) return nullptr;
  const uintptr_t number = held_[numberOf(address) % lines].number;
  return number == numberOf(address) ? nullptr : reinterpret_cast<const uint8_t*>(number * cacheLineBytes);
}

void DataCache::clean() {
  if (used_ != 0) std::fill(held_.begin(), held_.end(), Line());
  used_ = ahead_ = 0;
}

void DataCache::clean(const uint8_t* address) {
  if (used_ == 0) return;
  Line& line = held_[numberOf(address) % lines];
  if (line.number != numberOf(address)) return;
  --used_;
  if (line.stored != 0) --ahead_;
  line = Line();
}

}  // namespace npu_emu
