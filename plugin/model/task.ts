import { z } from 'zod'
import { dtypeNames } from './dtype.ts'

const dtype = z.enum(dtypeNames)

/** An argument of the kernel. Column i of every `dtypes` list is one supported combination. */
const argument = z.object({
  name: z.string(),
  kind: z.enum(['tensor', 'tensorList', 'scalarTensor']),
  /** false: the argument may be absent (a null address) */
  required: z.boolean(),
  dtypes: z.array(dtype).min(1),
})

const attributeType = z.enum(['int', 'float', 'bool', 'string', 'listInt', 'listFloat'])
const attributeValue = z.union([z.number(), z.boolean(), z.string(), z.array(z.number())])

/** What the toolchain and the device need to know of a task: plain data, in kernel-argument order. */
export const taskInterface = z.object({
  name: z.string(),
  /** symbol of the device entry point */
  kernel: z.string(),
  /** the suite that the task is part of, e.g. `npukernelbench`; names of tasks are unique within it */
  suite: z.string(),
  /** the group of the suite that the task is in, e.g. `level1`; null where it is in none */
  group: z.string().nullable(),
  category: z.string(),
  inputs: z.array(argument),
  /**
   * `aliases`: the input whose memory the output overwrites (in-place operators); `zeroed`: the caller fills it with
   * zeros, as kernels that add to it need
   */
  outputs: z.array(argument.extend({ aliases: z.string().optional(), zeroed: z.boolean().optional() })),
  attrs: z.array(
    z.object({ name: z.string(), type: attributeType, required: z.boolean(), default: attributeValue.optional() }),
  ),
})

export type TaskInterface = z.infer<typeof taskInterface>
/** Where a task belongs: its suite, and the group within it. */
export type TaskPlace = Pick<TaskInterface, 'suite' | 'group'>
export type TaskArgument = z.infer<typeof argument>
/** A task among those of all suites: `npukernelbench/Softmax`. */
export const qualifiedName = (task: Pick<TaskInterface, 'suite' | 'name'>): string => `${task.suite}/${task.name}`

/** The suite of specs that are part of no other: those that somebody writes for operators of their own. */
export const ownSuite = 'own'

export type AttributeType = z.infer<typeof attributeType>
export type AttributeValue = z.infer<typeof attributeValue>
