import { crc32 } from 'node:zlib'
import type { GoldenOutputs, GoldenTensor } from '../compare/rules.ts'
import { byteLengthOf, bytesView, type Allocate, type KernelCase, type Tensor } from '../model/index.ts'
import type { Inputs, KernelTask } from '../task/kernel-task.ts'

/** What the outputs of a launch are compared with. */
export interface ExpectedOutputs {
  golden: GoldenOutputs
  /** what the public reference computes, for the outputs where that is not golden */
  reference: GoldenOutputs
}

interface PreparedCase extends ExpectedOutputs {
  inputs: Inputs
  /** of the inputs, as they were drawn */
  sum: number
  bytes: number
}

/** Bytes of prepared cases that a worker keeps. */
const defaultLimit = 256 * 2 ** 20

/**
 * Draws inputs and computes golden once for a case, however many samples, baselines and latencies are judged on it.
 * The cases used last are kept, within a number of bytes.
 */
export class PreparedCases {
  readonly #limit: number
  /** the one used last at the end */
  readonly #kept = new Map<string, PreparedCase>()
  readonly #tasks = new Map<KernelTask, number>()
  #bytes = 0

  constructor(limitBytes: number = defaultLimit) {
    this.#limit = limitBytes
  }

  /** Large cases are not kept: one of them would push out all others, and they come one after another. */
  keeps({ inputs }: KernelCase): boolean {
    const bytes = Object.values(inputs)
      .flat()
      .reduce((sum, spec) => sum + (spec ? byteLengthOf(spec.dtype, spec.shape) : 0), 0)
    return bytes <= this.#limit / 4
  }

  /**
   * Draws the inputs of a case, from memory when it was prepared before; those of a case that is not kept lie in tensors of
   * `allocate`. Throws what the task's draw throws, and where golden has changed them.
   */
  inputs(task: KernelTask, kernelCase: KernelCase, allocate?: Allocate): Inputs {
    const known = this.#find(task, kernelCase)
    if (!known) return task.draw(kernelCase, this.keeps(kernelCase) ? undefined : allocate)
    // golden may be computed block by block while it is compared
    requireUnchanged(known.inputs, known.sum)
    return known.inputs
  }

  /** Computes the outputs expected for those inputs and keeps both. Throws what the task's golden throws, and where it changes its inputs. */
  expected(task: KernelTask, kernelCase: KernelCase, inputs: Inputs): ExpectedOutputs {
    const known = this.#find(task, kernelCase)
    if (known) return known
    const sum = sumOf(inputs)
    const golden = owned(task.golden(inputs, kernelCase))
    const reference = owned(task.reference?.(inputs, kernelCase) ?? {})
    requireUnchanged(inputs, sum)
    if (!this.keeps(kernelCase)) return { golden, reference }
    const bytes = bytesOfInputs(inputs) + bytesOfGolden(golden) + bytesOfGolden(reference)
    const prepared = { inputs, golden, reference, sum, bytes }
    this.#kept.set(this.#keyOf(task, kernelCase), prepared)
    this.#bytes += bytes
    this.#forget()
    return prepared
  }

  #find(task: KernelTask, kernelCase: KernelCase): PreparedCase | undefined {
    const key = this.#keyOf(task, kernelCase)
    const found = this.#kept.get(key)
    if (!found) return undefined
    this.#kept.delete(key)
    this.#kept.set(key, found)
    return found
  }

  /** A case of a task, which two tasks may call alike. */
  #keyOf(task: KernelTask, kernelCase: KernelCase): string {
    let number = this.#tasks.get(task)
    if (number === undefined) this.#tasks.set(task, (number = this.#tasks.size))
    return `${number} ${JSON.stringify(kernelCase)}`
  }

  #forget(): void {
    for (const [key, { bytes }] of this.#kept) {
      if (this.#bytes <= this.#limit) return
      this.#kept.delete(key)
      this.#bytes -= bytes
    }
  }
}

const tensorsOf = (inputs: Inputs): Tensor[] =>
  Object.values(inputs).flatMap((value) => (isList(value) ? value : value ? [value] : []))

const bytesOfInputs = (inputs: Inputs): number =>
  tensorsOf(inputs).reduce((sum, tensor) => sum + tensor.data.byteLength, 0)

const sumOf = (inputs: Inputs): number => tensorsOf(inputs).reduce((sum, tensor) => crc32(bytesView(tensor), sum), 0)

/** The next sample would be judged on other values than it is given. */
function requireUnchanged(inputs: Inputs, sum: number): void {
  if (sumOf(inputs) !== sum) throw new Error('golden changes the inputs that it is given: let it work on copies')
}

/** Golden may compute into memory of its own, and compute another case there before this one is compared. */
const owned = (golden: GoldenOutputs): GoldenOutputs =>
  Object.fromEntries(
    Object.entries(golden).map(([name, value]) => [name, isList(value) ? value.map(ownedOutput) : ownedOutput(value)]),
  )

function ownedOutput(output: GoldenTensor): GoldenTensor {
  if ('data' in output) return { ...output, data: output.data.slice() }
  if (!('values' in output)) return output
  return { ...output, values: output.values.slice(), ...(output.scale && { scale: output.scale.slice() }) }
}

const bytesOfGolden = (golden: GoldenOutputs): number =>
  Object.values(golden)
    .flatMap((value) => (isList(value) ? value : [value]))
    .reduce((sum, tensor) => {
      if ('data' in tensor) return sum + tensor.data.byteLength
      return 'values' in tensor ? sum + tensor.values.byteLength + (tensor.scale?.byteLength ?? 0) : sum
    }, 0)

const isList = <T>(value: T | readonly T[]): value is readonly T[] => Array.isArray(value)
