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
  duplicate,
  fit,
  float,
  get,
  load,
  min,
  mul,
  muls,
  operator,
  range,
  reduceSum,
  set,
  sqrt,
  store,
  tensor,
} from 'vitest-npu/dsl'

// Channels of a batch, brought to mean 0 and variance 1. Each core adds up its planes, and all cores theirs: there are fewer statistics than cores.
export default operator({
  name: 'BatchNormCustom',
  inputs: { x: tensor('float32', ['N', 'C', 'H', 'W']) },
  outputs: { y: tensor.like('x') },
  attrs: { epsilon: attr.float(1e-5) },
  host({ x, epsilon }, { cores }) {
    const C = x.shape(1)
    const D = x.product(2)
    const planes = x.size / D
    const share = ceilDiv(planes, cores)
    const kinds = C
    const tile = fit(min(D, 8192))
    return { blockDim: ceilDiv(planes, share), planes, share, C, D, kinds, tile, scale: 1 / float(x.size / C), epsilon }
  },
  kernel({ x, y }, { planes, share, C, D, kinds, tile, scale, epsilon }, core) {
    const xs = buffer('float32', tile)
    const ys = buffer('float32', tile)
    const wide = buffer('float32', tile)
    const found = buffer('float32', 8)
    const total = buffer('float32', 8)
    const means = buffer('float32', kinds)
    const roots = buffer('float32', kinds)
    const end = min((core + 1) * share, planes)
    compute(() => {
      duplicate(means, 0, kinds)
      duplicate(roots, 0, kinds)
    })
    for (const plane of range(core * share, end)) {
      const kind = plane % C
      compute(() => duplicate(total, 0, 8))
      for (const at of range(0, D, tile)) {
        const n = min(tile, D - at)
        copyIn(() => load(xs, x, plane * D + at, n))
        compute(() => {
          reduceSum(found, xs, n)
          add(total, total, found, 1)
        })
      }
      compute(() => set(means, kind, get(means, kind) + get(total, 0)))
    }
    compute(() => {
      allReduceSum(means, means, kinds)
      muls(means, means, scale, kinds)
    })
    for (const plane of range(core * share, end)) {
      const kind = plane % C
      const mean = get(means, kind)
      compute(() => duplicate(total, 0, 8))
      for (const at of range(0, D, tile)) {
        const n = min(tile, D - at)
        copyIn(() => load(xs, x, plane * D + at, n))
        compute(() => {
          adds(wide, xs, -mean, n)
          mul(wide, wide, wide, n)
          reduceSum(found, wide, n)
          add(total, total, found, 1)
        })
      }
      compute(() => set(roots, kind, get(roots, kind) + get(total, 0)))
    }
    compute(() => {
      allReduceSum(roots, roots, kinds)
      muls(roots, roots, scale, kinds)
      adds(roots, roots, epsilon, kinds)
      sqrt(roots, roots, kinds)
    })
    for (const plane of range(core * share, end)) {
      const kind = plane % C
      const mean = get(means, kind)
      const factor = 1.0 / get(roots, kind)
      for (const at of range(0, D, tile)) {
        const n = min(tile, D - at)
        copyIn(() => load(xs, x, plane * D + at, n))
        compute(() => {
          adds(wide, xs, -mean, n)
          muls(ys, wide, factor, n)
        })
        copyOut(() => store(y, plane * D + at, ys, n))
      }
    }
  },
})
