import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Project, timeout, type Result } from './project.ts'

const byName = ([one = '']: (string | undefined)[], [other = '']: (string | undefined)[]): number =>
  one < other ? -1 : 1

/** A kernel that is defined in line 3. */
const kernel = (mode: string): string =>
  `// mode: ${mode}\n// more\nextern "C" __global__ __aicore__ void twice(GM_ADDR x)\n{\n}\n`

describe('what a run tells CI', () => {
  const project = new Project()
  const read = (name: string): string => readFileSync(join(project.folder, name), 'utf8')
  let result: Result

  beforeAll(async () => {
    for (const [operator, mode] of [
      ['Right', 'right'],
      ['Tail', 'tail'],
      ['Hang', 'hang'],
    ] as const) {
      project.spec(operator)
      project.write(`candidates/${operator}/op_kernel/kernel.cpp`, kernel(mode))
    }
    for (const operator of ['Broken', 'Hazard']) {
      project.spec(operator)
      project.candidate(operator, operator.toLowerCase())
    }
    project.config("{ gate: { minCorrect: 0.9, failures: 'gate' } }")
    result = await project.run(['--reporter=github-actions', '--reporter=junit', '--outputFile.junit=junit.xml'], {
      GITHUB_ACTIONS: 'true',
      GITHUB_WORKSPACE: project.folder,
      GITHUB_STEP_SUMMARY: join(project.folder, 'summary.md'),
    })
  }, timeout)
  afterAll(() => project.remove())

  const annotations = (operator: string): string[] =>
    result.stdout
      .split('\n')
      .filter((line) => line.startsWith(`::error file=${join(project.folder, 'candidates', operator)}/`))

  test.each([
    ['a build error, at its line', 'Broken', 3, 'compile-failed'],
    ['a report of the device, at its line', 'Hazard', 2, 'hazard'],
    ['wrong values, at the kernel', 'Tail', 3, 'wrong-value'],
    ['a kernel that does not end, at the kernel', 'Hang', 3, 'timeout'],
  ])('annotates %s', (_, operator, line, kind) => {
    const own = annotations(operator)
    expect(own.length, result.stdout).toBeGreaterThan(0)
    for (const command of own) {
      expect(command).toMatch(new RegExp(`^::error file=[^,]*candidates/${operator}/op_kernel/kernel\\.cpp,`))
      expect(command).toContain(`,line=${line},title=${operator} › candidates%3A `)
      expect(command).toContain(`::${kind}: `)
    }
    // one for a line and kind of failure, however many tests
    expect(own).toHaveLength(1)
  })

  test('annotates no right candidate', () => {
    expect(annotations('Right')).toEqual([])
    expect(annotations('Tail')[0]).toContain('%0Aand 1 more of its tests')
  })

  test('the job summary has the table, the gate and the failures', () => {
    const text = read('summary.md')
    expect(text).toMatch(/^\| level1 \| 5 \| 5 \| 80\.0% \|/m)
    expect(text).toContain('❌ **gate: 1 rule does not hold**')
    expect(text).toMatch(/^\| Broken › candidates \| compiles \| compile-failed \|/m)
    expect(text).toMatch(/^\| Tail › candidates \| static 2: .* \| wrong-value \|/m)
    expect(text).not.toContain('| Right')
    expect(result.exitCode).toBe(2)
  })

  test('JUnit has a suite for each spec and a case for each test, by the names of task and sample', () => {
    const text = read('junit.xml')
    const suites = [...text.matchAll(/<testsuite name="([^"]*)"[^>]* tests="(\d+)" failures="(\d+)"/g)]
    expect(suites.map(([, name, tests, failures]) => [name, tests, failures]).sort(byName)).toEqual([
      ['tasks/level1/math/broken.spec.ts', '6', '1'],
      ['tasks/level1/math/hang.spec.ts', '6', '1'],
      ['tasks/level1/math/hazard.spec.ts', '6', '4'],
      ['tasks/level1/math/right.spec.ts', '6', '0'],
      ['tasks/level1/math/tail.spec.ts', '6', '2'],
    ])
    expect(text).toMatch(
      /<testcase classname="tasks\/level1\/math\/tail\.spec\.ts" name="Tail &gt; candidates &gt; static 2: x float32\[100\][^"]*"/,
    )
    expect(text).toMatch(/<failure message="[^"]*y: [^"]*" type="wrong-value">/)
  })
})
