import {
  alignUp,
  buffer,
  ceilDiv,
  copyIn,
  copyOut,
  fit,
  load,
  min,
  operator,
  range,
  split,
  store,
  tensorList,
} from 'vitest-npu/dsl'

export default operator({
  name: 'ForeachCopy',
  inputs: {
    x: tensorList([
      'float16',
      'float32',
      'int32',
      'bfloat16',
      'int8',
      'uint8',
      'int16',
      'uint16',
      'uint32',
      'float64',
      'bool',
      'int64',
    ]),
  },
  outputs: { y: tensorList.like('x') },
  host({ x }, { cores }) {
    const share = alignUp(ceilDiv(x.size, cores), 256)
    const tile = fit(alignUp(ceilDiv(share, 2), 256))
    return { blockDim: ceilDiv(x.size, share), share, tile }
  },
  kernel({ x, y }, { share, tile }, core) {
    const xIn = buffer(x.dtype, tile)
    for (const { i, from, to } of split(x, core, share)) {
      for (const at of range(from, to, tile)) {
        const n = min(tile, to - at)
        copyIn(() => load(xIn, x[i], at, n))
        copyOut(() => store(y[i], at, xIn, n))
      }
    }
  },
})
