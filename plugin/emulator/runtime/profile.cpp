// Device figures. Core counts, clocks and sizes: public platform tables; bandwidth: nominal HBM.
#include "launch.h"

namespace npu_emu {

namespace {
constexpr uint32_t KiB = 1024;
constexpr uint64_t MiB = 1024 * KiB;
constexpr const char* version = "v1";

constexpr SocProfile socs[] = {
    {"Ascend910B1", version, 24, 48, 1.85, 192 * KiB, 512 * KiB, 64 * KiB, 64 * KiB, 128 * KiB, 192 * MiB, 1600},
    {"Ascend910B2", version, 24, 48, 1.80, 192 * KiB, 512 * KiB, 64 * KiB, 64 * KiB, 128 * KiB, 192 * MiB, 1600},
    {"Ascend910B3", version, 20, 40, 1.80, 192 * KiB, 512 * KiB, 64 * KiB, 64 * KiB, 128 * KiB, 192 * MiB, 1600},
    {"Ascend910B4", version, 20, 40, 1.50, 192 * KiB, 512 * KiB, 64 * KiB, 64 * KiB, 128 * KiB, 96 * MiB, 800},
    {"Ascend910_93", version, 24, 48, 1.80, 192 * KiB, 512 * KiB, 64 * KiB, 64 * KiB, 128 * KiB, 192 * MiB, 1600},
};
}  // namespace

const SocProfile* findSoc(const std::string& name) {
  for (const SocProfile& soc : socs)
    if (name == soc.name) return &soc;
  return nullptr;
}

std::vector<std::string> socNames() {
  std::vector<std::string> names;
  for (const SocProfile& soc : socs) names.emplace_back(soc.name);
  return names;
}

}  // namespace npu_emu
