#include "trace.h"

#include <algorithm>
#include <utility>

namespace npu_emu {

namespace {

// What a record, and a transfer, take at most. None is cut by the end of a chunk.
constexpr uint64_t mostBytes = 32;
constexpr uint64_t smallestChunk = 256, largestChunk = 64 * 1024;
// What the clock keeps until the end of what is set and waited for, by token: more than the record of it takes. Those of flags and
// queues are few.
constexpr uint64_t playedBytes = 128;
constexpr uint32_t fewTokens = 4096;

// Seven bits a byte, the lowest first; the last byte has its highest bit clear.
inline uint8_t* put(uint8_t* to, uint64_t number) {
  for (; number >= 0x80; number >>= 7) *to++ = static_cast<uint8_t>(number | 0x80);
  *to++ = static_cast<uint8_t>(number);
  return to;
}

inline uint64_t take(const uint8_t*& from) {
  uint64_t number = *from++;
  if (__builtin_expect(number < 0x80, 1)) return number;
  number &= 0x7f;
  for (unsigned shift = 7;; shift += 7) {
    const uint64_t next = *from++;
    number |= (next & 0x7f) << shift;
    if (next < 0x80) return number;
  }
}

// Differences of either sign as numbers that are small where they are.
inline uint64_t folded(uint64_t difference) { return difference << 1 ^ (0 - (difference >> 63)); }
inline uint64_t unfolded(uint64_t number) { return number >> 1 ^ (0 - (number & 1)); }

constexpr unsigned dependentBit = 4, pipeBit = 5;
static_assert(TraceEntry::CrossWaitAll < 1 << dependentBit && pipeCount <= 8);

inline bool works(TraceEntry::Kind kind) { return kind <= TraceEntry::AtomicWrite; }
inline bool hasToken(TraceEntry::Kind kind) {
  return !works(kind) && kind != TraceEntry::Barrier && kind != TraceEntry::BarrierAll;
}

}  // namespace

const char* nameOf(Pipe pipe) {
  constexpr const char* names[] = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX"};
  return names[static_cast<size_t>(pipe)];
}

// ---- written -------------------------------------------------------------------------------------------------------

void Trace::addTransfer(const uint8_t* address, uint64_t rowBytes, uint64_t rows, uint64_t distance) {
  if (rowBytes == 0 || rows == 0) return;
  if (distance == rowBytes) rowBytes *= std::exchange(rows, 1);
  if (rows == 1 && !given_.empty()) {
    Transfer& last = given_.back();
    if (last.rows == 1 && last.address + last.rowBytes == address && rowBytes <= UINT32_MAX - last.rowBytes) {
      last.rowBytes += static_cast<uint32_t>(rowBytes);
      return;
    }
  }
  const auto clipped = [](uint64_t value) { return static_cast<uint32_t>(std::min<uint64_t>(value, UINT32_MAX)); };
  given_.push_back({address, distance, clipped(rowBytes), clipped(rows)});
}

bool Trace::append(const TraceEntry& entry) {
  isEmpty_ = false;
  hasUnordered_ = hasUnordered_ || entry.isWorkOf(Pipe::V) || entry.isWorkOf(Pipe::MTE2);
  if (__builtin_expect(!hasRoomFor(entry.moves() ? given_.size() : 0), 0)) {
    if (!isRecorded()) last_ = entry;
    return false;
  }
  writeOpen();
  last_ = entry;
  isOpen_ = entry.isScalarWork();
  if (!isOpen_) write(entry);
  return true;
}

bool Trace::extend(uint64_t scalarCycles) {
  if (isEmpty_ || !last_.isScalarWork()) return false;
  last_.occupancy += scalarCycles;
  if (isInOrder_) unrecordedCycles_ += static_cast<double>(scalarCycles);
  return true;
}

void Trace::appendUnrecorded(uint64_t cycles) {
  // what the pipes have been given by then ends first
  if (!std::exchange(isInOrder_, true)) {
    writeOpen();
    write({TraceEntry::BarrierAll, Pipe::S, false, 1, 0, 0, 0, 0, 0});
  }
  if (!isOpen_) last_ = {TraceEntry::Work, Pipe::S, false, 0, 0, 0, 0, 0, 0};
  isOpen_ = true;
  extend(cycles);
}

bool Trace::appendMeeting(const TraceEntry& entry) {
  appendUnrecorded(0);
  writeOpen();
  last_ = entry;
  write(entry);
  return memory_->used <= TraceMemory::forRecords + TraceMemory::forMeetings;
}

void Trace::writeOpen() {
  if (std::exchange(isOpen_, false)) write(last_);
}

uint64_t Trace::nextChunkBytes() const { return std::clamp(bytes_ / 2, smallestChunk, largestChunk); }

// For a record with so many transfers, and for one that is open.
inline bool Trace::hasRoomFor(uint64_t transfers) {
  const uint64_t most = (2 + transfers) * mostBytes;
  if (static_cast<uint64_t>(end_ - next_) >= most) return !isFull_;
  isFull_ = isFull_ || memory_ == nullptr || memory_->used + std::max(nextChunkBytes(), most) > TraceMemory::forRecords;
  return !isFull_;
}

[[gnu::noinline]] void Trace::addChunk() {
  const uint64_t bytes = nextChunkBytes();
  if (!chunks_.empty()) chunks_.back().used = static_cast<uint64_t>(next_ - chunks_.back().data.get());
  chunks_.push_back({std::unique_ptr<uint8_t[]>(new uint8_t[bytes]), 0});
  next_ = chunks_.back().data.get();
  end_ = next_ + bytes;
  bytes_ += bytes;
  memory_->used += bytes;
}

// Where the next record or transfer is written.
inline uint8_t* Trace::place() {
  if (__builtin_expect(static_cast<uint64_t>(end_ - next_) < mostBytes, 0)) addChunk();
  return next_;
}

inline void Trace::write(const TraceEntry& entry) {
  uint8_t* to = place();
  *to++ = static_cast<uint8_t>(entry.kind | static_cast<unsigned>(entry.afterOwnPipe) << dependentBit |
                               static_cast<unsigned>(entry.pipe) << pipeBit);
  *to++ = entry.scalarCycles;
  if (works(entry.kind)) {
    to = put(put(to, entry.occupancy), entry.tail);
    if (entry.moves()) to = put(to, given_.size());
  } else if (hasToken(entry.kind)) {
    to = put(to, entry.token);
    meetsOthers_ = meetsOthers_ || entry.meets();
    if (entry.meets() || entry.token >= fewTokens) memory_->used += playedBytes;
  }
  if (__builtin_expect(hasOrigins, 0)) to = put(to, entry.origin);
  next_ = to;
  if (entry.moves())
    for (const Transfer& transfer : given_) write(transfer);
}

void Trace::write(const Transfer& transfer) {
  const auto address = reinterpret_cast<uintptr_t>(transfer.address);
  uint8_t* to = put(put(place(), transfer.rowBytes), transfer.rows);
  if (transfer.rows != 1) to = put(to, transfer.distance);
  next_ = put(to, folded(address - std::exchange(address_, address)));
}

// ---- read ----------------------------------------------------------------------------------------------------------

inline void TraceReader::enterChunk() {
  if (__builtin_expect(at_ != end_, 1)) return;
  const bool isLast = chunk_ + 1 == trace_->chunks_.size();
  const Trace::Chunk& chunk = trace_->chunks_[chunk_++];
  at_ = chunk.data.get();
  end_ = isLast ? trace_->next_ : at_ + chunk.used;
}

TraceEntry TraceReader::next() {
  enterChunk();
  const uint8_t* at = at_;
  TraceEntry entry;
  const unsigned head = *at++;
  entry.kind = static_cast<TraceEntry::Kind>(head & ((1u << dependentBit) - 1));
  entry.afterOwnPipe = (head >> dependentBit & 1) != 0;
  entry.pipe = static_cast<Pipe>(head >> pipeBit);
  entry.scalarCycles = *at++;
  if (works(entry.kind)) {
    entry.occupancy = take(at);
    entry.tail = static_cast<uint32_t>(take(at));
    if (entry.moves()) entry.transfers = static_cast<uint32_t>(take(at));
  } else if (hasToken(entry.kind)) {
    entry.token = static_cast<uint32_t>(take(at));
  }
  if (__builtin_expect(trace_->hasOrigins, 0)) entry.origin = static_cast<uint32_t>(take(at));
  at_ = at;
  return entry;
}

Transfer TraceReader::transfer() {
  enterChunk();
  const uint8_t* at = at_;
  Transfer transfer{nullptr, 0, static_cast<uint32_t>(take(at)), 0};
  transfer.rows = static_cast<uint32_t>(take(at));
  if (transfer.rows != 1) transfer.distance = take(at);
  transfer.address = reinterpret_cast<const uint8_t*>(address_ += unfolded(take(at)));
  at_ = at;
  return transfer;
}

}  // namespace npu_emu
