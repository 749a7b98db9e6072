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
  name: 'AdagradCustom',
  inputs: {
    param: tensor('float32', ['M', 'N']),
    grad: tensor('float32', ['M', 'N']),
    accum: tensor('float32', ['M', 'N']),
  },
  outputs: { y: tensor.like('param') },
  attrs: { lr: attr.float(1e-2), eps: attr.float(1e-10) },
  host({ param, lr, eps }, { cores }) {
    const share = ceilDiv(ceilDiv(param.size, cores), 128) * 128
    const tile = fit(min(share, 8192))
    return { blockDim: ceilDiv(param.size, share), size: param.size, share, tile, lr, eps }
  },
  kernel({ param, grad, accum, y }, { size, share, tile, lr, eps }, core) {
    const params = buffer('float32', tile)
    const grads = buffer('float32', tile)
    const accums = buffer('float32', tile)
    const ys = buffer('float32', tile)
    const sum = buffer('float32', tile)
    const step = buffer('float32', tile)
    const end = min((core + 1) * share, size)
    for (const at of range(core * share, end, tile)) {
      const n = min(tile, end - at)
      copyIn(() => {
        load(params, param, at, n)
        load(grads, grad, at, n)
        load(accums, accum, at, n)
      })
      compute(() => {
        mul(sum, grads, grads, n)
        add(sum, sum, accums, n)
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
