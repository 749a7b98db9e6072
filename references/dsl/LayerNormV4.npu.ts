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
  name: 'LayerNormV4',
  inputs: {
    x: tensor(['float32', 'float16', 'float16', 'bfloat16', 'bfloat16'], ['...shape']),
    normalized_shape: tensor('int32', ['axes']),
    gamma: optional(tensor(['float32', 'float32', 'float16', 'float32', 'bfloat16'], ['...normalised'])),
    beta: optional(tensor(['float32', 'float32', 'float16', 'float32', 'bfloat16'], ['...normalised'])),
  },
  outputs: { y: tensor.like('x'), mean: tensor('float32', ['...reduced']), rstd: tensor('float32', ['...reduced']) },
  attrs: { epsilon: attr.float(1e-5) },
  host({ x, normalized_shape, gamma, beta, epsilon }, { cores }) {
    const D = x.product(-normalized_shape.size)
    const rows = x.size / D
    const share = ceilDiv(rows, cores)
    const scaled = gamma.given
    const shifted = beta.given
    const tile = fit(min(share, 128)) // whole rows of a step; 0 where not even one fits
    const piece = fit(D) // else pieces of one row, which is read three times
    return {
      blockDim: ceilDiv(rows, share),
      rows,
      share,
      tile,
      piece,
      D,
      scale: 1 / float(D),
      scaled,
      shifted,
      epsilon,
    }
  },
  kernel({ x, gamma, beta, y, mean, rstd }, { rows, share, tile, piece, D, scale, scaled, shifted, epsilon }, core) {
    const end = min((core + 1) * share, rows)
    if (tile > 0) {
      const xIn = buffer(x.dtype, [tile, D])
      const yOut = buffer(y.dtype, [tile, D])
      const gammaIn = buffer(gamma.dtype, D, { depth: 1 })
      const gammaWide = buffer('float32', D)
      const betaIn = buffer(beta.dtype, D, { depth: 1 })
      const betaWide = buffer('float32', D)
      const wide = buffer('float32', [tile, D])
      const other = buffer('float32', [tile, D])
      const sum = buffer('float32', tile)
      const means = buffer('float32', tile)
      const roots = buffer('float32', tile)
      if (scaled) {
        copyIn(() => load(gammaIn, gamma, 0, D))
        compute(() => cast(gammaWide, gammaIn, D))
      } else compute(() => duplicate(gammaWide, 1, D))
      if (shifted) {
        copyIn(() => load(betaIn, beta, 0, D))
        compute(() => cast(betaWide, betaIn, D))
      } else compute(() => duplicate(betaWide, 0, D))
      for (const row of range(core * share, end, tile)) {
        const n = min(tile, end - row)
        copyIn(() => load(xIn, x, row * D, [n, D]))
        compute(() => {
          cast(wide, xIn, [n, D])
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
          store(mean, row, means, n)
          store(rstd, row, roots, n)
        })
      }
    } else {
      const xPart = buffer(x.dtype, piece)
      const resultPart = buffer(y.dtype, piece)
      const gammaPart = buffer(gamma.dtype, piece)
      const gammaWidePart = buffer('float32', piece)
      const betaPart = buffer(beta.dtype, piece)
      const betaWidePart = buffer('float32', piece)
      const widePart = buffer('float32', piece)
      const partSum = buffer('float32', 8)
      const total = buffer('float32', 8)
      const center = buffer('float32', 8)
      const root = buffer('float32', 8)
      for (const row of range(core * share, end)) {
        compute(() => duplicate(total, 0, 8))
        for (const at of range(0, D, piece)) {
          const count = min(piece, D - at)
          copyIn(() => load(xPart, x, row * D + at, count))
          compute(() => {
            cast(widePart, xPart, count)
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
          copyIn(() => load(xPart, x, row * D + at, count))
          compute(() => {
            cast(widePart, xPart, count)
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
          copyIn(() => load(xPart, x, row * D + at, count))
          compute(() => cast(widePart, xPart, count))
          if (scaled) {
            copyIn(() => load(gammaPart, gamma, at, count))
            compute(() => cast(gammaWidePart, gammaPart, count))
          } else compute(() => duplicate(gammaWidePart, 1, count))
          if (shifted) {
            copyIn(() => load(betaPart, beta, at, count))
            compute(() => cast(betaWidePart, betaPart, count))
          } else compute(() => duplicate(betaWidePart, 0, count))
          compute(() => {
            adds(widePart, widePart, -mean1, count)
            muls(widePart, widePart, factor, count)
            mul(widePart, widePart, gammaWidePart, count)
            add(widePart, widePart, betaWidePart, count)
            cast(resultPart, widePart, count)
          })
          copyOut(() => store(y, row * D + at, resultPart, count))
        }
        copyOut(() => {
          store(mean, row, center, 1)
          store(rstd, row, root, 1)
        })
      }
    }
  },
})
