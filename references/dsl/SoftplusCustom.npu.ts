import {
  abs,
  add,
  adds,
  buffer,
  ceilDiv,
  compute,
  copyIn,
  copyOut,
  exp,
  fit,
  ln,
  load,
  min,
  muls,
  operator,
  range,
  relu,
  store,
  tensor,
} from 'vitest-npu/dsl'

export default operator({
  name: 'SoftplusCustom',
  inputs: { x: tensor('float32', ['B', 'D']) },
  outputs: { y: tensor.like('x') },
  host({ x }, { cores }) {
    const share = ceilDiv(ceilDiv(x.size, cores), 128) * 128
    const tile = fit(min(share, 8192))
    return { blockDim: ceilDiv(x.size, share), size: x.size, share, tile }
  },
  kernel({ x, y }, { size, share, tile }, core) {
    const xs = buffer('float32', tile)
    const ys = buffer('float32', tile)
    const rest = buffer('float32', tile)
    const end = min((core + 1) * share, size)
    for (const at of range(core * share, end, tile)) {
      const n = min(tile, end - at)
      copyIn(() => load(xs, x, at, n))
      compute(() => {
        // max(x, 0) + ln(1 + exp(-|x|)): no exponential overflows
        abs(rest, xs, n)
        muls(rest, rest, -1, n)
        exp(rest, rest, n)
        adds(rest, rest, 1, n)
        ln(rest, rest, n)
        relu(ys, xs, n)
        add(ys, ys, rest, n)
      })
      copyOut(() => store(y, at, ys, n))
    }
  },
})
