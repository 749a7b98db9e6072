import istanbul, { type CoverageMap } from 'istanbul-lib-coverage'
import report from 'istanbul-lib-report'
import reports from 'istanbul-reports'
import { BaseCoverageProvider, type CoverageProvider, type Vitest } from 'vitest/node'
import { eitherOf } from '../evaluation/reached.ts'
import { istanbulData, type ReachedBlocks } from './istanbul.ts'
import './meta.ts'
import { runOf } from './run.ts'

/**
 * Reports which code of kernels their cases have reached, as the providers of Vitest do of JavaScript: the same options,
 * reporters and thresholds.
 */
export class KernelCoverageProvider extends BaseCoverageProvider implements CoverageProvider {
  override readonly name = 'istanbul'

  initialize(vitest: Vitest): void {
    // the base compares it with that of Vitest: here, one package serves several versions
    this.version = vitest.version
    // oxlint-disable-next-line no-underscore-dangle -- the name is Vitest's
    this._initialize(vitest)
  }

  override createCoverageMap(): CoverageMap {
    return istanbul.createCoverageMap({})
  }

  /** What all samples of the run that were built have reached, those that an earlier run has judged as well. */
  async generateCoverage(): Promise<CoverageMap> {
    const reached = new Map<string, string>()
    for (const file of this.ctx.state.getTestModules())
      for (const test of file.children.allTests()) {
        const { artifact, reached: blocks } = test.meta().npu ?? {}
        // a kernel of which no launch comes to its end has reached nothing
        if (artifact !== undefined) reached.set(artifact, eitherOf(reached.get(artifact), blocks) ?? '')
      }
    const service = runOf(this.ctx)?.service
    const all: ReachedBlocks[] = []
    for (const [artifact, blocks] of reached) {
      const code = await service?.code(artifact)
      if (code) all.push({ code, reached: blocks })
    }
    const map = this.createCoverageMap()
    for (const data of istanbulData(all)) if (this.isIncluded(data.path)) map.addFileCoverage(data)
    return map
  }

  override async generateReports(coverageMap: CoverageMap, allTestsRun: boolean | undefined): Promise<void> {
    const { reportsDirectory: dir, watermarks, reporter: chosen, skipFull, thresholds } = this.options
    const context = report.createContext({ dir, coverageMap, ...(watermarks && { watermarks }) })
    const common = { skipFull, projectRoot: this.ctx.config.root }
    for (const [name, options] of chosen)
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- other names are modules of the user's own
      reports.create(name as 'text', { ...common, ...options }).execute(context)
    if (thresholds) await this.reportThresholds(coverageMap, allTestsRun)
  }

  override parseConfigModule(): never {
    throw new Error('coverage.thresholds.autoUpdate: kernels have none; set the thresholds by hand')
  }
}
