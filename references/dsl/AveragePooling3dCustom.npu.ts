import {
  add,
  attr,
  buffer,
  ceilDiv,
  compute,
  copyIn,
  copyOut,
  duplicate,
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
  windowRowsSum,
  windowSum,
} from 'vitest-npu/dsl'

// Means of windows: planes of a window one after the other, then rows, then along rows. A step makes some rows of a plane of results.
export default operator({
  name: 'AveragePooling3dCustom',
  inputs: { x: tensor('float32', ['B', 'C', 'in0', 'in1', 'in2']) },
  outputs: { y: tensor('float32', ['B', 'C', 'out0', 'out1', 'out2']) },
  attrs: { kernel_size: attr.int(), stride: attr.int(), padding: attr.int(0) },
  host({ x, kernel_size, stride, padding }, { cores }) {
    const D = x.shape(2)
    const outD = (D + 2 * padding - kernel_size) / stride + 1
    const H = x.shape(3)
    const W = x.shape(4)
    const outH = (H + 2 * padding - kernel_size) / stride + 1
    const outW = (W + 2 * padding - kernel_size) / stride + 1
    const planes = x.product(0, 2) * outD
    const tile = fit(outH)
    const units = planes * ceilDiv(outH, tile)
    const share = ceilDiv(units, cores)
    return {
      blockDim: ceilDiv(units, share),
      D,
      outD,
      H,
      W,
      outH,
      outW,
      units,
      share,
      tile,
      size: kernel_size,
      step: stride,
      padding,
      scale: 1 / float(kernel_size * kernel_size * kernel_size),
    }
  },
  kernel({ x, y }, { D, outD, H, W, outH, outW, units, share, tile, size, step, padding, scale }, core) {
    const xs = buffer('float32', [tile * step + size, W])
    const planes = buffer('float32', [tile * step + size, W])
    const wide = buffer('float32', [tile, W])
    const ys = buffer('float32', [tile, outW])
    const perPlane = ceilDiv(outH, tile)
    const end = min((core + 1) * share, units)
    for (const unit of range(core * share, end)) {
      const plane = unit / perPlane
      const block = plane / outD
      const outPlane = plane % outD
      const row = (unit % perPlane) * tile
      const n = min(tile, outH - row)
      const begin = row * step - padding
      const first = max(begin, 0)
      const height = min(begin + (n - 1) * step + size, H) - first
      compute(() => duplicate(planes, 0, [height, W]))
      for (const k of range(size)) {
        const depth = outPlane * step - padding + k
        if (depth >= 0 && depth < D) {
          copyIn(() => load(xs, x, ((block * D + depth) * H + first) * W, [height, W]))
          compute(() => add(planes, planes, xs, [height, W]))
        }
      }
      compute(() => {
        windowRowsSum(wide, planes, size, step, begin - first, height, [n, W])
        windowSum(ys, wide, size, step, -padding, W, [n, outW])
        muls(ys, ys, scale, [n, outW])
      })
      copyOut(() => store(y, (plane * outH + row) * outW, ys, [n, outW]))
    }
  },
})
