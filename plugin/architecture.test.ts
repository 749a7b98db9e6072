import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cruise, type ICruiseResult, type IForbiddenRuleType } from 'dependency-cruiser'
import { beforeAll, expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const document = readFileSync(new URL('../docs/architecture.md', import.meta.url), 'utf8')

interface Folder {
  /** as paths of the repository begin, e.g. `plugin/model/` */
  path: string
  /** paths of the folders that it may import */
  imports: string[]
}

/** `model` is a folder of the plugin, `bench` one beside it. */
function pathOf(name: string): string {
  if (name === 'index') return 'plugin/'
  return existsSync(join(root, 'plugin', name)) ? `plugin/${name}/` : `${name}/`
}

const everything = 'all above'
const lines = (/^```imports\n(.*?)^```/ms.exec(document)?.[1] ?? '').trim().split('\n')
const table = lines.map((line) => line.split(' <- ').map((part) => part.trim()))

const folders: Folder[] = table.map(([name = '', imports = ''], index) => {
  const names = imports === everything ? table.slice(0, index).map(([above = '']) => above) : imports.split(' ')
  return { path: pathOf(name), imports: names.filter((each) => each !== '').map(pathOf) }
})

const tops = [...new Set(folders.map(({ path }) => path.split('/')[0] ?? ''))]

/** Matches the files of a folder; those of `plugin/` itself are in none of its folders. */
const filesOf = (path: string): string => (path === 'plugin/' ? '^plugin/[^/]+$' : `^${path}`)

const folderOf = (file: string): string | undefined =>
  folders.find(({ path }) => new RegExp(filesOf(path)).test(file))?.path

const forbidden: IForbiddenRuleType[] = [
  { name: 'no file imports itself by way of others', severity: 'error', from: {}, to: { circular: true } },
  {
    name: 'every folder has a line in docs/architecture.md',
    severity: 'error',
    from: { pathNot: folders.map(({ path }) => filesOf(path)) },
    to: {},
  },
  ...folders.map(({ path, imports }): IForbiddenRuleType => {
    const allowed = [path, ...imports].map(filesOf)
    const name = `${path} imports ${imports.join(', ') || 'no other folder'}`
    const to = { path: tops.map((top) => `^${top}/`), pathNot: allowed }
    return { name, severity: 'error', from: { path: filesOf(path) }, to }
  }),
]

let result: ICruiseResult

beforeAll(async () => {
  const { output } = await cruise(tops, {
    baseDir: root,
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: String.raw`\.test(?:-d)?\.ts$|^dist/` },
    validate: true,
    ruleSet: { forbidden },
  })
  if (typeof output === 'string') throw new Error(output)
  result = output
  // a loaded machine takes its time
}, 60_000)

test('folders import only those that stand above them', () => {
  expect(folders.length).toBeGreaterThan(20)
  const wrong = folders.flatMap(({ path, imports }, index) => {
    const above = folders.slice(0, index).map((folder) => folder.path)
    return imports.filter((each) => !above.includes(each)).map((each) => `${path} imports ${each}`)
  })
  expect(wrong).toEqual([])
})

test('no import goes another way than the document says', () => {
  expect(result.summary.totalCruised).toBeGreaterThan(300)
  const told = result.summary.violations.map(({ rule, from, to, cycle }) =>
    [`${rule.name}:`, from, ...(cycle?.map(({ name }) => name) ?? [to])].join(' '),
  )
  expect(told).toEqual([])
})

test('the document names no import that is not there', () => {
  const used = new Set(
    result.modules.flatMap(({ source, dependencies }) =>
      dependencies.map(({ resolved }) => `${folderOf(source)} imports ${folderOf(resolved)}`),
    ),
  )
  const listed = folders.filter((_, index) => table[index]?.[1] !== everything)
  const named = listed.flatMap(({ path, imports }) => imports.map((each) => `${path} imports ${each}`))
  expect(named.filter((arrow) => !used.has(arrow))).toEqual([])
})
