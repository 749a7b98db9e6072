// The cube core: GM -> L1 (ND to NZ), L1 -> L0 by 512-byte fractals, matrix multiplication, L0C -> GM.
//
// Layouts (element sizes of half): L1 NZ - columns of 16-wide fractals; L0A ZZ - rows of fractals, each row-major (m, k);
// L0B ZN - rows of fractals along k, each column-major; L0C NZ - columns of 16 x 16 fractals, each row-major.
#include <cstring>

#include "device.h"
#include "numerics.h"
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

template <typename T>
void multiply(float* c, const T* a, const T* b, const AscendC::MmadParams& p, bool accumulate, const float* bias) {
  unpackLeft(a, p.m, p.k);
  unpackRight(b, p.k, p.n);
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

void convertRow(uint8_t* out, const float* in, uint32_t n, Element type, bool relu) {
  float values[16];
  for (uint32_t i = 0; i < n; ++i) values[i] = relu && in[i] < 0 ? 0.0f : in[i];
  if (type == Element::Half) narrow(reinterpret_cast<half*>(out), values, n);
  else if (type == Element::Bf16) narrow(reinterpret_cast<bfloat16_t*>(out), values, n);
  else std::memcpy(out, values, n * sizeof(float));
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

void loadDataTranspose(Operand dst, Operand src, const AscendC::LoadData2dTransposeParams& p, uint32_t elementBytes) {
  const char* name = "LoadDataWithTranspose";
  if (p.repeatTimes == 0) return;
  if (elementBytes != 2) trap({"Unsupported", name, "only 16-bit elements are supported so far", "use LoadData for other types"});
  AscendC::LoadData2DParams plain;
  plain.startIndex = p.startIndex;
  plain.repeatTimes = p.repeatTimes;
  plain.srcStride = p.srcStride;
  plain.dstGap = p.dstGap;
  plain.ifTranspose = true;
  plain.addrMode = p.addrMode;
  loadData(dst, src, plain, elementBytes);
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
  recordCube(Pipe::M, mmadHeadCycles + rowBlocks * columnBlocks * depthBlocks * (element == Element::Float ? 2 : 1), 20);
}

void fixpipe(GmAddress dst, Operand src, const AscendC::FixpipeParamsV220& p, AscendC::CO2Layout layout, Element dstType, Element srcType) {
  const char* name = "Fixpipe";
  if (layout != AscendC::CO2Layout::ROW_MAJOR || p.ndNum > 1)
    trap({"Unsupported", name, "only CFG_ROW_MAJOR with ndNum 1 is supported so far", "write row-major output"});
  QuantMode_t needed = dstType == Element::Half ? F322F16 : dstType == Element::Bf16 ? F322BF16 : NoQuant;
  if (p.quantPre != needed)
    trap({"FixpipeQuant", name, text("quantPre %d does not fit the output type", p.quantPre), "use F322F16 for half, F322BF16 for bfloat16_t, NoQuant for the type of L0C"});
  requireRange(name, "nSize", p.nSize, 0, 4095);
  requireRange(name, "mSize", p.mSize, 0, 8192);
  if (p.nSize == 0 || p.mSize == 0) return;
  requireRange(name, "dstStride", p.dstStride, 1, UINT32_MAX);
  if (p.dstStride < p.nSize && p.mSize > 1)
    trap({"ParameterRange", name, text("dstStride %u is smaller than nSize %u: rows overlap", p.dstStride, p.nSize), "dstStride is the row length of the output, in elements"});
  uint32_t columnBlocks = ceilDivide(p.nSize, 16);
  uint64_t span = (uint64_t(columnBlocks - 1) * p.srcStride + p.mSize) * 64;
  checkLocal(name, {src, Reach(clipped(span), {p.mSize * 64u, columnBlocks, p.srcStride * 64u, 1, 0, 0}), false, 64, "src"}, Memory::L0C);
  if (p.unitFlag != 0) core->hazards.ordersWithFixpipe();
  uint32_t outBytes = bytesOf(dstType);
  for (uint32_t row = 0; row < p.mSize; ++row) {
    uint8_t* to = dst + uint64_t(row) * p.dstStride * outBytes;
    checkGm(name, to, uint64_t(p.nSize) * outBytes, true);
    for (uint32_t block = 0; block < columnBlocks; ++block) {
      const uint8_t* from = src.address + (uint64_t(block) * p.srcStride + row) * 64;
      uint32_t n = std::min<uint32_t>(16, p.nSize - block * 16u);
      if (srcType == Element::Int32) std::memcpy(to + uint64_t(block) * 64, from, n * 4);
      else convertRow(to + uint64_t(block) * 16 * outBytes, reinterpret_cast<const float*>(from), n, dstType, p.reluEn);
    }
  }
  record({TraceEntry::Write, Pipe::FIX, false, 10, 0, 92 + p.mSize * 2u, 0, static_cast<uint32_t>(uint64_t(p.mSize) * p.nSize * outBytes)});
}

}  // namespace npu_emu::cube
