// Data movement that changes the layout: rows in global memory, columns of fractals in local memory.
#include <cstring>

#include "dma.h"

namespace npu_emu {

Reach fractalsOf(const AscendC::Nd2NzParams& p, uint32_t groups) {
  const uint64_t groupStride = uint64_t(p.dstNzC0Stride) * blockBytes;
  if (p.dstNzNStride == 1) return Reach::strided(uint64_t(p.nValue) * blockBytes, groups, groupStride);
  return Reach::strided(blockBytes, p.nValue, uint64_t(p.dstNzNStride) * blockBytes, groups, groupStride);
}

namespace dma {

void storeNz2Nd(GmAddress dst, Operand src, const AscendC::Nz2NdParamsFull& p, uint32_t elementBytes) {
  const char* name = "DataCopy";
  requireSize(name, elementBytes, {1, 2, 4, 8});
  auto require = [&](const char* field, uint32_t value, uint32_t low, uint32_t high) {
    if (value < low || value > high)
      trap({Check::ParameterRange, name, text("%s %u is out of range %u..%u", field, value, low, high),
            "check Nz2NdParamsFull"});
  };
  require("ndNum", p.ndNum, 0, 4095);
  require("nValue", p.nValue, 1, 8192);
  require("dValue", p.dValue, 1, 8192);
  require("srcNdMatrixStride", p.srcNdMatrixStride, 1, 512);
  require("srcNStride", p.srcNStride, 0, 4096);
  require("dstDStride", p.dstDStride, 1, 65535);
  if (p.dValue % 16 != 0)
    trap({Check::ParameterRange, name, text("dValue %u is no multiple of 16", p.dValue), "pad the columns"});
  if (p.ndNum == 0 || belongsToOther(src)) return;
  requireStore(name, src, true);
  const uint32_t columns = 16, rowBytes = columns * elementBytes, groups = p.dValue / columns;
  const uint64_t groupBytes = uint64_t(p.srcNStride) * columns * elementBytes,
                 matrixBytes = uint64_t(p.srcNdMatrixStride) * 256 * elementBytes;
  const Reach ofMatrix = Reach::strided(uint64_t(p.nValue) * rowBytes, groups, groupBytes);
  const auto matrixAt = [=](uint32_t nd) { return dst + uint64_t(nd) * p.dstNdMatrixStride * elementBytes; };
  const uint64_t pitch = uint64_t(p.dstDStride) * elementBytes;
  const auto operands = [&](Touches& touches) {
    Operand matrix = src;
    for (uint32_t nd = 0; nd < p.ndNum; ++nd, matrix.address += matrixBytes)
      touches.add(Extent{matrix, ofMatrix, reads, "src", blockBytes, localMemory(src)});
    for (uint32_t nd = 0; nd < p.ndNum; ++nd)
      touches.add(GmExtent{matrixAt(nd), uint64_t(p.dValue) * elementBytes, writes, p.nValue, pitch});
  };
  const auto copyMatrix = [=](uint32_t nd) {
    for (uint32_t row = 0; row < p.nValue; ++row) {
      uint8_t* to = matrixAt(nd) + row * pitch;
      for (uint32_t group = 0; group < groups; ++group)
        storeGlobal(to + uint64_t(group) * rowBytes,
                    src.address + nd * matrixBytes + group * groupBytes + uint64_t(row) * rowBytes, rowBytes);
    }
  };
  const uint64_t commands = uint64_t(p.ndNum) * p.nValue * groups;
  issueCopy(transferOf(name, Pipe::MTE3, commands, uint64_t(p.ndNum) * p.nValue * p.dValue * elementBytes), operands,
            [=] {
              for (uint32_t nd = 0; nd < p.ndNum; ++nd) copyMatrix(nd);
            });
}

namespace {

// The library of Atlas A2 makes copies with paddings of it, which are what its documentation says in these cases only.
void requireAsDocumented(const char* name, const AscendC::Nd2NzParams& p, uint32_t elementBytes, bool isFloat) {
  const auto refuse = [&](std::string what) {
    trap({Check::Unsupported, name, text("Nd2NzParams to UB: %s", what.c_str()),
          "copy each group of columns by a DataCopyPad of its own"});
  };
  constexpr uint32_t rowsAtOnce = 255, offsetLimit = 65535;
  if (isFloat) refuse("the library takes groups of 16 columns of float, which are no blocks");
  if (p.srcNdMatrixStride != 0 || p.dstNzMatrixStride != 0)
    refuse("the library adds the distances of matrices to the first one as well");
  if (p.nValue > 1 && p.dstNzNStride != 1) refuse(text("the library does not keep dstNzNStride %u", p.dstNzNStride));
  if (p.nValue > rowsAtOnce && (p.srcDValue != p.dValue || p.dValue * rowsAtOnce > offsetLimit))
    refuse(text("the library loses its way after %u rows where srcDValue is not dValue, or rows are long", rowsAtOnce));
  const uint32_t columns = blockBytes / elementBytes, groups = (p.dValue + columns - 1) / columns;
  if (uint64_t(groups - 1) * p.dstNzC0Stride * columns > offsetLimit)
    refuse("the library counts elements between groups of columns in 16 bits");
}

}  // namespace

void loadNd2NzVector(Operand dst, GmAddress src, const AscendC::Nd2NzParams& p, uint32_t elementBytes, bool isFloat) {
  const char* name = "DataCopy";
  requireSize(name, elementBytes, {1, 2, 4, 8});
  if (p.ndNum > 4095 || p.nValue > 16384 || p.dValue > 65535)
    trap({Check::ParameterRange, name, "a size of Nd2NzParams is out of range",
          "ndNum <= 4095, nValue <= 16384, dValue <= 65535"});
  if (p.ndNum == 0 || p.nValue == 0 || p.dValue == 0 || belongsToOther(dst)) return;
  requireLoad(name, dst, false);
  if (p.srcDValue == 0 || p.dstNzC0Stride == 0 || p.dstNzNStride == 0)
    trap({Check::ParameterRange, name, "a stride of Nd2NzParams is 0", "strides count from 1"});
  // L1 is filled by the cube core, as it does for itself
  const bool isInUb = localMemory(dst) == Memory::UB;
  if (isInUb) requireAsDocumented(name, p, elementBytes, isFloat);
  const uint32_t rowBytes = p.dValue * elementBytes, groups = (rowBytes + blockBytes - 1) / blockBytes;
  const uint64_t matrixBytes = uint64_t(p.dstNzMatrixStride) * elementBytes;
  const auto matrixAt = [=](uint32_t nd) { return src + uint64_t(nd) * p.srcNdMatrixStride * elementBytes; };
  const uint64_t pitch = uint64_t(p.srcDValue) * elementBytes;
  const auto operands = [&](Touches& touches) {
    Operand matrix = dst;
    for (uint32_t nd = 0; nd < p.ndNum; ++nd, matrix.address += matrixBytes)
      touches.add(Extent{matrix, fractalsOf(p, groups), writes, "dst", blockBytes, localMemory(dst)});
    for (uint32_t nd = 0; nd < p.ndNum; ++nd) touches.add(GmExtent{matrixAt(nd), rowBytes, reads, p.nValue, pitch});
  };
  // in UB the tail of a row is filled up as DataCopyPad does it, with the first element of the block
  const auto copyBlock = [=](uint8_t* to, const uint8_t* from, uint32_t length) {
    std::memcpy(to, from, length);
    if (!isInUb) std::memset(to + length, 0, blockBytes - length);
    else
      for (uint32_t i = length; i < blockBytes; i += elementBytes) std::memcpy(to + i, from, elementBytes);
  };
  const auto copyMatrix = [=](uint32_t nd) {
    for (uint32_t row = 0; row < p.nValue; ++row) {
      const uint8_t* from = matrixAt(nd) + row * pitch;
      uint8_t* to = dst.address + nd * matrixBytes + uint64_t(row) * p.dstNzNStride * blockBytes;
      for (uint32_t group = 0; group < groups; ++group)
        copyBlock(to + uint64_t(group) * p.dstNzC0Stride * blockBytes, from + uint64_t(group) * blockBytes,
                  std::min(blockBytes, rowBytes - group * blockBytes));
    }
  };
  const uint64_t commands = uint64_t(p.ndNum) * p.nValue * groups;
  issueCopy(transferOf(name, Pipe::MTE2, commands, uint64_t(p.ndNum) * p.nValue * rowBytes), operands, [=] {
    for (uint32_t nd = 0; nd < p.ndNum; ++nd) copyMatrix(nd);
  });
  if (!isInUb) followNd2Nz(dst.address, src, p, elementBytes);
}

}  // namespace dma
}  // namespace npu_emu
