import {
  adds,
  alignUp,
  attr,
  buffer,
  cast,
  ceilDiv,
  compute,
  copyIn,
  copyOut,
  div,
  erfc,
  exp,
  fit,
  load,
  max,
  min,
  mins,
  mul,
  muls,
  operator,
  range,
  store,
  tensor,
} from 'vitest-npu/dsl'

// y = gelu(a) * b with the halves a and b of x, and gelu(a) itself.
export default operator({
  name: 'GeGluV2',
  inputs: { x: tensor(['float16', 'bfloat16', 'float32'], ['...shape']) },
  outputs: {
    y: tensor(['float16', 'bfloat16', 'float32'], ['...half']),
    gelu: tensor(['float16', 'bfloat16', 'float32'], ['...half']),
  },
  attrs: { dim: attr.int(-1), approximate: attr.int(0), activate_left: attr.bool(true) },
  host({ x, dim, approximate, activate_left }, { cores }) {
    const H = x.product(dim) / 2 // what lies together of each half
    const rows = x.size / (2 * H)
    const tile = fit(min(ceilDiv(rows, cores), 128)) // halves of a step; 0: not even one fits
    const inPieces = tile === 0 || H > 2048
    const piece = fit(min(H, max(alignUp(ceilDiv(rows * H, 2 * cores), 256), 1024)))
    const pieces = ceilDiv(H, piece)
    const jobs = inPieces ? rows * pieces : rows
    const share = ceilDiv(jobs, cores)
    const first = activate_left ? 0 : H
    const second = H - first
    const exact = approximate === 0
    return { blockDim: ceilDiv(jobs, share), inPieces, jobs, share, tile, piece, pieces, H, first, second, exact }
  },
  kernel({ x, y, gelu }, { inPieces, jobs, share, tile, piece, pieces, H, first, second, exact }, core) {
    if (inPieces) {
      const aPart = buffer(x.dtype, piece)
      const bPart = buffer(x.dtype, piece)
      const gelusPart = buffer(gelu.dtype, piece)
      const resultPart = buffer(y.dtype, piece)
      const widePart = buffer('float32', piece)
      const gatePart = buffer('float32', piece)
      const otherPart = buffer('float32', piece)
      const end = min((core + 1) * share, jobs)
      for (const job of range(core * share, end)) {
        const row = job / pieces
        const at = (job % pieces) * piece
        const n = min(piece, H - at)
        copyIn(() => {
          load(aPart, x, 2 * row * H + at + first, n)
          load(bPart, x, 2 * row * H + at + second, n)
        })
        compute(() => {
          cast(widePart, aPart, n)
          if (exact) {
            muls(gatePart, widePart, -0.7071067811865476, n)
            erfc(otherPart, gatePart, n)
            mul(widePart, widePart, otherPart, n)
            muls(widePart, widePart, 0.5, n)
          } else {
            mul(gatePart, widePart, widePart, n)
            muls(gatePart, gatePart, -0.07135481627260025, n)
            adds(gatePart, gatePart, -1.5957691216057308, n)
            mul(gatePart, gatePart, widePart, n)
            mins(gatePart, gatePart, 87, n)
            exp(gatePart, gatePart, n)
            adds(gatePart, gatePart, 1, n)
            div(widePart, widePart, gatePart, n)
          }
          cast(gelusPart, widePart, n)
          cast(gatePart, bPart, n)
          mul(widePart, widePart, gatePart, n)
          cast(resultPart, widePart, n)
        })
        copyOut(() => {
          store(gelu, row * H + at, gelusPart, n)
          store(y, row * H + at, resultPart, n)
        })
      }
    } else {
      const a = buffer(x.dtype, [tile, H])
      const b = buffer(x.dtype, [tile, H])
      const gelus = buffer(gelu.dtype, [tile, H])
      const result = buffer(y.dtype, [tile, H])
      const wide = buffer('float32', [tile, H])
      const gate = buffer('float32', [tile, H])
      const other = buffer('float32', [tile, H])
      const end = min((core + 1) * share, jobs)
      for (const row of range(core * share, end, tile)) {
        const n = min(tile, end - row)
        copyIn(() => {
          load(a, x, 2 * row * H + first, [n, H], 2 * H)
          load(b, x, 2 * row * H + second, [n, H], 2 * H)
        })
        compute(() => {
          cast(wide, a, [n, H])
          if (exact) {
            muls(gate, wide, -0.7071067811865476, [n, H])
            erfc(other, gate, [n, H])
            mul(wide, wide, other, [n, H])
            muls(wide, wide, 0.5, [n, H])
          } else {
            mul(gate, wide, wide, [n, H])
            muls(gate, gate, -0.07135481627260025, [n, H])
            adds(gate, gate, -1.5957691216057308, [n, H])
            mul(gate, gate, wide, [n, H])
            mins(gate, gate, 87, [n, H])
            exp(gate, gate, [n, H])
            adds(gate, gate, 1, [n, H])
            div(wide, wide, gate, [n, H])
          }
          cast(gelus, wide, [n, H])
          cast(gate, b, [n, H])
          mul(wide, wide, gate, [n, H])
          cast(result, wide, [n, H])
        })
        copyOut(() => {
          store(gelu, row * H, gelus, [n, H])
          store(y, row * H, result, [n, H])
        })
      }
    }
  },
})
