// Operands of products as the words that the host multiplies: a float, or two integers of 16 bits.
//
// Both sides are laid out anew for the vector units of the host: rows of the left one, panels of 16 columns of the
// right one.
#pragma once

#include "cube.h"

namespace npu_emu::cube {

constexpr uint32_t panelWidth = 16;

// Two integers of 4 bits.
struct Nibbles {
  uint8_t bits;
};

template <typename T>
constexpr bool isInteger = sizeof(T) == 1;

// What a fractal is wide, in elements and in words.
template <typename T>
constexpr uint32_t wide = std::is_same_v<T, Nibbles> ? 64 : 32 / sizeof(T);
template <typename T>
constexpr uint32_t wideWords = isInteger<T> ? wide<T> / 2 : wide<T>;

// The words of a row: pairs where elements are integers.
template <typename T>
constexpr uint32_t wordsOf(uint32_t k) {
  return isInteger<T> ? (k + 1) / 2 : k;
}

// The words of one product. Kept between calls.
extern std::vector<uint32_t> leftWords, rightWords;

// Each of these is there for half, bfloat16_t, float, int8_t and Nibbles.
// A in L0A: rows of fractals, `fractalColumns` each; with one row it is a plain vector.
template <typename T>
void unpackLeft(const T* a, uint32_t m, uint32_t k, uint32_t fractalColumns);
// B in L0B: fractal (k block, n block), column-major inside.
template <typename T>
void unpackRight(const T* b, uint32_t k, uint32_t n);

// B of half the depth: of four elements along k, two are there, and `index` says in two bits each where they belong.
void unpackRightSparse(const int8_t* b, const uint8_t* index, uint32_t k, uint32_t n);

// HF32: both sides with shorter mantissas.
void shortenMantissas();

}  // namespace npu_emu::cube
