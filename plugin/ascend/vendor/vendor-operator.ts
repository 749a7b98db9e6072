import { hashOf } from '../../cache/hash.ts'
import type { TaskInterface } from '../../model/index.ts'
import { readCalls, type AclnnCall, type ArgumentSource, type CallArgument, type TensorArgument } from '../aclnn.ts'
import type { AscendArtifact } from '../build-operator.ts'
import type { Toolkit } from '../cann.ts'
import type { Machine } from '../machine.ts'
import { succeed } from '../remote-folder.ts'
import type { Given, VendorCall, VendorOperator } from './call.ts'

/** An operator of the toolkit as the device runs it, or why there is none. */
export type FoundOperator = { ok: true; artifact: AscendArtifact } | { ok: false; why: string }

/** Where headers of the toolkit's operators lie, below its home. */
const headerFolder = 'include/aclnnop'

/**
 * The libraries of these operators, below the home: newer toolkits have one for each repository of operators, and do not support the
 * one for all beside them.
 */
const librarySets = [
  ['libopapi_math.so', 'libopapi_nn.so', 'libopapi_transformer.so', 'libopapi_cv.so'],
  ['libopapi.so'],
] as const

/** Prints the libraries of a toolkit that are there, then the header that declares each call: `== <call> <file>` and its text. */
const lookScript = `
home=$1; shift
for library in ${librarySets.flat().join(' ')}; do
  [ -r "$home/lib64/$library" ] && echo "$library"
done
for call in "$@"; do
  header=$(grep -lE "(^|[^A-Za-z0-9_])\${call}GetWorkspaceSize *\\(" "$home/${headerFolder}"/*.h 2>/dev/null | head -n 1)
  [ -n "$header" ] || continue
  echo
  echo "== $call $(basename "$header")"
  cat "$header"
done
`

/** Looks for the calls of an operator in a toolkit, and says what each of their parameters is given. Rejects when the machine is at fault. */
export async function findVendorOperator(
  machine: Machine,
  toolkit: Pick<Toolkit, 'home' | 'version'>,
  { task, operator }: { task: TaskInterface; operator: VendorOperator },
): Promise<FoundOperator> {
  if ('none' in operator) return { ok: false, why: operator.none }
  const names = [...new Set(operator.map(([name]) => name))]
  const [first = '', ...parts] = (await succeed(machine, ['sh', '-c', lookScript, 'sh', toolkit.home, ...names])).split(
    /^== /m,
  )
  const there = first.split('\n').filter((line) => line !== '')
  const libraries = librarySets.map((set) => set.filter((name) => there.includes(name))).find((set) => set.length > 0)
  if (!libraries) return { ok: false, why: `CANN ${toolkit.version} at ${toolkit.home} has no libopapi.so` }
  const found = new Map(parts.map(readPart))
  const calls = []
  const given: CallArgument[] = []
  for (const wanted of operator) {
    const declared = found.get(wanted[0])
    if (!declared) return { ok: false, why: `CANN ${toolkit.version} declares no ${wanted[0]}` }
    const passed = argumentsOf(declared.call, wanted, task)
    if (typeof passed === 'string') return { ok: false, why: passed }
    calls.push({ call: declared.call, header: `aclnnop/${declared.header}` })
    given.push(...passed)
  }
  const headerText = [...found.values()].map(({ text }) => text).join('\n')
  const artifact: AscendArtifact = {
    id: hashOf('vendor', toolkit.home, toolkit.version, task.name, JSON.stringify(operator), headerText),
    task,
    package: '',
    libraries: libraries.map((name) => `${toolkit.home}/lib64/${name}`),
    include: `${toolkit.home}/include`,
    headerText,
    calls,
    arguments: given,
  }
  return { ok: true, artifact }
}

interface DeclaredCall {
  call: AclnnCall
  header: string
  text: string
}

/** A call that no header declares as it can be read has no parameters: it fits nothing. */
function readPart(part: string): [name: string, DeclaredCall] {
  const end = part.indexOf('\n')
  const [name = '', header = ''] = part.slice(0, end).split(' ')
  const text = part.slice(end + 1)
  const call = readCalls(text).find((each) => each.name === name) ?? { name, parameters: [] }
  return [name, { call, header, text }]
}

function argumentsOf(call: AclnnCall, [name, ...given]: VendorCall, task: TaskInterface): CallArgument[] | string {
  const { parameters } = call
  if (parameters.length !== given.length)
    return `${name} takes ${parameters.length} arguments that are known, and is given ${given.length}`
  return given.map((each, index) => ({ kind: parameters[index]!.kind, ...sourceOf(each, task) }))
}

/** Where an argument is from. Throws where the task has nothing of a name: the table is wrong then. */
export function sourceOf(given: Given, task: TaskInterface): ArgumentSource {
  if (typeof given === 'string') {
    const index = task.attrs.findIndex((attr) => attr.name === given)
    if (index >= 0) return { from: 'attribute', index }
    const tensor = tensorNamed(given, task)
    return { from: tensor.side === 'inputs' ? 'input' : 'output', index: tensor.index }
  }
  if (typeof given !== 'object' || given === null || isNumbers(given)) return { from: 'constant', value: given }
  if ('text' in given) return { from: 'constant', value: given.text }
  if ('attribute' in given) {
    const index = task.attrs.findIndex((attr) => attr.name === given.attribute)
    if (index < 0) throw new Error(`${task.name} has no attribute ${given.attribute}`)
    return { from: 'attribute', index, codes: given.codes }
  }
  if ('between' in given) {
    const { between, like, ...dtype } = given
    return { from: 'between', name: between, like: tensorNamed(like, task), ...dtype }
  }
  if ('transposed' in given) {
    const { side, index } = tensorNamed(given.transposed, task)
    return { from: side === 'inputs' ? 'input' : 'output', index, transposed: true }
  }
  return 'shapeOf' in given
    ? { from: 'shape', of: tensorNamed(given.shapeOf, task) }
    : { from: 'dtype', of: tensorNamed(given.dtypeOf, task) }
}

const isNumbers = (given: object): given is readonly number[] => Array.isArray(given)

/** An output that overwrites an input is that input. */
function tensorNamed(name: string, task: TaskInterface): TensorArgument {
  for (const side of ['inputs', 'outputs'] as const) {
    const index = task[side].findIndex((argument) => argument.name === name)
    if (index >= 0) return { side, index }
  }
  throw new Error(`${task.name} has no ${name}`)
}
