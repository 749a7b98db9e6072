import { join } from 'node:path'
import { benchCases } from './cases.ts'
import { benchChecks } from './checks.ts'
import { benchClock } from './clock/clock.ts'
import { benchClockCost } from './clock/cost.ts'
import { benchCube } from './cube.ts'
import { benchCompile } from './compile.ts'
import { benchEdit } from './edit.ts'
import { benchEfficiency, LARGEST } from './efficiency/efficiency.ts'
import { fuzz } from './fuzz.ts'
import { benchInstructions } from './instructions.ts'
import { gate } from './gate.ts'
import { labels } from './labels/labels.ts'
import { vendorClasses } from './labels/vendor-classes.ts'
import { benchGolden } from './golden.ts'
import { benchLargest, judgeRow } from './largest.ts'
import { mutation } from './mutation/mutation.ts'
import { benchReach, specsDrawn, waysOf } from './reach.ts'
import { drawPictures } from './pictures.ts'
import { benchPrograms } from './programs.ts'
import { benchSamples } from './samples.ts'
import { repository } from './subjects.ts'
import { benchThroughput } from './throughput.ts'

/**
 * Runs the sections named on the command line, or all; `--short` takes few samples, `--forms=` and `--operators=` those
 * whose name contains a text.
 */
export async function main(args: readonly string[]): Promise<void> {
  const cacheDir = process.env['NPU_CACHE_DIR'] || join(repository, 'node_modules/.cache/vitest-npu')
  const valueOf = (name: string) => args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3)
  if (args[0] === 'mutation') return await mutation(cacheDir, args.slice(1))
  if (args[0] === 'labels') return await labels(cacheDir, args.slice(1))
  if (args[0] === 'vendor-classes') return await vendorClasses(cacheDir, args.slice(1))
  if (args[0] === 'fuzz') return await fuzz(args.slice(1))
  if (args[0] === 'gate') return gate(args.slice(1))
  if (args[0] === 'pictures') return await drawPictures(cacheDir)
  if (args[0] === 'largest') return await benchLargest(args.slice(1))
  if (args[0] === 'row') return judgeRow(args[1]!, args[2]!)
  if (args[0] === 'clock') {
    const [part, elements] = [valueOf('operators'), valueOf('elements')]
    return await benchClock(cacheDir, {
      ...(part !== undefined && { part }),
      ...(elements !== undefined && { elements: Number(elements) }),
      write: args.includes('--write'),
    })
  }
  if (args[0] === 'clock-cost')
    return await benchClockCost(cacheDir, valueOf('operators') ?? '', Number(valueOf('rounds') ?? 7))
  if (args[0] === 'efficiency') {
    const [rows, elements] = [Number(valueOf('rows') ?? 2), Number(valueOf('elements') ?? LARGEST)]
    return await benchEfficiency(cacheDir, {
      part: valueOf('operators') ?? '',
      rows,
      elements,
      write: args.includes('--write'),
    })
  }
  if (args[0] === 'samples')
    return await benchSamples(cacheDir, {
      count: Number(valueOf('count') ?? 2000),
      operators: (valueOf('operators') ?? '').split(',').filter((name) => name !== ''),
      elements: Number(valueOf('elements') ?? 65_536),
      fuzzRuns: Number(valueOf('runs') ?? 20),
    })
  if (args[0] === 'reach') {
    const specs = args.slice(1).filter((arg) => !arg.startsWith('--'))
    const [seed, elements] = [Number(valueOf('seed') ?? 1), Number(valueOf('elements') ?? 2 ** 22)]
    const ways = waysOf(valueOf('ways') ?? 'blind,narrow,default')
    const [draw, turns] = [Number(valueOf('draw') ?? 0), Number(valueOf('turns') ?? 1)]
    return await benchReach(cacheDir, { specs: draw > 0 ? specsDrawn(draw, seed) : specs, seed, elements, turns, ways })
  }
  const short = args.includes('--short')
  const sections: Record<string, () => Promise<void> | void> = {
    programs: () => benchPrograms(short ? 5 : 25),
    compile: () => benchCompile(cacheDir, short ? 3 : 9),
    edit: () => benchEdit(cacheDir, short ? 3 : 9),
    cases: () => benchCases(cacheDir, short ? 20 : 60),
    checks: () => benchChecks(cacheDir, short ? 3 : 9, short ? 16 : 1, valueOf('operators')),
    instructions: () => benchInstructions(cacheDir, short ? 1 : 5, valueOf('forms')),
    cube: () => benchCube(cacheDir, short ? 3 : 7),
    throughput: () => benchThroughput(cacheDir, short ? 3 : 11),
    golden: () => benchGolden(cacheDir, short ? 2 ** 16 : 2 ** 23, short ? [256, 1024, 256] : [640, 65536, 256]),
  }
  const wanted = args.filter((arg) => !arg.startsWith('--'))
  const unknown = wanted.filter((name) => !(name in sections))
  if (unknown.length > 0)
    throw new Error(`no section ${unknown.join(', ')}; there are ${Object.keys(sections).join(', ')}`)
  for (const [name, run] of Object.entries(sections)) if (wanted.length === 0 || wanted.includes(name)) await run()
}
