import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compileDsl } from '../plugin/dsl/compile.ts'
import { comparedWithAim, median, ms, printTable, processorMilliseconds } from './figures.ts'
import { repository } from './subjects.ts'

/** Milliseconds from a program to its project. */
const aim = 20

/** What compiling each program of `references/dsl` to a project takes, in processor time, once the engine is warm. */
export function benchPrograms(passes: number): void {
  const folder = join(repository, 'references/dsl')
  const programs = readdirSync(folder)
    .filter((file) => file.endsWith('.npu.ts'))
    .map((file) => ({ file, text: readFileSync(join(folder, file), 'utf8'), times: [] as number[] }))
  for (let pass = 0; pass < passes + 3; pass++)
    for (const { file, text, times } of programs) {
      const took = processorMilliseconds(() => compileDsl(file, text))
      // the first passes let the engine compile
      if (pass >= 3) times.push(took)
    }
  const rows = programs
    .map(({ file, text, times }) => ({ file, lines: text.split('\n').length, time: median(times) }))
    .sort((a, b) => b.time - a.time)
  printTable(`A program to a project: ${rows.length} programs, the median of ${passes} passes each`, [
    ['in the middle', ms(median(rows.map(({ time }) => time))), ''],
    ...rows
      .slice(0, 3)
      .map(({ file, lines, time }) => [
        `${file}, ${lines} lines`,
        ms(time),
        comparedWithAim(Number(time.toFixed(1)), aim, 'ms'),
      ]),
  ])
}
