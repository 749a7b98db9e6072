import { z } from 'zod'

/** Source of one attempt at a task, as found on disk. All paths are absolute. */
export const sample = z.object({
  /** operator name, e.g. `AddCustom` */
  task: z.string(),
  /** the suite whose task it is; absent where the folder says the operator alone */
  suite: z.string().exactOptional(),
  /** who has written it, where its folder says so */
  model: z.string().exactOptional(),
  /** unique among the samples that one model has of a task, e.g. `sample0`, `answer/1`, `baseline` */
  name: z.string(),
  /** the folder that holds op_kernel and op_host; reports name files relative to it */
  root: z.string(),
  kernelDir: z.string(),
  /** null: kernel only; the task's default host part is used */
  hostDir: z.string().nullable(),
  /** files that may carry compile options (`add_ops_compile_options`), nearest first */
  cmakeLists: z.array(z.string()),
  /** the operator repository that the candidate is part of, whose shared headers it may include */
  repository: z.string().optional(),
  /** the program of the DSL that it is compiled from; the folders are then those of the program */
  program: z.string().exactOptional(),
  /** judged on this static case only (run folders of NPUKernelBench) */
  fixedCase: z.int().optional(),
})

export type Sample = z.infer<typeof sample>

/** What a sample is called among all those of its task: `sft/sample0`, or `sample0` where its folder names no model. */
export const sampleTitle = ({ model, name }: Pick<Sample, 'model' | 'name'>): string =>
  model === undefined ? name : `${model}/${name}`

/** A folder that looked like a candidate and is not judged. */
export interface Ignored {
  path: string
  reason: string
}

/** A file of an operator project: its path below the folder of the project, with `/`, and its text. */
export interface ProjectFile {
  readonly path: string
  readonly content: string
}
