import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { errors } from '../../plugin/floor/estimate.ts'
import { timing } from '../../plugin/soc/profile.ts'
import { repository } from '../subjects.ts'
import { costHeader, costLine, costs, type Cost } from './cost.ts'
import { figures, type Figure } from './figures.ts'
import { ladder } from './ladder.ts'
import { products, type Product } from './products.ts'
import { agreementOf, factorOf, groupedBy, ordersAcross, tauAcross, type Agreement } from './statistics.ts'
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
  const measured = [...(await figures(cacheDir)), ...(await ladder(cacheDir))]
  const rows = await vendorRows(cacheDir, elements, part)
  const cubes = await products(cacheDir, [1024, 1536, 2048, 3072, 4096])
  const taken = await costs(cacheDir)
  const document = documentOf({ rows, elements, cubes, measured, taken })
  if (write) writeFileSync(join(repository, 'docs/clock.md'), document)
  else console.log(document)
}

interface Found {
  rows: readonly Row[]
  elements: number
  cubes: readonly Product[]
  measured: readonly Figure[]
  taken: readonly Cost[]
}

const isWithin = ({ published, predicted, tolerance }: Figure): boolean =>
  Math.abs(predicted / published - 1) <= tolerance

/** Measurements of single instructions, transfers and streams beside small kernels of ours. */
function figureLines(measured: readonly Figure[]): string[] {
  return [
    '## What was measured of devices',
    '',
    'Measurements of the vendor and of others on 910B devices, beside kernels of ours that do the same (`bench/clock/op_kernel`). The',
    'constants of the clock rest on most of these, so the table tells how they agree when they act together. Cycles are those of 1.8 GHz.',
    'Sums are those of two float16 tensors of 8192 x 8192 in the steps in which a sample of the vendor tunes them (`add_high_performance` of',
    'asc-devkit), products those of float16 of 8192 x 8192 x 8192 in the first steps of another (`matmul_high_performance`): products of',
    '1024 x 1024 x 1024 on one core and of 2048 x 4096 x 4096 on 24, with blocks and proportions as there, times as many as there are in the',
    'whole one. Both were measured on an',
    'Ascend 910B1, and are predicted for one. Fitted are how long reads wait for writes, to steps 1 and 2 of the sums, and how much code the',
    'issue of a copy covers, to one row of 128 bytes a copy.',
    `${measured.filter(isWithin).length} of ${measured.length} are within their tolerance.`,
    '',
    ...table(
      ['measurement', 'unit', 'published', 'predicted', 'error', 'tolerance', ''],
      measured.map((figure) => [
        figure.name,
        figure.unit,
        String(figure.published),
        figure.predicted.toFixed(figure.predicted < 100 ? 1 : 0),
        perCent(figure.predicted / figure.published - 1),
        perCent(figure.tolerance),
        isWithin(figure) ? '' : 'off',
      ]),
    ),
  ]
}

/** How ours and the vendor's compute, which is part of an error. */
const algorithms = [
  'The operators are not the vendor’s, and part of an error is another algorithm:',
  '',
  '- Sigmoid and Gelu (`bench/clock/operators`) follow what is public of the vendor’s kernels, on single tensors as those do. That GELU',
  '  takes two powers of e, so that none is above 1, is public; the shorter formula takes 14 cycles for 64 elements, and the published',
  '  rows that vector instructions bound take 19.',
  '- Exp is compared with a kernel that the vendor’s compiler has made of several operators (`AutomaticBufferFusionOp`). Its rows 2, 3 and 8',
  '  take 10 to 23 µs more than the vendor’s Sigmoid of the same size, its rows of 67 million elements take no more: no figure tells what for.',
  '- ForeachAddcdivScalar is our baseline, with tiling data of 3 KiB for lists of tensors. The vendor’s largest row moves 1.2 TB/s in all, as',
  '  kernels do that do not overlap their copies with the rest; ours does.',
  '- RmsNorm and DequantSwigluQuant are our baselines, which take several rows a step. What the vendor’s take grows with the number of rows,',
  '  by 0.2 to 0.9 µs for each row of 373 elements and more, as if they took one at a time and waited for it: neither tells much of the clock.',
  '- GroupNormSwish is our baseline, which reads groups that do not fit once for each of its three passes; compared with GroupNormSilu.',
  '- GroupedMatmulSliceM is our baseline, which has no bias; the rows have one. Their shapes are m, k and n.',
]

/** Operators that compute as the vendor's do, as far as is known. */
const alike = ['Sigmoid', 'Gelu', 'ForeachAddcdivScalar']

const bandLines = (): string[] => [
  '## Error bands',
  '',
  'A latency is told with a band: the sum of its parts, each by the share of the latency and by how far that part may be off. A speedup has',
  'the root of the squares of both bands; where that reaches over 1, it says so.',
  '',
  ...table(
    ['part', 'may be off by', 'evidence'],
    Object.entries(errors).map(([part, { share, evidence }]) => [part, perCent(share), evidence]),
  ),
]

const costLines = (taken: readonly Cost[]): string[] => [
  '## What the clock costs',
  '',
  'Of the largest static case of an operator: time to judge it; processor time of the device without its memory, where nobody asks for',
  'the latency; what recording and playing add to that (the fastest of several launches with and without, in turns); and the records.',
  '',
  ...table(costHeader, taken.map(costLine)),
]

function documentOf({ rows, elements, cubes, measured, taken }: Found): string {
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
    'our operator under the emulated clock, published that of the vendor’s operator on an Ascend 910B2 (cann-bench, with L2',
    `flushed before each launch). Rows of at most ${elements} elements. None of the constants of the clock is fitted to these rows:`,
    'they come from measurements of single instructions, transfers and streams, and each says so where it stands',
    '(`plugin/emulator/runtime/timing.h`, `costs.h`). That reading tiling data takes time was looked for where rows of ForeachAddcdivScalar were',
    'far off; what a line of it takes is the estimate for the data cache. Tails of reductions are fitted to the three measurements below.',
    '',
    ...figureLines(measured),
    ...bandLines(),
    ...costLines(taken),
    '## By operator',
    '',
    ...algorithms,
    '',
    'Error: median of |predicted / published - 1|. Ratio: geometric mean of predicted / published. Spread: third quartile of that over',
    'the first. Tau: Kendall’s, between predicted and published within the operator.',
    '',
    ...table(
      ['operator', 'rows', 'error', 'ratio', 'spread', 'tau'],
      [...operators.map(([name, own]) => line(name, agreementOf(own))), line('all', agreementOf(rows))],
    ),
    `Across operators, on rows of equal size and dtype, tau is ${figure(tauAcross(rows))} on average; of ${alike.join(', ')},`,
    `which compute like the vendor’s as far as is known, ${figure(tauAcross(rows.filter(({ operator }) => alike.includes(operator))))}.`,
    'By pairs, on the rows that both have; close are those in the other order whose published times are less than a tenth apart:',
    '',
    ...table(
      ['operators', 'rows', 'in the published order', 'close'],
      ordersAcross(rows).map((two) => [two.operators, String(two.rows), String(two.agree), String(two.close)]),
    ),
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
    'Square products by our operators, and the share of what 24 cube cores can multiply. A tuned sample of the vendor takes 4.01 ms at 8192,',
    '75 %; published are those of a tuned kernel of others on such a device, with sums of float32.',
    '',
    ...table(
      ['operator', 'm = n = k', 'published µs', 'predicted µs', 'share of the peak'],
      cubes.map(({ operator, side, publishedUs, us, share }) => [
        operator,
        String(side),
        publishedUs?.toFixed(1) ?? '-',
        us.toFixed(1),
        perCent(share),
      ]),
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
