import type { CaseDetail, Finding, Listing, Message, Place, SampleDetail, Texts } from '../model.ts'
import type { Comparison, Latency, Timeline, Writer, WrongElement } from '../types.ts'
import { badge, card, h, none, note, ratio, table, time, type Child } from './dom.ts'
import { difference, fileOf, frame, listing as sourceListing, marksOf } from './source-view.ts'
import { timelineView } from './timeline.ts'

const notRecorded = 'Not recorded: the run kept no sources of this sample, or this page has no room for them.'

const noTimeline =
  'Not recorded: a run keeps it with the option timeline, on a target that tells it, and this page may have no room for it.'

/** Sources of another sample of the task. */
export type TextsOf = (sample: number) => Promise<Texts | undefined>

/** Everything about one sample. */
export function samplePage(
  listing: Listing,
  index: number,
  detail: SampleDetail | undefined,
  { texts, textsOf, timeline }: { texts: Texts | undefined; textsOf: TextsOf; timeline: Timeline | undefined },
): Child {
  const sample = listing.samples[index]!
  const task = listing.tasks[sample.task]
  const head = h(
    'div',
    { class: 'head' },
    h(
      'p',
      { class: 'crumbs' },
      h('a', { href: '#/tasks' }, 'Tasks'),
      ' › ',
      h('a', { href: `#/task/${sample.task}` }, task?.name ?? ''),
    ),
    h('h2', { tabindex: -1, class: 'title' }, `${task?.name ?? ''} › ${sample.name}`),
    h(
      'p',
      {},
      badge(sample.status),
      sample.class === null ? null : ` ${sample.class}`,
      ` · ${[sample.model, task?.level, task?.category, detail?.device, detail ? `${detail.profile} tolerance, seed ${detail.seed}` : ''].filter(Boolean).join(' · ')}`,
    ),
  )
  if (!detail) return [head, none('Not recorded.')]
  const bad = detail.cases.filter(({ kind }) => kind !== 'correct')
  return [
    head,
    bad.length > 0
      ? card(
          'What went wrong',
          ...bad.slice(0, 1).map((each) => caseDetail(each, texts, true)),
          ...moreOf(bad.slice(1), texts),
        )
      : null,
    performance(detail),
    detail.latency ? card('Timeline of the pipes', timeline ? timelineView(timeline) : none(noTimeline)) : null,
    findingsCard(detail, texts),
    coverage(detail, texts),
    cases(detail),
    sourcesCard(detail, texts, bad),
    texts ? compareCard(listing, index, texts, textsOf) : null,
  ]
}

const moreOf = (others: readonly CaseDetail[], texts: Texts | undefined): Child[] =>
  others
    .slice(0, 50)
    .map((each) =>
      h('details', {}, h('summary', {}, badge(each.kind), ` ${each.title}`), caseDetail(each, texts, false)),
    )
    .concat(others.length > 50 ? [note(`and ${others.length - 50} more cases`)] : [])

function caseDetail(found: CaseDetail, texts: Texts | undefined, titled: boolean): HTMLElement {
  const findings = found.findings ?? []
  const messages = (found.messages ?? []).filter(({ severity }) => severity === 'error')
  return h(
    'div',
    { class: 'case' },
    titled ? h('h3', {}, badge(found.kind), ` ${found.title}`) : null,
    found.failing === undefined ? null : h('p', {}, 'Smallest failing case: ', h('code', {}, found.failing)),
    messages.length > 0 || findings.length > 0
      ? null
      : found.message === undefined
        ? null
        : h('p', { class: 'message' }, found.message),
    found.comparison ? comparisonView(found.comparison, texts) : null,
    found.moreExamples === undefined ? null : note(`and ${found.moreExamples} more wrong elements in the ledger`),
    ...messages.map((each) => messageView(each, texts)),
    ...findings.map((each) => findingView(each, texts)),
    found.moreFindings === undefined ? null : note(`and ${found.moreFindings} more findings in the ledger`),
  )
}

function comparisonView(comparison: Comparison, texts: Texts | undefined): Child {
  const { output, elements, mismatches, pattern, unwritten } = comparison
  const examples: readonly WrongElement[] = comparison.examples ?? [comparison]
  const isExact = examples.every(({ error }) => error === undefined)
  const isLocated = examples.some(({ writer }) => writer !== undefined)
  const rows = examples.map((each, i): Child[] => [
    h('code', {}, `${output}[${each.index.join(', ')}]`),
    h('code', {}, each.expected),
    h('code', {}, each.actual),
    ...(isExact ? [] : [h('code', {}, each.error ?? ''), h('code', {}, each.limit ?? '')]),
    ...(isLocated ? [h('span', {}, writerView(each), i === 0 ? ' (worst)' : '')] : []),
  ])
  const worst = examples[0]?.writer
  return [
    h(
      'p',
      {},
      `${mismatches.toLocaleString('en')} of ${elements.toLocaleString('en')} elements of ${output} are wrong`,
      pattern === undefined ? '' : `: ${pattern}`,
      '.',
      unwritten ? ` ${unwritten.bytes} bytes were never written, offsets ${unwritten.first} to ${unwritten.last}.` : '',
    ),
    table(
      `Wrong elements of ${output}, the worst one first`,
      [
        'element',
        'golden',
        'actual',
        ...(isExact ? [] : ['error', 'bound']),
        ...(isLocated ? ['written last by'] : []),
      ],
      rows,
    ),
    worst ? h('p', {}, 'The worst one was written last here: ', place(worst.file, worst.line)) : null,
    worst ? frame(texts, worst.file, worst.line) : null,
  ]
}

const placeOf = ({ file, line }: Writer): Place => ({
  ...(file !== undefined && { file }),
  ...(line !== undefined && { line }),
})

function writerView({ writer }: WrongElement): Child {
  if (writer === undefined) return ''
  if (writer === null) return 'no instruction'
  const { instruction, file, line, core, writes, atomic } = writer
  const times = writes > 1 ? `, the last of ${writes.toLocaleString('en')} writes` : ''
  return [`${instruction} `, place(file, line), ` (${core}${times}${atomic ? ', atomic' : ''})`]
}

const place = (file: string | undefined, line: number | undefined): Child =>
  file === undefined ? null : h('code', {}, line === undefined ? file : `${file}:${line}`)

const messageView = ({ severity, message, file, line }: Message, texts: Texts | undefined): HTMLElement =>
  h(
    'div',
    { class: `finding ${severity}` },
    h('p', {}, place(file, line), ' ', h('strong', {}, severity), ' ', h('span', { class: 'message' }, message)),
    frame(texts, file, line),
  )

function findingView(found: Finding, texts: Texts | undefined): HTMLElement {
  const { code, severity, message, hint, core, instruction, file, line, other, count } = found
  return h(
    'div',
    { class: `finding ${severity}` },
    h(
      'p',
      {},
      h('strong', {}, `${severity} ${code}`),
      ' ',
      place(file, line),
      ` (${core}, ${instruction}${count > 1 ? `, ${count} times` : ''})`,
    ),
    h('p', { class: 'message' }, message),
    frame(texts, file, line),
    other ? h('p', {}, `The other side: ${other.instruction} `, place(other.file, other.line)) : null,
    other ? frame(texts, other.file, other.line) : null,
    hint === undefined ? null : h('p', { class: 'hint' }, `Usual fix: ${hint}`),
  )
}

const figures = (name: string, { mean, p50, p99, min, max, samples }: Latency): Child[] => [
  name,
  time(mean),
  time(p50),
  time(p99),
  time(min),
  time(max),
  samples,
]

function performance({ latency, baseline, vendor, pipes, cases }: SampleDetail): HTMLElement {
  if (!latency) {
    const reason = cases.some(({ kind }) => kind !== 'correct') ? ': only what is right is timed.' : '.'
    return card('Performance', none(`No latency${reason}`))
  }
  const origin = latency.profile === undefined ? latency.source : `${latency.source}, ${latency.profile}`
  return card(
    'Performance',
    baseline && latency.mean > 0
      ? h('p', { class: 'lead' }, `${ratio(baseline.mean / latency.mean)} of the baseline`)
      : none('The baseline has no latency on this case.'),
    bars('Latency', [['this sample', latency.mean], ...(baseline ? [['baseline', baseline.mean] as const] : [])]),
    table(
      `Device time (${origin})`,
      ['', 'mean', 'p50', 'p99', 'min', 'max', 'measured'],
      [figures('this sample', latency), ...(baseline ? [figures('baseline', baseline)] : [])],
    ),
    vendor
      ? table(
          `The vendor's ${vendor.calls.join(' + ')} on hardware (measured ${vendor.date.slice(0, 10)}, CANN ${vendor.cann})`,
          ['', 'mean', 'p50', 'p99', 'min', 'max', 'measured'],
          [figures('vendor', vendor.latency)],
        )
      : null,
    h('h3', {}, 'Busy pipes'),
    pipes
      ? [
          bars('Busy pipes', Object.entries(pipes), latency.mean),
          note('How long each pipe was busy on the core that finishes last, of the latency.'),
        ]
      : none('Not recorded: no target has told how busy its pipes were.'),
  )
}

/** Bars of times, with their figures. */
function bars(
  label: string,
  items: readonly (readonly [string, number])[],
  most = Math.max(...items.map(([, ns]) => ns)),
): HTMLElement {
  return h(
    'ul',
    { class: 'bars', 'aria-label': label },
    ...items.map(([name, ns]) =>
      h(
        'li',
        {},
        h('span', { class: 'name' }, name),
        h(
          'svg',
          { class: 'bar thin', viewBox: '0 0 1000 10', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
          h('rect', { class: 'fast', width: Math.min(1000, Math.round((1000 * ns) / (most || 1))), height: 10 }),
        ),
        h(
          'span',
          { class: 'value' },
          `${time(ns)}${label === 'Busy pipes' ? ` · ${((100 * ns) / (most || 1)).toFixed(0)}%` : ''}`,
        ),
      ),
    ),
  )
}

/** What the device and the compilers say besides what stopped the sample. */
function findingsCard({ cases: all, warnings = [] }: SampleDetail, texts: Texts | undefined): Child {
  const found = new Map<string, Finding>()
  for (const { kind, findings = [] } of all)
    if (kind === 'correct')
      for (const each of findings) found.set(`${each.code} ${each.file}:${each.line} ${each.message}`, each)
  if (found.size === 0 && warnings.length === 0) return null
  return card(
    'Other findings',
    ...[...found.values()].slice(0, 20).map((each) => findingView(each, texts)),
    ...warnings.map((each) => messageView(each, texts)),
  )
}

const shareOf = ({ blocks, reached }: { blocks: number; reached: number }): string =>
  blocks === 0 ? '–' : `${Math.floor((100 * reached) / blocks)}% (${reached} of ${blocks} blocks)`

function coverage({ code }: SampleDetail, texts: Texts | undefined): Child {
  if (!code)
    return card('Coverage', none('Not recorded: the sample has no latency, or its target does not see blocks.'))
  const sides = [['kernel', code] as const, ...(code.host ? [['host part', code.host] as const] : [])]
  const never = sides.flatMap(([, { missed }]) => missed)
  return card(
    'Coverage',
    table(
      'What the cases reach',
      ['part', 'reached'],
      sides.map(([name, side]) => [name, shareOf(side)]),
    ),
    code.tilingKeys.length > 0
      ? h('p', {}, 'Never launched: ', h('code', {}, code.tilingKeys.slice(0, 20).join(', ')))
      : null,
    never.length === 0 ? null : h('h3', {}, 'Never reached'),
    h(
      'ul',
      {},
      ...never
        .slice(0, 20)
        .map(({ file, lines }) =>
          h(
            'li',
            {},
            h('code', {}, file),
            ` lines ${lines.map(([from, to]) => (from === to ? from : `${from}–${to}`)).join(', ')}`,
          ),
        ),
    ),
    never.length > 0 && texts ? note('These lines are marked in the sources below.') : null,
  )
}

function cases({ cases: all }: SampleDetail): HTMLElement {
  const shown = all.slice(0, 500)
  return card(
    'Cases',
    table(
      'What was asked',
      ['case', 'verdict', 'accuracy', 'took'],
      shown.map(({ title, kind, accuracy, ms, runs }) => [
        runs === undefined ? title : `${title} (${runs === 1 ? '1 case' : `${runs} cases`})`,
        badge(kind),
        accuracy ?? '–',
        ms === undefined ? '–' : `${(ms / 1000).toFixed(2)} s`,
      ]),
    ),
    all.length > shown.length ? note(`and ${all.length - shown.length} more`) : null,
  )
}

function sourcesCard({ code }: SampleDetail, texts: Texts | undefined, bad: readonly CaseDetail[]): HTMLElement {
  if (!texts) return card('Sources', none(notRecorded))
  const places: Place[] = bad.flatMap(({ findings = [], messages = [], comparison }) => [
    ...(comparison?.examples ?? []).flatMap(({ writer }) => writer ?? []).map(placeOf),
    ...findings,
    ...findings.flatMap(({ other }) => other ?? []),
    ...messages,
  ])
  const names = Object.keys(texts)
  return card(
    'Sources',
    ...names.map((name) => {
      const lines = new Set(
        places.flatMap(({ file, line }) => (line !== undefined && fileOf(texts, file) === name ? [line] : [])),
      )
      const text = texts[name] ?? ''
      // what is not open is not made
      const body = h('div', {})
      const marks = marksOf(code, name, lines, text)
      const counts = [
        lines.size > 0 ? `${lines.size} ${lines.size === 1 ? 'line' : 'lines'} to look at` : '',
        marks.missed.size > 0 ? `${marks.missed.size} lines never reached` : '',
      ].filter(Boolean)
      return h(
        'details',
        {
          toggle: (event) => {
            if (event.target instanceof HTMLDetailsElement && event.target.open && body.childElementCount === 0)
              body.append(sourceListing(text, marks, name))
          },
        },
        h('summary', {}, h('code', {}, name), counts.length > 0 ? ` · ${counts.join(', ')}` : ''),
        body,
      )
    }),
  )
}

/** The difference against another sample of the task, made when one is chosen. */
function compareCard(listing: Listing, index: number, texts: Texts, textsOf: TextsOf): Child {
  const { task } = listing.samples[index]!
  const others = listing.samples.flatMap((sample, other) =>
    sample.task === task && other !== index ? [{ sample, other }] : [],
  )
  if (others.length === 0) return null
  const out = h('div', { class: 'difference', 'aria-live': 'polite' })
  const choose = async (event: Event): Promise<void> => {
    if (!(event.target instanceof HTMLSelectElement)) return
    const { value } = event.target
    const second = value === '' ? undefined : await textsOf(Number(value))
    if (event.target.value !== value) return
    out.replaceChildren(h('div', {}, value === '' ? null : second ? difference(texts, second) : none(notRecorded)))
  }
  return card(
    'Difference against another sample',
    h('label', { for: 'against' }, 'Against '),
    h(
      'select',
      { id: 'against', change: (event) => void choose(event) },
      h('option', { value: '' }, 'choose a sample'),
      ...others.map(({ sample, other }) =>
        h(
          'option',
          { value: other },
          `${sample.model === '' ? '' : `${sample.model} › `}${sample.name} (${sample.status})`,
        ),
      ),
    ),
    out,
  )
}
