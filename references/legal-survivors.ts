import { sizeOf, type KernelCase } from '../plugin/model/index.ts'
import { specsOf, type KernelTask } from '../plugin/task/index.ts'

/** Candidates that leave a part of the outputs, or an input, as it was. */
const partial = [
  'copy of an input',
  'outputs untouched',
  'first tile only',
  'first half only',
  'all but the last element',
]

/** Why a trivial candidate may leave the right result on a case, where that follows from its shapes. */
function ruleFor({ interface: { outputs }, profiles }: KernelTask, kernelCase: KernelCase, candidate: string) {
  const judged = profiles.judged?.(kernelCase)
  const present = outputs.filter(({ name }) => kernelCase.outputs[name] && (!judged || judged.includes(name)))
  const tensors = present.flatMap(({ name }) => [...specsOf(kernelCase.outputs[name])])
  if (tensors.every(({ shape }) => sizeOf(shape) <= 1)) return 'every output has one element'
  const started = present.every(({ aliases, zeroed }) => aliases !== undefined || zeroed)
  if (started && partial.includes(candidate)) return 'what it left alone stays as the caller had it'
  return undefined
}

const published = 'published: the scalar is 1'
const zeros = 'the task leaves zeros'

/** The others: why the right result of some cases of a task is what a trivial candidate leaves. */
const known: Record<string, Record<string, string>> = {
  CastMath: {
    'all ones': 'published: no input of the cast to bool is zero',
    'all NaN': 'published: no input of the cast to bool is zero',
    'one element off': 'published: no input of the cast to bool is zero',
  },
  Ccopy: { 'copy of an input': 'the task is to copy' },
  Fill: {
    'all zeros': 'published: the value is 0',
    'all ones': 'published: the value is 1',
    'all NaN': 'published: the value is true, as which NaN is stored',
    'one element off': 'all elements are the same value',
  },
  Equal: {
    'all zeros': 'published: independent floats are hardly ever equal',
    'one element off': 'published: independent floats are hardly ever equal',
  },
  ForeachCopy: { 'copy of an input': 'the task is to copy' },
  ForeachDivScalarList: { 'copy of an input': published },
  ForeachLerpScalar: { 'copy of an input': 'published: the weight is 0' },
  ForeachMinimumScalar: { 'copy of an input': 'published: so few elements that none need be above the scalar' },
  ForeachMulScalar: { 'copy of an input': published },
  ForeachMulScalarList: { 'copy of an input': published },
  ForeachPowScalarAndTensor: {
    'all zeros': 'published: the base is 0',
    'all ones': 'published: the base is 1',
    'one element off': 'published: the base is 0 or 1',
    'sign flipped': 'published: the base is 0',
  },
  ForeachZeroInplace: { 'all zeros': zeros, 'one element off': zeros, 'sign flipped': zeros },
  GeluQuant: { 'one element off': 'published: with that scale and offset every element rounds to -1' },
  MaskedSelectV3: {
    'first half only': 'the mask may select no more than that',
    'all but the last element': 'only a mask that is true everywhere selects so many',
  },
  Muls: { 'copy of an input': published },
}

/** The reason why a candidate that leaves the right result of a case may do so; nothing when nobody gave one. */
export const reasonFor = (task: KernelTask, kernelCase: KernelCase, candidate: string): string | undefined =>
  ruleFor(task, kernelCase, candidate) ?? known[task.interface.name]?.[candidate]
