import {
  abs,
  arange,
  attr,
  buffer,
  cast,
  compares,
  compute,
  copyIn,
  copyOut,
  fit,
  gather,
  get,
  int,
  load,
  mask,
  min,
  muls,
  operator,
  range,
  reduceMin,
  selects,
  set,
  store,
  tensor,
} from 'vitest-npu/dsl'

// One core: a position is wanted in one vector.
export default operator({
  name: 'Isamin',
  inputs: { x: tensor('float32', ['length']) },
  outputs: { result: tensor('int32', []) },
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
    const extreme = buffer('float32', 8)
    const nearest = buffer('float32', 8)
    const isExtreme = mask(tile)
    let best = Infinity
    let place = 0
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
      compute(() => reduceMin(extreme, picked, m))
      const candidate = get(extreme, 0)
      if (candidate < best) {
        // the first of those that are equal to it
        compute(() => {
          compares(isExtreme, picked, candidate, 'eq', m)
          arange(magnitudes, 0, m)
          selects(magnitudes, isExtreme, magnitudes, 16777216, m)
          reduceMin(nearest, magnitudes, m)
        })
        best = candidate
        place = first + int(get(nearest, 0)) + 1
      }
    }
    compute(() => set(out, 0, place))
    copyOut(() => store(result, 0, out, 1))
  },
})
