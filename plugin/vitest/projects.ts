import type { TestProjectConfiguration } from 'vitest/config'

/** The projects that the plugin makes: one per level of difficulty. */
export const levels = ['level1', 'level2', 'level3'] as const

/** The value that marks a project as one of ours, so that the plugin leaves all others alone. */
export const levelKey = 'npu:level'

/** One project per level, with the plugins and defaults of the configuration they are part of. */
export const levelProjects = (tasks: string): TestProjectConfiguration[] =>
  levels.map((level) => ({
    extends: true,
    test: { name: level, include: [`${tasks}/${level}/**/*.spec.ts`], provide: { [levelKey]: level } },
  }))
