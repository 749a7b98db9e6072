import { resolve } from 'node:path'
import type { Vite } from 'vitest/node'
import { z } from 'zod'
import { suitesOf, type ResolvedSuite } from '../suites/index.ts'
import type { ResolvedOptions } from '../vitest/options.ts'
import { messageOf } from './user-error.ts'

/** What the plugin in a configuration says of itself. */
const pluginOfOurs = z.object({
  name: z.literal('vitest-npu'),
  api: z.object({ options: z.custom<ResolvedOptions>((value) => typeof value === 'object') }),
})

/** What the Vitest configuration of a folder says. */
export interface Configured {
  /** folder that paths are relative to */
  root: string
  /** undefined where the plugin is not used */
  options: ResolvedOptions | undefined
}

/** Reads the Vitest configuration of a folder. Rejects with what is wrong with it. */
export async function configurationOf(folder: string): Promise<Configured> {
  const { resolveConfig } = await import('vitest/node')
  let plugins: readonly unknown[] = []
  let root = folder
  // what it returns differs between versions of Vitest
  const listener: Vite.Plugin = {
    name: 'vitest-npu:suites',
    configResolved: (config) => {
      plugins = config.plugins
      root = resolve(folder, config.root)
    },
  }
  await resolveConfig({ root: folder, watch: false }, { plugins: [listener] })
  const [options] = plugins.flatMap((plugin) => pluginOfOurs.safeParse(plugin).data?.api.options ?? [])
  return { root, options }
}

/**
 * The suites whose tasks can be named: of the folder that is given, else of the project in this folder with those that
 * its Vitest configuration registers. A configuration that cannot be loaded is said, and takes nothing but its suites away.
 */
export async function knownSuites(tasks: string | undefined, root: string): Promise<ResolvedSuite[]> {
  const configured = tasks === undefined ? await configurationOf(root).catch(complain) : undefined
  return suitesOf({ tasks, suites: configured?.options?.suites ?? [] }, root)
}

function complain(error: unknown): undefined {
  const [line] = messageOf(error).split('\n')
  console.error(`the Vitest configuration cannot be loaded, its suites are left out: ${line}`)
}
