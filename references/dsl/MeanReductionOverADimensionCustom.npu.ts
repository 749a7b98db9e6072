import {
  add,
  alignUp,
  buffer,
  ceilDiv,
  columnSum,
  compute,
  copyIn,
  copyOut,
  duplicate,
  fit,
  float,
  load,
  min,
  muls,
  operator,
  range,
  store,
  tensor,
} from 'vitest-npu/dsl'

// The mean along the middle axis. A core goes down some columns of a block: rows in tiles of 32, so that no sum is a long chain.
export default operator({
  name: 'MeanReductionOverADimensionCustom',
  inputs: { x: tensor('float32', ['B', 'M', 'N']) },
  outputs: { y: tensor('float32', ['B', 'N']) },
  host({ x }, { cores }) {
    const B = x.shape(0)
    const M = x.shape(1)
    const N = x.shape(2)
    const tile = min(M, 32)
    const pieces = ceilDiv(cores, B)
    const piece = fit(min(N, alignUp(ceilDiv(N, pieces), 64)))
    const units = B * ceilDiv(N, piece)
    const share = ceilDiv(units, cores)
    return { blockDim: ceilDiv(units, share), M, N, tile, piece, units, share, scale: 1 / float(M) }
  },
  kernel({ x, y }, { M, N, tile, piece, units, share, scale }, core) {
    const xs = buffer('float32', [tile, piece])
    const ys = buffer('float32', piece)
    const part = buffer('float32', piece)
    const perBlock = ceilDiv(N, piece)
    const end = min((core + 1) * share, units)
    for (const unit of range(core * share, end)) {
      const block = unit / perBlock
      const at = (unit % perBlock) * piece
      const w = min(piece, N - at)
      compute(() => duplicate(ys, 0, w))
      for (const row of range(0, M, tile)) {
        const n = min(tile, M - row)
        copyIn(() => load(xs, x, (block * M + row) * N + at, [n, w], N))
        compute(() => {
          columnSum(part, xs, [n, w])
          add(ys, ys, part, w)
        })
      }
      compute(() => muls(ys, ys, scale, w))
      copyOut(() => store(y, block * N + at, ys, w))
    }
  },
})
