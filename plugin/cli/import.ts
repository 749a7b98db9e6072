import { join, resolve } from 'node:path'
import { takenBelow, takenBy } from '../candidates/index.ts'
import { shownName } from '../files/index.ts'
import { placeOf, problemOf, problemOfName, samplesOf, writeSample, type ImportedSample } from '../imports/index.ts'
import { exitCodes } from '../model/index.ts'
import { suitesByTask, type ResolvedSuite } from '../suites/index.ts'
import { judging, quote } from '../vitest/reproduce.ts'
import { parseCommand, required, tasksOption } from './command.ts'
import { exitOnSignals } from './exit-on-signals.ts'
import { requiredSuites } from './suites.ts'
import { didYouMean, messageOf, UserError } from './user-error.ts'

const usage = `Usage: vitest-npu import <source>... --out <folder>

Lays samples where candidates are looked for: of JSON lines, packs of MultiKernelBench, operator projects, folders of all that, and
zip and tar archives of them. Nothing of what is read is executed, and nothing that is there is overwritten. What cannot be
imported is one line each with the reason.

  --out <folder>     where samples go: <out>/<Task>/<sample>, <out>/<model>/<Task>/<sample>
  --model <name>     of samples whose source names none
  --sample <name>    of packs and operator projects that lie in no folder which names them; sample
  --tasks <folder>   the specs: tasks/, else those of the package, with the suites that the Vitest configuration registers
  --help, --version

Exit code: 0; 1 where something was refused; 64 for an argument that makes no sense.

  npx vitest-npu import samples.jsonl --out candidates --model mine
  npx vitest-npu import packs/ runs.tar.gz --out candidates
`

/** `import`: samples of any source, laid where candidates are looked for. */
export async function importCommand(args: readonly string[]): Promise<void> {
  const text = { type: 'string' } as const
  const parsed = parseCommand('import', usage, args, { ...tasksOption, out: text, model: text, sample: text })
  if (!parsed) return
  const {
    values: { tasks, model, sample = 'sample', ...values },
    positionals: sources,
  } = parsed
  if (sources.length === 0) throw new UserError('import: name a file or folder; see vitest-npu import --help')
  const out = required('import', 'out', values.out)
  exitOnSignals()
  await importAll(sources, await requiredSuites(tasks), { out, model, sample })
}

/** Of one source: a folder is made for each. */
const mostSamples = 100_000

async function importAll(
  sources: readonly string[],
  suites: readonly ResolvedSuite[],
  { out, model, sample }: { out: string; model: string | undefined; sample: string },
): Promise<void> {
  for (const [option, name] of [
    ['model', model],
    ['sample', sample],
  ] as const) {
    const problem = name === undefined ? undefined : problemOfName(name)
    if (problem !== undefined) throw new UserError(`--${option}: ${problem}`)
  }
  const known = [...suitesByTask(suites).keys()]
  const counts = { written: 0, same: 0, refused: 0 }
  const models = new Set<string>()
  /** with the first project of each, whose OpDef a spec can be written of */
  const tasks = new Map<string, string | undefined>()
  const refuse = (place: string, reason: string): void => {
    counts.refused++
    console.error(`${shownName(place)}: ${shownName(reason)}`)
  }
  for (const source of sources) {
    let found = 0
    for await (const finding of samplesOf(resolve(source), { suites, tasks: known, sample, model: model ?? null })) {
      if (++found > mostSamples) {
        refuse(source, `holds more than ${mostSamples} samples: the others are left out`)
        break
      }
      if ('reason' in finding) {
        refuse(finding.place, finding.reason)
        continue
      }
      const laid = lay(out, finding.sample, { suites, tasks: known })
      if ('reason' in laid) refuse(finding.place, laid.reason)
      else {
        counts[laid.outcome]++
        if (finding.sample.model !== null) models.add(finding.sample.model)
        const { task } = finding.sample
        tasks.set(task, tasks.get(task) ?? projectOf(out, finding.sample))
      }
    }
    if (found === 0) refuse(source, 'holds no sample')
  }
  for (const task of [...tasks.keys()].filter((name) => !known.includes(name)).sort()) {
    const project = tasks.get(task)
    const how = project === undefined ? '' : `: npx vitest-npu init ${quote(project)} writes one of its OpDef`
    console.error(
      `note: no task is called ${task}${didYouMean(task, known)}; its samples are judged once there is one${how}`,
    )
  }
  const there = counts.same > 0 ? `, ${counts.same} were there already` : ''
  console.log(`${counts.written} samples of ${tasks.size} tasks imported${there}, ${counts.refused} refused`)
  if (counts.written + counts.same > 0) {
    console.log(`judge them: ${judging(out)}`)
    if (models.size > 1)
      for (const name of [...models].sort()) console.log(`those of ${name}: ${judging(join(out, name))}`)
  }
  if (counts.refused > 0) process.exitCode = exitCodes.failed
}

/** Where a sample has been laid, if it has a host part. */
function projectOf(out: string, sample: ImportedSample): string | undefined {
  const hasHost = [...sample.files.keys()].some((path) => path.startsWith('op_host/'))
  return hasHost ? placeOf(out, sample) : undefined
}

/** Writes a sample, or tells why it cannot be. */
function lay(
  out: string,
  sample: ImportedSample,
  names: Parameters<typeof takenBy>[1],
): { outcome: 'written' | 'same' } | { reason: string } {
  const problem = problemOf(sample)
  if (problem !== undefined) return { reason: problem }
  // what lies below the folder of a suite or a group is read as its layout says: one sample could be many
  const other = takenBy(sample.task, { suites: names.suites })
  if (other !== undefined) return { reason: `no task can be called ${sample.task}: that is ${other}` }
  const taken = sample.model === null ? undefined : takenBy(sample.model, names)
  if (taken !== undefined) return { reason: `no model can be called ${sample.model}: that is ${taken}` }
  // the folder of a task that nobody knows, with such a sample in it, would be that of a model
  const below = names.tasks?.includes(sample.task) ? undefined : takenBelow(sample.sample, names)
  if (below !== undefined)
    return { reason: `no sample of ${sample.task}, which is no task, can be called ${sample.sample}: that is ${below}` }
  try {
    const outcome = writeSample(out, sample)
    if (outcome !== 'taken') return { outcome }
    return { reason: `another sample of ${sample.task} is called ${sample.sample} already` }
  } catch (error) {
    return { reason: messageOf(error) }
  }
}
