import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { timing } from '../../plugin/soc/profile.ts'
import { repository } from '../subjects.ts'
import { products, type Product } from './products.ts'
import { agreementOf, factorOf, groupedBy, tauAcross, type Agreement } from './statistics.ts'
import { LARGEST_ROW, vendorRows, type Row } from './vendor.ts'

const perCent = (share: number): string => `${(100 * share).toFixed(0)} %`
const figure = (value: number): string => (Number.isNaN(value) ? '-' : value.toFixed(2))
const table = (header: readonly string[], rows: readonly (readonly string[])[]): string[] => [
  `| ${header.join(' | ')} |`,
  `|${header.map((_, i) => (i === 0 ? ' --- |' : ' ---: |')).join('')}`,
  ...rows.map((row) => `| ${row.join(' | ')} |`),
  '',
]

/** What the clock says of published latencies, as `docs/clock.md` where it is to be written. */
export async function benchClock(
  cacheDir: string,
  options: { elements?: number; part?: string; write: boolean },
): Promise<void> {
  const { elements = LARGEST_ROW, part, write } = options
  const rows = await vendorRows(cacheDir, elements, part)
  const cubes = await products(cacheDir, [1024, 2048, 4096])
  const document = documentOf(rows, elements, cubes)
  if (write) writeFileSync(join(repository, 'docs/clock.md'), document)
  else console.log(document)
}

function documentOf(rows: readonly Row[], elements: number, cubes: readonly Product[]): string {
  const operators = [...groupedBy(rows, ({ operator }) => operator)]
  const line = (name: string, { rows: count, medianError, ratio, quartiles, tau }: Agreement): string[] => [
    name,
    String(count),
    perCent(medianError),
    figure(ratio),
    figure(quartiles),
    figure(tau),
  ]
  return [
    '# The emulated clock beside published latencies',
    '',
    `Written by \`npm run bench -- clock --write\`, under version ${timing.version} of the model of time. Predicted is the latency of`,
    'our baseline operator under the emulated clock, published that of the vendor’s operator on an Ascend 910B2 (cann-bench, with L2',
    `flushed before each launch). Rows of at most ${elements} elements. None of the constants of the clock is fitted to these rows:`,
    'they come from measurements of single instructions, transfers and streams, and each says so where it stands',
    '(`plugin/emulator/runtime/timing.h`, `costs.h`). The operators are not the vendor’s: part of an error is another algorithm.',
    '',
    '## By operator',
    '',
    'Error: median of |predicted / published - 1|. Ratio: geometric mean of predicted / published. Spread: third quartile of that over',
    'the first. Tau: Kendall’s, between predicted and published within the operator.',
    '',
    ...table(
      ['operator', 'rows', 'error', 'ratio', 'spread', 'tau'],
      [...operators.map(([name, own]) => line(name, agreementOf(own))), line('all', agreementOf(rows))],
    ),
    `Across operators, on rows of equal size and dtype, tau is ${figure(tauAcross(rows))} on average.`,
    '',
    '## Leaving an operator out',
    '',
    'All predictions of an operator times the factor that the other operators are off by, in the middle: what a single factor for the',
    'whole model, fitted without the operator, would make of its error.',
    '',
    ...table(
      ['operator', 'factor', 'error'],
      operators.map(([name, own]) => {
        const factor = factorOf(rows.filter(({ operator }) => operator !== name))
        return [name, figure(factor), perCent(agreementOf(own, factor).medianError)]
      }),
    ),
    '## Products of float16',
    '',
    'Square products by our operators, and the share of what 24 cube cores can multiply. A tuned sample of the vendor takes 4.01 ms at 8192, 75 %.',
    '',
    ...table(
      ['operator', 'm = n = k', 'predicted µs', 'share of the peak'],
      cubes.map(({ operator, side, us, share }) => [operator, String(side), us.toFixed(1), perCent(share)]),
    ),
    '## Row by row',
    '',
    ...table(
      ['operator', 'row', 'shape', 'published µs', 'predicted µs', 'error', 'busiest'],
      rows.map(({ operator, row, dtype, shape, publishedUs, predictedUs, pipe }) => [
        operator,
        String(row),
        `${dtype} ${shape.join(' x ')}`,
        publishedUs.toFixed(1),
        predictedUs.toFixed(1),
        perCent(predictedUs / publishedUs - 1),
        pipe,
      ]),
    ),
  ].join('\n')
}
