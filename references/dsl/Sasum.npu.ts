import {
  abs,
  add,
  arange,
  attr,
  buffer,
  cast,
  compute,
  copyIn,
  copyOut,
  duplicate,
  fit,
  gather,
  load,
  min,
  muls,
  operator,
  range,
  reduceSum,
  store,
  tensor,
} from 'vitest-npu/dsl'

// One core: the sum of magnitudes is wanted of one vector.
export default operator({
  name: 'Sasum',
  inputs: { x: tensor(['float32', 'float16'], ['length']) },
  outputs: { result: tensor(['float32', 'float16'], []) },
  attrs: { n: attr.int(0), incx: attr.int(1) },
  host({ x, n, incx }, { cores }) {
    const tile = fit((n - 1) * incx + 1)
    const each = (tile - 1) / incx + 1 // elements of a step
    return { blockDim: 1, n, incx, tile, each }
  },
  kernel({ x, result }, { n, incx, tile, each }) {
    const xIn = buffer(x.dtype, tile)
    const out = buffer(result.dtype, 8)
    const magnitudes = buffer('float32', tile)
    const picked = buffer('float32', tile)
    const places = buffer('int32', tile)
    const partial = buffer('float32', 8)
    const total = buffer('float32', 8)
    compute(() => duplicate(total, 0, 8))
    for (const first of range(0, n, each)) {
      const m = min(each, n - first)
      const length = (m - 1) * incx + 1
      copyIn(() => load(xIn, x, first * incx, length))
      compute(() => {
        cast(magnitudes, xIn, length)
        abs(magnitudes, magnitudes, length)
        if (incx === 1) cast(picked, magnitudes, m)
        else {
          arange(places, 0, m)
          muls(places, places, incx, m)
          gather(picked, magnitudes, places, m)
        }
      })
      compute(() => {
        reduceSum(partial, picked, m)
        add(total, total, partial, 1)
      })
    }
    compute(() => cast(out, total, 1))
    copyOut(() => store(result, 0, out, 1))
  },
})
