import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readExploits, writeSamples, type Exploit } from '../../fixtures/exploits/exploit.ts'
import type { LedgerEntry } from '../../plugin/ledger/index.ts'
import { obeyedIn } from '../obeyed.ts'
import { cacheDir, Project } from '../project.ts'
import { kept, layers, patched, patchesOf, type Layer } from './layers.ts'

const repository = fileURLToPath(new URL('../../', import.meta.url))
const document = join(repository, 'docs/security.md')
const [begin, end] = ['<!-- npm run layers -->\n', '<!-- end of npm run layers -->']

/** A run without a layer ends by itself, or an exploit has kept it from that. */
const runLimitMs = 240_000

/** What an exploit came to. */
interface Outcome {
  exploit: string
  /** `own`: refused as ever; `behind`: refused by something else; `gains`: nothing has refused it */
  held: 'own' | 'behind' | 'gains'
  /** of `behind`: the verdict that it got instead */
  by: string
}

/** A copy of the built package without a layer. Throws where a patch does not apply. */
function packageWithout(layer: Layer, folder: string): void {
  for (const part of ['dist', 'plugin/emulator', 'references/baseline', 'references/golden', 'schemas', 'package.json'])
    cpSync(join(repository, part), join(folder, part), { recursive: true })
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'))
  for (const patch of patchesOf(layer)) {
    const path = join(folder, patch.file)
    writeFileSync(path, patched(readFileSync(path, 'utf8'), patch))
  }
}

function outcomeOf(exploit: Exploit, entries: readonly LedgerEntry[], text: string): Outcome {
  const own = entries.filter(({ sample }) => sample === exploit.name)
  const failed = own.filter(({ verdict }) => verdict.kind !== 'correct')
  const all = failed.map(({ verdict }) => JSON.stringify(verdict)).join('\n')
  const { name } = exploit
  if (exploit.layer === 'printing' && obeyedIn(text).length > 0) return { exploit: name, held: 'gains', by: '' }
  const [first] = failed
  if (!first)
    return { exploit: name, held: own.length === 0 ? 'behind' : 'gains', by: own.length === 0 ? 'no candidate' : '' }
  const expected = failed.every(({ verdict }) => exploit.verdict.includes(verdict.kind))
  if (expected && (exploit.message === undefined || all.includes(exploit.message)))
    return { exploit: name, held: 'own', by: '' }
  const [, message = ''] = /"message":"((?:[^"\\]|\\.)*)"/.exec(JSON.stringify(first.verdict)) ?? []
  return { exploit: name, held: 'behind', by: `${first.verdict.kind}${message === '' ? '' : `: ${message}`}` }
}

/** Judges all exploits with a copy of the package that lacks a layer. */
async function judgeWithout(layer: Layer, exploits: readonly Exploit[]): Promise<Outcome[]> {
  const folder = join(repository, '.npu', `layers-${process.pid}`)
  mkdirSync(folder, { recursive: true })
  try {
    packageWithout(layer, folder)
    const project = new Project(folder)
    project.config('{ fuzzRuns: 2, fuzzBudgetMs: 5000, launchTimeoutMs: 2000, remember: false }')
    project.operator('ScaleCustom')
    project.clear('candidates')
    const samples = join(project.folder, 'candidates/ScaleCustom')
    mkdirSync(samples)
    for (const exploit of exploits) {
      writeSamples(exploit, samples, join(project.folder, 'outside'))
      // the twins are right with all layers, and so without one
      rmSync(join(samples, `${exploit.name}.twin`), { recursive: true, force: true })
    }
    const { child, done } = project.start({ env: { NPU_CACHE_DIR: cacheDir } })
    const limit = setTimeout(() => child.kill('SIGKILL'), runLimitMs)
    const { text, signal } = await done
    clearTimeout(limit)
    if (signal !== null) throw new Error(`${layer.name}: the run did not end within ${runLimitMs / 1000} s:\n${text}`)
    if (project.ledger().length === 0) throw new Error(`${layer.name}: the run judged nothing:\n${text}`)
    return exploits.map((exploit) => outcomeOf(exploit, project.ledger(), text))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replace(/\s+/g, ' ')

/** What a text says in a table: without the folders of this run, and not all of it. */
function shown(by: string): string {
  const text = cell(by.replaceAll(/\/[\w./-]*\/(?=[\w.-]+)/g, ''))
  return text.length > 90 ? `${text.slice(0, 90)}…` : text
}

function rowOf({ name }: Layer, outcomes: readonly Outcome[]): string {
  const names = (held: Outcome['held']): string[] =>
    outcomes.flatMap((outcome) => (outcome.held === held ? [`\`${outcome.exploit}\``] : []))
  const behind = outcomes.flatMap(({ exploit, held, by }) =>
    held === 'behind' ? [`\`${exploit}\` (${shown(by)})`] : [],
  )
  const gains = names('gains').join(', ') || '–'
  return `| ${name} | ${gains} | ${behind.join('; ') || '–'} | ${names('own').length} |`
}

/** The rows that the document has, by what they are without. */
function rowsOf(text: string): Map<string, string> {
  const lines = text.split('\n').filter((line) => line.startsWith('| '))
  return new Map(lines.map((line) => [line.split(' | ')[0]!.slice(2), line]))
}

/** Writes the table of docs/security.md; with names of layers, the rows of those alone. */
export async function main(args: readonly string[]): Promise<void> {
  const wanted = layers.filter(({ name }) => args.length === 0 || args.some((arg) => name.startsWith(arg)))
  if (wanted.length === 0) throw new Error(`no such layer: ${layers.map(({ name }) => name).join(', ')}`)
  const exploits = readExploits()
  for (const layer of wanted) {
    const started = performance.now()
    const row = rowOf(layer, await judgeWithout(layer, exploits))
    write(layer.name, row)
    console.log(`${row}\n  ${Math.round((performance.now() - started) / 1000)} s`)
  }
}

function write(name: string, row: string): void {
  const text = readFileSync(document, 'utf8')
  const [before, after] = [text.indexOf(begin), text.indexOf(end)]
  if (before < 0 || after < 0) throw new Error(`${document} has no lines ${begin.trim()} and ${end}`)
  const old = rowsOf(text.slice(before, after)).set(name, row)
  const head = ['| without | right, or obeyed | refused by something else | refused as ever |', '|---|---|---|---|']
  const rows = layers.map((layer) => old.get(layer.name) ?? `| ${layer.name} | not run yet | | |`)
  const untaken = kept.map(([layer, why]) => `| ${layer} | not taken away: ${why} | | |`)
  const table = [...head, ...rows, ...untaken].join('\n')
  writeFileSync(document, `${text.slice(0, before + begin.length)}\n${table}\n\n${text.slice(after)}`)
}
