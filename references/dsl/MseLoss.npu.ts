import {
  add,
  alignUp,
  attr,
  buffer,
  cast,
  ceilDiv,
  compute,
  copyIn,
  copyOut,
  duplicate,
  fit,
  float,
  load,
  min,
  mul,
  muls,
  operator,
  range,
  reduceSum,
  store,
  sub,
  tensor,
} from 'vitest-npu/dsl'

// Squares of differences; a sum or a mean of them is added up by one core.
export default operator({
  name: 'MseLoss',
  inputs: { predict: tensor(['float16', 'float32']), label: tensor.like('predict') },
  outputs: { y: tensor(['float16', 'float32'], ['...result']) },
  attrs: { reduction: attr.string('mean') },
  host({ predict, reduction }, { cores }) {
    const size = predict.size
    const isReduced = reduction !== 'none'
    const share = isReduced ? size : alignUp(ceilDiv(size, cores), 256)
    const tile = fit(alignUp(ceilDiv(share, 2), 256))
    const factor = reduction === 'mean' ? 1 / float(size) : 1
    return { blockDim: ceilDiv(size, share), size, share, tile, factor, isReduced }
  },
  kernel({ predict, label, y }, { size, share, tile, factor, isReduced }, core) {
    const predictIn = buffer(predict.dtype, tile)
    const labelIn = buffer(label.dtype, tile)
    const wide = buffer('float32', tile)
    const other = buffer('float32', tile)
    const total = buffer('float32', 8)
    const partial = buffer('float32', 8)
    const yOut = buffer(y.dtype, tile)
    const end = min((core + 1) * share, size)
    compute(() => duplicate(total, 0, 8))
    for (const at of range(core * share, end, tile)) {
      const n = min(tile, end - at)
      copyIn(() => {
        load(predictIn, predict, at, n)
        load(labelIn, label, at, n)
      })
      compute(() => {
        cast(wide, predictIn, n)
        cast(other, labelIn, n)
        sub(wide, wide, other, n)
        mul(wide, wide, wide, n)
      })
      if (isReduced) {
        compute(() => {
          reduceSum(partial, wide, n)
          add(total, total, partial, 1)
        })
      } else {
        compute(() => cast(yOut, wide, n))
        copyOut(() => store(y, at, yOut, n))
      }
    }
    if (isReduced) {
      compute(() => {
        muls(total, total, factor, 1)
        cast(yOut, total, 1)
      })
      copyOut(() => store(y, 0, yOut, 1))
    }
  },
})
