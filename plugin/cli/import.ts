import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { shownName } from '../files/index.ts'
import { problemOf, problemOfName, samplesOf, writeSample, type ImportedSample } from '../imports/index.ts'
import { exitCodes } from '../model/index.ts'
import { specsOf, tasksIn, type ResolvedSuite } from '../suites/index.ts'
import { quoteAssignment } from '../vitest/reproduce.ts'
import { didYouMean, messageOf, UserError } from './user-error.ts'

/** What `import` is told. */
export interface ImportOptions {
  out: string
  model?: string
  sample?: string
}

/** `import`: samples of any source, laid where candidates are looked for. */
export async function importCommand(
  sources: readonly string[],
  suites: readonly ResolvedSuite[],
  { out, model, sample = 'sample' }: ImportOptions,
): Promise<void> {
  for (const [option, name] of [
    ['model', model],
    ['sample', sample],
  ] as const) {
    const problem = name === undefined ? undefined : problemOfName(name)
    if (problem !== undefined) throw new UserError(`--${option}: ${problem}`)
  }
  const counts = { written: 0, same: 0, refused: 0 }
  const models = new Set<string | null>()
  const tasks = new Set<string>()
  const refuse = (place: string, reason: string): void => {
    counts.refused++
    console.error(`${shownName(place)}: ${shownName(reason)}`)
  }
  for (const source of sources) {
    let found = false
    for await (const finding of samplesOf(resolve(source), { suites, sample, model: model ?? null })) {
      found = true
      if ('reason' in finding) {
        refuse(finding.place, finding.reason)
        continue
      }
      const laid = lay(out, finding.sample)
      if ('reason' in laid) refuse(finding.place, laid.reason)
      else {
        counts[laid.outcome]++
        models.add(finding.sample.model)
        tasks.add(finding.sample.task)
      }
    }
    if (!found) refuse(source, 'holds no sample')
  }
  const known = suites.flatMap((suite) => specsOf(suite, suites)).flatMap((spec) => tasksIn(readFileSync(spec, 'utf8')))
  for (const task of [...tasks].filter((name) => !known.includes(name)).sort())
    console.error(`note: no task is called ${task}${didYouMean(task, known)}; its samples are judged once there is one`)
  const there = counts.same > 0 ? `, ${counts.same} were there already` : ''
  console.log(`${counts.written} samples of ${tasks.size} tasks imported${there}, ${counts.refused} refused`)
  // a run is of one model
  for (const name of [...models].sort((a, b) => ((a ?? '') < (b ?? '') ? -1 : 1))) {
    const settings = name === null ? [`NPU_CANDIDATES=${out}`] : [`NPU_MODEL=${name}`, `NPU_CANDIDATES=${out}/${name}`]
    console.log(`judge them: ${settings.map(quoteAssignment).join(' ')} npx vitest run`)
  }
  if (counts.refused > 0) process.exitCode = exitCodes.failed
}

/** Writes a sample, or tells why it cannot be. */
function lay(out: string, sample: ImportedSample): { outcome: 'written' | 'same' } | { reason: string } {
  const problem = problemOf(sample)
  if (problem !== undefined) return { reason: problem }
  try {
    const outcome = writeSample(out, sample)
    if (outcome !== 'taken') return { outcome }
    return { reason: `another sample of ${sample.task} is called ${sample.sample} already` }
  } catch (error) {
    return { reason: messageOf(error) }
  }
}
