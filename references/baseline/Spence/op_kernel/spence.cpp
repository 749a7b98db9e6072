// y = S(x), the dilogarithm of 1 - x, in float32. With u = min(x, 1 / x) between 0 and 1:
//   x > 1:    S(x) = -ln(u)^2 / 2 - S(u)
//   u < 1/2:  S(u) = pi^2 / 6 - ln(u) ln(1 - u) - L(-ln(1 - u)),   else S(u) = L(-ln(u))
//   L(w) = w - w^2 / 4 + w^3 / 36 - w^5 / 3600 + w^7 / 211680 …, with w up to ln 2
#include "op_kernel/elementwise_boolean.h"
#include "op_kernel/elementwise_tensor.h"

using namespace AscendC;

using elementwise::Tile;
using elementwise::Work;

struct Dilogarithm {
  __aicore__ inline void Compute(const LocalTensor<float>& y, const LocalTensor<float>& x, const Work& work,
                                 const Tile& tile) {
    constexpr float least = 1.17549435e-38f;  // logarithms of 0 are multiplied with 0, and must be finite
    constexpr float atZero = 1.64493407f;     // pi^2 / 6
    const int32_t count = static_cast<int32_t>(tile.count);
    const uint32_t compared = elementwise::WholeRepeats<float>(tile.count);
    LocalTensor<float> u = work.Slot(0);
    LocalTensor<float> ofU = work.Slot(1);
    LocalTensor<float> ofRest = work.Slot(2);
    LocalTensor<float> sum = work.Slot(3);
    LocalTensor<uint8_t> large = work.Slot<uint8_t>(4);
    CompareScalar(large, x, 1.0f, CMPMODE::GT, compared);
    Duplicate(u, 1.0f, count);
    Div(u, u, x, count);
    Min(u, u, x, count);
    Maxs(u, u, 0.0f, count);  // 1 / -0 is below 0
    Maxs(ofU, u, least, count);
    Ln(ofU, ofU, count);
    Muls(ofRest, u, -1.0f, count);
    Adds(ofRest, ofRest, 1.0f, count);
    Maxs(ofRest, ofRest, least, count);
    Ln(ofRest, ofRest, count);

    // w, and sum = L(w) / w - 1
    LocalTensor<float> w = y;
    Max(w, ofU, ofRest, count);
    Muls(w, w, -1.0f, count);
    Mul(sum, w, w, count);
    Muls(sum, sum, 1.0f / 211680.0f, count);
    Adds(sum, sum, -1.0f / 3600.0f, count);
    Mul(sum, sum, w, count);
    Mul(sum, sum, w, count);
    Adds(sum, sum, 1.0f / 36.0f, count);
    Mul(sum, sum, w, count);
    Adds(sum, sum, -1.0f / 4.0f, count);
    Mul(sum, sum, w, count);
    Mul(sum, sum, w, count);
    Add(sum, sum, w, count);

    Mul(ofRest, ofU, ofRest, count);
    Add(ofRest, ofRest, sum, count);
    Muls(ofRest, ofRest, -1.0f, count);
    Adds(ofRest, ofRest, atZero, count);
    Mul(ofU, ofU, ofU, count);
    Muls(ofU, ofU, -0.5f, count);
    LocalTensor<uint8_t> small = work.Slot<uint8_t>(5);
    CompareScalar(small, u, 0.5f, CMPMODE::LT, compared);
    Select(sum, small, ofRest, sum, SELMODE::VSEL_TENSOR_TENSOR_MODE, tile.count);
    Sub(ofU, ofU, sum, count);
    Select(y, large, ofU, sum, SELMODE::VSEL_TENSOR_TENSOR_MODE, tile.count);
  }
};

extern "C" __global__ __aicore__ void spence(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  elementwise::Widened<DTYPE_X, 1, Dilogarithm, elementwise::APART> op;
  elementwise::Run(op, x, y, tilingData);
}
