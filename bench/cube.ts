import { findCompiler } from '../plugin/toolchain/compiler.ts'
import { printTable, fastestAndMedian } from './figures.ts'
import { withMachine } from './machine.ts'
import { withNativeProduct } from './native.ts'
import { withLaunch, staticCase } from './throughput.ts'

/** Share of the speed of OpenBLAS that the emulated cube core is to reach on large products. */
const aimShare = 50

/** BasicMatmul with all checks, beside the product of as many floats by OpenBLAS: one thread each, in turns. */
export async function benchCube(cacheDir: string, rounds: number): Promise<void> {
  const compiler = await findCompiler()
  const shapes = [
    [512, 512, 512],
    [1024, 1024, 1024],
    [2048, 1024, 2048],
  ] as const
  await withMachine(cacheDir, async (machine) => {
    const rows = [['m x n x k', 'emulated', 'GFLOP/s', 'OpenBLAS', 'GFLOP/s', 'share', '']]
    const known = await withNativeProduct(compiler, cacheDir, async (product) => {
      for (const [m, n, k] of shapes) {
        const work = staticCase('BasicMatmul', 'float16', { a: [m, k], b: [k, n], c: [m, n] })
        const emulated: number[] = []
        const native: number[] = []
        await withLaunch(machine, work, async (launch) => {
          for (let round = 0; round < rounds; round++) {
            emulated.push((await launch()).kernel)
            if (product) native.push((await product(m, n, k)) / 1e6)
          }
        })
        const speed = (times: readonly number[]): string => ((2 * m * n * k) / Math.min(...times) / 1e6).toFixed(1)
        const share = Math.round((100 * Math.min(...native)) / Math.min(...emulated))
        const verdict = `${share >= aimShare ? 'met' : 'MISSED'}: aim ${aimShare} %`
        const beside = product ? [fastestAndMedian(native), speed(native), `${share} %`, verdict] : []
        rows.push([`${m} x ${n} x ${k}`, fastestAndMedian(emulated), speed(emulated), ...beside])
      }
      return product !== undefined
    })
    printTable(`BasicMatmul float16, all checks, fastest (median) of ${rounds}`, rows)
    if (!known) console.log('  OpenBLAS is not installed (Debian: libopenblas-dev); nothing to compare with')
  })
}
