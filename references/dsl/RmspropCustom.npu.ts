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
  name: 'RmspropCustom',
  inputs: {
    param: tensor('float32', ['M', 'N']),
    grad: tensor('float32', ['M', 'N']),
    v: tensor('float32', ['M', 'N']),
  },
  outputs: { y: tensor.like('param') },
  attrs: { lr: attr.float(1e-3), alpha: attr.float(0.99), eps: attr.float(1e-8) },
  host({ param, lr, alpha, eps }, { cores }) {
    const share = ceilDiv(ceilDiv(param.size, cores), 128) * 128
    const tile = fit(min(share, 8192))
    return { blockDim: ceilDiv(param.size, share), size: param.size, share, tile, lr, alpha, eps }
  },
  kernel({ param, grad, v, y }, { size, share, tile, lr, alpha, eps }, core) {
    const params = buffer('float32', tile)
    const grads = buffer('float32', tile)
    const vs = buffer('float32', tile)
    const ys = buffer('float32', tile)
    const sum = buffer('float32', tile)
    const step = buffer('float32', tile)
    const end = min((core + 1) * share, size)
    for (const at of range(core * share, end, tile)) {
      const n = min(tile, end - at)
      copyIn(() => {
        load(params, param, at, n)
        load(grads, grad, at, n)
        load(vs, v, at, n)
      })
      compute(() => {
        mul(sum, grads, grads, n)
        muls(sum, sum, 1.0 - alpha, n)
        muls(step, vs, alpha, n)
        add(sum, sum, step, n)
        sqrt(sum, sum, n)
        adds(sum, sum, eps, n)
        muls(step, grads, lr, n)
        div(step, step, sum, n)
        sub(ys, params, step, n)
      })
      copyOut(() => store(y, at, ys, n))
    }
  },
})
