import { createHash } from 'node:crypto'
import type { LedgerEntry, RunComparison, SourceTexts, Timeline } from '../ledger/index.ts'
import { footnote } from '../ledger/table.ts'
import { pageBytes, packBlocks, packed, type PackedBlocks } from './blocks.ts'
import { reportedOf, type Kept, type ReportedRuns } from './details.ts'
import { Html, markup } from './html.ts'
import { detailsPerBlock, type BlockPlace, type SampleDetail } from './model.ts'
import { overviewOf } from './overview.ts'

/** What a report is made of. */
export interface ReportOptions {
  /** what is reported, joined */
  entries: readonly LedgerEntry[]
  /** names of the runs or ledgers */
  names: readonly string[]
  against?: { name: string; comparison: RunComparison } | undefined
  /** sources by their hash, where a run has kept them */
  sources: (hash: string) => SourceTexts | undefined
  /** timelines by their hash, where a run has kept them */
  timelines: (hash: string) => Timeline | undefined
  /** script and style of the page */
  assets: { script: string; style: string }
  seed: number
  /** when it is made */
  now: Date
  /** bytes that are packed */
  bytes?: { sources: number; timelines: number }
}

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

const data = (id: string, text: string): Html => markup`<script type="text/plain" id="${id}">${new Html(text)}</script>`

/** What samples have recorded of a kind, those that are wrong first where there is no room for all. */
const wantedOf = ({ listing, kept }: ReportedRuns, field: keyof Kept) =>
  listing.samples.flatMap(({ task, status }, i) => {
    const hash = kept[i]?.[field]
    return hash === undefined ? [] : [{ task, hash, urgent: status !== 'correct' }]
  })

function placeIn({ blockOf }: PackedBlocks, hash: string | undefined): BlockPlace | undefined {
  const block = hash === undefined ? undefined : blockOf.get(hash)
  return hash === undefined || block === undefined ? undefined : [block, hash]
}

/** Says in the footer what a page has no room for. */
const leftOut = (what: string, { leftOut: count }: PackedBlocks, most: number): string[] =>
  count === 0
    ? []
    : [`${what} of ${count} samples are left out of this page, which holds ${Math.round(most / 2 ** 20)} MiB of them.`]

const blocksOf = (details: readonly SampleDetail[]): (readonly SampleDetail[])[] =>
  Array.from({ length: Math.ceil(details.length / detailsPerBlock) }, (_, i) =>
    details.slice(i * detailsPerBlock, (i + 1) * detailsPerBlock),
  )

/**
 * The report as one file that asks for nothing else, and may ask for nothing else: no text in it runs but the script, which is
 * named by its hash. Whatever candidates have written is escaped, or packed in base64 and shown as text.
 */
export function pageOf(options: ReportOptions): string {
  const { entries, names, against, assets, now, bytes = pageBytes } = options
  const reported = reportedOf(entries, against?.comparison)
  const { listing } = reported
  const sources = packBlocks(wantedOf(reported, 'sources'), options.sources, bytes.sources)
  const timelines = packBlocks(wantedOf(reported, 'timeline'), options.timelines, bytes.timelines)
  const details = reported.details.map((detail, i): SampleDetail => {
    const kept = reported.kept[i]!
    const [texts, times] = [placeIn(sources, kept.sources), placeIn(timelines, kept.timeline)]
    return { ...detail, ...(texts && { sources: texts }), ...(times && { timeline: times }) }
  })
  const script = assets.script.replaceAll('</script', String.raw`<\/script`)
  const policy = `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(assets.style)}; img-src data:; base-uri 'none'; form-action 'none'`
  const models = [...new Set(listing.samples.map(({ model }) => model).filter((model) => model !== ''))]
  const title = `Kernel report${models.length > 0 ? `: ${models.slice(0, 4).join(', ')}` : ''}`
  const footer = [
    `Samples: ${listing.samples.length}, tasks: ${listing.tasks.length}.`,
    ...leftOut('Sources', sources, bytes.sources),
    ...leftOut('Timelines', timelines, bytes.timelines),
    'Made by vitest-npu.',
  ].join(' ')
  const page = markup`<!DOCTYPE html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${new Html(policy)}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <title>${title}</title>
        <style>${new Html(assets.style)}</style>
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header>
          <div class="brand">
            <h1>${title}</h1>
            <p class="note">
              ${names.join(', ')} · made ${now.toISOString().slice(0, 16).replace('T', ' ')} UTC · ${footnote(entries)}
            </p>
          </div>
          <nav aria-label="Views">
            <a href="#/" data-view="overview">Overview</a><a href="#/tasks" data-view="tasks">Tasks</a><a href="#/samples" data-view="samples">Samples</a>
          </nav>
          <button type="button" id="theme" aria-pressed="false">Dark</button>
        </header>
        <main id="main" tabindex="-1">
          <noscript><p class="card">Tasks, samples and sources are shown by a script, which this browser does not run.</p></noscript>
          <section id="overview" aria-label="Overview">
            ${overviewOf({ entries, listing, against, seed: options.seed })}
          </section>
          <section id="explore" aria-label="Explore" hidden></section>
          <section id="detail" aria-label="Detail" hidden></section>
        </main>
        <footer>
          <p class="note">${footer}</p>
        </footer>
        ${data('listing', packed(listing))} ${blocksOf(details).map((some, index) => data(`details-${index}`, packed(some)))}
        ${sources.blocks.map((text, index) => data(`sources-${index}`, text))}
        ${timelines.blocks.map((text, index) => data(`timelines-${index}`, text))}
        <script type="module">${new Html(script)}</script>
      </body>
    </html> `
  return page.text
}
