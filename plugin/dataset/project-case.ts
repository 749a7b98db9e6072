import { isDeepStrictEqual } from 'node:util'
import { hash } from '../inputs/index.ts'
import { isStatic, messageOf, sizeOf, type ArgumentSpec, type KernelCase } from '../model/index.ts'
import { Draws } from '../search/index.ts'
import { specsOf, type KernelTask } from '../task/index.ts'

/** The same case with other inputs: a project that is right is so whatever they are, and no row chooses these. */
export const withOwnSeed = (kernelCase: KernelCase): KernelCase => ({
  ...kernelCase,
  seed: hash(`${kernelCase.task} project`) & 0x7fffffff,
})

/**
 * Why a case that a row names is none that a project can be judged on; undefined where the task makes it: one of its own static cases, or
 * what it makes of these shapes and attributes. Values are those of inputs that rows of the task fix as well.
 */
export function caseProblem(task: KernelTask, given: KernelCase): string | undefined {
  if (task.staticCases.some((own) => isSame(own, given))) return undefined
  if (isStatic(given)) return `its case is not ${given.name} of ${task.interface.name}`
  const outputs = Object.values(given.outputs).flatMap(specsOf)
  if (outputs.every(({ shape }) => sizeOf(shape) === 0)) return 'its case has no outputs to compare'
  const examples = examplesOf(task)
  const fixed = new Set(examples.flatMap((each) => fixedInputs(each)))
  const chosen = fixedInputs(given).find((name) => !fixed.has(name))
  if (chosen !== undefined) return `its case fixes the values of ${chosen}, which the task draws`
  const columns = new Set(examples.flatMap(({ content = {} }) => Object.keys(content)))
  if (Object.keys(given.content ?? {}).some((name) => !columns.has(name))) return 'its case has content of its own'
  const made = madeOf(task, given)
  if (typeof made === 'string') return made
  const { content: _, ...shown } = { ...given, inputs: withoutValues(given.inputs) }
  const isMade = isSame({ ...made, seed: given.seed }, shown)
  return isMade ? undefined : `its case is not what ${task.interface.name} makes of its shapes and attributes`
}

const isSame = (one: KernelCase, other: KernelCase): boolean =>
  // as rows hold them
  isDeepStrictEqual(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other)))

const draws = 32

/** Cases of a task, as its spec writes and draws them. */
function examplesOf(task: KernelTask): KernelCase[] {
  const drawn = new Draws(task.domain, 1)
  return [...task.staticCases, ...Array.from({ length: draws }, (_, i) => drawn.case(String(i)))]
}

const fixedInputs = ({ inputs }: KernelCase): string[] =>
  Object.entries(inputs).flatMap(([name, spec]) => (specsOf(spec).some(({ values }) => values) ? [name] : []))

const withoutValues = (inputs: KernelCase['inputs']): KernelCase['inputs'] =>
  Object.fromEntries(
    Object.entries(inputs).map(([name, spec]): [string, ArgumentSpec] => [
      name,
      Array.isArray(spec)
        ? spec.map(({ dtype, shape }) => ({ dtype, shape }))
        : spec && { dtype: spec.dtype, shape: spec.shape },
    ]),
  )

function madeOf(task: KernelTask, { inputs, outputs, attrs, combination }: KernelCase): KernelCase | string {
  const shapes = Object.entries(outputs).flatMap(([name, spec]) => {
    const [first] = specsOf(spec)
    return first ? [[name, first.shape] as const] : []
  })
  try {
    return task.caseOf({ inputs, outputs: Object.fromEntries(shapes), attrs, combination }, 'generated')
  } catch (error) {
    return messageOf(error)
  }
}
