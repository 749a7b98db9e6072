import { randomInt } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { targetDifferences, type TargetDifferences } from '../ledger/differences.ts'
import { geometricMean, readLedger } from '../ledger/index.ts'
import { exitCodes, sampleTitle } from '../model/index.ts'
import { textOfLines } from '../ledger/table.ts'
import { targetNames } from '../targets/registry.ts'
import { parseCommand } from './command.ts'
import { judgeFolders } from './judge-samples.ts'
import { didYouMean, UserError } from './user-error.ts'

const usage = `Usage: vitest-npu differ --target <A>,<B> <samples>...

Judges samples on two targets, with the same inputs, and lists every test on which they disagree: other verdicts, other classes
of compile errors, other wrong elements; and how their times compare. The exit code is 0 whatever is found.

  --target <A>,<B>   the targets: ${targetNames.join(', ')}
  --seed <n>         of the inputs; another one each time
  --out <file>       writes all of it as JSON
  --help, --version

  npx vitest-npu differ --target emulator,ascend candidates --out differences.json
`

/** `differ`: what two targets say otherwise of the same samples. */
export async function differCommand(args: readonly string[]): Promise<void> {
  const parsed = parseCommand('differ', usage, args, {
    target: { type: 'string' },
    seed: { type: 'string' },
    out: { type: 'string' },
  })
  if (!parsed) return
  const { values, positionals: folders } = parsed
  const targets = (values.target ?? '').split(',').map((name) => name.trim())
  const [first, second] = targets
  if (first === undefined || second === undefined || targets.length !== 2 || first === second)
    throw new UserError('differ: give two targets, e.g. --target emulator,ascend')
  const unknown = targets.find((name) => !targetNames.some((each) => each === name))
  if (unknown !== undefined)
    throw new UserError(`--target ${values.target}: no target is called ${unknown}${didYouMean(unknown, targetNames)}`)
  if (folders.length === 0) throw new UserError('differ: name folders of samples, e.g. candidates')
  const missing = folders.find((folder) => !existsSync(folder))
  if (missing !== undefined) throw new UserError(`differ: there is no ${missing}`)
  // both have to draw the same inputs, and to judge everything afresh
  const seed = values.seed ?? String(randomInt(2 ** 31))
  Object.assign(process.env, { NPU_SEED: seed, NPU_REMEMBER: '0' })
  const found = []
  let worst: number = exitCodes.fine
  for (const target of [first, second]) {
    process.env['NPU_TARGET'] = target
    const { ledger, exitCode } = await judgeFolders(folders, process.stderr)
    worst = Math.max(worst, exitCode)
    found.push(readLedger(ledger()))
  }
  // a sample that is wrong is no failure; Vitest takes it for one
  process.exitCode = worst
  const all = targetDifferences(found[0]!, found[1]!)
  console.log(textOfLines(linesOf(all, first, second)))
  if (values.out !== undefined)
    writeFileSync(values.out, `${JSON.stringify({ targets: [first, second], seed, ...all }, null, 2)}\n`)
}

const nameOf = ({ model, task, sample }: { model: string | null; task: string; sample: string }): string =>
  `${task} › ${sampleTitle({ name: sample, ...(model !== null && { model }) })}`

function linesOf({ compared, differences, ratios }: TargetDifferences, first: string, second: string): string[] {
  const mean = geometricMean(ratios.map(({ ratio }) => ratio))
  return [
    `tests that both have judged: ${compared}`,
    `disagreements: ${differences.length}`,
    ...differences.map(
      (each) =>
        `  ${nameOf(each)}, ${each.case}: ${first} ${each.first ?? 'has not judged it'}; ${second} ${each.second ?? 'has not judged it'}`,
    ),
    `times of both: ${ratios.length}${ratios.length > 0 && mean !== null ? `, ${second} by ${first} ${mean.toFixed(2)} on average` : ''}`,
    ...ratios.map(
      (each) =>
        `  ${nameOf(each)}: ${first} ${each.first.toFixed(0)} ns, ${second} ${each.second.toFixed(0)} ns (${each.ratio.toFixed(2)})`,
    ),
  ]
}
