import {
  alignUp,
  buffer,
  ceilDiv,
  compute,
  copyOut,
  duplicate,
  fit,
  min,
  operator,
  range,
  split,
  store,
  tensorList,
} from 'vitest-npu/dsl'

export default operator({
  name: 'ForeachZeroInplace',
  inputs: { x: tensorList(['float16', 'float32', 'int32', 'int16', 'bfloat16']) },
  outputs: { x: tensorList.like('x') },
  host({ x }, { cores }) {
    const share = alignUp(ceilDiv(x.size, cores), 256)
    const tile = fit(alignUp(ceilDiv(share, 2), 256))
    return { blockDim: ceilDiv(x.size, share), share, tile }
  },
  kernel({ x }, { share, tile }, core) {
    const yOut = buffer(x.dtype, tile)
    for (const { i, from, to } of split(x, core, share)) {
      for (const at of range(from, to, tile)) {
        const n = min(tile, to - at)
        compute(() => {
          duplicate(yOut, 0, n)
        })
        copyOut(() => store(x[i], at, yOut, n))
      }
    }
  },
})
