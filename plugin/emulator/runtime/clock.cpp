#include "clock.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <queue>
#include <unordered_map>

namespace npu_emu {

const char* nameOf(Pipe pipe) {
  constexpr const char* names[] = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX"};
  return names[static_cast<size_t>(pipe)];
}

namespace {

using namespace timing;

struct Bandwidth {
  double readBytesPerNs, writeBytesPerNs;
};

Bandwidth shareOf(const std::vector<const Trace*>& traces, size_t coresAtOnce, const SocProfile& soc) {
  double read = 0, written = 0;
  size_t users = 0;
  for (const Trace* trace : traces) {
    double before = read + written;
    for (const TraceEntry& entry : *trace) {
      if (entry.kind == TraceEntry::Read) read += entry.bytes;
      if (entry.kind == TraceEntry::Write) written += entry.bytes;
    }
    users += read + written > before ? 1 : 0;
  }
  users = std::min(users, coresAtOnce);
  if (users == 0) return {coreReadBytesPerNs, coreWriteBytesPerNs};
  double writeShare = std::min(1.0, (read + written) / (footprintFactor * static_cast<double>(soc.l2Bytes)));
  double total = soc.hbmBytesPerNs * sustainedShare;
  // Reads and the part of the writes that reaches HBM share its bandwidth in proportion to their bytes.
  double traffic = read + written * writeShare;
  double perCore = total / static_cast<double>(users);
  double readPart = traffic > 0 ? read / traffic : 1;
  double writePart = traffic > 0 ? written * writeShare / traffic : 1;
  Bandwidth share;
  share.readBytesPerNs = std::min(coreReadBytesPerNs, perCore * std::max(readPart, 0.05));
  share.writeBytesPerNs = writeShare > 0
                              ? std::min(coreWriteBytesPerNs, perCore * std::max(writePart, 0.05) / writeShare)
                              : coreWriteBytesPerNs;
  return share;
}

// When the cores that take part in a round have arrived.
struct RoundTime {
  uint32_t missing = 0;
  double last = 0;
};
using RoundTimes = std::unordered_map<uint32_t, RoundTime>;

RoundTimes roundsOf(const std::vector<const Trace*>& traces) {
  RoundTimes times;
  for (const Trace* trace : traces)
    for (const TraceEntry& entry : *trace)
      if (entry.kind == TraceEntry::SyncAll || entry.kind == TraceEntry::CrossSet) ++times[entry.token].missing;
  return times;
}

// What one pipe did, in order. Of what is too much neighbours become one, the shortest first.
class PipeRecorder {
 public:
  void add(const PipeInterval& interval) {
    if (all_.size() == limit) join();
    all_.push_back(interval);
  }
  std::vector<PipeInterval> take() { return std::move(all_); }

 private:
  static constexpr size_t limit = 512;

  static void append(PipeInterval& to, const PipeInterval& next) {
    auto common = [](const char* one, const char* other) {
      if (one == nullptr || other == nullptr) return one == nullptr ? other : one;
      return std::strcmp(one, other) == 0 ? one : "several";
    };
    to.end = next.end;
    to.busy += next.busy;
    to.waited += next.waited;
    to.count += next.count;
    to.instruction = common(to.instruction, next.instruction);
    to.waitsFor = common(to.waitsFor, next.waitsFor);
  }

  void join() {
    double longest = (all_.back().end - all_.front().begin) / limit;
    for (; all_.size() > limit / 2; longest *= 2) {
      size_t kept = 0;
      for (size_t i = 1; i < all_.size(); ++i) {
        if (all_[i].end - all_[kept].begin <= longest) append(all_[kept], all_[i]);
        else all_[++kept] = all_[i];
      }
      all_.resize(kept + 1);
    }
  }

  std::vector<PipeInterval> all_;
};

using CoreRecorder = std::array<PipeRecorder, pipeCount>;

// All times in nanoseconds.
class CoreTimeline {
 public:
  CoreTimeline(const Trace& trace, const Bandwidth& share, double clockGHz, RoundTimes& rounds)
      : trace_(trace), share_(share), nsPerCycle_(1 / clockGHz), rounds_(rounds) {}

  // Runs until it has to wait for another core, or to the end. True when anything has happened.
  bool advance() {
    size_t before = next_;
    const bool arrived = arrived_;
    for (; next_ < trace_.size(); ++next_) {
      const TraceEntry& entry = trace_[next_];
      if (entry.kind == TraceEntry::SyncAll || entry.kind == TraceEntry::CrossWait ||
          entry.kind == TraceEntry::CrossWaitAll) {
        if (!pass(entry, false)) break;
      } else {
        step(entry);
      }
    }
    return next_ != before || arrived_ != arrived;
  }

  bool hasEnded() const { return next_ == trace_.size(); }

  // Goes on without those it waits for.
  void giveUp() { pass(trace_[next_++], true); }

  double reached() const { return std::max(scalar_, *std::max_element(done_.begin(), done_.end())); }

  void releaseAt(double time) {
    scalar_ = std::max(scalar_, time);
    for (double& free : free_) free = std::max(free, time);
  }

  const std::array<double, pipeCount>& busy() const { return busy_; }

  // Tells from here on what the pipes do.
  void recordTo(CoreRecorder* recorder, const TraceNames* names) {
    recorder_ = recorder;
    names_ = names;
  }

 private:
  void note(size_t pipe, const PipeInterval& interval) {
    if (recorder_ != nullptr && interval.end > interval.begin) (*recorder_)[pipe].add(interval);
  }
  void noteWait(size_t pipe, double from, double to, const char* what) {
    note(pipe, {from, to, 0, to - from, 1, nullptr, what});
  }
  // What is free before waits for the rest of the core.
  void noteWaits(double time, const char* what) {
    if (recorder_ == nullptr) return;
    noteWait(0, scalar_, time, what);
    for (size_t pipe = 1; pipe < pipeCount; ++pipe)
      if (busy_[pipe] > 0) noteWait(pipe, std::max(free_[pipe], scalar_), time, what);
  }

  bool pass(const TraceEntry& entry, bool withoutOthers) {
    RoundTime& round = rounds_[entry.token];
    if (entry.kind == TraceEntry::SyncAll && !arrived_) {
      arrive(round, reached());
      arrived_ = true;
    }
    if (round.missing != 0 && !withoutOthers) return false;
    arrived_ = false;
    // What was issued before a flag is waited for goes on; a barrier has let it end.
    if (entry.kind == TraceEntry::SyncAll) {
      noteWait(0, scalar_, round.last + syncAllNs, "cores");
      releaseAt(round.last + syncAllNs);
      return true;
    }
    const double seen = round.last + (entry.kind == TraceEntry::CrossWaitAll ? syncAllNs : crossFlagNs);
    noteWait(0, scalar_, seen, "cores");
    scalar_ = std::max(scalar_ + entry.scalarCycles * nsPerCycle_, seen);
    return true;
  }

  static void arrive(RoundTime& round, double time) {
    --round.missing;
    round.last = std::max(round.last, time);
  }

  void step(const TraceEntry& entry) {
    size_t pipe = static_cast<size_t>(entry.pipe);
    scalar_ += entry.scalarCycles * nsPerCycle_;
    switch (entry.kind) {
      case TraceEntry::Set:
        tokens_[entry.token] = {
            (entry.pipe == Pipe::S ? scalar_ : std::max(done_[pipe], free_[pipe])) + flagCycles * nsPerCycle_,
            entry.pipe};
        return;
      case TraceEntry::CrossSet: arrive(rounds_[entry.token], std::max({scalar_, done_[pipe], free_[pipe]})); return;
      case TraceEntry::Wait: {
        const auto [ready, setter] = tokens_[entry.token];
        noteWait(pipe, entry.pipe == Pipe::S ? scalar_ : std::max(free_[pipe], scalar_), ready, nameOf(setter));
        if (entry.pipe == Pipe::S) scalar_ = std::max(scalar_, ready);
        else free_[pipe] = std::max(free_[pipe], ready);
        return;
      }
      case TraceEntry::Barrier:
        noteWait(pipe, std::max(free_[pipe], scalar_), done_[pipe], nameOf(entry.pipe));
        free_[pipe] = std::max(free_[pipe], done_[pipe]);
        if (entry.pipe == Pipe::S) scalar_ = std::max(scalar_, done_[pipe]);
        return;
      case TraceEntry::BarrierAll:
        noteWaits(reached(), "all pipes");
        releaseAt(reached());
        return;
      default: work(entry, pipe);
    }
  }

  void work(const TraceEntry& entry, size_t pipe) {
    double start = std::max(free_[pipe], scalar_);
    if (entry.afterOwnPipe) start = std::max(start, done_[pipe]);
    double occupied = entry.occupancy * nsPerCycle_;
    double visible = entry.tail * nsPerCycle_;
    if (entry.kind == TraceEntry::Read) {
      occupied = std::max(occupied, entry.bytes / share_.readBytesPerNs);
      visible += readLatencyNs;
    } else if (entry.kind == TraceEntry::Write) {
      occupied = std::max(occupied, entry.bytes / share_.writeBytesPerNs);
      visible += writeLatencyNs;
    }
    free_[pipe] = start + occupied;
    done_[pipe] = std::max(done_[pipe], start + occupied + visible);
    busy_[pipe] += occupied;
    note(pipe, {start, start + occupied, occupied, 0, 1, names_ != nullptr ? (*names_)[next_] : nullptr, nullptr});
    if (entry.pipe == Pipe::S) scalar_ = start + occupied;
  }

  const Trace& trace_;
  Bandwidth share_;
  double nsPerCycle_;
  RoundTimes& rounds_;
  size_t next_ = 0;
  bool arrived_ = false;  // at the SyncAll it waits at
  double scalar_ = 0;
  std::array<double, pipeCount> free_{}, done_{}, busy_{};
  struct Token {
    double time = 0;
    Pipe setter = Pipe::S;
  };
  std::unordered_map<uint32_t, Token> tokens_;
  CoreRecorder* recorder_ = nullptr;
  const TraceNames* names_ = nullptr;
};

// Runs all cores to their ends.
void run(std::vector<CoreTimeline>& cores) {
  for (;;) {
    bool moved = false;
    for (CoreTimeline& timeline : cores) moved = timeline.advance() || moved;
    auto waiting =
        std::find_if(cores.begin(), cores.end(), [](const CoreTimeline& timeline) { return !timeline.hasEnded(); });
    if (waiting == cores.end()) return;
    // Cores that do not take part in a soft barrier can hold up those that do here, which they cannot on a device.
    if (!moved) waiting->giveUp();
  }
}

// The end of the last core, when those that find none free begin in their order where one has ended.
double endOf(const std::vector<CoreTimeline>& cores, size_t coresAtOnce) {
  std::priority_queue<double, std::vector<double>, std::greater<>> ends;
  double last = 0;
  for (const CoreTimeline& timeline : cores) {
    double end = timeline.reached();
    if (ends.size() == coresAtOnce) {
      end += ends.top();
      ends.pop();
    }
    ends.push(end);
    last = std::max(last, end);
  }
  return last;
}

}  // namespace

double fillNs(uint64_t bytes, const SocProfile& soc) {
  if (bytes == 0) return 0;
  return launchNs + launchNsPerCore * soc.aivCores + static_cast<double>(bytes) / (soc.hbmBytesPerNs * sustainedShare);
}

TimedKernel timeTraces(const std::vector<const Trace*>& traces, size_t launchCores, size_t coresAtOnce,
                       const SocProfile& soc) {
  TimedKernel timed;
  Bandwidth share = shareOf(traces, coresAtOnce, soc);
  std::vector<CoreTimeline> cores;
  cores.reserve(traces.size());
  RoundTimes rounds = roundsOf(traces);
  for (const Trace* trace : traces) cores.emplace_back(*trace, share, soc.clockGHz, rounds);

  run(cores);

  const CoreTimeline* slowest = nullptr;
  for (const CoreTimeline& timeline : cores)
    if (slowest == nullptr || timeline.reached() > slowest->reached()) slowest = &timeline;
  timed.ns = launchNs + launchNsPerCore * static_cast<double>(launchCores);
  if (slowest != nullptr) {
    timed.ns += endOf(cores, coresAtOnce);
    std::copy(slowest->busy().begin(), slowest->busy().end(), timed.busyNs);
    timed.slowest = static_cast<size_t>(slowest - cores.data());
  }
  for (const CoreTimeline& timeline : cores) timed.ends.push_back(timeline.reached());
  return timed;
}

std::vector<CoreTimes> timelineOf(const std::vector<const Trace*>& traces, const std::vector<const TraceNames*>& names,
                                  size_t coresAtOnce, const SocProfile& soc, const std::vector<size_t>& shown) {
  const Bandwidth share = shareOf(traces, coresAtOnce, soc);
  std::vector<CoreTimeline> cores;
  cores.reserve(traces.size());
  RoundTimes rounds = roundsOf(traces);
  for (const Trace* trace : traces) cores.emplace_back(*trace, share, soc.clockGHz, rounds);
  std::vector<CoreRecorder> recorders(shown.size());
  for (size_t i = 0; i < shown.size(); ++i) cores[shown[i]].recordTo(&recorders[i], names[shown[i]]);
  run(cores);

  std::vector<CoreTimes> times;
  for (size_t i = 0; i < shown.size(); ++i) {
    CoreTimes core{shown[i], cores[shown[i]].reached(), {}};
    for (size_t pipe = 0; pipe < pipeCount; ++pipe) core.pipes[pipe] = recorders[i][pipe].take();
    times.push_back(std::move(core));
  }
  return times;
}

}  // namespace npu_emu
