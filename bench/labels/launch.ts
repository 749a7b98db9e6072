import * as fc from 'fast-check'
import { evaluateCase } from '../../plugin/evaluation/evaluate.ts'
import { PreparedCases } from '../../plugin/evaluation/prepared.ts'
import { RandomStream, uniform } from '../../plugin/inputs/index.ts'
import {
  emptyTensor,
  type Allocate,
  type KernelCase,
  type TaskInterface,
  type Tensor,
} from '../../plugin/model/index.ts'
import type { KernelService } from '../../plugin/service/index.ts'
import type { KernelTask } from '../../plugin/task/index.ts'
import { callOf, declaredAttributes, type Call } from './call.ts'
import { readBind, type Allocated, type Bind } from './bind.ts'
import { operators, type DrawnInput, type Extents, type ReferenceOperator } from './operators.ts'

/** What a launch of a pack came to here. `flagged` names what would keep it from being right on a card, in one line. */
export type Launched =
  | { kind: 'clean' }
  | { kind: 'flagged'; finding: string }
  | { kind: 'not comparable'; why: string }

/** The tolerance of MultiKernelBench for float32. */
const tolerance = { absolute: 1e-4, relative: 1e-4 }

/** What the tool launches: a pack, and where it was built. */
export interface BuiltPack {
  name: string
  task: TaskInterface
  artifact: string
  host: string
  extension: string | null
  model: string | null
}

/** Launches a built pack on the problem that the card ran, or on smaller ones, and judges it as the card's harness did. */
export async function launchPack(service: Pick<KernelService, 'launch'>, pack: BuiltPack): Promise<Launched> {
  const operator = operators[pack.name]
  if (!operator) return { kind: 'not comparable', why: 'no published reference' }
  const bind = readBind(pack.extension ?? '', pack.model ?? '', operator.inputs(operator.extents).length)
  if (!bind) return { kind: 'not comparable', why: 'the extension calls no operator' }
  const task = { ...pack.task, attrs: declaredAttributes(pack.host) }
  const call = callOf(bind, task, operator.attrs)
  if ('unknown' in call) return { kind: 'not comparable', why: `the value of ${call.unknown} is not known` }
  const fault = 'fault' in call ? call.fault : faultOf(bind, task, operator)
  if ('fault' in call || fault !== null) return { kind: 'flagged', finding: fault ?? '' }
  for (const extents of operator.scaled ?? [operator.extents]) {
    const launched = await launchOn(service, pack, taskOf({ task, bind, call }, operator, extents))
    if (launched.kind !== 'clean') return launched
  }
  return { kind: 'clean' }
}

async function launchOn(
  service: Pick<KernelService, 'launch'>,
  { name, artifact }: BuiltPack,
  task: KernelTask | { why: string },
): Promise<Launched> {
  if ('why' in task) return { kind: 'not comparable', why: task.why }
  const { verdict } = await evaluateCase({ task, artifact }, task.staticCases[0]!, {
    launch: (args) => service.launch(args),
    prepared: new PreparedCases(0),
    profile: 'strict',
    spec: name,
  })
  if (verdict.kind === 'correct') return { kind: 'clean' }
  if (verdict.kind === 'infrastructure') throw new Error(`${name}: ${verdict.message}`)
  return { kind: 'flagged', finding: findingOf(verdict) }
}

type Wrong = Awaited<ReturnType<typeof evaluateCase>>['verdict']

function findingOf(verdict: Wrong): string {
  if (verdict.kind === 'device-error' || verdict.kind === 'hazard')
    return `${verdict.kind}: ${verdict.report.code} in ${verdict.report.instruction}, line ${verdict.report.line ?? '-'}`
  if (verdict.kind === 'wrong-value' || verdict.kind === 'wrong-nonfinite') {
    const { mismatches, elements, expected, actual, index } = verdict.comparison
    return `${verdict.kind}: ${mismatches} of ${elements}, at [${index.join(', ')}] ${actual} for ${expected}`
  }
  if (verdict.kind === 'tiling-failed' || verdict.kind === 'wrong-structure' || verdict.kind === 'crashed')
    return `${verdict.kind}: ${verdict.message.split('\n', 1)[0]}`
  return verdict.kind
}

/** Shape of a result as the extension allocates it; null where it is not read. */
function shapeOf(allocated: Allocated, inputs: readonly DrawnInput[]): number[] | null {
  if (allocated === 'computed' || allocated === 'never') return null
  if ('like' in allocated) return inputs[allocated.like]?.shape ?? null
  return allocated.shape.map((one) => (typeof one === 'number' ? one : (inputs[one.input]?.shape[one.axis] ?? 0)))
}

const sameShape = (one: readonly number[], other: readonly number[]): boolean => one.join() === other.join()

/** Why the call cannot give what the reference gives, whatever the kernel does. */
function faultOf(bind: Bind, task: TaskInterface, operator: ReferenceOperator): string | null {
  const { extents } = operator
  if (!bind.callable) return 'call: the model passes another number of arguments than the extension takes'
  const [result] = bind.outputs
  if (!result || result.shape === 'never') return 'call: the extension never allocates the result'
  const reference = operator.output(extents)
  const allocated = shapeOf(result.shape, operator.inputs(extents))
  const returned = bind.squeezed ? allocated?.filter((extent) => extent !== 1) : allocated
  if (returned && !sameShape(returned, reference.shape))
    return `shape: [${returned.join(', ')}] for [${reference.shape.join(', ')}]`
  const dtype = result.dtype ?? task.outputs[0]?.dtypes[0]
  if (dtype !== reference.dtype) return `dtype: ${dtype} for ${reference.dtype}`
  return null
}

interface Called {
  task: TaskInterface
  bind: Bind
  call: Extract<Call, { inputs: number[] }>
}

/** The task that the pack's operator is, called as its extension calls it. */
function taskOf(
  { task, bind, call }: Called,
  operator: ReferenceOperator,
  extents: Extents,
): KernelTask | { why: string } {
  const drawn = operator.inputs(extents)
  const output = operator.output(extents)
  const kernelCase: KernelCase = {
    task: task.name,
    name: 'card',
    combination: 0,
    inputs: {},
    outputs: {},
    attrs: {},
    seed: 1,
  }
  for (const [i, { name, dtypes }] of task.inputs.entries()) {
    const input = drawn[call.inputs[i]!]
    if (!input) return { why: `${name} is no input of the reference` }
    kernelCase.inputs[name] = { dtype: dtypes[0]!, shape: input.shape }
  }
  for (const [i, { name }] of task.attrs.entries()) kernelCase.attrs[name] = call.attrs[i]!
  const [result] = task.outputs
  if (!result || task.outputs.length > 1) return { why: 'the operator has several outputs' }
  const allocated = shapeOf(bind.outputs[0]!.shape, drawn) ?? output.shape
  kernelCase.outputs[result.name] = { dtype: output.dtype, shape: [...allocated] }
  let tensors: Tensor[] = []
  return {
    interface: task,
    patterns: { inputs: {}, outputs: {} },
    maxElements: 0,
    staticCases: [kernelCase],
    domain: fc.constant(kernelCase),
    profiles: { strict: () => tolerance, benchmark: () => ({ block: () => true }) },
    caseOf: () => kernelCase,
    draw(_, allocate = emptyTensor) {
      tensors = drawn.map((input, i) => drawnTensor(input, i, allocate))
      return Object.fromEntries(task.inputs.map(({ name }, i) => [name, tensors[call.inputs[i]!]!]))
    },
    golden: () => ({ [result.name]: operator.golden(tensors, extents) }),
  }
}

function drawnTensor(
  { shape, high = 1, signed = false, matrix }: DrawnInput,
  position: number,
  allocate: Allocate,
): Tensor {
  const tensor = allocate('float32', shape)
  const stream = new RandomStream(position + 1, 'card')
  uniform(signed ? -high : 0, high).write(tensor, {
    random: stream,
    adversarial: false,
    drawn: {},
    shapes: {},
    attrs: {},
    content: {},
  })
  const [n = 0] = shape
  if (matrix !== undefined)
    for (let row = 0; row < n; row++)
      for (let column = row + 1; column < n; column++)
        tensor.data[row * n + column] = matrix === 'lower' ? 0 : tensor.data[column * n + row]!
  return tensor
}
