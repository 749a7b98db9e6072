import {
  adds,
  alignUp,
  buffer,
  cast,
  ceilDiv,
  compute,
  copyIn,
  copyOut,
  exp,
  fit,
  get,
  load,
  min,
  muls,
  operator,
  range,
  reciprocal,
  store,
  tensor,
} from 'vitest-npu/dsl'

export default operator({
  name: 'MulSigmoidMulAddCustom',
  inputs: {
    input: tensor(['float16', 'float32', 'bfloat16']),
    mulscalar1: tensor(['float16', 'float32', 'bfloat16'], [1]),
    mulscalar2: tensor(['float16', 'float32', 'bfloat16'], [1]),
    addscalar3: tensor(['float16', 'float32', 'bfloat16'], [1]),
  },
  outputs: { outputs: tensor.like('input') },
  host({ input }, { cores }) {
    const share = alignUp(ceilDiv(input.size, cores), 256)
    const tile = fit(alignUp(ceilDiv(share, 2), 256))
    return { blockDim: ceilDiv(input.size, share), size: input.size, share, tile }
  },
  kernel({ input, mulscalar1, mulscalar2, addscalar3, outputs }, { size, share, tile }, core) {
    const inputIn = buffer(input.dtype, tile)
    const outputsOut = buffer(outputs.dtype, tile)
    const wide = buffer('float32', tile)
    const result = buffer('float32', tile)
    const factor = get(mulscalar1, 0)
    const scale = get(mulscalar2, 0)
    const offset = get(addscalar3, 0)
    const end = min((core + 1) * share, size)
    for (const at of range(core * share, end, tile)) {
      const n = min(tile, end - at)
      copyIn(() => load(inputIn, input, at, n))
      compute(() => {
        cast(wide, inputIn, n)
        muls(wide, wide, -factor, n)
        exp(wide, wide, n)
        adds(wide, wide, 1, n)
        reciprocal(result, wide, n)
        muls(result, result, scale, n)
        adds(result, result, offset, n)
        cast(outputsOut, result, n)
      })
      copyOut(() => store(outputs, at, outputsOut, n))
    }
  },
})
