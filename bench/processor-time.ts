import { execa } from 'execa'
import { repository } from './subjects.ts'

/** What a command has printed, and what it took. */
export interface TimedRun {
  exitCode: number | undefined
  stderr: string
  seconds: number
  /** of the command and of all that it has started and waited for */
  processorSeconds: number
}

/** Runs a command in the repository. What it prints to either stream is `stderr`. */
export async function timed(command: readonly string[], env: Record<string, string>): Promise<TimedRun> {
  const started = performance.now()
  // the shell tells what all of its children have used
  const { exitCode, stdout, stderr } = await execa(
    'sh',
    ['-c', '"$@" >&2; code=$?; times; exit $code', 'sh', ...command],
    {
      cwd: repository,
      reject: false,
      env: { CI: 'true', NO_COLOR: '1', ...env },
    },
  )
  return { exitCode, stderr, seconds: (performance.now() - started) / 1000, processorSeconds: childTime(stdout) }
}

/** The second line of what `times` prints: `1m2.030s 0m1.000s`, user and system time of children. */
export function childTime(text: string): number {
  const last = text.trim().split('\n').at(-1) ?? ''
  return [...last.matchAll(/(\d+)m([\d.]+)s/g)].reduce((sum, [, m, s]) => sum + 60 * Number(m) + Number(s), 0)
}
