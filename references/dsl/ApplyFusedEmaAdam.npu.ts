import {
  add,
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
  load,
  min,
  mul,
  muls,
  operator,
  range,
  sqrt,
  store,
  tensor,
} from 'vitest-npu/dsl'

// Adam with a moving average of the variable: everything in float32, rounded once.
export default operator({
  name: 'ApplyFusedEmaAdam',
  inputs: {
    grad: tensor(['float32', 'float16', 'bfloat16']),
    var: tensor.like('grad'),
    m: tensor.like('grad'),
    v: tensor.like('grad'),
    s: tensor.like('grad'),
    step: tensor('int64', [1]),
  },
  outputs: { var: tensor.like('var'), m: tensor.like('m'), v: tensor.like('v'), s: tensor.like('s') },
  attrs: {
    lr: attr.float(0.001),
    ema_decay: attr.float(0.9999),
    beta1: attr.float(0.9),
    beta2: attr.float(0.999),
    eps: attr.float(1e-8),
    mode: attr.int(1),
    bias_correction: attr.bool(true),
    weight_decay: attr.float(0),
  },
  host({ grad, lr, ema_decay, beta1, beta2, eps, mode, bias_correction, weight_decay }, { cores }) {
    const share = alignUp(ceilDiv(grad.size, cores), 256)
    const tile = fit(alignUp(ceilDiv(share, 2), 256))
    return {
      blockDim: ceilDiv(grad.size, share),
      size: grad.size,
      share,
      tile,
      lr,
      ema_decay,
      beta1,
      beta2,
      eps,
      mode,
      bias_correction,
      weight_decay,
    }
  },
  kernel(
    { grad, var: params, m, v, s, step },
    { size, share, tile, lr, ema_decay, beta1, beta2, eps, mode, bias_correction, weight_decay },
    core,
  ) {
    const gradIn = buffer(grad.dtype, tile)
    const varIn = buffer(params.dtype, tile)
    const mIn = buffer(m.dtype, tile)
    const vIn = buffer(v.dtype, tile)
    const sIn = buffer(s.dtype, tile)
    const varOut = buffer(params.dtype, tile)
    const mOut = buffer(m.dtype, tile)
    const vOut = buffer(v.dtype, tile)
    const sOut = buffer(s.dtype, tile)
    const variable = buffer('float32', tile)
    const gradient = buffer('float32', tile)
    const decay = buffer('float32', tile)
    const moment = buffer('float32', tile)
    const square = buffer('float32', tile)
    const average = buffer('float32', tile)
    // 1 - beta^step as (1 - beta) * (1 + beta + … + beta^(step - 1)), whose difference would cancel: bit by bit
    let correction1 = float(1)
    let correction2 = float(1)
    if (bias_correction) {
      const steps = get(step, 0)
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
      correction1 = (1 - beta1) * sum1
      correction2 = (1 - beta2) * sum2
    }
    const end = min((core + 1) * share, size)
    for (const at of range(core * share, end, tile)) {
      const n = min(tile, end - at)
      copyIn(() => {
        load(gradIn, grad, at, n)
        load(varIn, params, at, n)
        load(mIn, m, at, n)
        load(vIn, v, at, n)
        load(sIn, s, at, n)
      })
      compute(() => {
        cast(variable, varIn, n)
        cast(gradient, gradIn, n)
        muls(decay, variable, weight_decay, n)
        if (mode === 0) add(gradient, gradient, decay, n)
        cast(moment, mIn, n)
        muls(moment, moment, beta1, n)
        axpy(moment, gradient, 1 - beta1, n)
        cast(mOut, moment, n)
        cast(square, vIn, n)
        muls(square, square, beta2, n)
        mul(gradient, gradient, gradient, n)
        axpy(square, gradient, 1 - beta2, n)
        cast(vOut, square, n)
        muls(square, square, 1 / correction2, n)
        sqrt(square, square, n)
        adds(square, square, eps, n)
        muls(moment, moment, 1 / correction1, n)
        div(moment, moment, square, n)
        if (mode !== 0) add(moment, moment, decay, n)
        axpy(variable, moment, -lr, n)
        cast(varOut, variable, n)
        cast(average, sIn, n)
        muls(average, average, ema_decay, n)
        axpy(average, variable, 1 - ema_decay, n)
        cast(sOut, average, n)
      })
      copyOut(() => {
        store(params, at, varOut, n)
        store(m, at, mOut, n)
        store(v, at, vOut, n)
        store(s, at, sOut, n)
      })
    }
  },
})
