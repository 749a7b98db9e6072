import { expect, test } from 'vitest'
import { z } from 'zod'
import { LineProcess } from './line-process.ts'
import { runProcess } from './run-process.ts'

/** This process does nothing else for so long. */
function block(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

/** Answers each line after some milliseconds by a text of a length. */
const program = (answerMs: number, length: number): string =>
  `process.stdin.on('data', () => setTimeout(() => process.stdout.write(JSON.stringify('x'.repeat(${length})) + '\\n'), ${answerMs}));
   console.log('"ready"')`

async function asked(answerMs: number, length: number, limitMs: number, blockedMs: number): Promise<string> {
  const child = new LineProcess(process.execPath, { name: 'it', args: ['-e', program(answerMs, length)], env: {} })
  try {
    await child.greeting(z.string(), 20_000)
    const answer = child.request('that', {}, z.string(), limitMs)
    // the request is written in the next turn
    await new Promise((resolve) => setImmediate(resolve))
    block(blockedMs)
    return await answer
  } finally {
    child.kill()
  }
}

test('an answer that came while this process was busy is read', async () => {
  expect(await asked(50, 10, 300, 900)).toHaveLength(10)
})

test('one that is longer than what a pipe holds as well', async () => {
  expect(await asked(50, 4 << 20, 300, 900)).toHaveLength(4 << 20)
})

test('no answer is none', async () => {
  await expect(asked(60_000, 10, 300, 900)).rejects.toThrow('it did not answer within 0.3 s')
})

test('a program that has ended while this process was busy is not late', async () => {
  const script = `setTimeout(() => { process.stdout.write('x'.repeat(1 << 19)) }, 50)`
  const done = runProcess([process.execPath, '-e', script], { timeoutMs: 600 })
  block(1500)
  expect(await done).toMatchObject({ timedOut: false, exitCode: 0, stdout: 'x'.repeat(1 << 19) })
})

test('one that has nothing to say is not late either', async () => {
  const done = runProcess(['/bin/true'], { timeoutMs: 100 })
  block(600)
  expect(await done).toMatchObject({ timedOut: false, exitCode: 0 })
})

test('a program that prints without end is late', async () => {
  const started = performance.now()
  const done = await runProcess(['/bin/sh', '-c', 'yes'], { timeoutMs: 300 })
  expect(done).toMatchObject({ timedOut: true, signal: 'SIGKILL' })
  expect(performance.now() - started).toBeLessThan(4000)
})
