import {
  add,
  addColumns,
  adds,
  attr,
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
  optional,
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
  name: 'AddLayerNorm',
  inputs: {
    x1: tensor(
      ['float32', 'float32', 'float16', 'bfloat16', 'float16', 'bfloat16', 'float16', 'bfloat16', 'float32'],
      ['...shape'],
    ),
    x2: tensor(
      ['float16', 'bfloat16', 'float32', 'float32', 'float16', 'bfloat16', 'float16', 'bfloat16', 'float32'],
      ['...shape'],
    ),
    gamma: tensor(
      ['float32', 'float32', 'float32', 'float32', 'float32', 'float32', 'float16', 'bfloat16', 'float32'],
      ['...normalised'],
    ),
    beta: tensor(
      ['float32', 'float32', 'float32', 'float32', 'float32', 'float32', 'float16', 'bfloat16', 'float32'],
      ['...normalised'],
    ),
    bias: optional(
      tensor(
        ['float32', 'float32', 'float32', 'float32', 'float16', 'bfloat16', 'float16', 'bfloat16', 'float32'],
        ['...added'],
      ),
    ),
  },
  outputs: {
    y: tensor(
      ['float32', 'float32', 'float32', 'float32', 'float16', 'bfloat16', 'float16', 'bfloat16', 'float32'],
      ['...shape'],
    ),
    mean: tensor('float32', ['...reduced']),
    rstd: tensor('float32', ['...reduced']),
    x: tensor(
      ['float32', 'float32', 'float32', 'float32', 'float16', 'bfloat16', 'float16', 'bfloat16', 'float32'],
      ['...shape'],
    ),
  },
  attrs: { epsilon: attr.float(1e-5), additional_output: attr.bool(false) },
  host({ x1, gamma, bias, epsilon }, { cores }) {
    const D = gamma.size
    const rows = x1.size / D
    const share = ceilDiv(rows, cores)
    // 0: there is none, 1: one for all rows, 2: one for each
    const added = bias.given ? (bias.size === D ? 1 : 2) : 0
    const tile = fit(min(share, 128)) // whole rows of a step; 0 where not even one fits
    const piece = fit(D) // else pieces of one row, which is read three times
    return { blockDim: ceilDiv(rows, share), rows, share, tile, piece, D, scale: 1 / float(D), added, epsilon }
  },
  kernel(
    { x1, x2, gamma, beta, bias, y, mean, rstd, x },
    { rows, share, tile, piece, D, scale, added, epsilon },
    core,
  ) {
    const end = min((core + 1) * share, rows)
    if (tile > 0) {
      const x1In = buffer(x1.dtype, [tile, D])
      const x2In = buffer(x2.dtype, [tile, D])
      const biasIn = buffer(bias.dtype, [tile, D])
      const biasOfAll = buffer(bias.dtype, D, { depth: 1 })
      const biasWide = buffer('float32', D)
      const yOut = buffer(y.dtype, [tile, D])
      const sumOut = buffer(x.dtype, [tile, D])
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
      if (added === 1) {
        copyIn(() => load(biasOfAll, bias, 0, D))
        compute(() => cast(biasWide, biasOfAll, D))
      } else compute(() => duplicate(biasWide, 0, D))
      for (const row of range(core * share, end, tile)) {
        const n = min(tile, end - row)
        copyIn(() => {
          load(x1In, x1, row * D, [n, D])
          load(x2In, x2, row * D, [n, D])
        })
        compute(() => {
          cast(wide, x1In, [n, D])
          cast(other, x2In, [n, D])
          add(wide, wide, other, [n, D])
        })
        if (added === 2) {
          copyIn(() => load(biasIn, bias, row * D, [n, D]))
          compute(() => {
            cast(other, biasIn, [n, D])
            add(wide, wide, other, [n, D])
          })
        }
        if (added === 1) compute(() => addColumns(wide, wide, biasWide, [n, D]))
        compute(() => {
          cast(sumOut, wide, [n, D])
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
        copyOut(() => {
          store(y, row * D, yOut, [n, D])
          store(x, row * D, sumOut, [n, D])
          store(mean, row, means, n)
          store(rstd, row, roots, n)
        })
      }
    } else {
      const x1Part = buffer(x1.dtype, piece)
      const x2Part = buffer(x2.dtype, piece)
      const biasPart = buffer(bias.dtype, piece)
      const resultPart = buffer(y.dtype, piece)
      const sumPart = buffer(x.dtype, piece)
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
            load(x1Part, x1, row * D + at, count)
            load(x2Part, x2, row * D + at, count)
          })
          compute(() => {
            cast(widePart, x1Part, count)
            cast(otherPart, x2Part, count)
            add(widePart, widePart, otherPart, count)
          })
          if (added > 0) {
            copyIn(() => load(biasPart, bias, added === 1 ? at : row * D + at, count))
            compute(() => {
              cast(otherPart, biasPart, count)
              add(widePart, widePart, otherPart, count)
            })
          }
          compute(() => {
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
            load(x1Part, x1, row * D + at, count)
            load(x2Part, x2, row * D + at, count)
          })
          compute(() => {
            cast(widePart, x1Part, count)
            cast(otherPart, x2Part, count)
            add(widePart, widePart, otherPart, count)
          })
          if (added > 0) {
            copyIn(() => load(biasPart, bias, added === 1 ? at : row * D + at, count))
            compute(() => {
              cast(otherPart, biasPart, count)
              add(widePart, widePart, otherPart, count)
            })
          }
          compute(() => {
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
            load(x1Part, x1, row * D + at, count)
            load(x2Part, x2, row * D + at, count)
          })
          compute(() => {
            cast(widePart, x1Part, count)
            cast(otherPart, x2Part, count)
            add(widePart, widePart, otherPart, count)
          })
          if (added > 0) {
            copyIn(() => load(biasPart, bias, added === 1 ? at : row * D + at, count))
            compute(() => {
              cast(otherPart, biasPart, count)
              add(widePart, widePart, otherPart, count)
            })
          }
          compute(() => cast(sumPart, widePart, count))
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
          copyOut(() => {
            store(y, row * D + at, resultPart, count)
            store(x, row * D + at, sumPart, count)
          })
        }
        copyOut(() => {
          store(mean, row, center, 1)
          store(rstd, row, root, 1)
        })
      }
    }
  },
})
