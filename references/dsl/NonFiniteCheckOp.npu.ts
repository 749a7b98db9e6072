import {
  add,
  alignUp,
  buffer,
  cast,
  ceilDiv,
  compute,
  copyIn,
  copyOut,
  duplicate,
  fit,
  get,
  load,
  min,
  muls,
  operator,
  range,
  reduceSum,
  split,
  store,
  tensor,
  tensorList,
} from 'vitest-npu/dsl'

// The flag arrives as 0.
export default operator({
  name: 'NonFiniteCheckOp',
  inputs: { tensor_list: tensorList(['bfloat16', 'float16', 'float32']) },
  outputs: { found_flag: tensor('float32', [1]) },
  host({ tensor_list: x }, { cores }) {
    const share = alignUp(ceilDiv(x.size, cores), 256)
    const tile = fit(alignUp(ceilDiv(share, 2), 256))
    return { blockDim: ceilDiv(x.size, share), share, tile }
  },
  kernel({ tensor_list: x, found_flag }, { share, tile }, core) {
    const xIn = buffer(x.dtype, tile)
    const wide = buffer('float32', tile)
    const trace = buffer('float32', tile)
    const traces = buffer('float32', tile)
    const sum = buffer('float32', 8)
    const one = buffer(found_flag.dtype, 8)
    compute(() => duplicate(traces, 0, tile))
    for (const { i, from, to } of split(x, core, share)) {
      for (const at of range(from, to, tile)) {
        const n = min(tile, to - at)
        copyIn(() => load(xIn, x[i], at, n))
        compute(() => {
          cast(wide, xIn, n)
          // what is not finite leaves NaN
          muls(trace, wide, 0, n)
          add(traces, traces, trace, n)
        })
      }
    }
    compute(() => reduceSum(sum, traces, tile))
    if (get(sum, 0) !== 0) {
      // cores that find something write the same number
      compute(() => duplicate(one, 1, 8))
      copyOut(() => store(found_flag, 0, one, 1))
    }
  },
})
