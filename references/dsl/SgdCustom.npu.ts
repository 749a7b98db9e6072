import {
  add,
  attr,
  buffer,
  ceilDiv,
  compute,
  copyIn,
  copyOut,
  fit,
  load,
  min,
  muls,
  operator,
  range,
  store,
  sub,
  tensor,
} from 'vitest-npu/dsl'

export default operator({
  name: 'SgdCustom',
  inputs: {
    param: tensor('float32', ['M', 'N']),
    grad: tensor('float32', ['M', 'N']),
    velocity: tensor('float32', ['M', 'N']),
  },
  outputs: { y: tensor.like('param') },
  attrs: { momentum: attr.float(0.9), lr: attr.float(1e-2) },
  host({ param, momentum, lr }, { cores }) {
    const share = ceilDiv(ceilDiv(param.size, cores), 128) * 128
    const tile = fit(min(share, 8192))
    return { blockDim: ceilDiv(param.size, share), size: param.size, share, tile, momentum, lr }
  },
  kernel({ param, grad, velocity, y }, { size, share, tile, momentum, lr }, core) {
    const params = buffer('float32', tile)
    const grads = buffer('float32', tile)
    const velocitys = buffer('float32', tile)
    const ys = buffer('float32', tile)
    const step = buffer('float32', tile)
    const end = min((core + 1) * share, size)
    for (const at of range(core * share, end, tile)) {
      const n = min(tile, end - at)
      copyIn(() => {
        load(params, param, at, n)
        load(grads, grad, at, n)
        load(velocitys, velocity, at, n)
      })
      compute(() => {
        muls(step, velocitys, momentum, n)
        add(step, step, grads, n)
        muls(step, step, lr, n)
        sub(ys, params, step, n)
      })
      copyOut(() => store(y, at, ys, n))
    }
  },
})
