import {
  attr,
  buffer,
  ceilDiv,
  compute,
  copyIn,
  copyOut,
  fit,
  load,
  max,
  min,
  operator,
  range,
  store,
  tensor,
  windowMax,
  windowRowsMax,
} from 'vitest-npu/dsl'

// Largest elements of windows: over rows, then along them. A step makes some rows of a plane of results.
export default operator({
  name: 'MaxPooling2dCustom',
  inputs: { x: tensor('float32', ['B', 'C', 'in0', 'in1']) },
  outputs: { y: tensor('float32', ['B', 'C', 'out0', 'out1']) },
  attrs: { kernel_size: attr.int(), stride: attr.int(), padding: attr.int(0) },
  host({ x, kernel_size, stride, padding }, { cores }) {
    const H = x.shape(2)
    const W = x.shape(3)
    const outH = (H + 2 * padding - kernel_size) / stride + 1
    const outW = (W + 2 * padding - kernel_size) / stride + 1
    const planes = x.product(0, 2)
    const tile = fit(outH)
    const units = planes * ceilDiv(outH, tile)
    const share = ceilDiv(units, cores)
    return {
      blockDim: ceilDiv(units, share),
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
    }
  },
  kernel({ x, y }, { H, W, outH, outW, units, share, tile, size, step, padding }, core) {
    const xs = buffer('float32', [tile * step + size, W])
    const wide = buffer('float32', [tile, W])
    const ys = buffer('float32', [tile, outW])
    const perPlane = ceilDiv(outH, tile)
    const end = min((core + 1) * share, units)
    for (const unit of range(core * share, end)) {
      const plane = unit / perPlane
      const row = (unit % perPlane) * tile
      const n = min(tile, outH - row)
      const begin = row * step - padding
      const first = max(begin, 0)
      const height = min(begin + (n - 1) * step + size, H) - first
      copyIn(() => load(xs, x, (plane * H + first) * W, [height, W]))
      compute(() => {
        windowRowsMax(wide, xs, size, step, begin - first, height, [n, W])
        windowMax(ys, wide, size, step, -padding, W, [n, outW])
      })
      copyOut(() => store(y, (plane * outH + row) * outW, ys, [n, outW]))
    }
  },
})
