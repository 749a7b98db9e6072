import { writeSample } from '../imports/index.ts'
import { judgedIn, type Unused } from './preferences/judged.ts'

/**
 * Lays what a run has judged as samples below a folder, by the sources that its ledger has kept: each once, named by their hash, so that
 * another call finds them where they were. Returns how many there are, and what nothing was kept of.
 */
export function layLedger(ledger: string, into: string): { samples: number } & Unused {
  const { judged, ...unused } = judgedIn(ledger)
  const seen = new Set<string>()
  for (const { suite, task, sources, files } of judged) {
    const name = sources.slice(0, 16)
    const place = `${suite}/${task}/${name}`
    if (seen.has(place)) continue
    seen.add(place)
    const texts = new Map(files.map(({ path, content }) => [path, content]))
    writeSample(into, { suite, task, sample: name, model: null, files: texts })
  }
  return { samples: seen.size, ...unused }
}
