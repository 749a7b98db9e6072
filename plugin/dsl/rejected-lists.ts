import type { Rejected } from './rejected.ts'

// The same of programs on lists of tensors.

/** A right program, whose parts the cases below replace. */
export const rightListProgram = `import { adds, buffer, cast, ceilDiv, compute, copyIn, copyOut, fit, get, load, min, operator, range, split, store, tensor, tensorList } from 'vitest-npu/dsl'

export default operator({
  name: 'Example',
  inputs: { xs: tensorList(['float16', 'float32']), other: tensor('float32', ['count']) },
  outputs: { ys: tensorList.like('xs') },
  host({ xs }, { cores }) {
    const share = ceilDiv(xs.size, cores)
    const tile = fit(share)
    return { blockDim: ceilDiv(xs.size, share), share, tile }
  },
  kernel({ xs, other, ys }, { share, tile }, core) {
    const xIn = buffer(xs.dtype, tile)
    const yOut = buffer(ys.dtype, tile)
    const wide = buffer('float32', tile)
    for (const { i, from, to } of split(xs, core, share)) {
      for (const at of range(from, to, tile)) {
        const n = min(tile, to - at)
        copyIn(() => load(xIn, xs[i], at, n))
        compute(() => {
          cast(wide, xIn, n)
          adds(wide, wide, get(other, i), n)
          cast(yOut, wide, n)
        })
        copyOut(() => store(ys[i], at, yOut, n))
      }
    }
  },
})
`

export const rejectedLists: readonly Rejected[] = [
  {
    name: 'a list in place of one of its tensors',
    part: 'load(xIn, xs[i], at, n)',
    wrong: 'load(xIn, xs, at, n)',
    right: 'load(xIn, xs[0], at, n)',
  },
  {
    name: 'an index of what is no list',
    part: 'load(xIn, xs[i], at, n)',
    wrong: 'load(xIn, other[i], at, n)',
    right: 'load(xIn, xs[i + 0], at, n)',
  },
  {
    name: 'a part of a split that does not exist',
    part: '{ i, from, to } of',
    wrong: '{ i, from, end } of',
    right: '{ to, i, from } of',
  },
  {
    name: 'a split of what is no list',
    part: 'split(xs, core, share)',
    wrong: 'split(other, core, share)',
    right: 'split(ys, core, share)',
  },
  {
    name: 'a split without shares',
    part: 'split(xs, core, share)',
    wrong: 'split(xs, core)',
    right: 'split(xs, core, share + 1)',
  },
  {
    name: 'the shape of a list',
    part: 'ceilDiv(xs.size, cores)',
    wrong: 'ceilDiv(xs.shape(0), cores)',
    right: 'ceilDiv(xs.size * xs.count, cores)',
  },
  {
    name: 'the shape of a tensor of a list',
    part: 'ceilDiv(xs.size, cores)',
    wrong: 'ceilDiv(xs[0].shape(0), cores)',
    right: 'ceilDiv(xs[0].size, cores)',
  },
  {
    name: 'a tensor of a list as a number',
    part: 'const n = min(tile, to - at)',
    wrong: 'const n = min(tile, xs[i])',
    right: 'const n = min(tile, min(to - at, xs[i].size))',
  },
  {
    name: 'the size of one tensor as that of a buffer',
    part: "const wide = buffer('float32', tile)",
    wrong: "const wide = buffer('float32', xs[0].size)",
    right: "const wide = buffer('float32', tile + 8)",
  },
  {
    name: 'an element of a list',
    part: 'get(other, i)',
    wrong: 'get(xs, i)',
    right: 'get(other, i + 0)',
  },
  {
    name: 'an element of an output',
    part: "outputs: { ys: tensorList.like('xs') }",
    wrong: "outputs: { ys: tensorList.like('xs'), other: tensor.like('other') }",
    right: "outputs: { ys: tensorList.like('xs') }",
  },
  {
    name: 'a list of outputs that is like no input',
    part: "tensorList.like('xs')",
    wrong: "tensorList(['float16', 'float32'])",
    right: "tensorList.like('xs')",
  },
  {
    name: 'a tensor that is like a list',
    part: "tensorList.like('xs')",
    wrong: "tensor.like('xs')",
    right: "tensorList.like('xs')",
  },
  {
    name: 'a list that may be absent',
    part: "xs: tensorList(['float16', 'float32'])",
    wrong: "xs: optional(tensorList(['float16', 'float32']))",
    right: "xs: tensorList(['float16', 'bfloat16'])",
  },
  {
    name: 'an attribute that takes another name',
    part: 'host({ xs }, { cores }) {',
    wrong: 'host({ xs }, { cores: number }) {',
    right: 'host({ xs: xs }, { cores }) {',
  },
]
