import type { TestCase, TestModule } from 'vitest/node'
import { sampleKey } from '../ledger/judged-samples.ts'
import type { Verdict } from '../model/index.ts'
import './meta.ts'

/**
 * What tells the defect behind a verdict from others; undefined where figures alone could, as those of wrong values. Tests of a
 * sample whose verdicts agree in it have failed for one reason.
 */
export function defectOf(verdict: Verdict): string | undefined {
  switch (verdict.kind) {
    case 'device-error':
    case 'hazard': {
      const { code, file, line, instruction } = verdict.report
      return JSON.stringify([verdict.kind, code, file, line, instruction])
    }
    case 'crashed':
      return JSON.stringify([verdict.kind, verdict.signal, verdict.message])
    case 'tiling-failed':
    case 'wrong-structure':
      return JSON.stringify([verdict.kind, verdict.message])
    case 'infrastructure':
      // golden fails on each case for itself
      return JSON.stringify([verdict.kind, verdict.message.replace(/\bstatic \d+\b/g, 'a case')])
    default:
      return undefined
  }
}

/** `static 0: x float16[8]` by what is short of it. */
export const shortTitle = (title: string): string => /^static \d+(?=:)/.exec(title)?.[0] ?? title

/** `static 1–3, static 7, holds for generated shapes` of titles in their order. */
export function titlesInShort(titles: readonly string[]): string {
  const parts: { first?: number; last?: number; text: string }[] = []
  for (const title of titles.map(shortTitle)) {
    const number = /^static (\d+)$/.exec(title)?.[1]
    const at = number === undefined ? undefined : Number(number)
    const previous = parts.at(-1)
    if (at !== undefined && previous?.last === at - 1) {
      previous.last = at
      previous.text = `static ${previous.first}–${at}`
    } else parts.push({ text: title, ...(at !== undefined && { first: at, last: at }) })
  }
  return parts.map(({ text }) => text).join(', ')
}

/** What comes last in the message of a failure, behind what all cases have in common. */
const lastLine = '\n  reproduce: '

const withLine = (text: string, line: string): string => {
  const at = text.lastIndexOf(lastLine)
  return at < 0 ? text : `${text.slice(0, at)}\n  ${line}${text.slice(at)}`
}

/** Tests of a sample that have failed for one reason get one error, which names them all: reporters print it once. */
export function foldFailures(module: TestModule): void {
  const groups = new Map<string, TestCase[]>()
  for (const test of module.children.allTests('failed')) {
    const { npu } = test.meta()
    const defect = npu?.verdict && defectOf(npu.verdict)
    if (!npu || defect === undefined) continue
    const key = JSON.stringify([sampleKey(npu), defect])
    groups.set(key, [...(groups.get(key) ?? []), test])
  }
  for (const [first, ...others] of groups.values()) {
    const error = first?.result().errors?.[0]
    if (!error || others.length === 0) continue
    const line = `also: ${titlesInShort(others.map(({ name }) => name))}`
    error.message = withLine(error.message, line)
    if (error.stack !== undefined) error.stack = withLine(error.stack, line)
    for (const other of others) {
      // a generated case has a counterexample of its own
      const own = other.result().errors?.[0]
      if (own && other.meta().npu?.stage === 'static')
        Object.assign(own, { message: error.message, stack: error.stack })
    }
  }
}
