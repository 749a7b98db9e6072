import {
  add,
  adds,
  attr,
  buffer,
  ceilDiv,
  compute,
  copyIn,
  copyOut,
  div,
  fit,
  load,
  min,
  mul,
  muls,
  operator,
  range,
  sqrt,
  store,
  sub,
  tensor,
} from 'vitest-npu/dsl'

export default operator({
  name: 'AdamCustom',
  inputs: {
    param: tensor('float32', ['M', 'N']),
    grad: tensor('float32', ['M', 'N']),
    m: tensor('float32', ['M', 'N']),
    v: tensor('float32', ['M', 'N']),
  },
  outputs: { y: tensor.like('param') },
  attrs: {
    beta1: attr.float(0.9),
    beta2: attr.float(0.999),
    lr: attr.float(1e-3),
    eps: attr.float(1e-8),
    step: attr.int(1),
  },
  host({ param, beta1, beta2, lr, eps, step }, { cores }) {
    const share = ceilDiv(ceilDiv(param.size, cores), 128) * 128
    const tile = fit(min(share, 8192))
    return { blockDim: ceilDiv(param.size, share), size: param.size, share, tile, beta1, beta2, lr, eps, step }
  },
  kernel({ param, grad, m, v, y }, { size, share, tile, beta1, beta2, lr, eps, step }, core) {
    const params = buffer('float32', tile)
    const grads = buffer('float32', tile)
    const ms = buffer('float32', tile)
    const vs = buffer('float32', tile)
    const ys = buffer('float32', tile)
    const moment = buffer('float32', tile)
    const sum = buffer('float32', tile)
    // 1 - beta^step
    let first = beta1
    let second = beta2
    for (const turn of range(1, step, 1)) {
      first = first * beta1
      second = second * beta2
    }
    const firstLeft = 1.0 - first
    const secondLeft = 1.0 - second
    const end = min((core + 1) * share, size)
    for (const at of range(core * share, end, tile)) {
      const n = min(tile, end - at)
      copyIn(() => {
        load(params, param, at, n)
        load(grads, grad, at, n)
        load(ms, m, at, n)
        load(vs, v, at, n)
      })
      compute(() => {
        muls(moment, ms, beta1, n)
        muls(sum, grads, 1.0 - beta1, n)
        add(moment, moment, sum, n)
        muls(moment, moment, lr / firstLeft, n)
        mul(grads, grads, grads, n)
        muls(grads, grads, 1.0 - beta2, n)
        muls(sum, vs, beta2, n)
        add(sum, sum, grads, n)
        muls(sum, sum, 1.0 / secondLeft, n)
        sqrt(sum, sum, n)
        adds(sum, sum, eps, n)
        div(moment, moment, sum, n)
        sub(ys, params, moment, n)
      })
      copyOut(() => store(y, at, ys, n))
    }
  },
})
