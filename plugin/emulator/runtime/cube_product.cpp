// The cube core: matrix multiplication of what lies in L0A and L0B into L0C.
//
// A column of fractals of L0C is 16 wide and row-major throughout, so that rows are taken six at a time.
// Each element is summed in the order of k, with one rounding for each product: the order of the loops changes no bit.
#include "cube_words.h"
#include "dry_run.h"

namespace npu_emu::cube {

namespace {

constexpr uint32_t mmadHeadCycles = 6;

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

template <typename V, typename T>
inline V loadAs(const T* address) {
  V value;
  std::memcpy(&value, address, sizeof value);
  return value;
}

// Pairs of products of 16-bit integers, added: one step of two along k. Sums wrap around.
inline Words8 multiplyAdd(Words8 a, Words8 b, Words8 c) {
#if defined(__AVX2__)
  return c + (Words8)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#else
  auto low = [](uint32_t pair) { return static_cast<int32_t>(static_cast<int16_t>(pair & 0xffff)); };
  auto high = [](uint32_t pair) { return static_cast<int32_t>(static_cast<int16_t>(pair >> 16)); };
  for (int i = 0; i < 8; ++i) c[i] += static_cast<uint32_t>(low(a[i]) * low(b[i]) + high(a[i]) * high(b[i]));
  return c;
#endif
}

// c (rows x 16, row-major) += a (rows x k, stride k) * b (k x 16); of integers, k counts pairs.
template <int rows, typename Sum>
void multiplyRows(Sum* c, const Sum* a, const Sum* b, uint32_t k) {
  using Lanes = std::conditional_t<std::is_same_v<Sum, float>, Vec8, Words8>;
  Lanes sums[rows][2];
  for (int r = 0; r < rows; ++r)
    for (int h = 0; h < 2; ++h) sums[r][h] = loadAs<Lanes>(c + r * 16 + h * 8);
  for (uint32_t i = 0; i < k; ++i) {
    Lanes low = loadAs<Lanes>(b + size_t(i) * 16), high = loadAs<Lanes>(b + size_t(i) * 16 + 8);
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r) {
      Sum value = a[size_t(r) * k + i];
      Lanes broadcast = {value, value, value, value, value, value, value, value};
      sums[r][0] = multiplyAdd(broadcast, low, sums[r][0]);
      sums[r][1] = multiplyAdd(broadcast, high, sums[r][1]);
    }
  }
  for (int r = 0; r < rows; ++r)
    for (int h = 0; h < 2; ++h) std::memcpy(c + r * 16 + h * 8, &sums[r][h], sizeof(Lanes));
}

// Words as what is added up.
template <typename Sum>
const Sum* asSums(const std::vector<uint32_t>& words) {
  return reinterpret_cast<const Sum*>(words.data());
}

// What the left matrix takes along k. Floats that came transposed fill whole squares of 16.
uint32_t alignedDepth(const AscendC::MmadParams& p, uint32_t width) {
  const uint32_t unit = p.kDirectionAlign && width == 8 ? 16 : width;
  return ceilDivide(p.k, unit) * unit;
}

// What is unpacked, of `words` along k. Sum is float, or uint32_t for integers.
template <typename Sum>
void multiplyUnpacked(Sum* c, const AscendC::MmadParams& p, uint32_t words, bool accumulate, const Sum* bias) {
  const uint32_t rowBlocks = ceilDivide(p.m, 16), columnBlocks = ceilDivide(p.n, 16);
  constexpr void (*multiplyRest[])(Sum*, const Sum*, const Sum*, uint32_t) = {
      nullptr, multiplyRows<1>, multiplyRows<2>, multiplyRows<3>, multiplyRows<4>, multiplyRows<5>};
  for (uint32_t j = 0; j < columnBlocks; ++j) {
    Sum* column = c + size_t(j) * rowBlocks * 256;
    if (!accumulate) {
      for (uint32_t row = 0; row < p.m; ++row)
        for (uint32_t i = 0; i < 16; ++i) column[row * 16 + i] = bias != nullptr ? bias[j * 16 + i] : Sum(0);
    }
    const Sum* left = asSums<Sum>(leftWords);
    const Sum* right = asSums<Sum>(rightWords) + size_t(j) * words * panelWidth;
    uint32_t row = 0;
    for (; row + 6 <= p.m; row += 6) multiplyRows<6>(column + row * 16, left + size_t(row) * words, right, words);
    if (row < p.m) multiplyRest[p.m - row](column + row * 16, left + size_t(row) * words, right, words);
  }
}

// Where sums start: at what is in L0C, at a bias, or at zero.
struct SumStart {
  bool accumulates;
  const uint8_t* bias;  // nullptr: none

  SumStart(const Operand* bias, const AscendC::MmadParams& p)
      // sums that are told to start at zero do so, also where a bias is given
      : accumulates(bias == nullptr && (p.isBias || !p.cmatrixInitVal)),
        bias(bias == nullptr || p.cmatrixInitVal ? nullptr : bias->address) {}
};

// Which sums follow from leftovers: those of a row of A, or a column of B, that has some. Operands are unpacked as they are for the
// product, from their images.
template <typename Unpack>
void followSums(const Operand& dst, const AscendC::MmadParams& p, const SumStart& start, uint32_t words,
                const Unpack& unpack) {
  Leftovers& leftovers = core->hazards.leftovers();
  if (leftovers.isEmpty()) return;
  unpack(leftovers);
  const auto isSet = [](uint32_t word) { return word != 0; };
  std::vector<bool> rows(p.m);
  for (uint32_t row = 0; row < p.m; ++row) {
    const uint32_t* left = leftWords.data() + size_t(row) * words;
    rows[row] = std::any_of(left, left + words, isSet);
  }
  const auto* bias = reinterpret_cast<const uint32_t*>(start.bias == nullptr ? nullptr : leftovers.at(start.bias));
  auto* sums = reinterpret_cast<uint32_t*>(leftovers.at(dst.address));
  const uint32_t rowBlocks = ceilDivide(p.m, 16);
  for (uint32_t column = 0; column < ceilDivide(p.n, 16) * 16; ++column) {
    const uint32_t* right = rightWords.data() + size_t(column / 16) * words * panelWidth + column % 16;
    bool ofColumn = bias != nullptr && column < p.n && bias[column] != 0;
    for (uint32_t word = 0; word < words; ++word) ofColumn = ofColumn || right[size_t(word) * panelWidth] != 0;
    uint32_t* sum = sums + size_t(column / 16) * rowBlocks * 256 + column % 16;
    for (uint32_t row = 0; row < p.m; ++row, sum += 16)
      *sum = ofColumn || rows[row] || (start.accumulates && *sum != 0) ? ~0u : 0;
  }
}

template <typename Sum, typename T>
void multiplyOperands(const Operand& dst, const Operand& a, const Operand& b, const AscendC::MmadParams& p,
                      const SumStart& start) {
  const auto unpack = [&](const uint8_t* left, const uint8_t* right) {
    unpackLeft(reinterpret_cast<const T*>(left), p.m, p.k, alignedDepth(p, wide<T>) / wide<T>);
    unpackRight(reinterpret_cast<const T*>(right), p.k, p.n);
  };
  followSums(dst, p, start, wordsOf<T>(p.k),
             [&](Leftovers& leftovers) { unpack(leftovers.at(a.address), leftovers.at(b.address)); });
  unpack(a.address, b.address);
  if (std::is_same_v<T, float> && core->cube.hf32) shortenMantissas();
  multiplyUnpacked(reinterpret_cast<Sum*>(dst.address), p, wordsOf<T>(p.k), start.accumulates,
                   reinterpret_cast<const Sum*>(start.bias));
}

void requireSizes(const char* name, const AscendC::MmadParams& p) {
  requireRange(name, "m", p.m, 0, 4095);
  requireRange(name, "n", p.n, 0, 4095);
  requireRange(name, "k", p.k, 0, 4095);
}

uint32_t fractalsOf(const AscendC::MmadParams& p) { return ceilDivide(p.m, 16) * ceilDivide(p.n, 16); }

Instruction productOf(const char* name, const AscendC::MmadParams& p, uint32_t fractalProducts) {
  Instruction product{name, Pipe::M, mmadHeadCycles + fractalProducts, cubeTail};
  product.keepsOwnOrder = fractalsOf(p) >= accumulationOrderFractals;
  return product;
}

// A product with a unit flag writes each fractal as soon as Fixpipe has cleared its flag.
void followFixpipe(const Operand& dst, const AscendC::MmadParams& p) {
  if (p.unitFlag == 0) return;
  const SumFractals sums = sumFractalsOf(core->cube.cleared, dst.address, uint64_t(fractalsOf(p)) * sumBytes);
  const uint64_t latest = sums.begin() == sums.end() ? 0 : *std::max_element(sums.begin(), sums.end());
  if (latest != 0) followToken(Pipe::M, tokenOf(firstTokenOfFixpipe, latest));
  std::fill(sums.begin(), sums.end(), 0);
}

// A unit flag of 3 hands sums over to Fixpipe. A device has the next product with such a flag wait until Fixpipe has taken
// them: what it adds comes too late, or never.
void handOver(const char* name, const Operand& dst, const AscendC::MmadParams& p) {
  constexpr uint8_t handsOver = 3;
  if (p.unitFlag == 0) return;
  const SumFractals sums = sumFractalsOf(core->cube.handedOver, dst.address, uint64_t(fractalsOf(p)) * sumBytes);
  if (std::any_of(sums.begin(), sums.end(), [](uint64_t product) { return product != 0; }))
    report({Check::ErrorSync4, name,
            "an earlier product has handed these sums over by its unitFlag 3, and no Fixpipe has taken them",
            "unitFlag is 3 for the last product into an accumulator, and 2 for those before it"});
  if (p.unitFlag != handsOver) return;
  const uint64_t own = nextHandOver(dst.address);
  std::fill(sums.begin(), sums.end(), own);
  setToken(Pipe::M, tokenOf(firstTokenOfProducts, own), 0);
  core->cube.handedOverAt = core->place;
}

Extent writesSums(const Operand& dst, const AscendC::MmadParams& p) {
  return {dst, fractalsOf(p) * sumBytes, writes, "dst", 1024, Memory::L0C};
}
Extent readsLeft(const Operand& a, uint32_t bytes) { return {a, bytes, reads, "fm", fractalBytes, Memory::L0A}; }
Extent readsRight(const Operand& b, uint32_t fractals) {
  return {b, fractals * fractalBytes, reads, "filter", fractalBytes, Memory::L0B};
}
// A product without a bias touches none of it.
Extent readsBias(const Operand* bias, const AscendC::MmadParams& p) {
  return {bias != nullptr ? *bias : Operand{}, bias != nullptr ? p.n * 4u : 0, reads, "bias", 64, Memory::BT};
}

// The start of the bias table, which a product takes without a bias operand where its parameters say so.
Operand biasTable() { return {core->memory[static_cast<size_t>(Memory::BT)], 0, AscendC::TPosition::C2}; }
bool takesBiasTable(const AscendC::MmadParams& p) { return p.cmatrixSource && !p.cmatrixInitVal && !p.isBias; }

}  // namespace

void mmad(Operand dst, Operand a, Operand b, const Operand* bias, const AscendC::MmadParams& p, Element element) {
  const char* name = "Mmad";
  requireSizes(name, p);
  if (p.m == 0 || p.n == 0 || p.k == 0) return;
  const uint32_t width = widthOf(element);
  if (element == Element::Int4 && p.k % 2 != 0)
    trap({Check::ParameterRange, name, text("k is %u; int4b_t come in pairs", p.k), "pad k to an even number"});
  const uint32_t rowBlocks = ceilDivide(p.m, 16), columnBlocks = ceilDivide(p.n, 16),
                 depthBlocks = ceilDivide(p.k, width);
  const uint32_t aBytes =
      p.m == 1 ? depthBlocks * blockBytes : rowBlocks * (alignedDepth(p, width) / width) * fractalBytes;
  const Operand table = biasTable();
  if (bias == nullptr && takesBiasTable(p)) bias = &table;
  const uint32_t passes = element == Element::Float && !core->cube.hf32 ? 2 : 1;
  followFixpipe(dst, p);
  issue(productOf(name, p, rowBlocks * columnBlocks * depthBlocks * passes),
        {readsLeft(a, aBytes), readsRight(b, depthBlocks * columnBlocks), writesSums(dst, p), readsBias(bias, p)}, [&] {
          handOver(name, dst, p);
          const SumStart start(bias, p);
          switch (element) {
            case Element::Half: return multiplyOperands<float, half>(dst, a, b, p, start);
            case Element::Bf16: return multiplyOperands<float, bfloat16_t>(dst, a, b, p, start);
            case Element::Float: return multiplyOperands<float, float>(dst, a, b, p, start);
            case Element::Int4: return multiplyOperands<uint32_t, Nibbles>(dst, a, b, p, start);
            default: return multiplyOperands<uint32_t, int8_t>(dst, a, b, p, start);
          }
        });
}

// Half as many products as the depth of A says: the others have a zero on the right.
void mmadSparse(Operand dst, Operand a, Operand b, const AscendC::MmadParams& p) {
  const char* name = "MmadWithSparse";
  requireSizes(name, p);
  if (p.m == 0 || p.n == 0 || p.k == 0) return;
  if (p.m == 1)
    trap({Check::ParameterRange, name, "m is 1, and products with a vector are not available",
          "use Mmad, or pad A to several rows"});
  if (p.k % 4 != 0)
    trap({Check::ParameterRange, name, text("k is %u; two of four elements of B are there", p.k),
          "pad k to a multiple of 4"});
  const std::vector<uint8_t>& index = core->cube.sparseIndex;
  if (index.empty()) {
    // a dry run loads nothing
    needComputed();
    trap({Check::ErrorBuffer0, name, "nothing says which elements of filter are there",
          "load filter with LoadDataWithSparse"});
  }
  const uint32_t rowBlocks = ceilDivide(p.m, 16), columnBlocks = ceilDivide(p.n, 16),
                 depthBlocks = ceilDivide(p.k / 2, 32), leftColumns = ceilDivide(p.k, 32);
  const Operand table = biasTable(), *bias = takesBiasTable(p) ? &table : nullptr;
  followFixpipe(dst, p);
  issue(productOf(name, p, rowBlocks * columnBlocks * depthBlocks),
        {readsLeft(a, rowBlocks * leftColumns * fractalBytes), readsRight(b, depthBlocks * columnBlocks),
         writesSums(dst, p), readsBias(bias, p)},
        [&] {
          handOver(name, dst, p);
          const SumStart start(bias, p);
          // where in its column an element of B belongs does not matter here
          const std::vector<uint8_t> places(index.size());
          followSums(dst, p, start, ceilDivide(p.k, 4) * 2, [&](Leftovers& leftovers) {
            unpackLeft(reinterpret_cast<const int8_t*>(leftovers.at(a.address)), p.m, p.k, leftColumns);
            unpackRightSparse(reinterpret_cast<const int8_t*>(leftovers.at(b.address)), places.data(), p.k, p.n);
          });
          unpackLeft(reinterpret_cast<const int8_t*>(a.address), p.m, p.k, leftColumns);
          unpackRightSparse(reinterpret_cast<const int8_t*>(b.address),
                            index.data() + (b.address - core->memory[static_cast<size_t>(Memory::L0B)]) / 4, p.k, p.n);
          multiplyUnpacked(reinterpret_cast<uint32_t*>(dst.address), p, p.k / 2u, start.accumulates,
                           reinterpret_cast<const uint32_t*>(start.bias));
        });
}

void setHf32(bool on) { core->cube.hf32 = on; }
void setHf32TiesToZero(bool toZero) { core->cube.hf32TiesToZero = toZero; }

}  // namespace npu_emu::cube
