import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findEquipment, missingOf, type Equipment } from '../ascend/cann.ts'
import { confinementLayers, exitCodes, neutralText } from '../model/index.ts'
import { targetNames, type TargetName } from '../targets/registry.ts'
import { machineOf } from '../targets/ascend.ts'
import { parseCommand } from './command.ts'
import { emulatorFindings, type Finding } from './doctor-emulator.ts'
import { didYouMean, messageOf, UserError } from './user-error.ts'

const usage = `Usage: vitest-npu doctor [target]

Tells, for each target or for the one that is named, what is there of what it needs, what is missing, and how to get it. The
exit code is 0 where a named target, or any of all, has everything.

  --host <user@box>  looks for the device on a machine that ssh reaches
  --ssh <argument>   a further argument of ssh; may be given several times
  --help, --version

  npx vitest-npu doctor
  npx vitest-npu doctor ascend --host me@box --ssh=-p --ssh=2222
`

/** `doctor`: what is there, what is missing, and how to get it. */
export async function doctorCommand(args: readonly string[]): Promise<void> {
  const parsed = parseCommand('doctor', usage, args, {
    host: { type: 'string' },
    ssh: { type: 'string', multiple: true },
  })
  if (!parsed) return
  const { values, positionals } = parsed
  const [named, another] = positionals
  if (another !== undefined) throw new UserError('doctor: name one target at most; see vitest-npu doctor --help')
  if (named !== undefined && !isTarget(named))
    throw new UserError(`doctor: no target is called ${named}${didYouMean(named, targetNames)}`)
  const examine: Record<TargetName, () => Promise<Finding[]>> = {
    emulator: emulatorFindings,
    ascend: async () => await ascendFindings(values),
  }
  const complete: boolean[] = []
  for (const name of named === undefined ? targetNames : [named]) {
    const findings = await examine[name]()
    complete.push(findings.every(({ found }) => found !== null))
    console.log(
      neutralText([`${name}: ${complete.at(-1) ? 'ready' : 'not ready'}`, ...findings.map(lineOf)].join('\n')),
    )
  }
  if (!complete.includes(true)) process.exitCode = exitCodes.infrastructure
}

const isTarget = (name: string): name is TargetName => targetNames.some((each) => each === name)

const lineOf = ({ what, found, remedy }: Finding): string =>
  found === null ? `  missing  ${what}${remedy === undefined ? '' : `; ${remedy}`}` : `  found    ${what}: ${found}`

async function ascendFindings({ host, ssh }: { host?: string; ssh?: string[] }): Promise<Finding[]> {
  const scratch = mkdtempSync(join(tmpdir(), 'npu-doctor-'))
  const machine = machineOf({ ...(host !== undefined && { host }), ...(ssh && { ssh }) }, scratch)
  try {
    return findingsOf(await findEquipment(machine))
  } catch (error) {
    return [{ what: messageOf(error), found: null }]
  } finally {
    await machine.close()
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** What an equipment is for the target `ascend`. */
export function findingsOf(equipment: Equipment): Finding[] {
  const { home, version, programs, driver, driverVersion } = equipment
  const there: Finding[] = [
    ...(home === null ? [] : [{ what: 'CANN', found: `${version ?? 'of an unknown version'} at ${home}` }]),
    ...Object.entries(programs).flatMap(([what, found]) => (found === null ? [] : [{ what, found }])),
    ...(driver.version === null ? [] : [{ what: 'driver', found: driverVersion ?? driver.version }]),
    ...driver.chips.map(({ name, health, card, chip }, index) => ({
      what: `device ${index}`,
      found: `${name}, ${health} (card ${card}, chip ${chip})`,
    })),
  ]
  const missing = missingOf(equipment).map(({ what, remedy }): Finding => ({ what, found: null, remedy }))
  const consent: Finding = {
    what: 'confinement',
    found: `none: a run needs allowWeakConfinement: [${confinementLayers.map((layer) => `'${layer}'`).join(', ')}]`,
  }
  return [...there, ...missing, ...(missing.length === 0 ? [consent] : [])]
}
