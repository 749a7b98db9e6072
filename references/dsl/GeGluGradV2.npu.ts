import {
  adds,
  alignUp,
  attr,
  axpy,
  buffer,
  cast,
  ceilDiv,
  compute,
  copyIn,
  copyOut,
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
  reciprocal,
  store,
  tensor,
} from 'vitest-npu/dsl'

export default operator({
  name: 'GeGluGradV2',
  inputs: {
    dy: tensor(['float16', 'bfloat16', 'float32'], ['...half']),
    x: tensor(['float16', 'bfloat16', 'float32'], ['...shape']),
    gelu: tensor(['float16', 'bfloat16', 'float32'], ['...half']),
  },
  outputs: { dx: tensor(['float16', 'bfloat16', 'float32'], ['...shape']) },
  attrs: { dim: attr.int(-1), approximate: attr.int(1), activate_left: attr.bool(false) },
  host({ x, dim, approximate }, { cores }) {
    const H = x.product(dim) / 2 // what lies together of each half
    const rows = x.size / (2 * H)
    const tile = fit(min(ceilDiv(rows, cores), 128)) // halves of a step; 0: not even one fits
    const inPieces = tile === 0 || H > 2048
    const piece = fit(min(H, max(alignUp(ceilDiv(rows * H, 2 * cores), 256), 1024)))
    const pieces = ceilDiv(H, piece)
    const jobs = inPieces ? rows * pieces : rows
    const share = ceilDiv(jobs, cores)
    const exact = approximate === 0
    return { blockDim: ceilDiv(jobs, share), inPieces, jobs, share, tile, piece, pieces, H, exact }
  },
  kernel({ dy, x, gelu, dx }, { inPieces, jobs, share, tile, piece, pieces, H, exact }, core) {
    if (inPieces) {
      const aPart = buffer(x.dtype, piece)
      const bPart = buffer(x.dtype, piece)
      const dysPart = buffer(dy.dtype, piece)
      const gelusPart = buffer(gelu.dtype, piece)
      const daPart = buffer(dx.dtype, piece)
      const dbPart = buffer(dx.dtype, piece)
      const widePart = buffer('float32', piece)
      const gatePart = buffer('float32', piece)
      const otherPart = buffer('float32', piece)
      const slopePart = buffer('float32', piece)
      const sPart = buffer('float32', piece)
      const end = min((core + 1) * share, jobs)
      for (const job of range(core * share, end)) {
        const row = job / pieces
        const at = (job % pieces) * piece
        const n = min(piece, H - at)
        copyIn(() => {
          load(aPart, x, 2 * row * H + at, n)
          load(bPart, x, 2 * row * H + at + H, n)
          load(dysPart, dy, row * H + at, n)
          load(gelusPart, gelu, row * H + at, n)
        })
        compute(() => {
          cast(widePart, aPart, n)
          if (exact) {
            muls(gatePart, widePart, -0.7071067811865476, n)
            erfc(slopePart, gatePart, n)
            muls(slopePart, slopePart, 0.5, n)
            mul(gatePart, widePart, widePart, n)
            muls(gatePart, gatePart, -0.5, n)
            exp(gatePart, gatePart, n)
            mul(gatePart, gatePart, widePart, n)
            axpy(slopePart, gatePart, 0.3989422804014327, n)
          } else {
            mul(otherPart, widePart, widePart, n)
            muls(slopePart, otherPart, -0.07135481627260025, n)
            adds(slopePart, slopePart, -1.5957691216057308, n)
            mul(slopePart, slopePart, widePart, n)
            mins(slopePart, slopePart, 87, n)
            exp(slopePart, slopePart, n)
            adds(gatePart, slopePart, 1, n)
            reciprocal(sPart, gatePart, n)
            mul(slopePart, slopePart, sPart, n)
            muls(otherPart, otherPart, 0.21406444881780073, n)
            adds(otherPart, otherPart, 1.5957691216057308, n)
            mul(otherPart, otherPart, widePart, n)
            mul(slopePart, slopePart, otherPart, n)
            adds(slopePart, slopePart, 1, n)
            mul(slopePart, slopePart, sPart, n)
          }
          cast(otherPart, dysPart, n)
          mul(slopePart, slopePart, otherPart, n)
          cast(gatePart, bPart, n)
          mul(slopePart, slopePart, gatePart, n)
          cast(daPart, slopePart, n)
          cast(gatePart, gelusPart, n)
          mul(gatePart, gatePart, otherPart, n)
          cast(dbPart, gatePart, n)
        })
        copyOut(() => {
          store(dx, 2 * row * H + at, daPart, n)
          store(dx, 2 * row * H + at + H, dbPart, n)
        })
      }
    } else {
      const a = buffer(x.dtype, [tile, H])
      const b = buffer(x.dtype, [tile, H])
      const dys = buffer(dy.dtype, [tile, H])
      const gelus = buffer(gelu.dtype, [tile, H])
      const da = buffer(dx.dtype, [tile, H])
      const db = buffer(dx.dtype, [tile, H])
      const wide = buffer('float32', [tile, H])
      const gate = buffer('float32', [tile, H])
      const other = buffer('float32', [tile, H])
      const slope = buffer('float32', [tile, H])
      const s = buffer('float32', [tile, H])
      const end = min((core + 1) * share, jobs)
      for (const row of range(core * share, end, tile)) {
        const n = min(tile, end - row)
        copyIn(() => {
          load(a, x, 2 * row * H, [n, H], 2 * H)
          load(b, x, 2 * row * H + H, [n, H], 2 * H)
          load(dys, dy, row * H, [n, H])
          load(gelus, gelu, row * H, [n, H])
        })
        compute(() => {
          cast(wide, a, [n, H])
          if (exact) {
            muls(gate, wide, -0.7071067811865476, [n, H])
            erfc(slope, gate, [n, H])
            muls(slope, slope, 0.5, [n, H])
            mul(gate, wide, wide, [n, H])
            muls(gate, gate, -0.5, [n, H])
            exp(gate, gate, [n, H])
            mul(gate, gate, wide, [n, H])
            axpy(slope, gate, 0.3989422804014327, [n, H])
          } else {
            mul(other, wide, wide, [n, H])
            muls(slope, other, -0.07135481627260025, [n, H])
            adds(slope, slope, -1.5957691216057308, [n, H])
            mul(slope, slope, wide, [n, H])
            mins(slope, slope, 87, [n, H])
            exp(slope, slope, [n, H])
            adds(gate, slope, 1, [n, H])
            reciprocal(s, gate, [n, H])
            mul(slope, slope, s, [n, H])
            muls(other, other, 0.21406444881780073, [n, H])
            adds(other, other, 1.5957691216057308, [n, H])
            mul(other, other, wide, [n, H])
            mul(slope, slope, other, [n, H])
            adds(slope, slope, 1, [n, H])
            mul(slope, slope, s, [n, H])
          }
          cast(other, dys, [n, H])
          mul(slope, slope, other, [n, H])
          cast(gate, b, [n, H])
          mul(slope, slope, gate, [n, H])
          cast(da, slope, [n, H])
          cast(gate, gelus, [n, H])
          mul(gate, gate, other, [n, H])
          cast(db, gate, [n, H])
        })
        copyOut(() => {
          store(dx, 2 * row * H, da, [n, H], 2 * H)
          store(dx, 2 * row * H + H, db, [n, H], 2 * H)
        })
      }
    }
  },
})
