import type {
  Accuracy,
  CodeCoverage,
  Comparison,
  Latency,
  Report,
  Stage,
  VendorReference,
  VerdictKind,
} from './types.ts'

/** What a sample came to: the verdict that stopped it, or that nobody knows. */
export type Status = VerdictKind | 'undecided'

/** One task, of one model or of many. */
export interface TaskRow {
  name: string
  suite: string
  /** the group of the suite, or the suite itself where there is none */
  level: string
  category: string
}

/** One sample as lists show it. */
export interface SampleRow {
  /** index of its task */
  task: number
  /** the model, or an empty text where nobody has named one */
  model: string
  name: string
  status: Status
  /** class of the compile error or code of the report */
  class: string | null
  speedup: number | null
  latencyNs: number | null
  /** cases that were judged, and those of them that are not right */
  cases: number
  failed: number
  /** against the run that it is compared with */
  change?: 'gained' | 'lost' | 'faster' | 'slower'
}

/** Everything that lists, filters and the heat map need. */
export interface Listing {
  tasks: TaskRow[]
  samples: SampleRow[]
}

/** A place in a source of the sample. */
export interface Place {
  /** name of the file, as the sources of the sample have it */
  file?: string
  line?: number
}

/** A finding of the device, with names of files in place of paths. */
export type Finding = Omit<Report, 'file' | 'line' | 'other'> & Place & { other?: { instruction: string } & Place }

/** A message of a compiler. */
export type Message = Place & { severity: 'error' | 'warning' | 'note'; message: string; column?: number }

/** One judged question of a sample. */
export interface CaseDetail {
  stage: Stage
  title: string
  kind: VerdictKind
  /** the verdict in words; absent where the case is right, and where a comparison says it */
  message?: string
  /** the smallest case that fails, of generated ones */
  failing?: string
  comparison?: Comparison
  /** how many wrong elements of the comparison are left out here */
  moreExamples?: number
  messages?: Message[]
  findings?: Finding[]
  /** how many findings are left out here */
  moreFindings?: number
  accuracy?: Accuracy
  ms?: number
  runs?: number
}

/** Everything that the page of a sample shows besides its row. */
export interface SampleDetail {
  cases: CaseDetail[]
  latency?: Latency
  baseline?: Latency
  /** the vendor's own operator, as a device has measured it before */
  vendor?: VendorReference
  pipes?: Record<string, number>
  code?: CodeCoverage
  warnings?: Message[]
  /** where the sources are; absent where there are none */
  sources?: BlockPlace
  /** where the timeline of the latency is; absent where there is none */
  timeline?: BlockPlace
  device: string
  profile: string
  seed: number
}

/** How many details of samples are in a block of the page, in the order of the samples. */
export const detailsPerBlock = 64

/** A value in a block of the page: the number of the block, and its name there. */
export type BlockPlace = readonly [block: number, hash: string]

/** Texts of a sample by the names of its files. */
export type Texts = Record<string, string>
