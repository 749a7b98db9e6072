import {
  alignUp,
  buffer,
  ceilDiv,
  compute,
  copyIn,
  copyOut,
  fit,
  get,
  load,
  maxs,
  min,
  mins,
  operator,
  range,
  store,
  tensor,
} from 'vitest-npu/dsl'

export default operator({
  name: 'ClipByValue',
  inputs: {
    x: tensor(['float32', 'float16', 'int32']),
    clip_value_min: tensor(['float32', 'float16', 'int32'], [1]),
    clip_value_max: tensor(['float32', 'float16', 'int32'], [1]),
  },
  outputs: { y: tensor.like('x') },
  host({ x }, { cores }) {
    const share = alignUp(ceilDiv(x.size, cores), 256)
    const tile = fit(alignUp(ceilDiv(share, 2), 256))
    return { blockDim: ceilDiv(x.size, share), size: x.size, share, tile }
  },
  kernel({ x, clip_value_min, clip_value_max, y }, { size, share, tile }, core) {
    const xIn = buffer(x.dtype, tile)
    const yOut = buffer(y.dtype, tile)
    const end = min((core + 1) * share, size)
    for (const at of range(core * share, end, tile)) {
      const n = min(tile, end - at)
      copyIn(() => load(xIn, x, at, n))
      compute(() => {
        if (x.dtype === 'int32') {
          maxs(yOut, xIn, get(clip_value_min, 0), n)
          mins(yOut, yOut, get(clip_value_max, 0), n)
        } else {
          maxs(yOut, xIn, get(clip_value_min, 0), n)
          mins(yOut, yOut, get(clip_value_max, 0), n)
        }
      })
      copyOut(() => store(y, at, yOut, n))
    }
  },
})
