import {
  alignUp,
  buffer,
  cast,
  ceilDiv,
  compute,
  copyIn,
  copyOut,
  fit,
  load,
  min,
  mulAddDst,
  operator,
  range,
  store,
  sub,
  tensor,
} from 'vitest-npu/dsl'

export default operator({
  name: 'Lerp',
  inputs: { start: tensor(['float16', 'float32']), end: tensor.like('start'), weight: tensor.like('start') },
  outputs: { y: tensor.like('start') },
  host({ start }, { cores }) {
    const share = alignUp(ceilDiv(start.size, cores), 256)
    const tile = fit(alignUp(ceilDiv(share, 2), 256))
    return { blockDim: ceilDiv(start.size, share), size: start.size, share, tile }
  },
  kernel({ start, end, weight, y }, { size, share, tile }, core) {
    const startIn = buffer(start.dtype, tile)
    const endIn = buffer(end.dtype, tile)
    const weightIn = buffer(weight.dtype, tile)
    const yOut = buffer(y.dtype, tile)
    const from = buffer('float32', tile)
    const way = buffer('float32', tile)
    const weights = buffer('float32', tile)
    const last = min((core + 1) * share, size)
    for (const at of range(core * share, last, tile)) {
      const n = min(tile, last - at)
      copyIn(() => {
        load(startIn, start, at, n)
        load(endIn, end, at, n)
        load(weightIn, weight, at, n)
      })
      compute(() => {
        cast(from, startIn, n)
        cast(way, endIn, n)
        cast(weights, weightIn, n)
        sub(way, way, from, n)
        mulAddDst(from, way, weights, n)
        cast(yOut, from, n)
      })
      copyOut(() => store(y, at, yOut, n))
    }
  },
})
