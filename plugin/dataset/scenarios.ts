import { Draws } from '../search/index.ts'
import { isStatic, type KernelCase, type TilingFacts, type TilingValue } from '../model/index.ts'
import type { KernelTask } from '../task/index.ts'
import { bytesOfCase } from '../task/work.ts'
import type { Judging } from './judging.ts'

/** A case, and what the host part really makes of it. */
export interface TiledCase {
  kernelCase: KernelCase
  tiling: TilingFacts
}

/** What scenarios of a task are looked for among. */
export interface ScenarioLimits {
  /** of one task */
  count: number
  /** generated cases that are looked at beside the static ones */
  draws: number
  seed: number
  /** bytes of all tensors: a scenario is judged again and again */
  bytes: number
  /** numbers of the tiling data: somebody has to find all of them */
  numbers: number
}

/** Numbers that a summary of a tiling has to say. */
export const numbersIn = (value: TilingValue): number =>
  typeof value === 'object' ? Object.values(value).reduce<number>((sum, each) => sum + numbersIn(each), 0) : 1

/** Bytes of the tensors of a scenario: rows are judged again whenever they are checked. */
export const mostScenarioBytes = 8 << 20

/** What tells scenarios apart, from what matters most on. */
const ways: readonly ((scenario: TiledCase) => string)[] = [
  ({ tiling }) => tiling.tilingKey,
  ({ kernelCase }) => String(kernelCase.combination),
  ({ tiling }) => String(tiling.blockDim === 1),
  ({ tiling }) => String(tiling.blockDim),
]

/**
 * Scenarios of a task that can be worked out by hand: static cases before generated ones, those for several cores before others, and of
 * several as different ones as there are.
 */
export async function scenariosOf(
  task: KernelTask,
  artifact: string,
  judging: Judging,
  { count, draws, seed, bytes, numbers }: ScenarioLimits,
): Promise<TiledCase[]> {
  const drawn = new Draws(task.domain, seed)
  const cases = [...task.staticCases, ...Array.from({ length: draws }, (_, i) => drawn.case(String(i)))]
  const found: TiledCase[] = []
  for (const kernelCase of cases) {
    if (bytesOfCase(kernelCase) > bytes) continue
    const tiled = await judging.tiling(artifact, kernelCase)
    if (tiled.ok && numbersIn(tiled.tiling.fields) <= numbers) found.push({ kernelCase, tiling: tiled.tiling })
  }
  const first = (scenario: TiledCase): number =>
    (isStatic(scenario.kernelCase) ? 0 : 1) + (scenario.tiling.blockDim > 1 ? 0 : 2)
  found.sort((one, other) => first(one) - first(other))
  const chosen: TiledCase[] = []
  while (chosen.length < Math.min(count, found.length)) {
    const rest = found.filter((each) => !chosen.includes(each))
    const novelty = (scenario: TiledCase): number =>
      ways.findIndex((way) => chosen.every((other) => way(other) !== way(scenario)))
    const rank = (scenario: TiledCase): number => (novelty(scenario) < 0 ? ways.length : novelty(scenario))
    const [next] = rest.toSorted((one, other) => rank(one) - rank(other))
    if (!next || (chosen.length > 0 && rank(next) === ways.length)) break
    chosen.push(next)
  }
  return chosen
}
