// The platform as a table of figures, which older host parts ask for, and who hands it out.
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
  uint32_t ai_cpu_cnt = 0;
  uint64_t memory_size = 0;
  uint32_t l2PageNum = 0;
};
struct AiCoreSpec {
  uint32_t cube_freq = 0;
  uint64_t l0_a_size = 0;
  uint64_t l0_b_size = 0;
  uint64_t l0_c_size = 0;
  uint64_t l1_size = 0;
  uint64_t ub_size = 0;
  uint64_t ubblock_size = 0;
};
struct VectorCoreSpec {
  uint64_t ub_size = 0;
  uint64_t ubblock_size = 0;
};
struct PlatformInfo {
  StrInfo str_info;
  SoCInfo soc_info;
  AiCoreSpec ai_core_spec;
  VectorCoreSpec vector_core_spec;
};
struct OptionalInfo {
  std::string soc_version;
  std::string core_type;
  uint32_t ai_core_num = 0;
  std::string l1_fusion_flag;
};
// The same as sections of text.
// api: OptionalInfos | - | - | guessed: no public reference
class OptionalInfos {
 public:
  bool GetSocVersion(std::string& version) const { return version = version_, !version_.empty(); }
  std::string GetSocVersion() const { return version_; }
  void SetSocVersion(const std::string& version) { version_ = version; }

 private:
  std::string version_;
};

// api: PlatformInfoManager | - | - | guessed: no public reference
class PlatformInfoManager {
 public:
  static PlatformInfoManager& Instance();
  static PlatformInfoManager& GeInstance() { return Instance(); }
  uint32_t InitializePlatformInfo() { return 0; }
  uint32_t Finalize() { return 0; }
  // The device of the run, whatever SoC is asked for.
  uint32_t GetPlatformInfo(const std::string&, PlatformInfo& platform, OptionalInfo& optional) {
    return GetPlatformInfoWithOutSocVersion(platform, optional);
  }
  // 0: both are filled in; else there is no device.
  uint32_t GetPlatformInfoWithOutSocVersion(PlatformInfo& platform, OptionalInfo& optional);
};

}  // namespace fe

#pragma GCC visibility pop
