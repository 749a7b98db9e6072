import {
  alignUp,
  buffer,
  cast,
  ceilDiv,
  compare,
  compute,
  copyIn,
  copyOut,
  fit,
  fromMask,
  load,
  mask,
  min,
  operator,
  range,
  store,
  tensor,
} from 'vitest-npu/dsl'

export default operator({
  name: 'LessEqual',
  inputs: { x1: tensor(['float16', 'float32', 'int8', 'int32']), x2: tensor(['float16', 'float32', 'int8', 'int32']) },
  outputs: { y: tensor('bool') },
  host({ x1 }, { cores }) {
    const share = alignUp(ceilDiv(x1.size, cores), 256)
    const tile = fit(ceilDiv(share, 2))
    return { blockDim: ceilDiv(x1.size, share), size: x1.size, share, tile }
  },
  kernel({ x1, x2, y }, { size, share, tile }, core) {
    const x1In = buffer(x1.dtype, tile)
    const x2In = buffer(x2.dtype, tile)
    const yOut = buffer(y.dtype, tile)
    const least = buffer('int32', tile)
    const half1 = buffer('float16', tile)
    const half2 = buffer('float16', tile)
    const bits = mask(tile)
    const end = min((core + 1) * share, size)
    for (const at of range(core * share, end, tile)) {
      const n = min(tile, end - at)
      copyIn(() => {
        load(x1In, x1, at, n)
        load(x2In, x2, at, n)
      })
      compute(() => {
        if (x1.dtype === 'int32') {
          min(least, x1In, x2In, n)
          compare(bits, least, x1In, 'eq', n)
        } else if (x1.dtype === 'int8') {
          cast(half1, x1In, n)
          cast(half2, x2In, n)
          compare(bits, half1, half2, 'le', n)
        } else {
          compare(bits, x1In, x2In, 'le', n)
        }
        fromMask(yOut, bits, n)
      })
      copyOut(() => {
        store(y, at, yOut, n)
      })
    }
  },
})
