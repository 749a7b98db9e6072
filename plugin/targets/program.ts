import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Cache } from '../cache/cache.ts'
import { hashOf } from '../cache/hash.ts'
import { placeOf } from '../dsl/problem.ts'
import { FileError, readRegular } from '../files/index.ts'
import type {
  Artifact,
  CompletedLaunch,
  Diagnostic,
  FailedLaunch,
  Report,
  Sample,
  TargetBuild,
  Verdict,
} from '../model/index.ts'
import type { ProgramCompiler } from './program-compiler.ts'

/** A project that was compiled from a program, and where its lines come from. */
interface CompiledProgram {
  readonly ok: true
  /** the folder of the project */
  readonly folder: string
  /** names the program: its path and its text */
  readonly id: string
  /** the program, absolute */
  readonly file: string
  /** lines of the program by those of the kernel */
  readonly lines: ReadonlyMap<number, number>
}

type Failure = Omit<Extract<Verdict, { kind: 'compile-failed' }>, 'kind'>

/** Programs are written by people: none is longer. */
const maxBytes = 1 << 20

/** Compiles a program to a project in the cache. What is wrong with the program is a failure of the candidate. */
async function compileProgram(
  { cache, compiler }: { cache: Cache; compiler: ProgramCompiler },
  path: string,
): Promise<CompiledProgram | { ok: false; failure: Failure }> {
  const read = textOf(path)
  if (typeof read !== 'string') return { ok: false, failure: read }
  const text = read
  const compiled = await compiler.compile({ file: path, text })
  if (!compiled.ok) {
    const diagnostics = compiled.problems.map(({ span, message, hint }): Diagnostic => ({
      severity: 'error',
      message: hint === undefined ? message : `${message}: ${hint}`,
      file: path,
      ...placeOf(text, span.start),
    }))
    return { ok: false, failure: { stage: 'kernel', class: 'dsl', diagnostics, log: compiled.message } }
  }
  const { files, lines } = compiled
  const key = hashOf(...files.flatMap(({ path: name, content }) => [name, content]))
  const folder = await cache.entry('programs', key, async (into) => {
    for (const { path: name, content } of files) {
      await mkdir(dirname(join(into, name)), { recursive: true })
      await writeFile(join(into, name), content)
    }
  })
  return { ok: true, folder, id: hashOf(path, text), file: path, lines: new Map(lines) }
}

/** What a program says, or why that cannot be read. */
function textOf(path: string): string | Failure {
  try {
    return readRegular(path, maxBytes).toString('utf8')
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    const { message } = error
    return { stage: 'kernel', class: 'dsl', diagnostics: [{ severity: 'error', message, file: path }], log: message }
  }
}

/** The sample as the toolchain builds it. */
function projectOf(sample: Sample, { folder }: CompiledProgram): Sample {
  return { ...sample, root: folder, kernelDir: join(folder, 'op_kernel'), hostDir: join(folder, 'op_host') }
}

/** A place in the sources. */
interface Place {
  file?: string | undefined
  line?: number | undefined
}

/** A place of the kernel as that of the program. */
function placed<T extends Place>(place: T, { file, lines }: CompiledProgram): T {
  const from = place.file?.includes('op_kernel/') && place.line !== undefined ? lines.get(place.line) : undefined
  return from === undefined ? place : { ...place, file, line: from }
}

/** Warnings of compilers that name lines of the kernel, naming those of the program. */
const warningsInProgram = (warnings: readonly Diagnostic[], program: CompiledProgram): Diagnostic[] =>
  warnings.map((each) => placed(each, program))

function reportInProgram(report: Report, program: CompiledProgram): Report {
  const own = placed(report, program)
  return report.other === undefined ? own : { ...own, other: placed(report.other, program) }
}

/** A launch whose reports and writers name lines of the kernel, naming those of the program. */
function launchInProgram<T extends CompletedLaunch | FailedLaunch>(launch: T, program: CompiledProgram): T {
  const reports = launch.reports.map((each) => reportInProgram(each, program))
  if (launch.ok) {
    const { writers } = launch
    return { ...launch, reports, ...(writers && { writers: writers.map((each) => each && placed(each, program)) }) }
  }
  if (!('report' in launch.verdict)) return { ...launch, reports }
  return { ...launch, reports, verdict: { ...launch.verdict, report: reportInProgram(launch.verdict.report, program) } }
}

/** The programs that artifacts of a target were compiled from: what is said of their projects names lines of them. */
export class Programs<A extends Artifact> {
  readonly #compiled = new Map<string, CompiledProgram>()

  /** Builds a sample, or the project of its program, with `buildProject`. */
  async build(
    sample: Sample,
    equipment: () => Promise<{ cache: Cache; compiler: ProgramCompiler }>,
    buildProject: (sample: Sample) => Promise<TargetBuild<A>>,
  ): Promise<TargetBuild<A>> {
    if (sample.program === undefined) return await buildProject(sample)
    const compiled = await compileProgram(await equipment(), sample.program)
    if (!compiled.ok) return { ok: false, failure: compiled.failure, cached: false }
    const built = await buildProject(projectOf(sample, compiled))
    if (!built.ok) return built
    // programs of one meaning are one project; what is said of it names lines of the one that is judged
    const id = hashOf(built.artifact.id, compiled.id)
    this.#compiled.set(id, compiled)
    const artifact = { ...built.artifact, id, written: compiled.lines }
    return { ...built, artifact, warnings: warningsInProgram(built.warnings, compiled) }
  }

  /** What a launch of an artifact has come to. */
  launched<T extends CompletedLaunch | FailedLaunch>({ id }: A, launch: T): T {
    const compiled = this.#compiled.get(id)
    return compiled ? launchInProgram(launch, compiled) : launch
  }
}
