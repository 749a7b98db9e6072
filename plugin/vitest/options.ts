import type { TestProjectConfiguration } from 'vitest/config'
import { z } from 'zod'
import { cannVersions, confinementLayers, defaultCann, profiles, type TargetFactory } from '../model/index.ts'
import { checkGate, GateError, type GateOptions } from '../ledger/index.ts'
import { DeviceFileError, userDevices } from '../soc/devices.ts'
import { defaultSoc } from '../soc/profile.ts'
import { npuKernelBench, ownSpecs, suite } from '../suites/index.ts'
import { ascendTarget } from '../targets/ascend.ts'
import { isTargetFactory, targetNamed, targetNames } from '../targets/registry.ts'

/** `"emulator" or "ascend"` */
const namesOfTargets = targetNames.map((name) => `"${name}"`).join(' or ')

const whole = (least: number): z.ZodInt => z.int().min(least)

/** The target `ascend` with options of its own. */
const ascendOptions = z.strictObject({
  kind: z.literal('ascend'),
  /** machine that ssh reaches, e.g. `user@box`; this one where left out */
  host: z.string().min(1).exactOptional(),
  /** further arguments of ssh */
  ssh: z.array(z.string()).exactOptional(),
  /** devices by the numbers of the runtime; all where left out */
  devices: z.array(whole(0)).min(1).exactOptional(),
  /** wall-clock milliseconds of the build of one operator */
  buildTimeoutMs: whole(1).exactOptional(),
  /** builds at the same time; as many as `jobs` where left out */
  buildJobs: whole(1).exactOptional(),
  /** whether kernel times of the vendor's profiler are recorded as well */
  profiler: z.boolean().exactOptional(),
})

/**
 * Options of `npuKernels()`. The description of a field is what an error message says is allowed. Folders are relative
 * to the root of the Vitest project.
 */
const schema = z.strictObject({
  /**
   * Folder of the specs, in which `level1`, `level2` and `level3` become projects, and `own` what lies beside them.
   * Left out: `tasks` where there is such a folder, else the tasks of this package.
   */
  tasks: z.string().min(1).describe('a folder').optional(),
  /** Further suites of tasks, each with its folder of specs. */
  suites: z.array(suite).describe('a list of suites, as the type Suite says').default([]),
  /** Folders that hold the candidates. */
  candidates: z
    .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
    .describe('a folder or a list of folders')
    .default('candidates'),
  /** Folder with the operators that speedup is measured against, and whose host parts serve kernel-only candidates. */
  baseline: z.string().min(1).describe('a folder').optional(),
  /**
   * Folder with the times of the vendor's own operators on hardware, a file for each SoC, as `vitest-npu baseline record` writes it. A
   * latency of that SoC is shown with them.
   */
  vendorFigures: z.string().min(1).describe('a folder').default('references/vendor'),
  /** Where candidates run: the name of a target, or a target of your own. */
  target: z
    .union([z.enum(targetNames), ascendOptions, z.custom<TargetFactory>(isTargetFactory)])
    .describe(
      `${namesOfTargets}, or a target of your own: an object with \`name\` and \`create\`; { kind: 'ascend', host, ssh, devices, buildTimeoutMs, buildJobs, profiler } says more of a device`,
    )
    .default('emulator'),
  /** Device profile. */
  soc: z
    .string()
    .regex(/^(?:Ascend\w+|\w+@\d+)$/)
    .describe('the name of an Ascend SoC, e.g. "Ascend910B2", or name@version of a device of your own')
    .default(defaultSoc),
  /** Version of the toolkit whose headers candidates find: "8.5" stands for later ones as well. */
  cann: z.enum(cannVersions).describe('"8.3" or "8.5"').default(defaultCann),
  /** Generated cases for each dtype combination of a task. 0 leaves the generated shapes out. */
  fuzzRuns: whole(0).describe('a whole number, 0 or more').default(20),
  /** Wall-clock milliseconds that the generated cases of one sample may take, shrinking included. */
  fuzzBudgetMs: whole(1).describe('milliseconds, a whole number, 1 or more').default(30_000),
  /**
   * Every second generated case runs on a device with 1 to 7 cores and a part of the unified buffer, as the platform tells the
   * host part: small tensors then take several tiles on each core. `false`: all of them on the whole device.
   */
  narrowDevices: z.boolean().describe('true or false').default(true),
  /**
   * Every second generated case goes where no case has been: to tilings that differ, and near to cases that have reached new code.
   * `false`: all of them are drawn without looking at what a candidate does.
   */
  guided: z.boolean().describe('true or false').default(true),
  /** Every input and every generated case follows from it. Left out: another one each run, which the report names. */
  seed: z
    .int()
    .min(-(2 ** 31))
    .max(2 ** 32 - 1)
    .describe('a whole number of 32 bits')
    .optional(),
  /** Compilers and devices that work at the same time. */
  jobs: whole(1).describe('a whole number, 1 or more').default(2),
  /** Milliseconds of processor time one launch may take; one that sleeps ends after five times as many. */
  launchTimeoutMs: whole(1).describe('milliseconds, a whole number, 1 or more').default(20_000),
  /** Wall-clock milliseconds one compiler run may take. */
  compileTimeoutMs: whole(1).describe('milliseconds, a whole number, 1 or more').default(120_000),
  /** Memory of one candidate process. */
  memoryLimitMiB: whole(64).describe('mebibytes, a whole number, 64 or more').default(4096),
  /** Launches that one latency is computed from. The emulator tells the same time in each: one is enough for it. */
  latencyIterations: whole(1).describe('a whole number, 1 or more').default(3),
  /**
   * Elements of the largest argument up to which a static case is judged; larger ones are skipped. Left out: all are.
   */
  maxElements: whole(1).describe('a whole number, 1 or more').optional(),
  /** Case that latency is taken on: the static case with the most bytes, or the static case with this id. */
  latencyCase: z
    .union([z.literal('largest'), whole(0)])
    .describe('"largest" or the id of a static case')
    .default('largest'),
  /** Keeps with each emulated latency what the pipes of a few cores did when, which costs a launch: a report draws it. */
  timeline: z.boolean().describe('true or false; 1 or 0 in the environment').default(false),
  /** Folder in which counterexamples are kept, to be tried first in the next run. */
  corpus: z.string().min(1).describe('a folder').default('.npu/corpus'),
  /** Folder that keeps the ledger of each run, in a folder of its own: one JSON line for each verdict. */
  runs: z.string().min(1).describe('a folder').default('.npu/runs'),
  /** File that shows the ledger of the latest run: a link to it. */
  ledger: z.string().min(1).describe('a file').default('.npu/ledger.jsonl'),
  /** Who has written the candidates, e.g. the name of a model: the ledger says so of each verdict. */
  model: z.string().min(1).describe('a name').optional(),
  /**
   * Tolerance profile that decides; the answers of all three are recorded. `standard` is the public tolerance of a task
   * without its defects, `strict` what the arithmetic of a right kernel leaves, `benchmark` the public rule as it is.
   */
  profile: z.enum(profiles).describe('"standard", "strict" or "benchmark"').default('standard'),
  /** What warnings of the device do to right outputs: `fail` makes them a hazard, but for the benchmark profile. */
  warnings: z.enum(['report', 'fail']).describe('"report" or "fail"').default('report'),
  /** What a run has to keep: rates, times and hazards, for the whole run and for each level; docs/ci.md says what each rule means. */
  gate: z.custom<GateOptions>().describe('an object of rules').optional(),
  /** Right verdicts hold until something changes that they follow from. `false` judges every case in every run. */
  remember: z.boolean().describe('true or false; 1 or 0 in the environment').default(true),
  /**
   * A run to be continued: its id, the beginning of one, or `latest`. What it has judged to the end is not judged again; its
   * ledger goes on.
   */
  resume: z.string().min(1).describe('the id of a run, the beginning of one, or "latest"').optional(),
  /**
   * Layers of the confinement that this machine may lack, for kernels of your own alone: without `landlock` a candidate
   * can read files, without `seccomp` it can do anything. Where a layer is missing that is not named, nothing is run.
   */
  allowWeakConfinement: z.array(z.enum(confinementLayers)).describe('a list of "landlock" and "seccomp"').default([]),
  /** Folder for what is built once: the emulator and the artifacts of candidates. */
  cacheDir: z.string().min(1).describe('a folder').default('node_modules/.cache/vitest-npu'),
  /** Other projects of the same configuration, e.g. unit tests; the plugin leaves them as they are. */
  projects: z.array(z.custom<TestProjectConfiguration>()).describe('a list of Vitest projects').default([]),
})

/** What a configuration may say. */
export type NpuKernelsOptions = z.input<typeof schema>

/** The options of a run: defaults filled in, environment applied, the target found. */
export type ResolvedOptions = Omit<z.output<typeof schema>, 'target'> & {
  target: TargetFactory
  /** whether somebody has said where candidates are, so that one has to be there */
  namesCandidates: boolean
}

/** A wrong option or environment variable, in one line: what it is, what it says, what is allowed. */
export class OptionError extends Error {
  override name = 'OptionError'

  constructor(message: string) {
    super(message)
    // the message says which field: whoever prints the stack shows that one line
    this.stack = `${this.name}: ${message}`
  }
}

type Field = keyof typeof schema.shape

/** Environment variables and how their text becomes the value of an option. */
const environment: Record<string, { field: Field; read: (text: string) => unknown }> = {
  NPU_CANDIDATES: { field: 'candidates', read: (text) => text.split(',').map((part) => part.trim()) },
  NPU_TARGET: { field: 'target', read: String },
  NPU_SOC: { field: 'soc', read: String },
  NPU_CANN: { field: 'cann', read: String },
  NPU_FUZZ_RUNS: { field: 'fuzzRuns', read: numberOrText },
  NPU_MAX_ELEMENTS: { field: 'maxElements', read: numberOrText },
  NPU_MODEL: { field: 'model', read: String },
  NPU_SEED: { field: 'seed', read: numberOrText },
  NPU_WARNINGS: { field: 'warnings', read: String },
  NPU_ALLOW_WEAK_CONFINEMENT: {
    field: 'allowWeakConfinement',
    read: (text) => text.split(',').map((part) => part.trim()),
  },
  NPU_REMEMBER: { field: 'remember', read: truthOrText },
  NPU_TIMELINE: { field: 'timeline', read: truthOrText },
  NPU_RESUME: { field: 'resume', read: String },
  NPU_CACHE_DIR: { field: 'cacheDir', read: String },
}

/** Checks the options and applies the environment to them. Throws {@link OptionError}. */
export function resolveOptions(given: unknown, env: Readonly<Record<string, string | undefined>>): ResolvedOptions {
  if (given === null || typeof given !== 'object') throw new OptionError(`npuKernels(): expects an object of options`)
  const values: Record<string, unknown> = { ...given }
  const origin: Partial<Record<string, string>> = {}
  for (const [variable, { field, read }] of Object.entries(environment)) {
    const text = env[variable]
    if (text === undefined || text === '') continue
    values[field] = read(text)
    origin[field] = variable
  }
  checkDevices(env['NPU_DEVICES'])
  const parsed = schema.safeParse(values)
  if (!parsed.success) throw new OptionError(explain(parsed.error, values, origin))
  const names = [npuKernelBench.name, ownSpecs.name, ...parsed.data.suites.map(({ name }) => name)]
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new OptionError(`npuKernels(): suites: two suites are called "${twice}"; rename one`)
  const { gate, target } = parsed.data
  const namesCandidates = values['candidates'] !== undefined
  return { ...parsed.data, gate: gateOf(gate), target: targetOf(target), namesCandidates }
}

/** The file of devices is read here first, so that what is wrong with it is told like a wrong option. */
function checkDevices(path: string | undefined): void {
  try {
    userDevices(path)
  } catch (error) {
    if (error instanceof DeviceFileError) throw new OptionError(error.message)
    throw error
  }
}

function gateOf(gate: unknown): GateOptions | undefined {
  if (gate === undefined) return undefined
  try {
    return checkGate(gate)
  } catch (error) {
    if (error instanceof GateError) throw new OptionError(`npuKernels(): ${error.message}`)
    throw error
  }
}

function targetOf(target: z.output<typeof schema>['target']): TargetFactory {
  if (typeof target === 'string') return targetNamed(target)
  return isTargetFactory(target) ? target : ascendTarget(target)
}

function explain(error: z.ZodError, values: Record<string, unknown>, origin: Partial<Record<string, string>>): string {
  const issue = error.issues[0]
  const [field = '', ...inside] = (issue?.path ?? []).map(String)
  if (field === 'suites' && inside.length > 0) return explainSuite(issue, inside, values)
  if (issue?.code === 'unrecognized_keys' && field === '')
    return `npuKernels(): no option is called ${issue.keys.map((key) => `"${key}"`).join(' or ')}; there are ${Object.keys(schema.shape).join(', ')}`
  const allowed = describe(field) ?? issue?.message
  const name = origin[field] ?? `npuKernels(): ${field}`
  return `${name} is ${shown(values[field])}; allowed: ${allowed}`
}

/** A value as somebody has written it; JSON has no infinity, and would make nothing of it. */
const shown = (value: unknown): string =>
  typeof value === 'number' && !Number.isFinite(value) ? String(value) : JSON.stringify(value)

/** A wrong field of a suite, by the place of the suite in the list. */
function explainSuite(
  issue: z.core.$ZodIssue | undefined,
  [index = '0', field = '']: readonly string[],
  values: Record<string, unknown>,
): string {
  const place = `npuKernels(): suites[${index}]`
  const given: unknown = Array.isArray(values['suites']) ? values['suites'][Number(index)] : undefined
  const fields = Object.keys(suite.shape).join(', ')
  if (issue?.code === 'unrecognized_keys' && field === '')
    return `${place}: no field is called ${issue.keys.map((key) => `"${key}"`).join(' or ')}; there are ${fields}`
  const shape = Object.entries(suite.shape).find(([name]) => name === field)?.[1]
  if (!shape || given === null || typeof given !== 'object') return `${place}: expects an object with ${fields}`
  const value: unknown = Reflect.get(given, field)
  return `${place}.${field} is ${JSON.stringify(value)}; allowed: ${shape.description ?? issue?.message}`
}

/** The description of a field, also under its default or optional wrapper. */
function describe(field: string): string | undefined {
  const found = Object.entries(schema.shape).find(([name]) => name === field)?.[1]
  const inner = found?.unwrap()
  return inner instanceof z.ZodType ? inner.description : undefined
}

function truthOrText(text: string): unknown {
  return { '0': false, '1': true }[text] ?? text
}

function numberOrText(text: string): unknown {
  const value = Number(text)
  return Number.isNaN(value) ? text : value
}
