import { compareCommand } from './compare.ts'
import { mergeCommand } from './merge.ts'
import { pruneCommand } from './prune.ts'
import { scoreCommand } from './score.ts'

/** Commands that read what runs have written, and need no specs. */
export const ledgerCommands = new Map<string, (args: readonly string[]) => void>([
  ['score', scoreCommand],
  ['compare', compareCommand],
  ['merge', mergeCommand],
  ['prune', pruneCommand],
])
