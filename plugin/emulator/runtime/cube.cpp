// The cube core: GM -> L1 (ND to NZ), L1 -> L0 by 512-byte fractals, matrix multiplication, L0C -> GM.
//
// Layouts (element sizes of half): L1 NZ - columns of 16-wide fractals; L0A ZZ - rows of fractals, each row-major (m, k);
// L0B ZN - rows of fractals along k, each column-major; L0C NZ - columns of 16 x 16 fractals, each row-major.
#include <cmath>
#include <cstring>

#include "device.h"
#include "numerics.h"
#include "saturation.h"
#include "walk.h"

namespace npu_emu::cube {

namespace {

constexpr uint32_t fractalBytes = 512, fractalSide = 16;
constexpr uint32_t mmadHeadCycles = 6;

uint32_t clipped(uint64_t bytes) { return static_cast<uint32_t>(std::min<uint64_t>(bytes, UINT32_MAX)); }

uint32_t bytesOf(Element element) {
  switch (element) {
    case Element::Float:
    case Element::Int32:
      return 4;
    case Element::Int8:
    case Element::UInt8:
      return 1;
    default:
      return 2;
  }
}

void recordCube(Pipe pipe, uint32_t occupancy, uint32_t tail) {
  constexpr uint8_t issueCycles = 8;
  record({TraceEntry::Work, pipe, false, issueCycles, 0, occupancy, tail, 0});
}

void requireRange(const char* name, const char* field, uint64_t value, uint64_t lowest, uint64_t highest) {
  if (value >= lowest && value <= highest) return;
  trap({"ParameterRange", name, text("%s is %llu; it has to be in %llu..%llu", field, static_cast<unsigned long long>(value), static_cast<unsigned long long>(lowest), static_cast<unsigned long long>(highest)),
        "split the call into parts within the range"});
}

// ---- matrix multiplication -----------------------------------------------------------------------------------------

typedef float Vec8 __attribute__((vector_size(32)));

// Products of half and bfloat16 are exact in float, so that fusing changes nothing for them.
inline Vec8 multiplyAdd(Vec8 a, Vec8 b, Vec8 c) {
#if defined(__FMA__)
  return _mm256_fmadd_ps(a, b, c);
#else
  for (int i = 0; i < 8; ++i) c[i] = __builtin_fmaf(a[i], b[i], c[i]);
  return c;
#endif
}

inline Vec8 load8(const float* address) {
  Vec8 value;
  std::memcpy(&value, address, sizeof value);
  return value;
}

// c (rows x 16, row-major) += a (rows x k, stride k) * b (k x 16)
template <int rows>
void multiplyRows(float* c, const float* a, const float* b, uint32_t k) {
  Vec8 sums[rows][2];
  for (int r = 0; r < rows; ++r)
    for (int h = 0; h < 2; ++h) sums[r][h] = load8(c + r * 16 + h * 8);
  for (uint32_t i = 0; i < k; ++i) {
    Vec8 low = load8(b + size_t(i) * 16), high = load8(b + size_t(i) * 16 + 8);
    for (int r = 0; r < rows; ++r) {
      float value = a[size_t(r) * k + i];
      Vec8 broadcast = {value, value, value, value, value, value, value, value};
      sums[r][0] = multiplyAdd(broadcast, low, sums[r][0]);
      sums[r][1] = multiplyAdd(broadcast, high, sums[r][1]);
    }
  }
  for (int r = 0; r < rows; ++r)
    for (int h = 0; h < 2; ++h) std::memcpy(c + r * 16 + h * 8, &sums[r][h], sizeof(Vec8));
}

// Unpacked operands of one Mmad, kept between calls.
std::vector<float> leftRows, rightPanels;
std::vector<uint8_t> convertedLine;  // of Fixpipe

template <typename T>
void widenElements(float* out, const T* in, size_t n) {
  if constexpr (std::is_same_v<T, float>) std::memcpy(out, in, n * sizeof(float));
  else widen(out, in, n);
}

// A in L0A: rows of fractals; with one row it is a plain vector.
template <typename T>
void unpackLeft(const T* a, uint32_t m, uint32_t k) {
  constexpr uint32_t wide = 32 / sizeof(T);  // columns of a fractal
  uint32_t fractalColumns = ceilDivide(k, wide), paddedM = ceilDivide(m, 16) * 16;
  leftRows.assign(size_t(paddedM) * k, 0.0f);
  if (m == 1) {
    widenElements(leftRows.data(), a, k);
    return;
  }
  for (uint32_t row = 0; row < m; ++row) {
    for (uint32_t column = 0; column < k; column += wide) {
      const T* fractal = a + (size_t(row / 16) * fractalColumns + column / wide) * 16 * wide;
      widenElements(leftRows.data() + size_t(row) * k + column, fractal + row % 16 * wide, std::min(wide, k - column));
    }
  }
}

// B in L0B: fractal (k block, n block), column-major inside.
template <typename T>
void unpackRight(const T* b, uint32_t k, uint32_t n) {
  constexpr uint32_t wide = 32 / sizeof(T);  // rows along k of a fractal
  uint32_t fractalColumns = ceilDivide(n, 16);
  rightPanels.resize(size_t(fractalColumns) * k * 16);
  for (uint32_t panel = 0; panel < fractalColumns; ++panel) {
    float* out = rightPanels.data() + size_t(panel) * k * 16;
    for (uint32_t first = 0; first < k; first += wide) {
      const T* fractal = b + (size_t(first / wide) * fractalColumns + panel) * 16 * wide;
      float columns[16 * 16];
      widenElements(columns, fractal, 16 * wide);
      uint32_t depth = std::min(wide, k - first);
      for (uint32_t i = 0; i < depth; ++i)
        for (uint32_t column = 0; column < 16; ++column) out[size_t(first + i) * 16 + column] = columns[column * wide + i];
    }
  }
}

// HF32: shorter mantissas. Halfway cases go to the even neighbour or towards zero.
void shorten(std::vector<float>& values) {
  constexpr uint32_t dropped = 23 - 11, half = 1u << (dropped - 1);
  for (float& value : values) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    if ((bits >> 23 & 255) == 255) continue;
    bits += core->hf32TiesToZero ? half - 1 : half - 1 + (bits >> dropped & 1);
    bits &= ~((1u << dropped) - 1);
    std::memcpy(&value, &bits, sizeof bits);
  }
}

template <typename T>
void multiply(float* c, const T* a, const T* b, const AscendC::MmadParams& p, bool accumulate, const float* bias) {
  unpackLeft(a, p.m, p.k);
  unpackRight(b, p.k, p.n);
  bool shorter = std::is_same_v<T, float> && core->hf32;
  if (shorter) shorten(leftRows), shorten(rightPanels);
  uint32_t rowBlocks = ceilDivide(p.m, 16), columnBlocks = ceilDivide(p.n, 16);
  for (uint32_t j = 0; j < columnBlocks; ++j) {
    for (uint32_t i = 0; i < rowBlocks; ++i) {
      float* fractal = c + (size_t(j) * rowBlocks + i) * 256;
      uint32_t rows = std::min<uint32_t>(16, p.m - i * 16);
      if (!accumulate) {
        for (uint32_t r = 0; r < rows; ++r)
          for (uint32_t column = 0; column < 16; ++column) fractal[r * 16 + column] = bias != nullptr ? bias[j * 16 + column] : 0.0f;
      }
      const float* left = leftRows.data() + size_t(i) * 16 * p.k;
      const float* right = rightPanels.data() + size_t(j) * p.k * 16;
      uint32_t r = 0;
      for (; r + 4 <= rows; r += 4) multiplyRows<4>(fractal + r * 16, left + size_t(r) * p.k, right, p.k);
      for (; r < rows; ++r) multiplyRows<1>(fractal + r * 16, left + size_t(r) * p.k, right, p.k);
    }
  }
}

void multiplyIntegers(int32_t* c, const int8_t* a, const int8_t* b, const AscendC::MmadParams& p, bool accumulate, const int32_t* bias) {
  uint32_t rowBlocks = ceilDivide(p.m, 16), columnBlocks = ceilDivide(p.n, 16), depthBlocks = ceilDivide(p.k, 32);
  for (uint32_t row = 0; row < p.m; ++row) {
    for (uint32_t column = 0; column < p.n; ++column) {
      int32_t& out = c[(size_t(column / 16) * rowBlocks + row / 16) * 256 + row % 16 * 16 + column % 16];
      uint32_t sum = static_cast<uint32_t>(accumulate ? out : bias != nullptr ? bias[column] : 0);
      for (uint32_t i = 0; i < p.k; ++i) {
        int8_t x = p.m == 1 ? a[i] : a[(size_t(row / 16) * depthBlocks + i / 32) * 512 + row % 16 * 32 + i % 32];
        int8_t y = b[(size_t(i / 32) * columnBlocks + column / 16) * 512 + column % 16 * 32 + i % 32];
        sum += static_cast<uint32_t>(int32_t(x) * int32_t(y));
      }
      out = static_cast<int32_t>(sum);
    }
  }
}

// ---- the way out ---------------------------------------------------------------------------------------------------

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
    case NoQuant:
      return from == to;
    case F322F16:
      return floats && to == Element::Half;
    case F322BF16:
      return floats && to == Element::Bf16;
    case DEQF16:
    case VDEQF16:
      return !floats && to == Element::Half;
    case QF322B8_PRE:
    case VQF322B8_PRE:
      return floats && bytes;
    default:
      return !floats && bytes;
  }
}

void requireMode(const char* name, const AscendC::FixpipeParamsV220& p, const WayOut& way) {
  if (!fits(p.quantPre, way.from, way.to)) {
    trap({"FixpipeQuant", name, text("quantPre %d does not fit the types of L0C and of the output", p.quantPre),
          "from float: F322F16 for half, F322BF16 for bfloat16_t, QF322B8_PRE for 8 bits; from int32_t: DEQF16 for half, REQ8 for 8 bits; NoQuant for the type of L0C"});
  }
  if (takesScales(p.quantPre) != (way.scales != nullptr)) {
    trap({"FixpipeQuant", name, text("quantPre %d %s a tensor of parameters", p.quantPre, way.scales != nullptr ? "does not take" : "takes"), "modes that begin with V take one parameter for each column"});
  }
}

float scaled(float value, const Quantisation& by, bool relu) {
  if (value < 0) return relu ? 0.0f : value * by.scale;
  return value * by.scale;
}

// To 8 bits: rounded, cut to 9 bits, moved by the offset, cut again.
uint8_t toByte(float value, const Quantisation& by) {
  float rounded = std::rint(value);
  int32_t wide = rounded >= 255.0f ? 255 : rounded > -256.0f ? static_cast<int32_t>(rounded) : rounded <= -256.0f ? -256 : 0;
  wide += by.offset;
  int32_t low = by.isSigned ? -128 : 0, high = by.isSigned ? 127 : 255;
  return static_cast<uint8_t>(std::min(std::max(wide, low), high));
}

// Up to 16 lanes of a row.
void convertLanes(uint8_t* out, const uint8_t* in, uint32_t n, uint32_t column, const AscendC::FixpipeParamsV220& p, const WayOut& way) {
  if (p.quantPre == NoQuant && way.from == Element::Int32) {
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
    if (way.from == Element::Float) {
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
      if (way.scales != nullptr) std::memcpy(&bits, way.scales->address + size_t(column + i) * sizeof bits, sizeof bits);
      Quantisation by(bits);
      if (by.shifts && way.from == Element::Int32) {
        int32_t value;
        std::memcpy(&value, in + i * 4, sizeof value);
        values[i] = static_cast<float>(std::min(std::max(value >> by.shift, -32768), 32767));
      }
      values[i] = scaled(values[i], by, p.reluEn);
      if (bytesOf(way.to) == 1) out[i] = toByte(values[i], by);
    }
    if (bytesOf(way.to) == 1) return;
  }
  if (way.to == Element::Half) {
    narrow(reinterpret_cast<half*>(out), values, n);
    if (saturatesResults()) clampHalves(out, n);
  } else if (way.to == Element::Bf16) {
    narrow(reinterpret_cast<bfloat16_t*>(out), values, n);
    if (saturatesResults()) clampBfloats(out, n);
  } else {
    std::memcpy(out, values, n * sizeof(float));
  }
}

// Where rows of a column-wise (NZ) output lie: groups of columns, `dstStride` blocks apart, of which a row has a run.
struct Groups {
  uint32_t width, number;

  Groups(const AscendC::FixpipeParamsV220& p, const WayOut& way) {
    width = bytesOf(way.to) == 1 ? 32 : p.isChannelSplit ? 8 : 16;
    number = ceilDivide(p.nSize, width);
  }
  // An odd number of 16 columns of bytes leaves a narrower group at the end.
  uint32_t widthOf(uint32_t group, uint32_t n) const { return width == 32 && n - group * width < width ? 16 : width; }
};

void requireSizes(const char* name, const AscendC::FixpipeParamsV220& p, const WayOut& way) {
  bool rows = way.layout == AscendC::CO2Layout::ROW_MAJOR;
  requireRange(name, "nSize", p.nSize, 0, 4095);
  if (rows) requireRange(name, "mSize", p.mSize, 0, 8192);
  requireRange(name, "dstStride", p.dstStride, 1, UINT32_MAX);
  if (rows && p.ndNum > 1) requireRange(name, "srcNdStride", p.srcNdStride, 0, 512);
  if (p.isChannelSplit && (rows || way.from != Element::Float || way.to != Element::Float))
    trap({"ParameterRange", name, "isChannelSplit works from float to float with CFG_NZ", "leave it false"});
  uint32_t unit = p.isChannelSplit ? 8 : 16;
  if (!rows && p.nSize % unit != 0) trap({"ParameterRange", name, text("nSize %u is no multiple of %u", p.nSize, unit), "pad the columns of an NZ output"});
}

// Checks what is read; the rows of one matrix, one after the other, go to `take` with their place.
template <typename Take>
void forEachRow(const char* name, Operand src, const AscendC::FixpipeParamsV220& p, const WayOut& way, const Take& take) {
  constexpr uint32_t laneBytes = 64, matrixUnit = 1024;
  const uint32_t columnBlocks = ceilDivide(p.nSize, 16), matrices = way.layout == AscendC::CO2Layout::ROW_MAJOR ? p.ndNum : 1;
  for (uint32_t matrix = 0; matrix < matrices; ++matrix) {
    Operand from = src;
    from.address += size_t(matrix) * p.srcNdStride * matrixUnit;
    uint64_t span = (uint64_t(columnBlocks - 1) * p.srcStride + p.mSize) * laneBytes;
    checkLocal(name, {from, Reach(clipped(span), {p.mSize * laneBytes, columnBlocks, p.srcStride * laneBytes, 1, 0, 0}), false, 64, "src"}, Memory::L0C);
    std::vector<uint8_t>& line = convertedLine;
    line.resize(size_t(columnBlocks) * laneBytes);
    for (uint32_t row = 0; row < p.mSize; ++row) {
      for (uint32_t block = 0; block < columnBlocks; ++block) {
        const uint8_t* lanes = from.address + (uint64_t(block) * p.srcStride + row) * laneBytes;
        convertLanes(line.data() + size_t(block) * 16 * bytesOf(way.to), lanes, std::min<uint32_t>(16, p.nSize - block * 16u), block * 16, p, way);
      }
      take(matrix, row, line.data());
    }
  }
}

}  // namespace

void loadNd2Nz(Operand dst, GmAddress src, const AscendC::Nd2NzParams& p, uint32_t elementBytes) {
  const char* name = "DataCopy";
  requireRange(name, "nValue", p.nValue, 0, 16384);
  requireRange(name, "dValue", p.dValue, 0, 65535);
  requireRange(name, "ndNum", p.ndNum, 0, 4095);
  if (p.ndNum == 0 || p.nValue == 0 || p.dValue == 0) return;
  requireRange(name, "srcDValue", p.srcDValue, 1, 65535);
  requireRange(name, "dstNzC0Stride", p.dstNzC0Stride, 1, 16384);
  requireRange(name, "dstNzNStride", p.dstNzNStride, 1, 16384);
  uint32_t groupElements = blockBytes / elementBytes, groups = ceilDivide(p.dValue, groupElements);
  uint64_t matrix = (uint64_t(groups - 1) * p.dstNzC0Stride + uint64_t(p.nValue - 1u) * p.dstNzNStride + 1) * blockBytes;
  uint64_t span = uint64_t(p.ndNum - 1u) * p.dstNzMatrixStride * elementBytes + matrix;
  Reach touched = clipped(span);
  if (p.ndNum == 1 && p.dstNzNStride == 1) touched.runs = {p.nValue * blockBytes, groups, p.dstNzC0Stride * blockBytes, 1, 0, 0};
  checkLocal(name, {dst, touched, true, blockBytes, "dst"}, Memory::L1);
  for (uint32_t nd = 0; nd < p.ndNum; ++nd) {
    for (uint32_t row = 0; row < p.nValue; ++row) {
      const uint8_t* from = src + (uint64_t(nd) * p.srcNdMatrixStride + uint64_t(row) * p.srcDValue) * elementBytes;
      checkGm(name, from, uint64_t(p.dValue) * elementBytes, false);
      uint8_t* to = dst.address + uint64_t(nd) * p.dstNzMatrixStride * elementBytes + uint64_t(row) * p.dstNzNStride * blockBytes;
      uint32_t rest = p.dValue * elementBytes;
      for (uint32_t group = 0; group < groups; ++group, rest -= std::min(rest, blockBytes)) {
        uint8_t* block = to + uint64_t(group) * p.dstNzC0Stride * blockBytes;
        std::memcpy(block, from + uint64_t(group) * blockBytes, std::min(rest, blockBytes));
        if (rest < blockBytes) std::memset(block + rest, 0, blockBytes - rest);
      }
    }
  }
  constexpr uint32_t convertCycles = 700;  // what the change of layout costs beyond a plain copy, per command
  record({TraceEntry::Read, Pipe::MTE2, false, 8, 0, convertCycles, 0, static_cast<uint32_t>(uint64_t(p.ndNum) * p.nValue * p.dValue * elementBytes)});
}

namespace {

Memory destinationOf(const char* name, const Operand& dst) {
  const Buffer& buffer = bufferOf(dst);
  Memory memory = buffer.base != nullptr ? buffer.memory : memoryOf(dst.position);
  if (memory != Memory::L0A && memory != Memory::L0B)
    trap({"ErrorBuffer3", name, text("dst is in %s; data is loaded to L0A or L0B", nameOf(memory)), "use a buffer at TPosition::A2 or TPosition::B2"});
  return memory;
}

uint32_t loadCycles(Memory memory, uint32_t bytes) { return 2 + bytes / (memory == Memory::L0A ? 256 : 128); }

}  // namespace

void loadData(Operand dst, Operand src, const AscendC::LoadData2DParams& p, uint32_t elementBytes) {
  const char* name = "LoadData";
  if (p.repeatTimes == 0) return;
  if (p.ifTranspose && elementBytes != 2) trap({"ParameterRange", name, "ifTranspose works on 16-bit elements only", "use LoadDataWithTranspose"});
  Memory memory = destinationOf(name, dst);
  uint32_t repeats = p.repeatTimes;
  uint64_t srcSpan = (uint64_t(p.startIndex) + uint64_t(repeats - 1) * p.srcStride + 1) * fractalBytes;
  uint64_t dstSpan = (uint64_t(repeats - 1) * (p.dstGap + 1u) + 1) * fractalBytes;
  if (p.addrMode != 0) srcSpan = (uint64_t(p.startIndex) + 1) * fractalBytes;
  checkLocal(name, {dst, Reach(clipped(dstSpan), {fractalBytes, repeats, (p.dstGap + 1u) * fractalBytes, 1, 0, 0}), true, fractalBytes, "dst"}, memory);
  checkLocal(name, {src, clipped(srcSpan), false, blockBytes, "src"}, Memory::L1);
  for (uint32_t repeat = 0; repeat < repeats; ++repeat) {
    int64_t index = p.addrMode == 0 ? int64_t(p.startIndex) + int64_t(repeat) * p.srcStride : int64_t(p.startIndex) - int64_t(repeat) * p.srcStride;
    if (index < 0) trap({"ErrorRead3", name, "addrMode 1 counts below the start of src", "raise startIndex"});
    const uint8_t* from = src.address + index * fractalBytes;
    uint8_t* to = dst.address + uint64_t(repeat) * (p.dstGap + 1u) * fractalBytes;
    if (!p.ifTranspose) {
      std::memcpy(to, from, fractalBytes);
      continue;
    }
    uint16_t in[256], out[256];
    std::memcpy(in, from, sizeof in);
    for (uint32_t i = 0; i < fractalSide; ++i)
      for (uint32_t j = 0; j < fractalSide; ++j) out[j * fractalSide + i] = in[i * fractalSide + j];
    std::memcpy(to, out, sizeof out);
  }
  recordCube(Pipe::MTE1, loadCycles(memory, repeats * fractalBytes), 20);
}

// Squares of one 16-bit fractal, of two 8-bit ones above each other, or of two 32-bit ones side by side; each is transposed and
// falls into as many fractals.
void loadDataTranspose(Operand dst, Operand src, const AscendC::LoadData2dTransposeParams& p, uint32_t elementBytes) {
  const char* name = "LoadDataWithTranspose";
  if (p.repeatTimes == 0) return;
  Memory memory = destinationOf(name, dst);
  const uint32_t side = elementBytes == 1 ? 32 : 16, width = blockBytes / elementBytes, parts = elementBytes == 2 ? 1 : 2;
  const uint32_t squareBytes = side * side * elementBytes, repeats = p.repeatTimes;
  uint64_t srcSpan = (p.addrMode != 0 ? uint64_t(p.startIndex) + 1 : uint64_t(p.startIndex) + uint64_t(repeats - 1) * p.srcStride + 1) * squareBytes;
  const uint64_t step = (p.dstGap + 1u) * uint64_t(fractalBytes), partStep = (p.dstFracGap + 1u) * uint64_t(fractalBytes);
  uint64_t dstSpan = (repeats - 1) * step + (parts - 1) * partStep + fractalBytes;
  Reach reach = parts == 1 ? Reach(clipped(dstSpan), {fractalBytes, repeats, clipped(step), 1, 0, 0})
                           : Reach(clipped(dstSpan), {fractalBytes, repeats, clipped(step), parts, clipped(partStep), 0});
  checkLocal(name, {dst, reach, true, fractalBytes, "dst"}, memory);
  checkLocal(name, {src, clipped(srcSpan), false, blockBytes, "src"}, Memory::L1);
  std::vector<uint8_t> square(squareBytes);
  for (uint32_t repeat = 0; repeat < repeats; ++repeat) {
    int64_t index = p.addrMode == 0 ? int64_t(p.startIndex) + int64_t(repeat) * p.srcStride : int64_t(p.startIndex) - int64_t(repeat) * p.srcStride;
    if (index < 0) trap({"ErrorRead3", name, "addrMode 1 counts below the start of src", "raise startIndex"});
    std::memcpy(square.data(), src.address + index * squareBytes, squareBytes);
    auto place = [&](uint32_t row, uint32_t column) { return ((column / width) * 16 * width + row * width + column % width) * elementBytes; };
    for (uint32_t row = 0; row < side; ++row) {
      for (uint32_t column = 0; column < side; ++column) {
        // 8-bit fractals lie above each other: rows of a fractal go on in the next one
        uint32_t from = elementBytes == 1 ? (column * side + row) : place(column, row);
        uint32_t part = elementBytes == 1 ? row / 16 : column / width;
        uint32_t to = elementBytes == 1 ? row % 16 * width + column : (row * width + column % width) * elementBytes;
        std::memcpy(dst.address + repeat * step + part * partStep + to, square.data() + from, elementBytes);
      }
    }
  }
  recordCube(Pipe::MTE1, loadCycles(memory, repeats * squareBytes), 20);
}

void mmad(Operand dst, Operand a, Operand b, const Operand* bias, const AscendC::MmadParams& p, Element element) {
  const char* name = "Mmad";
  requireRange(name, "m", p.m, 0, 4095);
  requireRange(name, "n", p.n, 0, 4095);
  requireRange(name, "k", p.k, 0, 4095);
  if (p.m == 0 || p.n == 0 || p.k == 0) return;
  uint32_t wide = blockBytes / bytesOf(element);
  uint32_t rowBlocks = ceilDivide(p.m, 16), columnBlocks = ceilDivide(p.n, 16), depthBlocks = ceilDivide(p.k, wide);
  uint32_t aBytes = p.m == 1 ? ceilDivide(p.k, wide) * blockBytes : rowBlocks * depthBlocks * fractalBytes;
  checkLocal(name, {dst, rowBlocks * columnBlocks * 1024, true, 1024, "dst"}, Memory::L0C);
  checkLocal(name, {a, aBytes, false, fractalBytes, "fm"}, Memory::L0A);
  checkLocal(name, {b, depthBlocks * columnBlocks * fractalBytes, false, fractalBytes, "filter"}, Memory::L0B);
  if (bias != nullptr) checkLocal(name, {*bias, p.n * 4u, false, 64, "bias"}, Memory::BT);
  constexpr uint32_t keepsOrderFrom = 10;  // fractals: a smaller product can overtake the one before it
  if (rowBlocks * columnBlocks >= keepsOrderFrom) core->hazards.ordersItself();
  if (p.unitFlag != 0) core->hazards.ordersWithFixpipe();
  bool accumulate = bias == nullptr && (p.isBias || (!p.cmatrixInitVal && !p.cmatrixSource));
  const void* biasValues = bias != nullptr ? bias->address : nullptr;
  switch (element) {
    case Element::Half:
      multiply(reinterpret_cast<float*>(dst.address), reinterpret_cast<const half*>(a.address), reinterpret_cast<const half*>(b.address), p, accumulate, static_cast<const float*>(biasValues));
      break;
    case Element::Bf16:
      multiply(reinterpret_cast<float*>(dst.address), reinterpret_cast<const bfloat16_t*>(a.address), reinterpret_cast<const bfloat16_t*>(b.address), p, accumulate, static_cast<const float*>(biasValues));
      break;
    case Element::Float:
      multiply(reinterpret_cast<float*>(dst.address), reinterpret_cast<const float*>(a.address), reinterpret_cast<const float*>(b.address), p, accumulate, static_cast<const float*>(biasValues));
      break;
    default:
      multiplyIntegers(reinterpret_cast<int32_t*>(dst.address), reinterpret_cast<const int8_t*>(a.address), reinterpret_cast<const int8_t*>(b.address), p, accumulate, static_cast<const int32_t*>(biasValues));
  }
  recordCube(Pipe::M, mmadHeadCycles + rowBlocks * columnBlocks * depthBlocks * (element == Element::Float && !core->hf32 ? 2 : 1), 20);
}

namespace {

bool beginFixpipe(const char* name, const AscendC::FixpipeParamsV220& p, const WayOut& way) {
  requireMode(name, p, way);
  if (p.nSize == 0 || p.mSize == 0 || p.ndNum == 0) return false;
  requireSizes(name, p, way);
  if (way.scales != nullptr) checkLocal(name, {*way.scales, p.nSize * 8u, false, 32, "cbufWorkspace"}, Memory::L1);
  if (p.unitFlag != 0) core->hazards.ordersWithFixpipe();
  return true;
}

}  // namespace

void fixpipe(GmAddress dst, Operand src, const AscendC::FixpipeParamsV220& p, const WayOut& way) {
  const char* name = "Fixpipe";
  if (!beginFixpipe(name, p, way)) return;
  const uint32_t outBytes = bytesOf(way.to), matrices = way.layout == AscendC::CO2Layout::ROW_MAJOR ? p.ndNum : 1;
  if (way.layout == AscendC::CO2Layout::ROW_MAJOR) {
    if (p.dstStride < p.nSize && p.mSize > 1)
      trap({"ParameterRange", name, text("dstStride %u is smaller than nSize %u: rows overlap", p.dstStride, p.nSize), "dstStride is the row length of the output, in elements"});
    forEachRow(name, src, p, way, [&](uint32_t matrix, uint32_t row, const uint8_t* line) {
      uint8_t* to = dst + (uint64_t(matrix) * p.dstNdStride + uint64_t(row) * p.dstStride) * outBytes;
      checkGm(name, to, uint64_t(p.nSize) * outBytes, true);
      storeGlobal(to, line, size_t(p.nSize) * outBytes);
    });
  } else {
    const Groups groups(p, way);
    forEachRow(name, src, p, way, [&](uint32_t, uint32_t row, const uint8_t* line) {
      for (uint32_t group = 0; group < groups.number; ++group) {
        uint32_t bytes = groups.widthOf(group, p.nSize) * outBytes;
        uint8_t* to = dst + uint64_t(group) * p.dstStride * blockBytes + uint64_t(row) * bytes;
        checkGm(name, to, bytes, true);
        storeGlobal(to, line + size_t(group) * groups.width * outBytes, bytes);
      }
    });
  }
  record({TraceEntry::Write, Pipe::FIX, false, 10, 0, 92 + p.mSize * matrices * 2u, 0, clipped(uint64_t(matrices) * p.mSize * p.nSize * outBytes)});
}

void fixpipeLocal(Operand dst, Operand src, const AscendC::FixpipeParamsV220& p, const WayOut& way) {
  const char* name = "Fixpipe";
  if (!beginFixpipe(name, p, way)) return;
  const uint32_t outBytes = bytesOf(way.to);
  const Groups groups(p, way);
  const uint64_t stride = uint64_t(p.dstStride) * blockBytes, run = uint64_t(p.mSize) * groups.width * outBytes;
  const uint64_t last = uint64_t(p.mSize) * groups.widthOf(groups.number - 1, p.nSize) * outBytes;
  Reach reach = clipped((groups.number - 1) * stride + last);
  if (last == run) reach.runs = {clipped(run), groups.number, clipped(stride), 1, 0, 0};
  checkLocal(name, {dst, reach, true, blockBytes, "dst"}, Memory::L1);
  forEachRow(name, src, p, way, [&](uint32_t, uint32_t row, const uint8_t* line) {
    for (uint32_t group = 0; group < groups.number; ++group) {
      uint32_t bytes = groups.widthOf(group, p.nSize) * outBytes;
      std::memcpy(dst.address + group * stride + size_t(row) * bytes, line + size_t(group) * groups.width * outBytes, bytes);
    }
  });
  recordCube(Pipe::FIX, 10 + clipped(uint64_t(p.mSize) * p.nSize * outBytes / 128), 20);
}

void fill(Operand dst, uint32_t repeats, uint32_t blocks, uint32_t gap, uint64_t bits, uint32_t elementBytes) {
  const char* name = "Fill";
  requireRange(name, "repeatTimes", repeats, 0, 32767);
  requireRange(name, "blockNum", blocks, 0, 32767);
  requireRange(name, "dstGap", gap, 0, 32767);
  if (repeats == 0 || blocks == 0) return;
  const Buffer& buffer = bufferOf(dst);
  Memory memory = buffer.base != nullptr ? buffer.memory : memoryOf(dst.position);
  if (memory != Memory::L1 && memory != Memory::L0A && memory != Memory::L0B)
    trap({"ErrorBuffer3", name, text("dst is in %s; L1, L0A and L0B can be filled", nameOf(memory)), "use Duplicate for UB"});
  const uint32_t unit = memory == Memory::L1 ? blockBytes : fractalBytes;
  const uint64_t stride = uint64_t(blocks + gap) * unit, run = uint64_t(blocks) * unit;
  checkLocal(name, {dst, Reach(clipped((repeats - 1) * stride + run), {clipped(run), repeats, clipped(stride), 1, 0, 0}), true, static_cast<uint16_t>(unit), "dst"}, memory);
  for (uint32_t repeat = 0; repeat < repeats; ++repeat)
    for (uint64_t at = 0; at < run; at += elementBytes) std::memcpy(dst.address + repeat * stride + at, &bits, elementBytes);
  recordCube(memory == Memory::L1 ? Pipe::MTE2 : Pipe::MTE1, 8 + clipped(repeats * run / 256), 20);
}

void copyLocal(Operand dst, Operand src, const AscendC::DataCopyParams& p) {
  const Buffer& buffer = bufferOf(dst);
  Memory memory = buffer.base != nullptr ? buffer.memory : memoryOf(dst.position);
  // lengths count in blocks of the memory they go to
  uint32_t unit = memory == Memory::BT ? 2 : memory == Memory::FB ? 4 : 1;
  if (memory == Memory::FB && p.blockCount > 1) trap({"Unsupported", "DataCopy", "only one block at a time is copied to FB so far", "copy the blocks one by one"});
  dma::copyLocal(dst, src, p.blockCount, p.blockLen * blockBytes * unit, p.srcStride, p.dstStride * unit);
}

void setHf32(bool on) { core->hf32 = on; }
void setHf32TiesToZero(bool toZero) { core->hf32TiesToZero = toZero; }

}  // namespace npu_emu::cube
