import {
  adds,
  alignUp,
  attr,
  axpy,
  buffer,
  cast,
  ceilDiv,
  compute,
  copyIn,
  copyOut,
  div,
  fit,
  float,
  get,
  int,
  load,
  max,
  min,
  mul,
  muls,
  operator,
  optional,
  range,
  sqrt,
  store,
  sub,
  tensor,
} from 'vitest-npu/dsl'

// One step of AdamW in place; with amsgrad the largest v so far takes the place of v. In float32, rounded once.
export default operator({
  name: 'ApplyAdamWV2',
  inputs: {
    var: tensor(
      ['float32', 'float16', 'bfloat16', 'float32', 'float16', 'bfloat16', 'float32', 'float32', 'float32', 'float32'],
      ['...shape'],
    ),
    m: tensor.like('var'),
    v: tensor.like('var'),
    grad: tensor(
      [
        'float32',
        'float16',
        'bfloat16',
        'float32',
        'float16',
        'bfloat16',
        'float16',
        'bfloat16',
        'float16',
        'bfloat16',
      ],
      ['...shape'],
    ),
    step: tensor(
      ['float32', 'float32', 'float32', 'int64', 'int64', 'int64', 'float32', 'float32', 'int64', 'int64'],
      [1],
    ),
    max_grad_norm: optional(
      tensor(
        [
          'float32',
          'float16',
          'bfloat16',
          'float32',
          'float16',
          'bfloat16',
          'float16',
          'bfloat16',
          'float16',
          'bfloat16',
        ],
        ['...shape'],
      ),
    ),
  },
  outputs: {
    var: tensor.like('var'),
    m: tensor.like('m'),
    v: tensor.like('v'),
    max_grad_norm: tensor.like('max_grad_norm'),
  },
  attrs: {
    lr: attr.float(0.1),
    beta1: attr.float(0.1),
    beta2: attr.float(0.1),
    weight_decay: attr.float(0.1),
    eps: attr.float(0.1),
    amsgrad: attr.bool(false),
    maximize: attr.bool(false),
  },
  host({ var: params, lr, beta1, beta2, weight_decay, eps, amsgrad, maximize }, { cores }) {
    const size = params.size
    const share = alignUp(ceilDiv(size, cores), 256)
    const tile = fit(alignUp(ceilDiv(share, 2), 256))
    const kept = 1 - lr * weight_decay
    const sign = maximize ? -1 : 1
    return { blockDim: ceilDiv(size, share), size, share, tile, kept, sign, lr, beta1, beta2, eps, amsgrad }
  },
  kernel(
    { var: params, m, v, grad, step, max_grad_norm },
    { size, share, tile, kept, sign, lr, beta1, beta2, eps, amsgrad },
    core,
  ) {
    const paramsIn = buffer(params.dtype, tile)
    const mIn = buffer(m.dtype, tile)
    const vIn = buffer(v.dtype, tile)
    const gradIn = buffer(grad.dtype, tile)
    const peakIn = buffer(max_grad_norm.dtype, tile)
    const paramsOut = buffer(params.dtype, tile)
    const mOut = buffer(m.dtype, tile)
    const vOut = buffer(v.dtype, tile)
    const peakOut = buffer(max_grad_norm.dtype, tile)
    const variable = buffer('float32', tile)
    const gradient = buffer('float32', tile)
    const moment = buffer('float32', tile)
    const square = buffer('float32', tile)
    // 1 - beta^steps as (1 - beta) * (1 + beta + … + beta^(steps - 1)), whose difference would cancel: bit by bit
    const steps = int(get(step, 0)) + 1
    let sum1 = float(0)
    let sum2 = float(0)
    let power1 = float(1)
    let power2 = float(1)
    let unit = 1073741824
    for (const bit of range(31)) {
      sum1 += sum1 * power1
      sum2 += sum2 * power2
      power1 *= power1
      power2 *= power2
      if ((steps / unit) % 2 === 1) {
        sum1 += power1
        sum2 += power2
        power1 *= beta1
        power2 *= beta2
      }
      unit /= 2
    }
    const rate = lr / ((1 - beta1) * sum1)
    const widening = 1 / ((1 - beta2) * sum2)
    const end = min((core + 1) * share, size)
    for (const at of range(core * share, end, tile)) {
      const n = min(tile, end - at)
      copyIn(() => {
        load(paramsIn, params, at, n)
        load(mIn, m, at, n)
        load(vIn, v, at, n)
        load(gradIn, grad, at, n)
      })
      compute(() => {
        cast(gradient, gradIn, n)
        cast(moment, mIn, n)
        muls(gradient, gradient, float(sign), n)
        sub(variable, gradient, moment, n)
        axpy(moment, variable, 1 - beta1, n)
        cast(mOut, moment, n)
        cast(square, vIn, n)
        muls(square, square, beta2, n)
        mul(gradient, gradient, gradient, n)
        axpy(square, gradient, 1 - beta2, n)
        cast(vOut, square, n)
      })
      if (amsgrad) {
        copyIn(() => load(peakIn, max_grad_norm, at, n))
        compute(() => {
          cast(gradient, peakIn, n)
          max(square, square, gradient, n)
          cast(peakOut, square, n)
        })
        copyOut(() => store(max_grad_norm, at, peakOut, n))
      }
      compute(() => {
        muls(square, square, widening, n)
        sqrt(square, square, n)
        adds(square, square, eps, n)
        div(moment, moment, square, n)
        cast(variable, paramsIn, n)
        muls(variable, variable, kept, n)
        axpy(variable, moment, -rate, n)
        cast(paramsOut, variable, n)
      })
      copyOut(() => {
        store(params, at, paramsOut, n)
        store(m, at, mOut, n)
        store(v, at, vOut, n)
      })
    }
  },
})
