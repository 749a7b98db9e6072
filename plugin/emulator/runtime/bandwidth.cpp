#include "bandwidth.h"

#include <algorithm>
#include <numeric>

namespace npu_emu {

SharedBandwidth::SharedBandwidth(double bytesPerNs, const std::array<double, classCount>& limits)
    : bytesPerNs_(bytesPerNs) {
  for (size_t i = 0; i < classCount; ++i) classes_[i].limit = limits[i];
  std::iota(byLimit_.begin(), byLimit_.end(), size_t(0));
  std::sort(byLimit_.begin(), byLimit_.end(), [&](size_t one, size_t other) { return limits[one] < limits[other]; });
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
    isSaturated_ = isSaturated_ || part < each.limit;
    each.rate = std::min(each.limit, part);
    bandwidth -= each.rate * static_cast<double>(each.flows.size());
    left -= each.flows.size();
    const double end = now_ + std::max(0.0, each.flows.back().finish - each.progress) / each.rate;
    if (end >= nextEnd_) continue;
    nextEnd_ = end;
    next_ = index;
  }
}

void SharedBandwidth::begin(double now, size_t kind, double bytes, uint32_t flow) {
  advance(now);
  std::vector<Flow>& flows = classes_[kind].flows;
  const Flow begun{classes_[kind].progress + bytes, flow};
  flows.insert(std::find_if(flows.begin(), flows.end(), [&](const Flow& other) { return begun > other; }), begun);
  share();
}

uint32_t SharedBandwidth::endNext() {
  advance(nextEnd_);
  Class& ended = classes_[next_];
  const Flow flow = ended.flows.back();
  ended.flows.pop_back();
  ended.progress = std::max(ended.progress, flow.finish);
  share();
  return flow.number;
}

}  // namespace npu_emu
