import {
  adds,
  alignUp,
  attr,
  buffer,
  ceilDiv,
  columnSum,
  compute,
  copyIn,
  copyOut,
  divColumns,
  fit,
  float,
  load,
  min,
  mul,
  muls,
  operator,
  range,
  sqrt,
  store,
  tensor,
} from 'vitest-npu/dsl'

// Places of an image, divided by the root mean square of their channels: rows are channels, columns are places.
export default operator({
  name: 'RmsNormCustom',
  inputs: { x: tensor('float32', ['N', 'C', 'H', 'W']) },
  outputs: { y: tensor.like('x') },
  attrs: { epsilon: attr.float(1e-5) },
  host({ x, epsilon }, { cores }) {
    const N = x.shape(0)
    const C = x.shape(1)
    const D = x.product(2)
    const piece = fit(min(D, alignUp(ceilDiv(D, ceilDiv(cores, N)), 64)))
    const units = N * ceilDiv(D, piece)
    const share = ceilDiv(units, cores)
    return { blockDim: ceilDiv(units, share), C, D, piece, units, share, scale: 1 / float(C), epsilon }
  },
  kernel({ x, y }, { C, D, piece, units, share, scale, epsilon }, core) {
    const xs = buffer('float32', [C, piece])
    const ys = buffer('float32', [C, piece])
    const roots = buffer('float32', piece)
    const perSample = ceilDiv(D, piece)
    const end = min((core + 1) * share, units)
    for (const unit of range(core * share, end)) {
      const at = (unit % perSample) * piece
      const first = (unit / perSample) * C * D + at
      const w = min(piece, D - at)
      copyIn(() => load(xs, x, first, [C, w], D))
      compute(() => {
        mul(ys, xs, xs, [C, w])
        columnSum(roots, ys, [C, w])
        muls(roots, roots, scale, w)
        adds(roots, roots, epsilon, w)
        sqrt(roots, roots, w)
        divColumns(ys, xs, roots, [C, w])
      })
      copyOut(() => store(y, first, ys, [C, w], D))
    }
  },
})
