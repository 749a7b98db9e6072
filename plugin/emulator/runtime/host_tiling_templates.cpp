// Tilings written as strategy classes.
#include <algorithm>

#include "host.h"
#include "tiling/tiling_templates_registry.h"

namespace optiling {

namespace {

struct Strategy {
  std::string opType;
  TilingStrategyFactory make;
  int32_t priority;
};

std::vector<Strategy>& strategies() {
  static std::vector<Strategy> all;
  return all;
}

ge::graphStatus run(gert::TilingContext* context, const std::vector<const Strategy*>& candidates) {
  for (const Strategy* strategy : candidates) {
    const std::unique_ptr<TilingBaseClass> tiling(strategy->make(context));
    const ge::graphStatus status = tiling->DoTiling();
    if (status != ge::GRAPH_PARAM_INVALID) return status;
  }
  return ge::GRAPH_FAILED;
}

}  // namespace

TilingBaseClass::TilingBaseClass(gert::TilingContext* context) : context_(context) {}
TilingBaseClass::~TilingBaseClass() = default;
void TilingBaseClass::Reset(gert::TilingContext* context) { context_ = context; }
void TilingBaseClass::DumpTilingInfo() {}

ge::graphStatus TilingBaseClass::DoTiling() {
  for (const auto step : {&TilingBaseClass::GetShapeAttrsInfo, &TilingBaseClass::GetPlatformInfo})
    if (const ge::graphStatus status = (this->*step)(); status != ge::GRAPH_SUCCESS) return status;
  if (!IsCapable()) return ge::GRAPH_PARAM_INVALID;
  for (const auto step : {&TilingBaseClass::DoOpTiling, &TilingBaseClass::DoLibApiTiling,
                          &TilingBaseClass::GetWorkspaceSize, &TilingBaseClass::PostTiling})
    if (const ge::graphStatus status = (this->*step)(); status != ge::GRAPH_SUCCESS) return status;
  context_->SetTilingKey(GetTilingKey());
  DumpTilingInfo();
  return ge::GRAPH_SUCCESS;
}

TilingStrategyRegistration::TilingStrategyRegistration(const char* opType, TilingStrategyFactory make,
                                                       int32_t priority) {
  strategies().push_back({opType, make, priority});
}

TilingRegistry& TilingRegistry::GetInstance() {
  static TilingRegistry instance;
  return instance;
}

ge::graphStatus TilingRegistry::DoTilingImpl(gert::TilingContext* context) {
  std::vector<const Strategy*> candidates;
  for (const Strategy& strategy : strategies())
    if (strategy.opType == context->GetNodeType()) candidates.push_back(&strategy);
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Strategy* a, const Strategy* b) { return a->priority < b->priority; });
  return run(context, candidates);
}

ge::graphStatus TilingRegistry::DoTilingImpl(gert::TilingContext* context, const std::vector<int32_t>& priorities) {
  std::vector<const Strategy*> candidates;
  for (const int32_t priority : priorities)
    for (const Strategy& strategy : strategies())
      if (strategy.opType == context->GetNodeType() && strategy.priority == priority) candidates.push_back(&strategy);
  return run(context, candidates);
}

}  // namespace optiling
