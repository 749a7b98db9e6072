import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { repositoryAround } from '../../candidates/project.ts'
import type { CompileRequest } from '../../dsl/compile-answer.ts'
import { readRegular } from '../../files/index.ts'
import {
  dtypes,
  type AttributeType,
  type BuildArgs,
  type Combination,
  type DType,
  type TaskArgument,
  type TaskInterface,
  type ProjectFile,
} from '../../model/index.ts'
import type { RegisteredOperators } from '../../targets/emulator.ts'
import { flattened, unitOf, type Unit } from './include-graph.ts'

/** An operator project of a folder, or one that a program of the DSL was compiled to. */
export interface OperatorProject {
  /** the file or folder that it was found as, below the folder that was searched */
  source: string
  /** its folder */
  root: string
  /** nothing outside is read */
  around: string
}

/** What a build of an operator needs to know besides its kernel. */
export interface OperatorFacts {
  interface: TaskInterface
  combination: Combination
  /** which cores declarations are compiled for, e.g. `KERNEL_TYPE_AIV_ONLY` */
  core: string
  /** the host part, each source with all that it includes of its repository */
  host: readonly ProjectFile[]
}

/** Sources of programs are small. */
const maxBytes = 1 << 20

/** Lines of the program say nothing to who has not got it. */
const withoutLines = ({ path, content }: ProjectFile): ProjectFile => ({
  path,
  content: content.replace(/^([ \t]*\/\/ \w+): line \d+$/gm, '$1'),
})

/** Compiles a program; null where it is none. */
export type CompileProgram = (request: CompileRequest) => Promise<readonly ProjectFile[] | null>

/** Operator projects and programs of the DSL below a folder, by name; `write` says where the files of a program are. */
export async function projectsIn(
  folder: string,
  compile: CompileProgram,
  write: (program: string, files: readonly ProjectFile[]) => string,
): Promise<OperatorProject[]> {
  const found: OperatorProject[] = []
  const visit = async (path: string, below: string): Promise<void> => {
    const entries = readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
    if (['op_kernel', 'op_host'].every((part) => existsSync(join(path, part)))) {
      found.push({ source: below, root: path, around: repositoryAround(path) ?? path })
      return
    }
    for (const entry of entries) {
      const [place, name] = [join(path, entry.name), below === '' ? entry.name : `${below}/${entry.name}`]
      if (entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules') await visit(place, name)
      if (!entry.isFile() || !entry.name.endsWith('.npu.ts')) continue
      const files = await compile({ file: place, text: readRegular(place, maxBytes).toString('utf8') })
      if (files === null) continue
      const root = write(basename(name, '.npu.ts'), files.map(withoutLines))
      found.push({ source: name, root, around: root })
    }
  }
  await visit(resolve(folder), '')
  return found
}

const includeFolders = ({ root, around }: OperatorProject, part: string): string[] => [
  join(root, part),
  root,
  around,
  join(around, 'common', 'inc'),
  join(around, 'common', 'include'),
  dirname(root),
]

const sourcesIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => /\.(?:cpp|cc)$/.test(name))
    .sort()
    .map((name) => join(folder, name))

/** The files of op_kernel that define a kernel, each with what it includes. */
export const kernelUnits = (project: OperatorProject): Unit[] =>
  sourcesIn(join(project.root, 'op_kernel')).map((path) =>
    unitOf(path, { root: project.around, folders: includeFolders(project, 'op_kernel') }),
  )

/** The host part without the files around it. */
export const hostFiles = (project: OperatorProject): ProjectFile[] =>
  sourcesIn(join(project.root, 'op_host')).map((path) => ({
    path: `op_host/${basename(path)}`,
    content: flattened(unitOf(path, { root: project.around, folders: includeFolders(project, 'op_host') })),
  }))

const nobody = (name: string): TaskInterface => ({
  name,
  kernel: '',
  suite: 'own',
  group: null,
  category: '',
  inputs: [],
  outputs: [],
  attrs: [],
})

/** What asks for the OpDef of a project. */
export const describing = (project: OperatorProject): BuildArgs => ({
  sample: {
    task: basename(project.root),
    name: 'project',
    root: project.root,
    kernelDir: join(project.root, 'op_kernel'),
    hostDir: join(project.root, 'op_host'),
    cmakeLists: [],
    ...(project.around !== project.root && { repository: project.around }),
  },
  task: nobody(basename(project.root)),
  combinations: [],
})

type Registered = RegisteredOperators['operators'][number]
type Parameter = Registered['inputs'][number]

const isDType = (name: string): name is DType => Object.hasOwn(dtypes, name)
const attributeTypes = ['int', 'float', 'bool', 'string', 'listInt', 'listFloat'] as const satisfies AttributeType[]

/** A parameter as tasks know it; null where it has dtypes that none has. */
const argumentOf = (parameter: Parameter): TaskArgument | null => {
  const types = parameter.dtypes.filter(isDType)
  if (types.length !== parameter.dtypes.length || types.length === 0) return null
  const kind = parameter.paramType === 'dynamic' ? 'tensorList' : 'tensor'
  return { name: parameter.name, kind, required: parameter.paramType !== 'optional', dtypes: types }
}

const whole = <T>(list: readonly (T | null)[]): T[] => list.filter((each): each is T => each !== null)

/** The interface of an operator as its OpDef has it; null where it has dtypes or attributes that no task has. */
export function interfaceOf(
  operator: Registered,
  kernel: string,
): { interface: TaskInterface; combination: Combination } | null {
  const [inputs, outputs] = [operator.inputs.map(argumentOf), operator.outputs.map(argumentOf)]
  const attrs = operator.attrs.map(({ name, type, required }) => {
    const found = attributeTypes.find((each) => each === type)
    return found === undefined ? null : { name, type: found, required }
  })
  if ([...inputs, ...outputs, ...attrs].includes(null)) return null
  const first = (list: readonly (TaskArgument | null)[]): DType[] => whole(list).map((each) => each.dtypes[0]!)
  return {
    interface: {
      ...nobody(operator.name),
      kernel,
      inputs: whole(inputs),
      outputs: whole(outputs),
      attrs: whole(attrs),
    },
    combination: { inputs: first(inputs), outputs: first(outputs) },
  }
}
