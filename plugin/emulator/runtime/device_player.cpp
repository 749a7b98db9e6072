#include "device_player.h"

#include <algorithm>
#include <utility>

#include "timing.h"

namespace npu_emu {

using namespace timing;

namespace {

// Classes of transfers, by what one of them takes at most.
enum L2Class : size_t { VectorRead, CubeRead, VectorWrite, CubeWrite };
enum HbmClass : size_t { HbmRead, HbmWrite };

constexpr uint64_t lineBytes = 512, sectorBytes = 128;

// Bytes of L2 that a launch takes for what it reads and writes, each counted once.
struct Footprint {
  double read = 0, written = 0;
};
Footprint footprintOf(const Played& played) {
  Footprint all;
  for (const GmRegion& region : played.regions) {
    if (region.bypassesL2()) continue;
    all.read += static_cast<double>(std::min<uint64_t>(region.bytesRead, region.bytes));
    all.written += static_cast<double>(std::min<uint64_t>(region.bytesWritten, region.bytes));
  }
  return all;
}

// Of what is written so large a share goes on to HBM: the more of L2 a launch takes, the more of it leaves in the meantime,
// pushed out by what is read; by itself it leaves where it does not fit.
double writtenThroughOf(const Played& played) {
  const auto [read, written] = footprintOf(played);
  if (written == 0) return 0;
  const auto capacity = static_cast<double>(played.soc.l2Bytes);
  const double pushed = std::min(1.0, (read + written) / (footprintFactor * capacity)) * std::min(1.0, read / written);
  return std::max(pushed, 1 - capacity / written);
}

std::unordered_map<uint32_t, Round> roundsOf(const std::vector<const Trace*>& traces) {
  std::unordered_map<uint32_t, Round> rounds;
  for (const Trace* trace : traces) {
    if (!trace->meetsOthers()) continue;
    for (TraceReader reader(*trace); reader.hasNext();) {
      const TraceEntry entry = reader.next();
      for (uint32_t i = 0; i < entry.transfers; ++i) reader.transfer();
      if (entry.kind == TraceEntry::SyncAll || entry.kind == TraceEntry::CrossSet) ++rounds[entry.token].missing;
    }
  }
  return rounds;
}

// What rows take longer that do not begin where lines do, and reach into the next one.
double misaligned(const Transfer& transfer) {
  const auto offset =
      (reinterpret_cast<uintptr_t>(transfer.address) | (transfer.rows > 1 ? transfer.distance : 0)) % lineBytes;
  if (offset == 0 || offset + transfer.rowBytes <= lineBytes) return 1;
  return 1 / (offset % sectorBytes == 0 ? sectorAlignedShare : unalignedShare);
}

}  // namespace

L2Cache cacheOf(const Played& played) { return {played.regions, played.soc.l2Bytes, writtenThroughOf(played)}; }

DevicePlayer::DevicePlayer(const Played& played, L2Cache& cache)
    : played_(played),
      nsPerCycle_(1 / played.soc.clockGHz),
      cache_(cache),
      hbm_(played.soc.hbmBytesPerNs * sustainedShare,
           {coreReadBytesPerNs, coreWriteBytesPerNs, coreWriteBytesPerNs, coreWriteBytesPerNs}, sameLineShare),
      l2_(l2BytesPerNs, {coreL2BytesPerNs, cubeL2BytesPerNs, coreWriteBytesPerNs, cubeWriteBytesPerNs}, sameLineShare),
      players_(played.traces.size()),
      recorders_(played.traces.size()),
      ends_(played.traces.size()) {
  meetings_.rounds = roundsOf(played.traces);
  cache_.endAll();
}

TimedKernel DevicePlayer::play() {
  beginCores();
  for (;;) {
    settle();
    const double start = meetings_.starts.isEmpty() ? SharedBandwidth::never : meetings_.starts.first().time;
    const double place = places_.empty() ? SharedBandwidth::never : places_.top().first;
    const double next = std::min({start, place, hbm_.nextEnd(), l2_.nextEnd()});
    if (next == SharedBandwidth::never) {
      if (ended_ == players_.size() || !giveUp()) break;
    } else if (hbm_.nextEnd() == next) {
      endTransfer(hbm_.endNext(), next);
    } else if (l2_.nextEnd() == next) {
      goOn(l2_.endNext(), next);
    } else if (place == next) {
      takePlace();
    } else {
      beginTransfer(meetings_.starts.take());
    }
  }
  return result();
}

// ---- cores ---------------------------------------------------------------------------------------------------------

// Cores are started one after the other. One that has nothing to wait for ends at once, and makes room for another.
void DevicePlayer::beginCores() {
  std::array<size_t, 2> free{played_.groupsAtOnce * played_.vectorCoresPerGroup,
                             played_.groupsAtOnce * played_.cubeCoresPerGroup};
  std::vector<size_t> first;
  for (size_t i = 0; i < players_.size(); ++i) {
    const size_t kind = played_.traces[i]->isCube ? 1 : 0;
    if (free[kind] == 0) {
      waiting_[kind].push_back(i);
      continue;
    }
    --free[kind];
    first.push_back(i);
  }
  for (std::vector<size_t>& ofKind : waiting_) std::reverse(ofKind.begin(), ofKind.end());
  for (size_t i = 0; i < first.size(); ++i) beginCore(first[i], launchNsPerCore * static_cast<double>(i + 1));
}

void DevicePlayer::beginCore(size_t number, double now) {
  const Trace& trace = *played_.traces[number];
  players_[number] = std::make_unique<CorePlayer>(trace, static_cast<uint32_t>(number), nsPerCycle_, meetings_, now);
  players_[number]->recordTo(recorders_[number]);
  playCore(number);
}

void DevicePlayer::playCore(size_t number) {
  CorePlayer* player = players_[number].get();
  if (player == nullptr) return;
  player->play();
  if (!player->hasEnded()) return;
  const double end = ends_[number] = player->reached();
  if (ended_++ == 0 || end > ends_[timed_.slowest]) {
    timed_.slowest = number;
    timed_.busyNs = player->busy();
    timed_.shares.coreNs = end - player->begun();
    timed_.shares.waitedNs = player->waitedForCores();
    timed_.shares.unrecordedNs = played_.traces[number]->unrecordedCycles() * nsPerCycle_;
  }
  // it needs no more of its state, and leaves its place to another one
  players_[number].reset();
  places_.push({end + launchNsPerCore, played_.traces[number]->isCube ? 1u : 0u});
}

// The next core of the kind begins where one has ended.
void DevicePlayer::takePlace() {
  const auto [time, kind] = places_.top();
  places_.pop();
  if (waiting_[kind].empty()) return;
  const size_t next = waiting_[kind].back();
  waiting_[kind].pop_back();
  beginCore(next, time);
}

// What cores have told each other.
void DevicePlayer::settle() {
  while (!meetings_.released.empty()) {
    const std::vector<uint32_t> released = std::exchange(meetings_.released, {});
    for (const uint32_t number : released) playCore(number);
  }
}

// Cores that do not take part in a soft barrier can hold up those that do here, which they cannot on a device.
bool DevicePlayer::giveUp() {
  for (size_t i = 0; i < players_.size(); ++i) {
    if (players_[i] == nullptr) continue;
    players_[i]->giveUp();
    playCore(i);
    return true;
  }
  return false;
}

// ---- transfers -----------------------------------------------------------------------------------------------------

uint32_t DevicePlayer::takeFlight() {
  if (freeFlights_.empty()) {
    flights_.emplace_back();
    return static_cast<uint32_t>(flights_.size() - 1);
  }
  const uint32_t number = freeFlights_.back();
  freeFlights_.pop_back();
  return number;
}

void DevicePlayer::beginTransfer(const TransferStart& start) {
  const bool isCube = played_.traces[start.core]->isCube;
  const TransferRequest& request = players_[start.core]->requestOf(start.pipe);
  const bool isWrite = request.entry.isWrite();
  TraceReader transfers = request.transfers;
  Transfer first{};
  Served all;
  double bytes = 0, misalignedBytes = 0;
  const Fetch fetch = cache_.begin();
  awaited_.clear();
  for (uint32_t i = 0; i < request.entry.transfers; ++i) {
    const Transfer transfer = transfers.transfer();
    if (i == 0) first = transfer;
    const Served served = cache_.use(transfer, isWrite, request.entry.kind != TraceEntry::Write, fetch, awaited_);
    all.hbm += served.hbm;
    all.l2 += served.l2;
    bytes += static_cast<double>(transfer.bytes());
    misalignedBytes += static_cast<double>(transfer.bytes()) * misaligned(transfer);
  }
  hbmBytes_ += all.hbm;
  l2Bytes_ += all.l2;
  const bool isFar = all.hbm > 0;
  const uint32_t number = takeFlight();
  Flight& flight = flights_[number];
  flight.start = start;
  flight.waitNs = 0;
  flight.fetch = fetch;
  flight.awaitedUntil = 0;
  flight.isServed = false;
  std::sort(awaited_.begin(), awaited_.end());
  awaited_.erase(std::unique(awaited_.begin(), awaited_.end()), awaited_.end());
  flight.awaited = static_cast<uint32_t>(awaited_.size());
  for (const Fetch other : awaited_) followers_[other].push_back(number);
  flight.l2Class = isWrite ? (isCube ? CubeWrite : VectorWrite) : isCube ? CubeRead : VectorRead;
  flight.hbmClass = isWrite ? HbmWrite : HbmRead;
  flight.line =
      start.pipe == Pipe::MTE2 ? reinterpret_cast<uintptr_t>(first.address) / lineBytes : SharedBandwidth::noLine;
  flight.latencyNs = isWrite  ? writeLatencyNs + bytes * writeNsPerByte
                     : isFar  ? readLatencyNs + bytes * readNsPerByte
                     : isCube ? cubeL2LatencyNs + bytes / cubeL2BytesPerNs
                              : std::max(l2LatencyNs + bytes * l2NsPerByte, l2StreamNs + bytes / coreL2BytesPerNs);
  if (isWrite) ++writesUnderWay_;
  else if (isFar && (writesUnderWay_ > 0 || start.time < writesUntil_)) flight.waitNs = turnaroundNs;
  const double slower = misalignedBytes / bytes;
  flight.left = {all.hbm * slower, all.l2 * slower};
  goOn(number, start.time);
}

// First what L2 serves, then the rest.
void DevicePlayer::goOn(uint32_t number, double now) {
  Flight& flight = flights_[number];
  const double l2 = std::exchange(flight.left.l2, 0), hbm = l2 > 0 ? 0 : std::exchange(flight.left.hbm, 0);
  if (l2 > 0) l2_.begin(now, flight.l2Class, l2, number, flight.line);
  else if (hbm > 0) hbm_.begin(now, flight.hbmClass, hbm, number, flight.line);
  else endTransfer(number, now);
}

void DevicePlayer::endTransfer(uint32_t number, double now) {
  Flight& flight = flights_[number];
  flight.isServed = true;
  const bool isRead = flight.start.pipe == Pipe::MTE2;
  const double seen = std::max(isRead ? now + readTailNs : now, flight.start.time + flight.latencyNs) + flight.waitNs;
  // what it has fetched is there, also where it waits for others itself
  cache_.end(flight.fetch);
  std::vector<uint32_t> ready;
  if (!followers_.empty()) {
    const auto all = followers_.find(flight.fetch);
    if (all != followers_.end()) {
      for (const uint32_t follower : all->second) {
        Flight& other = flights_[follower];
        other.awaitedUntil = std::max(other.awaitedUntil, seen);
        if (--other.awaited == 0 && other.isServed) ready.push_back(follower);
      }
      followers_.erase(all);
    }
  }
  flight.awaitedUntil = std::max(flight.awaitedUntil, seen);
  if (flight.awaited == 0) tell(number, now);
  for (const uint32_t follower : ready) tell(follower, now);
}

// The core hears that all of its transfer is there.
void DevicePlayer::tell(uint32_t number, double now) {
  const TransferStart start = flights_[number].start;
  const double seen = flights_[number].awaitedUntil;
  freeFlights_.push_back(number);
  if (start.pipe != Pipe::MTE2) {
    --writesUnderWay_;
    writesUntil_ = std::max(writesUntil_, seen);
  }
  players_[start.core]->endTransfer(start.pipe, now, seen);
  playCore(start.core);
}

TimedKernel DevicePlayer::result() const {
  TimedKernel timed = timed_;
  timed.ends = ends_;
  LaunchShares& shares = timed.shares;
  shares.launchNs = launchNs + (played_.isMixed() ? mixedLaunchNs : 0);
  shares.hbmSaturatedNs = hbm_.saturatedNs();
  shares.l2SaturatedNs = l2_.saturatedNs();
  shares.hbmBytes = hbmBytes_;
  shares.l2Bytes = l2Bytes_;
  timed.ns = shares.launchNs + (ends_.empty() ? 0 : *std::max_element(ends_.begin(), ends_.end()));
  return timed;
}

}  // namespace npu_emu
