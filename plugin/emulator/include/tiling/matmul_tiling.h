// Tiling of the matrix product: what an operator says about its matrices, and the TCubeTiling that the device works by.
// Sizes of shapes in elements, of memories in bytes; -1 leaves a choice to GetTiling.
#pragma once

#include <cstdint>

#include "graph/types.h"
#include "tiling/library_structs.h"
#include "tiling/platform/platform_ascendc.h"

#pragma GCC visibility push(default)

namespace matmul_tiling {

// On the host, where there are no numbers of this type, it takes eight bytes.
// api: half | - | - | inferred: what its size is on the host
using half = double;

enum class DataType : int32_t {
  DT_FLOAT = ge::DT_FLOAT,
  DT_FLOAT16 = ge::DT_FLOAT16,
  DT_INT8 = ge::DT_INT8,
  DT_INT32 = ge::DT_INT32,
  DT_UINT8 = ge::DT_UINT8,
  DT_INT16 = ge::DT_INT16,
  DT_UINT16 = ge::DT_UINT16,
  DT_UINT32 = ge::DT_UINT32,
  DT_INT64 = ge::DT_INT64,
  DT_UINT64 = ge::DT_UINT64,
  DT_DOUBLE = ge::DT_DOUBLE,
  DT_BOOL = ge::DT_BOOL,
  DT_STRING = ge::DT_STRING,
  DT_DUAL_SUB_INT8 = ge::DT_DUAL_SUB_INT8,
  DT_DUAL_SUB_UINT8 = ge::DT_DUAL_SUB_UINT8,
  DT_COMPLEX64 = ge::DT_COMPLEX64,
  DT_COMPLEX128 = ge::DT_COMPLEX128,
  DT_QINT8 = ge::DT_QINT8,
  DT_QINT16 = ge::DT_QINT16,
  DT_QINT32 = ge::DT_QINT32,
  DT_QUINT8 = ge::DT_QUINT8,
  DT_QUINT16 = ge::DT_QUINT16,
  DT_RESOURCE = ge::DT_RESOURCE,
  DT_STRING_REF = ge::DT_STRING_REF,
  DT_DUAL = ge::DT_DUAL,
  DT_VARIANT = ge::DT_VARIANT,
  DT_BF16 = ge::DT_BF16,
  DT_UNDEFINED = ge::DT_UNDEFINED,
  DT_INT4 = ge::DT_INT4,
  DT_UINT1 = ge::DT_UINT1,
  DT_INT2 = ge::DT_INT2,
  DT_UINT2 = ge::DT_UINT2,
  // from here on, the numbers are other ones
  DT_BFLOAT16 = 33,
  DT_HIFLOAT8 = 34,
  DT_FLOAT8_E4M3FN = 35,
  DT_FLOAT8_E5M2 = 36,
  DT_FLOAT4_E2M1 = 37,
  DT_FLOAT8_E8M0 = 38,
  DT_FLOAT4_E1M2 = 39,
  DT_MAX = 40,
};

enum class TPosition : int32_t {
  GM,
  A1,
  A2,
  B1,
  B2,
  C1,
  C2,
  CO1,
  CO2,
  VECIN,
  VECOUT,
  VECCALC,
  LCM = VECCALC,
  SPM,
  SHM = SPM,
  TSCM,
  MAX
};
enum class CubeFormat : int32_t { ND = 0, NZ, ZN, ZZ, NN, ND_ALIGN, SCALAR, VECTOR, ROW_MAJOR = ND, COLUMN_MAJOR = 8 };
enum class MatrixTraverse : int32_t { NOSET = 0, FIRSTM = 1, FIRSTN = 2 };
enum class MatrixMadType : int32_t { NORMAL = 0, HF32 = 1, MXMODE = 2 };
enum class DequantType : int32_t { SCALAR = 0, TENSOR = 1 };
enum class ScheduleType : int32_t { INNER_PRODUCT = 0, OUTER_PRODUCT = 1, N_BUFFER_33 = 2 };

struct SysTilingTempBufSize {
  int32_t ubSize = 0;
  int32_t l1Size = 0;
  int32_t l0cSize = 0;
};

struct PlatformInfo {
  platform_ascendc::SocVersion socVersion;
  uint64_t l1Size = 0;
  uint64_t l0CSize = 0;
  uint64_t ubSize = 0;
  uint64_t l0ASize = 0;
  uint64_t l0BSize = 0;
};

struct MatmulConfigParams {
  MatmulConfigParams(int32_t mmConfigTypeIn = 1, bool enableL1CacheUBIn = false,
                     ScheduleType scheduleTypeIn = ScheduleType::INNER_PRODUCT,
                     MatrixTraverse traverseIn = MatrixTraverse::NOSET, bool enVecND2NZIn = false)
      : mmConfigType(mmConfigTypeIn),
        enableL1CacheUB(enableL1CacheUBIn),
        scheduleType(scheduleTypeIn),
        traverse(traverseIn),
        enVecND2NZ(enVecND2NZIn) {}

  int32_t mmConfigType;  // 0: the normal configuration, 1: MDL
  bool enableL1CacheUB;
  ScheduleType scheduleType;
  MatrixTraverse traverse;
  bool enVecND2NZ;
};

}  // namespace matmul_tiling

namespace npu_emu::host {

struct MatrixType {
  matmul_tiling::TPosition position = matmul_tiling::TPosition::GM;
  matmul_tiling::CubeFormat format = matmul_tiling::CubeFormat::ND;
  matmul_tiling::DataType type = matmul_tiling::DataType::DT_FLOAT;
  bool isTransposed = false;
};

struct ProductExtents {
  int32_t m = -1, n = -1, k = -1;
};

// Everything that the setters collect.
struct MatmulProblem {
  MatrixType a, b, c, bias;
  bool hasBias = false;
  matmul_tiling::DequantType dequant = matmul_tiling::DequantType::SCALAR;
  ProductExtents shape, original, core, coreLeast, coreMost, coreUnit, base;
  int32_t originalKb = -1;
  int32_t cores = 1;
  bool splitsK = false;
  // extents in the order of the setters' parameters
  int32_t layoutA[5] = {}, layoutB[5] = {}, layoutC[5] = {};
  int32_t batches = 0;
  bool isPlainBatch = false;
  matmul_tiling::MatmulConfigParams config;
  matmul_tiling::MatrixMadType mad = matmul_tiling::MatrixMadType::NORMAL;
  bool isSparse = false;
  int32_t l1Bytes, l0aBytes, l0bBytes, l0cBytes, ubBytes, biasTableBytes;
};

}  // namespace npu_emu::host

namespace matmul_tiling {

// api: MatmulApiTilingBase | - | - | documented
class MatmulApiTilingBase {
 public:
  MatmulApiTilingBase();
  explicit MatmulApiTilingBase(const platform_ascendc::PlatformAscendC& ascendcPlatform);
  explicit MatmulApiTilingBase(const PlatformInfo& platform);
  virtual ~MatmulApiTilingBase();

  int32_t SetAType(TPosition pos, CubeFormat type, DataType dataType, bool isTrans = false);
  int32_t SetBType(TPosition pos, CubeFormat type, DataType dataType, bool isTrans = false);
  int32_t SetCType(TPosition pos, CubeFormat type, DataType dataType);
  int32_t SetBiasType(TPosition pos, CubeFormat type, DataType dataType);
  int32_t SetDequantType(DequantType dequantType);
  // The extents that are multiplied; the matrices are as large where SetOrgShape says nothing else.
  virtual int32_t SetShape(int32_t m, int32_t n, int32_t k);
  int32_t SetOrgShape(int32_t orgMIn, int32_t orgNIn, int32_t orgKIn);
  int32_t SetOrgShape(int32_t orgMIn, int32_t orgNIn, int32_t orgKaIn, int32_t orgKbIn);
  int32_t SetALayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d);
  int32_t SetBLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d);
  int32_t SetCLayout(int32_t b, int32_t s1, int32_t n, int32_t g, int32_t s2);
  int32_t SetBatchInfoForNormal(int32_t batchA, int32_t batchB, int32_t m, int32_t n, int32_t k);
  int32_t SetBatchNum(int32_t batch);
  int32_t EnableBias(bool isBiasIn = false);
  int32_t SetBias(bool isBiasIn = false);
  // -1 for a block that is not aligned; nothing is fixed then.
  int32_t SetFixSplit(int32_t baseMIn = -1, int32_t baseNIn = -1, int32_t baseKIn = -1);
  int32_t SetBufferSpace(int32_t l1Size = -1, int32_t l0CSize = -1, int32_t ubSize = -1, int32_t btSize = -1);
  int32_t SetTraverse(MatrixTraverse traverse);
  int32_t SetMadType(MatrixMadType madType);
  // Documented as without effect.
  int32_t SetSplitRange(int32_t maxBaseM = -1, int32_t maxBaseN = -1, int32_t maxBaseK = -1, int32_t minBaseM = -1,
                        int32_t minBaseN = -1, int32_t minBaseK = -1);
  int32_t SetDoubleBuffer(bool a, bool b, bool c, bool bias, bool transND2NZ = true, bool transNZ2ND = true);
  void SetMatmulConfigParams(int32_t mmConfigTypeIn = 1, bool enableL1CacheUBIn = false,
                             ScheduleType scheduleTypeIn = ScheduleType::INNER_PRODUCT,
                             MatrixTraverse traverseIn = MatrixTraverse::NOSET, bool enVecND2NZIn = false);
  void SetMatmulConfigParams(const MatmulConfigParams& configParams);
  int32_t SetSparse(bool isSparseIn = false);
  // -1 before GetTiling where SetFixSplit fixed none.
  int32_t GetBaseM() const { return plan_.baseM > 0 ? plan_.baseM : problem_.base.m; }
  int32_t GetBaseN() const { return plan_.baseN > 0 ? plan_.baseN : problem_.base.n; }
  int32_t GetBaseK() const { return plan_.baseK > 0 ? plan_.baseK : problem_.base.k; }
  // 0, or -1 where no tiling is possible; the reason is printed.
  virtual int64_t GetTiling(optiling::TCubeTiling& tiling);
  virtual int64_t GetTiling(AscendC::tiling::TCubeTiling& tiling);

 protected:
  // Whether the two buffers of each matrix fit the halves of L1 that the device keeps them in.
  bool fitsHalvesOfL1() const;

  npu_emu::host::MatmulProblem problem_;
  AscendC::tiling::TCubeTiling plan_;

 private:
  explicit MatmulApiTilingBase(const platform_ascendc::PlatformAscendC* ascendcPlatform);
};

// api: MatmulApiTiling | - | - | documented: the choice of blocks is the emulator's own
class MatmulApiTiling : public MatmulApiTilingBase {
 public:
  MatmulApiTiling() = default;
  explicit MatmulApiTiling(const platform_ascendc::PlatformAscendC& ascendcPlatform)
      : MatmulApiTilingBase(ascendcPlatform) {}
  explicit MatmulApiTiling(const PlatformInfo& platform) : MatmulApiTilingBase(platform) {}

  bool EnableL1BankConflictOptimise() { return fitsHalvesOfL1(); }
};

// api: MultiCoreMatmulTiling | - | - | documented: the choice of blocks is the emulator's own
class MultiCoreMatmulTiling : public MatmulApiTilingBase {
 public:
  MultiCoreMatmulTiling() = default;
  explicit MultiCoreMatmulTiling(const platform_ascendc::PlatformAscendC& ascendcPlatform)
      : MatmulApiTilingBase(ascendcPlatform) {}
  explicit MultiCoreMatmulTiling(const PlatformInfo& platform) : MatmulApiTilingBase(platform) {}

  int32_t SetDim(int32_t dim);
  virtual int32_t SetSingleShape(int32_t singleMIn = -1, int32_t singleNIn = -1, int32_t singleKIn = -1);
  virtual int32_t SetSingleRange(int32_t maxM = -1, int32_t maxN = -1, int32_t maxK = -1, int32_t minM = -1,
                                 int32_t minN = -1, int32_t minK = -1);
  int32_t SetAlignSplit(int32_t alignM, int32_t alignN, int32_t alignK);
  int32_t GetSingleShape(int32_t& shapeM, int32_t& shapeN, int32_t& shapeK);
  int32_t GetCoreNum(int32_t& dim, int32_t& mDim, int32_t& nDim);
  void EnableMultiCoreSplitK(bool flag) { problem_.splitsK = flag; }
  void SetSplitK(bool flag) { EnableMultiCoreSplitK(flag); }
  bool EnableL1BankConflictOptimise() { return fitsHalvesOfL1(); }
};

// api: BatchMatmulTiling | - | - | documented: the choice of blocks is the emulator's own
class BatchMatmulTiling : public MatmulApiTilingBase {
 public:
  BatchMatmulTiling() = default;
  explicit BatchMatmulTiling(const platform_ascendc::PlatformAscendC& ascendcPlatform)
      : MatmulApiTilingBase(ascendcPlatform) {}

  int32_t GetCoreNum(int32_t& dim, int32_t& mDim, int32_t& nDim, int32_t& batchCoreM, int32_t& batchCoreN);
};

}  // namespace matmul_tiling

// api: MatmulGetTmpBufSize, MultiCoreMatmulGetTmpBufSize, BatchMatmulGetTmpBufSize, MatmulGetTmpBufSizeV2,
//   MultiCoreMatmulGetTmpBufSizeV2, BatchMatmulGetTmpBufSizeV2 | - | - | documented
extern "C" {
int32_t MatmulGetTmpBufSize(optiling::TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& bufSize);
int32_t MultiCoreMatmulGetTmpBufSize(optiling::TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& bufSize);
int32_t BatchMatmulGetTmpBufSize(optiling::TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& bufSize);
int32_t MatmulGetTmpBufSizeV2(AscendC::tiling::TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& bufSize);
int32_t MultiCoreMatmulGetTmpBufSizeV2(AscendC::tiling::TCubeTiling& tiling,
                                       matmul_tiling::SysTilingTempBufSize& bufSize);
int32_t BatchMatmulGetTmpBufSizeV2(AscendC::tiling::TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& bufSize);
}

#pragma GCC visibility pop
