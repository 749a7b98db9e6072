// Figures of the platform that tiling code asks for through its context.
#pragma once

#include "exe_graph/runtime/tiling_context.h"
#include "exe_graph/runtime/tiling_parse_context.h"
#include "log/log.h"
#include "tiling/platform/platform_ascendc.h"

namespace Ops {
namespace Base {

// api: GetAivCoreNum, GetAicCoreNum, GetUbSize, GetUbBlockSize, GetVRegSize, GetSimtMaxThreadNum, GetCacheLineSize,
//   GetSectorCacheLineSize, GetWorkspaceSize | - | - | inferred: no public reference
template <class Context>
uint32_t GetAivCoreNum(const Context* context) {
  return platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAiv();
}
template <class Context>
uint32_t GetAicCoreNum(const Context* context) {
  return platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAic();
}
// Bytes of UB that a kernel may use.
template <class Context>
uint32_t GetUbSize(const Context* context) {
  uint64_t bytes = 0;
  platform_ascendc::PlatformAscendC(context->GetPlatformInfo())
      .GetCoreMemSize(platform_ascendc::CoreMemType::UB, bytes);
  return static_cast<uint32_t>(bytes);
}
// Bytes of a block of UB.
template <class Context>
uint32_t GetUbBlockSize(const Context*) {
  return 32;
}
// Bytes that one vector instruction covers per repeat.
template <class Context>
uint32_t GetVRegSize(const Context*) {
  return 256;
}
template <class Context>
uint32_t GetSimtMaxThreadNum(const Context*) {
  return 2048;
}
template <class Context>
uint32_t GetCacheLineSize(const Context*) {
  return 256;
}
template <class Context>
uint32_t GetSectorCacheLineSize(const Context* context) {
  return GetCacheLineSize(context) / 2;
}
template <class Context>
uint32_t GetWorkspaceSize(const Context* context) {
  return platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetLibApiWorkSpaceSize();
}

}  // namespace Base
}  // namespace Ops
