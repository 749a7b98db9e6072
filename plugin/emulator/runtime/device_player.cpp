#include "device_player.h"

#include <algorithm>
#include <map>

#include "timing.h"

namespace npu_emu {

using namespace timing;

namespace {

// Classes of transfers, by what one of them takes at most.
enum L2Class : size_t { VectorRead, CubeRead, VectorWrite, CubeWrite };
enum HbmClass : size_t { HbmRead, HbmWrite };

constexpr uint64_t lineBytes = 512, sectorBytes = 128;

// Of what is written so large a share goes on to HBM: the more of L2 a launch takes, the more of it leaves in the meantime.
double writtenThroughOf(const Played& played) {
  std::map<const uint8_t*, std::array<uint64_t, 2>> bytes;  // read and written, by region
  for (const Trace* trace : played.traces) {
    for (const TraceEntry& entry : trace->entries) {
      if (entry.kind != TraceEntry::Read && !entry.isWrite()) continue;
      for (uint32_t i = 0; i < entry.transfers; ++i) {
        const Transfer& transfer = trace->transfers[entry.token + i];
        const auto region =
            std::upper_bound(played.regions.begin(), played.regions.end(), transfer.address,
                             [](const uint8_t* address, const GmRegion& each) { return address < each.base; });
        const uint8_t* base = region == played.regions.begin() ? nullptr : (region - 1)->base;
        bytes[base][entry.isWrite() ? 1 : 0] += uint64_t(transfer.rowBytes) * transfer.rows;
      }
    }
  }
  double footprint = 0;
  for (const auto& [base, both] : bytes) {
    uint64_t most = UINT64_MAX;
    for (const GmRegion& region : played.regions)
      if (region.base == base) most = region.bytes;
    for (const uint64_t all : both) footprint += static_cast<double>(std::min(all, most));
  }
  return std::min(1.0, footprint / (footprintFactor * static_cast<double>(played.soc.l2Bytes)));
}

std::unordered_map<uint32_t, Round> roundsOf(const std::vector<const Trace*>& traces) {
  std::unordered_map<uint32_t, Round> rounds;
  for (const Trace* trace : traces)
    for (const TraceEntry& entry : trace->entries)
      if (entry.kind == TraceEntry::SyncAll || entry.kind == TraceEntry::CrossSet) ++rounds[entry.token].missing;
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
           {coreReadBytesPerNs, coreWriteBytesPerNs, coreWriteBytesPerNs, coreWriteBytesPerNs}),
      l2_(l2BytesPerNs, {coreL2BytesPerNs, cubeL2BytesPerNs, coreWriteBytesPerNs, cubeWriteBytesPerNs}),
      players_(played.traces.size()),
      recorders_(played.traces.size()),
      ends_(played.traces.size()) {
  meetings_.rounds = roundsOf(played.traces);
}

TimedKernel DevicePlayer::play() {
  beginCores();
  for (;;) {
    settle();
    const double start = starts_.empty() ? SharedBandwidth::never : starts_.top().time;
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
      const TransferStart begun = starts_.top();
      starts_.pop();
      beginTransfer(begun);
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
  players_[number] =
      std::make_unique<CorePlayer>(*played_.traces[number], static_cast<uint32_t>(number), nsPerCycle_, meetings_, now);
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

// What cores have told each other, and the transfers that they begin.
void DevicePlayer::settle() {
  while (!meetings_.released.empty()) {
    const std::vector<uint32_t> released = std::exchange(meetings_.released, {});
    for (const uint32_t number : released) playCore(number);
  }
  for (const TransferStart& start : meetings_.starts) starts_.push(start);
  meetings_.starts.clear();
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

// The same line is served to one core at a time.
double DevicePlayer::slowedBy(const Flight& flight, const Transfer& first) const {
  if (flight.start.pipe != Pipe::MTE2) return misaligned(first);
  const auto others = std::count_if(flights_.begin(), flights_.end(), [&](const Flight& other) {
    return other.isUnderWay && other.line == flight.line && other.start.pipe == Pipe::MTE2;
  });
  const double crowd = std::min(1.0, static_cast<double>(others) / (played_.soc.aivCores - 1));
  return misaligned(first) * (1 + (1 / sameLineShare - 1) * crowd);
}

void DevicePlayer::beginTransfer(const TransferStart& start) {
  const Trace& trace = *played_.traces[start.core];
  const TraceEntry& entry = trace.entries[start.entry];
  const bool isWrite = entry.isWrite();
  const Transfer& first = trace.transfers[entry.token];
  Flight flight{start, {}, 0, 0, isWrite ? HbmWrite : HbmRead, 0, true};
  flight.l2Class = isWrite ? (trace.isCube ? CubeWrite : VectorWrite) : trace.isCube ? CubeRead : VectorRead;
  flight.line = reinterpret_cast<uintptr_t>(first.address) / lineBytes;
  double bytes = 0;
  for (uint32_t i = 0; i < entry.transfers; ++i) {
    const Transfer& transfer = trace.transfers[entry.token + i];
    const Served served = cache_.use(transfer, isWrite, entry.kind != TraceEntry::Write);
    flight.left.hbm += served.hbm;
    flight.left.l2 += served.l2;
    bytes += double(transfer.rowBytes) * transfer.rows;
  }
  hbmBytes_ += flight.left.hbm;
  l2Bytes_ += flight.left.l2;
  const bool isFar = flight.left.hbm > 0;
  flight.latencyNs = isWrite ? writeLatencyNs + bytes * writeNsPerByte
                     : isFar ? readLatencyNs + bytes * readNsPerByte
                     : trace.isCube
                         ? cubeL2LatencyNs + bytes / cubeL2BytesPerNs
                         : std::max(l2LatencyNs + bytes * l2NsPerByte, l2StreamNs + bytes / coreL2BytesPerNs);
  const double slower = slowedBy(flight, first);
  flight.left.hbm *= slower;
  flight.left.l2 *= slower;
  uint32_t number = static_cast<uint32_t>(flights_.size());
  if (freeFlights_.empty()) {
    flights_.push_back(flight);
  } else {
    number = freeFlights_.back();
    freeFlights_.pop_back();
    flights_[number] = flight;
  }
  goOn(number, start.time);
}

// First what L2 serves, then the rest.
void DevicePlayer::goOn(uint32_t number, double now) {
  Flight& flight = flights_[number];
  const double l2 = std::exchange(flight.left.l2, 0), hbm = l2 > 0 ? 0 : std::exchange(flight.left.hbm, 0);
  if (l2 > 0) l2_.begin(now, flight.l2Class, l2, number);
  else if (hbm > 0) hbm_.begin(now, flight.hbmClass, hbm, number);
  else endTransfer(number, now);
}

void DevicePlayer::endTransfer(uint32_t number, double now) {
  Flight& flight = flights_[number];
  flight.isUnderWay = false;
  freeFlights_.push_back(number);
  const TransferStart start = flight.start;
  const double seen = start.pipe == Pipe::MTE2 ? now + readTailNs : now;
  players_[start.core]->endTransfer(start.pipe, now, std::max(seen, start.time + flight.latencyNs));
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
