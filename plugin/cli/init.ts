import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { makeFolder } from '../files/index.ts'
import { textOfLines } from '../ledger/table.ts'
import { repositoryAround } from '../candidates/project.ts'
import { dtypes, neutralText, snakeCase, type BuildArgs, type DType } from '../model/index.ts'
import { describeProject, type RegisteredOperators } from '../targets/emulator.ts'
import { resolveOptions } from '../vitest/options.ts'
import { judging, quote as quoteWord } from '../vitest/reproduce.ts'
import { onlyName, parseCommand, tasksOption } from './command.ts'
import { messageOf, UserError } from './user-error.ts'

type Operator = RegisteredOperators['operators'][number]
type Parameter = Operator['inputs'][number]

const usage = `Usage: vitest-npu init <folder>

Compiles and loads op_host/ of an operator project, confined as candidates are, and writes a spec for what its OpDef registers:
inputs, outputs, dtypes and attributes. Shapes, draws, tolerance and golden are left to you. Nothing that is there is overwritten.

  --tasks <folder>   where the spec is written; tasks
  --help, --version

  npx vitest-npu init ~/ops/AddCustom
`

/** `init`: reads the OpDef of an operator project, and writes a spec whose golden is still to be written. */
export async function initCommand(args: readonly string[]): Promise<void> {
  const parsed = parseCommand('init', usage, args, tasksOption)
  if (!parsed) return
  const { values, positionals } = parsed
  await scaffold(onlyName('init', positionals, 'the folder of an operator project'), values.tasks)
}

async function scaffold(given: string, tasks = 'tasks'): Promise<void> {
  const root = resolve(given)
  const [kernelDir, hostDir] = [join(root, 'op_kernel'), join(root, 'op_host')]
  for (const folder of [kernelDir, hostDir])
    if (!existsSync(folder))
      throw new UserError(`init: ${given} has no ${basename(folder)}: name the folder of an operator project`)
  const { operators } = await operatorsOf(root)
  if (operators.length === 0)
    throw new UserError(`init: ${given}/op_host registers no operator: it needs an OpDef, and OP_ADD(<Name>)`)
  for (const operator of operators) {
    checkNames(operator)
    const file = join(tasks, `${fileName(operator.name)}.spec.ts`)
    if (existsSync(file))
      throw new UserError(`init: ${file} is there already: remove it, or give another folder by --tasks`)
    makeFolder(dirname(file))
    writeFileSync(file, specOf(operator, kernelIn(kernelDir) ?? snakeCase(operator.name), file))
    console.log(`${file}: write its golden, and check shapes, draws and tolerance`)
    if (basename(root) === operator.name)
      console.log(textOfLines([`${judging(relative('.', dirname(root)) || '.')} ${quoteWord(file)}`]))
    else console.log(`its candidates lie in candidates/${operator.name}/op_kernel and op_host`)
  }
}

async function operatorsOf(root: string): Promise<RegisteredOperators> {
  const name = basename(root)
  const { cacheDir, soc, cann, allowWeakConfinement } = resolveOptions({}, process.env)
  const around = repositoryAround(root)
  const sample = {
    task: name,
    name,
    root,
    kernelDir: join(root, 'op_kernel'),
    hostDir: join(root, 'op_host'),
    cmakeLists: [],
    ...(around !== undefined && { repository: around }),
  }
  const task: BuildArgs['task'] = {
    name,
    kernel: '',
    suite: 'own',
    group: null,
    category: '',
    inputs: [],
    outputs: [],
    attrs: [],
  }
  const options = {
    cacheDir: resolve(cacheDir),
    soc,
    cann,
    jobs: 2,
    allowWeakConfinement,
    onProgress: (line: string) => console.error(line),
  }
  try {
    return await describeProject(options, { sample, task, combinations: [] })
  } catch (error) {
    throw new UserError(neutralText(`init: the host part cannot be read: ${messageOf(error)}`))
  }
}

/** Names become those of files and of code. */
function checkNames({ name, inputs, outputs, attrs }: Operator): void {
  const bad = [name, ...[...inputs, ...outputs, ...attrs].map((each) => each.name)].find(
    (each) => !/^[A-Za-z_]\w*$/.test(each) || each === '__proto__',
  )
  if (bad !== undefined)
    throw new UserError(
      `init: the OpDef has the name ${neutralText(JSON.stringify(bad))}: names are letters, digits and _`,
    )
}

const fileName = (name: string): string => snakeCase(name).replaceAll('_', '-')

/** Sources of kernels are small. */
const maxBytes = 1 << 20

/** The symbol of the kernel, where one file defines one. */
function kernelIn(folder: string): string | undefined {
  const files = readdirSync(folder, { withFileTypes: true }).filter(
    (entry) => entry.isFile() && entry.name.endsWith('.cpp'),
  )
  const names = files.flatMap(({ name }) => {
    const text = readFileSync(join(folder, name), 'utf8').slice(0, maxBytes)
    return [...text.matchAll(/__global__(?:\s+__(?!global__)\w+__){0,8}\s+void\s+(?:__\w+__\s+){0,8}(\w+)\s*\(/g)].map(
      ([, symbol = '']) => symbol,
    )
  })
  return names.length === 1 ? names[0] : undefined
}

/** The columns that differ in dtypes: of those that differ in formats alone a task has one. */
function columnsOf({ inputs, outputs }: Operator): number[] {
  const all = [...inputs, ...outputs]
  const keys = (inputs[0]?.dtypes ?? []).map((_, i) => JSON.stringify(all.map((each) => each.dtypes[i])))
  return keys.flatMap((key, i) => (keys.indexOf(key) === i ? [i] : []))
}

const isDType = (name: string | undefined): name is DType => name !== undefined && Object.hasOwn(dtypes, name)

const quote = (text: string): string => `'${text.replaceAll(/[\\']/g, String.raw`\$&`)}'`

function drawOf(types: readonly string[]): string {
  const draws: Record<string, string> = { bool: 'bool()', int: 'randint(0, 100)', float: 'normal(0, 1)' }
  const known = [...new Set(types)].filter(isDType)
  const kinds = [...new Set(known.map((name) => dtypes[name].kind))]
  if (kinds.length <= 1) return draws[kinds[0] ?? 'float'] ?? 'normal(0, 1)'
  const others = known.filter((name) => dtypes[name].kind !== 'float')
  const byType = others.map((name) => `${name}: ${draws[dtypes[name].kind] ?? 'normal(0, 1)'}`)
  return `byDtype(normal(0, 1), { ${byType.join(', ')} })`
}

function argument(
  { name, paramType, dtypes: all }: Parameter,
  columns: readonly number[],
  isOutput: boolean,
  aliases: boolean,
  own: { shape: string; length: string },
): string {
  const types = columns.map((column) => all[column] ?? '')
  const unknown = types.find((type) => !isDType(type))
  if (unknown !== undefined)
    throw new UserError(
      `init: parameter ${name} has the dtype ${neutralText(unknown)}, which no task can have; there are ${Object.keys(dtypes).join(', ')}`,
    )
  const first = types[0] ?? 'float32'
  const dtype = types.every((type) => type === first) ? quote(first) : `[${types.map(quote).join(', ')}]`
  const options = [
    `dtype: ${dtype}`,
    `shape: ['...${own.shape}']`,
    ...(paramType === 'dynamic' ? [`length: ${quote(own.length)}`] : []),
    ...(isOutput ? [] : [`draw: ${drawOf(types)}`]),
    ...(paramType === 'optional' ? ['optional: true'] : []),
    ...(aliases ? [`aliases: ${quote(name)}`] : []),
  ]
  return `    ${name}: ${paramType === 'dynamic' ? 'tensorList' : 'tensor'}({ ${options.join(', ')} }),`
}

/** Attributes by what an OpDef calls them: the builder, a value, and how values are generated. */
const attributes: Record<string, { builder: string; value: string; arbitrary: string }> = {
  int: { builder: 'int', value: '1', arbitrary: 'fc.constantFrom(1)' },
  float: { builder: 'float', value: '1', arbitrary: 'fc.constantFrom(1)' },
  bool: { builder: 'bool', value: 'false', arbitrary: 'fc.boolean()' },
  string: { builder: 'string', value: `''`, arbitrary: `fc.constantFrom('')` },
  listInt: { builder: 'listInt', value: '[1]', arbitrary: 'fc.constantFrom([1])' },
  listFloat: { builder: 'listFloat', value: '[1]', arbitrary: 'fc.constantFrom([1])' },
}

function specOf(operator: Operator, kernel: string, file: string): string {
  const { name, inputs, outputs, attrs } = operator
  const columns = columnsOf(operator)
  const known = attrs.map(({ name: attribute, type, required }) => {
    const found = attributes[type]
    if (!found)
      throw new UserError(
        `init: attribute ${neutralText(attribute)} is of type ${neutralText(type)}, which no task can have`,
      )
    return { name: attribute, required, ...found }
  })
  const isDynamic = [...inputs, ...outputs].some(({ paramType }) => paramType === 'dynamic')
  const isExact = outputs.every(({ dtypes: all }) => columns.every((column) => !/float/.test(all[column] ?? '')))
  const strict = isExact ? 'exact' : 'float32Roundings(2)'
  const given = known.filter(({ name: attribute, required }) => required && attribute !== 'dtype')
  // one field of a row gives both: the column of the dtypes, and an attribute of that name
  const ofColumn = known.find((each) => each.name === 'dtype')
  if (ofColumn && ofColumn.builder !== 'int')
    throw new UserError('init: the attribute dtype is no int: a row of a spec has the column of its dtypes there')
  const free = (wanted: string): string => (given.some((each) => each.name === wanted) ? free(`${wanted}_`) : wanted)
  const own = { shape: free('s'), length: free('n') }
  const { shape, length } = own
  const values = [...(isDynamic ? [`${length}: 2`] : []), ...given.map((each) => `${each.name}: ${each.value}`)]
  const rows = columns.map((_, i) => `    { ${[`${shape}: [32, 64]`, `dtype: ${i}`, ...values].join(', ')} },`)
  const lines = [
    `kernelSuite(${quote(name)}, {`,
    `  category: 'Own',`,
    `  kernel: ${quote(kernel)},`,
    `  // description: what it computes in words, with its formula: prompts for models hold it`,
    '  // the OpDef says no shapes: here all arguments have the same',
    '  inputs: {',
    ...inputs.map((each) => argument(each, columns, false, false, own)),
    '  },',
    '  outputs: {',
    ...outputs.map((each) =>
      argument(
        each,
        columns,
        true,
        inputs.some((input) => input.name === each.name),
        own,
      ),
    ),
    '  },',
    ...(known.length === 0
      ? []
      : [
          '  attrs: {',
          ...known.map(
            (each) =>
              `    ${each.name}: attr.${each.builder}(${each.required ? '),' : `${each.value}), // write the default of the OpDef here`}`,
          ),
          '  },',
        ]),
    '  golden: () => {',
    `    throw new Error(${quote(`write the golden of ${name} in ${file}`)})`,
    '  },',
    '  domain: {',
    `    ${shape}: dim.list({ min: 1, max: 4 }),`,
    ...(isDynamic ? [`    ${length}: dim({ max: 4 }),`] : []),
    ...given.map((each) => `    ${each.name}: ${each.arbitrary},`),
    ...(ofColumn ? [`    dtype: fc.nat({ max: ${columns.length - 1} }),`] : []),
    '  },',
    `  // derive it from the arithmetic: how far may a right kernel be from golden?`,
    `  strict: ${strict},`,
    '  cases: [',
    ...rows,
    '  ],',
    '})',
  ].join('\n')
  const candidates = [
    'attr',
    'bool',
    'byDtype',
    'dim',
    'exact',
    'float32Roundings',
    'kernelSuite',
    'normal',
    'randint',
    'tensor',
    'tensorList',
  ]
  const code = lines.replace(/attr\.\w+/g, 'attr')
  const used = candidates.filter((each) => new RegExp(`\\b${each}\\b(?=[(.]|,$)`, 'm').test(code))
  const fastCheck = /\bfc\./.test(lines) ? `import * as fc from 'fast-check'\n` : ''
  return `${fastCheck}import { ${used.join(', ')} } from 'vitest-npu'\n\n${lines}\n`
}
