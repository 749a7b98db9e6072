import { resolve } from 'node:path'
import { z } from 'zod'
import {
  InfrastructureError,
  type Combination,
  type DType,
  type TaskArgument,
  type TaskInterface,
} from '../model/index.ts'

/** Names of element types as the vendor's generator of projects spells them, where it spells them in its own way. */
const typeNames: Partial<Record<DType, string>> = { float32: 'float', float64: 'double' }

const attributeTypes: Record<TaskInterface['attrs'][number]['type'], string> = {
  int: 'int',
  float: 'float',
  bool: 'bool',
  string: 'string',
  listInt: 'list_int',
  listFloat: 'list_float',
}

const typeName = (dtype: DType): string => typeNames[dtype] ?? dtype

function described({ name, kind, required }: TaskArgument, dtypes: readonly DType[]) {
  return {
    name,
    param_type: kind === 'tensorList' ? 'dynamic' : required ? 'required' : 'optional',
    format: dtypes.map(() => 'ND'),
    type: dtypes.map(typeName),
  }
}

/** What the vendor's generator of projects reads: the prototype of the operator, for the dtypes that are built. */
export function operatorPrototype(task: TaskInterface, combinations: readonly Combination[]): string {
  const of = (side: 'inputs' | 'outputs') =>
    task[side].map((argument, index) =>
      described(
        argument,
        combinations.flatMap((each) => each[side][index] ?? []),
      ),
    )
  const prototype = {
    op: task.name,
    language: 'cpp',
    input_desc: of('inputs'),
    output_desc: of('outputs'),
    attr: task.attrs.map(({ name, type, required }) => ({
      name,
      param_type: required ? 'required' : 'optional',
      type: attributeTypes[type],
    })),
  }
  return `${JSON.stringify([prototype], null, 2)}\n`
}

const presets = z.looseObject({
  configurePresets: z
    .array(z.looseObject({ name: z.string(), cacheVariables: z.record(z.string(), z.unknown()).default({}) }))
    .min(1),
})

/** What is set for each build in the presets of a generated project. */
export interface PresetValues {
  home: string
  vendor: string
}

/** The presets of a generated project, for a build of one operator with its binary. Throws `InfrastructureError`. */
export function filledPresets(text: string, { home, vendor }: PresetValues): string {
  let parsed: z.infer<typeof presets>
  try {
    parsed = presets.parse(JSON.parse(text))
  } catch {
    throw new InfrastructureError('the generated operator project has no CMakePresets.json that can be read')
  }
  const values = {
    ASCEND_CANN_PACKAGE_PATH: { type: 'PATH', value: home },
    vendor_name: { type: 'STRING', value: vendor },
    ENABLE_BINARY_PACKAGE: { type: 'BOOL', value: 'True' },
    ENABLE_SOURCE_PACKAGE: { type: 'BOOL', value: 'False' },
  }
  const [first, ...rest] = parsed.configurePresets
  const filled = { ...first, cacheVariables: { ...first?.cacheVariables, ...values } }
  return `${JSON.stringify({ ...parsed, configurePresets: [filled, ...rest] }, null, 2)}\n`
}

/** The command with which a project of the newer kind builds kernels, by which options are added to them. */
const kernelLibrary = /\bnpu_op_kernel_library\s*\(\s*(\w+)/

/**
 * The CMake file of the kernels of a generated project, with the compile options of a candidate. Projects of the newer kind name a
 * target; those of the older one take options for all kernels.
 */
export function kernelList(generated: string, options: readonly string[]): string {
  if (options.length === 0) return generated
  const target = kernelLibrary.exec(generated)?.[1]
  const words = options.join(' ')
  return target === undefined
    ? `add_ops_compile_options(ALL OPTIONS ${words})\n${generated}`
    : `${generated}\nnpu_op_kernel_options(${target} ALL OPTIONS ${words})\n`
}

/** Is this one folder, and nothing else, to CMake, to a shell and to a list of folders? */
export const isPlainFolder = (path: string): boolean => /^[\w./+@-]*$/.test(path)

/** Include folders of a candidate as options: those in its kernel folder, which lies elsewhere when it is built. */
export const includeOptions = (includes: readonly string[], kernelDir: string): string[] =>
  includes.flatMap((folder) => {
    const place = resolve(folder)
    if (place === kernelDir) return ['-I${CMAKE_CURRENT_SOURCE_DIR}']
    const inside = place.slice(kernelDir.length + 1)
    return place.startsWith(`${kernelDir}/`) && isPlainFolder(inside)
      ? [`-I\${CMAKE_CURRENT_SOURCE_DIR}/${inside}`]
      : []
  })
