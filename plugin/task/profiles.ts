import { onlyOutputs, publicDefault, type BenchmarkRule, type ToleranceProfiles } from '../compare/index.ts'
import { copyOf, type KernelCase } from '../model/index.ts'
import { DefinitionError, type TaskDefinition } from './definition.ts'
import { specsOf } from './facts.ts'

/**
 * The rules of a definition, as comparisons ask them. Each is shown a case of its own: one that changes it in place changes nothing
 * that is judged. What they answer is held to what a comparison can go by; a DefinitionError names the field.
 */
export function profilesOf(task: string, definition: TaskDefinition): ToleranceProfiles {
  const { strict, judged, benchmark = {} } = definition
  const { tolerance = publicDefault, revisions, outputs } = benchmark
  if (Array.isArray(outputs)) requireKnown(task, outputsField, outputs, Object.keys(definition.outputs))
  const asked = (rule: BenchmarkRule): BenchmarkRule => {
    const own = withOwnCase(rule)
    return outputs ? onlyOutputs(selecting(task, outputsField, outputs), own) : own
  }
  // one rule stays one: it is asked once
  const byRule = new Map([tolerance, ...Object.values(revisions ?? {})].map((rule) => [rule, asked(rule)]))
  const bound = withOwnCase(strict)
  return {
    strict(context) {
      const given = bound(context)
      requireBound(task, context.output, given)
      return given
    },
    benchmark: byRule.get(tolerance)!,
    ...(revisions && {
      revisions: Object.fromEntries(Object.entries(revisions).map(([each, rule]) => [each, byRule.get(rule)!])),
    }),
    ...(judged && { judged: selecting(task, 'judged', judged) }),
  }
}

const outputsField = 'benchmark.outputs'

const withOwnCase =
  <C extends { case: KernelCase }, R>(rule: (context: C) => R) =>
  (context: C): R =>
    rule({ ...context, case: copyOf(context.case) })

/** Which outputs of a case are looked at: at least one, where the case has any. */
function selecting(
  task: string,
  field: string,
  outputs: readonly string[] | ((kernelCase: KernelCase) => readonly string[]),
): (kernelCase: KernelCase) => readonly string[] {
  return (kernelCase) => {
    const chosen = typeof outputs === 'function' ? outputs(copyOf(kernelCase)) : outputs
    requireKnown(task, field, chosen, Object.keys(kernelCase.outputs))
    const present = Object.entries(kernelCase.outputs).flatMap(([name, spec]) =>
      specsOf(spec).length > 0 ? [name] : [],
    )
    if (present.length > 0 && !present.some((name) => chosen.includes(name)))
      throw new DefinitionError(
        task,
        field,
        `names no output that ${kernelCase.name} has: nothing would be compared; it has ${present.join(', ')}`,
      )
    return chosen
  }
}

function requireKnown(task: string, field: string, chosen: unknown, known: readonly string[]): void {
  if (!Array.isArray(chosen)) throw new DefinitionError(task, field, 'is no list of names of outputs')
  const names: unknown[] = chosen
  const unknown = names.find((name) => typeof name !== 'string' || !known.includes(name))
  if (unknown !== undefined)
    throw new DefinitionError(
      task,
      field,
      `there is no output ${JSON.stringify(unknown)}; there are ${known.join(', ')}`,
    )
}

/** Specs are not all type-checked: what is left out, or no number, would reject every element. */
function requireBound(task: string, output: string, given: unknown): void {
  const fields = new Map<string, unknown>(Object.entries(given ?? {}))
  for (const field of ['absolute', 'relative', 'scaled']) {
    const value = fields.get(field)
    if (field === 'scaled' && value === undefined) continue
    // an infinite share of golden 0 is no number
    const isBound = typeof value === 'number' && value >= 0 && (field === 'absolute' || value < Infinity)
    if (!isBound)
      throw new DefinitionError(
        task,
        'strict',
        `${field} of the bound of ${output} is ${String(value)}: give a finite number, 0 or more`,
      )
  }
}
