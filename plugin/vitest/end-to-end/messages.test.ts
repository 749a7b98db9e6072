import { afterAll, beforeAll, expect, test } from 'vitest'
import { Project, timeout } from './project.ts'

const project = new Project()
beforeAll(() => {
  project.spec('Hazard')
  project.candidate('Hazard', 'hazard')
  project.write('candidates/Hazard/other/op_kernel/kernel.cpp', '// mode: right\n')
  project.spec('Near', 'strict: () => ({ absolute: 0, relative: 1e-9 }),')
  project.candidate('Near', 'near')
  project.config('{ fuzzRuns: 0 }')
})
afterAll(() => project.remove())

const samples = ['candidates', 'other']

test.each(['default', 'verbose', 'tree', 'dot', 'junit', 'json'])(
  'the %s reporter names the sample of each test that it lists',
  async (reporter) => {
    const { stdout, stderr } = await project.run(['hazard.spec', `--reporter=${reporter}`])
    // of dots there is a list of failures alone
    const listed = reporter === 'dot' ? stderr : stdout
    const passing = reporter === 'dot' ? [] : ['static 2', 'compiles', 'latency']
    for (const title of ['static 0', ...passing])
      for (const sample of reporter === 'dot' ? ['candidates'] : samples) {
        const [between, whole] = { json: ['",', ''], tree: [' \\(', ''] }[reporter] ?? [' (?:>|&gt;) ', '']
        expect(listed.replaceAll('\n', ' '), `${sample} ${title}`).toMatch(
          new RegExp(`\\b${sample}${between}.*${title}${whole}`),
        )
      }
  },
  timeout,
)

test(
  'one defect is one block, also where tests are retried, and GitHub is led to the kernel',
  async () => {
    const env = { GITHUB_ACTIONS: 'true' }
    const { stdout, stderr } = await project.run(['hazard.spec', '--reporter=default', '--retry=2'], env)
    expect(stderr.match(/^hazard: /gm)).toHaveLength(1)
    expect(stderr.match(/ FAIL .* > static 0: /g)).toHaveLength(1)
    expect(stderr).not.toContain('kernelSuite(')
    expect(stderr).toContain('>     2| __global__ void twice() {}')
    const annotations = stdout.match(/^::error .*$/gm) ?? []
    expect(annotations).toHaveLength(1)
    expect(annotations[0]).toMatch(
      /^::error file=\S+\/candidates\/Hazard\/op_kernel\/kernel\.cpp,line=2,title=Hazard › candidates%3A static 0.*::hazard: error ErrorSync1/,
    )
  },
  timeout,
)

test(
  'what strict rejects and others accept is said with the failure',
  async () => {
    const { stderr } = await project.run(['near.spec'])
    expect(stderr).toBe('')
    project.config(`{ fuzzRuns: 0, profile: 'strict' }`)
    const strict = await project.run(['near.spec'])
    expect(strict.stderr).toMatch(
      /outside strict tolerance.*\n(?: {2}also .*\n)* {2}accepted under standard and benchmark tolerance\n/,
    )
  },
  timeout,
)

test(
  'a second suite of a name in one file is the error of the spec',
  async () => {
    project.spec('Near', `})\nkernelSuite('Near', { category: 'Math', golden: () => ({}), cases: [],`)
    const { stderr, exitCode } = await project.run(['near.spec'])
    expect(exitCode).not.toBe(0)
    expect(stderr).toContain("a second kernelSuite('Near', …) in one file: give it another name")
  },
  timeout,
)

const nested = (factor: number): string => `kernelSuite('Nested', {
  category: 'Math', kernel: 'twice',
  inputs: { x: tensor({ dtype: 'float32', shape: ['n'], draw: uniform(0.5, 1) }) },
  outputs: { y: tensor.like('x') },
  golden: ({ x }) => ({ y: { values: Float64Array.from(x.data as Float32Array, (v) => ${factor} * v) } }),
  domain: { n: dim({ max: 8 }) }, strict: exact, cases: [{ n: 8 }],
})`

test(
  'so is one below another describe, and nobody waits for its samples',
  async () => {
    project.write(
      'tasks/level1/math/nested.spec.ts',
      `import { describe } from 'vitest'
      import { dim, exact, kernelSuite, tensor, uniform } from 'vitest-npu'
      describe('twice', () => ${nested(2)})
      describe('more', () => describe('three times', () => ${nested(3)}))\n`,
    )
    for (const sample of ['a', 'b']) project.candidate(`Nested/${sample}`, 'right')
    const { stderr, exitCode } = await project.run(['nested.spec'], { FAKE_ALIKE: '1' })
    expect(exitCode).not.toBe(0)
    expect(stderr).toContain("a second kernelSuite('Nested', …) in one file: give it another name")
    const failed = project.ledger().filter(({ verdict }) => verdict.kind !== 'correct')
    expect(failed.map(({ case: title, verdict }) => `${title}: ${verdict.kind}`)).toEqual(['is a task: infrastructure'])
  },
  timeout,
)
