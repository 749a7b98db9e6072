// The cube core: results leave L0C, to GM and to L1, converted on the way.
#include <cmath>

#include "cube.h"
#include "saturation.h"

namespace npu_emu::cube {

namespace {

std::vector<uint8_t> convertedLine;
// The parameters of the columns are read before anything is written: results may take their place in L1.
std::vector<uint64_t> columnScales;

// Fields of a quantisation parameter.
struct Quantisation {
  float scale;  // the device keeps 10 bits of the mantissa
  uint32_t shift;
  bool shifts, isSigned;
  int32_t offset;

  explicit Quantisation(uint64_t bits) {
    uint32_t kept = static_cast<uint32_t>(bits) & 0xffffe000u;
    std::memcpy(&scale, &kept, sizeof scale);
    shift = static_cast<uint32_t>(bits >> 32 & 15) + 1;
    shifts = (bits >> 36 & 1) != 0;
    offset = static_cast<int32_t>(bits >> 37 & 511);
    if (offset >= 256) offset -= 512;
    isSigned = (bits >> 46 & 1) != 0;
  }
};

bool takesScales(QuantMode_t mode) { return mode == VDEQF16 || mode == VQF322B8_PRE || mode == VREQ8; }

bool fits(QuantMode_t mode, Element from, Element to) {
  bool bytes = to == Element::Int8 || to == Element::UInt8, floats = from == Element::Float;
  switch (mode) {
    case NoQuant: return from == to;
    case F322F16: return floats && to == Element::Half;
    case F322BF16: return floats && to == Element::Bf16;
    case DEQF16:
    case VDEQF16: return !floats && to == Element::Half;
    case QF322B8_PRE:
    case VQF322B8_PRE: return floats && bytes;
    default: return !floats && bytes;
  }
}

void requireMode(const char* name, const AscendC::FixpipeParamsV220& p, const OutputConversion& conversion) {
  if (!fits(p.quantPre, conversion.from, conversion.to)) {
    trap({Check::FixpipeQuant, name, text("quantPre %d does not fit the types of L0C and of the output", p.quantPre),
          "from float: F322F16 for half, F322BF16 for bfloat16_t, QF322B8_PRE for 8 bits; from int32_t: DEQF16 for "
          "half, REQ8 for 8 bits; NoQuant for the type of L0C"});
  }
  if (takesScales(p.quantPre) != (conversion.scales != nullptr)) {
    trap({Check::FixpipeQuant, name,
          text("quantPre %d %s a tensor of parameters", p.quantPre,
               conversion.scales != nullptr ? "does not take" : "takes"),
          "modes that begin with V take one parameter for each column, as an argument or from SetFixPipeConfig"});
  }
}

float scaled(float value, const Quantisation& by, bool relu) {
  if (value < 0) return relu ? 0.0f : value * by.scale;
  return value * by.scale;
}

// To 8 bits: rounded, cut to 9 bits, moved by the offset, cut again.
uint8_t toByte(float value, const Quantisation& by) {
  float rounded = std::rint(value);
  int32_t wide = rounded >= 255.0f    ? 255
                 : rounded > -256.0f  ? static_cast<int32_t>(rounded)
                 : rounded <= -256.0f ? -256
                                      : 0;
  wide += by.offset;
  int32_t low = by.isSigned ? -128 : 0, high = by.isSigned ? 127 : 255;
  return static_cast<uint8_t>(std::min(std::max(wide, low), high));
}

// Up to 16 lanes of a row.
void convertLanes(uint8_t* out, const uint8_t* in, uint32_t n, uint32_t column, const AscendC::FixpipeParamsV220& p,
                  const OutputConversion& conversion) {
  if (p.quantPre == NoQuant && conversion.from == Element::Int32) {
    for (uint32_t i = 0; i < n; ++i) {
      int32_t value;
      std::memcpy(&value, in + i * 4, sizeof value);
      if (p.reluEn && value < 0) value = 0;
      std::memcpy(out + i * 4, &value, sizeof value);
    }
    return;
  }
  float values[16];
  for (uint32_t i = 0; i < n; ++i) {
    if (conversion.from == Element::Float) {
      std::memcpy(&values[i], in + i * 4, sizeof(float));
      continue;
    }
    int32_t value;
    std::memcpy(&value, in + i * 4, sizeof value);
    values[i] = static_cast<float>(value);
  }
  if (p.quantPre <= F322BF16) {
    if (p.reluEn)
      for (uint32_t i = 0; i < n; ++i) values[i] = values[i] < 0 ? 0.0f : values[i];
  } else {
    for (uint32_t i = 0; i < n; ++i) {
      uint64_t bits = p.deqScalar;
      if (conversion.scales != nullptr) bits = columnScales[column + i];
      Quantisation by(bits);
      if (by.shifts && conversion.from == Element::Int32) {
        int32_t value;
        std::memcpy(&value, in + i * 4, sizeof value);
        values[i] = static_cast<float>(std::min(std::max(value >> by.shift, -32768), 32767));
      }
      values[i] = scaled(values[i], by, p.reluEn);
      if (bytesOf(conversion.to) == 1) out[i] = toByte(values[i], by);
    }
    if (bytesOf(conversion.to) == 1) return;
  }
  if (conversion.to == Element::Half) {
    narrow(reinterpret_cast<half*>(out), values, n);
    if (saturatesResults()) clampHalves(out, n);
  } else if (conversion.to == Element::Bf16) {
    narrow(reinterpret_cast<bfloat16_t*>(out), values, n);
    if (saturatesResults()) clampBfloats(out, n);
  } else {
    std::memcpy(out, values, n * sizeof(float));
  }
}

// Where rows of a column-wise (NZ) output lie: groups of columns, `dstStride` blocks apart, of which a row has a run.
struct Groups {
  uint32_t width, number;

  Groups(const AscendC::FixpipeParamsV220& p, const OutputConversion& conversion) {
    width = bytesOf(conversion.to) == 1 ? 32 : p.isChannelSplit ? 8 : 16;
    number = ceilDivide(p.nSize, width);
  }
  // An odd number of 16 columns of bytes leaves a narrower group at the end.
  uint32_t widthOf(uint32_t group, uint32_t n) const { return width == 32 && n - group * width < width ? 16 : width; }
};

void requireSizes(const char* name, const AscendC::FixpipeParamsV220& p, const OutputConversion& conversion) {
  bool rows = conversion.layout == AscendC::CO2Layout::ROW_MAJOR;
  requireRange(name, "nSize", p.nSize, 0, 4095);
  if (rows) requireRange(name, "mSize", p.mSize, 0, 8192);
  requireRange(name, "dstStride", p.dstStride, 1, UINT32_MAX);
  if (rows && p.ndNum > 1) requireRange(name, "srcNdStride", p.srcNdStride, 0, 512);
  if (p.isChannelSplit && (rows || conversion.from != Element::Float || conversion.to != Element::Float))
    trap({Check::ParameterRange, name, "isChannelSplit works from float to float with CFG_NZ", "leave it false"});
  uint32_t unit = p.isChannelSplit ? 8 : 16;
  if (!rows && p.nSize % unit != 0)
    trap({Check::ParameterRange, name, text("nSize %u is no multiple of %u", p.nSize, unit),
          "pad the columns of an NZ output"});
}

uint32_t matricesOf(const AscendC::FixpipeParamsV220& p, const OutputConversion& conversion) {
  return conversion.layout == AscendC::CO2Layout::ROW_MAJOR ? p.ndNum : 1;
}

// A matrix of L0C, in columns of fractals 16 wide.
struct Sums {
  static constexpr uint32_t laneBytes = 64;  // of a row of one fractal
  const AscendC::FixpipeParamsV220& p;
  Operand from;
  uint32_t columnBlocks;

  Sums(Operand src, const AscendC::FixpipeParamsV220& params, uint32_t matrix)
      : p(params), from(src), columnBlocks(ceilDivide(params.nSize, 16)) {
    constexpr uint32_t matrixUnit = 1024;
    from.address += size_t(matrix) * p.srcNdStride * matrixUnit;
  }

  Extent extent() const {
    const uint64_t span = (uint64_t(columnBlocks - 1) * p.srcStride + p.mSize) * laneBytes;
    return {from,  Reach(clipped(span), {p.mSize * laneBytes, columnBlocks, p.srcStride * laneBytes, 1, 0, 0}),
            reads, "src",
            64,    Memory::L0C};
  }

  // The rows, converted, one after the other.
  template <typename Take>
  void forEachRow(const OutputConversion& conversion, const Take& take) const {
    std::vector<uint8_t>& line = convertedLine;
    line.resize(size_t(columnBlocks) * laneBytes);
    for (uint32_t row = 0; row < p.mSize; ++row) {
      for (uint32_t block = 0; block < columnBlocks; ++block) {
        const uint8_t* lanes = from.address + (uint64_t(block) * p.srcStride + row) * laneBytes;
        convertLanes(line.data() + size_t(block) * 16 * bytesOf(conversion.to), lanes,
                     std::min<uint32_t>(16, p.nSize - block * 16u), block * 16, p, conversion);
      }
      take(row, line.data());
    }
  }
};

// Without a tensor of its own, a conversion takes the one that SetFixPipeConfig has named.
OutputConversion withScales(OutputConversion conversion, QuantMode_t mode) {
  if (takesScales(mode) && conversion.scales == nullptr && core->cube.scales.address != nullptr)
    conversion.scales = &core->cube.scales;
  return conversion;
}

// Whether there is anything to do; traps where the parameters do not fit.
bool requireFixpipe(const char* name, const AscendC::FixpipeParamsV220& p, const OutputConversion& conversion) {
  requireMode(name, p, conversion);
  if (p.nSize == 0 || p.mSize == 0 || p.ndNum == 0) return false;
  requireSizes(name, p, conversion);
  return true;
}

void addScales(Touches& touches, const AscendC::FixpipeParamsV220& p, const OutputConversion& conversion) {
  if (conversion.scales == nullptr) return;
  const bool isTable = memoryHolding(*conversion.scales) == Memory::FB;
  if (isTable) touches.add(Extent{*conversion.scales, p.nSize * 8u, reads, "quantPre", 128, Memory::FB});
  else touches.add(Extent{*conversion.scales, p.nSize * 8u, reads, "cbufWorkspace", blockBytes, Memory::L1});
}

void readScales(const AscendC::FixpipeParamsV220& p, const OutputConversion& conversion) {
  if (conversion.scales == nullptr) return;
  columnScales.resize(p.nSize);
  std::memcpy(columnScales.data(), conversion.scales->address, p.nSize * sizeof(uint64_t));
}

OwnOrder ownOrderOf(const AscendC::FixpipeParamsV220& p) {
  return p.unitFlag != 0 ? OwnOrder::WithFixpipe : OwnOrder::None;
}

// Results in global memory: rows, or columns of fractals.
struct Output {
  GmAddress dst;
  const AscendC::FixpipeParamsV220& p;
  const OutputConversion& conversion;
  uint32_t outBytes = bytesOf(conversion.to);

  bool isRows() const { return conversion.layout == AscendC::CO2Layout::ROW_MAJOR; }
  GmAddress rowAt(uint32_t matrix, uint32_t row) const {
    return dst + (uint64_t(matrix) * p.dstNdStride + uint64_t(row) * p.dstStride) * outBytes;
  }
  // `visit` is given the runs of a row in all groups of columns: where, how long, and where in the row.
  template <typename Visit>
  void forEachRun(uint32_t row, const Visit& visit) const {
    const Groups groups(p, conversion);
    for (uint32_t group = 0; group < groups.number; ++group) {
      const uint32_t bytes = groups.widthOf(group, p.nSize) * outBytes;
      visit(dst + uint64_t(group) * p.dstStride * blockBytes + uint64_t(row) * bytes, bytes,
            size_t(group) * groups.width * outBytes);
    }
  }

  void addTo(Touches& touches, uint32_t matrix) const {
    const uint64_t rowBytes = uint64_t(p.nSize) * outBytes, distance = uint64_t(p.dstStride) * outBytes;
    if (isRows()) return touches.add(GmExtent{rowAt(matrix, 0), rowBytes, writes, p.mSize, distance});
    for (uint32_t row = 0; row < p.mSize; ++row)
      forEachRun(row, [&](GmAddress to, uint32_t bytes, size_t) { touches.add(GmExtent{to, bytes, writes}); });
  }
  void store(uint32_t matrix, uint32_t row, const uint8_t* line) const {
    if (isRows()) return storeGlobal(rowAt(matrix, row), line, size_t(p.nSize) * outBytes);
    forEachRun(row, [&](GmAddress to, uint32_t bytes, size_t at) { storeGlobal(to, line + at, bytes); });
  }
};

}  // namespace

void fixpipe(GmAddress dst, Operand src, const AscendC::FixpipeParamsV220& p, const OutputConversion& given) {
  const char* name = "Fixpipe";
  const OutputConversion conversion = withScales(given, p.quantPre);
  if (!requireFixpipe(name, p, conversion)) return;
  const Output output{dst, p, conversion};
  if (output.isRows() && p.dstStride < p.nSize && p.mSize > 1)
    trap({Check::ParameterRange, name,
          text("dstStride %u is smaller than nSize %u: rows overlap", p.dstStride, p.nSize),
          "dstStride is the row length of the output, in elements"});
  const uint32_t matrices = matricesOf(p, conversion);
  issue(
      {name, Pipe::FIX, 92 + p.mSize * matrices * 2u, 0,
       clipped(uint64_t(matrices) * p.mSize * p.nSize * output.outBytes), 10, ownOrderOf(p)},
      [&](Touches& touches) {
        addScales(touches, p, conversion);
        for (uint32_t matrix = 0; matrix < matrices; ++matrix) {
          touches.add(Sums(src, p, matrix).extent());
          output.addTo(touches, matrix);
        }
      },
      [&] {
        readScales(p, conversion);
        for (uint32_t matrix = 0; matrix < matrices; ++matrix)
          Sums(src, p, matrix).forEachRow(conversion, [&](uint32_t row, const uint8_t* line) {
            output.store(matrix, row, line);
          });
      });
}

void fixpipeLocal(Operand dst, Operand src, const AscendC::FixpipeParamsV220& p, const OutputConversion& given) {
  const char* name = "Fixpipe";
  const OutputConversion conversion = withScales(given, p.quantPre);
  if (!requireFixpipe(name, p, conversion)) return;
  const uint32_t outBytes = bytesOf(conversion.to), matrices = matricesOf(p, conversion);
  const Groups groups(p, conversion);
  const uint64_t stride = uint64_t(p.dstStride) * blockBytes, run = uint64_t(p.mSize) * groups.width * outBytes;
  const uint64_t last = uint64_t(p.mSize) * groups.widthOf(groups.number - 1, p.nSize) * outBytes;
  Reach reach = clipped((groups.number - 1) * stride + last);
  if (last == run) reach.runs = {clipped(run), groups.number, clipped(stride), 1, 0, 0};
  const auto store = [&](uint32_t row, const uint8_t* line) {
    for (uint32_t group = 0; group < groups.number; ++group) {
      const uint32_t bytes = groups.widthOf(group, p.nSize) * outBytes;
      std::memcpy(dst.address + group * stride + size_t(row) * bytes, line + size_t(group) * groups.width * outBytes,
                  bytes);
    }
  };
  issue(
      {name, Pipe::FIX, 10 + clipped(uint64_t(p.mSize) * p.nSize * outBytes / 128), cubeTail, 0, 8, ownOrderOf(p)},
      [&](Touches& touches) {
        addScales(touches, p, conversion);
        touches.add(Extent{dst, reach, writes, "dst", blockBytes, Memory::L1});
        for (uint32_t matrix = 0; matrix < matrices; ++matrix) touches.add(Sums(src, p, matrix).extent());
      },
      [&] {
        readScales(p, conversion);
        for (uint32_t matrix = 0; matrix < matrices; ++matrix) Sums(src, p, matrix).forEachRow(conversion, store);
      });
}

// ---- DataCopy, which takes from registers what Fixpipe takes as parameters -------------------------------------------

namespace {

AscendC::FixpipeParamsV220 paramsOf(const AscendC::DataCopyCO12DstParams& p) {
  const CubeRegisters& registers = core->cube;
  if (p.clipReluPre != 0 || p.eltWiseOp != 0)
    trap(
        {Check::ParameterRange, "DataCopy", "clipReluPre and eltWiseOp are not available on Atlas A2", "leave them 0"});
  if (p.nz2ndEn && registers.matrices == 0)
    trap({Check::ParameterRange, "DataCopy", "nz2ndEn is set, and nothing has said how many matrices there are",
          "call SetFixpipeNz2ndFlag first"});
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

void setFixpipeScales(const Operand* scales) {
  if (scales != nullptr && memoryHolding(*scales) != Memory::FB)
    trap({Check::ErrorBuffer3, "SetFixPipeConfig", text("the parameters are in %s", nameOf(memoryHolding(*scales))),
          "copy them to a buffer at TPosition::C2PIPE2GM"});
  if (scales != nullptr) core->cube.scales = *scales;
  scalarCycles(1);
}

void setFixpipeScale(uint64_t bits) {
  core->cube.scale = bits;
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
