// The two ends of what a value may be.
#pragma once

namespace gert {

// api: Range | - | - | inferred: it compiles and never runs
template <class T>
class Range {
 public:
  Range() = default;
  Range(T* min, T* max) : min_(min), max_(max) {}
  explicit Range(T* same) : Range(same, same) {}

  bool operator==(const Range& other) const {
    const auto same = [](const T* a, const T* b) { return a == b || (a != nullptr && b != nullptr && *a == *b); };
    return same(min_, other.min_) && same(max_, other.max_);
  }
  const T* GetMin() const { return min_; }
  const T* GetMax() const { return max_; }
  T* GetMin() { return min_; }
  T* GetMax() { return max_; }
  void SetMin(T* min) { min_ = min; }
  void SetMax(T* max) { max_ = max; }

 private:
  T* min_ = nullptr;
  T* max_ = nullptr;
};

}  // namespace gert
