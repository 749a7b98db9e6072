import {
  add,
  allReduceSum,
  buffer,
  ceilDiv,
  compute,
  copyIn,
  copyOut,
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
  tensor,
} from 'vitest-npu/dsl'

// Two passes: the sum of all squares, of each core and of all; then the quotients.
export default operator({
  name: 'FrobeniusNormCustom',
  inputs: { x: tensor('float32', ['N', 'C', 'H', 'W']) },
  outputs: { y: tensor.like('x') },
  host({ x }, { cores }) {
    const share = ceilDiv(x.size, cores)
    const tile = fit(min(share, 8192))
    return { blockDim: ceilDiv(x.size, share), size: x.size, share, tile }
  },
  kernel({ x, y }, { size, share, tile }, core) {
    const xs = buffer('float32', tile)
    const ys = buffer('float32', tile)
    const squares = buffer('float32', tile)
    const found = buffer('float32', 8)
    const total = buffer('float32', 8)
    const end = min((core + 1) * share, size)
    compute(() => duplicate(total, 0, 8))
    for (const at of range(core * share, end, tile)) {
      const n = min(tile, end - at)
      copyIn(() => load(xs, x, at, n))
      compute(() => {
        mul(squares, xs, xs, n)
        reduceSum(found, squares, n)
        add(total, total, found, 1)
      })
    }
    compute(() => {
      allReduceSum(total, total, 1)
      sqrt(total, total, 1)
    })
    const factor = 1.0 / get(total, 0)
    for (const at of range(core * share, end, tile)) {
      const n = min(tile, end - at)
      copyIn(() => load(xs, x, at, n))
      compute(() => muls(ys, xs, factor, n))
      copyOut(() => store(y, at, ys, n))
    }
  },
})
