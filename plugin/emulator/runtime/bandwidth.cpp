#include "bandwidth.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

namespace npu_emu {

SharedBandwidth::SharedBandwidth(double bytesPerNs, const std::array<double, classCount>& limits, double lineShare)
    : bytesPerNs_(bytesPerNs), lineBytesPerNs_(bytesPerNs * lineShare) {
  for (size_t i = 0; i < classCount; ++i) classes_.push_back({limits[i], i, noLine, limits[i]});
  sortByLimit();
}

void SharedBandwidth::sortByLimit() {
  byLimit_.resize(classes_.size());
  std::iota(byLimit_.begin(), byLimit_.end(), size_t(0));
  std::sort(byLimit_.begin(), byLimit_.end(), [&](size_t one, size_t other) {
    const double limit = classes_[one].limit, another = classes_[other].limit;
    return limit != another ? limit < another : one < other;
  });
}

void SharedBandwidth::advance(double now) {
  const double elapsed = now - now_;
  if (elapsed <= 0) return;
  for (Class& each : classes_) each.progress += each.rate * elapsed;
  if (isSaturated_) saturatedNs_ += elapsed;
  now_ = now;
}

// What classes of a low limit leave is for the others.
void SharedBandwidth::share() {
  size_t left = 0;
  for (const Class& each : classes_) left += each.flows.size();
  double bandwidth = bytesPerNs_;
  isSaturated_ = false;
  nextEnd_ = never;
  for (const size_t index : byLimit_) {
    Class& each = classes_[index];
    if (each.flows.empty()) continue;
    const double part = bandwidth / static_cast<double>(left);
    each.rate = std::min(each.limit, part);
    isSaturated_ = isSaturated_ || each.rate < each.most;
    bandwidth -= each.rate * static_cast<double>(each.flows.size());
    left -= each.flows.size();
    const double end = now_ + std::max(0.0, each.flows.back().finish - each.progress) / each.rate;
    if (end >= nextEnd_) continue;
    nextEnd_ = end;
    next_ = index;
  }
}

// Transfers of a line are a class of their own from where they are too many for it until the last of them has ended. What they
// get together does not depend on how many they are, so that nothing is won by keeping them apart.
SharedBandwidth::Class& SharedBandwidth::classOf(size_t kind, uint64_t line) {
  Class& usual = classes_[kind];
  if (line == noLine) return usual;
  for (size_t i = classCount; i < classes_.size(); ++i)
    if (classes_[i].line == line && classes_[i].kind == kind) return classes_[i];
  const auto fit = static_cast<size_t>(lineBytesPerNs_ / usual.most);
  if (usual.flows.size() < fit) return usual;
  std::vector<Flow>& flows = usual.flows;
  const auto isOfLine = [&](const Flow& flow) { return flow.line == line; };
  if (static_cast<size_t>(std::count_if(flows.begin(), flows.end(), isOfLine)) < fit) return usual;
  Class crowd{usual.most, kind, line, usual.most, 0, usual.progress};
  std::copy_if(flows.begin(), flows.end(), std::back_inserter(crowd.flows), isOfLine);
  flows.erase(std::remove_if(flows.begin(), flows.end(), isOfLine), flows.end());
  classes_.push_back(std::move(crowd));
  return classes_.back();
}

void SharedBandwidth::limitCrowds() {
  const auto isOver = [](const Class& each) { return each.line != noLine && each.flows.empty(); };
  classes_.erase(std::remove_if(classes_.begin(), classes_.end(), isOver), classes_.end());
  for (size_t i = classCount; i < classes_.size(); ++i) {
    Class& crowd = classes_[i];
    crowd.limit = std::min(crowd.most, lineBytesPerNs_ / static_cast<double>(crowd.flows.size()));
  }
  sortByLimit();
}

void SharedBandwidth::begin(double now, size_t kind, double bytes, uint32_t flow, uint64_t line) {
  advance(now);
  Class& joined = classOf(kind, line);
  const Flow begun{joined.progress + bytes, flow, line};
  std::vector<Flow>& flows = joined.flows;
  flows.insert(std::find_if(flows.begin(), flows.end(), [&](const Flow& other) { return begun > other; }), begun);
  if (hasCrowds()) limitCrowds();
  share();
}

uint32_t SharedBandwidth::endNext() {
  advance(nextEnd_);
  Class& ended = classes_[next_];
  const Flow flow = ended.flows.back();
  ended.flows.pop_back();
  ended.progress = std::max(ended.progress, flow.finish);
  if (hasCrowds()) limitCrowds();
  share();
  return flow.number;
}

}  // namespace npu_emu
