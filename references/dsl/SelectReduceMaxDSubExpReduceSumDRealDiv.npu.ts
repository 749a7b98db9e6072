import {
  buffer,
  cast,
  ceilDiv,
  compute,
  copyIn,
  copyOut,
  divRows,
  exp,
  fit,
  load,
  mask,
  min,
  operator,
  range,
  rowMax,
  rowSum,
  select,
  store,
  subRows,
  tensor,
  toMask,
} from 'vitest-npu/dsl'

// Softmax of rows that are selected, element by element, of two inputs.
export default operator({
  name: 'SelectReduceMaxDSubExpReduceSumDRealDiv',
  inputs: {
    sel: tensor('bool', ['...rows', 'D']),
    input1: tensor(['float16', 'float32', 'bfloat16'], ['...rows', 'D']),
    input2: tensor.like('input1'),
  },
  outputs: { ouput: tensor.like('input1') },
  host({ input1 }, { cores }) {
    const D = input1.shape(-1)
    const rows = input1.size / D
    const share = ceilDiv(rows, cores)
    const tile = fit(min(share, 128))
    return { blockDim: ceilDiv(rows, share), rows, share, tile, D }
  },
  kernel({ sel, input1, input2, ouput }, { rows, share, tile, D }, core) {
    const selIn = buffer(sel.dtype, [tile, D])
    const first = buffer(input1.dtype, [tile, D])
    const second = buffer(input2.dtype, [tile, D])
    const result = buffer(ouput.dtype, [tile, D])
    const isFirst = mask([tile, D])
    const wide = buffer('float32', [tile, D])
    const other = buffer('float32', [tile, D])
    const statistic = buffer('float32', tile)
    const end = min((core + 1) * share, rows)
    for (const row of range(core * share, end, tile)) {
      const n = min(tile, end - row)
      copyIn(() => {
        load(selIn, sel, row * D, [n, D])
        load(first, input1, row * D, [n, D])
        load(second, input2, row * D, [n, D])
      })
      compute(() => {
        toMask(isFirst, selIn, [n, D])
        cast(wide, first, [n, D])
        cast(other, second, [n, D])
        select(wide, isFirst, wide, other, [n, D])
        rowMax(statistic, wide, [n, D])
        subRows(wide, wide, statistic, [n, D])
        exp(wide, wide, [n, D])
        rowSum(statistic, wide, [n, D])
        divRows(wide, wide, statistic, [n, D])
        cast(result, wide, [n, D])
      })
      copyOut(() => store(ouput, row * D, result, [n, D]))
    }
  },
})
