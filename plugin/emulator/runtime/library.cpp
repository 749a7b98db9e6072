#include "library.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace npu_emu {

void WorkingMemory::touch(Touches& touches) const {
  touches.add(extent);
  // whatever lies there, buffer by buffer
  const uint8_t* end = extent.end() + behind;
  for (Operand at{extent.operand.address + extent.bytes, 0, extent.operand.position}; at.address < end;) {
    const uint8_t* until = end;
    const Buffer& here = bufferOf(at);
    if (here.base != nullptr) until = std::min<const uint8_t*>(end, here.base + here.bytes);
    else
      for (const Buffer& buffer : core->buffers)
        if (buffer.base > at.address) until = std::min<const uint8_t*>(until, buffer.base);
    const auto bytes = static_cast<uint32_t>(until - at.address);
    touches.add(unseenByCompiler({at, bytes, writes, "sharedTmpBuffer", 1}));
    at.address += bytes;
  }
  if (reserved != 0) touches.addReservedArea(reserved);
}

void WorkingMemory::leaveGarbage() const {
  if (extent.bytes + behind != 0) std::memset(extent.operand.address, garbage, extent.bytes + behind);
  if (reserved != 0) std::memset(reservedArea(), garbage, reserved);
}

void Loss::add(const uint8_t* begin, const uint8_t* end) {
  if (begin < end) ranges_.push_back({const_cast<uint8_t*>(begin), static_cast<size_t>(end - begin)});
}

void Loss::add(const Extent& a, const Extent& b) { add(std::max(a.begin(), b.begin()), std::min(a.end(), b.end())); }

void Loss::leaveGarbage() const {
  for (const Range& range : ranges_) std::memset(range.begin, garbage, range.bytes);
}

namespace {

bool isSame(const char* a, const char* b) { return std::strcmp(a, b) == 0; }

// Calls f(begin, end) for what of `read` lies in `written`: rows that are apart have room between them.
template <typename F>
void forEachCommon(const Extent& written, const Extent& read, F f) {
  const Reach& reach = read.bytes;
  const uint8_t *low = std::max(written.begin(), read.begin()), *high = std::min(written.end(), read.end());
  if (low >= high) return;
  for (uint32_t row = 0; row < reach.runs.rows; ++row) {
    for (uint32_t block = 0; block < reach.runs.blocks; ++block) {
      const uint8_t* begin =
          read.begin() + reach.begin + size_t(row) * reach.runs.rowStride + size_t(block) * reach.runs.blockStride;
      const uint8_t *from = std::max(begin, low), *to = std::min(begin + reach.runs.bytes, high);
      if (from < to) f(from, to);
    }
  }
}

}  // namespace

bool Overlaps::isRead(const Extent& extent) const {
  return !extent.write ||
         std::any_of(taken_, taken_ + takes_, [&](const char* role) { return isSame(role, extent.role); });
}

bool Overlaps::holds(const char* name, const Extent& written, const Extent& read) const {
  const auto lies = [&](Lies how) {
    return how == Lies::Anywhere ||
           (how == Lies::Behind ? written.begin() <= read.begin() : written.begin() == read.begin());
  };
  for (size_t i = 0; i < count_; ++i) {
    const Rule& rule = rules_[i];
    if (!isSame(rule.written, written.role) || !isSame(rule.read, read.role) || !lies(rule.how)) continue;
    if (!rule.isDocumented)
      report({Check::OverlapForbidden, name,
              text("%s overlaps %s, for which there is no promise; the library of Atlas A2 allows it", written.role,
                   read.role),
              text("use another tensor for %s", written.role).c_str()});
    return true;
  }
  if (isSame(read.role, working))
    reportAsserted(name, text("%s overlaps %s", working, written.role), "give the function memory of its own");
  else
    reportAsserted(name,
                   text("%s overlaps %s, which the library still reads after it wrote there", written.role, read.role),
                   text("use another tensor for %s", written.role).c_str());
  return false;
}

Losses Overlaps::find(const char* name, const WorkingMemory& memory, const Extent* extents, size_t count) const {
  Losses losses;
  Extent worked = memory.extent;
  worked.bytes = Reach(worked.bytes.bytes + memory.behind);
  worked.role = working;
  for (size_t i = 0; i < count; ++i) {
    const Extent& written = extents[i];
    if (written.bytes.bytes == 0) continue;
    if (worked.bytes.bytes != 0 && written.begin() < worked.end() && worked.begin() < written.end()) {
      if (!written.write)
        reportAsserted(name, text("%s overlaps %s", working, written.role), "give the function memory of its own");
      else if (!holds(name, written, worked)) losses.after.add(written, worked);
    }
    for (size_t j = 0; j < count && written.write; ++j) {
      const Extent& read = extents[j];
      const bool isItself = i == j || (read.begin() == written.begin() && isSame(read.role, written.role));
      if (isItself || !isRead(read)) continue;
      bool meets = false;
      forEachCommon(written, read, [&](const uint8_t*, const uint8_t*) { meets = true; });
      if (!meets || holds(name, written, read)) continue;
      // what is overwritten may be read too late, and what is written there may be the first of it
      forEachCommon(written, read, [&](const uint8_t* begin, const uint8_t* end) {
        losses.before.add(begin, end);
        losses.after.add(begin, end);
      });
    }
  }
  return losses;
}

void reportAsserted(const char* name, std::string message, const char* hint) {
  report({Check::AssertIgnored, name, std::move(message), hint});
}

void reportShortage(const char* name, uint32_t bytes, uint32_t needed, const char* sizeHelper) {
  reportAsserted(name, text("sharedTmpBuffer has %u bytes, %u are needed", bytes, needed),
                 text("take the size from %s on the host", sizeHelper).c_str());
}

WorkingMemory workingMemory(const char* name, const Temporary& temporary, uint32_t needed, const char* sizeHelper) {
  return workingMemory(name, temporary, needed, needed, sizeHelper);
}

namespace {

// Whether a function selects by the register of comparisons, for which it loads it itself.
bool loadsRegisterOfComparisons(const char* name) {
  constexpr const char* all[] = {"Digamma", "LayerNorm",      "Lgamma", "Power", "SelectWithBytesMask",
                                 "Sign",    "WelfordFinalize"};
  return std::any_of(std::begin(all), std::end(all), [&](const char* each) { return std::strcmp(each, name) == 0; });
}

}  // namespace

WorkingMemory workingMemory(const char* name, const Temporary& temporary, uint32_t least, uint32_t most,
                            const char* sizeHelper) {
  if (loadsRegisterOfComparisons(name)) markLost(Register::Comparison);
  if (temporary.bytes < least) {
    if (!temporary.ofCaller)
      trap({Check::BufferSize, name,
            text("the temporary memory of the library takes %u bytes, %u are left in UB", least, temporary.bytes),
            "give fewer bytes to InitBuffer, or pass a sharedTmpBuffer"});
    reportShortage(name, temporary.bytes, least, sizeHelper);
  }
  return worksIn(temporary, std::max(least, std::min(temporary.bytes, most)));
}

WorkingMemory worksIn(const Temporary& temporary, uint32_t bytes) {
  const uint32_t given = std::min(temporary.bytes, bytes);
  return {unseenByCompiler({temporary.operand, given, writes, "sharedTmpBuffer"}), bytes - given};
}

WorkingMemory reservedMemory(const char* name, uint32_t bytes) {
  checkReservedArea(name);
  WorkingMemory memory;
  memory.reserved = bytes;
  return memory;
}

}  // namespace npu_emu
