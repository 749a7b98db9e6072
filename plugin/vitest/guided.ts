import { Guide, type GuideOptions } from '../search/index.ts'
import type { KernelTask } from '../task/index.ts'
import { largestArgument } from '../task/fit.ts'

/** What chooses the draws of a search in a run with these options. */
export const guideOf = (
  { staticCases }: KernelTask,
  { fuzzBudgetMs, maxElements = Infinity }: { fuzzBudgetMs: number; maxElements?: number | undefined },
  search: Omit<GuideOptions, 'besides' | 'budgetMs'>,
): Guide =>
  new Guide({
    ...search,
    besides: staticCases.filter((one) => largestArgument(one) <= maxElements),
    budgetMs: fuzzBudgetMs,
  })
