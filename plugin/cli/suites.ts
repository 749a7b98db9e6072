import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Vite } from 'vitest/node'
import { z } from 'zod'
import { suitesOf, tasksFolder, type ResolvedSuite } from '../suites/index.ts'
import { OptionError, resolveOptions, type ResolvedOptions } from '../vitest/options.ts'
import { messageOf, UserError } from './user-error.ts'

/** What the plugin in a configuration says of itself. */
const pluginOfOurs = z.object({
  name: z.literal('vitest-npu'),
  api: z.object({ options: z.custom<ResolvedOptions>((value) => typeof value === 'object') }),
})

/** What the Vitest configuration of a folder says. */
export interface Configured {
  /** folder that paths are relative to */
  root: string
  /** false where there is no configuration, or one without the plugin */
  isConfigured: boolean
  /** those of a project without a configuration where there is none */
  options: ResolvedOptions
}

/** Reads the Vitest configuration of a folder. Rejects with a UserError that says in one line what is wrong with it. */
export async function configurationOf(folder: string): Promise<Configured> {
  try {
    return await read(folder)
  } catch (error) {
    if (error instanceof OptionError) throw new UserError(error.message)
    throw new UserError(`the Vitest configuration cannot be loaded: ${messageOf(error).split('\n')[0]}`)
  }
}

async function read(folder: string): Promise<Configured> {
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
  return { root, isConfigured: options !== undefined, options: options ?? resolveOptions({}, process.env) }
}

/** The same for a command that cannot do without: a folder that is given has to be there. */
export async function requiredSuites(tasks: string | undefined): Promise<ResolvedSuite[]> {
  const folder = tasksFolder(tasks, process.cwd())
  if (!existsSync(folder)) throw new UserError(`--tasks: there is no folder ${folder}`)
  return await knownSuites(tasks, process.cwd())
}

/**
 * The suites whose tasks can be named: of the folder that is given, else of the project in this folder with those that
 * its Vitest configuration registers. A configuration that cannot be loaded is said, and takes nothing but its suites away.
 */
export async function knownSuites(tasks: string | undefined, root: string): Promise<ResolvedSuite[]> {
  const configured = tasks === undefined ? await configurationOf(root).catch(complain) : undefined
  return suitesOf({ tasks, suites: configured?.options.suites ?? [] }, root)
}

function complain(error: unknown): undefined {
  console.error(`${messageOf(error)}; its suites are left out`)
}
