// Figures of the device a tiling function plans for. Sizes in bytes.
#pragma once

#include <cstdint>
#include <string>

#include "platform/platform_infos_def.h"
#include "platform/soc_spec.h"

#pragma GCC visibility push(default)

namespace platform_ascendc {

enum class CoreMemType { L0_A = 0, L0_B = 1, L0_C = 2, L1 = 3, L2 = 4, UB = 5, HBM = 6, FB, BT, RESERVED };

enum class SocVersion {
  ASCEND910 = 0,
  ASCEND910B,
  ASCEND310P,
  ASCEND310B,
  ASCEND910_93,
  ASCEND950,
  ASCEND910_95 = ASCEND950,
  RESERVED_VERSION = 99999
};

// api: PlatformAscendC, PlatformAscendCManager | - | - | documented
class PlatformAscendC {
 public:
  PlatformAscendC() = delete;
  explicit PlatformAscendC(fe::PlatFormInfos* platformInfo);

  // The vector cores: cube and vector cores are separate on this architecture.
  uint32_t GetCoreNum() const;
  uint32_t GetCoreNumAic() const;
  uint32_t GetCoreNumAiv() const;
  // Separate vector cores, which this architecture does not have: 0.
  uint32_t GetCoreNumVector() const;
  SocVersion GetSocVersion() const;
  NpuArch GetCurNpuArch() const;
  // What a kernel may use: UB and L1 without the last 256 bytes.
  void GetCoreMemSize(const CoreMemType& type, uint64_t& bytes) const;
  // Bytes per cycle of one core; only L2 and HBM are known, others give 0.
  void GetCoreMemBw(const CoreMemType& type, uint64_t& bytesPerCycle) const;
  uint32_t GetLibApiWorkSpaceSize() const;
  // Blocks to launch for a mixed kernel cut into `slices`; 0 where these are more than two vector cores each can have.
  uint32_t CalcTschBlockDim(uint32_t slices, uint32_t aicCores, uint32_t aivCores) const;
  uint32_t CalcTschNumBlocks(uint32_t slices, uint32_t aicCores, uint32_t aivCores) const;

 private:
  fe::PlatFormInfos* platformInfo_;
};

class PlatformAscendCManager {
 public:
  static PlatformAscendC* GetInstance();
  // The name is honoured by the first call only; nullptr when it is unknown.
  static PlatformAscendC* GetInstance(const char* customSocVersion);
};

}  // namespace platform_ascendc

#pragma GCC visibility pop
