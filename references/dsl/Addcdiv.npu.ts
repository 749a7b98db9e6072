import {
  alignUp,
  axpy,
  buffer,
  cast,
  ceilDiv,
  compute,
  copyIn,
  copyOut,
  div,
  fit,
  get,
  load,
  min,
  operator,
  range,
  store,
  tensor,
} from 'vitest-npu/dsl'

export default operator({
  name: 'Addcdiv',
  inputs: {
    input_data: tensor(['float16', 'float32', 'bfloat16']),
    x1: tensor.like('input_data'),
    x2: tensor.like('input_data'),
    value: tensor(['float16', 'float32', 'bfloat16'], [1]),
  },
  outputs: { y: tensor.like('input_data') },
  host({ input_data }, { cores }) {
    const share = alignUp(ceilDiv(input_data.size, cores), 256)
    const tile = fit(alignUp(ceilDiv(share, 2), 256))
    return { blockDim: ceilDiv(input_data.size, share), size: input_data.size, share, tile }
  },
  kernel({ input_data, x1, x2, value, y }, { size, share, tile }, core) {
    const input_dataIn = buffer(input_data.dtype, tile)
    const x1In = buffer(x1.dtype, tile)
    const x2In = buffer(x2.dtype, tile)
    const yOut = buffer(y.dtype, tile)
    const sum = buffer('float32', tile)
    const first = buffer('float32', tile)
    const second = buffer('float32', tile)
    const end = min((core + 1) * share, size)
    for (const at of range(core * share, end, tile)) {
      const n = min(tile, end - at)
      copyIn(() => {
        load(input_dataIn, input_data, at, n)
        load(x1In, x1, at, n)
        load(x2In, x2, at, n)
      })
      compute(() => {
        cast(sum, input_dataIn, n)
        cast(first, x1In, n)
        cast(second, x2In, n)
        div(first, first, second, n)
        axpy(sum, first, get(value, 0), n)
        cast(yOut, sum, n)
      })
      copyOut(() => store(y, at, yOut, n))
    }
  },
})
