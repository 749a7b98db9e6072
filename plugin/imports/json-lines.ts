import { createReadStream } from 'node:fs'
import { z } from 'zod'
import { byteOrderMark } from '../files/index.ts'
import { recordOf } from '../model/index.ts'
import type { Finding } from './sample.ts'

/** Of one line: JSON is longer than the files in it. */
const maxLineBytes = 192 << 20

const name = z.union([z.string(), z.int().transform(String)])

/** One line of a JSONL file of samples. */
const line = z.object({
  task: z.string(),
  sample: name,
  model: name.nullish().transform((model) => model ?? null),
  files: recordOf(z.string()),
})

/** Lines of a file, numbered from 1; null for one that is too long to be read. */
async function* linesOf(path: string, maxBytes: number): AsyncGenerator<[number, string | null]> {
  let parts: Buffer[] = []
  let bytes = 0
  let number = 1
  const take = (): string | null => {
    const text = bytes > maxBytes ? null : Buffer.concat(parts).toString('utf8')
    parts = []
    bytes = 0
    return text
  }
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
    let rest: Buffer = chunk
    while (rest.length > 0) {
      const end = rest.indexOf(10)
      const part = end < 0 ? rest : rest.subarray(0, end)
      bytes += part.length
      if (bytes <= maxBytes) parts.push(part)
      else parts = []
      if (end < 0) break
      yield [number++, take()]
      rest = rest.subarray(end + 1)
    }
  }
  if (bytes > 0) yield [number, take()]
}

/**
 * The samples of a JSONL file: `{"task": "RmsNorm", "sample": "s0", "model": "m", "files": {"op_kernel/rms_norm.cpp": "…"}}` a
 * line; `model` may be left out. A line that is none is a finding with its reason.
 */
export async function* samplesInLines(
  path: string,
  shown: string,
  maxBytes: number = maxLineBytes,
): AsyncGenerator<Finding> {
  for await (const [number, text] of linesOf(path, maxBytes)) {
    const place = `${shown}:${number}`
    if (text?.trim() === '') continue
    if (text === null) yield { place, reason: `is longer than ${maxBytes} bytes` }
    else yield { place, ...sampleIn(number === 1 ? text.replace(byteOrderMark, '') : text) }
  }
}

function sampleIn(text: string): { sample: Extract<Finding, { sample: unknown }>['sample'] } | { reason: string } {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    return { reason: `is no JSON: ${error instanceof Error ? error.message.slice(0, 120) : String(error)}` }
  }
  const parsed = line.safeParse(json)
  if (parsed.success) return { sample: { ...parsed.data, files: new Map(Object.entries(parsed.data.files)) } }
  const [issue] = parsed.error.issues
  const field = issue?.path.join('.').slice(0, 80) || 'the line'
  const isMissing = issue?.code === 'invalid_type' && issue.path.length === 1 && !has(json, issue.path[0])
  return { reason: isMissing ? `has no ${field}: a line has task, sample and files` : `${field}: ${issue?.message}` }
}

const has = (value: unknown, field: PropertyKey | undefined): boolean =>
  typeof value === 'object' && value !== null && field !== undefined && Object.hasOwn(value, field)
