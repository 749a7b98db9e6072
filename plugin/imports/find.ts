import { isUtf8 } from 'node:buffer'
import { existsSync, mkdirSync, readdirSync, readlinkSync, realpathSync, rmSync, statSync, type Dirent } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative, sep } from 'node:path'
import { findSamples, PackError, readPack, realPath, type CandidateSuite } from '../candidates/index.ts'
import {
  FileError,
  isInside,
  isOddName,
  isSkipped,
  isSource,
  listBelow,
  readRegular,
  shownName,
} from '../files/index.ts'
import { messageOf, type Sample } from '../model/index.ts'
import { scratchName, sweepScratch } from '../process/scratch.ts'
import { isArchive, leftOut, TooLargeError, unpack } from './archive.ts'
import { samplesInLines } from './json-lines.ts'
import { maxFileBytes, type Finding } from './sample.ts'
import { isLines, isPack } from './source-name.ts'

/** What a source says nothing of. */
export interface ImportDefaults {
  suites: readonly CandidateSuite[]
  /** names of their tasks: what tells the folder of a model from that of a task */
  tasks?: readonly string[]
  /** of packs and operator projects that lie in no folder which names them */
  sample: string
  /** of samples that name none; null: nobody says */
  model: string | null
}

/**
 * The samples of a source, one after the other: a JSONL file, a pack of MultiKernelBench (`.txt`), an archive (`.zip`, `.tar`,
 * `.tar.gz`) of anything that can be imported, or a folder: operator projects in a layout that candidates may have, and packs and
 * JSONL files anywhere below it. Nothing of what is read is executed, no link is followed out of an operator.
 */
export async function* samplesOf(source: string, defaults: ImportDefaults): AsyncGenerator<Finding> {
  let isFolder: boolean
  try {
    isFolder = statSync(source).isDirectory()
  } catch (error) {
    yield { place: shownName(source), reason: `cannot be read: ${messageOf(error)}` }
    return
  }
  if (isFolder) yield* inFolder(source, shownName(source), defaults)
  else if (isArchive(source)) yield* inArchive(source, defaults)
  else if (isLines(source) || isPack(source)) yield* inFile(source, shownName(source), defaults.sample, defaults)
  else yield { place: shownName(source), reason: 'is no folder, .jsonl, .txt (a pack), .zip, .tar, .tar.gz or .tgz' }
}

async function* inArchive(path: string, defaults: ImportDefaults): AsyncGenerator<Finding> {
  sweepScratch(tmpdir(), 'npu-import')
  const folder = join(tmpdir(), scratchName('npu-import'))
  const remove = (): void => rmSync(folder, { recursive: true, force: true })
  process.once('exit', remove)
  mkdirSync(folder, { mode: 0o700 })
  try {
    yield* await unpack(path, shownName(path), folder)
    yield* inFolder(folder, shownName(path), defaults)
  } catch (error) {
    if (!(error instanceof TooLargeError)) throw error
    yield { place: shownName(path), reason: error.message }
  } finally {
    process.off('exit', remove)
    remove()
  }
}

async function* inFolder(folder: string, shown: string, defaults: ImportDefaults): AsyncGenerator<Finding> {
  const root = realPath(folder)
  const { samples, ignored } = findSamples([root], { suites: defaults.suites, tasks: defaults.tasks })
  for (const { path, reason } of ignored) {
    // what holds packs or lines only looks like an operator
    const isSource = existsSync(path) && !filesBelow(path, new Set()).next().done
    if (!isSource) yield { place: `${shown}/${shownName(relative(root, path))}`, reason }
  }
  const projects = new Set(samples.map((sample) => sample.root))
  for (const sample of samples) yield projectIn(sample, projects, root, shown, defaults)
  for (const { path, reason } of filesBelow(root, projects)) {
    const inside = relative(root, path)
    const place = `${shown}/${shownName(inside)}`
    // results of MultiKernelBench: a folder for each run, a pack for each task
    const sample = inside.includes('/') ? basename(dirname(path)) : defaults.sample
    if (reason !== undefined) yield { place, reason }
    else yield* inFile(path, place, sample, defaults)
  }
}

async function* inFile(path: string, shown: string, sample: string, defaults: ImportDefaults): AsyncGenerator<Finding> {
  try {
    if (isPack(path)) yield packIn(path, shown, sample, defaults)
    else for await (const finding of samplesInLines(path, shown)) yield withModel(finding, defaults)
  } catch (error) {
    yield { place: shown, reason: `cannot be read: ${messageOf(error)}` }
  }
}

function packIn(path: string, place: string, sample: string, { model }: ImportDefaults): Finding {
  try {
    const bytes = readRegular(path, maxFileBytes)
    // what is none would be read as another text than Python reads
    if (!isUtf8(bytes)) return { place, reason: 'is not UTF-8: save it as UTF-8' }
    const pack = readPack(bytes.toString('utf8'), basename(path, '.txt'))
    return { place, sample: { task: pack.operator, sample, model, files: pack.files } }
  } catch (error) {
    if (error instanceof PackError) return { place, reason: error.message }
    // the place says already which file it is
    if (error instanceof FileError) return { place, reason: error.message.replace(`${shownName(path)} `, '') }
    throw error
  }
}

/** Of an operator project: the two folders that are judged, and all other sources that these may include. */
function projectIn(
  sample: Sample,
  projects: ReadonlySet<string>,
  folder: string,
  shown: string,
  { sample: name, model }: ImportDefaults,
): Finding {
  const place = `${shown}/${shownName(relative(folder, sample.root))}`
  const { fixedCase, repository, suite } = sample
  if (fixedCase !== undefined)
    return {
      place,
      reason: `is for case ${fixedCase} alone, which its folder says: name the run folder in NPU_CANDIDATES`,
    }
  if (repository !== undefined)
    return { place, reason: 'needs the headers that operators around it share: name its folder in NPU_CANDIDATES' }
  try {
    const others = [...projects].filter((path) => path !== sample.root && isInside(path, sample.root))
    const entries = listBelow(sample.root).filter((entry) => {
      if (/^op_(?:host|kernel)\//.test(entry.name) || entry.name === 'CMakeLists.txt') return true
      const path = join(sample.root, entry.name)
      // as a build reads them, which leaves out here what has an odd name
      return isSource(entry.name) && !entry.odd && !others.some((other) => isInside(path, other))
    })
    const files = new Map<string, Buffer>()
    for (const entry of entries.filter(({ kind, odd }) => odd || kind !== 'folder')) {
      const linked = entry.kind === 'link' ? linkedFile(sample.root, entry.name) : undefined
      const isRead = !entry.odd && (entry.kind === 'file' || linked?.file !== undefined)
      if (!isRead)
        return {
          place,
          reason: `${shownName(entry.name)} ${linked && 'problem' in linked ? linked.problem : irregular}`,
        }
      files.set(entry.name, readRegular(linked?.file ?? join(sample.root, entry.name), maxFileBytes))
    }
    // called after the source, or after its model: after nothing that the sample could be called
    const isUnnamed = sample.root === folder || [basename(folder), sample.model].includes(sample.name)
    const own = isUnnamed ? name : sample.name
    return {
      place,
      sample: { task: sample.task, suite, sample: own.replaceAll('/', '.'), model: sample.model ?? model, files },
    }
  } catch (error) {
    if (error instanceof FileError) return { place, reason: error.message }
    throw error
  }
}

const irregular = 'is no regular file, or has a name that no file may have'

/** What a link in an operator leads to: a file of the same one, or what is wrong with it. */
function linkedFile(root: string, name: string): { file: string } | { file?: undefined; problem: string } {
  const path = join(root, name)
  try {
    if (readlinkSync(path) === leftOut) return { problem: 'could not be taken from the archive' }
    const target = realpathSync(path)
    if (!isInside(target, realPath(root)))
      return { problem: 'links to a place outside of the operator: put a copy there' }
    // what a build does not see is no source either
    const isSeen = !relative(realPath(root), target)
      .split(sep)
      .some((part) => isSkipped(part) || isOddName(part))
    return statSync(target).isFile() && isSeen ? { file: target } : { problem: irregular }
  } catch {
    return { problem: irregular }
  }
}

const withModel = (finding: Finding, { model }: ImportDefaults): Finding =>
  'sample' in finding ? { ...finding, sample: { ...finding.sample, model: finding.sample.model ?? model } } : finding

/** Packs and JSONL files below a folder, outside of operator projects, sorted by name; and folders that cannot be listed, with the reason. */
function* filesBelow(folder: string, projects: ReadonlySet<string>): Generator<{ path: string; reason?: string }> {
  if (projects.has(folder)) return
  let entries: Dirent[]
  try {
    entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    yield { path: folder, reason: `cannot be read: ${messageOf(error)}` }
    return
  }
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (isSkipped(entry.name)) continue
    if (entry.isDirectory()) yield* filesBelow(path, projects)
    else if (entry.isFile() && (isLines(path) || (isPack(path) && entry.name !== 'CMakeLists.txt'))) yield { path }
  }
}
