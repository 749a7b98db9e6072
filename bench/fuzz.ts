import { rm } from 'node:fs/promises'
import { launchMutated, recordedLaunches } from '../fixtures/recorded-launches.ts'
import { Cache } from '../plugin/cache/cache.ts'
import { Semaphore } from '../plugin/process/semaphore.ts'
import { RunnerProcess } from '../plugin/runner/runner-process.ts'
import { findCompiler } from '../plugin/toolchain/compiler.ts'
import { checkedFlags } from '../plugin/toolchain/flags.ts'
import { Runtime } from '../plugin/toolchain/runtime.ts'

/**
 * Gives the device streams that no kernel issues: those of launches that unit tests have left in `--launches=`, changed at
 * random. Prints what the device does not stand, with the launch and the seed that repeat it, and fails if there is any.
 */
export async function fuzz(cacheDir: string, args: readonly string[]): Promise<void> {
  const valueOf = (name: string) => args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3)
  const [seconds, seed, folder] = [Number(valueOf('seconds') ?? 60), Number(valueOf('seed') ?? 0), valueOf('launches')]
  if (folder === undefined) throw new Error('--launches: the folder that NPU_RECORD_LAUNCHES named while unit tests ran')
  const only = valueOf('only') ?? ''
  const compiler = await findCompiler()
  const checked = compiler.family === 'clang' ? checkedFlags : []
  const log = (line: string) => console.log(line)
  const runtime = new Runtime(compiler, new Cache(cacheDir), new Semaphore(2), log, undefined, [], checked)
  const { runner: program } = await runtime.files()
  const launches = (await recordedLaunches(folder)).filter(({ file }) => file.includes(only))
  if (launches.length === 0) throw new Error(`${folder} has no launches`)
  const end = Date.now() + seconds * 1000
  let [runner, done, findings] = [new RunnerProcess(program), 0, 0]
  for (let mutation = seed; Date.now() < end; mutation++) {
    const launch = launches[mutation % launches.length]!
    let what: string | undefined
    try {
      what = await launchMutated(runner, launch, mutation)
    } catch (error) {
      what = String(error)
      runner.kill()
      runner = new RunnerProcess(program)
    }
    await rm(`${launch.file}.${process.pid}.mutated`, { force: true })
    done++
    if (what === undefined) continue
    findings++
    console.log(`${launch.file} --seed=${mutation}: ${what}`)
  }
  runner.kill()
  console.log(`${done} streams of ${launches.length} launches, ${findings} findings`)
  if (findings > 0) process.exitCode = 1
}
