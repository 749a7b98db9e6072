#include "api_calls.h"
#include "legal_library.h"

#include "matmul_wire.h"

#include "device.h"
#include "../include/ascendc/library_broadcast.h"
#include "../include/ascendc/library_rearrange.h"
#include "../include/ascendc/library_reduce.h"
#include "../include/ascendc/library_transdata.h"
#include "../include/ascendc/normalization.h"

namespace npu_emu {

std::vector<ApiCall>& apiCalls() {
  static std::vector<ApiCall> calls;
  return calls;
}

namespace {

// What kernels call that is no template; templates are offered where their instances are listed.
namespace v = vec;
namespace c = cube;
namespace d = dma;

const Offers<&v::mulAddWide, &v::axpyWide, &v::addDeqRelu, &v::setDeqConfig, &v::setDeqVector, &v::cast<half, int4b_t>,
             &v::cast<int4b_t, half>, &v::getCompareMask, &v::setCompareMask, &v::sumRegister, &v::extremeRegister,
             &v::gather, &v::gatherBlocks, &v::gatherMask, &v::keep, &v::keptRegister, &v::transposeSquare,
             static_cast<void (*)(const v::BlockAddresses&, const v::BlockAddresses&, const v::Transposition&,
                                  uint32_t)>(&v::transposeBlocks),
             static_cast<void (*)(Operand, Operand, const v::Transposition&, uint32_t)>(&v::transposeBlocks),
             &v::transposeImage, &v::setAddressRegister, &v::transposeRegisters, &v::mergeRegister, &v::initialise,
             &v::setMask, &v::setMaskCounter, &v::setDeqScale, &v::setControl, &v::control, &v::setAtomic>
    vectorInstructions;

const Offers<&v::broadcast, &v::transData, &v::pad, &v::unpad, &v::transposeLayout, &v::sumXors, &v::welfordFinalize>
    libraryFunctions;

const Offers<&d::copyLocal, &d::loadGm, &d::storeGm, &d::loadGmPad, &d::storeGmPad, &d::loadSlice, &d::storeSlice,
             &d::storeNz2Nd, &d::loadNd2NzVector, &d::setPadValue, &d::setAtomicConfig, &d::atomicConfig,
             &d::cleanCache, &d::cleanLocalLines, &d::preloadLine, &d::hintL2>
    transfers;

const Offers<&c::loadNd2Nz, &c::loadData, &c::loadDataTranspose, &c::loadDataSparse, &c::loadDataGm,
             &c::loadDataUnfolded, &c::setImage, &c::setImagePadding, &c::setUnfoldingRepeat, &c::setUnfoldingBoundary,
             &c::mmad, &c::mmadSparse, &c::fixpipe, &c::fixpipeLocal, &c::fill, &c::copyLocal, &c::setFixpipeScales,
             &c::setFixpipeScale, &c::setFixpipeMatrices, &c::copyOut, &c::copyOutLocal, &c::setHf32,
             &c::setHf32TiesToZero>
    cubeInstructions;

const Offers<&c::matmulInit, &c::matmulAttach, &c::matmulIterate, &c::matmulTake, &c::matmulAll, &c::matmulBatch,
             &c::matmulEnd, &c::matmulServe, &v::matmulBegin, &v::matmulQuit, &v::matmulAttach, &v::matmulInit,
             &v::matmulStage, &v::matmulIterate, &v::matmulTake, &v::matmulTakePlace, &v::matmulAll, &v::matmulBatch,
             &v::matmulBatches, &v::matmulTakeBatch, &v::matmulWait, &v::matmulWaitCopy, &v::matmulEnd,
             &v::matmulSetHf32, &matmulUnsupported>
    matmulObjects;

const Offers<&scalarWork, &scalarRead, &scalarWrite, &scalarReference, &scalarReadGm, &scalarWriteGm, &setFlag,
             &waitFlag, &pipeBarrier, &syncAll, &syncAllSoft, &blockSet, &blockWait, &groupArrive, &groupWait,
             &dataSyncBarrier, &flagReadGm, &flagWriteGm, &blockOrderInit, &blockOrderWait, &blockOrderNotify,
             &crossCoreSet, &crossCoreWait, &fetchEventId, &allocEventId, &releaseEventId, &systemCycle,
             &programCounter>
    scalarUnit;

const Offers<&initQueue, &allocTensor, &enqueTensor, &dequeTensor, &dequeTensorAt, &freeTensor, &queueVacant,
             &queueHasIdleBuffer, &queueHasTensor, &queueLength, &isFreeTensor, &bufferOfTensor, &makeLoop,
             &initQueueAt, &placeBufferAt, &initBuffer, &poolAddress, &setPoolAddress, &openQueue, &placeBuffer,
             &bufferAt, &initPool, &initQueueIn, &initBufferIn, &initPoolIn, &resetPool, &restOfMemory, &localMemoryOf,
             &freeAllEvents, &openPipe, &closePipe, &resetPipe>
    buffers;

const Offers<&unknownTilingKey, &deviceTrap, &assertionFailedWith, &printText, &dumpLocal, &dumpGm, &setSystemWorkspace,
             &reportMisuse>
    system;

template <auto... f>
struct OffersAsTheyAre {
  OffersAsTheyAre() { (offerAsItIs(f), ...); }
};
const OffersAsTheyAre<&roundOddToHalf, &bufferHandle, &currentPipe, &blockIndex, &groupIndex, &blockCount,
                      &subBlockIndex, &subBlockCount, &tilingKey, &userWorkspace, &systemWorkspace, &startOfMemory>
    computations;

}  // namespace

}  // namespace npu_emu
