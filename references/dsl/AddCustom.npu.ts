import {
  add,
  alignUp,
  buffer,
  ceilDiv,
  compute,
  copyIn,
  copyOut,
  fit,
  load,
  min,
  operator,
  range,
  store,
  tensor,
} from 'vitest-npu/dsl'

export default operator({
  name: 'AddCustom',
  inputs: { x: tensor('float16'), y: tensor('float16') },
  outputs: { z: tensor.like('x') },
  host({ x }, { cores }) {
    const share = alignUp(ceilDiv(x.size, cores), 256)
    const tile = fit(ceilDiv(share, 2))
    return { blockDim: ceilDiv(x.size, share), size: x.size, share, tile }
  },
  kernel({ x, y, z }, { size, share, tile }, core) {
    const xIn = buffer(x.dtype, tile)
    const yIn = buffer(y.dtype, tile)
    const zOut = buffer(z.dtype, tile)
    const end = min((core + 1) * share, size)
    for (const at of range(core * share, end, tile)) {
      const n = min(tile, end - at)
      copyIn(() => {
        load(xIn, x, at, n)
        load(yIn, y, at, n)
      })
      compute(() => {
        add(zOut, xIn, yIn, n)
      })
      copyOut(() => {
        store(z, at, zOut, n)
      })
    }
  },
})
