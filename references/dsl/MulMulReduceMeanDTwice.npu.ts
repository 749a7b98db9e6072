import {
  add,
  addColumns,
  adds,
  buffer,
  cast,
  ceilDiv,
  compute,
  copyIn,
  copyOut,
  duplicate,
  fit,
  float,
  get,
  load,
  min,
  mul,
  mulColumns,
  mulRows,
  muls,
  operator,
  range,
  reciprocal,
  reduceSum,
  rowSum,
  sqrt,
  store,
  subRows,
  tensor,
} from 'vitest-npu/dsl'

export default operator({
  name: 'MulMulReduceMeanDTwice',
  inputs: {
    mul0_input0: tensor(['float16', 'float32', 'bfloat16'], ['R', 'C']),
    mul0_input1: tensor.like('mul0_input0'),
    mul1_input0: tensor(['float16', 'float32', 'bfloat16'], [1]),
    add_y: tensor(['float16', 'float32', 'bfloat16'], [1]),
    gamma: tensor(['float16', 'float32', 'bfloat16'], [1, 'C']),
    beta: tensor(['float16', 'float32', 'bfloat16'], [1, 'C']),
  },
  outputs: { output: tensor.like('mul0_input0') },
  host({ mul0_input0 }, { cores }) {
    const D = mul0_input0.shape(-1)
    const rows = mul0_input0.size / D
    const share = ceilDiv(rows, cores)
    const tile = fit(min(share, 128)) // whole rows of a step; 0 where not even one fits
    const piece = fit(D) // else pieces of one row, which is read three times
    return { blockDim: ceilDiv(rows, share), rows, share, tile, piece, D, scale: 1 / float(D) }
  },
  kernel(
    { mul0_input0, mul0_input1, mul1_input0, add_y, gamma, beta, output },
    { rows, share, tile, piece, D, scale },
    core,
  ) {
    const scaling = get(mul1_input0, 0)
    const epsilon = get(add_y, 0)
    const end = min((core + 1) * share, rows)
    if (tile > 0) {
      const mul0_input0In = buffer(mul0_input0.dtype, [tile, D])
      const mul0_input1In = buffer(mul0_input1.dtype, [tile, D])
      const yOut = buffer(output.dtype, [tile, D])
      const gammaIn = buffer(gamma.dtype, D, { depth: 1 })
      const gammaWide = buffer('float32', D)
      const betaIn = buffer(beta.dtype, D, { depth: 1 })
      const betaWide = buffer('float32', D)
      const wide = buffer('float32', [tile, D])
      const other = buffer('float32', [tile, D])
      const sum = buffer('float32', tile)
      const means = buffer('float32', tile)
      const roots = buffer('float32', tile)
      copyIn(() => load(gammaIn, gamma, 0, D))
      compute(() => cast(gammaWide, gammaIn, D))
      copyIn(() => load(betaIn, beta, 0, D))
      compute(() => cast(betaWide, betaIn, D))
      for (const row of range(core * share, end, tile)) {
        const n = min(tile, end - row)
        copyIn(() => {
          load(mul0_input0In, mul0_input0, row * D, [n, D])
          load(mul0_input1In, mul0_input1, row * D, [n, D])
        })
        compute(() => {
          cast(wide, mul0_input0In, [n, D])
          cast(other, mul0_input1In, [n, D])
          mul(wide, wide, other, [n, D])
          muls(wide, wide, scaling, [n, D])
          rowSum(sum, wide, [n, D])
          muls(means, sum, scale, n)
          subRows(wide, wide, means, [n, D])
          mul(other, wide, wide, [n, D])
          rowSum(sum, other, [n, D])
          muls(sum, sum, scale, n)
          adds(sum, sum, epsilon, n)
          sqrt(sum, sum, n)
          reciprocal(roots, sum, n)
          mulRows(wide, wide, roots, [n, D])
          mulColumns(wide, wide, gammaWide, [n, D])
          addColumns(wide, wide, betaWide, [n, D])
          cast(yOut, wide, [n, D])
        })
        copyOut(() => store(output, row * D, yOut, [n, D]))
      }
    } else {
      const mul0_input0Part = buffer(mul0_input0.dtype, piece)
      const mul0_input1Part = buffer(mul0_input1.dtype, piece)
      const resultPart = buffer(output.dtype, piece)
      const gammaPart = buffer(gamma.dtype, piece)
      const gammaWidePart = buffer('float32', piece)
      const betaPart = buffer(beta.dtype, piece)
      const betaWidePart = buffer('float32', piece)
      const widePart = buffer('float32', piece)
      const otherPart = buffer('float32', piece)
      const partSum = buffer('float32', 8)
      const total = buffer('float32', 8)
      const center = buffer('float32', 8)
      const root = buffer('float32', 8)
      for (const row of range(core * share, end)) {
        compute(() => duplicate(total, 0, 8))
        for (const at of range(0, D, piece)) {
          const count = min(piece, D - at)
          copyIn(() => {
            load(mul0_input0Part, mul0_input0, row * D + at, count)
            load(mul0_input1Part, mul0_input1, row * D + at, count)
          })
          compute(() => {
            cast(widePart, mul0_input0Part, count)
            cast(otherPart, mul0_input1Part, count)
            mul(widePart, widePart, otherPart, count)
            muls(widePart, widePart, scaling, count)
            reduceSum(partSum, widePart, count)
            add(total, total, partSum, 1)
          })
        }
        compute(() => {
          muls(center, total, scale, 1)
          duplicate(total, 0, 8)
        })
        const mean1 = get(center, 0)
        for (const at of range(0, D, piece)) {
          const count = min(piece, D - at)
          copyIn(() => {
            load(mul0_input0Part, mul0_input0, row * D + at, count)
            load(mul0_input1Part, mul0_input1, row * D + at, count)
          })
          compute(() => {
            cast(widePart, mul0_input0Part, count)
            cast(otherPart, mul0_input1Part, count)
            mul(widePart, widePart, otherPart, count)
            muls(widePart, widePart, scaling, count)
            adds(widePart, widePart, -mean1, count)
            mul(widePart, widePart, widePart, count)
            reduceSum(partSum, widePart, count)
            add(total, total, partSum, 1)
          })
        }
        compute(() => {
          muls(total, total, scale, 1)
          adds(total, total, epsilon, 1)
          sqrt(total, total, 1)
          reciprocal(root, total, 1)
        })
        const factor = get(root, 0)
        for (const at of range(0, D, piece)) {
          const count = min(piece, D - at)
          copyIn(() => {
            load(mul0_input0Part, mul0_input0, row * D + at, count)
            load(mul0_input1Part, mul0_input1, row * D + at, count)
          })
          compute(() => {
            cast(widePart, mul0_input0Part, count)
            cast(otherPart, mul0_input1Part, count)
            mul(widePart, widePart, otherPart, count)
            muls(widePart, widePart, scaling, count)
          })
          copyIn(() => load(gammaPart, gamma, at, count))
          compute(() => cast(gammaWidePart, gammaPart, count))
          copyIn(() => load(betaPart, beta, at, count))
          compute(() => cast(betaWidePart, betaPart, count))
          compute(() => {
            adds(widePart, widePart, -mean1, count)
            muls(widePart, widePart, factor, count)
            mul(widePart, widePart, gammaWidePart, count)
            add(widePart, widePart, betaWidePart, count)
            cast(resultPart, widePart, count)
          })
          copyOut(() => store(output, row * D + at, resultPart, count))
        }
      }
    }
  },
})
