import {
  attr,
  buffer,
  ceilDiv,
  compute,
  copyIn,
  copyOut,
  fit,
  float,
  load,
  max,
  min,
  muls,
  operator,
  range,
  store,
  tensor,
  windowSum,
} from 'vitest-npu/dsl'

// Means of windows along rows: rows in tiles, positions in pieces of at most 1024.
export default operator({
  name: 'AveragePooling1dCustom',
  inputs: { x: tensor('float32', ['B', 'C', 'in0']) },
  outputs: { y: tensor('float32', ['B', 'C', 'out0']) },
  attrs: { kernel_size: attr.int(), stride: attr.int(), padding: attr.int(0) },
  host({ x, kernel_size, stride, padding }, { cores }) {
    const rows = x.product(0, 2)
    const W = x.shape(2)
    const outW = (W + 2 * padding - kernel_size) / stride + 1
    const piece = min(outW, 1024)
    const reach = min(W, (piece - 1) * stride + kernel_size)
    const share = ceilDiv(rows, cores)
    const tile = fit(min(share, 64))
    return {
      blockDim: ceilDiv(rows, share),
      rows,
      W,
      outW,
      piece,
      reach,
      share,
      tile,
      size: kernel_size,
      step: stride,
      padding,
      scale: 1 / float(kernel_size),
    }
  },
  kernel({ x, y }, { rows, W, outW, piece, reach, share, tile, size, step, padding, scale }, core) {
    const xs = buffer('float32', [tile, reach])
    const ys = buffer('float32', [tile, piece])
    const end = min((core + 1) * share, rows)
    for (const row of range(core * share, end, tile)) {
      const n = min(tile, end - row)
      for (const at of range(0, outW, piece)) {
        const w = min(piece, outW - at)
        const begin = at * step - padding
        const first = max(begin, 0)
        const width = min(begin + (w - 1) * step + size, W) - first
        copyIn(() => load(xs, x, row * W + first, [n, width], W))
        compute(() => {
          windowSum(ys, xs, size, step, begin - first, width, [n, w])
          muls(ys, ys, scale, [n, w])
        })
        copyOut(() => store(y, row * outW + at, ys, [n, w], outW))
      }
    }
  },
})
