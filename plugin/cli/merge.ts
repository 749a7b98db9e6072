import { existsSync, statSync } from 'node:fs'
import { replaceFile } from '../ledger/runs.ts'
import { lineOf } from '../ledger/writer.ts'
import { parseCommand, runsOption } from './command.ts'
import { joined, readNamed } from './runs.ts'
import { messageOf, UserError } from './user-error.ts'

const usage = `Usage: vitest-npu merge <ledger | run>... --out <file>

Joins ledgers, those of the shards of a run for instance. What several of them have judged alike is there once; two
different verdicts on one question are an error that names both, and so is a run that is not whole: it has not ended, was killed, has
lost a spec, or its last line is torn. score, compare and report take such runs as they are.

  --out <file>      the ledger that is written; a file that is there is replaced
  --runs <folder>   where runs are kept; .npu/runs
  --help, --version

  npx vitest-npu merge shard1/ledger.jsonl shard2/ledger.jsonl --out all.jsonl
  npx vitest-npu merge sft.jsonl rl.jsonl --out models.jsonl      where both runs had an NPU_MODEL
`

/** A gate reads of what is written alone, and could not tell that something is missing. */
function refuse(line: string): never {
  throw new UserError(`merge: the run is not whole: ${line}`)
}

/** `merge`: one ledger of several. */
export function mergeCommand(args: readonly string[]): void {
  const parsed = parseCommand('merge', usage, args, { ...runsOption, out: { type: 'string' } })
  if (!parsed) return
  const { values, positionals } = parsed
  const { out, runs } = values
  if (positionals.length === 0)
    throw new UserError('merge: name ledgers or runs, e.g. vitest-npu merge a.jsonl b.jsonl')
  if (out === undefined || out === '') throw new UserError('merge: give --out, the file that is written')
  if (existsSync(out) && statSync(out).isDirectory()) throw new UserError(`--out ${out}: is a folder; name a file`)
  const ledgers = positionals.map((name) => readNamed(name, runs, refuse))
  const merged = joined(ledgers)
  try {
    replaceFile(out, merged.map(lineOf))
  } catch (error) {
    throw new UserError(`--out ${out}: cannot be written: ${messageOf(error)}`)
  }
  const read = ledgers.reduce((sum, { entries }) => sum + entries.length, 0)
  const twice = read - merged.length
  console.log(
    `${out}: ${merged.length} entries of ${ledgers.length} ledgers${twice > 0 ? `, ${twice} were there already` : ''}`,
  )
}
