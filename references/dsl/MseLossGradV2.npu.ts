import {
  alignUp,
  attr,
  buffer,
  cast,
  ceilDiv,
  compute,
  copyIn,
  copyOut,
  fit,
  float,
  load,
  min,
  mul,
  muls,
  operator,
  range,
  store,
  sub,
  tensor,
} from 'vitest-npu/dsl'

// The gradient of the squared error; of a mean, divided by the number of elements.
export default operator({
  name: 'MseLossGradV2',
  inputs: {
    predict: tensor(['float16', 'float32', 'bfloat16']),
    label: tensor.like('predict'),
    dout: tensor.like('predict'),
  },
  outputs: { y: tensor.like('predict') },
  attrs: { reduction: attr.string('mean') },
  host({ predict, reduction }, { cores }) {
    const size = predict.size
    const share = alignUp(ceilDiv(size, cores), 256)
    const tile = fit(alignUp(ceilDiv(share, 2), 256))
    const factor = reduction === 'mean' ? 2 / float(size) : 2
    return { blockDim: ceilDiv(size, share), size, share, tile, factor }
  },
  kernel({ predict, label, dout, y }, { size, share, tile, factor }, core) {
    const predictIn = buffer(predict.dtype, tile)
    const labelIn = buffer(label.dtype, tile)
    const doutIn = buffer(dout.dtype, tile)
    const yOut = buffer(y.dtype, tile)
    const wide = buffer('float32', tile)
    const other = buffer('float32', tile)
    const end = min((core + 1) * share, size)
    for (const at of range(core * share, end, tile)) {
      const n = min(tile, end - at)
      copyIn(() => {
        load(predictIn, predict, at, n)
        load(labelIn, label, at, n)
        load(doutIn, dout, at, n)
      })
      compute(() => {
        cast(wide, predictIn, n)
        cast(other, labelIn, n)
        sub(wide, wide, other, n)
        cast(other, doutIn, n)
        mul(wide, wide, other, n)
        muls(wide, wide, factor, n)
        cast(yOut, wide, n)
      })
      copyOut(() => store(y, at, yOut, n))
    }
  },
})
