import { dirname } from 'node:path'
import type { TestProjectConfiguration } from 'vitest/config'

/** The projects that the plugin makes: one per level of difficulty. */
export const levels = ['level1', 'level2', 'level3'] as const

/** The value that marks a project as one of ours, so that the plugin leaves all others alone. */
export const levelKey = 'npu:level'

/** One project per level, with the plugins and defaults of the configuration they are part of. */
export const levelProjects = (folder: string): TestProjectConfiguration[] =>
  levels.map((level) => ({
    extends: true,
    test: {
      name: level,
      dir: folder,
      include: [`${level}/**/*.spec.ts`],
      provide: { [levelKey]: level },
      ...(folder.includes('/node_modules/') ? installed(folder) : {}),
    },
  }))

/** What Vitest needs to run TypeScript specs of an installed package: it leaves `node_modules` alone otherwise. */
const installed = (folder: string): { exclude: string[]; server: { deps: { inline: RegExp[] } } } => {
  const root = dirname(folder).replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return { exclude: [], server: { deps: { inline: [new RegExp(`${root}/(?:tasks|references)/`)] } } }
}
