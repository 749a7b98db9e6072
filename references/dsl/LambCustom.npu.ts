import {
  add,
  adds,
  allReduceSum,
  attr,
  buffer,
  ceilDiv,
  compute,
  copyIn,
  copyOut,
  div,
  duplicate,
  fit,
  get,
  load,
  min,
  mul,
  muls,
  operator,
  range,
  reduceSum,
  sqrt,
  store,
  sub,
  tensor,
} from 'vitest-npu/dsl'

// Two passes: the squares of parameters and of ratios, of each core and of all; then the step.
export default operator({
  name: 'LambCustom',
  inputs: { param: tensor('float32', ['M', 'N']), m: tensor('float32', ['M', 'N']), v: tensor('float32', ['M', 'N']) },
  outputs: { y: tensor.like('param') },
  attrs: { lr: attr.float(1e-3), eps: attr.float(1e-6) },
  host({ param, lr, eps }, { cores }) {
    const share = ceilDiv(param.size, cores)
    const tile = fit(min(share, 8192))
    return { blockDim: ceilDiv(param.size, share), size: param.size, share, tile, lr, eps }
  },
  kernel({ param, m, v, y }, { size, share, tile, lr, eps }, core) {
    const params = buffer('float32', tile)
    const means = buffer('float32', tile)
    const variances = buffer('float32', tile)
    const ys = buffer('float32', tile)
    const ratios = buffer('float32', tile)
    const found = buffer('float32', 8)
    const length = buffer('float32', 8)
    const lengthOfRatios = buffer('float32', 8)
    const end = min((core + 1) * share, size)
    compute(() => {
      duplicate(length, 0, 8)
      duplicate(lengthOfRatios, 0, 8)
    })
    for (const at of range(core * share, end, tile)) {
      const n = min(tile, end - at)
      copyIn(() => {
        load(params, param, at, n)
        load(means, m, at, n)
        load(variances, v, at, n)
      })
      compute(() => {
        sqrt(ratios, variances, n)
        adds(ratios, ratios, eps, n)
        div(ratios, means, ratios, n)
        mul(ratios, ratios, ratios, n)
        reduceSum(found, ratios, n)
        add(lengthOfRatios, lengthOfRatios, found, 1)
        mul(ratios, params, params, n)
        reduceSum(found, ratios, n)
        add(length, length, found, 1)
      })
    }
    compute(() => {
      allReduceSum(length, length, 1)
      allReduceSum(lengthOfRatios, lengthOfRatios, 1)
      sqrt(length, length, 1)
      sqrt(lengthOfRatios, lengthOfRatios, 1)
    })
    const step = lr * (get(length, 0) / (get(lengthOfRatios, 0) + eps))
    for (const at of range(core * share, end, tile)) {
      const n = min(tile, end - at)
      copyIn(() => {
        load(params, param, at, n)
        load(means, m, at, n)
        load(variances, v, at, n)
      })
      compute(() => {
        sqrt(ratios, variances, n)
        adds(ratios, ratios, eps, n)
        div(ratios, means, ratios, n)
        muls(ratios, ratios, step, n)
        sub(ys, params, ratios, n)
      })
      copyOut(() => store(y, at, ys, n))
    }
  },
})
