// The strategy base class under the name that operator repositories share.
#pragma once

#include <sstream>

#include "graph/utils/type_utils.h"
#include "log/log.h"
#include "platform/soc_spec.h"
#include "tiling/tiling_base.h"

namespace Ops {
namespace Base {

using AiCoreParams = ::optiling::AiCoreParams;
using TilingBaseClass = ::optiling::TilingBaseClass;

struct CompileInfoCommon {
  uint32_t aivNum;
  uint32_t aicNum;
  uint64_t ubSize;
  uint64_t l1Size;
  uint64_t l0aSize;
  uint64_t l0bSize;
  uint64_t l0cSize;
  uint64_t l2CacheSize;
  int64_t coreNum;
  int32_t socVersion;
  uint32_t rsvd;
};

}  // namespace Base
}  // namespace Ops
