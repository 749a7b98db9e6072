import type { GoldenOutputs } from '../compare/rules.ts'
import { hash } from '../inputs/index.ts'
import { copyOf, emptyTensor, ownSuite, type KernelCase, type TaskPlace } from '../model/index.ts'
import { caseOfData } from './data-case.ts'
import { DefinitionError } from './definition.ts'
import type { Arguments, AttributeDefinitions, Row, TaskDefinition } from './definition.ts'
import { DEFAULT_MAX_ELEMENTS, domainOf } from './domain.ts'
import { drawInputs } from './draw-case.ts'
import { interfaceOf, patternsOf } from './interface.ts'
import type { Inputs, KernelTask } from './kernel-task.ts'
import { profilesOf } from './profiles.ts'
import { caseOfRow, variablesOfTask, type RowContext } from './row.ts'

/**
 * Resolves a spec's definition to a task ready to be judged. Throws a DefinitionError that names the task, the field
 * and what to do when the definition contradicts itself: unknown fields, columns that do not match, a row that does not
 * fit. `place` is where the spec lies: in no suite when left out.
 */
export function defineTask<I extends Arguments, O extends Arguments, A extends AttributeDefinitions>(
  name: string,
  typed: TaskDefinition<I, O, A>,
  place: TaskPlace = { suite: ownSuite, group: null },
): KernelTask {
  // Inside, names are checked against the definition at run time: the caller's literal types have done their work.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const definition = typed as unknown as TaskDefinition
  const task = interfaceOf(name, definition, place)
  const variables = variablesOfTask(definition)
  const context = (place: string): RowContext => ({ task, definition, variables, place })
  if (definition.cases.length === 0) throw new DefinitionError(name, 'cases', 'a task has at least one static case')
  for (const field of ['strict', 'golden'] as const)
    if (typeof definition[field] !== 'function')
      throw new DefinitionError(
        name,
        field,
        `is no function${field === 'strict' ? ': give exact, float32Roundings(n), or () => ({ absolute, relative })' : ''}`,
      )
  const staticCases = numbered(name, definition).map(({ id, row }) =>
    caseOfRow(context(`case ${id}`), row, { name: `static ${id}`, seed: hash(`${name} static ${id}`) & 0x7fffffff }),
  )
  const { reference } = definition.benchmark ?? {}
  return {
    interface: task,
    ...(definition.description !== undefined && { description: definition.description }),
    patterns: patternsOf(name, definition),
    maxElements: definition.maxElements ?? DEFAULT_MAX_ELEMENTS,
    staticCases,
    domain: domainOf(context('domain')),
    profiles: profilesOf(name, definition),
    caseOf: (given, place) => caseOfData(context(place), given),
    draw: (kernelCase, allocate = emptyTensor) => drawInputs(definition, kernelCase, allocate),
    golden: (inputs, kernelCase) => goldenOf(name, definition, inputs, kernelCase),
    ...(reference && {
      reference: (inputs, kernelCase) => referenceOf(name, definition, reference, inputs, kernelCase),
    }),
  }
}

// The public list leaves out numbers: rows count on from the last one given.
function numbered(name: string, { cases }: TaskDefinition): { id: number; row: Row }[] {
  let last = -1
  return cases.map(({ id = last + 1, ...row }) => {
    if (typeof id !== 'number' || !Number.isSafeInteger(id) || id <= last) {
      throw new DefinitionError(name, `case ${last + 1}`, `id: ${JSON.stringify(id)} is not a number above ${last}`)
    }
    last = id
    return { id, row }
  })
}

function goldenOf(name: string, definition: TaskDefinition, inputs: Inputs, kernelCase: KernelCase): GoldenOutputs {
  // a golden that changes its attributes must not change what the next sample is asked for
  const own = copyOf(kernelCase)
  const golden = definition.golden(inputs, own.attrs, own)
  for (const output of Object.keys(definition.outputs)) {
    if (golden[output] === undefined) throw new DefinitionError(name, 'golden', `returned nothing for output ${output}`)
  }
  return golden
}

type Reference = NonNullable<NonNullable<TaskDefinition['benchmark']>['reference']>

function referenceOf(
  name: string,
  definition: TaskDefinition,
  reference: Reference,
  inputs: Inputs,
  kernelCase: KernelCase,
): GoldenOutputs {
  const own = copyOf(kernelCase)
  const outputs = Object.entries(reference(inputs, own.attrs, own))
  const unknown = outputs.find(([output]) => !(output in definition.outputs))
  if (unknown) throw new DefinitionError(name, 'benchmark.reference', `there is no output ${unknown[0]}`)
  return Object.fromEntries(outputs.flatMap(([output, value]) => (value === undefined ? [] : [[output, value]])))
}
