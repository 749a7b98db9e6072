// Base of tilings that are written as one class per strategy.
#pragma once

#include <cstdint>
#include <memory>

#include "base/err_msg.h"
#include "exe_graph/runtime/tiling_context.h"
#include "graph/ge_error_codes.h"
#include "log/log.h"
#include "tiling/platform/platform_ascendc.h"

// api: ASCENDC_EXTERN_C | - | - | inferred: no public reference
#if !defined(ASCENDC_EXTERN_C)
#define ASCENDC_EXTERN_C
#endif

#pragma GCC visibility push(default)

namespace optiling {

// Filled in by GetPlatformInfo, for the strategy's own use.
struct AiCoreParams {
  uint64_t ubSize = 0;
  uint64_t blockDim = 0;
  uint64_t numBlocks = 0;
  uint64_t aicNum = 0;
  uint64_t l1Size = 0;
  uint64_t l0aSize = 0;
  uint64_t l0bSize = 0;
  uint64_t l0cSize = 0;
};

// api: TilingBaseClass | - | - | inferred: no public reference
class TilingBaseClass {
 public:
  explicit TilingBaseClass(gert::TilingContext* context);
  virtual ~TilingBaseClass();

  // Runs the steps in order and sets the tiling key. GRAPH_PARAM_INVALID: this strategy does not serve the case.
  ge::graphStatus DoTiling();
  virtual void Reset(gert::TilingContext* context);

 protected:
  virtual bool IsCapable() = 0;
  virtual ge::graphStatus GetPlatformInfo() = 0;
  virtual ge::graphStatus GetShapeAttrsInfo() = 0;
  virtual ge::graphStatus DoOpTiling() = 0;
  virtual ge::graphStatus DoLibApiTiling() = 0;
  virtual uint64_t GetTilingKey() const = 0;
  virtual ge::graphStatus GetWorkspaceSize() = 0;
  virtual ge::graphStatus PostTiling() = 0;
  virtual void DumpTilingInfo();

  gert::TilingContext* context_;
  std::unique_ptr<platform_ascendc::PlatformAscendC> ascendcPlatform_;
  uint32_t blockDim_ = 0;
  uint64_t workspaceSize_ = 0;
  uint64_t tilingKey_ = 0;
  AiCoreParams aicoreParams_;
};

}  // namespace optiling

#pragma GCC visibility pop
