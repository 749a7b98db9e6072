// Results of a Matmul object: a block of L0C to its place in global memory, converted on the way.
#include "matmul_stages.h"
#include "replay.h"

namespace npu_emu::matmul {

namespace {

QuantMode_t modeOf(const Job& job) {
  const Traits& traits = *job.object.traits;
  const bool integers = isInteger(traits.a.element), perColumn = job.object.scaling == Object::ScalePerColumn;
  const Element to = traits.c.element;
  const bool bytes = to == Element::Int8 || to == Element::UInt8;
  if (!bytes && !(integers && to == Element::Half))
    return to == Element::Half ? F322F16 : to == Element::Bf16 ? F322BF16 : NoQuant;
  if (job.object.scaling == Object::NoScale) {
    trap({Check::FixpipeQuant, job.instruction, "the result has another type than the sums, and no scale was set",
          "call SetQuantScalar or SetQuantVector before Iterate and IterateAll"});
  }
  if (integers) return bytes ? (perColumn ? VREQ8 : REQ8) : (perColumn ? VDEQF16 : DEQF16);
  return perColumn ? VQF322B8_PRE : QF322B8_PRE;
}

vec::AtomicType atomicTypeOf(Element element) {
  switch (element) {
    case Element::Half: return vec::AtomicType::Half;
    case Element::Bf16: return vec::AtomicType::Bf16;
    case Element::Int32: return vec::AtomicType::Int32;
    case Element::Int8:
    case Element::UInt8: return vec::AtomicType::Int8;
    default: return vec::AtomicType::Float;
  }
}

// How a block is stored: the parameters of Fixpipe, and where in the result it starts.
struct Output {
  AscendC::FixpipeParamsV220 params;
  cube::OutputConversion conversion;
  uint64_t offset = 0;  // in elements
};

// Where a block starts in the result.
struct Origin {
  uint64_t row, column;
};

void placeFractals(const Job& job, const Target& target, const BlockSize& size, const Origin& origin, Output& output) {
  const Object& o = job.object;
  const Traits& traits = *o.traits;
  const uint32_t bytes = bytesOf(traits.c.element), allRows = static_cast<uint32_t>(o.orgM);
  const uint32_t width = traits.config.isEnableChannelSplit ? 8 : bytes == 1 ? 32 : 16;
  AscendC::FixpipeParamsV220& params = output.params;
  output.conversion.layout = AscendC::CO2Layout::NZ;
  params.isChannelSplit = traits.config.isEnableChannelSplit;
  params.nSize = static_cast<uint16_t>(alignedUp(size.n, params.isChannelSplit ? 8 : 16));
  params.dstStride = (target.sequential ? alignedUp(size.m, 16) : allRows) * width * bytes / blockBytes;
  if (!target.sequential) output.offset = origin.column * allRows + origin.row * width;
}

void placeRows(const Job& job, const Target& target, const BlockSize& size, const Origin& origin, Output& output) {
  const Traits& traits = *job.object.traits;
  const uint32_t bytes = bytesOf(traits.c.element),
                 unit = traits.c.format == CubeFormat::ND_ALIGN ? blockBytes / bytes : 1;
  uint32_t& stride = output.params.dstStride;
  stride = alignedUp(target.sequential ? size.n : static_cast<uint32_t>(job.object.orgKc), unit);
  if (!target.sequential) output.offset = origin.row * stride + origin.column;
  const uint64_t end = (output.offset + uint64_t(size.m - 1) * stride + size.n) * bytes;
  if (target.bytes != 0 && end > target.bytes) {
    trap({Check::BufferSize, job.instruction,
          text("the block ends at byte %llu of the result, the tensor in UB has %u",
               static_cast<unsigned long long>(end), target.bytes),
          "pass true for enSequentialWrite, which writes the block from the start of the tensor on, or use a larger "
          "tensor"});
  }
}

Output outputOf(const Job& job, const Target& target, const BlockSize& size, const Origin& origin) {
  const Traits& traits = *job.object.traits;
  const Element from = isInteger(traits.a.element) ? Element::Int32 : Element::Float;
  Output output{AscendC::FixpipeParamsV220(static_cast<uint16_t>(size.n), static_cast<uint16_t>(size.m),
                                           static_cast<uint16_t>(alignedUp(size.m, 16)), 0, false),
                {AscendC::CO2Layout::ROW_MAJOR, from, traits.c.element, nullptr}};
  output.params.quantPre = modeOf(job);
  output.params.deqScalar = job.object.scale;
  if (traits.c.format == CubeFormat::NZ) placeFractals(job, target, size, origin, output);
  else placeRows(job, target, size, origin, output);
  return output;
}

// The quantisation parameters of the columns, in L1.
Operand scalesInL1(const Job& job, const BlockSize& size, uint64_t column) {
  const Object& o = job.object;
  if (o.scales.place == Source::Local) return moved(o.scales.local, column * 8);
  const Operand scales = at(job.engine.scales, 0, TPosition::A1);
  wait(Pipe::MTE2, ScalesUsed);
  // as one row of 16-bit elements, which ends with the last parameter
  cube::loadNd2Nz(scales, o.scales.gm + column * 8, AscendC::Nd2NzParams(1, 1, size.n * 4, 0, size.n * 4, 1, 1, 0), 2);
  set(Pipe::MTE2, ScalesLoaded);
  wait(Pipe::FIX, ScalesLoaded);
  return scales;
}

// A block is copied by a function of the kernel.
void copyByKernel(const Job& job, GmAddress to, Operand accumulator, const Engine::Block& block, const BlockSize& size,
                  const Output& output) {
  AscendC::DataCopyOutParams out;
  out.quantMode = static_cast<uint8_t>(output.params.quantPre);
  out.cBurstNum = static_cast<uint16_t>(ceilDivide(size.n, 16));
  out.burstLen = static_cast<uint16_t>(size.m * 16 * 4 / blockBytes);
  out.dstStride = output.params.dstStride;
  out.oriNSize = static_cast<uint16_t>(output.conversion.layout == AscendC::CO2Layout::NZ ? 0 : size.n);
  out.quantScalar = output.params.deqScalar;
  out.curM = block.m;
  out.curN = block.n;
  if (output.conversion.scales != nullptr)
    out.cbufWorkspaceAddr = reinterpret_cast<uint64_t>(output.conversion.scales->address);
  callKernelFunction(job.object.traits->copyOut, {accumulator, job.engine.accumulatorBytes, to, 0, 0, 0, 0, &out,
                                                  job.object.info, job.object.data});
}

vec::Atomic atomicOf(const Job& job, const Target& target) {
  constexpr vec::Atomic kinds[] = {vec::Atomic::None, vec::Atomic::Add, vec::Atomic::Max, vec::Atomic::Min};
  if (target.atomic > 3)
    trap({Check::ParameterRange, job.instruction, text("enAtomic is %u; it has to be in 0..3", target.atomic),
          "0 stores, 1 adds, 2 takes the larger and 3 the smaller value"});
  return kinds[target.atomic];
}

}  // namespace

void store(const Job& job, const Target& target, const Engine::Block& block, Operand accumulator) {
  const Object& o = job.object;
  const Traits& traits = *o.traits;
  const BlockSize size = sizeOf(job, block);
  const Origin origin{uint64_t(static_cast<uint32_t>(block.m)) * static_cast<uint32_t>(o.tiling.baseM),
                      uint64_t(static_cast<uint32_t>(block.n)) * static_cast<uint32_t>(o.tiling.baseN)};
  Output output = outputOf(job, target, size, origin);
  Operand scales{};
  if (o.scaling == Object::ScalePerColumn && output.params.quantPre != NoQuant) {
    scales = scalesInL1(job, size, origin.column);
    output.conversion.scales = &scales;
  }
  const vec::Atomic atomic = atomicOf(job, target);
  if (atomic != vec::Atomic::None) vec::setAtomic(atomic, atomicTypeOf(traits.c.element));
  const GmAddress to = target.gm + output.offset * bytesOf(traits.c.element);
  if (traits.copyOut == nullptr) cube::fixpipe(to, accumulator, output.params, output.conversion);
  else copyByKernel(job, to, accumulator, block, size, output);
  if (atomic != vec::Atomic::None) vec::setAtomic(vec::Atomic::None, vec::AtomicType::Float);
  if (output.conversion.scales != nullptr) set(Pipe::FIX, ScalesUsed);
}

}  // namespace npu_emu::matmul
