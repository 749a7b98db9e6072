import { compareCommand } from './compare.ts'
import { gateCommand } from './gate.ts'
import { mergeCommand } from './merge.ts'
import { pruneCommand } from './prune.ts'
import { scoreCommand } from './score.ts'

/** Commands that read what runs have written, and need no specs. */
export const ledgerCommands = new Map<string, (args: readonly string[]) => Promise<void> | void>([
  ['score', scoreCommand],
  ['compare', compareCommand],
  ['merge', mergeCommand],
  ['gate', gateCommand],
  ['prune', pruneCommand],
])
