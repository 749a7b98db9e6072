// The device as host code sees it, from the device profile.
#include <cmath>
#include <functional>

#include "host.h"
#include "platform/platform_manager.h"
#include "profile.h"
#include "tiling/platform/platform_ascendc.h"

namespace {

namespace architecture = npu_emu::architecture;
using npu_emu::host::HostDevice;

HostDevice toldDevice;
bool isKnown = false;

struct PlatformKey {
  const char* section;
  const char* key;
  std::string (*value)(const HostDevice&);
};

const PlatformKey platformKeys[] = {
    {"version", "SoC_version", [](const HostDevice& p) { return std::string(p.name); }},
    {"version", "Short_SoC_version", [](const HostDevice&) { return std::string(npu_emu::shortSocVersion); }},
    {"version", "NpuArch", [](const HostDevice&) { return std::to_string(architecture::npuArch); }},
    {"SoCInfo", "core_type_list", [](const HostDevice&) { return std::string("CubeCore,VectorCore"); }},
    {"SoCInfo", "ai_core_cnt", [](const HostDevice& p) { return std::to_string(p.aicCores); }},
    {"SoCInfo", "cube_core_cnt", [](const HostDevice& p) { return std::to_string(p.aicCores); }},
    {"SoCInfo", "vector_core_cnt", [](const HostDevice& p) { return std::to_string(p.aivCores); }},
    {"SoCInfo", "l2_size", [](const HostDevice& p) { return std::to_string(p.l2Bytes); }},
    {"AICoreSpec", "cube_freq", [](const HostDevice& p) { return std::to_string(std::lround(p.clockGHz * 1000)); }},
    {"AICoreSpec", "ub_size", [](const HostDevice& p) { return std::to_string(p.ubBytes); }},
    {"AICoreSpec", "l1_size", [](const HostDevice&) { return std::to_string(architecture::l1Bytes); }},
    {"AICoreSpec", "l0_a_size", [](const HostDevice&) { return std::to_string(architecture::l0aBytes); }},
    {"AICoreSpec", "l0_b_size", [](const HostDevice&) { return std::to_string(architecture::l0bBytes); }},
    {"AICoreSpec", "l0_c_size", [](const HostDevice&) { return std::to_string(architecture::l0cBytes); }},
    {"AICoreSpec", "bt_size", [](const HostDevice&) { return std::to_string(architecture::biasTableBytes); }},
};

}  // namespace

namespace npu_emu::host {

const HostDevice* currentDevice() { return isKnown ? &toldDevice : nullptr; }
void setCurrentDevice(const HostDevice& told) {
  toldDevice = told;
  isKnown = true;
}

}  // namespace npu_emu::host

namespace fe {

PlatFormInfos::PlatFormInfos(const HostDevice& device) : device_(&device) {}
const HostDevice& PlatFormInfos::Device() const { return *device_; }
uint32_t PlatFormInfos::GetCoreNum() const { return device_->aicCores; }
uint32_t PlatFormInfos::GetCoreNumByType(const std::string& type) const {
  if (type == "AiCore") return device_->aicCores;
  return type == "VectorCore" ? device_->aivCores : 0;
}
void PlatFormInfos::GetLocalMemBw(const LocalMemType& type, uint64_t& bytesPerCycle) const {
  bytesPerCycle = 0;
  if (type == LocalMemType::L2) bytesPerCycle = npu_emu::l2BytesPerCycle;
  if (type == LocalMemType::HBM)
    bytesPerCycle = static_cast<uint64_t>(device_->hbmBytesPerNs / device_->clockGHz / device_->aicCores);
}

bool PlatFormInfos::GetPlatformRes(const std::string& section, const std::string& key, std::string& value) const {
  for (const PlatformKey& entry : platformKeys) {
    if (section != entry.section || key != entry.key) continue;
    value = entry.value(*device_);
    return true;
  }
  return false;
}

bool PlatFormInfos::GetPlatformResWithLock(const std::string& section, const std::string& key,
                                           std::string& value) const {
  return GetPlatformRes(section, key, value);
}

bool PlatFormInfos::GetPlatformResWithLock(const std::string& section,
                                           std::map<std::string, std::string>& values) const {
  bool found = false;
  for (const PlatformKey& entry : platformKeys) {
    if (section != entry.section) continue;
    values[entry.key] = entry.value(*device_);
    found = true;
  }
  return found;
}

void PlatFormInfos::GetLocalMemSize(const LocalMemType& type, uint64_t& bytes) const {
  switch (type) {
    case LocalMemType::UB: bytes = device_->ubBytes; break;
    case LocalMemType::L1: bytes = architecture::l1Bytes; break;
    case LocalMemType::L0_A: bytes = architecture::l0aBytes; break;
    case LocalMemType::L0_B: bytes = architecture::l0bBytes; break;
    case LocalMemType::L0_C: bytes = architecture::l0cBytes; break;
    case LocalMemType::L2: bytes = device_->l2Bytes; break;
    default: bytes = 0;
  }
}

PlatformInfoManager& PlatformInfoManager::Instance() {
  static PlatformInfoManager manager;
  return manager;
}

uint32_t PlatformInfoManager::GetPlatformInfoWithOutSocVersion(PlatformInfo& platform, OptionalInfo& optional) {
  if (!isKnown) return 1;
  platform.str_info.short_soc_version = npu_emu::shortSocVersion;
  platform.soc_info.ai_core_cnt = toldDevice.aicCores;
  platform.soc_info.vector_core_cnt = toldDevice.aivCores;
  platform.soc_info.l2_size = toldDevice.l2Bytes;
  platform.ai_core_spec.cube_freq = static_cast<uint32_t>(std::lround(toldDevice.clockGHz * 1000));
  platform.ai_core_spec.l0_a_size = architecture::l0aBytes;
  platform.ai_core_spec.l0_b_size = architecture::l0bBytes;
  platform.ai_core_spec.l0_c_size = architecture::l0cBytes;
  platform.ai_core_spec.l1_size = architecture::l1Bytes;
  platform.ai_core_spec.ub_size = platform.vector_core_spec.ub_size = toldDevice.ubBytes;
  platform.ai_core_spec.ubblock_size = platform.vector_core_spec.ubblock_size = 32;
  optional.soc_version = toldDevice.name;
  optional.ai_core_num = toldDevice.aicCores;
  return 0;
}

}  // namespace fe

namespace platform_ascendc {

PlatformAscendC::PlatformAscendC(fe::PlatFormInfos* platformInfo) : platformInfo_(platformInfo) {}
uint32_t PlatformAscendC::GetCoreNum() const { return platformInfo_->Device().aivCores; }
uint32_t PlatformAscendC::GetCoreNumAic() const { return platformInfo_->Device().aicCores; }
uint32_t PlatformAscendC::GetCoreNumAiv() const { return platformInfo_->Device().aivCores; }
uint32_t PlatformAscendC::GetCoreNumVector() const { return 0; }
SocVersion PlatformAscendC::GetSocVersion() const { return SocVersion::ASCEND910B; }
NpuArch PlatformAscendC::GetCurNpuArch() const { return static_cast<NpuArch>(architecture::npuArch); }

void PlatformAscendC::GetCoreMemSize(const CoreMemType& type, uint64_t& bytes) const {
  platformInfo_->GetLocalMemSize(static_cast<fe::LocalMemType>(type), bytes);
  if (type == CoreMemType::UB || type == CoreMemType::L1) bytes -= architecture::systemBytes;
  if (type == CoreMemType::BT) bytes = architecture::biasTableBytes;
}

void PlatformAscendC::GetCoreMemBw(const CoreMemType& type, uint64_t& bytesPerCycle) const {
  platformInfo_->GetLocalMemBw(static_cast<fe::LocalMemType>(type), bytesPerCycle);
}

uint32_t PlatformAscendC::GetLibApiWorkSpaceSize() const { return npu_emu::systemWorkspaceBytes; }

uint32_t PlatformAscendC::CalcTschBlockDim(uint32_t slices, uint32_t aicCores, uint32_t aivCores) const {
  // One kind of core only: every slice is a block.
  if (aicCores == 0 || aivCores == 0 || aicCores > aivCores) return slices;
  const uint32_t vectorsPerCube = aivCores / aicCores;
  const uint32_t blocks = (slices + vectorsPerCube - 1) / vectorsPerCube;
  return vectorsPerCube == 2 && blocks > aicCores ? 0 : blocks;
}
uint32_t PlatformAscendC::CalcTschNumBlocks(uint32_t slices, uint32_t aicCores, uint32_t aivCores) const {
  return CalcTschBlockDim(slices, aicCores, aivCores);
}

PlatformAscendC* PlatformAscendCManager::GetInstance() { return GetInstance(nullptr); }

PlatformAscendC* PlatformAscendCManager::GetInstance(const char* customSocVersion) {
  // The device of the request wins: a candidate cannot plan for another one.
  if (!isKnown) {
    const npu_emu::SocProfile* named = npu_emu::findSoc(customSocVersion ? customSocVersion : npu_emu::defaultSoc);
    if (named == nullptr) return nullptr;
    toldDevice = {*named};
  }
  static fe::PlatFormInfos infos(toldDevice);
  static PlatformAscendC instance(&infos);
  return &instance;
}

}  // namespace platform_ascendc
