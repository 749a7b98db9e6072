import { encode, normal, randint, RandomStream, type Draw, type DrawContext } from '../inputs/index.ts'
import {
  copyOf,
  dtypes,
  isStatic,
  type Allocate,
  type DType,
  type KernelCase,
  type Tensor,
  type TensorSpec,
  type TensorValue,
} from '../model/index.ts'
import { specsOf } from './facts.ts'
import { sourceOf } from './interface.ts'
import type { TaskDefinition } from './definition.ts'
import type { Inputs } from './kernel-task.ts'

const defaults: Record<(typeof dtypes)[DType]['kind'], Draw> = {
  float: normal(),
  complex: normal(),
  int: randint(0, 100),
  bool: randint(0, 1),
}

/**
 * Draws all inputs of a case, in argument order. Each tensor has a stream of its own, named by argument and position.
 */
export function drawInputs(definition: TaskDefinition, kernelCase: KernelCase, allocate: Allocate): Inputs {
  const drawn: Record<string, TensorValue> = {}
  const { attrs, content = {} } = kernelCase
  const shapes = Object.fromEntries(
    Object.entries(kernelCase.inputs).map(([name, spec]) => [name, specsOf(spec).map(({ shape }) => shape)]),
  )
  for (const [name, argument] of Object.entries(definition.inputs)) {
    const spec = kernelCase.inputs[name]
    if (spec === undefined) throw new TypeError(`case ${kernelCase.name} of ${kernelCase.task} has no input ${name}`)
    const draw = argument.draw ?? sourceOf(kernelCase.task, definition, `inputs.${name}`, argument).draw
    const one = (tensorSpec: TensorSpec, position: number) =>
      drawTensor(allocate(tensorSpec.dtype, tensorSpec.shape), tensorSpec, draw, {
        random: new RandomStream(kernelCase.seed, `${name} ${position}`),
        // every other case mixes in values that kernels get wrong
        adversarial: !isStatic(kernelCase),
        drawn,
        // a draw that changes them in place must not change the case
        ...copyOf({ shapes, attrs, content }),
      })
    if (spec === null) drawn[name] = null
    else if (Array.isArray(spec)) drawn[name] = spec.map(one)
    else drawn[name] = one(spec, 0)
  }
  return drawn
}

function drawTensor(target: Tensor, spec: TensorSpec, draw: Draw | undefined, context: DrawContext): Tensor {
  if (spec.values) encode(Float64Array.from(spec.values, Number), target)
  else (draw ?? defaults[dtypes[spec.dtype].kind]).write(target, context)
  return target
}
