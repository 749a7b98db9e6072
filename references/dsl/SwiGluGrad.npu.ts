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
  name: 'SwiGluGrad',
  inputs: {
    y_grad: tensor(['float16', 'float32', 'bfloat16'], ['...half']),
    x: tensor(['float16', 'float32', 'bfloat16'], ['...shape']),
  },
  outputs: { x_grad: tensor(['float16', 'float32', 'bfloat16'], ['...shape']) },
  attrs: { dim: attr.int(-1) },
  host({ x, dim }, { cores }) {
    const H = x.product(dim) / 2 // what lies together of each half
    const rows = x.size / (2 * H)
    const tile = fit(min(ceilDiv(rows, cores), 128)) // halves of a step; 0: not even one fits
    const inPieces = tile === 0 || H > 2048
    const piece = fit(min(H, max(alignUp(ceilDiv(rows * H, 2 * cores), 256), 1024)))
    const pieces = ceilDiv(H, piece)
    const jobs = inPieces ? rows * pieces : rows
    const share = ceilDiv(jobs, cores)
    return { blockDim: ceilDiv(jobs, share), inPieces, jobs, share, tile, piece, pieces, H }
  },
  kernel({ y_grad, x, x_grad }, { inPieces, jobs, share, tile, piece, pieces, H }, core) {
    if (inPieces) {
      const aPart = buffer(x.dtype, piece)
      const bPart = buffer(x.dtype, piece)
      const dyPart = buffer(y_grad.dtype, piece)
      const daPart = buffer(x_grad.dtype, piece)
      const dbPart = buffer(x_grad.dtype, piece)
      const widePart = buffer('float32', piece)
      const otherPart = buffer('float32', piece)
      const gatePart = buffer('float32', piece)
      const sPart = buffer('float32', piece)
      const end = min((core + 1) * share, jobs)
      for (const job of range(core * share, end)) {
        const row = job / pieces
        const at = (job % pieces) * piece
        const n = min(piece, H - at)
        copyIn(() => {
          load(aPart, x, 2 * row * H + at, n)
          load(bPart, x, 2 * row * H + at + H, n)
          load(dyPart, y_grad, row * H + at, n)
        })
        compute(() => {
          cast(widePart, aPart, n)
          muls(gatePart, widePart, -1, n)
          mins(gatePart, gatePart, 87, n)
          exp(gatePart, gatePart, n)
          adds(otherPart, gatePart, 1, n)
          reciprocal(sPart, otherPart, n)
          mul(gatePart, gatePart, sPart, n)
          mul(gatePart, gatePart, widePart, n)
          adds(gatePart, gatePart, 1, n)
          mul(gatePart, gatePart, sPart, n)
          mul(widePart, widePart, sPart, n)
          cast(sPart, dyPart, n)
          mul(widePart, widePart, sPart, n)
          cast(dbPart, widePart, n)
          mul(gatePart, gatePart, sPart, n)
          cast(otherPart, bPart, n)
          mul(gatePart, gatePart, otherPart, n)
          cast(daPart, gatePart, n)
        })
        copyOut(() => {
          store(x_grad, 2 * row * H + at, daPart, n)
          store(x_grad, 2 * row * H + at + H, dbPart, n)
        })
      }
    } else {
      const a = buffer(x.dtype, [tile, H])
      const b = buffer(x.dtype, [tile, H])
      const dy = buffer(y_grad.dtype, [tile, H])
      const da = buffer(x_grad.dtype, [tile, H])
      const db = buffer(x_grad.dtype, [tile, H])
      const wide = buffer('float32', [tile, H])
      const other = buffer('float32', [tile, H])
      const gate = buffer('float32', [tile, H])
      const s = buffer('float32', [tile, H])
      const end = min((core + 1) * share, jobs)
      for (const row of range(core * share, end, tile)) {
        const n = min(tile, end - row)
        copyIn(() => {
          load(a, x, 2 * row * H, [n, H], 2 * H)
          load(b, x, 2 * row * H + H, [n, H], 2 * H)
          load(dy, y_grad, row * H, [n, H])
        })
        compute(() => {
          cast(wide, a, [n, H])
          muls(gate, wide, -1, [n, H])
          mins(gate, gate, 87, [n, H])
          exp(gate, gate, [n, H])
          adds(other, gate, 1, [n, H])
          reciprocal(s, other, [n, H])
          mul(gate, gate, s, [n, H])
          mul(gate, gate, wide, [n, H])
          adds(gate, gate, 1, [n, H])
          mul(gate, gate, s, [n, H])
          mul(wide, wide, s, [n, H])
          cast(s, dy, [n, H])
          mul(wide, wide, s, [n, H])
          cast(db, wide, [n, H])
          mul(gate, gate, s, [n, H])
          cast(other, b, [n, H])
          mul(gate, gate, other, [n, H])
          cast(da, gate, [n, H])
        })
        copyOut(() => {
          store(x_grad, 2 * row * H, da, [n, H], 2 * H)
          store(x_grad, 2 * row * H + H, db, [n, H], 2 * H)
        })
      }
    }
  },
})
