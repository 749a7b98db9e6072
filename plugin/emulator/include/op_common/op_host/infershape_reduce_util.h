// Output shapes of reductions.
#pragma once

#include "exe_graph/runtime/infer_shape_context.h"
#include "log/log.h"
#include "op_common/op_host/util/shape_util.h"

#pragma GCC visibility push(default)

namespace Ops {
namespace Base {

// The shape of `from` after the axes are reduced, kept with extent 1 or left out; false for an axis that does not
// exist.
// api: ReduceShape, ReduceDims, ReduceDimsWithKeepDims, ReduceDimsWithoutKeepDims, InferShape4Reduce | - | - |
//   inferred: it compiles and never runs
bool ReduceShape(const gert::Shape& from, const std::vector<int64_t>& axes, bool keep, gert::Shape& to);

template <class T>
ge::graphStatus ReduceDimsWithKeepDims(const gert::Shape* from, const T* axes, int32_t count, gert::Shape* to) {
  const bool done = ReduceShape(*from, std::vector<int64_t>(axes, axes + count), true, *to);
  return done ? ge::GRAPH_SUCCESS : ge::GRAPH_FAILED;
}
template <class T>
ge::graphStatus ReduceDimsWithoutKeepDims(const gert::Shape* from, const T* axes, int32_t count, gert::Shape* to) {
  const bool done = ReduceShape(*from, std::vector<int64_t>(axes, axes + count), false, *to);
  return done ? ge::GRAPH_SUCCESS : ge::GRAPH_FAILED;
}
template <class T>
ge::graphStatus ReduceDims(const gert::Shape* from, const gert::Tensor* axes, int32_t count, const bool keep,
                           gert::Shape* to) {
  const T* values = axes->GetData<T>();
  return keep ? ReduceDimsWithKeepDims<T>(from, values, count, to)
              : ReduceDimsWithoutKeepDims<T>(from, values, count, to);
}

// Input 1 holds the axes, attribute 0 says whether they are kept.
ge::graphStatus InferShape4Reduce(gert::InferShapeContext* context);

}  // namespace Base
}  // namespace Ops

#pragma GCC visibility pop
