import { sizeOf, type Tensor } from 'vitest-npu'

/** Element i has the index floor(i / run) % count. */
interface Axis {
  readonly run: number
  readonly count: number
}

/** How a normalisation cuts a tensor: elements of one group share statistics, those of one channel share a weight. */
export interface Layout {
  readonly group: Axis
  readonly channel: Axis
}

/** Rows of `width` elements of `length` in all, each with statistics of its own; weights along the row. */
export const rowsOf = (length: number, width: number): Layout => ({
  group: { run: width, count: length / width },
  channel: { run: 1, count: width },
})

/** [N, C, ...]: `groups` groups of neighbouring channels in every sample. */
export function groupsOf({ shape }: Tensor, groups: number): Layout {
  const [samples = 1, channels = 1] = shape
  const spatial = sizeOf(shape.slice(2))
  return {
    group: { run: (channels / groups) * spatial, count: samples * groups },
    channel: { run: spatial, count: channels },
  }
}

/** [N, C, ...]: each channel over all samples. */
export function channelsOf({ shape }: Tensor): Layout {
  const channel = { run: sizeOf(shape.slice(2)), count: shape[1]! }
  return { group: channel, channel }
}

const BLOCK = 4096

/** Visits a tensor block by block, in order. */
export function walk(length: number, visit: (start: number, length: number) => void): void {
  for (let start = 0; start < length; start += BLOCK) visit(start, Math.min(BLOCK, length - start))
}

/** The groups and channels of a block of elements; the same memory each time. */
export function placesOf(
  layout: Layout,
): (start: number, length: number) => { groups: Int32Array; channels: Int32Array } {
  let [groups, channels] = [new Int32Array(0), new Int32Array(0)]
  return (start, length) => {
    if (groups.length !== length) [groups, channels] = [new Int32Array(length), new Int32Array(length)]
    number(layout.group, start, groups)
    number(layout.channel, start, channels)
    return { groups, channels }
  }
}

function number({ run, count }: Axis, start: number, indices: Int32Array): void {
  let index = Math.floor(start / run) % count
  let left = run - (start % run)
  for (let i = 0; i < indices.length; i++) {
    indices[i] = index
    if (--left > 0) continue
    left = run
    if (++index === count) index = 0
  }
}

/** A buffer of the length that is asked for; the same memory while that does not change. */
export function scratch(): (length: number) => Float64Array {
  let buffer = new Float64Array(0)
  return (length) => {
    if (buffer.length !== length) buffer = new Float64Array(length)
    return buffer
  }
}
