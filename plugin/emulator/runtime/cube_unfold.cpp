// The cube core: loads from L1 to L0 that unfold a feature map (NC1HWC0) into the matrix of a convolution.
//
// A row stands for a place of the filter, a column for one channel at one of its points: blocks of channels from the
// outside in, then rows and columns of the filter. With a filter of one point the matrix is the feature map itself,
// columns of blocks.
#include "cube.h"

namespace npu_emu::cube {

namespace {

const char* const name = "LoadData";

// The matrix that is unfolded, element by element from the image in L1.
struct Image {
  const uint8_t* base;
  const Unfolding& u;
  uint32_t bits, blockElements;                // of an element; in a whole block of channels
  int32_t height, width, outHeight, outWidth;  // outHeight x outWidth places of the filter
  uint32_t wholeBlocks, rest, points;          // channels as whole blocks, and the rest behind them
  const CubeRegisters& registers = core->cube;

  Image(const uint8_t* at, const Unfolding& unfolding, uint32_t elementBits)
      : base(at), u(unfolding), bits(elementBits), blockElements(256 / elementBits) {
    height = registers.imageHeight, width = registers.imageWidth;
    const uint8_t* pads = registers.pads;
    outWidth = (width + pads[0] + pads[1] - ((u.filterW - 1) * u.dilationW + 1)) / u.strideW + 1;
    outHeight = (height + pads[2] + pads[3] - ((u.filterH - 1) * u.dilationH + 1)) / u.strideH + 1;
    points = uint32_t(u.filterW) * u.filterH;
    wholeBlocks = u.channels / blockElements, rest = u.channels % blockElements;
  }

  uint64_t bytesOf(uint64_t elements) const { return elements * bits / 8; }
  uint64_t blockBytesOf(uint32_t block) const {
    return bytesOf(uint64_t(height) * width * (block < wholeBlocks ? blockElements : rest));
  }
  uint64_t offsetOf(uint32_t block) const { return bytesOf(uint64_t(height) * width * blockElements) * block; }
  uint32_t columns() const { return points * u.channels; }

  // `count` columns from `k` on of row `m`; those that are not there are zero.
  void row(uint8_t* out, uint32_t m, uint32_t k, uint32_t count) const {
    std::memset(out, 0, bytesOf(count));
    if (m >= uint32_t(outHeight) * uint32_t(outWidth)) return;
    const int32_t top = int32_t(m) / outWidth * u.strideH - registers.pads[2],
                  left = int32_t(m) % outWidth * u.strideW - registers.pads[0];
    while (count > 0 && k < columns()) {
      const uint32_t whole = wholeBlocks * points * blockElements;
      const bool isRest = k >= whole;
      const uint32_t width_ = isRest ? rest : blockElements, within = isRest ? k - whole : k % (points * blockElements);
      const uint32_t block = isRest ? wholeBlocks : k / (points * blockElements), point = within / width_,
                     channel = within % width_;
      const uint32_t run = std::min(count, width_ - channel);
      const int32_t h = top + int32_t(point / u.filterW) * u.dilationH,
                    w = left + int32_t(point % u.filterW) * u.dilationW;
      if (h < 0 || h >= height || w < 0 || w >= width) pad(out, run);
      else
        std::memcpy(out, base + offsetOf(block) + bytesOf((uint64_t(h) * width + w) * width_ + channel), bytesOf(run));
      out += bytesOf(run), k += run, count -= run;
    }
  }

  void pad(uint8_t* out, uint32_t count) const {
    const uint8_t low = registers.padBits & 15;
    if (bits == 4) std::memset(out, low | low << 4, count / 2);
    else
      for (uint32_t i = 0; i < count; ++i) std::memcpy(out + i * (bits / 8), &registers.padBits, bits / 8);
  }

  // What rows from `m` on read of one block, at most: pixels from the first to the last.
  std::pair<uint64_t, uint64_t> pixels(uint32_t m, uint32_t rows) const {
    const uint32_t last = std::min(m + rows, uint32_t(outHeight) * uint32_t(outWidth));
    if (m >= last) return {0, 0};
    const auto rowOf = [&](uint32_t at) { return int32_t(at) / outWidth * u.strideH - registers.pads[2]; };
    const auto columnOf = [&](uint32_t at) { return int32_t(at) % outWidth * u.strideW - registers.pads[0]; };
    const int32_t reachH = (u.filterH - 1) * u.dilationH, reachW = (u.filterW - 1) * u.dilationW;
    const bool oneLine = m / outWidth == (last - 1) / outWidth;
    const int32_t left = oneLine ? columnOf(m) : 0, right = oneLine ? columnOf(last - 1) + reachW : width - 1;
    const auto clamped = [](int32_t value, int32_t size) { return uint64_t(std::min(std::max(value, 0), size - 1)); };
    const uint64_t first = clamped(rowOf(m), height) * width + clamped(left, width);
    const uint64_t end = clamped(rowOf(last - 1) + reachH, height) * width + clamped(right, width) + 1;
    return {first, std::max(first, end)};
  }
};

// Where fractals of the result go. A tile is 16 rows of 32 bytes.
struct Placement {
  Memory memory;
  bool transposes;
  uint32_t bits, rowBlocks, columnBlocks;

  // 32-bit elements turn in squares of 16: two tiles beside each other become two above each other.
  uint32_t wholeColumns() const { return ceilDivide(columnBlocks, 2); }
  uint64_t bytes() const {
    const bool squares = bits == 32 && (transposes || memory == Memory::L0B);
    return uint64_t(rowBlocks) * (squares ? wholeColumns() * 2 : columnBlocks) * fractalBytes;
  }

  void put(uint8_t* dst, const uint8_t* tile, uint32_t i, uint32_t j) const {
    if (memory == Memory::L0A && !transposes) {
      std::memcpy(dst + (uint64_t(i) * columnBlocks + j) * fractalBytes, tile, fractalBytes);
    } else if (bits == 16) {
      const uint64_t index = memory == Memory::L0A ? uint64_t(j) * rowBlocks + i : uint64_t(i) * columnBlocks + j;
      const auto* in = reinterpret_cast<const uint16_t*>(tile);
      auto* out = reinterpret_cast<uint16_t*>(dst + index * fractalBytes);
      for (uint32_t r = 0; r < 16; r += 8)
        for (uint32_t c = 0; c < 16; c += 8) turnSquare<Halves8>(out + c * 16 + r, 16, in + r * 16 + c, 16);
    } else {
      // eight rows of the image each are one fractal along k, of which this tile fills eight lines
      for (uint32_t part = 0; part < 2; ++part) {
        const uint64_t index = memory == Memory::L0A ? (uint64_t(j / 2) * rowBlocks + i) * 2 + part
                                                     : (uint64_t(i) * 2 + part) * wholeColumns() + j / 2;
        auto* out = reinterpret_cast<uint32_t*>(dst + index * fractalBytes) + j % 2 * 64;
        turnSquare<Words8>(out, 8, reinterpret_cast<const uint32_t*>(tile) + part * 64, 8);
      }
    }
  }
};

void requireUnfolding(const Unfolding& u, Memory memory, uint32_t bits) {
  requireBits(name, bits);
  constexpr uint64_t columnLimit = 1u << 28;  // more than can be told apart
  if (uint64_t(u.filterW) * u.filterH * std::max<uint32_t>(u.channels, 64) > columnLimit)
    trap({Check::ParameterRange, name,
          text("a filter of %u x %u over %u channels is too large", u.filterW, u.filterH, u.channels),
          "check the filter"});
  requireRange(name, "strideW", u.strideW, 1, 63);
  requireRange(name, "strideH", u.strideH, 1, 63);
  requireRange(name, "dilationFilterW", u.dilationW, 1, 255);
  requireRange(name, "dilationFilterH", u.dilationH, 1, 255);
  const uint32_t block = 256 / bits, rest = u.channels % block;
  if (rest != 0 && (rest & (rest - 1)) != 0)
    trap({Check::ParameterRange, name,
          text("channelSize %u is no multiple of %u, with 4, 8 or 16 more at most", u.channels, block),
          "pad the channels"});
  if (rest != 0 && rest < (bits == 4 ? 8u : 4u))
    trap({Check::ParameterRange, name, text("channelSize %u leaves %u channels in the last block", u.channels, rest),
          "pad the channels"});
  if (u.kStart % block != 0)
    trap(
        {Check::ParameterRange, name, text("kStartPt %u is no multiple of %u", u.kStart, block), "start at a fractal"});
  if (memory == Memory::L0B && bits < 16)
    trap({Check::ParameterRange, name, "only 16- and 32-bit elements are unfolded into L0B",
          "use LoadDataWithTranspose"});
  if (u.transposes && bits < 16)
    trap({Check::ParameterRange, name, "enTranspose works on 16- and 32-bit elements only",
          "use LoadDataWithTranspose"});
}

struct Range {
  uint32_t first, number;
};

// What is read of the blocks of channels that the columns lie in; nothing where all of it is padding.
Extent readsImage(const Image& image, const Operand& src, const Range& columns, const Range& rows) {
  Extent nothing{src, 0, reads, "src", blockBytes, Memory::L1};
  const uint32_t lastK = std::min(columns.first + columns.number, image.columns()) - 1;
  const uint32_t perBlock = image.points * image.blockElements, firstBlock = columns.first / perBlock,
                 lastBlock = std::min(lastK / perBlock, image.wholeBlocks);
  const auto [first, end] = image.pixels(rows.first, rows.number);
  if (columns.first > lastK || end <= first) return nothing;
  Operand read = src;
  const bool whole = firstBlock < image.wholeBlocks;
  const uint64_t pixel = image.bytesOf(whole ? image.blockElements : image.rest);
  const uint32_t skipped = static_cast<uint32_t>(first * pixel / blockBytes * blockBytes);
  read.address += image.offsetOf(firstBlock) + skipped;
  const uint64_t run =
      lastBlock == image.wholeBlocks && whole ? image.bytesOf(end * image.rest) : end * pixel - skipped;
  const uint64_t span = image.offsetOf(lastBlock) - image.offsetOf(firstBlock) + run;
  const uint32_t boundary = core->cube.boundary;
  if (boundary != 0 && uint64_t(read.address + span - core->memory[static_cast<size_t>(Memory::L1)]) > boundary)
    trap({Check::Unsupported, name, "the image goes on at the start of L1, behind the boundary of SetLoadDataBoundary",
          "set the boundary to 0 and keep the image in one piece"});
  Reach reach = clipped(span);
  if (lastBlock < image.wholeBlocks)
    reach.runs = {clipped(run), lastBlock - firstBlock + 1, clipped(image.offsetOf(1)), 1, 0, 0};
  return {read, reach, reads, "src", blockBytes, Memory::L1};
}

}  // namespace

void loadDataUnfolded(Operand dst, Operand src, const Unfolding& u, uint32_t bits) {
  const CubeRegisters& registers = core->cube;
  const AscendC::LoadDataRepeatParam& repeat = registers.repeat;
  if (u.channels == 0 || u.kExtension == 0 || u.mExtension == 0 || u.filterW == 0 || u.filterH == 0 ||
      repeat.repeatTime == 0)
    return;
  requireSet(Register::Image, name);
  if (registers.imageHeight == 0 || registers.imageWidth == 0) return;
  const Memory memory = destinationOf(name, dst);
  requireUnfolding(u, memory, bits);
  const Image image(src.address, u, bits);
  if (image.outWidth < 1 || image.outHeight < 1)
    trap({Check::ParameterRange, name, "the filter is larger than the image with its padding",
          "check l1H, l1W, padList and the filter"});

  const bool downwards = repeat.repeatMode == 0;
  const uint32_t rows = ceilDivide(u.mExtension, 16), columns = ceilDivide(u.kExtension, image.blockElements),
                 times = repeat.repeatTime;
  const uint32_t step = repeat.repeatStride * (downwards ? 16 : image.blockElements);
  const Placement placement{memory, u.transposes && memory == Memory::L0A, bits, downwards ? rows * times : rows,
                            downwards ? columns : columns * times};
  // fractals are filled: rows behind the last one are read as well where the image has them
  const Extent read = readsImage(image, src, {u.kStart, u.kExtension + (downwards ? 0 : (times - 1) * step)},
                                 {u.mStart, rows * 16 + (downwards ? (times - 1) * step : 0)});
  issueMove({name, Pipe::MTE1, loadCycles(memory, clipped(placement.bytes())), cubeTail},
            {{dst, clipped(placement.bytes()), writes, "dst", fractalBytes, memory}, read}, [&] {
              for (uint32_t i = 0; i < placement.rowBlocks; ++i) {
                const uint32_t m = u.mStart + (downwards ? i / rows * step + i % rows * 16 : i * 16);
                for (uint32_t j = 0; j < placement.columnBlocks; ++j) {
                  const uint32_t k = u.kStart + (downwards ? j * image.blockElements
                                                           : j / columns * step + j % columns * image.blockElements);
                  uint8_t tile[fractalBytes];
                  for (uint32_t row = 0; row < 16; ++row)
                    image.row(tile + row * blockBytes, m + row, k, image.blockElements);
                  placement.put(dst.address, tile, i, j);
                }
              }
            });
}

void setImage(uint16_t height, uint16_t width, const uint8_t (&pads)[4]) {
  requireRange("SetFmatrix", "l1H", height, 0, 32767);
  requireRange("SetFmatrix", "l1W", width, 0, 32767);
  core->cube.imageHeight = height;
  core->cube.imageWidth = width;
  std::copy_n(pads, 4, core->cube.pads);
  markSet(Register::Image);
  scalarCycles(1);
}

void setImagePadding(uint64_t bits) {
  core->cube.padBits = bits;
  scalarCycles(1);
}

void setUnfoldingRepeat(const AscendC::LoadDataRepeatParam& repeat) {
  requireRange("SetLoadDataRepeat", "repeatMode", repeat.repeatMode, 0, 1);
  core->cube.repeat = repeat;
  scalarCycles(1);
}

void setUnfoldingBoundary(uint32_t bytes) {
  if (bytes != 0) requireRange("SetLoadDataBoundary", "boundaryValue", bytes, 1024, architecture::l1Bytes);
  core->cube.boundary = bytes;
  scalarCycles(1);
}

}  // namespace npu_emu::cube
