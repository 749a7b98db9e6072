import type { RunnerTask } from 'vitest'
import type { Vitest } from 'vitest/node'
import './meta.ts'

/**
 * Has Vitest's default reporter name the sample of a test where a task has several: its list leaves out the suites that tests are
 * in, and `static 0` would stand there once for each sample.
 */
export async function nameSamples({ config }: Pick<Vitest, 'config'>): Promise<void> {
  const at = config.reporters.findIndex((reporter) => nameOf(reporter) === 'default')
  const found = config.reporters[at]
  if (found === undefined) return
  // loading it takes a while, which has passed already where a run is going on
  const { DefaultReporter } = await import('vitest/node')
  class NamingReporter extends DefaultReporter {
    protected override getTestName(test: RunnerTask, separator?: string): string {
      const name = super.getTestName(test, separator)
      const isOneOfSeveral = test.meta.npu?.sample && (test.suite?.suite?.tasks.length ?? 0) > 1
      return isOneOfSeveral ? `${test.suite?.name}${separator ?? ' > '}${name}` : name
    }
  }
  const options = Array.isArray(found) ? found[1] : {}
  config.reporters.splice(at, 1, new NamingReporter(options))
}

const nameOf = (reporter: unknown): unknown => (Array.isArray(reporter) ? reporter[0] : reporter)
