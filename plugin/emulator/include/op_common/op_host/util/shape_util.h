// Shapes that are not fully known, as inference code handles them: rank -2 or extents of -1.
#pragma once

#include <cstdint>

#include "exe_graph/runtime/shape.h"
#include "log/log.h"

#pragma GCC visibility push(default)

namespace Ops {
namespace Base {

constexpr int64_t UNKNOWN_DIM = -1;
constexpr int64_t UNKNOWN_RANK = -2;

// Whether an axis, which may count from the end, exists. A scalar has axis 0.
// api: CheckAxisBounds, SetUnknownRank, IsUnknownRank, SetUnknownShape, IsUnknownShape | - | - | inferred: no public
//   reference
template <class Rank, class Axis>
bool CheckAxisBounds(const Rank rank, const Axis axis) {
  const int64_t extents = static_cast<int64_t>(rank), wanted = static_cast<int64_t>(axis);
  return extents == 0 ? wanted == 0 : wanted >= -extents && wanted < extents;
}

void SetUnknownRank(gert::Shape& shape);
bool IsUnknownRank(const gert::Shape& shape);
void SetUnknownShape(int64_t rank, gert::Shape& shape);
bool IsUnknownShape(const gert::Shape& shape);

}  // namespace Base
}  // namespace Ops

#pragma GCC visibility pop
