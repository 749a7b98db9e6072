// What an operator says about a matrix product, collected for the plan.
#include <algorithm>

#include "ascendc/architecture.h"
#include "host_matmul_plan.h"
#include "tiling/helper_checks.h"

namespace {

using AscendC::tiling::TCubeTiling;
using npu_emu::host::bitsOf;
using npu_emu::host::logError;

constexpr const char* subject = "MatmulApi Tiling";

int32_t refuse(const char* why) {
  logError(subject, "%s", why);
  return -1;
}

int32_t setLayout(int32_t (&layout)[5], int32_t b, int32_t s, int32_t n, int32_t g, int32_t d) {
  const int32_t given[] = {b, s, n, g, d};
  std::copy_n(given, 5, layout);
  return 0;
}

void takeLarger(const TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& sizes) {
  sizes.l1Size = std::max(sizes.l1Size, tiling.shareL1Size);
  sizes.l0cSize = std::max(sizes.l0cSize, tiling.shareL0CSize);
  sizes.ubSize = std::max({sizes.ubSize, tiling.shareUbSize, 2 * tiling.transLength});
}

int32_t sizesOf(const TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& sizes) {
  takeLarger(tiling, sizes);
  return 0;
}

int32_t sizesOf(const optiling::TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& sizes) {
  TCubeTiling plain;
  plain.shareL1Size = tiling.get_shareL1Size();
  plain.shareL0CSize = tiling.get_shareL0CSize();
  plain.shareUbSize = tiling.get_shareUbSize();
  plain.transLength = tiling.get_transLength();
  return sizesOf(plain, sizes);
}

}  // namespace

namespace matmul_tiling {

MatmulApiTilingBase::MatmulApiTilingBase()
    : MatmulApiTilingBase(platform_ascendc::PlatformAscendCManager::GetInstance()) {}
MatmulApiTilingBase::MatmulApiTilingBase(const platform_ascendc::PlatformAscendC& ascendcPlatform)
    : MatmulApiTilingBase(&ascendcPlatform) {}

MatmulApiTilingBase::MatmulApiTilingBase(const platform_ascendc::PlatformAscendC* ascendcPlatform) {
  using platform_ascendc::CoreMemType;
  const auto size = [&](CoreMemType type) {
    uint64_t bytes = 0;
    if (ascendcPlatform != nullptr) ascendcPlatform->GetCoreMemSize(type, bytes);
    return static_cast<int32_t>(bytes);
  };
  problem_.l1Bytes = size(CoreMemType::L1);
  problem_.l0aBytes = size(CoreMemType::L0_A);
  problem_.l0bBytes = size(CoreMemType::L0_B);
  problem_.l0cBytes = size(CoreMemType::L0_C);
  problem_.ubBytes = size(CoreMemType::UB);
  problem_.biasTableBytes = npu_emu::architecture::biasTableBytes;
}

MatmulApiTilingBase::MatmulApiTilingBase(const PlatformInfo& platform) : MatmulApiTilingBase() {
  problem_.l1Bytes = static_cast<int32_t>(platform.l1Size);
  problem_.l0aBytes = static_cast<int32_t>(platform.l0ASize);
  problem_.l0bBytes = static_cast<int32_t>(platform.l0BSize);
  problem_.l0cBytes = static_cast<int32_t>(platform.l0CSize);
  problem_.ubBytes = static_cast<int32_t>(platform.ubSize);
}

MatmulApiTilingBase::~MatmulApiTilingBase() = default;

int32_t MatmulApiTilingBase::SetAType(TPosition pos, CubeFormat type, DataType dataType, bool isTrans) {
  problem_.a = {pos, type, dataType, isTrans};
  return 0;
}
int32_t MatmulApiTilingBase::SetBType(TPosition pos, CubeFormat type, DataType dataType, bool isTrans) {
  problem_.b = {pos, type, dataType, isTrans};
  return 0;
}
int32_t MatmulApiTilingBase::SetCType(TPosition pos, CubeFormat type, DataType dataType) {
  problem_.c = {pos, type, dataType, false};
  return 0;
}
int32_t MatmulApiTilingBase::SetBiasType(TPosition pos, CubeFormat type, DataType dataType) {
  problem_.bias = {pos, type, dataType, false};
  return 0;
}
int32_t MatmulApiTilingBase::SetDequantType(DequantType dequantType) {
  problem_.dequant = dequantType;
  return 0;
}

int32_t MatmulApiTilingBase::SetShape(int32_t m, int32_t n, int32_t k) {
  problem_.shape = {m, n, k};
  return 0;
}
int32_t MatmulApiTilingBase::SetOrgShape(int32_t orgMIn, int32_t orgNIn, int32_t orgKIn) {
  return SetOrgShape(orgMIn, orgNIn, orgKIn, orgKIn);
}
int32_t MatmulApiTilingBase::SetOrgShape(int32_t orgMIn, int32_t orgNIn, int32_t orgKaIn, int32_t orgKbIn) {
  problem_.original = {orgMIn, orgNIn, orgKaIn};
  problem_.originalKb = orgKbIn;
  return 0;
}

int32_t MatmulApiTilingBase::SetALayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d) {
  return setLayout(problem_.layoutA, b, s, n, g, d);
}
int32_t MatmulApiTilingBase::SetBLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d) {
  return setLayout(problem_.layoutB, b, s, n, g, d);
}
int32_t MatmulApiTilingBase::SetCLayout(int32_t b, int32_t s1, int32_t n, int32_t g, int32_t s2) {
  return setLayout(problem_.layoutC, b, s1, n, g, s2);
}

int32_t MatmulApiTilingBase::SetBatchInfoForNormal(int32_t batchA, int32_t batchB, int32_t m, int32_t n, int32_t k) {
  problem_.isPlainBatch = true;
  SetALayout(batchA, m, 1, 1, k);
  SetBLayout(batchB, n, 1, 1, k);
  return SetCLayout(std::max(batchA, batchB), m, 1, 1, n);
}
int32_t MatmulApiTilingBase::SetBatchNum(int32_t batch) {
  problem_.batches = batch;
  return 0;
}

int32_t MatmulApiTilingBase::EnableBias(bool isBiasIn) {
  problem_.hasBias = isBiasIn;
  return 0;
}
int32_t MatmulApiTilingBase::SetBias(bool isBiasIn) { return EnableBias(isBiasIn); }

int32_t MatmulApiTilingBase::SetFixSplit(int32_t baseMIn, int32_t baseNIn, int32_t baseKIn) {
  const auto isAligned = [](int32_t extent, int32_t unit) {
    return extent == -1 || (extent > 0 && unit > 0 && extent % unit == 0);
  };
  const int32_t bits = bitsOf(problem_.a.type);
  if (!isAligned(baseMIn, npu_emu::host::cubeSide) || !isAligned(baseNIn, npu_emu::host::cubeSide))
    return refuse("SetFixSplit takes multiples of 16 for baseM and baseN");
  if (!isAligned(baseKIn, bits == 0 ? 0 : npu_emu::host::blockBits / bits))
    return refuse("SetFixSplit takes multiples of 32 bytes for baseK");
  if (baseMIn != -1) problem_.base.m = baseMIn;
  if (baseNIn != -1) problem_.base.n = baseNIn;
  if (baseKIn != -1) problem_.base.k = baseKIn;
  return 0;
}

int32_t MatmulApiTilingBase::SetBufferSpace(int32_t l1Size, int32_t l0CSize, int32_t ubSize, int32_t btSize) {
  struct Space {
    int32_t given;
    int32_t& bytes;
    int32_t unit;
  };
  const Space spaces[] = {{l1Size, problem_.l1Bytes, 32},
                          {l0CSize, problem_.l0cBytes, 32},
                          {ubSize, problem_.ubBytes, 32},
                          {btSize, problem_.biasTableBytes, 1}};
  for (const Space& space : spaces)
    if (space.given < -1 || space.given > space.bytes)
      return refuse("SetBufferSpace takes -1, or at most what the memory has");
  for (const Space& space : spaces)
    if (space.given != -1) space.bytes = space.given / space.unit * space.unit;
  return 0;
}

int32_t MatmulApiTilingBase::SetTraverse(MatrixTraverse traverse) {
  problem_.config.traverse = traverse;
  return 0;
}
int32_t MatmulApiTilingBase::SetMadType(MatrixMadType madType) {
  problem_.mad = madType;
  return 0;
}
int32_t MatmulApiTilingBase::SetSplitRange(int32_t, int32_t, int32_t, int32_t, int32_t, int32_t) { return 0; }
int32_t MatmulApiTilingBase::SetDoubleBuffer(bool, bool, bool, bool, bool, bool) { return 0; }
void MatmulApiTilingBase::SetMatmulConfigParams(int32_t mmConfigTypeIn, bool enableL1CacheUBIn,
                                                ScheduleType scheduleTypeIn, MatrixTraverse traverseIn,
                                                bool enVecND2NZIn) {
  problem_.config = {mmConfigTypeIn, enableL1CacheUBIn, scheduleTypeIn, traverseIn, enVecND2NZIn};
}
void MatmulApiTilingBase::SetMatmulConfigParams(const MatmulConfigParams& configParams) {
  problem_.config = configParams;
}
int32_t MatmulApiTilingBase::SetSparse(bool isSparseIn) {
  problem_.isSparse = isSparseIn;
  return 0;
}

int64_t MatmulApiTilingBase::GetTiling(AscendC::tiling::TCubeTiling& tiling) {
  if (const char* wrong = npu_emu::host::planMatmul(problem_, plan_)) return refuse(wrong);
  tiling = plan_;
  return 0;
}
int64_t MatmulApiTilingBase::GetTiling(optiling::TCubeTiling& tiling) {
  TCubeTiling plain;
  const int64_t status = GetTiling(plain);
  if (status == 0) tiling.ReadFrom(&plain, sizeof plain);
  return status;
}

bool MatmulApiTilingBase::fitsHalvesOfL1() const {
  const npu_emu::host::MatmulProblem& p = problem_;
  const bool comesFromGm = p.a.position == TPosition::GM && p.b.position == TPosition::GM &&
                           (!p.hasBias || p.bias.position == TPosition::GM);
  if (p.config.mmConfigType != 1 || !comesFromGm || plan_.baseM == 0) return false;
  const auto alignUp = [](int64_t extent, int64_t unit) { return (extent + unit - 1) / unit * unit; };
  const int64_t bits = bitsOf(p.a.type), wide = std::max<int64_t>(16, npu_emu::host::blockBits / bits);
  const int64_t blockA = alignUp(plan_.baseM, p.a.isTransposed ? wide : 16) * plan_.baseK * bits / 8;
  const int64_t blockB = alignUp(plan_.baseN, p.b.isTransposed ? 16 : wide) * plan_.baseK * bits / 8;
  const int64_t stepA = plan_.stepM * int64_t{plan_.stepKa}, stepB = plan_.stepN * int64_t{plan_.stepKb};
  int64_t upper = stepA * blockA + stepB * blockB, lower = 0;
  if (plan_.depthA1 > stepA) lower += stepA * blockA;
  if (plan_.depthB1 > stepB) lower += stepB * blockB;
  if (p.hasBias) upper += plan_.baseN * int64_t{bitsOf(p.bias.type)} / 8;
  if (p.dequant == DequantType::TENSOR) lower += plan_.baseN * int64_t{8};
  return std::max(upper, lower) <= p.l1Bytes / 2;
}

int32_t MultiCoreMatmulTiling::SetDim(int32_t dim) {
  problem_.cores = dim;
  return 0;
}
int32_t MultiCoreMatmulTiling::SetSingleShape(int32_t singleMIn, int32_t singleNIn, int32_t singleKIn) {
  if (singleMIn > 0) problem_.core.m = singleMIn;
  if (singleNIn > 0) problem_.core.n = singleNIn;
  if (singleKIn > 0) problem_.core.k = singleKIn;
  return 0;
}
int32_t MultiCoreMatmulTiling::SetSingleRange(int32_t maxM, int32_t maxN, int32_t maxK, int32_t minM, int32_t minN,
                                              int32_t minK) {
  problem_.coreMost = {maxM, maxN, maxK};
  problem_.coreLeast = {minM, minN, minK};
  return 0;
}
int32_t MultiCoreMatmulTiling::SetAlignSplit(int32_t alignM, int32_t alignN, int32_t alignK) {
  if (alignM > 0) problem_.coreUnit.m = alignM;
  if (alignN > 0) problem_.coreUnit.n = alignN;
  if (alignK > 0) problem_.coreUnit.k = alignK;
  return 0;
}
int32_t MultiCoreMatmulTiling::GetSingleShape(int32_t& shapeM, int32_t& shapeN, int32_t& shapeK) {
  shapeM = plan_.singleCoreM;
  shapeN = plan_.singleCoreN;
  shapeK = plan_.singleCoreK;
  return 0;
}

namespace {

int32_t parts(int32_t given, int32_t original, int32_t share) {
  const int32_t whole = given != -1 ? given : original;
  return share > 0 ? (whole + share - 1) / share : 0;
}

}  // namespace

int32_t MultiCoreMatmulTiling::GetCoreNum(int32_t& dim, int32_t& mDim, int32_t& nDim) {
  dim = plan_.usedCoreNum;
  mDim = parts(problem_.shape.m, problem_.original.m, plan_.singleCoreM);
  nDim = parts(problem_.shape.n, problem_.original.n, plan_.singleCoreN);
  return 0;
}
int32_t BatchMatmulTiling::GetCoreNum(int32_t& dim, int32_t& mDim, int32_t& nDim, int32_t& batchCoreM,
                                      int32_t& batchCoreN) {
  dim = plan_.usedCoreNum;
  mDim = parts(plan_.M, plan_.M, plan_.singleCoreM);
  nDim = parts(plan_.N, plan_.N, plan_.singleCoreN);
  batchCoreM = batchCoreN = 1;
  return 0;
}

}  // namespace matmul_tiling

int32_t MatmulGetTmpBufSize(optiling::TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& bufSize) {
  return sizesOf(tiling, bufSize);
}
int32_t MultiCoreMatmulGetTmpBufSize(optiling::TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& bufSize) {
  return sizesOf(tiling, bufSize);
}
int32_t BatchMatmulGetTmpBufSize(optiling::TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& bufSize) {
  return sizesOf(tiling, bufSize);
}
int32_t MatmulGetTmpBufSizeV2(TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& bufSize) {
  return sizesOf(tiling, bufSize);
}
int32_t MultiCoreMatmulGetTmpBufSizeV2(TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& bufSize) {
  return sizesOf(tiling, bufSize);
}
int32_t BatchMatmulGetTmpBufSizeV2(TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& bufSize) {
  return sizesOf(tiling, bufSize);
}
