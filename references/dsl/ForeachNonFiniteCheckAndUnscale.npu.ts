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
  name: 'ForeachNonFiniteCheckAndUnscale',
  inputs: {
    scaled_grads: tensorList(['float16', 'bfloat16', 'float32']),
    found_inf: tensor('float32', [1]),
    inv_scale: tensor('float32', [1]),
  },
  outputs: { scaled_grads: tensorList.like('scaled_grads'), found_inf: tensor.like('found_inf') },
  host({ scaled_grads: x }, { cores }) {
    const share = alignUp(ceilDiv(x.size, cores), 256)
    const tile = fit(alignUp(ceilDiv(share, 2), 256))
    return { blockDim: ceilDiv(x.size, share), share, tile }
  },
  kernel({ scaled_grads: x, found_inf, inv_scale }, { share, tile }, core) {
    const xIn = buffer(x.dtype, tile)
    const yOut = buffer(x.dtype, tile)
    const wide = buffer('float32', tile)
    const trace = buffer('float32', tile)
    const traces = buffer('float32', tile)
    const sum = buffer('float32', 8)
    const one = buffer(found_inf.dtype, 8)
    const factor = get(inv_scale, 0)
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
          if (factor === 0) duplicate(wide, 0, n)
          else muls(wide, wide, factor, n)
          cast(yOut, wide, n)
        })
        copyOut(() => store(x[i], at, yOut, n))
      }
    }
    compute(() => reduceSum(sum, traces, tile))
    if (get(sum, 0) !== 0) {
      // cores that find something write the same number
      compute(() => duplicate(one, 1, 8))
      copyOut(() => store(found_inf, 0, one, 1))
    }
  },
})
