import { withCaseFile } from '../case-file/index.ts'
import {
  bytesOf,
  type Allocate,
  type Comparison,
  type KernelCase,
  type LaunchArgs,
  type Slot,
  type Verdict,
  type WrongElement,
  type Writer,
} from '../model/index.ts'
import type { BuiltKernel, EvaluationContext } from './evaluate.ts'
import { launchFields, withMemoryFor } from './evaluate.ts'
import { poisonOf } from './seed.ts'

type WrongOutputs = Extract<Verdict, { comparison: unknown }>

/**
 * A verdict on wrong outputs with the instructions that have written the wrong elements last: the case is launched once more, which
 * costs those that are right nothing. The verdict as it is where the target does not tell.
 */
export async function withWriters<V extends WrongOutputs>(
  kernel: BuiltKernel,
  kernelCase: KernelCase,
  verdict: V,
  context: Pick<EvaluationContext, 'launch' | 'prepared'>,
): Promise<V> {
  const { comparison } = verdict
  const { examples = [] } = comparison
  if (examples.length === 0) return verdict
  const writers = await withMemoryFor(kernelCase, (allocate) =>
    writersOf(allocate, kernel, kernelCase, comparison, context),
  )
  if (writers?.length !== examples.length) return verdict
  const located = examples.map((example, i): WrongElement => ({ ...example, writer: writers[i] ?? null }))
  return { ...verdict, comparison: { ...comparison, examples: located } }
}

/** Who has written the examples of a comparison; undefined where the target does not tell. */
async function writersOf(
  allocate: Allocate,
  { task, artifact }: BuiltKernel,
  kernelCase: KernelCase,
  comparison: Comparison,
  { launch, prepared }: Pick<EvaluationContext, 'launch' | 'prepared'>,
): Promise<readonly (Writer | null)[] | undefined> {
  const inputs = prepared.inputs(task, kernelCase, allocate)
  return withCaseFile(task.interface, kernelCase, inputs, async (file) => {
    const slot = file.slots
      .slice(task.interface.inputs.length)
      .flat()
      .find((each) => each?.name === comparison.output)
    if (!slot) return undefined
    const { examples = [] } = comparison
    const watched = examples.map(({ index }) => placeOf(slot, index, elementBytes(kernelCase, comparison)))
    const args: LaunchArgs = {
      artifact,
      case: kernelCase,
      poison: poisonOf(kernelCase),
      ...launchFields(file),
      watched,
    }
    const again = await launch(args)
    return again.ok ? again.writers : undefined
  })
}

/** Bytes of an element of the output that was compared, which may be one of a list. */
function elementBytes({ outputs }: KernelCase, { output }: Comparison): number {
  const spec = [outputs[output] ?? outputs[output.replace(/\[\d+\]$/, '')]].flat()[0]
  return spec ? bytesOf(spec.dtype) : 1
}

function placeOf({ offset, shape }: Slot, index: readonly number[], bytes: number): { offset: number; bytes: number } {
  const element = shape.reduce((sum, extent, i) => sum * extent + (index[i] ?? 0), 0)
  return { offset: offset + element * bytes, bytes }
}
