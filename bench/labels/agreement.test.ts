import { expect, test } from 'vitest'
import { agreementOf } from './agreement.ts'
import type { Answer } from './compile.ts'
import { documentOf } from './document.ts'
import type { Judged } from './judged.ts'
import type { Label } from './packs.ts'

const label = (some: Partial<Label>): Label => ({
  branch: 'b',
  path: 'folder/relu.txt',
  name: 'relu',
  compiled: true,
  correct: null,
  failure: null,
  errors: [],
  ...some,
})

const files = ['op_kernel/relu_custom.cpp']

const built = (launched: Extract<Answer, { kind: 'compiled' }>['launched'] = null, code = 'one'): Answer => ({
  kind: 'compiled',
  warnings: [],
  launched,
  code,
  files,
})

const rejectedAt = (line: number): Answer => ({
  kind: 'rejected',
  files,
  verdict: {
    kind: 'compile-failed',
    stage: 'kernel',
    class: 'scope',
    log: '',
    diagnostics: [{ severity: 'error', message: 'no such name', file: '/x/relu_custom.cpp', line }],
  },
})

const clean = { kind: 'clean' } as const
const flagged = { kind: 'flagged', finding: 'wrong-value: 1 of 2' } as const
const errorsAt = (...lines: number[]): Label['errors'] => lines.map((line) => ({ file: 'relu_custom.cpp', line }))

const agreement = (...all: [Partial<Label>, Answer][]) =>
  agreementOf(all.map(([some, answer]): Judged => ({ label: label(some), answer })))

test('every build is counted where both answers meet', () => {
  const { compiled, disagreements } = agreement(
    [{}, built()],
    [{}, rejectedAt(3)],
    [{ compiled: false, errors: errorsAt(3) }, built()],
    [{ compiled: false, errors: errorsAt(3) }, rejectedAt(3)],
  )
  expect(compiled).toEqual({ yesYes: 1, yesNo: 1, noYes: 1, noNo: 1 })
  expect(disagreements.map(({ kind }) => kind)).toEqual([
    'compiled on the card, rejected here',
    'rejected on the card, compiled here',
  ])
})

test('a rejection that names no line of the operator is not compared', () => {
  expect(agreement([{ compiled: false }, built()]).compiled).toEqual({ yesYes: 0, yesNo: 0, noYes: 0, noNo: 0 })
})

test('a line is the first of the card, one of its first three, or another', () => {
  const { lines, disagreements } = agreement(
    [{ compiled: false, errors: errorsAt(3, 4) }, rejectedAt(3)],
    [{ compiled: false, errors: errorsAt(9, 5, 3) }, rejectedAt(3)],
    [{ compiled: false, errors: errorsAt(2) }, rejectedAt(3)],
  )
  expect(lines).toEqual({ comparable: 3, first: 1, named: 1 })
  expect(disagreements.map(({ card, reason }) => [card, reason === null])).toEqual([
    ['relu_custom.cpp:9', false],
    ['relu_custom.cpp:2', true],
  ])
})

test('every launch is counted where both answers meet', () => {
  const { ran, disagreements } = agreement(
    [{ correct: true }, built(clean, 'a')],
    [{ correct: true }, built(flagged, 'b')],
    [{ correct: false, failure: 'values' }, built(clean, 'c')],
    [{ correct: false, failure: 'device' }, built(flagged, 'd')],
  )
  expect(ran).toEqual({ yesYes: 1, yesNo: 1, noYes: 1, noNo: 1 })
  expect(disagreements.map(({ card, here }) => [card, here])).toEqual([
    ['right', 'wrong-value: 1 of 2'],
    ['wrong: values', 'clean'],
  ])
})

test('what was right in another run of the card says nothing where it was wrong', () => {
  const { ran, notLaunched } = agreement(
    [{ correct: true }, built(clean, 'same')],
    [{ correct: false, failure: 'exception' }, built(clean, 'same')],
    [{ correct: false, failure: 'exception' }, built(clean, 'other')],
  )
  expect(ran).toEqual({ yesYes: 1, yesNo: 0, noYes: 1, noNo: 0 })
  expect([...notLaunched.values()]).toEqual([1])
})

test('what cannot be compared is counted by why', () => {
  const { ran, notLaunched } = agreement([
    { correct: true },
    built({ kind: 'not comparable', why: 'no published reference' }),
  ])
  expect(ran).toEqual({ yesYes: 0, yesNo: 0, noYes: 0, noNo: 0 })
  expect([...notLaunched]).toEqual([['no published reference', 1]])
})

test('the document says what nobody has explained, and repeats no message', () => {
  const document = documentOf(agreement([{ compiled: false, errors: errorsAt(2) }, rejectedAt(3)]))
  expect(document).toContain('Not explained:\n\n- `b:folder/relu.txt`: relu_custom.cpp:2 / relu_custom.cpp:3\n')
  expect(document).not.toContain('no such name')
})
