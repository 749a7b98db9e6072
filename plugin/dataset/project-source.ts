import type { Sample } from '../model/index.ts'
import type { KernelTask } from '../task/index.ts'

/** An operator project, and the task that it solves. */
export interface ProjectSource {
  task: KernelTask
  sample: Sample
  /** as rows name it */
  source: string
  licence: string
  revision: string | undefined
}
