import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { hashOf } from '../../cache/hash.ts'
import { InfrastructureError, messageOf, type ProjectFile } from '../../model/index.ts'
import { scratchName, sweepScratch } from '../../process/scratch.ts'
import type { ProjectReader } from '../../targets/emulator.ts'
import { ProgramCompiler } from '../../targets/program-compiler.ts'
import type { Rejection } from '../work-folder.ts'
import { compileCodes, type Compiler } from './compile.ts'
import {
  describing,
  hostFiles,
  interfaceOf,
  kernelUnits,
  projectsIn,
  type CompileProgram,
  type OperatorFacts,
  type OperatorProject,
} from './operator.ts'
import { entryName, plainCode, snippetsOf, type KernelSnippet } from './snippets.ts'

/** What is found of an operator, once. */
export interface FoundOperator {
  source: string
  facts: OperatorFacts
  snippets: readonly KernelSnippet[]
}

/** What an operator came to: snippets that compile, and what was refused. */
export interface FoundSnippets {
  operator: FoundOperator | null
  rejections: readonly Rejection[]
}

export interface FindOptions {
  /** characters of a snippet at most */
  longest: number
  /** keeps what is costly to find */
  found: <T>(key: string, make: () => Promise<T>) => Promise<T>
  /** what asks for the OpDef of a project; it is closed when all are known */
  reader: ProjectReader
  compiler: Compiler
  signal: AbortSignal
}

/** Where programs of the DSL are compiled to. */
const prefix = 'vitest-npu-programs'

/** The operators below folders, with the snippets of each that compile. */
export async function findOperators(folders: readonly string[], options: FindOptions): Promise<FoundSnippets[]> {
  sweepScratch(tmpdir(), prefix)
  const scratch = join(tmpdir(), scratchName(prefix))
  try {
    return await findIn(folders, scratch, options)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

async function findIn(folders: readonly string[], scratch: string, options: FindOptions): Promise<FoundSnippets[]> {
  const { found, reader, signal } = options
  const write = (name: string, files: readonly ProjectFile[]): string => {
    const root = join(scratch, name)
    for (const { path, content } of files) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), content)
    }
    return root
  }
  const projects: { folder: string; project: OperatorProject }[] = []
  const programs = new ProgramCompiler()
  try {
    const compile: CompileProgram = async (request) => {
      signal.throwIfAborted()
      const answer = await programs.compile(request)
      return answer.ok ? answer.files : null
    }
    for (const folder of folders)
      for (const project of await projectsIn(folder, compile, write))
        projects.push({ folder: resolve(folder), project })
  } finally {
    programs.close()
  }
  const known: { project: OperatorProject; key: string; folder: string; facts: OperatorFacts | string }[] = []
  // all of them are described before anything is built: whoever reads them ends the tools of this process
  for (const { folder, project } of projects) {
    signal.throwIfAborted()
    const key = keyOf(project)
    const facts = await found(`operator ${key}`, () => factsOf(project, reader))
    known.push({ project, key, folder, facts })
  }
  await reader.close()
  const operators: FoundSnippets[] = []
  const material = hashOf(...known.map(({ key }) => key))
  const seen = new Set<string>()
  for (const { project, key, folder, facts } of known) {
    signal.throwIfAborted()
    if (typeof facts === 'string')
      operators.push({ operator: null, rejections: [{ reason: 'no operator', detail: `${project.source}: ${facts}` }] })
    else
      operators.push(
        await found(`snippets ${options.longest} ${material} ${key}`, () =>
          compiled(project, project.root.startsWith(scratch) ? scratch : folder, facts, seen, options),
        ),
      )
    for (const { code } of operators.at(-1)?.operator?.snippets ?? []) seen.add(plainCode(code))
  }
  return operators
}

const keyOf = (project: OperatorProject): string =>
  hashOf(
    project.source,
    ...hostFiles(project).flatMap(({ path, content }) => [path, content]),
    ...kernelUnits(project).flatMap(({ files }) => files.map(({ text }) => text)),
  )

/** What its builds need to know of an operator project; a sentence where it is none. */
export async function factsOf(project: OperatorProject, reader: ProjectReader): Promise<OperatorFacts | string> {
  const texts = kernelUnits(project).flatMap(({ files }) => files.map(({ text }) => text))
  const kernels = [...new Set(texts.map(entryName).filter((name) => name !== ''))]
  const [kernel] = kernels
  if (kernel === undefined || kernels.length > 1) return `it has ${kernels.length} kernels`
  try {
    const { operators } = await reader.describe(describing(project))
    const [operator] = operators
    if (!operator || operators.length > 1) return `its host part registers ${operators.length} operators`
    const known = interfaceOf(operator, kernel)
    if (!known) return 'its OpDef has dtypes or attributes that no task has'
    const core = texts.map((text) => /\bKERNEL_TYPE_\w+/.exec(text)?.[0]).find(Boolean) ?? 'KERNEL_TYPE_AIV_ONLY'
    return { ...known, core, host: hostFiles(project) }
  } catch (error) {
    // nothing that may be kept of the operator
    if (error instanceof InfrastructureError) throw error
    return messageOf(error)
  }
}

async function compiled(
  project: OperatorProject,
  root: string,
  facts: OperatorFacts,
  seen: ReadonlySet<string>,
  { longest, compiler }: FindOptions,
): Promise<FoundSnippets> {
  const all = kernelUnits(project).flatMap((unit) => snippetsOf(unit, root))
  const fitting = all.filter(({ code }) => code.length <= longest && !seen.has(plainCode(code)))
  const problems = await compileCodes(
    compiler,
    facts,
    fitting.map(({ code }) => code),
  )
  const rejections = [
    ...all
      .filter(({ code }) => code.length > longest)
      .map(({ name, code }) => ({
        reason: 'too long',
        detail: `${project.source}: ${name}: ${code.length} characters`,
      })),
    ...fitting.flatMap(({ name }, i) => {
      const problem = problems[i]
      return problem == null ? [] : [{ reason: 'does not compile', detail: `${project.source}: ${name}: ${problem}` }]
    }),
  ]
  const snippets = fitting.filter((_, i) => problems[i] === null)
  return { operator: { source: project.source, facts, snippets }, rejections }
}
