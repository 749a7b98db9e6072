// What a Matmul object consists of, and what the runtime does with it. Kernels have typed shells around it.
#pragma once

#include "matmul_config.h"
#include "runtime_api.h"
#include "tiling_structs.h"

#pragma GCC visibility push(default)

namespace AscendC {

// What DataCopyOut of a kernel is told about a block.
// api: DataCopyOutParams | - | - | documented
struct DataCopyOutParams {
  uint8_t quantMode = 0;
  uint16_t cBurstNum = 0;
  uint16_t burstLen = 0;
  uint16_t srcStride = 0;
  uint32_t dstStride = 0;
  uint16_t oriNSize = 0;
  bool enUnitFlag = false;
  uint64_t quantScalar = 0;
  int curM = 0;
  int curN = 0;
  uint64_t cbufWorkspaceAddr = 0;
};

}  // namespace AscendC

namespace npu_emu::matmul {

// One of the matrices, as the type of the object says.
struct Kind {
  cube::Element element;
  CubeFormat format;
  LayoutMode layout;
  AscendC::TPosition position;
  bool transposes, shared;
  bool sparse;  // half of it: two of four elements along k
};

// Which blocks of the result are computed: all, or those on the diagonal and one side of it. NBuffer33 keeps A in L1.
enum class Policy : uint8_t { All, Upper, Lower, NBuffer33 };

// What a copy function of the kernel is given.
struct UserCopy {
  Operand local;
  uint32_t bytes;
  GmAddress gm;
  int32_t row, column, height, width;     // on the way in: which block, and its size
  const AscendC::DataCopyOutParams* out;  // on the way out
  uint64_t info, data;                    // of SetUserDefInfo and SetSelfDefineData
};
using UserFunction = void (*)(const UserCopy& copy);

// What the type of an object fixes.
struct Traits {
  Kind a, b, c, bias;
  MatmulConfig config;
  AscendC::tiling::TCubeTiling fixed;  // fields that are constants; below 0 where they are not
  Policy policy;
  UserFunction copyOut, copyA, copyB;  // nullptr: the way of the library
};

// A matrix as it was set.
struct Source {
  enum Place : uint8_t { None, Global, Local, Constant };
  Place place = None;
  bool transposed = false;
  GmAddress gm = nullptr;
  Operand local{};
  uint32_t bytes = 0;  // Local
  bool alone = false;  // Global: the part of one core, which the library has put there
  uint64_t bits = 0;   // Constant
};

struct Object {
  const Traits* traits = nullptr;
  AscendC::tiling::TCubeTiling tiling;
  bool attached = false, initialised = false;
  int32_t orgM = 0, orgN = 0, orgKa = 0, orgKb = 0, orgKc = 0;
  int32_t singleM = 0, singleN = 0, singleK = 0;
  Source a, b, bias, scales, index;
  bool usesBias = false;
  uint64_t scale = 0;
  enum Scaling : uint8_t { NoScale, OneScale, ScalePerColumn };
  Scaling scaling = NoScale;
  uint64_t info = 0, data = 0;  // for copy functions of the kernel
  GmAddress workspace = nullptr;
  int32_t batchA = 1, batchB = 1;
  uint32_t number = 0;  // of the objects of a core, from 1; 0: not known to it yet
  bool fresh = false;   // an operand was set since the last block: the next one is the first
  // on a vector core: how far the iteration is that the cube core carries out
  bool synchronous = true;
  uint32_t block = 0, blocks = 0, awaited = 0;
  uint64_t taken = 0;  // bytes of the workspace
};

// Where a result goes: global memory, local memory of `bytes`, or both.
struct Target {
  GmAddress gm;
  Operand local;
  uint32_t bytes;
  uint8_t atomic;
  bool sequential;
};

struct Batch {
  uint32_t a, b, strideA, strideB, strideC;
  bool accumulates;
  uint32_t loops = 1;  // how many times as many
};

struct Waiting {
  bool sync, wait;
  bool nothing;  // no work, where vector cores of a group have to ask equally often
};

// Flags by which the cores of a group meet that both run the kernel.
constexpr uint16_t flagOfVectors = 9, flagOfCube = 10;

}  // namespace npu_emu::matmul

// The cube core does the work itself, or for the vector cores of its group.
namespace npu_emu::cube {

void matmulInit(matmul::Object& object, const void* pipe);
// The object of a vector core, as the cube core knows it: functions of the kernel are compiled for one kind of core.
void matmulAttach(matmul::Object& object);
bool matmulIterate(matmul::Object& object, bool accumulates, const Operand* accumulator);
void matmulTake(matmul::Object& object, const matmul::Target& target);
void matmulAll(matmul::Object& object, const matmul::Target& target);
void matmulBatch(matmul::Object& object, const matmul::Target& target, const matmul::Batch& batch);
void matmulEnd(matmul::Object& object);
// Until every vector core of the group has left the kernel.
void matmulServe();

}  // namespace npu_emu::cube

// A vector core asks the cube core of its group.
namespace npu_emu::vec {

void matmulBegin();
void matmulQuit();
void matmulAttach(matmul::Object& object);
void matmulInit(matmul::Object& object, const void* pipe);
// The modes of the cube core from then on, for whatever it multiplies.
void matmulSetHf32(matmul::Object& object, bool enables, bool tiesToZero);
// A matrix in UB, which travels through global memory.
void matmulStage(matmul::Object& object, matmul::Source& source, Operand local, uint32_t bytes);
bool matmulIterate(matmul::Object& object, bool accumulates, bool sync);
void matmulTake(matmul::Object& object, const matmul::Target& target, bool sync);
// The next result of an asynchronous iteration, where it is.
GmAddress matmulTakePlace(matmul::Object& object);
void matmulAll(matmul::Object& object, const matmul::Target& target, matmul::Waiting waiting);
void matmulBatch(matmul::Object& object, const matmul::Target& target, const matmul::Batch& batch,
                 matmul::Waiting waiting);
// The results of several batches, in the workspace: each is told of, and taken by its place or to UB.
void matmulBatches(matmul::Object& object, const matmul::Batch& batch, bool sequential, matmul::Waiting waiting);
GmAddress matmulTakeBatch(matmul::Object& object, uint32_t batches, const Operand* local);
void matmulWait(matmul::Object& object);
void matmulWaitCopy();
void matmulEnd(matmul::Object& object);

}  // namespace npu_emu::vec

namespace npu_emu {
// A call that Atlas A2 or the emulator cannot carry out.
[[noreturn]] void matmulUnsupported(const char* instruction, const char* what);
}  // namespace npu_emu

#pragma GCC visibility pop
