// The platform as configuration sections: what PlatformAscendC is built from.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#pragma GCC visibility push(default)

namespace npu_emu {
namespace host {
struct HostDevice;
}
}  // namespace npu_emu

namespace fe {

enum class LocalMemType : uint32_t { L0_A = 0, L0_B = 1, L0_C = 2, L1 = 3, L2 = 4, UB = 5, HBM = 6, RESERVED };

// api: PlatFormInfos | - | - | inferred: no public reference
class PlatFormInfos {
 public:
  explicit PlatFormInfos(const npu_emu::host::HostDevice& device);

  // False when the section or key is unknown. Known: version/{SoC_version, Short_SoC_version, NpuArch},
  // SoCInfo/{core_type_list, ai_core_cnt, cube_core_cnt, vector_core_cnt, l2_size}, AICoreSpec/{cube_freq, ub_size,
  // l1_size, l0_a_size, l0_b_size, l0_c_size, bt_size}. Sizes are whole: PlatformAscendC takes off what the library reserves.
  bool GetPlatformRes(const std::string& section, const std::string& key, std::string& value) const;
  bool GetPlatformResWithLock(const std::string& section, const std::string& key, std::string& value) const;
  bool GetPlatformResWithLock(const std::string& section, std::map<std::string, std::string>& values) const;
  // Sections of their own; a kernel's plan has none.
  void SetPlatformRes(const std::string&, std::map<std::string, std::string>&) {}
  uint32_t GetCoreNum() const;
  // `AiCore`: the cube cores; `VectorCore`: the vector cores; 0 for other names.
  uint32_t GetCoreNumByType(const std::string& type) const;
  void SetCoreNumByCoreType(const std::string&) {}
  void SetCoreNum(const uint32_t&) {}
  // Bytes per cycle of one core; only L2 and HBM are known, others give 0.
  void GetLocalMemBw(const LocalMemType& type, uint64_t& bytesPerCycle) const;
  bool Init() { return true; }
  void GetLocalMemSize(const LocalMemType& type, uint64_t& bytes) const;

  const npu_emu::host::HostDevice& Device() const;

 private:
  const npu_emu::host::HostDevice* device_;
};

}  // namespace fe

#pragma GCC visibility pop
