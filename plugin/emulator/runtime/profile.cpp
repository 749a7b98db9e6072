// Device figures. Core counts, clocks and sizes: public platform tables; bandwidth: nominal HBM. One row adds a SoC.
#include "profile.h"

namespace npu_emu {

namespace {
constexpr uint64_t MiB = 1024 * 1024;

constexpr SocProfile socs[] = {
    {"Ascend910B1", "ascend910b", 24, 48, 1.85, 192 * MiB, 1600},
    {"Ascend910B2", "ascend910b", 24, 48, 1.80, 192 * MiB, 1600},
    {"Ascend910B3", "ascend910b", 20, 40, 1.80, 192 * MiB, 1600},
    {"Ascend910B4", "ascend910b", 20, 40, 1.50, 96 * MiB, 800},
    {"Ascend910_93", "ascend910_93", 24, 48, 1.80, 192 * MiB, 1600},
#ifdef NPU_EMU_DEVICES
    NPU_EMU_DEVICES  // those of the user
#endif
};
}  // namespace

std::vector<const SocProfile*> allSocs() {
  std::vector<const SocProfile*> all;
  for (const SocProfile& soc : socs) all.push_back(&soc);
  return all;
}

const SocProfile* findSoc(const std::string& name) {
  for (const SocProfile& soc : socs)
    if (name == soc.name) return &soc;
  return nullptr;
}

}  // namespace npu_emu
