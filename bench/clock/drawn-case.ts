import type { KernelCase, TaskInterface, TensorValue } from '../../plugin/model/index.ts'

/** A case with its inputs. */
export interface DrawnCase {
  task: TaskInterface
  kernelCase: KernelCase
  inputs: Record<string, TensorValue>
}
