import type { Row } from './vendor.ts'

/** Values by a key, in the order in which keys come first. */
export function groupedBy<T>(values: readonly T[], keyOf: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const value of values) {
    const key = keyOf(value)
    groups.set(key, [...(groups.get(key) ?? []), value])
  }
  return groups
}

const sorted = (values: readonly number[]): number[] => values.toSorted((one, other) => one - other)

/** A quantile of some values, between neighbours in proportion. */
export function quantile(values: readonly number[], share: number): number {
  const all = sorted(values)
  const place = (all.length - 1) * share
  const [low, high] = [all[Math.floor(place)], all[Math.ceil(place)]]
  return low === undefined || high === undefined ? NaN : low + (high - low) * (place - Math.floor(place))
}

/** Kendall's tau between two figures of the same things, over the pairs that neither has as equal. */
export function kendallTau(pairs: readonly (readonly [number, number])[]): number {
  let [agree, all] = [0, 0]
  pairs.forEach(([one, other], i) => {
    for (const [nextOne, nextOther] of pairs.slice(i + 1)) {
      const sign = Math.sign(nextOne - one) * Math.sign(nextOther - other)
      agree += sign
      all += Math.abs(sign)
    }
  })
  return all === 0 ? NaN : agree / all
}

/** How predictions compare with what was published. */
export interface Agreement {
  rows: number
  /** median of |predicted / published - 1| */
  medianError: number
  /** geometric mean of predicted / published */
  ratio: number
  /** third quartile of predicted / published over the first */
  quartiles: number
  tau: number
}

/** The agreement of some rows, whose predictions are all multiplied by `factor`. */
export function agreementOf(rows: readonly Row[], factor = 1): Agreement {
  const ratios = rows.map(({ predictedUs, publishedUs }) => (factor * predictedUs) / publishedUs)
  return {
    rows: rows.length,
    medianError: quantile(
      ratios.map((ratio) => Math.abs(ratio - 1)),
      0.5,
    ),
    ratio: Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length),
    quartiles: quantile(ratios, 0.75) / quantile(ratios, 0.25),
    tau: kendallTau(rows.map(({ predictedUs, publishedUs }) => [predictedUs, publishedUs])),
  }
}

/** The factor that predictions of some rows are off by, in the middle. */
export const factorOf = (rows: readonly Row[]): number =>
  1 /
  quantile(
    rows.map(({ predictedUs, publishedUs }) => predictedUs / publishedUs),
    0.5,
  )

/** Rows of one dtype and number of elements, that several operators have. */
const ofEqualSize = (rows: readonly Row[]): Row[][] =>
  [
    ...groupedBy(
      rows,
      ({ dtype, shape, tensors }) => `${dtype} ${tensors * shape.reduce((product, n) => product * n, 1)}`,
    ).values(),
  ].filter((same) => new Set(same.map(({ operator }) => operator)).size > 1)

/** Tau between operators on rows of one dtype and size, averaged over the rows that several operators have. */
export function tauAcross(rows: readonly Row[]): number {
  const taus = ofEqualSize(rows)
    .map((same) => kendallTau(same.map(({ predictedUs, publishedUs }) => [predictedUs, publishedUs])))
    .filter((tau) => !Number.isNaN(tau))
  return taus.length === 0 ? NaN : taus.reduce((sum, tau) => sum + tau, 0) / taus.length
}

/** How often two operators stand in the same order as published, on rows of equal size. */
export interface OrderOfTwo {
  operators: string
  rows: number
  /** in the same order */
  agree: number
  /** in the other order where published times are less than a tenth apart */
  close: number
}

/** The pairs that tau between operators is made of, by their operators. */
export function ordersAcross(rows: readonly Row[]): OrderOfTwo[] {
  const orders = new Map<string, OrderOfTwo>()
  for (const same of ofEqualSize(rows)) {
    same.forEach((one, i) => {
      for (const other of same.slice(i + 1)) {
        if (one.operator === other.operator) continue
        const operators = [one.operator, other.operator].toSorted().join(', ')
        const order = orders.get(operators) ?? { operators, rows: 0, agree: 0, close: 0 }
        orders.set(operators, order)
        ++order.rows
        const agrees = (one.publishedUs - other.publishedUs) * (one.predictedUs - other.predictedUs) > 0
        const ratio = one.publishedUs / other.publishedUs
        if (agrees) ++order.agree
        else if (Math.max(ratio, 1 / ratio) < 1.1) ++order.close
      }
    })
  }
  return [...orders.values()]
}
