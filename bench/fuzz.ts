import { checkedRunner, launchMutated, recordedLaunches } from '../fixtures/recorded-launches.ts'

/**
 * Gives the device streams that no kernel issues: those of launches that unit tests have left in `--launches=`, changed at
 * random. Prints what the device does not stand, with the launch and the seed that repeat it, and fails if there is any.
 * `--seed=` is the first of the seeds; `--only=` a part of the name of one launch, which then has all of them.
 */
export async function fuzz(args: readonly string[]): Promise<void> {
  const valueOf = (name: string) => args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3)
  const [seconds, first, folder] = [Number(valueOf('seconds') ?? 60), Number(valueOf('seed') ?? 0), valueOf('launches')]
  if (folder === undefined)
    throw new Error('--launches: the folder that NPU_RECORD_LAUNCHES named while unit tests ran')
  const launches = (await recordedLaunches(folder)).filter(({ file }) => file.includes(valueOf('only') ?? ''))
  if (launches.length === 0) throw new Error(`--launches: there are none in ${folder}`)
  let runner = await checkedRunner((line) => console.log(line))
  const end = Date.now() + seconds * 1000
  let [seed, findings] = [first, 0]
  for (; Date.now() < end; seed++) {
    const launch = launches[seed % launches.length]!
    const what = await launchMutated(runner, launch, seed).catch((error: unknown) => String(error))
    if (what === undefined) continue
    findings++
    console.log(`--only=${launch.file.replace(/.*\//, '')} --seed=${seed}: ${what}`)
    if (runner.alive) continue
    runner = await checkedRunner()
  }
  runner.kill()
  console.log(`${seed - first} streams of ${launches.length} launches, ${findings} findings`)
  if (findings > 0) process.exitCode = 1
}
