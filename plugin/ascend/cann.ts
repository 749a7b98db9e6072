import { InfrastructureError } from '../model/index.ts'
import type { Machine } from './machine.ts'
import { parseDriverListing, type DriverListing } from './npu-smi.ts'

/** What differs between versions of the toolkit, from the first one that it holds for. */
interface ToolkitDifferences {
  /** first version, e.g. `8.0` */
  from: string
  /** where an installation for all users lies */
  usualHome: string
  /** the file that names the version, below the home; `<arch>` is that of the machine */
  versionFile: string
  /** where the generator of projects lies where it is not on the path, below the home */
  generator: readonly string[]
  /** libraries that a program that calls operators is linked with */
  libraries: readonly string[]
}

/** In the order of versions: the last row whose version is not newer holds. */
export const toolkits: readonly ToolkitDifferences[] = [
  {
    from: '8.0',
    usualHome: '/usr/local/Ascend/ascend-toolkit/latest',
    versionFile: '<arch>-linux/ascend_toolkit_install.info',
    generator: ['python/site-packages/bin/msopgen', 'bin/msopgen'],
    libraries: ['ascendcl', 'nnopbase'],
  },
  {
    from: '8.5',
    usualHome: '/usr/local/Ascend/cann',
    versionFile: '<arch>-linux/ascend_toolkit_install.info',
    generator: ['bin/msopgen', 'python/site-packages/bin/msopgen'],
    libraries: ['ascendcl', 'nnopbase'],
  },
]

const numbersOf = (version: string): [number, number] => {
  const [, major = '0', minor = '0'] = /^(\d+)\.(\d+)/.exec(version) ?? []
  return [Number(major), Number(minor)]
}

const isAtLeast = (version: string, least: string): boolean => {
  const [[major, minor], [leastMajor, leastMinor]] = [numbersOf(version), numbersOf(least)]
  return major > leastMajor || (major === leastMajor && minor >= leastMinor)
}

/** What holds for a version; undefined for one that is older than all that are known. */
export const toolkitOf = (version: string): ToolkitDifferences | undefined =>
  toolkits.findLast(({ from }) => isAtLeast(version, from))

/** What a machine has of what the vendor's flow needs; null for what is missing. */
export interface Equipment {
  /** folder of the toolkit */
  home: string | null
  /** e.g. `8.3.RC2` */
  version: string | null
  /** of the processor, e.g. `aarch64` */
  arch: string
  /** programs, by name: where each is */
  programs: Record<(typeof programs)[number], string | null>
  /** files of the toolkit, by name: whether they are there */
  files: Record<(typeof files)[number], boolean>
  driver: DriverListing
  /** as the driver's own file says */
  driverVersion: string | null
}

const programs = ['msopgen', 'cmake', 'g++', 'python3', 'bash', 'npu-smi'] as const
const files = ['set_env.sh', 'acl/acl.h', 'aclnn/acl_meta.h', 'libascendcl.so'] as const

const homes = [
  '"$ASCEND_HOME_PATH"',
  '"$ASCEND_TOOLKIT_HOME"',
  ...toolkits.toReversed().flatMap(({ usualHome }) => [
    `"${usualHome}"`,
    // where a user installs for himself alone
    `"$HOME${usualHome.replace('/usr/local', '')}"`,
  ]),
]

/** Says in lines of `name=value` what is there. POSIX shell: it runs on any machine, also over the network. */
const probe = `
arch=$(uname -m)
echo "arch=$arch"
for home in ${homes.join(' ')}; do
  [ -n "$home" ] && [ -d "$home" ] && break
  home=
done
echo "home=$home"
if [ -n "$home" ]; then
  for file in ${[...new Set(toolkits.map(({ versionFile }) => versionFile.replace('<arch>', '$arch')))].join(' ')}; do
    [ -r "$home/$file" ] && sed -n 's/^version=/version=/p' "$home/$file" | head -n 1
  done
  [ -r "$home/set_env.sh" ] && echo file=set_env.sh
  for header in acl/acl.h aclnn/acl_meta.h; do [ -r "$home/include/$header" ] && echo "file=$header"; done
  [ -r "$home/lib64/libascendcl.so" ] && echo file=libascendcl.so
fi
for program in ${programs.join(' ')}; do
  found=$(command -v "$program") && echo "program=$program:$found"
done
for place in ${[...new Set(toolkits.flatMap(({ generator }) => generator))].join(' ')}; do
  [ -n "$home" ] && [ -x "$home/$place" ] && echo "program=msopgen:$home/$place" && break
done
[ -r /usr/local/Ascend/driver/version.info ] && sed -n 's/^Version=/driver=/p' /usr/local/Ascend/driver/version.info | head -n 1
echo npu-smi=
npu-smi info 2>/dev/null
true
`

const probeLimitMs = 60_000

/** What there is on a machine. Rejects with `InfrastructureError` where it cannot be asked. */
export async function findEquipment(machine: Machine): Promise<Equipment> {
  const { exitCode, stdout, stderr } = await machine.run(['sh', '-c', probe], { timeoutMs: probeLimitMs })
  if (exitCode !== 0) throw new InfrastructureError(`cannot look for CANN on ${machine.name}: ${stderr.trim()}`)
  return readProbe(stdout)
}

/** What the lines of the probe say. */
export function readProbe(text: string): Equipment {
  const [head = '', listing = ''] = text.split(/^npu-smi=$/m)
  const lines = head.split('\n').map((line) => /^(\w+)=(.*)$/.exec(line)?.slice(1) ?? [])
  const all = (name: string): string[] => lines.flatMap(([key, value]) => (key === name && value ? [value] : []))
  const found = all('program').map((each) => each.split(':'))
  const whereIs = (program: string): string | null => found.find(([name]) => name === program)?.[1] ?? null
  return {
    home: all('home')[0] ?? null,
    version: all('version')[0] ?? null,
    arch: all('arch')[0] ?? 'unknown',
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an entry for each of the names
    programs: Object.fromEntries(programs.map((name) => [name, whereIs(name)])) as Equipment['programs'],
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an entry for each of the names
    files: Object.fromEntries(files.map((name) => [name, all('file').includes(name)])) as Equipment['files'],
    driver: parseDriverListing(listing),
    driverVersion: all('driver')[0] ?? null,
  }
}

/** Something that is missing, and how to get it. */
export interface Missing {
  what: string
  remedy: string
}

const install = 'install the CANN toolkit (https://www.hiascend.com/software/cann) and source its set_env.sh'

/** What a machine lacks to judge candidates, in the order in which it is needed. */
export function missingOf({ home, version, programs: found, files: there, driver }: Equipment): Missing[] {
  if (home === null)
    return [{ what: 'CANN: ASCEND_HOME_PATH is not set, and nothing is at the usual places', remedy: install }]
  const missing: Missing[] = []
  if (version !== null && toolkitOf(version) === undefined)
    missing.push({ what: `CANN 8 or newer (${home} is ${version})`, remedy: install })
  for (const [name, isThere] of Object.entries(there))
    if (!isThere)
      missing.push({ what: `${name} in ${home}`, remedy: 'install the whole toolkit, not its runtime alone' })
  const remedies: Partial<Record<keyof typeof found, string>> = {
    msopgen: 'source set_env.sh of the toolkit, whose generator of operator projects it is',
    'npu-smi': 'install driver and firmware of the card; in a container, mount /usr/local/Ascend/driver and npu-smi',
  }
  for (const name of programs)
    if (found[name] === null) missing.push({ what: name, remedy: remedies[name] ?? `install ${name}` })
  if (found['npu-smi'] !== null && driver.chips.length === 0)
    missing.push({ what: 'a device: npu-smi lists none', remedy: 'look at the driver with npu-smi info' })
  return missing
}

/** The toolkit of a machine that has all that is needed. */
export interface Toolkit extends ToolkitDifferences {
  home: string
  version: string
  arch: string
  generatorPath: string
  driver: string | null
  chips: DriverListing['chips']
}

/** The toolkit of a machine. Rejects with `InfrastructureError`, in one line that names what is missing. */
export async function requireToolkit(machine: Machine): Promise<Toolkit> {
  const equipment = await findEquipment(machine)
  const [first] = missingOf(equipment)
  if (first)
    throw new InfrastructureError(`the target ascend needs, on ${machine.name}, ${first.what}; ${first.remedy}`)
  const { home, version, arch, programs: found, driver, driverVersion } = equipment
  const differences = toolkitOf(version ?? '8.0')
  if (home === null || found.msopgen === null || !differences) throw new InfrastructureError('CANN was not found')
  return {
    ...differences,
    home,
    version: version ?? 'unknown',
    arch,
    generatorPath: found.msopgen,
    driver: driverVersion ?? driver.version,
    chips: driver.chips,
  }
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** A command in the environment of the toolkit. `exports`: variables that are set after those of the toolkit. */
export function inToolkit(
  { home }: Pick<Toolkit, 'home'>,
  argv: readonly [string, ...string[]],
  exports: Readonly<Record<string, string>> = {},
): [string, ...string[]] {
  const set = Object.entries(exports).map(([name, value]) => `export ${name}=${quoted(value)}; `)
  return ['bash', '-c', `. ${quoted(`${home}/set_env.sh`)} >/dev/null 2>&1; ${set.join('')}exec "$@"`, 'bash', ...argv]
}
