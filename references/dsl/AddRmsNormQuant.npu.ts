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
  div,
  divColumns,
  duplicate,
  fit,
  float,
  get,
  load,
  maxs,
  min,
  mins,
  mul,
  mulColumns,
  mulRows,
  muls,
  operator,
  optional,
  range,
  reciprocal,
  reduceSum,
  round,
  rowSum,
  sqrt,
  store,
  tensor,
} from 'vitest-npu/dsl'

// The normalised sum of x1 and x2, divided by scales, moved by zero points and rounded to int8.
export default operator({
  name: 'AddRmsNormQuant',
  inputs: {
    x1: tensor(['float16', 'bfloat16', 'bfloat16'], ['...rows', 'D']),
    x2: tensor.like('x1'),
    gamma: tensor(['float16', 'bfloat16', 'bfloat16'], ['D']),
    scales1: tensor(['float32', 'bfloat16', 'float32'], ['D']),
    scales2: optional(tensor(['float32', 'bfloat16', 'float32'], ['D'])),
    zero_points1: optional(tensor(['int32', 'bfloat16', 'int32'], ['D'])),
    zero_points2: optional(tensor(['int32', 'bfloat16', 'int32'], ['D'])),
  },
  outputs: { y1: tensor('int8', ['...rows', 'D']), y2: tensor('int8', ['...rows', 'D']), x: tensor.like('x1') },
  attrs: { axis: attr.int(-1), epsilon: attr.float(1e-6), div_mode: attr.bool(true) },
  host({ x1, scales2, zero_points1, zero_points2, epsilon }, { cores }) {
    const D = x1.shape(-1)
    const rows = x1.size / D
    const share = ceilDiv(rows, cores)
    const shifted1 = zero_points1.given
    const shifted2 = zero_points2.given
    const second = scales2.given
    const tile = fit(min(share, 128)) // whole rows of a step; 0 where not even one fits
    const piece = fit(D) // else pieces of one row, which is read twice
    return {
      blockDim: ceilDiv(rows, share),
      rows,
      share,
      tile,
      piece,
      D,
      scale: 1 / float(D),
      shifted1,
      shifted2,
      second,
      epsilon,
    }
  },
  kernel(
    { x1, x2, gamma, scales1, scales2, zero_points1, zero_points2, y1, y2, x },
    { rows, share, tile, piece, D, scale, shifted1, shifted2, second, epsilon },
    core,
  ) {
    const end = min((core + 1) * share, rows)
    if (tile > 0) {
      const firsts = buffer(x1.dtype, [tile, D])
      const seconds = buffer(x2.dtype, [tile, D])
      const sums = buffer(x.dtype, [tile, D])
      const q1 = buffer(y1.dtype, [tile, D])
      const q2 = buffer(y2.dtype, [tile, D])
      const gammaIn = buffer(gamma.dtype, D, { depth: 1 })
      const scaleIn1 = buffer(scales1.dtype, D, { depth: 1 })
      const scaleIn2 = buffer(scales2.dtype, D, { depth: 1 })
      const zeroIn1 = buffer(zero_points1.dtype, D, { depth: 1 })
      const zeroIn2 = buffer(zero_points2.dtype, D, { depth: 1 })
      const gammaWide = buffer('float32', D)
      const scaleWide1 = buffer('float32', D)
      const scaleWide2 = buffer('float32', D)
      const zeroWide1 = buffer('float32', D)
      const zeroWide2 = buffer('float32', D)
      const wide = buffer('float32', [tile, D])
      const other = buffer('float32', [tile, D])
      const whole = buffer('float32', [tile, D])
      const narrow = buffer('float16', [tile, D])
      const sum = buffer('float32', tile)
      const roots = buffer('float32', tile)
      copyIn(() => load(gammaIn, gamma, 0, D))
      compute(() => cast(gammaWide, gammaIn, D))
      copyIn(() => load(scaleIn1, scales1, 0, D))
      compute(() => cast(scaleWide1, scaleIn1, D))
      compute(() => {
        duplicate(scaleWide2, 1, D)
        duplicate(zeroWide1, 0, D)
        duplicate(zeroWide2, 0, D)
      })
      if (shifted1) {
        copyIn(() => load(zeroIn1, zero_points1, 0, D))
        compute(() => cast(zeroWide1, zeroIn1, D))
      }
      if (second) {
        copyIn(() => load(scaleIn2, scales2, 0, D))
        compute(() => cast(scaleWide2, scaleIn2, D))
      }
      if (shifted2) {
        copyIn(() => load(zeroIn2, zero_points2, 0, D))
        compute(() => cast(zeroWide2, zeroIn2, D))
      }
      for (const row of range(core * share, end, tile)) {
        const n = min(tile, end - row)
        copyIn(() => {
          load(firsts, x1, row * D, [n, D])
          load(seconds, x2, row * D, [n, D])
        })
        compute(() => {
          cast(wide, firsts, [n, D])
          cast(other, seconds, [n, D])
          add(wide, wide, other, [n, D])
          cast(sums, wide, [n, D])
          mul(other, wide, wide, [n, D])
          rowSum(sum, other, [n, D])
          muls(sum, sum, scale, n)
          adds(sum, sum, epsilon, n)
          sqrt(sum, sum, n)
          reciprocal(roots, sum, n)
          mulRows(wide, wide, roots, [n, D])
          mulColumns(wide, wide, gammaWide, [n, D])
          divColumns(other, wide, scaleWide1, [n, D])
          if (shifted1) addColumns(other, other, zeroWide1, [n, D])
          round(whole, other, [n, D])
          maxs(whole, whole, -128, [n, D])
          mins(whole, whole, 127, [n, D])
          cast(narrow, whole, [n, D])
          cast(q1, narrow, [n, D])
        })
        copyOut(() => {
          store(x, row * D, sums, [n, D])
          store(y1, row * D, q1, [n, D])
        })
        if (second) {
          compute(() => {
            divColumns(other, wide, scaleWide2, [n, D])
            if (shifted2) addColumns(other, other, zeroWide2, [n, D])
            round(whole, other, [n, D])
            maxs(whole, whole, -128, [n, D])
            mins(whole, whole, 127, [n, D])
            cast(narrow, whole, [n, D])
            cast(q2, narrow, [n, D])
          })
          copyOut(() => store(y2, row * D, q2, [n, D]))
        }
      }
    } else {
      const part1 = buffer(x1.dtype, piece)
      const part2 = buffer(x2.dtype, piece)
      const sumPart = buffer(x.dtype, piece)
      const qPart1 = buffer(y1.dtype, piece)
      const qPart2 = buffer(y2.dtype, piece)
      const gammaPart = buffer(gamma.dtype, piece)
      const scalePart1 = buffer(scales1.dtype, piece)
      const scalePart2 = buffer(scales2.dtype, piece)
      const zeroPart1 = buffer(zero_points1.dtype, piece)
      const zeroPart2 = buffer(zero_points2.dtype, piece)
      const widePart = buffer('float32', piece)
      const otherPart = buffer('float32', piece)
      const result = buffer('float32', piece)
      const narrowPart = buffer('float16', piece)
      const partSum = buffer('float32', 8)
      const total = buffer('float32', 8)
      const root = buffer('float32', 8)
      for (const row of range(core * share, end)) {
        compute(() => duplicate(total, 0, 8))
        for (const at of range(0, D, piece)) {
          const count = min(piece, D - at)
          copyIn(() => {
            load(part1, x1, row * D + at, count)
            load(part2, x2, row * D + at, count)
          })
          compute(() => {
            cast(widePart, part1, count)
            cast(otherPart, part2, count)
            add(widePart, widePart, otherPart, count)
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
            load(part1, x1, row * D + at, count)
            load(part2, x2, row * D + at, count)
            load(gammaPart, gamma, at, count)
            load(scalePart1, scales1, at, count)
          })
          compute(() => {
            cast(widePart, part1, count)
            cast(otherPart, part2, count)
            add(widePart, widePart, otherPart, count)
            cast(sumPart, widePart, count)
            muls(widePart, widePart, factor, count)
            cast(otherPart, gammaPart, count)
            mul(widePart, widePart, otherPart, count)
            cast(otherPart, scalePart1, count)
            div(result, widePart, otherPart, count)
          })
          if (shifted1) {
            copyIn(() => load(zeroPart1, zero_points1, at, count))
            compute(() => {
              cast(otherPart, zeroPart1, count)
              add(result, result, otherPart, count)
            })
          }
          compute(() => {
            round(otherPart, result, count)
            maxs(otherPart, otherPart, -128, count)
            mins(otherPart, otherPart, 127, count)
            cast(narrowPart, otherPart, count)
            cast(qPart1, narrowPart, count)
          })
          copyOut(() => {
            store(x, row * D + at, sumPart, count)
            store(y1, row * D + at, qPart1, count)
          })
          if (second) {
            copyIn(() => load(scalePart2, scales2, at, count))
            compute(() => {
              cast(otherPart, scalePart2, count)
              div(result, widePart, otherPart, count)
            })
            if (shifted2) {
              copyIn(() => load(zeroPart2, zero_points2, at, count))
              compute(() => {
                cast(otherPart, zeroPart2, count)
                add(result, result, otherPart, count)
              })
            }
            compute(() => {
              round(otherPart, result, count)
              maxs(otherPart, otherPart, -128, count)
              mins(otherPart, otherPart, 127, count)
              cast(narrowPart, otherPart, count)
              cast(qPart2, narrowPart, count)
            })
            copyOut(() => store(y2, row * D + at, qPart2, count))
          }
        }
      }
    }
  },
})
