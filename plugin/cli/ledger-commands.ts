import { compareCommand } from './compare.ts'
import { gateCommand } from './gate.ts'
import { mergeCommand } from './merge.ts'
import { pruneCommand } from './prune.ts'
import { scoreCommand } from './score.ts'

/** Commands that read what runs have written, and need no specs, but for samples that `score` judges. */
export const ledgerCommands = new Map<string, (args: readonly string[]) => void | Promise<void>>([
  ['score', scoreCommand],
  ['compare', compareCommand],
  ['merge', mergeCommand],
  ['gate', gateCommand],
  ['prune', pruneCommand],
])
