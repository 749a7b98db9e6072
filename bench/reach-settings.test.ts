import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { resolveOptions } from '../plugin/vitest/options.ts'
import { settingsOf } from './reach-settings.ts'

test('a run leaves nothing among the runs of the repository', () => {
  const repository = '/repository'
  const folder = join(repository, '.npu/reach-1')
  const options = resolveOptions(settingsOf(repository, folder, 'blind', { seed: 1, elements: 8 }), {})
  for (const name of ['runs', 'ledger', 'corpus'] as const)
    expect(resolve(repository, options[name]).startsWith(`${folder}/`), name).toBe(true)
})
