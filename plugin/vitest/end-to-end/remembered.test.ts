import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { cacheFolderOf } from '../../cache/cache.ts'
import { Project, timeout, type Result } from './project.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const template = join(root, 'compat/project')

/** How many cases each operator of the last run owes to an earlier one. */
const rememberedBy = (project: Project): Record<string, number> => {
  const sums: Record<string, number> = {}
  for (const { task, stage, remembered = 0 } of project.ledger())
    sums[task] = (sums[task] ?? 0) + (stage === 'latency' ? 0 : remembered)
  return sums
}

describe('with a device that counts its launches', () => {
  const project = new Project()
  const launches = join(project.folder, 'launches')
  const remembered = join(project.folder, 'remembered')

  /** The launches of a run, by the mode of the candidate. */
  const run = async (env: Record<string, string> = {}): Promise<{ result: Result; launched: string[] }> => {
    rmSync(launches, { force: true })
    const variables = { FAKE_LAUNCHES: launches, FAKE_REMEMBERED: remembered, NPU_SEED: '', ...env }
    const result = await project.run(['--reporter=verbose'], variables)
    const launched = existsSync(launches) ? readFileSync(launches, 'utf8').trim().split('\n') : []
    return { result, launched }
  }

  beforeAll(async () => {
    for (const [operator, mode] of [
      ['Right', 'right'],
      ['Warn', 'warn'],
      ['Tail', 'tail'],
      ['Throws', 'trap'],
    ] as const) {
      project.spec(operator)
      project.candidate(operator, mode)
    }
    project.config(`{ baseline: 'candidates' }`)
    const { result, launched } = await run()
    expect(launched.length).toBeGreaterThan(25)
    expect(result.stdout).not.toContain('remembered')
  }, timeout)
  afterAll(() => project.remove())

  test(
    'a second run launches only what was not right, and comes to the same',
    async () => {
      const { result, launched } = await run()
      expect(new Set(launched)).toEqual(new Set(['tail', 'trap']))
      // of the operator that leaves a tail out, two of three static cases are right
      expect(rememberedBy(project)).toEqual({ Right: 23, Warn: 23, Tail: 2, Throws: 0 })
      expect(result.stdout).toMatch(
        /48 of \d+ verdicts are remembered from earlier runs or of the same sources; NPU_REMEMBER=0/,
      )
      expect(result.stdout).toMatch(/level1 +4 +4 +100\.0% +75\.0% +50\.0% +2 +0 +0 +50\.0% +\S+ +1\.00x/)
    },
    timeout,
  )

  test(
    'what is remembered has the seed, the latency and the warnings of the run that judged it',
    async () => {
      const before = project.ledger().filter(({ task, stage }) => task === 'Warn' && stage === 'latency')
      const { result } = await run()
      const after = project.ledger().filter(({ task, stage }) => task === 'Warn' && stage === 'latency')
      // all but when it was asked for
      expect(after).toEqual(before.map((entry) => ({ ...entry, time: expect.any(String), ms: expect.any(Number) })))
      expect(after[0]).toMatchObject({ latency: { mean: 2000 }, speedup: 1 })
      const seeds = new Set(project.ledger().map(({ task, seed }) => `${task} ${seed}`))
      // compiling is answered by every run anew
      expect([...seeds].filter((text) => text.startsWith('Warn '))).toHaveLength(2)
      expect(result.stdout).toContain('the device warns')
    },
    timeout,
  )

  test(
    'who names another seed, or asks for it, has everything judged afresh',
    async () => {
      for (const env of [{ NPU_SEED: '11' }, { NPU_REMEMBER: '0' }]) {
        const { launched } = await run(env)
        expect(launched.filter((mode) => mode === 'right').length, JSON.stringify(env)).toBeGreaterThanOrEqual(23)
        expect(rememberedBy(project)).toEqual({ Right: 0, Warn: 0, Tail: 0, Throws: 0 })
      }
      await run({ NPU_SEED: '11' })
      expect(rememberedBy(project)).toMatchObject({ Right: 23, Warn: 23, Tail: 2 })
    },
    timeout,
  )

  test(
    'a search with or without narrow devices, guided or not, is not that of another setting',
    async () => {
      for (const change of ['narrowDevices: false', 'guided: false']) {
        project.config(`{ baseline: 'candidates', ${change} }`)
        const { launched } = await run()
        expect(launched.filter((mode) => mode === 'right').length, change).toBeGreaterThanOrEqual(20)
        expect(rememberedBy(project)).toMatchObject({ Right: 3, Warn: 3 })
      }
      project.config(`{ baseline: 'candidates' }`)
      expect((await run()).launched).not.toContain('right')
    },
    timeout,
  )

  test(
    'damaged files are judged again and mended',
    async () => {
      for (const name of readdirSync(remembered)) writeFileSync(join(remembered, name), '{"seed":1}\n\0')
      expect((await run()).launched.filter((mode) => mode === 'right').length).toBeGreaterThanOrEqual(23)
      expect((await run()).launched.filter((mode) => mode === 'right')).toEqual([])
    },
    timeout,
  )
})

/** A kept case, which reaches all that draws do. */
const known = {
  task: 'Blocks',
  name: 'generated',
  combination: 0,
  inputs: { x: { dtype: 'float32', shape: [65_536] } },
  outputs: { y: { dtype: 'float32', shape: [65_536] } },
  attrs: {},
  seed: 1,
}

const keptSearch = z.object({
  generated: z.int(),
  reached: z.string(),
  course: z.object({ draws: z.array(z.string()), opening: z.array(z.string()), reached: z.string() }),
})
type KeptSearch = z.infer<typeof keptSearch>

test(
  'a search that its time has cut short goes on as it would have, whatever kept cases have reached',
  async () => {
    const project = new Project()
    project.spec('Blocks')
    project.candidate('Blocks', 'blocks')
    project.write('.npu/corpus/npukernelbench/Blocks.json', JSON.stringify([known]))
    /** The searches that are remembered after a run, the last one last. */
    const searchesAfter = async (folder: string, fuzzBudgetMs: number): Promise<KeptSearch[]> => {
      project.config(`{ fuzzRuns: 40, fuzzBudgetMs: ${fuzzBudgetMs} }`)
      const remembered = join(project.folder, folder)
      const { stdout, stderr } = await project.run([], { FAKE_REMEMBERED: remembered, NPU_SEED: '4' })
      const [file] = existsSync(remembered) ? readdirSync(remembered) : []
      expect(file, stdout + stderr).toBeDefined()
      const [generated] = project.ledger().filter(({ stage }) => stage === 'generated')
      const isCut = generated!.runs! < 40
      expect(generated!.cutShort).toBe(isCut || undefined)
      const note = `the time budget (fuzzBudgetMs) has ended the generated cases of 1 sample early, none of which had failed: Blocks › candidates (${generated!.runs} judged)`
      expect((stdout + stderr).includes(note)).toBe(isCut)
      return readFileSync(join(remembered, file!), 'utf8').split('\n').flatMap(searchIn)
    }
    try {
      const whole = (await searchesAfter('at-once', 60_000)).at(-1)!
      expect(whole.generated).toBe(40)
      expect(whole.course.reached).not.toBe(whole.reached)
      const first = (await searchesAfter('by-and-by', 200)).at(-1)!
      expect(first.generated).toBeLessThan(whole.generated)
      const rest = (await searchesAfter('by-and-by', 60_000)).at(-1)!
      expect(rest.generated).toBe(40)
      expect(rest.course.opening.length).toBeGreaterThan(first.course.opening.length)
      expect(rest.course).toEqual(whole.course)
    } finally {
      project.remove()
    }
  },
  2 * timeout,
)

/** The search in a line of what is remembered, if it holds one. */
function searchIn(line: string): KeptSearch[] {
  // after its key and its checksum
  const [text] = /\{.*/.exec(line) ?? []
  return text === undefined ? [] : (keptSearch.array().safeParse([JSON.parse(text)]).data ?? [])
}

const snake = (name: string): string => name.replace(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase()
const specOf = (name: string): string => `tasks/level1/math/${name.toLowerCase()}.spec.ts`
const kernelOf = (name: string): string => `candidates/${name}/op_kernel/scale_custom.cpp`
const hostOf = (name: string): string => `candidates/${name}/op_host/scale_custom.cpp`

/** The first run on a machine builds the emulator. */
const buildLimitMs = 900_000

describe('with the emulator', () => {
  const project = new Project(buildLimitMs)
  const environment = { NPU_CACHE_DIR: cacheFolderOf(root), NPU_SEED: '', NPU_FUZZ_RUNS: '2' }

  const operators = ['ScaleKernel', 'ScaleHost', 'ScaleGolden', 'ScaleTolerance', 'ScaleReads', 'ScaleSame']
  const inProject = (path: string): string => readFileSync(join(project.folder, path), 'utf8')

  function edit(path: string, from: string, to: string): void {
    const text = inProject(path)
    expect(text).toContain(from)
    project.write(path, text.replace(from, to))
  }

  const config = (options: string): void =>
    project.write(
      'vitest.config.ts',
      `import { npuKernels } from 'vitest-npu/plugin'\nexport default { plugins: [npuKernels(${options})] }\n`,
    )

  async function remembered(env: Record<string, string> = {}): Promise<Record<string, number>> {
    const { exitCode, stdout, stderr } = await project.run([], { ...environment, ...env })
    expect(exitCode, stdout + stderr).toBe(0)
    return rememberedBy(project)
  }

  const all = (cases: number): Record<string, number> => Object.fromEntries(operators.map((name) => [name, cases]))

  beforeAll(async () => {
    for (const name of operators) {
      cpSync(join(template, 'candidates/ScaleCustom'), join(project.folder, 'candidates', name), { recursive: true })
      for (const path of [kernelOf(name), hostOf(name), `candidates/${name}/op_host/scale_custom_tiling.h`])
        project.write(
          path,
          inProject(path)
            .replaceAll('ScaleCustom', name)
            .replaceAll('scale_custom(', `${snake(name)}(`),
        )
      const spec = readFileSync(join(template, 'tasks/level1/math/scale-custom.spec.ts'), 'utf8')
      project.write(specOf(name), spec.replace('ScaleCustom', name).replace('scale_custom', snake(name)))
    }
    project.write('tasks/golden.ts', 'export const times = (x: number, y: number): number => x * y\n')
    edit(specOf('ScaleGolden'), 'value * Math.fround(factor)', 'times(value, Math.fround(factor))')
    edit(specOf('ScaleGolden'), 'import', "import { times } from '../../golden.ts'\nimport")
    edit(specOf('ScaleReads'), 'import', "import { existsSync } from 'node:fs'\nexistsSync('/')\nimport")
    config('{}')
    await remembered()
  }, buildLimitMs)
  afterAll(() => project.remove())

  // the cases of all dtypes together: three static ones and the generated ones
  const whole = { ...all(5), ScaleReads: 0 }

  test(
    'an unchanged tree is remembered, but for a spec that reads files',
    async () => {
      expect(await remembered()).toEqual(whole)
    },
    timeout,
  )

  test(
    'another SoC has everything judged again',
    async () => {
      expect(await remembered({ NPU_SOC: 'Ascend910B1' })).toEqual(all(0))
    },
    timeout,
  )

  test(
    'one character of a kernel, a host part, a golden reference or a tolerance has what it belongs to judged again',
    async () => {
      edit(kernelOf('ScaleKernel'), 'TILE = 2048', 'TILE = 1048')
      edit(hostOf('ScaleHost'), '#include', ' #include')
      edit('tasks/golden.ts', 'x * y', 'y * x')
      edit(specOf('ScaleTolerance'), 'float32Roundings(1)', 'float32Roundings(2)')
      expect(await remembered()).toEqual({ ...all(0), ScaleSame: 5 })
      expect(await remembered()).toEqual(whole)
    },
    2 * timeout,
  )
})
