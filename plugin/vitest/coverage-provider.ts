import { relative } from 'node:path'
import istanbul, { type CoverageMap } from 'istanbul-lib-coverage'
import report from 'istanbul-lib-report'
import reports from 'istanbul-reports'
import { BaseCoverageProvider, type CoverageProvider, type Vitest } from 'vitest/node'
import { eitherOf } from '../evaluation/reached.ts'
import { inOneLine } from '../ledger/table.ts'
import { messageOf, neutralText } from '../model/index.ts'
import { istanbulData, type ReachedBlocks } from './istanbul.ts'
import './meta.ts'
import { withPages } from './report-pages.ts'
import { runOf } from './run.ts'

const hasPages = (report: string): boolean => /^(?:html|html-spa|lcov)$/.test(report)

/** Files that are named of those that are left out. */
const shownFiles = 3

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
    const contextOf = (map: CoverageMap) =>
      report.createContext({ dir, coverageMap: map, ...(watermarks && { watermarks }) })
    const common = { skipFull, projectRoot: this.ctx.config.root }
    const visitors = chosen.map(([name, options]) => ({
      name,
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- other names are modules of the user's own
      visitor: reports.create(name as 'text', { ...common, ...options }),
    }))
    const all = contextOf(coverageMap)
    const paged = visitors.some(({ name }) => hasPages(name)) ? contextOf(this.#pagesOf(coverageMap)) : all
    for (const { name, visitor } of visitors)
      try {
        visitor.execute(hasPages(name) ? paged : all)
      } catch (error) {
        // what a candidate is called ends no report of others
        this.#tell(`the report ${name} cannot be written: ${messageOf(error)}`)
      }
    if (thresholds) await this.reportThresholds(coverageMap, allTestsRun)
  }

  /** What pages can be written of. */
  #pagesOf(coverageMap: CoverageMap): CoverageMap {
    const files = coverageMap.files()
    const kept = new Set(withPages(files))
    const left = files.filter((file) => !kept.has(file))
    if (left.length === 0) return coverageMap
    const named = left.slice(0, shownFiles).map((file) => relative(this.ctx.config.root, file))
    const whose = left.length === 1 ? '1 file has a name' : `${left.length} files have names`
    this.#tell(`${whose} that no page can have; html and lcov are without: ${named.join(', ')}`)
    const map = this.createCoverageMap()
    for (const file of kept) map.addFileCoverage(coverageMap.fileCoverageFor(file))
    return map
  }

  #tell(line: string): void {
    this.ctx.logger.error(neutralText(inOneLine(`coverage: ${line}`)))
  }

  override parseConfigModule(): never {
    throw new Error('coverage.thresholds.autoUpdate: kernels have none; set the thresholds by hand')
  }
}
