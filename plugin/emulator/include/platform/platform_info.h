// The platform as a table of figures, which older host parts ask for.
#pragma once

#include <cstdint>
#include <string>

#include "platform/platform_infos_def.h"

#pragma GCC visibility push(default)

namespace fe {

struct StrInfo {
  std::string short_soc_version;
};
struct SoCInfo {
  uint32_t ai_core_cnt = 0;
  uint32_t vector_core_cnt = 0;
  uint64_t l2_size = 0;
};
struct PlatformInfo {
  StrInfo str_info;
  SoCInfo soc_info;
};
struct OptionalInfo {
  std::string soc_version;
  uint32_t ai_core_num = 0;
};

// api: PlatformInfoManager | - | - | guessed: no public reference
class PlatformInfoManager {
 public:
  static PlatformInfoManager& Instance();
  // 0: both are filled in; else there is no device.
  uint32_t GetPlatformInfoWithOutSocVersion(PlatformInfo& platform, OptionalInfo& optional);
};

}  // namespace fe

#pragma GCC visibility pop
