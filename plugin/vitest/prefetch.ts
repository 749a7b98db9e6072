import type { BaseSequencer, TestSpecification, Vitest } from 'vitest/node'
import type { KernelService } from '../service/index.ts'
import { savedInterface } from './interfaces.ts'
import type { SpecCandidates } from './spec-candidates.ts'

/**
 * Has the candidates of all specs built in the order their specs will run. Only here, in the main process, is that
 * order known: a worker is given one spec at a time. With `-t` or tags only some tests run; the runner then asks for
 * their candidates.
 */
export function prefetchInOrder(
  vitest: Vitest,
  service: KernelService,
  candidates: SpecCandidates,
  interfaces: string,
): void {
  const { config } = vitest
  // the interface has `sort` as a property, which a class cannot override
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const Sequencer = config.sequence.sequencer as typeof BaseSequencer
  config.sequence.sequencer = class extends Sequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      const sorted = await super.sort(files)
      candidates.refresh()
      const samples = sorted.flatMap(({ moduleId }) =>
        candidates.samplesOfSpec(moduleId).map((sample) => ({ sample, suite: candidates.suiteOf(moduleId) })),
      )
      if (!config.testNamePattern && !config.tagsFilter?.length)
        service.prefetch(
          samples.flatMap(({ sample, suite }) => {
            const known = savedInterface(interfaces, { suite, name: sample.task })
            return known ? [{ sample, ...known }] : []
          }),
        )
      return sorted
    }
  }
}
