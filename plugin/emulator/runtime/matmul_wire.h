// How Matmul objects travel with a call. An object points to what its type fixes, which goes with it. Functions of the
// kernel stay where they are: the device reads on in the stream instead (see replay.h).
#pragma once

#include "../include/ascendc/matmul_object.h"
#include "legal_tiling.h"
#include "wire.h"

namespace npu_emu {

template <>
inline constexpr auto lastOf<CubeFormat> = CubeFormat::COLUMN_MAJOR;
template <>
inline constexpr auto lastOf<LayoutMode> = LayoutMode::NORMAL;
template <>
inline constexpr auto lastOf<BatchMode> = BatchMode::SINGLE_LARGE_THAN_L1;
template <>
inline constexpr auto lastOf<BatchOutMode> = BatchOutMode::DYNAMIC;
template <>
inline constexpr auto lastOf<IterateOrder> = IterateOrder::UNDEF;
template <>
inline constexpr auto lastOf<ScheduleType> = ScheduleType::OUTER_PRODUCT;
template <>
inline constexpr auto lastOf<DecompressionMode> = DecompressionMode::DECOMP_3bitTo4bit;
template <>
inline constexpr auto lastOf<matmul::Policy> = matmul::Policy::NBuffer33;
template <>
inline constexpr auto lastOf<matmul::Source::Place> = matmul::Source::Constant;
template <>
inline constexpr auto lastOf<matmul::Object::Scaling> = matmul::Object::ScalePerColumn;

// Only whether there is one is taken from the stream (keptTraits).
template <>
struct Legal<matmul::UserFunction> : AlwaysLegal {};
// Travels by itself, as operands that may be absent.
template <>
struct Legal<const matmul::Traits*> {
  static bool is(const matmul::Traits* pointer) { return pointer == nullptr; }
};

NPU_EMU_MEMBERS(matmul::Kind, element, format, layout, position, transposes, shared, sparse)
NPU_EMU_MEMBERS(MatmulConfig, doNorm, doBasicBlock, doMultiDataLoad, basicM, basicN, basicK, intrinsicsCheck, isNBatch,
                enVecND2NZ, doSpecialBasicBlock, doMTE2Preload, singleCoreM, singleCoreN, singleCoreK, stepM, stepN,
                baseMN, singleCoreMN, enUnitFlag, isPerTensor, hasAntiQuantOffset, doIBShareNorm, doSpecialMDL,
                enableInit, batchMode, enableEnd, enableGetTensorC, enableSetOrgShape, enableSetBias, enableSetTail,
                enableQuantVector, enableSetDefineData, iterateMode, enableReuse, enableUBReuse, enableL1CacheUB,
                intraBlockPartSum, iterateOrder, scheduleType, enableDoubleCache, isBiasBatch, enableStaticPadZeros,
                isPartialOutput, enableMixDualMaster, isA2B2Shared, isEnableChannelSplit, enableKdimReorderLoad,
                isCO1Shared, sharedCO1BufferSize, bmmOutMode, enableL1BankConflictOptimise, enableRelu, decompMode)
NPU_EMU_MEMBERS(matmul::Traits, a, b, c, bias, config, fixed, policy, copyOut, copyA, copyB)
NPU_EMU_MEMBERS(matmul::Source, place, transposed, gm, local, bytes, alone, bits)
NPU_EMU_MEMBERS(matmul::Object, traits, tiling, attached, initialised, orgM, orgN, orgKa, orgKb, orgKc, singleM,
                singleN, singleK, a, b, bias, scales, index, usesBias, scale, scaling, info, data, workspace, batchA,
                batchB, number, fresh, synchronous, block, blocks, awaited, taken)
NPU_EMU_MEMBERS(matmul::Target, gm, local, bytes, atomic, sequential)
NPU_EMU_MEMBERS(matmul::Batch, a, b, strideA, strideB, strideC, accumulates, loops)
NPU_EMU_MEMBERS(matmul::Waiting, sync, wait, nothing)

// What the type of an object fixes, as long as the launch lasts.
const matmul::Traits* keptTraits(const matmul::Traits& traits);

template <>
struct Passed<matmul::Object&> {
  struct Held {
    matmul::Object object;
    matmul::Traits traits;
  };
  static void write(WireWriter& to, const matmul::Object& object) {
    to.plain(object);
    to.plain<uint8_t>(object.traits != nullptr);
    if (object.traits != nullptr) to.plain(*object.traits);
  }
  static void read(WireReader& from, Held& held) {
    from.bytes(&held.object, sizeof held.object);
    held.object.traits = nullptr;
    from.check(held.object);
    if (from.truth()) from.plain(held.traits);
    else from.failed = true;
  }
  static matmul::Object& give(Held& held) {
    held.object.traits = keptTraits(held.traits);
    return held.object;
  }
};

}  // namespace npu_emu
