import { attr, buffer, ceilDiv, compute, copyOut, duplicate, min, operator, range, store, tensor } from 'vitest-npu/dsl'

// The matrices hold zeros: only the ones are stored, each with a stride of one row and one column.
export default operator({
  name: 'Eye',
  inputs: { y: tensor(['float32', 'float16', 'int32'], ['...batch_shape', 'num_rows', 'num_columns']) },
  outputs: { y: tensor.like('y') },
  attrs: {
    num_rows: attr.int(),
    num_columns: attr.int(0),
    batch_shape: attr.listInt([]),
    dtype: attr.int(0),
  },
  host({ y }, { cores }) {
    const C = y.shape(-1)
    const R = y.shape(-2)
    const ones = min(R, C)
    const tile = min(ones, 512)
    const parts = ceilDiv(ones, tile)
    const jobs = (y.size / (R * C)) * parts
    const share = ceilDiv(jobs, cores)
    return { blockDim: ceilDiv(jobs, share), jobs, share, tile, ones, parts, R, C }
  },
  kernel({ y }, { jobs, share, tile, ones, parts, R, C }, core) {
    const one = buffer(y.dtype, [tile, 1])
    const end = min((core + 1) * share, jobs)
    for (const job of range(core * share, end)) {
      const first = (job % parts) * tile
      const n = min(tile, ones - first)
      compute(() => duplicate(one, 1, [n, 1]))
      copyOut(() => store(y, (job / parts) * R * C + first * (C + 1), one, [n, 1], C + 1))
    }
  },
})
