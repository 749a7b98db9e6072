// Programs that the compiler refuses, each with what makes it right: what is replaced, the defect and its legal twin.

/** A right program, whose parts the cases below replace. */
export const rightProgram = `import { buffer, cast, ceilDiv, compute, copyIn, copyOut, exp, fit, load, min, operator, range, rowSum, store, tensor } from 'vitest-npu/dsl'

export default operator({
  name: 'Example',
  inputs: { x: tensor(['float16', 'float32'], ['...rows', 'D']) },
  outputs: { y: tensor.like('x') },
  host({ x }, { cores }) {
    const D = x.shape(-1)
    const rows = x.size / D
    const share = ceilDiv(rows, cores)
    const tile = fit(share)
    return { blockDim: ceilDiv(rows, share), rows, share, tile, D }
  },
  kernel({ x, y }, { rows, share, tile, D }, core) {
    const xs = buffer(x.dtype, [tile, D])
    const wide = buffer('float32', [tile, D])
    const sums = buffer('float32', tile)
    const ys = buffer(y.dtype, [tile, D])
    const end = min((core + 1) * share, rows)
    for (const row of range(core * share, end, tile)) {
      const n = min(tile, end - row)
      copyIn(() => load(xs, x, row * D, [n, D]))
      compute(() => {
        cast(wide, xs, [n, D])
        exp(wide, wide, [n, D])
        rowSum(sums, wide, [n, D])
        divRows(wide, wide, sums, [n, D])
        cast(ys, wide, [n, D])
      })
      copyOut(() => store(y, row * D, ys, [n, D]))
    }
  },
})
`

export interface Rejected {
  /** the promise */
  name: string
  /** a part of the right program */
  part: string
  /** instead of it: what is refused */
  wrong: string
  /** instead of it: what is not */
  right: string
}

export const rejected: readonly Rejected[] = [
  {
    name: 'a name that no file can have',
    part: "name: 'Example'",
    wrong: `name: 'E${'x'.repeat(128)}'`,
    right: `name: 'E${'x'.repeat(127)}'`,
  },
  {
    name: 'a load from behind the end of a tensor',
    part: 'load(xs, x, row * D, [n, D])',
    wrong: 'load(xs, x, (rows + row) * D, [n, D])',
    right: 'load(xs, x, (row + 0) * D, [n, D])',
  },
  {
    name: 'a load that a tensor ends before',
    part: 'load(xs, x, row * D, [n, D])',
    wrong: 'load(xs, x, row * D + 1, [rows, D])',
    right: 'load(xs, x, row * D, [rows, D])',
  },
  {
    name: 'a load of one row too many',
    part: 'load(xs, x, row * D, [n, D])',
    wrong: 'load(xs, x, 0, [rows + 1, D])',
    right: 'load(xs, x, 0, [rows, D])',
  },
  {
    name: 'a load of rows that lie too far apart',
    part: 'load(xs, x, row * D, [n, D])',
    wrong: 'load(xs, x, 0, [2, D], rows * D)',
    right: 'load(xs, x, 0, [2, D], D)',
  },
  {
    name: 'a store behind the end of a tensor',
    part: 'store(y, row * D, ys, [n, D])',
    wrong: 'store(y, rows * D, ys, [n, D])',
    right: 'store(y, row * D, ys, [min(n, rows), D])',
  },
  {
    name: 'an assignment to a buffer',
    part: 'exp(wide, wide, [n, D])',
    wrong: 'wide += 1',
    right: 'adds(wide, wide, 1, [n, D])',
  },
  {
    name: 'an assignment to an element of a buffer',
    part: 'exp(wide, wide, [n, D])',
    wrong: 'wide[0] = 1',
    right: 'set(wide, 0, 1)',
  },
  {
    name: 'a primitive as a number',
    part: 'exp(wide, wide, [n, D])',
    wrong: 'const powers = exp(wide)',
    right: 'const first = get(wide, 0); adds(wide, wide, first, [n, D])',
  },
  {
    name: 'a number in the place of a buffer',
    part: 'exp(wide, wide, [n, D])',
    wrong: 'mul(wide, wide, 2, [n, D])',
    right: 'muls(wide, wide, 2, [n, D])',
  },
  {
    name: 'a result that goes to a tensor',
    part: 'exp(wide, wide, [n, D])',
    wrong: 'exp(y, wide, [n, D])',
    right: 'exp(wide, wide, [n, D])',
  },
  {
    name: 'a tensor as a number',
    part: 'exp(wide, wide, [n, D])',
    wrong: 'adds(wide, wide, x, [n, D])',
    right: 'adds(wide, wide, get(xs, 0), [n, D])',
  },
  { name: 'a primitive that does not exist', part: 'exp(wide, wide', wrong: 'expo(wide, wide', right: 'ln(wide, wide' },
  {
    name: 'a name that does not exist',
    part: 'min(tile, end - row)',
    wrong: 'min(tile, ende - row)',
    right: 'min(end - row, tile)',
  },
  {
    name: 'a type that the instruction does not know',
    part: "buffer('float32', tile)",
    wrong: "buffer('int32', tile)",
    right: "buffer('float32', tile + 8)",
  },
  {
    name: 'operands of two types',
    part: 'exp(wide, wide, [n, D])',
    wrong: 'exp(wide, xs, [n, D])',
    right: 'exp(wide, wide, [n, D])\n        abs(wide, wide, [n, D])',
  },
  {
    name: 'a cast that no instruction makes',
    part: "wide = buffer('float32'",
    wrong: "wide = buffer('int8'",
    right: "wide = buffer('float32'",
  },
  {
    name: 'a cast that cannot round',
    part: 'cast(wide, xs, [n, D])',
    wrong: "cast(wide, xs, [n, D], 'rint')",
    right: "cast(wide, xs, [n, D])\n        cast(ys, wide, [n, D], 'floor')",
  },
  {
    name: 'rows without their columns',
    part: 'exp(wide, wide, [n, D])',
    wrong: 'exp(wide, wide, n * D)',
    right: 'exp(wide, wide, [n, D / 1])',
  },
  {
    name: 'a buffer that is read before it is written',
    part: 'cast(wide, xs, [n, D])',
    wrong: 'exp(wide, wide, [n, D])\n        exp(ys, xs, [n, D])',
    right: 'cast(wide, xs, [n, D])\n        exp(ys, xs, [n, D])',
  },
  {
    name: 'a buffer that is read in the first turn of a loop, and written behind that',
    part: 'cast(wide, xs, [n, D])',
    wrong: 'rowSum(sums, wide, [n, D])\n        cast(wide, xs, [n, D])',
    right: `if (row > core * share) {
          rowSum(sums, wide, [n, D])
        }
        cast(wide, xs, [n, D])`,
  },
  {
    name: 'a buffer that the other side of a test reads, where no loop comes back',
    part: 'const end = min((core + 1) * share, rows)\n',
    wrong: `const end = min((core + 1) * share, rows)
    compute(() => {
      if (core > 0) {
        duplicate(sums, 0, tile)
      } else {
        adds(sums, sums, 1, tile)
      }
    })
`,
    right: `const end = min((core + 1) * share, rows)
    for (const turn of range(3)) {
      compute(() => {
        if (turn === 0) {
          duplicate(sums, 0, tile)
        } else {
          adds(sums, sums, 1, tile)
        }
      })
    }
`,
  },
  {
    name: 'a buffer that is written if a field says so, and read whatever it says',
    part: 'const end = min((core + 1) * share, rows)\n',
    wrong: `const end = min((core + 1) * share, rows)
    compute(() => {
      if (D > 7) {
        duplicate(sums, 0, tile)
      }
      adds(sums, sums, 1, tile)
    })
`,
    right: `const end = min((core + 1) * share, rows)
    compute(() => {
      if (D > 7) {
        duplicate(sums, 0, tile)
      }
      if (D > 8) {
        adds(sums, sums, 1, tile)
      }
    })
`,
  },
  {
    name: 'a buffer that a test writes for all turns of a loop alike',
    part: 'exp(wide, wide, [n, D])\n        rowSum(sums, wide, [n, D])',
    wrong: `if (D > 7) {
          duplicate(sums, 0, n)
        }
        adds(sums, sums, 1, n)`,
    right: `if (row === core * share) {
          duplicate(sums, 0, n)
        }
        adds(sums, sums, 1, n)`,
  },
  {
    name: 'two buffers of one name, one of them in a block of the other',
    part: 'const end = min((core + 1) * share, rows)\n',
    wrong: `const end = min((core + 1) * share, rows)
    if (D > 7) {
      const sums = buffer('float32', D)
      compute(() => duplicate(sums, 0, D))
    }
`,
    right: `const end = min((core + 1) * share, rows)
    if (D > 7) {
      const more = buffer('float32', D)
      compute(() => duplicate(more, 0, D))
    } else {
      const more = buffer('float16', tile)
      compute(() => duplicate(more, 0, tile))
    }
`,
  },
  {
    name: 'a load in compute',
    part: 'exp(wide, wide, [n, D])',
    wrong: 'load(xs, x, 0, [n, D])',
    right: 'sqrt(wide, wide, [n, D])',
  },
  {
    name: 'arithmetic in copyIn',
    part: 'copyIn(() => load(xs, x, row * D, [n, D]))',
    wrong: 'copyIn(() => exp(wide, wide, [n, D]))',
    right: 'copyIn(() => {\n        load(xs, x, row * D, [n, D])\n      })',
  },
  {
    name: 'a tensor and a buffer of two types',
    part: 'const xs = buffer(x.dtype',
    wrong: "const xs = buffer('float32'",
    right: 'const xs = buffer(y.dtype',
  },
  {
    name: 'an output that nothing stores',
    part: 'copyOut(() => store(y, row * D, ys, [n, D]))',
    wrong: 'copyOut(() => {})',
    right: 'copyOut(() => store(y, D * row, ys, [n, D]))',
  },
  {
    name: 'an input that is stored',
    part: 'store(y, row * D, ys',
    wrong: 'store(x, row * D, ys',
    right: 'store(y, row * D + 0, ys',
  },
  {
    name: 'a tensor that is used beyond its block',
    part: '    const end = min(',
    wrong: '    copyIn(() => load(xs, x, 0, [1, D]))\n    const end = min(',
    right: '    const first = core * share\n    const end = min(',
  },
  {
    name: 'a size that the host part does not know',
    part: "const sums = buffer('float32', tile)",
    wrong: "const sums = buffer('float32', core)",
    right: "const sums = buffer('float32', tile * 2)",
  },
  { name: 'fit within an expression', part: 'fit(share)', wrong: 'fit(share) / 2', right: 'fit(share / 1)' },
  {
    name: 'a fit before what else sizes buffers',
    part: 'const D = x.shape(-1)\n    const rows = x.size / D\n    const share = ceilDiv(rows, cores)\n    const tile = fit(share)',
    wrong:
      'const rows = x.product(0, -1)\n    const share = ceilDiv(rows, cores)\n    const tile = fit(share)\n    const D = x.shape(-1)',
    right:
      'const rows = x.product(0, -1)\n    const share = ceilDiv(rows, cores)\n    const D = x.shape(-1)\n    const tile = fit(share)',
  },
  {
    name: 'a field that is called like another value',
    part: 'share, tile, D }\n',
    wrong: 'share, tile, D: x.shape(-1) }\n',
    right: 'share, tile, D, width: x.shape(-1) }\n',
  },
  {
    name: 'a fraction as a size',
    part: 'const tile = fit(share)',
    wrong: 'const tile = fit(float(share) * 0.5)',
    right: 'const tile = fit(int(float(share) * 0.5) + 1)',
  },
  {
    name: 'a statement of TypeScript that the language has not',
    part: 'for (const row of range(core * share, end, tile)) {',
    wrong: 'while (true) {',
    right: 'for (const row of range(share * core, end, tile)) {',
  },
  {
    name: 'a constant that is assigned to',
    part: 'const n = min(tile, end - row)',
    wrong: 'const n = min(tile, end - row)\n      n = 3',
    right: 'let n = min(tile, end - row)\n      n += 0',
  },
  {
    name: 'a name that the language has',
    part: "const sums = buffer('float32', tile)",
    wrong: "const sums = buffer('float32', tile)\n    const load = 2",
    right: "const sums = buffer('float32', tile)\n    const double = 2",
  },
  {
    name: 'a dtype that does not exist',
    part: "['float16', 'float32']",
    wrong: "['float16', 'float23']",
    right: "['float16', 'bfloat16']",
  },
  {
    name: 'the shape of a tensor in the kernel',
    part: 'const n = min(tile, end - row)',
    wrong: 'const n = min(tile, x.size)',
    right: 'const n = min(tile, rows - row)',
  },
  {
    name: 'a word as a number',
    part: '  host({ x }, { cores }) {',
    wrong: "  attrs: { mode: attr.string('mean') },\n  host({ x, mode }, { cores }) {\n    const twice = mode + 1",
    right:
      "  attrs: { mode: attr.string('mean') },\n  host({ x, mode }, { cores }) {\n    const isMean = mode === 'mean'",
  },
  {
    name: 'a word that is compared with a number',
    part: '  host({ x }, { cores }) {',
    wrong: "  attrs: { mode: attr.string('mean') },\n  host({ x, mode }, { cores }) {\n    const isMean = mode === 1",
    right: "  attrs: { mode: attr.string() },\n  host({ x, mode }, { cores }) {\n    const isNone = mode !== 'none'",
  },
  {
    name: 'a fraction that no attribute holds',
    part: '  host({ x }, { cores }) {',
    wrong: '  attrs: { limits: attr.float(1e999) },\n  host({ x }, { cores }) {',
    right: '  attrs: { limits: attr.float(-3.4028234e38) },\n  host({ x }, { cores }) {',
  },
  {
    name: 'a fraction that is more than float32 has',
    part: '  host({ x }, { cores }) {',
    wrong: '  attrs: { limits: attr.listFloat([1, 1e39]) },\n  host({ x }, { cores }) {',
    right: '  attrs: { limits: attr.listFloat([1, 1e38]) },\n  host({ x }, { cores }) {',
  },
  {
    name: 'a whole number that no attribute holds',
    part: '  host({ x }, { cores }) {',
    wrong: '  attrs: { limits: attr.int(-9223372036854775808) },\n  host({ x }, { cores }) {',
    right: '  attrs: { limits: attr.int(-9007199254740991) },\n  host({ x }, { cores }) {',
  },
  {
    name: 'a fraction in a list of whole numbers',
    part: '  host({ x }, { cores }) {',
    wrong: '  attrs: { limits: attr.listInt([1, 0.5]) },\n  host({ x }, { cores }) {',
    right: '  attrs: { limits: attr.listInt([1, 2]) },\n  host({ x }, { cores }) {',
  },
  { name: 'an import', part: "from 'vitest-npu/dsl'", wrong: "from 'node:fs'", right: "from 'vitest-npu/dsl'" },
  { name: 'syntax', part: 'cast(ys, wide, [n, D])', wrong: 'cast(ys, wide, [n, D]', right: 'cast(ys, wide, [n, D]);' },
  {
    name: 'memory that no tile fits',
    part: "const sums = buffer('float32', tile)",
    wrong: "const sums = buffer('float32', tile + 60000)",
    right: "const sums = buffer('float32', tile + 600)",
  },
  {
    name: 'a block that stands alone',
    part: 'copyOut(() => store(y, row * D, ys, [n, D]))',
    wrong: '{\n        copyOut(() => store(y, row * D, ys, [n, D]))\n      }',
    right: 'copyOut(() => {\n        store(y, row * D, ys, [n, D])\n      })',
  },
  { name: 'a fit of a fit', part: 'fit(share)', wrong: 'fit(fit(share))', right: 'fit(min(share, 100))' },
  {
    name: 'a fit as the number of cores',
    part: 'blockDim: ceilDiv(rows, share)',
    wrong: 'blockDim: fit(4)',
    right: 'blockDim: min(ceilDiv(rows, share), 40)',
  },
  {
    name: 'a core that is called like a word of C++',
    part: '{ rows, share, tile, D }, core) {',
    wrong: '{ rows, share, tile, D }, double) {\n    const core = double',
    right: '{ rows, share, tile, D }, number) {\n    const core = number',
  },
  {
    name: 'a part of the rows of a mask',
    part: `    const end = min((core + 1) * share, rows)
    for (const row of range(core * share, end, tile)) {
      const n = min(tile, end - row)
      copyIn(() => load(xs, x, row * D, [n, D]))
      compute(() => {
        cast(wide, xs, [n, D])`,
    wrong: `    const bits = mask([tile, D])
    const end = min((core + 1) * share, rows)
    for (const row of range(core * share, end, tile)) {
      const n = min(tile, end - row)
      copyIn(() => load(xs, x, row * D, [n, D]))
      compute(() => {
        cast(wide, xs, [n, D])
        compares(bits, wide, 0.0, 'lt', [n, 1])
        selects(wide, bits, wide, 0.0, [n, 1])`,
    right: `    const bits = mask([tile, D])
    const end = min((core + 1) * share, rows)
    for (const row of range(core * share, end, tile)) {
      const n = min(tile, end - row)
      copyIn(() => load(xs, x, row * D, [n, D]))
      compute(() => {
        cast(wide, xs, [n, D])
        compares(bits, wide, 0.0, 'lt', [n, D])
        selects(wide, bits, wide, 0.0, [n, D])`,
  },
  {
    name: 'an element that a buffer has not',
    part: "const sums = buffer('float32', tile)",
    wrong: "const sums = buffer('float32', 8)\n    compute(() => set(sums, 8, 1.0))",
    right: "const sums = buffer('float32', tile)\n    compute(() => set(sums, 0, 1.0))",
  },
  {
    name: 'an offset before the beginning',
    part: 'store(y, row * D, ys',
    wrong: 'store(y, -1 - row * D, ys',
    right: 'store(y, row * D + D - D, ys',
  },
  {
    name: 'more elements than a buffer has',
    part: "const sums = buffer('float32', tile)",
    wrong: "const sums = buffer('float32', 8)\n    compute(() => duplicate(sums, 0.0, 9))",
    right: "const sums = buffer('float32', tile)\n    compute(() => duplicate(sums, 0.0, 1))",
  },
]
