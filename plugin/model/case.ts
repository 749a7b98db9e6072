import { z } from 'zod'
import { dtypeNames } from './dtype.ts'

/** Numbers that JSON has no other word for. */
const spelledNumbers = ['NaN', 'Infinity', '-Infinity', '-0'] as const

/** One number of a tensor whose content is fixed; `Number` reads it. */
export const fixedValue = z.union([z.number(), z.enum(spelledNumbers)])

export type FixedValue = z.infer<typeof fixedValue>

/** A number as a case has it, which reads the same after it has been written as JSON. */
export const fixedValueOf = (value: number): FixedValue =>
  spelledNumbers.find((spelled) => Object.is(Number(spelled), value)) ?? value

/** One concrete tensor of a case. `values` fixes its content; otherwise it is drawn from the seed. */
const tensorSpec = z.object({
  dtype: z.enum(dtypeNames),
  shape: z.array(z.int().nonnegative()),
  values: z.array(fixedValue).optional(),
})

const attributes = z.record(z.string(), z.union([z.number(), z.boolean(), z.string(), z.array(z.number())]))

const argumentSpec = z.union([tensorSpec, z.array(tensorSpec), z.null()])

/**
 * A device with less than the SoC has: what the platform tells the host part. With fewer cores and less memory small tensors take
 * several tiles on each core. Devices have such limits where a process is given a part of their cores.
 */
const narrowDevice = z.object({
  /** vector cores; of a kernel with a cube part cube cores, each with two vector cores */
  cores: z.int().positive(),
  /** share of the unified buffer */
  unifiedBuffer: z.number().positive().max(1),
})

export type NarrowDevice = z.infer<typeof narrowDevice>

/** One concrete problem of a task. Plain JSON: it travels to the service, into the ledger and the regression corpus. */
export const kernelCase = z.object({
  task: z.string(),
  /** `static 3`, `generated`, … : what a person calls the case */
  name: z.string(),
  /** index into the `dtypes` columns of the task */
  combination: z.int().nonnegative(),
  inputs: z.record(z.string(), argumentSpec),
  outputs: z.record(z.string(), argumentSpec),
  attrs: attributes,
  /** what the row says of the content of its inputs; only their draw looks at it */
  content: attributes.optional(),
  /** what it runs on; the whole device where left out */
  device: narrowDevice.optional(),
  /** 32-bit seed of the input draw */
  seed: z.int(),
})

export type KernelCase = z.infer<typeof kernelCase>
export type TensorSpec = z.infer<typeof tensorSpec>
export type ArgumentSpec = z.infer<typeof argumentSpec>

/** Whether a case is of the public list of its task: it draws the published distributions, and the public tolerance is for it. */
export const isStatic = ({ name }: Pick<KernelCase, 'name'>): boolean => name.startsWith('static ')
