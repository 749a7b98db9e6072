#include "late_copies.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "device.h"

namespace npu_emu {

namespace {

constexpr size_t touchedLimit = 16;  // of one copy: the first ones tell enough

bool isCopyPipe(Pipe pipe) { return pipe == Pipe::MTE2 || pipe == Pipe::MTE3; }

}  // namespace

// Calls f(begin, end, whether the copy writes there, whether the instruction does) for bytes that both touch, and that
// one of them writes.
template <typename F>
void LateCopies::forEachMeeting(Copy& copy, const DetectorState& state, const F& f) {
  for (const LocalAccess& access : state.local)
    for (const LocalAccess& own : copy.local) {
      if (own.memory != access.memory || !(own.write || access.write)) continue;
      const uint32_t from = access.offset, to = endOf(access);
      uint8_t* base = core->memory[own.memory];
      forEachRange(own, [&](uint32_t begin, uint32_t end) {
        if (begin < to && from < end)
          f(base + std::max(begin, from), base + std::min(end, to), own.write, access.write);
      });
    }
  for (const GmAccess& access : state.global)
    for (const GmAccess& own : copy.global) {
      if (!(own.write || access.write) || own.end <= access.begin || access.end <= own.begin) continue;
      f(const_cast<uint8_t*>(std::max(own.begin, access.begin)), const_cast<uint8_t*>(std::min(own.end, access.end)),
        own.write, access.write);
    }
}

void LateCopies::touch(Copy& copy, uint8_t* begin, uint8_t* end, bool copyWrites, bool otherWrites,
                       const char* instruction) {
  if (copy.touched.size() == touchedLimit) return;
  Touched touched{begin, {}, static_cast<uint32_t>(end - begin), !copyWrites, otherWrites, instruction, placeOf(*core)};
  if (touched.ofSource) touched.before.assign(begin, end);
  copy.touched.push_back(std::move(touched));
}

void LateCopies::note(Pipe pipe, const char* instruction, const DetectorState& state, const VectorClock& issued,
                      bool scalarWaits) {
  for (Copies& copies : copies_) {
    uint32_t waitedFor = 0;
    for (Copy& copy : copies)
      if (copy.pipe != pipe)
        forEachMeeting(copy, state, [&](uint8_t* begin, uint8_t* end, bool copyWrites, bool otherWrites) {
          if (scalarWaits && pipe == Pipe::S) waitedFor = copy.count;
          else touch(copy, begin, end, copyWrites, otherWrites, instruction);
        });
    landUpTo(copies, waitedFor);
  }
  if (!isCopyPipe(pipe)) return;
  next_ = {};
  isNoted_ = true;
  next_.pipe = pipe;
  next_.count = issued[static_cast<size_t>(pipe)];
  next_.local = state.local;
  next_.global = state.global;
  next_.instruction = instruction;
  next_.where = placeOf(*core);
}

void LateCopies::keepBack(std::function<void()> effect) {
  if (!isNoted_) return effect();
  isNoted_ = false;
  last_ = next_.pipe;
  next_.effect = std::move(effect);
  of(last_).push_back(std::move(next_));
}

void LateCopies::landFirst(Copies& copies) {
  Copy copy = std::move(copies.front());
  copies.pop_front();
  const auto changed = [](const Touched& touched) {
    return std::memcmp(touched.begin, touched.before.data(), touched.bytes) != 0;
  };
  const Touched* late = nullptr;
  for (Touched& touched : copy.touched) {
    if (!touched.ofSource) touched.before.assign(touched.begin, touched.begin + touched.bytes);
    else if (late == nullptr && changed(touched)) late = &touched;
  }
  copy.effect();
  for (const Touched& touched : copy.touched)
    if (late == nullptr && !touched.ofSource && changed(touched)) late = &touched;
  if (late == nullptr) return;
  report({Check::LateCopy, copy.instruction,
          text("takes effect only where something waits for it, and %s %s before", late->instruction.c_str(),
               late->ofSource  ? "overwrites its source"
               : late->written ? "writes its destination"
                               : "reads its destination"),
          "let the other one wait for the copy: EnQue and DeQue, or SetFlag and WaitFlag after it", &copy.where,
          &late->where, late->instruction});
}

void LateCopies::landUpTo(Copies& copies, uint32_t count) {
  while (!copies.empty() && copies.front().count <= count) landFirst(copies);
}

void LateCopies::land(const VectorClock& completed) {
  for (Pipe pipe : {Pipe::MTE2, Pipe::MTE3}) landUpTo(of(pipe), completed[static_cast<size_t>(pipe)]);
}

void LateCopies::landAll() {
  const Pipe first = last_;
  for (Pipe pipe : {first, first == Pipe::MTE2 ? Pipe::MTE3 : Pipe::MTE2}) landUpTo(of(pipe), UINT32_MAX);
}

void LateCopies::landStoresTo(const uint8_t* begin, const uint8_t* end) {
  Copies& stores = of(Pipe::MTE3);
  uint32_t newest = 0;
  for (const Copy& store : stores)
    for (const GmAccess& access : store.global)
      if (access.write && access.begin < end && begin < access.end) newest = store.count;
  landUpTo(stores, newest);
}

}  // namespace npu_emu
