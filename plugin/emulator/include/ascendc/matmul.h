// The Matmul object of the high-level API: on a cube core it works, on a vector core it asks the cube core of its
// group.
#pragma once

#include "architecture.h"
#include "cube.h"
#include "matmul_object.h"
#include "pipe.h"

namespace AscendC {

// api: MatmulType | - | - | documented
template <TPosition POSITION, CubeFormat FORMAT, typename TYPE, bool ISTRANS = false,
          LayoutMode LAYOUT = LayoutMode::NONE, bool IBSHARE = false, TPosition SRCPOS = TPosition::GM>
struct MatmulType {
  constexpr static TPosition pos = POSITION;
  constexpr static CubeFormat format = FORMAT;
  using T = TYPE;
  constexpr static bool isTrans = ISTRANS;
  constexpr static LayoutMode layout = LAYOUT;
  constexpr static bool ibShare = IBSHARE;
  constexpr static TPosition srcPos = SRCPOS;
};

// The type in which products of elements are summed.
// api: GetMmDstType | - | half bfloat16_t float int8_t | inferred: an inner name that kernels use
template <typename T>
struct GetMmDstType {
  using Type = std::conditional_t<std::is_same_v<T, int8_t> || std::is_same_v<T, int4b_t>, int32_t, float>;
};

// Two of four elements of B along k are nonzero, and only these are stored.
// api: SparseMatmulType | - | int8_t | documented
template <TPosition POSITION, TPosition INDEX_POSITION, CubeFormat FORMAT, typename TYPE, bool ISTRANS = false,
          LayoutMode LAYOUT = LayoutMode::NONE, bool IBSHARE = false>
struct SparseMatmulType : MatmulType<POSITION, FORMAT, TYPE, ISTRANS, LAYOUT, IBSHARE> {
  constexpr static TPosition indexPosition = INDEX_POSITION;
};

// Copy functions of the kernel that replace those of the library: out of L0C, and of a block of A or B to L1.
// api: MatmulCallBackFunc | - | - | documented; positions and sizes where blocks are loaded together: inferred
template <void (*DataCopyOut)(const __gm__ void* gm, const LocalTensor<int8_t>& co1Local, const void* dataCopyOutParams,
                              const uint64_t tilingPtr, const uint64_t dataPtr) = nullptr,
          void (*CopyA1)(const LocalTensor<int8_t>& aMatrix, const __gm__ void* gm, int row, int col, int useM,
                         int useK, const uint64_t tilingPtr, const uint64_t dataPtr) = nullptr,
          void (*CopyB1)(const LocalTensor<int8_t>& bMatrix, const __gm__ void* gm, int row, int col, int useK,
                         int useN, const uint64_t tilingPtr, const uint64_t dataPtr) = nullptr>
struct MatmulCallBackFunc {
  constexpr static auto npu_emu_copyOut = DataCopyOut;
  constexpr static auto npu_emu_copyA = CopyA1;
  constexpr static auto npu_emu_copyB = CopyB1;
};

// api: Ceil | - | integers | inferred: an inner function that kernels use
template <typename T, std::enable_if_t<std::is_integral_v<T>, bool> = true>
constexpr T Ceil(T num1, T num2) {
  return (num1 + num2 - 1) / num2;
}

namespace Impl {
// Buffers of a queue of the library.
constexpr int32_t QUEUE_DEPTH = 1;
}  // namespace Impl

namespace Impl::Detail {

// api: MatmulPolicy, TrianUpperMatmulPolicy, TrianLowerMatmulPolicy, NBuffer33MatmulPolicy | - | - | documented:
//   NBuffer33 differs by its tiling alone
template <const auto& MM_CFG, typename IMPL, typename A_TYPE, typename B_TYPE, typename C_TYPE, typename BIAS_TYPE>
struct MatmulPolicy {
  static constexpr auto npu_emu_blocks = npu_emu::matmul::Policy::All;
};
template <const auto& MM_CFG, typename IMPL, typename A_TYPE, typename B_TYPE, typename C_TYPE, typename BIAS_TYPE>
struct TrianUpperMatmulPolicy {
  static constexpr auto npu_emu_blocks = npu_emu::matmul::Policy::Upper;
};
template <const auto& MM_CFG, typename IMPL, typename A_TYPE, typename B_TYPE, typename C_TYPE, typename BIAS_TYPE>
struct TrianLowerMatmulPolicy {
  static constexpr auto npu_emu_blocks = npu_emu::matmul::Policy::Lower;
};
template <const auto& MM_CFG, typename IMPL, typename A_TYPE, typename B_TYPE, typename C_TYPE, typename BIAS_TYPE>
struct NBuffer33MatmulPolicy {
  static constexpr auto npu_emu_blocks = npu_emu::matmul::Policy::NBuffer33;
};

}  // namespace Impl::Detail

using Impl::Detail::MatmulPolicy;

// api: MATMUL_POLICY_DEFAULT_OF | - | - | documented
#define MATMUL_POLICY_DEFAULT_OF(DEFAULT)       \
  template <const auto&, typename, typename...> \
  class MATMUL_POLICY = AscendC::Impl::Detail::DEFAULT

namespace npu_emu_detail {

constexpr MatmulConfig matmulConfigOf(const MatmulConfig& config) { return config; }
constexpr MatmulConfig matmulConfigOf(const MatmulApiStaticTiling& tiling) { return tiling.cfg; }

constexpr tiling::TCubeTiling noFixedTiling() {
  tiling::TCubeTiling fixed{};
  fixed.M = fixed.N = fixed.Ka = fixed.Kb = fixed.singleCoreM = fixed.singleCoreN = fixed.singleCoreK = fixed.baseM =
      fixed.baseN = fixed.baseK = -1;
  fixed.depthA1 = fixed.depthB1 = fixed.stepM = fixed.stepN = fixed.stepKa = fixed.stepKb = fixed.isBias =
      fixed.iterateOrder = -1;
  fixed.dbL0A = fixed.dbL0B = fixed.dbL0C = -1;
  return fixed;
}
constexpr tiling::TCubeTiling fixedTilingOf(const MatmulConfig& config) {
  tiling::TCubeTiling fixed = noFixedTiling();
  if (config.iterateOrder != IterateOrder::UNDEF) fixed.iterateOrder = static_cast<int32_t>(config.iterateOrder);
  return fixed;
}
constexpr tiling::TCubeTiling fixedTilingOf(const MatmulApiStaticTiling& tiling) {
  tiling::TCubeTiling fixed = noFixedTiling();
  fixed.M = tiling.M;
  fixed.N = tiling.N;
  fixed.Ka = tiling.Ka;
  fixed.Kb = tiling.Kb;
  fixed.singleCoreM = tiling.singleCoreM;
  fixed.singleCoreN = tiling.singleCoreN;
  fixed.singleCoreK = tiling.singleCoreK;
  fixed.baseM = tiling.baseM;
  fixed.baseN = tiling.baseN;
  fixed.baseK = tiling.baseK;
  fixed.depthA1 = tiling.depthA1;
  fixed.depthB1 = tiling.depthB1;
  fixed.stepM = tiling.stepM;
  fixed.stepN = tiling.stepN;
  fixed.stepKa = tiling.stepKa;
  fixed.stepKb = tiling.stepKb;
  fixed.isBias = tiling.isBias;
  fixed.iterateOrder = tiling.iterateOrder;
  fixed.dbL0A = tiling.dbL0A;
  fixed.dbL0B = tiling.dbL0B;
  fixed.dbL0C = tiling.dbL0C;
  return fixed;
}

template <class Type, typename = void>
constexpr bool isSparse = false;
template <class Type>
constexpr bool isSparse<Type, std::void_t<decltype(Type::indexPosition)>> = true;

template <class Type>
constexpr npu_emu::matmul::Kind kindOf() {
  static_assert(!isSparse<Type> || (std::is_same_v<typename Type::T, int8_t> && Type::isTrans),
                "a sparse matrix of Matmul is int8_t, and transposed");
  return {cubeElement<typename Type::T>(),
          Type::format,
          Type::layout,
          Type::pos,
          Type::isTrans,
          Type::ibShare,
          isSparse<Type>};
}

// Functions of a kernel as the runtime calls them.
inline LocalTensor<int8_t> blockOf(const npu_emu::matmul::UserCopy& copy) {
  return {{copy.local.address, copy.bytes, copy.local.buffer}, copy.local.position};
}
template <auto function>
void copyInBy(const npu_emu::matmul::UserCopy& copy) {
  function(blockOf(copy), (const __gm__ void*)copy.gm, copy.row, copy.column, copy.height, copy.width, copy.info,
           copy.data);
}
template <auto function>
void copyOutBy(const npu_emu::matmul::UserCopy& copy) {
  function((const __gm__ void*)copy.gm, blockOf(copy), copy.out, copy.info, copy.data);
}
template <auto function>
constexpr npu_emu::matmul::UserFunction copyIn() {
  if constexpr (function == nullptr) return nullptr;
  else return copyInBy<function>;
}
template <auto function>
constexpr npu_emu::matmul::UserFunction copyOut() {
  if constexpr (function == nullptr) return nullptr;
  else return copyOutBy<function>;
}

constexpr bool configIsLegal(const MatmulConfig& config) {
  return !config.enableRelu && !config.isCO1Shared && !config.enableL1BankConflictOptimise && !config.enableL1CacheUB &&
         config.decompMode == DECOMP_NONE;
}

constexpr bool isUb(TPosition position) {
  return position == TPosition::VECIN || position == TPosition::VECOUT || position == TPosition::VECCALC;
}

template <class A, class B, class C>
constexpr bool matmulIsLegal() {
  using TA = typename A::T;
  using TC = typename C::T;
  if (!std::is_same_v<TA, typename B::T>) return false;
  if (std::is_same_v<TA, float>) return npu_emu::Types<float, half, bfloat16_t>::has<TC>;
  if (std::is_same_v<TA, half> || std::is_same_v<TA, bfloat16_t>)
    return npu_emu::Types<float, half, bfloat16_t, int8_t>::has<TC>;
  if (std::is_same_v<TA, int4b_t>) return npu_emu::Types<int32_t, half>::has<TC>;
  return std::is_same_v<TA, int8_t> && npu_emu::Types<int32_t, half, int8_t>::has<TC>;
}

template <class A, class B, class C, class BIAS, const auto& CFG, class CB,
          template <const auto&, typename, typename...> class POLICY>
struct MatmulTraits {
  static_assert(matmulIsLegal<A, B, C>(), "Matmul does not support these element types on Atlas A2");
  static_assert(configIsLegal(matmulConfigOf(CFG)),
                "MatmulConfig: enableRelu, isCO1Shared, enableL1BankConflictOptimise, enableL1CacheUB and decompMode "
                "are not available on Atlas A2");
  static_assert(!matmulConfigOf(CFG).enVecND2NZ || !(isUb(A::pos) || isUb(B::pos)),
                "MatmulConfig: enVecND2NZ is not available on Atlas A2 for a matrix in UB");
  using Policy = POLICY<CFG, void, A, B, C, BIAS>;
  static constexpr npu_emu::matmul::Traits value{kindOf<A>(),
                                                 kindOf<B>(),
                                                 kindOf<C>(),
                                                 kindOf<BIAS>(),
                                                 matmulConfigOf(CFG),
                                                 fixedTilingOf(CFG),
                                                 Policy::npu_emu_blocks,
                                                 copyOut<CB::npu_emu_copyOut>(),
                                                 copyIn<CB::npu_emu_copyA>(),
                                                 copyIn<CB::npu_emu_copyB>()};
};

// `Serves`: what the object of a vector core is on the cube core, which learns everything from messages. With two
// masters, both kinds of cores run the kernel: the cube core `Leads`, and the vector cores `Follow`.
enum class MatmulSide { Works, Asks, Serves, Leads, Follows };

}  // namespace npu_emu_detail

// api: MatmulBase | - | half bfloat16_t float int8_t int4b_t | inferred: what MatmulImpl and MatmulClient have in
//   common
template <npu_emu_detail::MatmulSide side, class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE,
          const auto& MM_CFG, class MM_CB, template <const auto&, typename, typename...> class MATMUL_POLICY>
class MatmulBase {
  using Source = npu_emu::matmul::Source;
  using Target = npu_emu::matmul::Target;
  using Side = npu_emu_detail::MatmulSide;
  static constexpr bool works = side == Side::Works || side == Side::Leads, asks = side == Side::Asks;

 public:
  using AType = A_TYPE;
  using BType = B_TYPE;
  using CType = C_TYPE;
  using BiasType = BIAS_TYPE;
  using SrcAT = typename A_TYPE::T;
  using SrcBT = typename B_TYPE::T;
  using SrcT = SrcAT;
  using DstT = typename C_TYPE::T;
  using BiasT = typename BIAS_TYPE::T;
  static constexpr bool npu_emu_hasTwoMasters = side == Side::Leads || side == Side::Follows;

  MatmulBase() {
    object_.traits =
        &npu_emu_detail::MatmulTraits<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB, MATMUL_POLICY>::value;
  }

  // api: Init | S | - | documented
  void Init(const TCubeTiling* cubeTiling, TPipe* tpipe = nullptr) {
    if (cubeTiling != nullptr) object_.tiling = *cubeTiling;
    npu_emu_attach();
    if constexpr (works) npu_emu::cube::matmulInit(object_, tpipe);
    if constexpr (asks) npu_emu::vec::matmulInit(object_, tpipe);
  }
#if defined(__clang__)
  void Init(const __gm__ TCubeTiling* gmCubeTiling, TPipe* tpipe = nullptr) {
    Init((const TCubeTiling*)gmCubeTiling, tpipe);
  }
#endif
  void npu_emu_attach() {
    object_.attached = true;
    if constexpr (side == Side::Serves) npu_emu::cube::matmulAttach(object_);
    if constexpr (asks) npu_emu::vec::matmulAttach(object_);
  }

  // api: SetOrgShape | S | - | documented
  void SetOrgShape(int orgM, int orgN, int orgK) { SetOrgShape(orgM, orgN, orgK, orgK, orgN); }
  void SetOrgShape(int orgM, int orgN, int orgKa, int orgKb, int orgKc = 0) {
    object_.orgM = orgM;
    object_.orgN = orgN;
    object_.orgKa = orgKa;
    object_.orgKb = orgKb;
    object_.orgKc = orgKc == 0 ? orgN : orgKc;
  }
  // api: SetSingleShape, SetTail | S | - | documented
  void SetSingleShape(int singleM, int singleN, int singleK) { SetTail(singleM, singleN, singleK); }
  void SetTail(int tailM = -1, int tailN = -1, int tailK = -1) {
    if (tailM != -1) object_.singleM = tailM;
    if (tailN != -1) object_.singleN = tailN;
    if (tailK != -1) object_.singleK = tailK;
  }

  // api: SetTensorA, SetTensorB | S, MTE3 | half bfloat16_t float int8_t | documented; a tensor in UB is copied to
  //   global memory at once: inferred
  void SetTensorA(const GlobalTensor<SrcAT>& gm, bool isTransposeA = false) { SetGlobal(object_.a, gm, isTransposeA); }
  void SetTensorA(const LocalTensor<SrcAT>& leftMatrix, bool isTransposeA = false) {
    SetLocal(object_.a, leftMatrix, isTransposeA);
  }
  void SetTensorA(SrcAT aScalar) { SetConstant(object_.a, aScalar); }
  void SetTensorB(const GlobalTensor<SrcBT>& gm, bool isTransposeB = false) { SetGlobal(object_.b, gm, isTransposeB); }
  void SetTensorB(const LocalTensor<SrcBT>& rightMatrix, bool isTransposeB = false) {
    SetLocal(object_.b, rightMatrix, isTransposeB);
  }
  void SetTensorB(SrcBT bScalar) { SetConstant(object_.b, bScalar); }

  // api: SetBias, DisableBias, ClearBias | S, MTE3 | float half int32_t | documented
  void SetBias(const GlobalTensor<BiasT>& biasGlobal) {
    RequireBiasType();
    SetGlobal(object_.bias, biasGlobal, false);
    object_.usesBias = true;
  }
  void SetBias(const LocalTensor<BiasT>& inputBias) {
    RequireBiasType();
    SetLocal(object_.bias, inputBias, false);
    object_.usesBias = true;
  }
  void DisableBias() { object_.usesBias = false; }
  void ClearBias() { DisableBias(); }

  // api: SetQuantScalar, SetQuantVector | S | - | documented
  void SetQuantScalar(const uint64_t quantScalar) {
    object_.scale = quantScalar;
    object_.scaling = npu_emu::matmul::Object::OneScale;
  }
  void SetQuantVector(const GlobalTensor<uint64_t>& quantTensor) {
    SetGlobal(object_.scales, quantTensor, false);
    object_.scaling = npu_emu::matmul::Object::ScalePerColumn;
  }
  void SetQuantVector(const LocalTensor<uint64_t>& quantTensor) {
    SetLocal(object_.scales, quantTensor, false);
    object_.scaling = npu_emu::matmul::Object::ScalePerColumn;
  }

  // api: SetHF32 | S | - | documented; transMode 1 rounds as SetHF32TransMode(true): inferred
  void SetHF32(bool enableHF32 = false, int32_t transMode = 0) {
    // a mode of the core, not of the object; with two masters the library does nothing
    if constexpr (side == Side::Works) {
      SetHF32Mode(enableHF32);
      SetHF32TransMode(transMode == 1);
    }
    if constexpr (asks) npu_emu::vec::matmulSetHf32(object_, enableHF32, transMode == 1);
  }

  // Results of an asynchronous iteration wait here.
  // api: SetWorkspace | S | - | documented
  template <class T>
  void SetWorkspace(const __gm__ T* addr, int) {
    object_.workspace = (npu_emu::GmAddress)addr;
    object_.taken = 0;
  }
  template <class T>
  void SetWorkspace(GlobalTensor<T>& addr) {
    object_.workspace = addr.npu_emu_address();
    object_.taken = 0;
  }
  // UB for conversions that the cube core of Atlas A2 does on its way.
  // api: SetLocalWorkspace | S | - | documented: without effect on Atlas A2
  void SetLocalWorkspace(const LocalTensor<uint8_t>&) {}
  // Values for copy functions of the kernel.
  // api: SetUserDefInfo, SetSelfDefineData | S | - | documented
  void SetUserDefInfo(const uint64_t tilingPtr) { object_.info = tilingPtr; }
  void SetSelfDefineData(const uint64_t dataPtr) { object_.data = dataPtr; }
  // Which two of four elements of a sparse B are stored.
  // api: SetSparseIndex | S | uint8_t | documented
  void SetSparseIndex(const GlobalTensor<uint8_t>& indexGlobal) {
    static_assert(npu_emu_detail::isSparse<B_TYPE> && side == Side::Works,
                  "SetSparseIndex needs a SparseMatmulType, and a cube core that works alone");
    SetGlobal(object_.index, indexGlobal, false);
  }
  // api: SetSubBlockIdx, GetSubBlockIdx | S | - | documented
  void SetSubBlockIdx(uint8_t subBlockIdx) { subBlock_ = subBlockIdx; }
  uint8_t GetSubBlockIdx() { return asks ? static_cast<uint8_t>(npu_emu::subBlockIndex()) : subBlock_; }

  // api: Iterate | MTE2, MTE1, M | - | documented; on vector cores by messages
  template <bool sync = true>
  bool Iterate(bool enPartialSum = false) {
    static_assert(!npu_emu_hasTwoMasters, "with enableMixDualMaster, results of Matmul come by IterateAll alone");
    if constexpr (works) return npu_emu::cube::matmulIterate(object_, enPartialSum, nullptr);
    if constexpr (asks) return npu_emu::vec::matmulIterate(object_, enPartialSum, sync);
    return false;
  }
  // The result stays in L0C memory of the kernel.
  template <bool sync = true, typename T>
  bool Iterate(bool enPartialSum, const LocalTensor<T>& localCmatrix) {
    static_assert(std::is_same_v<T, float> || std::is_same_v<T, int32_t>, "results in L0C are float or int32_t");
    npu_emu::Operand accumulator = localCmatrix.npu_emu_operand();
    if constexpr (works) return npu_emu::cube::matmulIterate(object_, enPartialSum, &accumulator);
    return false;
  }

  // api: GetTensorC | FIX, MTE2 | - | documented; the way to UB through global memory: inferred
  template <bool sync = true>
  void GetTensorC(const GlobalTensor<DstT>& gm, uint8_t enAtomic = 0, bool enSequentialWrite = false) {
    Take<sync>({gm.npu_emu_address(), {}, 0, enAtomic, enSequentialWrite});
  }
  template <bool sync = true, bool doPad = false>
  void GetTensorC(const LocalTensor<DstT>& co2Local, uint8_t enAtomic = 0, bool enSequentialWrite = false) {
    static_assert(!doPad, "GetTensorC does not pad on Atlas A2");
    Take<sync>({nullptr, co2Local.npu_emu_operand(), co2Local.GetLength(), enAtomic, enSequentialWrite});
  }
  template <bool sync = true>
  void GetTensorC(const GlobalTensor<DstT>& gm, const LocalTensor<DstT>& co2Local, uint8_t enAtomic = 0,
                  bool enSequentialWrite = false) {
    Take<sync>({gm.npu_emu_address(), co2Local.npu_emu_operand(), co2Local.GetLength(), enAtomic, enSequentialWrite});
  }
  template <bool sync = true>
  GlobalTensor<DstT> GetTensorC(uint8_t = 0, bool = false) {
    GlobalTensor<DstT> place;
    if constexpr (asks)
      place.SetGlobalBuffer((__gm__ DstT*)npu_emu::vec::matmulTakePlace(object_),
                            static_cast<uint64_t>(object_.tiling.baseM) * static_cast<uint64_t>(object_.tiling.baseN));
    return place;
  }
  // api: AsyncGetTensorC, WaitGetTensorC | MTE2 | - | documented
  void AsyncGetTensorC(const LocalTensor<DstT>& c) { GetTensorC<false>(c); }
  void WaitGetTensorC() {
    if constexpr (asks) npu_emu::vec::matmulWaitCopy();
  }

  // api: IterateAll, WaitIterateAll | MTE2, MTE1, M, FIX | - | documented; on vector cores by messages
  template <bool sync = true>
  void IterateAll(const GlobalTensor<DstT>& gm, uint8_t enAtomic = 0, bool enSequentialWrite = false,
                  bool waitIterateAll = false, bool fakeMsg = false) {
    const Target target{gm.npu_emu_address(), {}, 0, enAtomic, enSequentialWrite};
    if constexpr (side == Side::Leads) npu_emu::crossCoreWait(npu_emu::matmul::flagOfVectors);
    if constexpr (works) npu_emu::cube::matmulAll(object_, target);
    if constexpr (asks) npu_emu::vec::matmulAll(object_, target, {sync, waitIterateAll, fakeMsg});
    if constexpr (side == Side::Leads) {
      if (sync || waitIterateAll) npu_emu::crossCoreSet(2, PIPE_FIX, npu_emu::matmul::flagOfCube);
      End();
    }
    if constexpr (side == Side::Follows) {
      npu_emu::crossCoreSet(2, PIPE_MTE3, npu_emu::matmul::flagOfVectors);
      if (sync) npu_emu::crossCoreWait(npu_emu::matmul::flagOfCube);
    }
  }
  template <bool sync = true>
  void IterateAll(const LocalTensor<DstT>& ubCmatrix, uint8_t enAtomic = 0) {
    static_assert(!npu_emu_hasTwoMasters,
                  "with enableMixDualMaster, results of Matmul go to global memory on Atlas A2");
    const Target target{nullptr, ubCmatrix.npu_emu_operand(), ubCmatrix.GetLength(), enAtomic, false};
    if constexpr (works) npu_emu::cube::matmulAll(object_, target);
    if constexpr (asks) npu_emu::vec::matmulAll(object_, target, {sync, false, false});
  }
  void WaitIterateAll() {
    if constexpr (asks) npu_emu::vec::matmulWait(object_);
    if constexpr (side == Side::Follows) npu_emu::crossCoreWait(npu_emu::matmul::flagOfCube);
  }

  // api: End | S | - | documented
  void End() {
    if constexpr (works) npu_emu::cube::matmulEnd(object_);
    if constexpr (asks) npu_emu::vec::matmulEnd(object_);
  }

  // api: GetOffsetC | S | - | documented: reserved, zeros
  template <bool isTurnOnDebug = true>
  MatrixOffset GetOffsetC() {
    return {};
  }

 protected:
  static void RequireBiasType() {
    static_assert(npu_emu::Types<int8_t, int4b_t>::has<SrcAT>
                      ? std::is_same_v<BiasT, int32_t>
                      : std::is_same_v<BiasT, float> || std::is_same_v<BiasT, half>,
                  "the bias of Matmul is float or half on Atlas A2, and int32_t where the matrices are integers");
  }
  template <typename T>
  void SetGlobal(Source& source, const GlobalTensor<T>& gm, bool transposed) {
    source = Source();
    source.place = Source::Global;
    source.gm = gm.npu_emu_address();
    source.transposed = transposed;
    object_.fresh = true;
  }
  template <typename T>
  void SetLocal(Source& source, const LocalTensor<T>& local, bool transposed) {
    source = Source();
    source.place = Source::Local;
    source.local = local.npu_emu_operand();
    source.bytes = local.GetLength();
    source.transposed = transposed;
    object_.fresh = true;
    if constexpr (asks) npu_emu::vec::matmulStage(object_, source, local.npu_emu_operand(), local.GetLength());
  }
  template <typename T>
  void SetConstant(Source& source, T value) {
    static_assert(std::is_same_v<T, half> || std::is_same_v<T, float>,
                  "a scalar operand of Matmul is half or float on Atlas A2");
    source = Source();
    source.place = Source::Constant;
    __builtin_memcpy(&source.bits, &value, sizeof value);
    object_.fresh = true;
  }
  template <bool sync>
  void Take(const Target& target) {
    static_assert(!npu_emu_hasTwoMasters, "with enableMixDualMaster, results of Matmul come by IterateAll alone");
    if constexpr (works) npu_emu::cube::matmulTake(object_, target);
    if constexpr (asks) npu_emu::vec::matmulTake(object_, target, sync);
  }

  npu_emu::matmul::Object object_;
  uint8_t subBlock_ = 0;
};

namespace npu_emu_detail {

#if defined(__DAV_C220_CUBE__)
constexpr MatmulSide sharedSide(const MatmulConfig& config) {
  return config.enableMixDualMaster ? MatmulSide::Leads : MatmulSide::Serves;
}
#else
constexpr MatmulSide sharedSide(const MatmulConfig& config) {
  return config.enableMixDualMaster ? MatmulSide::Follows : MatmulSide::Asks;
}
#endif

}  // namespace npu_emu_detail

// api: MatmulImpl | - | half bfloat16_t float int8_t int4b_t | documented
template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE, const auto& MM_CFG = CFG_NORM,
          class MM_CB = MatmulCallBackFunc<nullptr, nullptr, nullptr>, MATMUL_POLICY_DEFAULT_OF(MatmulPolicy)>
class MatmulImpl : public MatmulBase<npu_emu_detail::MatmulSide::Works, A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG,
                                     MM_CB, MATMUL_POLICY> {
  using DstT = typename C_TYPE::T;

 public:
  // api: SetBatchNum, IterateBatch | MTE2, MTE1, M, FIX | - | documented
  void SetBatchNum(int32_t batchA, int32_t batchB) {
    this->object_.batchA = batchA;
    this->object_.batchB = batchB;
  }
  void IterateBatch(const GlobalTensor<DstT>& gm, bool enPartialSum, uint8_t enAtomic, bool enSequentialWrite,
                    const uint32_t matrixStrideA = 0, const uint32_t matrixStrideB = 0,
                    const uint32_t matrixStrideC = 0) {
    const npu_emu::matmul::Batch batch{static_cast<uint32_t>(this->object_.batchA),
                                       static_cast<uint32_t>(this->object_.batchB),
                                       matrixStrideA,
                                       matrixStrideB,
                                       matrixStrideC,
                                       enPartialSum};
    npu_emu::cube::matmulBatch(this->object_, {gm.npu_emu_address(), {}, 0, enAtomic, enSequentialWrite}, batch);
  }
};

// api: MatmulClient | - | half bfloat16_t float int8_t int4b_t | documented
template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE, const auto& MM_CFG = CFG_NORM,
          class MM_CB = MatmulCallBackFunc<nullptr, nullptr, nullptr>, MATMUL_POLICY_DEFAULT_OF(MatmulPolicy)>
class MatmulClient : public MatmulBase<npu_emu_detail::sharedSide(npu_emu_detail::matmulConfigOf(MM_CFG)), A_TYPE,
                                       B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB, MATMUL_POLICY> {
  using DstT = typename C_TYPE::T;
  static constexpr MatmulConfig config = npu_emu_detail::matmulConfigOf(MM_CFG);
  static constexpr bool asks = npu_emu_detail::sharedSide(config) == npu_emu_detail::MatmulSide::Asks;

 public:
  // api: IterateBatch, WaitIterateBatch | MTE2, MTE1, M, FIX | - | documented; by messages
  template <bool sync = true, bool waitIterateBatch = false>
  void IterateBatch(const GlobalTensor<DstT>& gm, uint32_t batchA, uint32_t batchB, bool enSequentialWrite,
                    const uint32_t matrixStrideA = 0, const uint32_t matrixStrideB = 0,
                    const uint32_t matrixStrideC = 0, const bool enPartialSum = false, const uint8_t enAtomic = 0) {
    if constexpr (asks)
      npu_emu::vec::matmulBatch(this->object_, {gm.npu_emu_address(), {}, 0, enAtomic, enSequentialWrite},
                                {batchA, batchB, matrixStrideA, matrixStrideB, matrixStrideC, enPartialSum},
                                {sync, waitIterateBatch, false});
  }
  template <bool sync = true>
  void IterateBatch(const LocalTensor<DstT>& ubCmatrix, uint32_t batchA, uint32_t batchB, bool enSequentialWrite,
                    const uint32_t matrixStrideA = 0, const uint32_t matrixStrideB = 0,
                    const uint32_t matrixStrideC = 0, const bool enPartialSum = false, const uint8_t enAtomic = 0) {
    if constexpr (asks)
      npu_emu::vec::matmulBatch(
          this->object_, {nullptr, ubCmatrix.npu_emu_operand(), ubCmatrix.GetLength(), enAtomic, enSequentialWrite},
          {batchA, batchB, matrixStrideA, matrixStrideB, matrixStrideC, enPartialSum}, {sync, false, false});
  }
  void WaitIterateBatch() { this->WaitIterateAll(); }

  // Several of them, whose results wait in the workspace.
  // api: IterateNBatch, GetBatchTensorC, GetBatchC | MTE2, MTE1, M, FIX | - | documented; by messages
  template <bool sync = true, bool waitIterateBatch = false>
  void IterateNBatch(const uint32_t batchLoop, uint32_t batchA, uint32_t batchB, bool enSequentialWrite,
                     const uint32_t matrixStrideA = 0, const uint32_t matrixStrideB = 0,
                     const uint32_t matrixStrideC = 0) {
    static_assert(config.isNBatch, "IterateNBatch needs isNBatch in the MatmulConfig");
    static_assert(A_TYPE::layout != LayoutMode::NONE && A_TYPE::layout != LayoutMode::NORMAL &&
                      C_TYPE::layout != LayoutMode::NORMAL,
                  "IterateNBatch takes the layouts BSNGD, SBNGD and BNGS1S2");
    if constexpr (asks)
      npu_emu::vec::matmulBatches(this->object_,
                                  {batchA, batchB, matrixStrideA, matrixStrideB, matrixStrideC, false, batchLoop},
                                  enSequentialWrite, {sync, waitIterateBatch, false});
  }
  template <bool sync = true>
  GlobalTensor<DstT> GetBatchTensorC(uint32_t batchA, uint32_t batchB, bool = false) {
    static_assert(!sync && config.isNBatch, "GetBatchTensorC takes results of IterateNBatch<false>, and sync is false");
    GlobalTensor<DstT> place;
    const uint32_t batches = batchA > batchB ? batchA : batchB;
    if constexpr (asks)
      place.SetGlobalBuffer((__gm__ DstT*)npu_emu::vec::matmulTakeBatch(this->object_, batches, nullptr),
                            uint64_t(batches) * static_cast<uint32_t>(this->object_.tiling.singleCoreM) *
                                static_cast<uint32_t>(this->object_.tiling.singleCoreN));
    return place;
  }
  template <bool sync = true>
  void GetBatchTensorC(const LocalTensor<DstT>& c, uint32_t batchA, uint32_t batchB, bool = false) {
    static_assert(!sync && config.isNBatch, "GetBatchTensorC takes results of IterateNBatch<false>, and sync is false");
    const npu_emu::Operand local = c.npu_emu_operand();
    if constexpr (asks) npu_emu::vec::matmulTakeBatch(this->object_, batchA > batchB ? batchA : batchB, &local);
  }
  template <bool sync = true>
  GlobalTensor<DstT> GetBatchC(uint32_t batchA, uint32_t batchB, bool enSequentialWrite = false) {
    return GetBatchTensorC<sync>(batchA, batchB, enSequentialWrite);
  }
  template <bool sync = true>
  void GetBatchC(const LocalTensor<DstT>& c, uint32_t batchA, uint32_t batchB, bool enSequentialWrite = false) {
    GetBatchTensorC<sync>(c, batchA, batchB, enSequentialWrite);
  }
};

// Base blocks, and where they are given the shapes of one core, as constants.
// api: GetMatmulApiTiling | - | half bfloat16_t float int8_t | inferred: how L1 is divided is not documented
template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE>
constexpr MatmulApiStaticTiling GetMatmulApiTiling(const MatmulConfig& mmCFG,
                                                   int32_t l1Size = npu_emu::architecture::l1Bytes) {
  MatmulApiStaticTiling tiling{};
  tiling.cfg = mmCFG;
  if (mmCFG.basicM == 0 || mmCFG.basicN == 0 || mmCFG.basicK == 0) return tiling;
  constexpr int32_t l0Bytes = npu_emu::architecture::l0aBytes, aBytes = sizeof(typename A_TYPE::T),
                    bBytes = sizeof(typename B_TYPE::T);
  const auto m = static_cast<int32_t>(mmCFG.basicM), n = static_cast<int32_t>(mmCFG.basicN),
             k = static_cast<int32_t>(mmCFG.basicK);
  tiling.baseM = m;
  tiling.baseN = n;
  tiling.baseK = k;
  tiling.isBias = mmCFG.enableSetBias ? 1 : 0;
  tiling.dbL0A = 2 * m * k * aBytes <= l0Bytes ? 2 : 1;
  tiling.dbL0B = 2 * n * k * bBytes <= l0Bytes ? 2 : 1;
  if (mmCFG.singleCoreM == 0 || mmCFG.singleCoreN == 0 || mmCFG.singleCoreK == 0) return tiling;
  tiling.M = tiling.singleCoreM = static_cast<int32_t>(mmCFG.singleCoreM);
  tiling.N = tiling.singleCoreN = static_cast<int32_t>(mmCFG.singleCoreN);
  tiling.Ka = tiling.Kb = tiling.singleCoreK = static_cast<int32_t>(mmCFG.singleCoreK);
  // as many steps along k as fit twice beside the bias
  const int32_t steps = (tiling.singleCoreK + k - 1) / k, room = (l1Size - n * 4) / (2 * k * (m * aBytes + n * bBytes));
  const int32_t step = room < 1 ? 1 : room < steps ? room : steps;
  tiling.stepM = tiling.stepN = 1;
  tiling.stepKa = tiling.stepKb = step;
  tiling.depthA1 = tiling.depthB1 = room < 1 ? step : 2 * step;
  tiling.iterateOrder = 0;
  tiling.dbL0C = 1;
  tiling.transLength = tiling.shareMode = tiling.shareL1Size = tiling.shareL0CSize = tiling.shareUbSize = 0;
  return tiling;
}

namespace npu_emu_detail {

// The objects of REGIST_MATMUL_OBJ, each with its tiling or without.
inline void registerMatmul(TPipe*) {}
template <class Object, class... Rest>
void registerMatmul(TPipe* pipe, Object& object, Rest&&... rest);
template <class... Rest>
constexpr bool startsWithTiling() {
  if constexpr (sizeof...(Rest) == 0) {
    return false;
  } else {
    // a pointer that is __restrict is none to std::is_pointer
    return std::is_convertible_v<std::tuple_element_t<0, std::tuple<Rest...>>, const volatile void*>;
  }
}
template <class Object, class Tiling, class... Rest>
void registerTiled(TPipe* pipe, Object& object, Tiling tiling, Rest&&... rest) {
  object.Init(tiling, pipe);
  registerMatmul(pipe, rest...);
}
template <class Object, class... Rest>
void registerMatmul(TPipe* pipe, Object& object, Rest&&... rest) {
  object.npu_emu_attach();
  if constexpr (startsWithTiling<Rest...>()) registerTiled(pipe, object, rest...);
  else registerMatmul(pipe, rest...);
}

// While it lives, the vector cores of a group may ask and the cube core answers.
class MatmulSession {
 public:
#if defined(__DAV_C220_CUBE__)
  template <class Object, class... Rest>
  bool Serves(const Object&, const Rest&...) {
    if constexpr (!Object::npu_emu_hasTwoMasters) npu_emu::cube::matmulServe();
    return !Object::npu_emu_hasTwoMasters;
  }
#else
  MatmulSession() { npu_emu::vec::matmulBegin(); }
  ~MatmulSession() { npu_emu::vec::matmulQuit(); }
  template <class... Any>
  bool Serves(const Any&...) {
    return false;
  }
#endif
};

}  // namespace npu_emu_detail
}  // namespace AscendC
