// The cube core: results leave L0C, to GM and to L1, converted on the way.
#include <algorithm>
#include <set>

#include "fixpipe_convert.h"

namespace npu_emu::cube {

namespace {

std::vector<uint8_t> convertedLine;
// The parameters of the columns are read before anything is written: results may take their place in L1.
std::vector<uint64_t> columnScales;

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
  if (rows) return;
  // in which order a device writes what lies on each other is not documented
  const Groups groups(p, conversion);
  const uint64_t groupBlocks = uint64_t(p.mSize) * groups.width * bytesOf(conversion.to) / blockBytes;
  if (groups.number > 1 && p.dstStride < groupBlocks)
    trap({Check::ParameterRange, name,
          text("dstStride %u is smaller than a column of %llu blocks: columns overlap", p.dstStride,
               static_cast<unsigned long long>(groupBlocks)),
          "dstStride is the distance of two columns of an NZ output, in blocks of 32 bytes"});
}

uint32_t matricesOf(const AscendC::FixpipeParamsV220& p, const OutputConversion& conversion) {
  return conversion.layout == AscendC::CO2Layout::ROW_MAJOR ? p.ndNum : 1;
}

bool anyOf(const uint8_t* image, size_t bytes) {
  return std::any_of(image, image + bytes, [](uint8_t byte) { return byte != 0; });
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
    const Reach reach(clipped(span), {p.mSize * laneBytes, columnBlocks, p.srcStride * laneBytes, 1, 0, 0});
    return {from, reach, reads, "src", 64, Memory::L0C};
  }

  // The rows, converted, one after the other.
  template <typename Take>
  void forEachRow(const OutputConversion& conversion, const Take& take) const {
    std::vector<uint8_t>& line = convertedLine;
    line.resize(size_t(columnBlocks) * laneBytes);
    for (uint32_t row = 0; row < p.mSize; ++row) {
      for (uint32_t block = 0; block < columnBlocks; ++block) {
        const uint8_t* lanes = from.address + (uint64_t(block) * p.srcStride + row) * laneBytes;
        const uint64_t* scales = conversion.scales != nullptr ? columnScales.data() + block * 16 : nullptr;
        convertLanes(line.data() + size_t(block) * 16 * bytesOf(conversion.to), lanes,
                     std::min<uint32_t>(16, p.nSize - block * 16u), scales, p, conversion);
      }
      take(row, line.data());
    }
  }

  // The same rows of their images: what follows from a leftover is one.
  template <typename Take>
  void forEachImage(const OutputConversion& conversion, const Take& take) const {
    Leftovers& leftovers = core->hazards.leftovers();
    const uint32_t outBytes = bytesOf(conversion.to);
    const uint8_t* sums = leftovers.at(from.address);
    const uint8_t* scales = conversion.scales == nullptr ? nullptr : leftovers.at(conversion.scales->address);
    std::vector<uint8_t> line(size_t(columnBlocks) * laneBytes);
    for (uint32_t row = 0; row < p.mSize; ++row) {
      for (uint32_t column = 0; column < p.nSize; ++column) {
        const uint8_t* sum = sums + (uint64_t(column / 16) * p.srcStride + row) * laneBytes + column % 16 * 4;
        const bool isLeftover =
            anyOf(sum, sizeof(uint32_t)) || (scales != nullptr && anyOf(scales + column * 8, sizeof(uint64_t)));
        std::memset(line.data() + size_t(column) * outBytes, isLeftover ? 0xff : 0, outBytes);
      }
      take(row, line.data());
    }
  }
};

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

// What the library puts into registers, where DataCopy out of L0C finds it. `given`: before a tensor of SetFixPipeConfig is taken.
void leaveRegisters(const AscendC::FixpipeParamsV220& p, const OutputConversion& given) {
  CubeRegisters& registers = core->cube;
  if (given.layout == AscendC::CO2Layout::ROW_MAJOR) {
    registers.matrices = p.ndNum;
    registers.matrixStride = p.srcNdStride;
    registers.outStride = static_cast<uint16_t>(p.dstNdStride);
  }
  if (!takesScale(p.quantPre)) return;
  registers.scale = p.deqScalar;
  markSet(Register::FixpipeScale);
}

bool hasOwnScales(const OutputConversion& given) {
  return given.scales != nullptr && given.scales != &core->cube.scales;
}

// The library copies a tensor of its own to the fixpipe buffer, of which it takes half for each part of more than 256 columns, and sets a
// barrier of the pipe before each part of the store.
constexpr uint32_t columnsOfPart = 128;
uint32_t partsOf(const AscendC::FixpipeParamsV220& p, const OutputConversion& given) {
  return hasOwnScales(given) && p.nSize > 2 * columnsOfPart ? ceilDivide(p.nSize, columnsOfPart) : 1;
}

// What the parts of the store take is charged where the store is issued: as one, behind all the copies.
void loadScales(const char* name, const AscendC::FixpipeParamsV220& p, const OutputConversion& given) {
  if (!hasOwnScales(given)) return;
  const uint32_t parts = partsOf(p, given), columns = parts == 1 ? p.nSize : columnsOfPart;
  for (uint32_t part = 0; part < parts; ++part) {
    Operand from = *given.scales;
    from.address += uint64_t(part) * columns * sizeof(uint64_t);
    const uint32_t bytes = std::min(columns, p.nSize - part * columns) * 8u;
    issueMove({name, Pipe::FIX, 14 + ceilDivide(bytes, 128) * 4, cubeTail},
              {{from, bytes, reads, "cbufWorkspace", blockBytes, Memory::L1}}, [] {});
    pipeBarrierOf(Pipe::FIX);
  }
}

// A tensor of its own goes to a place of the fixpipe buffer that the library chooses, and the register names that from then on.
void forgetScales(const OutputConversion& given) {
  if (hasOwnScales(given)) core->cube.scales = {};
}

// The products that have handed over what is taken, 0 for none.
std::set<uint64_t> productsOf(const Operand& src, const AscendC::FixpipeParamsV220& p, uint32_t matrices) {
  std::set<uint64_t> products;
  if (p.unitFlag == 0) return products;
  for (uint32_t matrix = 0; matrix < matrices; ++matrix) {
    const Sums sums(src, p, matrix);
    for (uint32_t column = 0; column < sums.columnBlocks; ++column) {
      const uint64_t columnBytes = uint64_t(p.srcStride) * Sums::laneBytes;
      const SumFractals taken = sumFractalsOf(core->cube.handedOver, sums.from.address + column * columnBytes,
                                              uint64_t(p.mSize) * Sums::laneBytes);
      products.insert(taken.begin(), taken.end());
    }
  }
  return products;
}

// A device waits for the unit flags of products, one for each fractal that it takes: it begins with the last of them at the earliest.
void followProducts(const std::set<uint64_t>& products) {
  if (!products.empty() && *products.rbegin() != 0)
    followToken(Pipe::FIX, tokenOf(firstTokenOfProducts, *products.rbegin()));
}

// A flag of 3 releases all that the product has handed over, also what is not taken of it; a flag of 2 leaves the sums to another
// Fixpipe.
void takeOver(const char* name, const Operand& src, const AscendC::FixpipeParamsV220& p, std::set<uint64_t>& products) {
  constexpr uint8_t releases = 3;
  if (p.unitFlag == 0) return;
  if (products.erase(0) != 0)
    report({Check::ErrorSync3, name, "it waits for a unit flag, and no product has set one for some of what it takes",
            "give the last Mmad into the accumulator unitFlag 3, or Fixpipe 0 and a flag M_FIX"});
  if (p.unitFlag != releases) return;
  auto &handedOver = core->cube.handedOver, &cleared = core->cube.cleared;
  const uint64_t own = nextHandOver(src.address);
  for (size_t i = 0; i < handedOver.size(); ++i) {
    if (products.count(handedOver[i]) == 0) continue;
    handedOver[i] = 0;
    cleared[i] = own;
  }
  setToken(Pipe::FIX, tokenOf(firstTokenOfFixpipe, own), 0);
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
  void follow(const char* name, uint32_t matrix, uint32_t row, const uint8_t* image) const {
    if (isRows()) return followStore(name, rowAt(matrix, row), image, size_t(p.nSize) * outBytes);
    forEachRun(row, [&](GmAddress to, uint32_t bytes, size_t at) { followStore(name, to, image + at, bytes); });
  }
};

}  // namespace

void fixpipe(GmAddress dst, Operand src, const AscendC::FixpipeParamsV220& p, const OutputConversion& given) {
  const char* name = "Fixpipe";
  const OutputConversion conversion = withScales(given, p.quantPre);
  leaveRegisters(p, given);
  if (!requireFixpipe(name, p, conversion)) return;
  const Output output{dst, p, conversion};
  if (output.isRows() && p.dstStride < p.nSize && p.mSize > 1)
    trap({Check::ParameterRange, name,
          text("dstStride %u is smaller than nSize %u: rows overlap", p.dstStride, p.nSize),
          "dstStride is the row length of the output, in elements"});
  const uint32_t matrices = matricesOf(p, conversion), parts = partsOf(p, given);
  loadScales(name, p, given);
  std::set<uint64_t> products = productsOf(src, p, matrices);
  followProducts(products);
  issue(
      {name, Pipe::FIX, (92 + p.mSize * matrices * 2u) * parts, 0,
       clipped(uint64_t(matrices) * p.mSize * p.nSize * output.outBytes), 10},
      [&](Touches& touches) {
        addScales(touches, p, conversion);
        for (uint32_t matrix = 0; matrix < matrices; ++matrix) {
          touches.add(Sums(src, p, matrix).extent());
          output.addTo(touches, matrix);
        }
      },
      [&] {
        takeOver(name, src, p, products);
        readScales(p, conversion);
        for (uint32_t matrix = 0; matrix < matrices; ++matrix)
          Sums(src, p, matrix).forEachRow(conversion, [&](uint32_t row, const uint8_t* line) {
            output.store(matrix, row, line);
          });
        if (core->hazards.leftovers().isEmpty()) return;
        for (uint32_t matrix = 0; matrix < matrices; ++matrix)
          Sums(src, p, matrix).forEachImage(conversion, [&](uint32_t row, const uint8_t* image) {
            output.follow(name, matrix, row, image);
          });
      });
  forgetScales(given);
}

void fixpipeLocal(Operand dst, Operand src, const AscendC::FixpipeParamsV220& p, const OutputConversion& given) {
  const char* name = "Fixpipe";
  const OutputConversion conversion = withScales(given, p.quantPre);
  leaveRegisters(p, given);
  if (!requireFixpipe(name, p, conversion)) return;
  const uint32_t outBytes = bytesOf(conversion.to), matrices = matricesOf(p, conversion);
  const Groups groups(p, conversion);
  const uint64_t stride = uint64_t(p.dstStride) * blockBytes, run = uint64_t(p.mSize) * groups.width * outBytes;
  const uint64_t last = uint64_t(p.mSize) * groups.widthOf(groups.number - 1, p.nSize) * outBytes;
  Reach reach = clipped((groups.number - 1) * stride + last);
  if (last == run) reach.runs = {clipped(run), groups.number, clipped(stride), 1, 0, 0};
  const auto storeTo = [&](uint8_t* to, uint32_t row, const uint8_t* line) {
    for (uint32_t group = 0; group < groups.number; ++group) {
      const uint32_t bytes = groups.widthOf(group, p.nSize) * outBytes;
      std::memcpy(to + group * stride + size_t(row) * bytes, line + size_t(group) * groups.width * outBytes, bytes);
    }
  };
  loadScales(name, p, given);
  std::set<uint64_t> products = productsOf(src, p, matrices);
  followProducts(products);
  issue(
      {name, Pipe::FIX, 10 * partsOf(p, given) + clipped(uint64_t(p.mSize) * p.nSize * outBytes / 128), cubeTail, 0, 8},
      [&](Touches& touches) {
        addScales(touches, p, conversion);
        touches.add(Extent{dst, reach, writes, "dst", blockBytes, Memory::L1});
        for (uint32_t matrix = 0; matrix < matrices; ++matrix) touches.add(Sums(src, p, matrix).extent());
      },
      [&] {
        takeOver(name, src, p, products);
        readScales(p, conversion);
        const auto store = [&](uint32_t row, const uint8_t* line) { storeTo(dst.address, row, line); };
        for (uint32_t matrix = 0; matrix < matrices; ++matrix) Sums(src, p, matrix).forEachRow(conversion, store);
        if (core->hazards.leftovers().isEmpty()) return;
        uint8_t* images = core->hazards.leftovers().at(dst.address);
        for (uint32_t matrix = 0; matrix < matrices; ++matrix)
          Sums(src, p, matrix).forEachImage(conversion, [&](uint32_t row, const uint8_t* image) {
            storeTo(images, row, image);
          });
      });
  forgetScales(given);
}

}  // namespace npu_emu::cube
