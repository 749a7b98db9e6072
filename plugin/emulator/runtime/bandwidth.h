// A memory that cores share: all transfers under way get the same part of its bandwidth, but none more than its class can take,
// and those of the same line together no more than a line is served at.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace npu_emu {

class SharedBandwidth {
 public:
  static constexpr double never = std::numeric_limits<double>::infinity();
  static constexpr size_t classCount = 4;
  static constexpr uint64_t noLine = ~uint64_t(0);

  // `limits`: what one transfer of each class takes at most, in bytes per nanosecond. `lineShare`: what transfers of a class that
  // name the same line take together at most, of all that there is.
  SharedBandwidth(double bytesPerNs, const std::array<double, classCount>& limits, double lineShare);

  // At a time that no call before was later than.
  void begin(double now, size_t kind, double bytes, uint32_t flow, uint64_t line);
  // When the next transfer ends, and who that is; `never` where none is under way.
  double nextEnd() const { return nextEnd_; }
  uint32_t endNext();

  // Nanoseconds in which transfers could have taken more than there was.
  double saturatedNs() const { return saturatedNs_; }

 private:
  struct Flow {
    double finish;  // in bytes that each transfer of the class has got
    uint32_t number;
    uint64_t line;
    bool operator>(const Flow& other) const {
      return finish != other.finish ? finish > other.finish : number > other.number;
    }
  };
  struct Class {
    double most;                           // what one of its transfers can take
    size_t kind;                           // the class as callers count them, which a crowd is a part of
    uint64_t line;                         // of a crowd: transfers so many that they wait for their line
    double limit, rate = 0, progress = 0;  // bytes that each of its transfers has got since the launch began
    std::vector<Flow> flows{};  // the next one to end last: few, and whoever begins mostly ends after all others
  };

  bool hasCrowds() const { return classes_.size() > classCount; }
  void advance(double now);
  void share();
  Class& classOf(size_t kind, uint64_t line);
  void limitCrowds();
  void sortByLimit();

  double bytesPerNs_, lineBytesPerNs_, now_ = 0, nextEnd_ = never, saturatedNs_ = 0;
  bool isSaturated_ = false;
  std::vector<Class> classes_;  // one of each kind, and crowds
  std::vector<size_t> byLimit_;
  size_t next_ = 0;  // the class of the transfer that ends next
};

}  // namespace npu_emu
