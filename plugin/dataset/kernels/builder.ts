import { sha256 } from '../hash.ts'
import type { Prompt } from '../../generation/types.ts'
import type { Answered, Builder, Item } from '../builder.ts'
import { asked, type datasetTemplates } from '../templates.ts'
import type { Decision } from '../work-folder.ts'
import { unknownNames } from '../documents/api-names.ts'
import { fenced } from '../documents/sections.ts'
import { textIn } from '../entries.ts'
import type { FoundSnippets } from './find.ts'
import { kernelFileOf } from './compile.ts'
import { leakOf } from './leaks.ts'
import type { OperatorFacts } from './operator.ts'
import type { KernelSnippet } from './snippets.ts'

export const kernelsVersion = 'kernels-1'

export interface KernelItem extends Item {
  source: string
  facts: OperatorFacts
  snippet: KernelSnippet
}

/** Characters of code of one prompt: some 11 000 tokens. */
const mostCode = 34_000

/** Words of requests and of reasoning. */
const bounds = { request: [6, 110], thought: [30, 400] } as const

/** Rows of requests for code that is there: a request, reasoning, and the code, which has compiled. */
export class KernelsBuilder implements Builder<KernelItem> {
  readonly name = 'kernels'
  readonly batch: number
  readonly weight = { of: ({ snippet }: KernelItem): number => snippet.code.length, most: mostCode }
  readonly #found: readonly FoundSnippets[]
  readonly #most: number
  readonly #limit: number | undefined
  readonly #licence: string
  readonly #render: ReturnType<typeof datasetTemplates>

  constructor(
    found: readonly FoundSnippets[],
    options: {
      batch: number
      /** rows of one operator at most */
      perOperator: number
      /** rows of all at most */
      limit: number | undefined
      licence: string
      templates: ReturnType<typeof datasetTemplates>
    },
  ) {
    this.#found = found
    this.batch = options.batch
    this.#most = options.perOperator
    this.#limit = options.limit
    this.#licence = options.licence
    this.#render = options.templates
  }

  /** Of each operator some; those of a prompt are short and long, so that all prompts are about as long. */
  items(): KernelItem[] {
    const items = this.#found.flatMap(({ operator }) => {
      if (!operator) return []
      return chosen(operator.snippets, this.#most).map((snippet): KernelItem => {
        const key = `${operator.source} ${snippet.name} ${sha256(snippet.code).slice(0, 16)}`
        return { key, source: operator.source, facts: operator.facts, snippet }
      })
    })
    return spread(items, this.batch).slice(0, this.#limit)
  }

  promptOf(items: readonly KernelItem[]): Prompt {
    const shown = items.map(({ snippet: { what, name, code } }, i) => {
      const kind =
        what === 'kernel'
          ? `the kernel \`${name}\`, a whole file`
          : `the ${what} \`${name}\`${what === 'function' ? '' : ', with what it needs'}`
      return `## Item ${i + 1}: ${kind}\n\n${fenced(code)}`
    })
    const facts = { count: String(items.length), items: shown.join('\n\n') }
    return {
      version: kernelsVersion,
      messages: asked(this.#render('kernels-system', {}), this.#render('kernels', facts)),
    }
  }

  decide(item: KernelItem, answered: Answered): Promise<Decision> {
    return Promise.resolve(this.#decided(item, answered))
  }

  #decided({ source, facts, snippet }: KernelItem, { items, number, model, prompt }: Answered): Decision {
    const refuse = (reason: string, detail: string): Decision => ({
      rows: [],
      rejections: [{ reason, detail: `${source}: ${snippet.name}: ${detail}` }],
    })
    const [entry] = items.entries.get(number) ?? []
    const request = textIn(entry, 'request', bounds.request)
    if ('problem' in request) return refuse('malformed entry', request.problem)
    const thought = textIn(entry, 'thought', bounds.thought)
    if ('problem' in thought) return refuse('malformed entry', thought.problem)
    const leak = leakOf(request.text, snippet.code)
    if (leak !== undefined) return refuse('request leaks code', leak)
    const [unknown] = unknownNames(`${request.text}\n\n${thought.text}`, [snippet.code])
    if (unknown !== undefined) return refuse('unknown name', unknown)
    const file = kernelFileOf(facts, snippet.code)
    return {
      rows: [
        {
          kind: 'kernel',
          request: request.text,
          thought: thought.text,
          answer: fenced(snippet.code),
          operator: facts.interface.name,
          proof: {
            files: [...facts.host, file],
            entry: file.path,
            interface: facts.interface,
            combination: facts.combination,
          },
          provenance: {
            source: `${source}:${snippet.file}`,
            sha256: sha256(snippet.code),
            licence: this.#licence,
            model,
            prompt,
          },
        },
      ],
      rejections: [],
    }
  }
}

/** What says most comes first: `Init` is much the same everywhere. */
const rank = ({ what, name, code }: KernelSnippet): number => {
  if (what === 'kernel') return Number.MAX_SAFE_INTEGER
  return name.endsWith('::Init') ? code.length / 4 : code.length
}

/** The kernel first, then the longest; classes that the kernel holds as a whole are no rows besides. */
function chosen(snippets: readonly KernelSnippet[], most: number): KernelSnippet[] {
  const kernel = snippets.find(({ what }) => what === 'kernel')
  const words = new Set(kernel?.code.match(/\w+/g))
  const own = snippets.filter(({ what, name }) => what !== 'class' || !words.has(name))
  return own.toSorted((a, b) => rank(b) - rank(a)).slice(0, most)
}

/** In an order in which each prompt has as much of every length as the others. */
function spread(items: readonly KernelItem[], batch: number): KernelItem[] {
  const sorted = items.toSorted((a, b) => a.snippet.code.length - b.snippet.code.length || (a.key < b.key ? -1 : 1))
  const all = sorted.reduce((sum, { snippet }) => sum + snippet.code.length, 0)
  const prompts = Math.max(1, Math.ceil(sorted.length / batch), Math.ceil(all / mostCode))
  return Array.from({ length: prompts }, (_, prompt) => sorted.filter((_, i) => i % prompts === prompt)).flat()
}
