// Several tiling strategies for one operator: the first that serves the case wins, in ascending order of priority.
#pragma once

#include <cstdint>
#include <vector>

#include "tiling/tiling_base.h"

#pragma GCC visibility push(default)

namespace optiling {

using TilingStrategyFactory = TilingBaseClass* (*)(gert::TilingContext*);

// api: TilingRegistry | - | - | inferred: no public reference
class TilingRegistry {
 public:
  static TilingRegistry& GetInstance();

  // GRAPH_FAILED when no strategy serves the case.
  ge::graphStatus DoTilingImpl(gert::TilingContext* context);
  // Only the strategies of these priorities, in this order.
  ge::graphStatus DoTilingImpl(gert::TilingContext* context, const std::vector<int32_t>& priorities);
};

struct TilingStrategyRegistration {
  TilingStrategyRegistration(const char* opType, TilingStrategyFactory make, int32_t priority);
};

}  // namespace optiling

#pragma GCC visibility pop

#define NPU_EMU_TILING_STRATEGY(op_type, class_name, priority)                                                       \
  static const ::optiling::TilingStrategyRegistration g_tiling_strategy_##class_name##_registration(                 \
      op_type, [](gert::TilingContext* context) -> ::optiling::TilingBaseClass* { return new class_name(context); }, \
      priority)

// api: REGISTER_TILING_TEMPLATE, REGISTER_OPS_TILING_TEMPLATE | - | - | inferred: no public reference
#define REGISTER_TILING_TEMPLATE(op_type, class_name, priority) NPU_EMU_TILING_STRATEGY(op_type, class_name, priority)
#define REGISTER_OPS_TILING_TEMPLATE(op_type, class_name, priority) \
  NPU_EMU_TILING_STRATEGY(#op_type, class_name, priority)
