#include "pipe_recorder.h"

#include <algorithm>
#include <cstring>

namespace npu_emu {

namespace {

constexpr size_t limit = 512;

void append(PipeInterval& to, const PipeInterval& next) {
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

}  // namespace

void PipeRecorder::add(const PipeInterval& interval) {
  if (all_.size() == limit) join();
  all_.push_back(interval);
}

void PipeRecorder::join() {
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

void CoreRecorder::add(size_t pipe, PipeInterval interval, uint32_t number) {
  if (interval.end <= interval.begin) return;
  const Origin origin = origins_[number];
  interval.instruction = origin.instruction;
  pipes_[pipe].add(interval);
  const auto [found, isNew] =
      places_.try_emplace({origin.place, pipe, origin.instruction},
                          PlaceTime{origin.instruction, origin.place, static_cast<Pipe>(pipe), 0, 0});
  found->second.busy += interval.busy;
  ++found->second.count;
}

void CoreRecorder::addWait(size_t pipe, const PipeInterval& interval) {
  if (interval.end > interval.begin) pipes_[pipe].add(interval);
}

std::vector<PlaceTime> CoreRecorder::places() const {
  std::vector<PlaceTime> all;
  for (const auto& [key, place] : places_) all.push_back(place);
  std::stable_sort(all.begin(), all.end(),
                   [](const PlaceTime& one, const PlaceTime& other) { return one.busy > other.busy; });
  return all;
}

}  // namespace npu_emu
