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
  exp,
  fit,
  load,
  max,
  min,
  mul,
  muls,
  operator,
  range,
  store,
  tensor,
} from 'vitest-npu/dsl'

export default operator({
  name: 'SwiGlu',
  inputs: { x: tensor(['float16', 'float32', 'bfloat16'], ['...shape']) },
  outputs: { y: tensor(['float16', 'float32', 'bfloat16'], ['...half']) },
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
  kernel({ x, y }, { inPieces, jobs, share, tile, piece, pieces, H }, core) {
    if (inPieces) {
      const aPart = buffer(x.dtype, piece)
      const bPart = buffer(x.dtype, piece)
      const resultPart = buffer(y.dtype, piece)
      const gatePart = buffer('float32', piece)
      const widePart = buffer('float32', piece)
      const end = min((core + 1) * share, jobs)
      for (const job of range(core * share, end)) {
        const row = job / pieces
        const at = (job % pieces) * piece
        const n = min(piece, H - at)
        copyIn(() => {
          load(aPart, x, 2 * row * H + at, n)
          load(bPart, x, 2 * row * H + at + H, n)
        })
        compute(() => {
          cast(widePart, aPart, n)
          muls(gatePart, widePart, -1, n)
          exp(gatePart, gatePart, n)
          adds(gatePart, gatePart, 1, n)
          div(widePart, widePart, gatePart, n)
          cast(gatePart, bPart, n)
          mul(widePart, widePart, gatePart, n)
          cast(resultPart, widePart, n)
        })
        copyOut(() => store(y, row * H + at, resultPart, n))
      }
    } else {
      const a = buffer(x.dtype, [tile, H])
      const b = buffer(x.dtype, [tile, H])
      const result = buffer(y.dtype, [tile, H])
      const gate = buffer('float32', [tile, H])
      const wide = buffer('float32', [tile, H])
      const end = min((core + 1) * share, jobs)
      for (const row of range(core * share, end, tile)) {
        const n = min(tile, end - row)
        copyIn(() => {
          load(a, x, 2 * row * H, [n, H], 2 * H)
          load(b, x, 2 * row * H + H, [n, H], 2 * H)
        })
        compute(() => {
          cast(wide, a, [n, H])
          muls(gate, wide, -1, [n, H])
          exp(gate, gate, [n, H])
          adds(gate, gate, 1, [n, H])
          div(wide, wide, gate, [n, H])
          cast(gate, b, [n, H])
          mul(wide, wide, gate, [n, H])
          cast(result, wide, [n, H])
        })
        copyOut(() => store(y, row * H, result, [n, H]))
      }
    }
  },
})
