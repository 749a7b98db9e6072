import {
  axpy,
  buffer,
  cast,
  ceilDiv,
  compute,
  copyIn,
  copyOut,
  fit,
  get,
  load,
  min,
  muls,
  operator,
  range,
  store,
  tensor,
} from 'vitest-npu/dsl'

// Token by token: the layer's output and the four streams in pieces, each of which is mixed into four new ones.
export default operator({
  name: 'MhcPost',
  inputs: {
    x: tensor(['bfloat16', 'float32'], ['T', 'C']),
    residual: tensor(['bfloat16', 'float32'], ['T', 4, 'C']),
    post: tensor('float32', ['T', 4]),
    comb: tensor('float32', ['T', 4, 4]),
  },
  outputs: { y: tensor.like('residual') },
  host({ x }, { cores }) {
    const T = x.shape(0)
    const C = x.shape(1)
    const share = ceilDiv(T, cores)
    const tile = fit(min(C, 4096))
    return { blockDim: ceilDiv(T, share), T, C, share, tile }
  },
  kernel({ x, residual, post, comb, y }, { T, C, share, tile }, core) {
    const gates = buffer('float32', 4)
    const mix = buffer('float32', 16)
    const xs = buffer(x.dtype, tile)
    const as = buffer(residual.dtype, tile)
    const bs = buffer(residual.dtype, tile)
    const cs = buffer(residual.dtype, tile)
    const ds = buffer(residual.dtype, tile)
    const ys = buffer(y.dtype, tile)
    const layer = buffer('float32', tile)
    const first = buffer('float32', tile)
    const second = buffer('float32', tile)
    const third = buffer('float32', tile)
    const fourth = buffer('float32', tile)
    const sum = buffer('float32', tile)
    const end = min((core + 1) * share, T)
    for (const t of range(core * share, end)) {
      copyIn(() => {
        load(gates, post, t * 4, 4)
        load(mix, comb, t * 16, 16)
      })
      for (const at of range(0, C, tile)) {
        const n = min(tile, C - at)
        copyIn(() => {
          load(xs, x, t * C + at, n)
          load(as, residual, t * 4 * C + at, n)
          load(bs, residual, (t * 4 + 1) * C + at, n)
          load(cs, residual, (t * 4 + 2) * C + at, n)
          load(ds, residual, (t * 4 + 3) * C + at, n)
        })
        compute(() => {
          cast(layer, xs, n)
          cast(first, as, n)
          cast(second, bs, n)
          cast(third, cs, n)
          cast(fourth, ds, n)
        })
        for (const m of range(4)) {
          compute(() => {
            muls(sum, layer, get(gates, m), n)
            axpy(sum, first, get(mix, m), n)
            axpy(sum, second, get(mix, 4 + m), n)
            axpy(sum, third, get(mix, 8 + m), n)
            axpy(sum, fourth, get(mix, 12 + m), n)
            cast(ys, sum, n)
          })
          copyOut(() => store(y, (t * 4 + m) * C + at, ys, n))
        }
      }
    }
  },
})
