// Batches of a Matmul object: one product after the other, each from its place in the matrices.
#include <algorithm>

#include "matmul_input.h"

namespace npu_emu::matmul {

namespace {

using AscendC::tiling::TCubeTiling;

// The axes of a matrix of several batches in memory: b, s, n, g and d, or s1 and s2 of a result.
struct Axes {
  uint64_t b, s, n, g, d;

  Axes(int32_t ofB, int32_t ofS, int32_t ofN, int32_t ofG, int32_t ofD)
      : b(axis(ofB)), s(axis(ofS)), n(axis(ofN)), g(axis(ofG)), d(axis(ofD)) {}
  static uint64_t axis(int32_t length) { return static_cast<uint32_t>(std::max(length, 0)); }

  // Where batches of them are counted, no axis is empty; as short as any axis is, no product is too large for 64 bits.
  void require(const char* instruction, const char* of) const {
    constexpr uint64_t limit = uint64_t(1) << 20;
    for (const uint64_t axis : {b, n, g}) {
      if (axis != 0 && axis <= limit) continue;
      trap({Check::ParameterRange, instruction,
            text("the layout of %s in the tiling has B = %llu, N = %llu and G = %llu", of,
                 static_cast<unsigned long long>(b), static_cast<unsigned long long>(n),
                 static_cast<unsigned long long>(g)),
            "call SetALayout, SetBLayout and SetCLayout of the tiling"});
    }
  }

  // What lies between two rows of one batch, and between batches.
  uint64_t rowStride(LayoutMode layout) const {
    return layout == LayoutMode::BSNGD ? n * g * d : layout == LayoutMode::SBNGD ? b * n * g * d : d;
  }
  uint64_t offsetOf(LayoutMode layout, uint64_t index) const {
    if (layout == LayoutMode::BSNGD) return index / (n * g) * s * n * g * d + index % (n * g) * d;
    return layout == LayoutMode::SBNGD ? index * d : index * s * d;
  }
};

Axes axesOfA(const TCubeTiling& t) {
  return {t.ALayoutInfoB, t.ALayoutInfoS, t.ALayoutInfoN, t.ALayoutInfoG, t.ALayoutInfoD};
}
Axes axesOfB(const TCubeTiling& t) {
  return {t.BLayoutInfoB, t.BLayoutInfoS, t.BLayoutInfoN, t.BLayoutInfoG, t.BLayoutInfoD};
}
Axes axesOfResult(const TCubeTiling& t) {
  return {t.CLayoutInfoB, t.CLayoutInfoS1, t.CLayoutInfoN, t.CLayoutInfoG, t.CLayoutInfoS2};
}

// Which batch of a matrix belongs to batch `index` of the result, where the other matrix has more along one axis.
uint64_t broadcast(const Axes& own, const Axes& other, uint64_t index) {
  if (own.g == 1 && other.g != 1) return index / other.g;
  if (own.n == 1 && other.n != 1) return index % other.g + index / (other.g * other.n);
  if (own.b == 1 && other.b != 1) return index % (other.g * other.n) + index / (other.g * other.n * other.b);
  return index;
}

// The matrix of one batch, which is so many elements further on.
void advance(Source& source, uint64_t elements, Element element) {
  const uint64_t bytes = bytesIn(element, elements);
  if (source.place == Source::Global) source.gm += bytes;
  if (source.place == Source::Local) source.local.address += bytes;
}

// The products of one call.
struct Batches {
  const Job& job;
  const Batch& batch;
  uint64_t loop, number;
  Axes a, b, c;
  bool isNormal;  // whole matrices one after the other

  Batches(const Job& of, const Batch& asked, uint32_t inLoop)
      : job(of),
        batch(asked),
        loop(inLoop),
        number(std::max(asked.a, asked.b)),
        a(axesOfA(of.object.tiling)),
        b(axesOfB(of.object.tiling)),
        c(axesOfResult(of.object.tiling)),
        isNormal(of.object.traits->a.layout == LayoutMode::NORMAL) {
    if (!isNormal) {
      a.require(job.instruction, "A");
      b.require(job.instruction, "B");
    }
    if (job.object.traits->c.layout == LayoutMode::BSNGD) c.require(job.instruction, "C");
  }

  // Product `i`: its matrices in `part`, its place in `to`.
  void select(uint64_t i, Object& part, Target& to) const {
    const Object& o = job.object;
    const Traits& traits = *o.traits;
    const LayoutMode layout = traits.a.layout;
    const auto product = [](int32_t one, int32_t other) {
      return static_cast<uint64_t>(int64_t(one) * int64_t(other));
    };
    const uint64_t indexA = loop * batch.a + (isNormal ? i * batch.a / number : broadcast(a, b, i)),
                   indexB = loop * batch.b + (isNormal ? i * batch.b / number : broadcast(b, a, i)),
                   indexC = loop * number + i;
    uint64_t offsetA = indexA * (batch.strideA != 0 ? batch.strideA : product(o.orgM, o.orgKa)),
             offsetB = indexB * (batch.strideB != 0 ? batch.strideB : product(o.orgKb, o.orgN)),
             offsetC = i * product(o.orgM, o.orgKc);
    if (!isNormal) {
      (o.a.transposed ? part.orgM : part.orgKa) = static_cast<int32_t>(a.rowStride(layout));
      (o.b.transposed ? part.orgKb : part.orgN) = static_cast<int32_t>(b.rowStride(layout));
      offsetA = a.offsetOf(layout, indexA);
      offsetB = b.offsetOf(layout, indexB);
      part.orgKc = static_cast<int32_t>(c.rowStride(traits.c.layout));
      offsetC = c.offsetOf(traits.c.layout, indexC);
    }
    if (to.sequential) {
      part.orgKc = o.singleN;
      offsetC = c.offsetOf(traits.c.layout, loop * number) + i * product(o.singleM, o.singleN);
      to.sequential = false;
    }
    advance(part.a, offsetA, traits.a.element);
    advance(part.b, offsetB, traits.b.element);
    if (o.usesBias && traits.config.isBiasBatch)
      advance(part.bias, indexC * static_cast<uint32_t>(o.singleN), traits.bias.element);
    to.gm += offsetC * resultBytes(traits);
  }
};

// More than any task has: it would take hours.
constexpr uint64_t batchLimit = uint64_t(1) << 20;

void checkBatch(const Job& job, const Batch& batch) {
  const Traits& traits = *job.object.traits;
  if (traits.a.layout == LayoutMode::NONE || traits.b.layout != traits.a.layout) {
    trap({Check::ParameterRange, job.instruction, "the matrices have no layout of batches, or not the same",
          "give MatmulType of A and B the same LayoutMode other than NONE"});
  }
  if (batch.a == 0 || batch.b == 0 || (batch.a % batch.b != 0 && batch.b % batch.a != 0)) {
    trap({Check::ParameterRange, job.instruction,
          text("%u batches of A and %u of B do not go together", batch.a, batch.b),
          "one number has to be a multiple of the other"});
  }
  if (uint64_t(std::max(batch.a, batch.b)) * batch.loops > batchLimit) {
    trap({Check::ParameterRange, job.instruction,
          text("there are %u loops of %u and %u batches", batch.loops, batch.a, batch.b), "check the numbers"});
  }
}

}  // namespace

uint64_t offsetOfLoop(const Object& object, uint32_t batches, uint32_t loop) {
  const Axes axes = axesOfResult(object.tiling);
  const LayoutMode layout = object.traits->c.layout;
  if (layout == LayoutMode::BSNGD) axes.require("Matmul::GetBatchTensorC", "C");
  return axes.offsetOf(layout, uint64_t(loop) * batches) * resultBytes(*object.traits);
}

void iterateBatch(const Job& job, const Target& target, const Batch& batch, uint32_t loop) {
  checkBatch(job, batch);
  const Batches batches(job, batch, loop);
  if (!batches.isNormal && batches.c.g == 1 && (batches.a.g != 1 || batches.b.g != 1))
    matmulUnsupported(job.instruction, "a sum over the G axis");
  for (uint64_t i = 0; i < batches.number; ++i) {
    Object part = job.object;
    Target to = target;
    batches.select(i, part, to);
    const Job one{job.engine, part, job.instruction, job.shared};
    beginIteration(one);
    while (iterate(one, batch.accumulates, nullptr)) takeResult(one, to);
  }
}

}  // namespace npu_emu::matmul
