#include "matmul_input.h"

#include <algorithm>
#include <string>
#include <utility>

#include "library.h"

namespace npu_emu::matmul {

uint32_t InputMatrix::slotBytes() const {
  const uint64_t outer = uint64_t(static_cast<uint32_t>(stepOuter)) * static_cast<uint32_t>(baseOuter),
                 inner = uint64_t(static_cast<uint32_t>(stepDepth)) * static_cast<uint32_t>(baseDepth);
  constexpr uint64_t limit = uint64_t(1) << 28;  // beyond every memory; with an index it still fits into 32 bits
  if (outer > limit || inner > limit) return limit;
  // either way round, as the transposition is known only when the matrix is set
  const uint32_t pair = kind.element == Element::Int4 ? 2 : 1, share = kind.sparse ? 2 : 1;
  const auto padded = [](uint64_t length, uint32_t unit) -> uint64_t {
    return alignedUp(static_cast<uint32_t>(length), unit);
  };
  const uint64_t straight = padded(outer, 16) * padded(inner / (pair * share), width());
  const uint64_t across = padded(inner, squareRows()) * padded(outer / pair, bytes() == 4 ? 16 : width());
  const uint64_t elements = kind.transposes ? std::max(straight, across) : isLeft ? straight : across;
  return static_cast<uint32_t>(std::min(elements * bytes(), limit));
}

uint32_t InputMatrix::slotCount() const { return static_cast<uint32_t>(std::max(1, depth / (stepOuter * stepDepth))); }

InputMatrix InputMatrix::packed() const {
  InputMatrix matrix = *this;
  const bool pairs = kind.element == Element::Int4;
  const int32_t alongDepth = (pairs && !isTransposedInL0() ? 2 : 1) * (kind.sparse ? 2 : 1),
                alongOuter = pairs && isTransposedInL0() ? 2 : 1;
  for (int32_t* extent : {&matrix.orgDepth, &matrix.singleDepth, &matrix.baseDepth}) *extent /= alongDepth;
  for (int32_t* extent : {&matrix.orgOuter, &matrix.singleOuter, &matrix.baseOuter}) *extent /= alongOuter;
  return matrix;
}

bool loadsBigBlocks(const Traits& traits) { return traits.config.doMultiDataLoad || traits.config.doSpecialMDL; }

InputMatrix leftOf(const Job& job) {
  const Object& o = job.object;
  const AscendC::tiling::TCubeTiling& t = o.tiling;
  const bool big = loadsBigBlocks(*o.traits);
  return {"A",       true,      o.traits->a, o.a,     job.engine.a,      o.traits->copyA,    o.orgM,   o.orgKa,
          o.singleM, o.singleK, t.baseM,     t.baseK, big ? t.stepM : 1, big ? t.stepKa : 1, t.depthA1};
}

InputMatrix rightOf(const Job& job) {
  const Object& o = job.object;
  const AscendC::tiling::TCubeTiling& t = o.tiling;
  const bool big = loadsBigBlocks(*o.traits);
  return {"B",       false,     o.traits->b, o.b,     job.engine.b,      o.traits->copyB,    o.orgN,   o.orgKb,
          o.singleN, o.singleK, t.baseN,     t.baseK, big ? t.stepN : 1, big ? t.stepKb : 1, t.depthB1};
}

namespace {

// Whether a part that one core computes lies inside of the whole matrix. In rows only their length matters, which is
// the way from one to the next; the number of rows is asked for by nothing but fractals.
void checkExtent(const Job& job, const InputMatrix& matrix) {
  const bool inColumns = matrix.kind.format == CubeFormat::NZ || matrix.kind.sparse,
             tooWide = matrix.singleDepth > matrix.orgDepth, tooHigh = matrix.singleOuter > matrix.orgOuter;
  std::string message = text("%d x %d of matrix %s are to be computed, the whole of it is %d x %d", matrix.singleOuter,
                             matrix.singleDepth, matrix.name, matrix.orgOuter, matrix.orgDepth);
  const char* hint = "check SetOrgShape, SetSingleShape and SetTail against the tiling";
  if (inColumns && (tooWide || tooHigh)) trap({Check::ParameterRange, job.instruction, std::move(message), hint});
  if (matrix.isTransposedInL0() ? tooHigh : tooWide) reportAsserted(job.instruction, std::move(message), hint);
}

}  // namespace

void checkSource(const Job& job, const InputMatrix& matrix) {
  if (matrix.source.place == Source::None) {
    trap({Check::ParameterRange, job.instruction, text("matrix %s was never set", matrix.name),
          "call SetTensorA and SetTensorB before Iterate, IterateAll and IterateBatch"});
  }
  if (matrix.source.transposed && !matrix.kind.transposes) {
    trap({Check::ParameterRange, job.instruction,
          text("matrix %s is set as transposed, and its MatmulType does not allow it", matrix.name),
          "pass true for ISTRANS of MatmulType"});
  }
  if (matrix.kind.element == Element::Int4) {
    if (matrix.isLeft && matrix.isTransposedInL0()) matmulUnsupported(job.instruction, "a transposed A of int4b_t");
    const int32_t inner = matrix.isTransposedInL0() ? matrix.singleOuter : matrix.singleDepth;
    if (inner % 2 != 0)
      trap({Check::ParameterRange, job.instruction,
            text("rows of matrix %s are %d elements long; int4b_t come in pairs", matrix.name, inner),
            "pad them to an even number"});
  }
  if (matrix.kind.sparse && job.object.index.place == Source::None)
    trap({Check::ParameterRange, job.instruction, "nothing says which elements of B are there", "call SetSparseIndex"});
  if (matrix.source.place == Source::Global && !matrix.source.alone && matrix.kind.layout == LayoutMode::NONE)
    checkExtent(job, matrix);
}

}  // namespace npu_emu::matmul
