import { describe, expect, test } from 'vitest'
import { packagedTasks, placeOf, suitesOf } from '../suites/index.ts'
import { projectConfigurations, projectsOf } from './projects.ts'

const inside = { name: 'inside', title: 'Inside', folder: 'tasks/inside', groups: ['level1', 'extra'] }
const whole = { name: 'whole', title: 'Whole', folder: 'elsewhere' }
const suites = suitesOf({ tasks: 'tasks', suites: [inside, whole] }, '/me')

describe('projects', () => {
  test('are named after the groups, after the suite where it has none, and after both where a name is taken', () => {
    expect(projectsOf(suites).map(({ name }) => name)).toEqual([
      'level1',
      'level2',
      'level3',
      'inside/level1',
      'extra',
      'whole',
      'own',
    ])
  })

  test('of the package alone are its three levels, and the other suites', () => {
    expect(projectsOf(suitesOf({ tasks: packagedTasks }, '/me')).map(({ name }) => name)).toEqual([
      'level1',
      'level2',
      'level3',
      'mkb',
      'mhc',
    ])
  })

  test('leave out candidates, whatever their files are called', () => {
    const [own, elsewhere] = ['/me/tasks/mine', '/me/candidates'].map((folder) =>
      JSON.stringify(projectConfigurations(suites, [folder]).at(-1)),
    )
    expect(own).toContain('"mine/**"')
    expect(elsewhere).not.toContain('candidates')
  })

  test('leave out what is of another project', () => {
    const own = projectConfigurations(suites).at(-1)
    expect(own).toMatchObject({
      test: {
        name: 'own',
        dir: '/me/tasks',
        include: ['**/*.spec.ts'],
        exclude: expect.arrayContaining([
          '**/node_modules/**',
          'level1/**',
          'inside/level1/**',
          'inside/extra/**',
        ]) as unknown,
      },
    })
  })
})

describe('a spec', () => {
  test.each([
    ['/me/tasks/level2/norm/a.spec.ts', 'npukernelbench', 'level2'],
    ['/me/tasks/inside/extra/a.spec.ts', 'inside', 'extra'],
    ['/me/tasks/inside/level1/a.spec.ts', 'inside', 'level1'],
    ['/me/elsewhere/deep/a.spec.ts', 'whole', null],
    ['/me/tasks/a.spec.ts', 'own', null],
    ['/me/tasks/level10/a.spec.ts', 'own', null],
    ['/me/src/a.spec.ts', 'own', null],
  ])('%s is of suite %s, group %s', (file, suite, group) => {
    expect(placeOf(file, suites)).toEqual({ suite, group })
  })
})
