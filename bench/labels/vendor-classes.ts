import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { z } from 'zod'
import type { Diagnostic, ErrorClass } from '../../plugin/model/index.ts'
import { KernelService } from '../../plugin/service/index.ts'
import { emulator } from '../../plugin/targets/emulator.ts'
import { parseDiagnostics } from '../../plugin/toolchain/diagnostics.ts'
import { classOf } from '../../plugin/toolchain/error-class.ts'
import { printTable } from '../figures.ts'
import { combinationOf } from '../subjects.ts'
import { share } from './document.ts'
import { importPack, packText, type Label } from './packs.ts'

/** What the log of a card's build said of one pack. */
const vendorLabel = z.object({
  branch: z.string(),
  path: z.string(),
  operator: z.string(),
  compiled: z.boolean(),
  errors: z.array(z.object({ file: z.string(), line: z.int(), message: z.string() })),
})

type VendorLabel = z.infer<typeof vendorLabel>

/** The vendor's host compiler is a g++, which quotes as ‘this’; its device compiler a clang, which quotes as 'this'. */
const stageOf = ({ message }: VendorLabel['errors'][number]): 'host' | 'kernel' =>
  /[‘’]/.test(message) ? 'host' : 'kernel'

/** What our own parser makes of a line of the vendor's compilers. */
function parsed(error: VendorLabel['errors'][number]): Diagnostic | undefined {
  const [diagnostic] = parseDiagnostics(`${error.file}:${error.line}:1: error: ${error.message}`)
  return diagnostic?.file === error.file && diagnostic.line === error.line ? diagnostic : undefined
}

interface Compared {
  label: VendorLabel
  vendor: ErrorClass
  own: ErrorClass
  /** whether both speak of the same line */
  sameLine: boolean
}

/**
 * Parses every message of the vendor's compilers in a file of labels, and tells how often the class of a pack's first error is
 * the one that our own toolchain gives for the same pack.
 */
export async function vendorClasses(cacheDir: string, args: readonly string[]): Promise<void> {
  const [checkout, labelFile] = args
  if (checkout === undefined || labelFile === undefined)
    throw new Error('name the checkout that holds the packs and the file of labels')
  const lines = readFileSync(labelFile, 'utf8').split('\n')
  const all = lines.filter((line) => line !== '').map((line) => vendorLabel.parse(JSON.parse(line)))
  const messages = all.flatMap(({ errors }) => errors)
  const unread = messages.filter((error) => parsed(error) === undefined)
  console.log(`Messages that are read: ${share(messages.length - unread.length, messages.length)}`)
  for (const { file, line, message } of unread) console.log(`  not read: ${file}:${line}: ${message}`)
  const rejected = all.filter(({ errors }) => errors.length > 0)
  print(await compare({ checkout, cacheDir }, rejected), rejected.length)
}

async function compare(
  { checkout, cacheDir }: { checkout: string; cacheDir: string },
  labels: readonly VendorLabel[],
): Promise<Compared[]> {
  const jobs = 1
  const target = emulator.create({ cacheDir, soc: 'Ascend910B2', cann: '8.3', jobs })
  const service = new KernelService({ target, cacheDir, jobs })
  await service.start()
  const folder = mkdtempSync(join(tmpdir(), 'npu-vendor-classes-'))
  const compared: Compared[] = []
  try {
    for (const [index, label] of labels.entries()) {
      const found = await rejection({ service, root: join(folder, String(index)), checkout }, label)
      const [first] = label.errors
      const diagnostic = first && parsed(first)
      if (!found || !first || !diagnostic) continue
      const [own] = found.diagnostics
      compared.push({
        label,
        vendor: classOf(stageOf(first), [diagnostic]),
        own: found.class,
        sameLine: own?.line === first.line && basename(own.file ?? '') === first.file,
      })
    }
  } finally {
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return compared
}

/** What our own toolchain says of a pack; undefined where it builds it, or cannot read it. */
async function rejection(
  { service, root, checkout }: { service: KernelService; root: string; checkout: string },
  label: VendorLabel,
) {
  const place: Label = { ...label, name: label.operator, correct: null, failure: null }
  const imported = importPack(await packText(checkout, place), label.operator, root)
  if ('unusable' in imported) return undefined
  const { sample, task } = imported
  const built = await service.build({ sample, task, combinations: [combinationOf(task, 0)] })
  rmSync(root, { recursive: true })
  return !built.ok && built.verdict.kind === 'compile-failed' ? built.verdict : undefined
}

function print(compared: readonly Compared[], rejected: number): void {
  const equal = (some: readonly Compared[]): string =>
    share(some.filter(({ vendor, own }) => vendor === own).length, some.length)
  console.log(`Packs that both reject: ${compared.length} of ${rejected} with a message`)
  console.log(`Same class: ${equal(compared)}`)
  console.log(`Same class, where both speak of the same line first: ${equal(compared.filter((one) => one.sameLine))}`)
  const pairs = new Map<string, number>()
  for (const { vendor, own } of compared.filter((one) => one.vendor !== one.own && one.sameLine)) {
    const pair = `${vendor} | ${own}`
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1)
  }
  const rows = [...pairs].sort(([, a], [, b]) => b - a).map(([pair, count]) => [...pair.split(' | '), String(count)])
  printTable('Other classes on the same line', [['vendor', 'here', 'packs'], ...rows])
  for (const { label, vendor, own, sameLine } of compared) {
    if (vendor === own || !sameLine) continue
    console.log(`  ${label.path}: ${vendor} / ${own}: ${label.errors[0]?.message}`)
  }
}
