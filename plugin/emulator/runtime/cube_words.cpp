#include "cube_words.h"

namespace npu_emu::cube {

std::vector<uint32_t> leftWords, rightWords;

namespace {

// What stands between the columns of a fractal, in T.
template <typename T>
constexpr uint32_t wideBytes = 32 / sizeof(T);

// `wide` elements as words.
template <typename T>
inline void toWords(uint32_t* out, const T* in) {
  if constexpr (std::is_same_v<T, int8_t>) {
    int16_t wider[32];
    for (int i = 0; i < 32; ++i) wider[i] = in[i];
    std::memcpy(out, wider, sizeof wider);
  } else if constexpr (std::is_same_v<T, Nibbles>) {
    int16_t wider[64];
    for (int i = 0; i < 32; ++i) {
      wider[2 * i] = static_cast<int16_t>(static_cast<int8_t>(in[i].bits << 4) >> 4);
      wider[2 * i + 1] = static_cast<int16_t>(static_cast<int8_t>(in[i].bits) >> 4);
    }
    std::memcpy(out, wider, sizeof wider);
  } else if constexpr (std::is_same_v<T, float>) {
    std::memcpy(out, in, 32);
  } else if constexpr (std::is_same_v<T, bfloat16_t>) {
    for (int i = 0; i < 16; ++i) out[i] = static_cast<uint32_t>(in[i].npu_emu_bits) << 16;
  } else {
    float wider[16];
#if defined(__F16C__)
    for (int i = 0; i < 16; i += 8)
      _mm256_storeu_ps(wider + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(in + i))));
#else
    for (int i = 0; i < 16; ++i) wider[i] = static_cast<float>(in[i]);
#endif
    std::memcpy(out, wider, sizeof wider);
  }
}

// The first `words` of the `wide` elements, with nothing beyond `elements` in a pair.
template <typename T>
inline void toWords(uint32_t* out, const T* in, uint32_t elements) {
  uint32_t all[32];
  toWords(all, in);
  if (isInteger<T> && elements % 2 != 0) all[elements / 2] &= 0xffff;
  std::memcpy(out, all, wordsOf<T>(elements) * 4);
}

}  // namespace

template <typename T>
void unpackLeft(const T* a, uint32_t m, uint32_t k, uint32_t fractalColumns) {
  const uint32_t words = wordsOf<T>(k);
  leftWords.resize(size_t(m) * words);
  for (uint32_t row = 0; row < m; ++row) {
    const T* from = m == 1 ? a : a + size_t(row / 16) * fractalColumns * 16 * wideBytes<T> + row % 16 * wideBytes<T>;
    const size_t step = m == 1 ? wideBytes<T> : 16 * wideBytes<T>;
    uint32_t* out = leftWords.data() + size_t(row) * words;
    for (uint32_t first = 0; first < k; first += wide<T>, from += step, out += wideWords<T>) {
      if (k - first >= wide<T>) toWords(out, from);
      else toWords(out, from, k - first);
    }
  }
}

template <typename T>
void unpackRight(const T* b, uint32_t k, uint32_t n) {
  const uint32_t fractalColumns = ceilDivide(n, 16), words = wordsOf<T>(k);
  rightWords.resize(size_t(fractalColumns) * words * panelWidth);
  for (uint32_t panel = 0; panel < fractalColumns; ++panel) {
    uint32_t* out = rightWords.data() + size_t(panel) * words * panelWidth;
    for (uint32_t first = 0; first < k; first += wide<T>, out += wideWords<T> * panelWidth) {
      const T* fractal = b + (size_t(first / wide<T>) * fractalColumns + panel) * 16 * wideBytes<T>;
      uint32_t columns[16 * wideWords<T>], turned[16 * wideWords<T>];
      for (uint32_t column = 0; column < 16; ++column) {
        uint32_t* line = columns + column * wideWords<T>;
        if (k - first >= wide<T>) toWords(line, fractal + column * wideBytes<T>);
        else toWords(line, fractal + column * wideBytes<T>, k - first);
      }
      const uint32_t depth = std::min(wideWords<T>, wordsOf<T>(k - first));
      uint32_t* to = depth == wideWords<T> ? out : turned;
      for (uint32_t word = 0; word < wideWords<T>; word += 8)
        for (uint32_t column = 0; column < 16; column += 8)
          turnSquare<Words8>(to + word * panelWidth + column, panelWidth, columns + column * wideWords<T> + word,
                             wideWords<T>);
      if (to == turned) std::memcpy(out, turned, size_t(depth) * panelWidth * 4);
    }
  }
}

void unpackRightSparse(const int8_t* b, const uint8_t* index, uint32_t k, uint32_t n) {
  const uint32_t fractalColumns = ceilDivide(n, 16), words = ceilDivide(k, 4) * 2;
  rightWords.assign(size_t(fractalColumns) * words * panelWidth, 0);
  for (uint32_t panel = 0; panel < fractalColumns; ++panel) {
    for (uint32_t column = 0; column < 16; ++column) {
      for (uint32_t four = 0; four < words / 2; ++four) {
        const uint32_t depth = 2 * four;
        const size_t at = (size_t(depth / 32) * fractalColumns + panel) * fractalBytes + column * 32 + depth % 32;
        const uint32_t places = index[at / 4] >> (depth % 4 * 2);
        int16_t values[4] = {};
        values[places & 3] = b[at];
        // the second of two counts from the second place on
        const uint32_t second = 1 + (places >> 2 & 3);
        if (second < 4) values[second] = static_cast<int16_t>(values[second] + b[at + 1]);
        for (uint32_t half = 0; half < 2; ++half)
          std::memcpy(&rightWords[((size_t(panel) * words) + 2 * four + half) * panelWidth + column], values + 2 * half,
                      4);
      }
    }
  }
}

template void unpackLeft(const half*, uint32_t, uint32_t, uint32_t);
template void unpackLeft(const bfloat16_t*, uint32_t, uint32_t, uint32_t);
template void unpackLeft(const float*, uint32_t, uint32_t, uint32_t);
template void unpackLeft(const int8_t*, uint32_t, uint32_t, uint32_t);
template void unpackLeft(const Nibbles*, uint32_t, uint32_t, uint32_t);
template void unpackRight(const half*, uint32_t, uint32_t);
template void unpackRight(const bfloat16_t*, uint32_t, uint32_t);
template void unpackRight(const float*, uint32_t, uint32_t);
template void unpackRight(const int8_t*, uint32_t, uint32_t);
template void unpackRight(const Nibbles*, uint32_t, uint32_t);

namespace {

// Halfway cases go to the even neighbour or towards zero.
void shorten(std::vector<uint32_t>& values) {
  constexpr uint32_t dropped = 23 - 11, half = 1u << (dropped - 1);
  for (uint32_t& bits : values) {
    if ((bits >> 23 & 255) == 255) continue;
    bits += core->cube.hf32TiesToZero ? half - 1 : half - 1 + (bits >> dropped & 1);
    bits &= ~((1u << dropped) - 1);
  }
}

}  // namespace

void shortenMantissas() {
  shorten(leftWords);
  shorten(rightWords);
}

}  // namespace npu_emu::cube
