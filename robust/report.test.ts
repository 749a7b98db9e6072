import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { inflateRawSync } from 'node:zlib'
import { chromium, type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ledgerOf, SourceStore, TimelineStore, type LedgerEntry } from '../plugin/ledger/index.ts'
import { canary, sourcesOf, syntheticEntries, timeline, timelineHash } from './synthetic.ts'

const program = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const executablePath = process.env['CHROMIUM'] || '/usr/bin/chromium'
const folder = mkdtempSync(join(tmpdir(), 'npu-report-'))

const hashOf = (task: number, sample: number): string =>
  createHash('sha256').update(`${task}/${sample}`).digest('hex').slice(0, 32)

/** A run with its sources, and the page that the command makes of it. */
function reportOf(id: string, entries: readonly LedgerEntry[], ...more: string[]): string {
  const ledger = ledgerOf(join(folder, '.npu/runs'), id)
  mkdirSync(join(ledger, '..'), { recursive: true })
  writeFileSync(ledger, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
  const store = new SourceStore(ledger)
  for (const { task, sample, sources } of entries) {
    const [taskNumber, sampleNumber] = [task, sample ?? ''].map((name) => Number(name.replace(/\D/g, '')))
    if (sources === undefined || store.has(sources)) continue
    const texts = Object.entries(sourcesOf(taskNumber!, sampleNumber!))
    store.keep(
      sources,
      texts.map(([name, text]) => ({ name, text: Buffer.from(text) })),
    )
  }
  new TimelineStore(ledger).keep(timelineHash, timeline)
  const out = join(folder, `${id}.html`)
  execFileSync(process.execPath, [program, 'report', id, '--out', out, ...more], { cwd: folder, stdio: 'pipe' })
  return out
}

let browser: Browser
let small: string

const smallEntries = syntheticEntries(4, 12, hashOf)
/** The same, but that what was wrong is right, and the other way round, in one task. */
const before = smallEntries.map((entry): LedgerEntry => {
  if (entry.task !== 'Task0' || entry.case !== 'static 1: x float16[16]') return entry
  const wrong = { kind: 'wrong-structure', message: '' } as const
  return { ...entry, verdict: entry.verdict.kind === 'correct' ? wrong : { kind: 'correct' } }
})

beforeAll(async () => {
  if (!existsSync(executablePath))
    throw new Error(`there is no ${executablePath}: apt-get install chromium, or name a browser by CHROMIUM`)
  reportOf('20250101T000000.000Z-aaaaaa', before)
  small = reportOf('20260101T000000.000Z-bbbbbb', smallEntries, '--against', '20250101T000000.000Z-aaaaaa')
  const args = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run']
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync']
  browser = await chromium.launch({ executablePath, args: [...args, ...quiet] })
})
afterAll(async () => {
  await browser?.close()
  rmSync(folder, { recursive: true })
})

const ready = (page: Page): Promise<void> => page.locator('html[data-ready]').waitFor({ state: 'attached' })

/** Opens a page, and fails the test where it logs an error or asks for anything. */
async function opened(path: string, hash: string, use: (page: Page) => Promise<void>, dark = false): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, colorScheme: dark ? 'dark' : 'light' })
  page.setDefaultTimeout(15_000)
  const troubles: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') troubles.push(message.text())
  })
  page.on('pageerror', (error) => troubles.push(error.message))
  page.on('request', (request) => {
    if (request.url().split('#')[0] !== pathToFileURL(path).href) troubles.push(`asked for ${request.url()}`)
  })
  await page.goto(`${pathToFileURL(path).href}${hash}`)
  await ready(page)
  await use(page)
  expect(await page.evaluate('globalThis.obeyed')).toBeUndefined()
  expect(await page.locator('img').count()).toBe(0)
  // long names are cut or wrapped: nothing makes the page wider than the window
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
  expect(troubles).toEqual([])
  await page.close()
}

const field = (page: Page, name: string) => page.locator(`.filters [name="${name}"]`)
const rows = (page: Page) => page.locator('#results tbody tr')
const count = (page: Page) => page.locator('#count').textContent()

/** Index of a sample, as addresses name it. */
const indexOf = (task: number, sample: number): number => task * 12 + sample

const sampleThatIs = (kind: string): number => {
  const found = smallEntries.find(({ verdict }) => verdict.kind === kind)!
  return indexOf(Number(found.task.slice(4)), Number(found.sample!.slice(6)))
}

describe('a report', () => {
  test('shows figures, curves and tables without a script', async () => {
    const page = await browser.newPage({ javaScriptEnabled: false })
    await page.goto(pathToFileURL(small).href)
    await expect.poll(() => page.locator('.tile').count()).toBe(6)
    const text = await page.locator('#overview').innerText()
    for (const name of [
      'compile@1',
      'correct@1',
      'Speedup over the baseline',
      'By category',
      'api-signature',
      'Gained',
    ])
      expect(text).toContain(name)
    expect(await page.locator('svg.chart').count()).toBe(2)
    await page.close()
  })

  test('filters by model, level, verdict, change and text', async () => {
    await opened(small, '#/samples', async (page) => {
      expect(await count(page)).toBe('48 of 48 samples')
      await field(page, 'status').selectOption('crashed')
      const crashed = smallEntries.filter(({ verdict }) => verdict.kind === 'crashed').length
      expect(await count(page)).toBe(`${crashed} of 48 samples`)
      expect(await rows(page).count()).toBe(crashed)
      await field(page, 'status').selectOption('')
      await field(page, 'model').selectOption('model-a')
      expect(await count(page)).toBe('24 of 48 samples')
      await field(page, 'level').selectOption('level2')
      expect(await count(page)).toBe('6 of 48 samples')
      await field(page, 'q').fill('task1 SAMPLE10')
      expect(await count(page)).toBe('1 of 48 samples')
      // the address holds the filter
      await page.reload()
      await ready(page)
      expect(await count(page)).toBe('1 of 48 samples')
      await page.goto(`${pathToFileURL(small).href}#/samples?change=gained`)
      const gained = await count(page)
      expect(Number(gained?.split(' ')[0])).toBeGreaterThan(0)
      expect(await rows(page).locator('.gained').count()).toBe(Number(gained?.split(' ')[0]))
    })
  })

  test('is sorted by its header, from the keyboard as well', async () => {
    await opened(small, '#/samples', async (page) => {
      const header = page.locator('th', { has: page.locator('[data-column="speedup"]') })
      await page.locator('[data-column="speedup"]').focus()
      await page.keyboard.press('Enter')
      expect(await header.getAttribute('aria-sort')).toBe('ascending')
      await page.keyboard.press('Enter')
      expect(await header.getAttribute('aria-sort')).toBe('descending')
      const shown = await page.locator('.c-speedup').allTextContents()
      const values = shown.filter((text) => text !== '–').map((text) => Number.parseFloat(text))
      expect(values).toEqual(values.toSorted((one, other) => other - one))
      expect(values.length).toBeGreaterThan(3)
    })
  })

  test('leads from the keyboard to a task, a sample and back', async () => {
    await opened(small, '', async (page) => {
      await page.keyboard.press('Tab')
      expect(await page.evaluate('document.activeElement.className')).toBe('skip')
      for (let i = 0; i < 2; i++) await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await page.locator('#results .heat').waitFor()
      expect(await page.locator('nav a[aria-current]').textContent()).toBe('Tasks')
      await page.locator('#results .heat a', { hasText: 'Task1' }).focus()
      await page.keyboard.press('Enter')
      await page.locator('.title', { hasText: 'Task1' }).waitFor()
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Task1')
      await page.goBack()
      await page.locator('#results .heat').waitFor()
    })
  })

  test('shows what went wrong in a sample: message, code, both sides of a race, elements', async () => {
    await opened(small, `#/sample/${sampleThatIs('compile-failed')}`, async (page) => {
      await page.locator('.title').waitFor()
      // the canary is text; what a terminal or a reader would obey is an escape
      expect(await page.locator('.finding .message').first().textContent()).toContain(
        `<img src=x onerror="globalThis.obeyed=1">'"</script>`,
      )
      expect(await page.locator('.finding .message').first().textContent()).toContain(
        String.raw`\x1b[31m\u202e\x00 end`,
      )
      expect(await page.locator('.frame .bad').first().textContent()).toContain('12')
      await page.locator('details', { hasText: 'op_kernel/k.cpp' }).locator('summary').click()
      const line = page.locator('.code:not(.frame) .line').first()
      expect(await line.textContent()).toContain('<img src=x')
    })
    await opened(small, `#/sample/${sampleThatIs('hazard')}`, async (page) => {
      await page.locator('.finding', { hasText: 'The other side: DataCopy' }).first().waitFor()
      const bad = await page.locator('.finding').first().locator('.frame .bad .no').allTextContents()
      expect(bad).toEqual(['12', '14'])
    })
    await opened(small, `#/sample/${sampleThatIs('wrong-value')}`, async (page) => {
      const text = await page.locator('.case').first().innerText()
      for (const part of [
        'y[3, 5]',
        '1.5',
        '-2.25',
        '17 of 4,096',
        'exactly y[3, 5..21]',
        'DataCopyPad op_kernel/k.cpp:17 (AIV 47, the last of 3 writes) (worst)',
        'no instruction',
      ])
        expect(text).toContain(part)
      // twelve cases are wrong, three of which are shown whole
      expect(await page.getByText('and 6 more wrong elements in the ledger').count()).toBe(9)
      // the frame is that of the instruction
      expect(await page.locator('.case').first().locator('.frame .bad .no').allTextContents()).toEqual(['17'])
    })
  })

  test('shows times, pipes, code that was never reached, and a difference against another sample', async () => {
    const right = smallEntries.find(({ stage, speedup }) => stage === 'latency' && speedup !== undefined)!
    const [task, sample] = [Number(right.task.slice(4)), Number(right.sample!.slice(6))]
    await opened(small, `#/sample/${indexOf(task, sample)}`, async (page) => {
      await page.locator('h2', { hasText: 'Performance' }).waitFor()
      expect(await page.locator('.lead').textContent()).toContain(`${right.speedup?.toFixed(2)}x of the baseline`)
      expect(await page.locator('.bars[aria-label="Busy pipes"] li').count()).toBe(3)
      await page.locator('summary', { hasText: '5 lines never reached' }).click()
      await expect.poll(() => page.locator('.code .missed').count()).toBe(5)
      const other = sample === 0 ? 1 : 0
      await page.getByLabel('Against').selectOption(String(indexOf(task, other)))
      await page.locator('.diff').waitFor()
      expect(await page.locator('.diff .first').count()).toBeGreaterThan(0)
      const [added, removed] = await Promise.all(
        ['.second', '.first'].map((part) => page.locator(`.diff ${part}`).allTextContents()),
      )
      expect(added?.join('')).toContain(`Compute(${task}, `)
      expect(removed?.length).toBe(added?.length)
    })
  })

  test('draws the pipes over time, which can be looked at closely from the keyboard', async () => {
    const right = smallEntries.find(({ stage }) => stage === 'latency')!
    const index = indexOf(Number(right.task.slice(4)), Number(right.sample!.slice(6)))
    await opened(small, `#/sample/${index}`, async (page) => {
      const view = page.locator('.timeline').first()
      await view.locator('svg.times').waitFor()
      const label = 'Pipes of AIV 0: MTE2 is busy 40% and waits 30%, MTE3 is busy 45% and waits 43%'
      expect(await view.locator('svg.times').getAttribute('aria-label')).toBe(label)
      expect(await view.locator('.mutual').textContent()).toBe(
        'MTE2 and MTE3 wait for each other: 300 ns (30%) and 430 ns (43%).',
      )
      const cells = await view.locator('tbody tr').last().locator('th, td').allTextContents()
      expect(cells).toEqual(['MTE3', '45%', '43%', 'MTE2 43%'])
      expect(await view.locator('rect.work').count()).toBe(4)
      expect(await view.locator('rect.wait').count()).toBe(4)
      expect(await view.locator('rect.wait title').first().textContent()).toBe(
        'waits for MTE3: 300 ns from 200 ns to 500 ns',
      )
      expect(await view.locator('rect title').allTextContents()).toContain(
        'DataCopy: 150 ns from 700 ns to 1 µs, 40 instructions and waits',
      )
      const span = view.locator('.span')
      expect(await span.textContent()).toBe('0 ns to 1 µs of 1 µs')
      await view.locator('.view').focus()
      await page.keyboard.press('+')
      await page.keyboard.press('+')
      expect(await span.textContent()).toBe('375 ns to 625 ns of 1 µs')
      // what is not there is not drawn
      expect(await view.locator('rect.work').count()).toBe(2)
      for (let i = 0; i < 9; i++) await page.keyboard.press('ArrowRight')
      expect(await span.textContent()).toBe('750 ns to 1 µs of 1 µs')
      await view.getByRole('button', { name: 'Earlier' }).click()
      expect(await span.textContent()).toBe('687.5 ns to 937.5 ns of 1 µs')
      await page.keyboard.press('0')
      expect(await span.textContent()).toBe('0 ns to 1 µs of 1 µs')
      const box = (await view.locator('.drawing').boundingBox())!
      await page.mouse.move(box.x + box.width - 1, box.y + 10)
      await page.keyboard.down('Control')
      await page.mouse.wheel(0, -100)
      await page.keyboard.up('Control')
      await expect.poll(() => span.textContent()).toMatch(/^(?:499\.\d|500) ns to (?:999\.\d ns|1 µs) of 1 µs$/)
    })
  })

  test('says what is not recorded', async () => {
    const bare = reportOf(
      '20240101T000000.000Z-dddddd',
      smallEntries.map((entry): LedgerEntry => ({
        ...entry,
        sources: undefined,
        pipes: undefined,
        code: undefined,
        timeline: undefined,
      })),
    )
    const index = smallEntries.find(({ stage }) => stage === 'latency')!
    const number = indexOf(Number(index.task.slice(4)), Number(index.sample!.slice(6)))
    await opened(bare, `#/sample/${number}`, async (page) => {
      await page.locator('h2', { hasText: 'Sources' }).waitFor()
      expect(await page.locator('.none', { hasText: 'Not recorded' }).count()).toBe(4)
    })
  })

  test('is light or dark as the system says, and by its switch', async () => {
    const background = 'getComputedStyle(document.body).backgroundColor'
    await opened(small, '', async (page) => expect(await page.evaluate(background)).toBe('rgb(245, 246, 248)'))
    await opened(
      small,
      '',
      async (page) => {
        expect(await page.evaluate(background)).toBe('rgb(18, 21, 27)')
        expect(await page.locator('#theme').getAttribute('aria-pressed')).toBe('true')
        await page.locator('#theme').click()
        expect(await page.evaluate(background)).toBe('rgb(245, 246, 248)')
        // the browser writes what a page stores behind its back: a reload may come before it
        const again = async (): Promise<unknown> => {
          await page.reload()
          await ready(page)
          return page.evaluate(background)
        }
        await expect.poll(again, { timeout: 10_000 }).toBe('rgb(245, 246, 248)')
      },
      true,
    )
  })

  test('has landmarks, one main heading, tables with scopes and charts with text', async () => {
    await opened(small, '', async (page) => {
      for (const role of ['banner', 'navigation', 'main', 'contentinfo'] as const)
        expect(await page.getByRole(role).count()).toBe(1)
      expect(await page.locator('h1').count()).toBe(1)
      expect(await page.locator('th:not([scope])').count()).toBe(0)
      expect(await page.locator('table:not(:has(caption))').count()).toBe(0)
      expect(await page.locator('svg[role="img"]:not([aria-label]):not([aria-labelledby])').count()).toBe(0)
      expect(await page.locator('svg:not([role="img"]):not([aria-hidden])').count()).toBe(0)
    })
  })
})

test('10,000 samples stay usable', async () => {
  const entries = syntheticEntries(100, 100, hashOf)
  const begun = performance.now()
  const large = reportOf('20270101T000000.000Z-cccccc', entries)
  const made = performance.now() - begun
  const mebibytes = statSync(large).size / 2 ** 20
  const took: Record<string, number> = { 'making the page': made }
  const timed = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    const start = performance.now()
    await work()
    took[name] = performance.now() - start
  }
  await timed('opening the overview', () => opened(large, '', async () => {}))
  await opened(large, '#/samples', async (page) => {
    expect(await count(page)).toBe('10000 of 10000 samples')
    await timed('filtering by verdict', async () => {
      await field(page, 'status').selectOption('crashed')
      await expect.poll(() => count(page)).toMatch(/^1\d\d\d of 10000/)
    })
    await timed('filtering by text', async () => {
      await field(page, 'q').fill('task77')
      await expect.poll(() => count(page)).toMatch(/^\d\d of 10000/)
    })
    await timed('sorting', async () => {
      await field(page, 'status').selectOption('')
      await field(page, 'q').fill('')
      await page.locator('[data-column="latency"]').click()
      await page.locator('[aria-sort="ascending"] [data-column="latency"]').waitFor()
    })
    await timed('the heat map', async () => {
      await page.locator('nav a', { hasText: 'Tasks' }).click()
      await page.locator('#results .heat').waitFor()
    })
    await timed('a sample', async () => {
      await page.goto(`${pathToFileURL(large).href}#/sample/7777`)
      await page.locator('.title', { hasText: 'sample77' }).waitFor()
    })
    took['elements'] = await page.locator('*').count()
  })
  console.log(
    `${mebibytes.toFixed(1)} MiB; ${Object.entries(took)
      .map(([name, ms]) => `${name} ${ms.toFixed(0)}${name === 'elements' ? '' : ' ms'}`)
      .join(', ')}`,
  )
  // three times as much where all wrong elements are in it
  expect(mebibytes).toBeLessThan(5)
  // it includes writing 10,000 sources
  expect(made).toBeLessThan(300_000)
  for (const [name, ms] of Object.entries(took)) if (name !== 'making the page') expect(ms, name).toBeLessThan(10_000)
  expect(canary).toContain('onerror')
})

test('a sample of a task with many unpacks a few of them', async () => {
  const count = 2000
  const page = reportOf('20280101T000000.000Z-ffffff', syntheticEntries(1, count, hashOf))
  const blocks = [...readFileSync(page, 'utf8').matchAll(/id="(details|sources|timelines)-\d+">([\w+/=]+)</g)].map(
    ([, kind, text = '']) => ({ kind, characters: inflateRawSync(Buffer.from(text, 'base64')).length }),
  )
  const sizesOf = (wanted: string): number[] =>
    blocks.flatMap(({ kind, characters }) => (kind === wanted ? [characters] : []))
  expect(sizesOf('details')).toHaveLength(Math.ceil(count / 64))
  expect(sizesOf('sources').length).toBeGreaterThan(3)
  // the last one that was added may go beyond the size of a block
  for (const size of sizesOf('sources')) expect(size).toBeLessThan(1.2 * 2 ** 19)
  // all samples have the same timeline
  expect(sizesOf('timelines')).toHaveLength(1)
  for (const sample of [0, count / 2, count - 1])
    await opened(page, `#/sample/${sample}`, async (shown) => {
      await shown.locator('.title', { hasText: `sample${sample}` }).waitFor()
      await shown.locator('summary', { hasText: 'op_kernel/k.cpp' }).click()
      await shown.locator('.code:not(.frame)', { hasText: `Compute(0, ${sample + 1000});` }).waitFor()
    })
})
