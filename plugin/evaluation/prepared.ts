import type { KernelCase, Tensor } from '../model/index.ts'
import type { GoldenOutputs, Inputs, KernelTask } from '../task/kernel-task.ts'

/** Inputs and golden outputs of a case. */
export interface PreparedCase {
  inputs: Inputs
  golden: GoldenOutputs
}

interface Remembered extends PreparedCase {
  task: KernelTask
  key: string
  bytes: number
}

/** Bytes of prepared cases that a worker holds on to; the largest public case needs about 100 MiB. */
const defaultLimit = 256 * 2 ** 20

/**
 * Draws inputs and computes golden once for a case, however many samples, baselines and latencies are judged on it.
 * The cases used last are kept, within a number of bytes.
 */
export class PreparedCases {
  readonly #limit: number
  #kept: Remembered[] = []

  constructor(limitBytes: number = defaultLimit) {
    this.#limit = limitBytes
  }

  /** Draws the inputs of a case, from memory when it was prepared before. Throws what the task's draw throws. */
  inputs(task: KernelTask, kernelCase: KernelCase): Inputs {
    return this.#find(task, kernelCase)?.inputs ?? task.draw(kernelCase)
  }

  /** Computes golden from those inputs and keeps both. Throws what the task's golden throws. */
  golden(task: KernelTask, kernelCase: KernelCase, inputs: Inputs): GoldenOutputs {
    const known = this.#find(task, kernelCase)
    if (known) return known.golden
    const golden = task.golden(inputs, kernelCase)
    const bytes = bytesOfInputs(inputs) + bytesOfGolden(golden)
    this.#kept.push({ task, key: keyOf(kernelCase), inputs, golden, bytes })
    this.#forget()
    return golden
  }

  #find(task: KernelTask, kernelCase: KernelCase): Remembered | undefined {
    const key = keyOf(kernelCase)
    const index = this.#kept.findIndex((kept) => kept.task === task && kept.key === key)
    if (index < 0) return undefined
    const [found] = this.#kept.splice(index, 1)
    if (found) this.#kept.push(found)
    return found
  }

  #forget(): void {
    let total = this.#kept.reduce((sum, kept) => sum + kept.bytes, 0)
    while (total > this.#limit) total -= this.#kept.shift()?.bytes ?? total
  }
}

const keyOf = (kernelCase: KernelCase): string => JSON.stringify(kernelCase)

const bytesOfInputs = (inputs: Inputs): number =>
  Object.values(inputs)
    .flatMap((value) => (isList(value) ? value : value ? [value] : []))
    .reduce((sum, tensor: Tensor) => sum + tensor.data.byteLength, 0)

const bytesOfGolden = (golden: GoldenOutputs): number =>
  Object.values(golden)
    .flatMap((value) => (isList(value) ? value : [value]))
    .reduce((sum, tensor) => {
      if ('data' in tensor) return sum + tensor.data.byteLength
      return 'values' in tensor ? sum + tensor.values.byteLength + (tensor.scale?.byteLength ?? 0) : sum
    }, 0)

const isList = <T>(value: T | readonly T[]): value is readonly T[] => Array.isArray(value)
