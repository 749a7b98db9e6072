import type { Vite } from 'vitest/node'
import { z } from 'zod'
import { suite, suitesOf, type ResolvedSuite, type Suite } from '../suites/index.ts'
import { messageOf } from './user-error.ts'

/** What the plugin in a configuration says of itself. */
const pluginOfOurs = z.object({ name: z.literal('vitest-npu'), api: z.object({ suites: z.array(suite) }) })

/**
 * The suites whose tasks can be named: of the folder that is given, else of the project in this folder with those that
 * its Vitest configuration registers.
 */
export async function knownSuites(tasks: string | undefined, root: string): Promise<ResolvedSuite[]> {
  return suitesOf({ tasks, suites: tasks === undefined ? await registeredSuites(root) : [] }, root)
}

/** A configuration that cannot be loaded is said, and takes nothing but its suites away. */
async function registeredSuites(root: string): Promise<Suite[]> {
  const { resolveConfig } = await import('vitest/node')
  let plugins: readonly unknown[] = []
  // what it returns differs between versions of Vitest
  const listener: Vite.Plugin = {
    name: 'vitest-npu:suites',
    configResolved: (config) => void (plugins = config.plugins),
  }
  try {
    await resolveConfig({ root, watch: false }, { plugins: [listener] })
    return plugins.flatMap((plugin) => pluginOfOurs.safeParse(plugin).data?.api.suites ?? [])
  } catch (error) {
    console.error(
      `the Vitest configuration cannot be loaded, its suites are left out: ${messageOf(error).split('\n')[0]}`,
    )
    return []
  }
}
