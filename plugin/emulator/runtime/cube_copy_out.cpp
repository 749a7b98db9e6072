// The cube core: DataCopy out of L0C, which takes from registers what Fixpipe takes as parameters.
#include "fixpipe_convert.h"

namespace npu_emu::cube {

namespace {

AscendC::FixpipeParamsV220 paramsOf(const AscendC::DataCopyCO12DstParams& p) {
  const CubeRegisters& registers = core->cube;
  if (p.clipReluPre != 0 || p.eltWiseOp != 0)
    trap(
        {Check::ParameterRange, "DataCopy", "clipReluPre and eltWiseOp are not available on Atlas A2", "leave them 0"});
  if (p.nz2ndEn && registers.matrices == 0)
    trap({Check::ParameterRange, "DataCopy", "nz2ndEn is set, and nothing has said how many matrices there are",
          "call SetFixpipeNz2ndFlag first"});
  if (takesScale(p.quantPre)) requireSet(Register::FixpipeScale, "DataCopy");
  AscendC::FixpipeParamsV220 params(p.nSize, p.mSize, p.srcStride, p.dstStride, p.reluPre != 0);
  params.quantPre = p.quantPre;
  params.deqScalar = registers.scale;
  params.ndNum = p.nz2ndEn ? registers.matrices : 1;
  params.srcNdStride = registers.matrixStride;
  params.dstNdStride = registers.outStride;
  params.unitFlag = p.unitFlag;
  params.isChannelSplit = p.channelSplit;
  return params;
}

OutputConversion conversionOf(const AscendC::DataCopyCO12DstParams& p, Element from, Element to) {
  const OutputConversion conversion =
      withScales({p.nz2ndEn ? AscendC::CO2Layout::ROW_MAJOR : AscendC::CO2Layout::NZ, from, to, nullptr}, p.quantPre);
  if (takesScales(p.quantPre) && conversion.scales == nullptr)
    trap({Check::FixpipeQuant, "DataCopy", text("quantPre %d takes a tensor of parameters", p.quantPre),
          "call SetFixPipeConfig with a tensor in C2PIPE2GM first"});
  return conversion;
}

}  // namespace

void setFixpipeScales(const Operand* scales, bool clearsUnitFlags) {
  if (scales != nullptr && memoryHolding(*scales) != Memory::FB)
    trap({Check::ErrorBuffer3, "SetFixPipeConfig", text("the parameters are in %s", nameOf(memoryHolding(*scales))),
          "copy them to a buffer at TPosition::C2PIPE2GM"});
  if (scales != nullptr) core->cube.scales = *scales;
  if (clearsUnitFlags) core->cube.handedOver.fill(0);
  scalarCycles(1);
}

void setFixpipeScale(uint64_t bits) {
  core->cube.scale = bits;
  markSet(Register::FixpipeScale);
  scalarCycles(1);
}

void setFixpipeMatrices(uint16_t number, uint16_t srcStride, uint16_t dstStride) {
  requireRange("SetFixpipeNz2ndFlag", "ndNum", number, 1, 65535);
  requireRange("SetFixpipeNz2ndFlag", "srcNdStride", srcStride, 0, 512);
  core->cube.matrices = number;
  core->cube.matrixStride = srcStride;
  core->cube.outStride = dstStride;
  scalarCycles(1);
}

void copyOut(GmAddress dst, Operand src, const AscendC::DataCopyCO12DstParams& p, Element from, Element to) {
  fixpipe(dst, src, paramsOf(p), conversionOf(p, from, to));
}

void copyOutLocal(Operand dst, Operand src, const AscendC::DataCopyCO12DstParams& p, Element from, Element to) {
  if (p.nz2ndEn)
    trap({Check::ParameterRange, "DataCopy", "nz2ndEn works on the way to global memory only", "copy NZ to L1"});
  fixpipeLocal(dst, src, paramsOf(p), conversionOf(p, from, to));
}

}  // namespace npu_emu::cube
