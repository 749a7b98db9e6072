import { expect, test, vi } from 'vitest'
import type { DescribeAnswer, Reply } from '../runner/protocol.ts'
import { describeLibrary, type DescribeHost } from './host.ts'

const died = (signal: string): Reply<DescribeAnswer> => ({
  ok: false,
  failure: { kind: 'died', signal, exitCode: null },
  log: '',
})
const result: DescribeAnswer = { operators: [], tilingStructs: [], tilingClasses: [] }
const answered: Reply<DescribeAnswer> = { ok: true, result, log: '' }

/** A host library of which this is said, one after the other. */
function describing(...replies: Reply<DescribeAnswer>[]) {
  const describe = vi.fn<DescribeHost>()
  for (const reply of replies) describe.mockResolvedValueOnce(reply)
  return describe
}

test('a library whose process was killed is asked once more', async () => {
  expect(await describeLibrary(describing(died('SIGKILL'), answered), 'host.so')).toBe(result)
  expect(await describeLibrary(describing(answered), 'host.so')).toBe(result)
})

test.each([
  ['SIGKILL', false],
  ['SIGSEGV', true],
])('that %s ends a library twice is the same on every machine: %s', async (signal, lasting) => {
  const describe = describing(died('SIGKILL'), died(signal))
  const message = `the host library crashed (${signal}) while it was loaded`
  await expect(describeLibrary(describe, 'host.so')).rejects.toMatchObject({ message, lasting })
  expect(describe).toHaveBeenCalledTimes(2)
})
