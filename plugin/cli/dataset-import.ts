import { existsSync } from 'node:fs'
import { basename, relative, resolve } from 'node:path'
import { writeCard } from '../dataset/card.ts'
import { fileSha256 } from '../dataset/hash.ts'
import { columnMapOf, fields, knownMaps, mapped, type ColumnMap } from '../dataset/imports/column-map.ts'
import { recordsOf } from '../dataset/imports/records.ts'
import type { Decision } from '../dataset/work-folder.ts'
import { WorkFolder } from '../dataset/work-folder.ts'
import { packageVersion } from '../files/index.ts'
import { GenerationError } from '../generation/error.ts'
import { neutralText } from '../model/index.ts'
import { parseCommand, required } from './command.ts'
import { UserError } from './user-error.ts'

export const importUsage = `Usage: vitest-npu dataset import <file>... --map <columns> --out <folder>

Reads rows of others, JSON lines or one array of JSON, record by record. Reasoning within <think> is told apart from the answer. Nothing is
believed of them: they are rows of the kind mixed, to be filtered by dataset mix. A run that was killed goes on when it is called again.

  --map <columns>     which columns make which field: request=instruction+input,answer=output
                      fields: ${fields.join(', ')}
                      columns: output, meta.name, messages[0].content, messages[role:user].content
                      or one of ${Object.keys(knownMaps).join(', ')}
  --out <folder>      where rows go: rows.jsonl, rejected.jsonl, card.md
  --licence <SPDX>    of the records; unknown
  --source <name>     where they are from; the name of the file
  --revision <name>   of the source
  --help, --version

  npx vitest-npu dataset import cot.json --map alpaca --licence Apache-2.0 --source AscendKernelGen/Ascend-CoT-v3-json --out cot
`

/** Records of a file, and ten times its rows: a file of which more are none is not what --map says. */
const mostRefused = 50_000

/** `dataset import`: rows of somebody else's records. */
export async function importRowsCommand(args: readonly string[]): Promise<void> {
  const text = { type: 'string' } as const
  const parsed = parseCommand('dataset import', importUsage, args, {
    map: text,
    out: text,
    licence: { ...text, default: 'unknown' },
    source: text,
    revision: text,
  })
  if (!parsed) return
  const { values, positionals: paths } = parsed
  if (paths.length === 0) throw new UserError('dataset import: name a file; see vitest-npu dataset import --help')
  const missing = paths.find((path) => !existsSync(path))
  if (missing !== undefined) throw new UserError(`${missing}: there is no such file`)
  const columns = required('dataset import', 'map', values.map)
  const read = columnMapOf(columns)
  if ('problem' in read) throw new UserError(`--map: ${read.problem}`)
  const out = required('dataset import', 'out', values.out)
  const digests = await Promise.all(paths.map(fileSha256))
  const { licence, source, revision } = values
  let folder: WorkFolder | undefined
  try {
    folder = new WorkFolder(resolve(out), {
      version: packageVersion(),
      builder: 'import',
      map: columns,
      licence,
      source,
      revision,
      files: digests,
    })
    for (const [index, path] of paths.entries()) {
      const provenance = {
        source: source ?? basename(path),
        ...(revision !== undefined && { revision }),
        sha256: digests[index]!,
        licence,
      }
      let [rows, refused] = [0, 0]
      for (const record of recordsOf(path)) {
        const key = `${index}:${record.number}`
        if (folder.isDecided(key)) continue
        const decision = decisionOn(record, read.map, provenance)
        folder.decide(key, decision)
        rows += decision.rows.length
        refused += decision.rejections.length
        if (refused > mostRefused && refused > 10 * rows)
          throw new UserError(
            `${path}: ${refused} records are no rows, up to ${record.number}: is --map what they have?`,
          )
      }
    }
    const card = await writeCard(folder.path)
    console.log(`${card.rows} rows in ${relative(process.cwd(), folder.path) || '.'}`)
    for (const [reason, count] of Object.entries(card.rejected)) console.log(`${count} refused: ${neutralText(reason)}`)
  } catch (error) {
    if (error instanceof GenerationError) throw new UserError(neutralText(error.message), error.exitCode)
    throw error
  } finally {
    folder?.close()
  }
}

type Provenance = Decision['rows'][number]['provenance']

function decisionOn(
  record: { number: number; value: unknown } | { number: number; problem: string },
  map: ColumnMap,
  provenance: Provenance,
): Decision {
  const refused = (reason: string, detail: string): Decision => ({
    rows: [],
    rejections: [{ reason, detail: `${provenance.source}:${record.number}: ${detail}` }],
  })
  if ('problem' in record) return refused('not JSON', record.problem)
  const taken = mapped(record.value, map)
  if ('problem' in taken) return refused('no such columns', taken.problem)
  const { request = '', answer = '', rejected, ...more } = taken.found
  const row = { kind: 'mixed' as const, request, answer, ...more, proof: {}, provenance }
  return { rows: [{ ...row, ...(rejected !== undefined && { rejected: { answer: rejected } }) }], rejections: [] }
}
