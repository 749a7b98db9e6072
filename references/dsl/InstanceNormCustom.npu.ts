import {
  add,
  adds,
  attr,
  buffer,
  ceilDiv,
  compute,
  copyIn,
  copyOut,
  divRows,
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
  rowSum,
  sqrt,
  store,
  subRows,
  tensor,
} from 'vitest-npu/dsl'

// Images of each channel, brought to mean 0 and variance 1. Whole stretches in tiles where they fit; else one stretch after the other, read three times.
export default operator({
  name: 'InstanceNormCustom',
  inputs: { x: tensor('float32', ['N', 'C', 'H', 'W']) },
  outputs: { y: tensor.like('x') },
  attrs: { epsilon: attr.float(1e-5) },
  host({ x, epsilon }, { cores }) {
    const D = x.shape(2) * x.shape(3)
    const rows = x.size / D
    const share = ceilDiv(rows, cores)
    const tile = fit(min(share, 64)) // 0 where not even one stretch fits
    const piece = fit(min(D, 8192))
    return { blockDim: ceilDiv(rows, share), rows, share, tile, piece, D, scale: 1 / float(D), epsilon }
  },
  kernel({ x, y }, { rows, share, tile, piece, D, scale, epsilon }, core) {
    const end = min((core + 1) * share, rows)
    if (tile > 0) {
      const xs = buffer('float32', [tile, D])
      const ys = buffer('float32', [tile, D])
      const wide = buffer('float32', [tile, D])
      const mean = buffer('float32', tile)
      const root = buffer('float32', tile)
      for (const row of range(core * share, end, tile)) {
        const n = min(tile, end - row)
        copyIn(() => load(xs, x, row * D, [n, D]))
        compute(() => {
          rowSum(mean, xs, [n, D])
          muls(mean, mean, scale, n)
          subRows(wide, xs, mean, [n, D])
          mul(ys, wide, wide, [n, D])
          rowSum(root, ys, [n, D])
          muls(root, root, scale, n)
          adds(root, root, epsilon, n)
          sqrt(root, root, n)
          divRows(ys, wide, root, [n, D])
        })
        copyOut(() => store(y, row * D, ys, [n, D]))
      }
    } else {
      const part = buffer('float32', piece)
      const result = buffer('float32', piece)
      const widePart = buffer('float32', piece)
      const found = buffer('float32', 8)
      const total = buffer('float32', 8)
      for (const row of range(core * share, end)) {
        compute(() => duplicate(total, 0, 8))
        for (const at of range(0, D, piece)) {
          const n = min(piece, D - at)
          copyIn(() => load(part, x, row * D + at, n))
          compute(() => {
            reduceSum(found, part, n)
            add(total, total, found, 1)
          })
        }
        const average = get(total, 0) * scale
        compute(() => duplicate(total, 0, 8))
        for (const at of range(0, D, piece)) {
          const n = min(piece, D - at)
          copyIn(() => load(part, x, row * D + at, n))
          compute(() => {
            adds(widePart, part, -average, n)
            mul(widePart, widePart, widePart, n)
            reduceSum(found, widePart, n)
            add(total, total, found, 1)
          })
        }
        compute(() => {
          muls(total, total, scale, 1)
          adds(total, total, epsilon, 1)
          sqrt(total, total, 1)
        })
        const factor = 1.0 / get(total, 0)
        for (const at of range(0, D, piece)) {
          const n = min(piece, D - at)
          copyIn(() => load(part, x, row * D + at, n))
          compute(() => {
            adds(widePart, part, -average, n)
            muls(result, widePart, factor, n)
          })
          copyOut(() => store(y, row * D + at, result, n))
        }
      }
    }
  },
})
