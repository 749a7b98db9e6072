import {
  addColumns,
  arange,
  attr,
  buffer,
  ceilDiv,
  compares,
  compute,
  copyIn,
  copyOut,
  duplicate,
  fit,
  load,
  mask,
  min,
  operator,
  range,
  select,
  store,
  subRows,
  tensor,
} from 'vitest-npu/dsl'

export default operator({
  name: 'Tril',
  inputs: { x: tensor(['float16', 'float32'], ['...batch', 'R', 'D']) },
  outputs: { y: tensor.like('x') },
  attrs: { diagonal: attr.int(0) },
  host({ x, diagonal }, { cores }) {
    const D = x.shape(-1)
    const R = x.shape(-2)
    const rows = x.size / D
    const share = ceilDiv(rows, cores)
    const tile = fit(min(share, 128))
    return { blockDim: ceilDiv(rows, share), rows, share, tile, D, R, diagonal }
  },
  kernel({ x, y }, { rows, share, tile, D, R, diagonal }, core) {
    const xIn = buffer(x.dtype, [tile, D])
    const result = buffer(y.dtype, [tile, D])
    const zeros = buffer(x.dtype, [tile, D])
    const columns = buffer('float32', D)
    const places = buffer('float32', [tile, D])
    const limits = buffer('float32', tile)
    const isBelow = mask([tile, D])
    const end = min((core + 1) * share, rows)
    compute(() => {
      duplicate(zeros, 0, [tile, D])
      arange(columns, 0, D)
    })
    let row = core * share
    for (const step of range(core * share, end)) {
      if (row < end) {
        const n = min(min(tile, end - row), R - (row % R)) // rows of one matrix
        copyIn(() => load(xIn, x, row * D, [n, D]))
        compute(() => {
          // columns of each row that are kept
          arange(limits, (row % R) + diagonal + 1, n)
          duplicate(places, 0, [n, D])
          addColumns(places, places, columns, [n, D])
          subRows(places, places, limits, [n, D])
          compares(isBelow, places, 0, 'lt', [n, D])
          select(result, isBelow, xIn, zeros, [n, D])
        })
        copyOut(() => store(y, row * D, result, [n, D]))
        row += n
      }
    }
  },
})
