import { existsSync } from 'node:fs'
import type { AnyBuilder } from '../dataset/builder.ts'
import { AnswersBuilder, answersVersion } from '../dataset/documents/answers.ts'
import { DocumentsBuilder, documentsVersion } from '../dataset/documents/builder.ts'
import { documentItems } from '../dataset/documents/find.ts'
import { QuestionsBuilder, questionsVersion } from '../dataset/documents/questions.ts'
import { retrieveIn } from '../dataset/documents/retrieval.ts'
import { Judging } from '../dataset/judging.ts'
import { datasetTemplates } from '../dataset/templates.ts'
import { runSuites } from '../vitest/run-suites.ts'
import { runBuilder } from './dataset-build.ts'
import { builderUsage, onlyPlace, parseBuilder, textOf } from './dataset-options.ts'
import { number, positive } from './model-options.ts'
import { configurationOf } from './suites.ts'
import { UserError } from './user-error.ts'

const defaultBatch = 12

const usage = `Usage: vitest-npu dataset docs <folder> --model <name> --out <folder>

Makes questions, reasoning and answers of Markdown manuals: one for each passage, and one for each page of an API. A row is taken
where its code compiles, its names are of Ascend C, and nothing is copied from the manual. With --retrieve, passages are asked questions on
first; each question is then answered from what a search finds for it in all of the manual. Pages of an API stay as they are.

  --retrieve                questions first, then answers from retrieved passages
  --card                    pages of the API card of this package as well
  --skip <a.md,b.md>        documents that are left out
  --each <n>                rows of one passage or page, with --retrieve questions on one passage; 1
  --licence <name>          of the documents, as an SPDX expression; unknown
${builderUsage(defaultBatch, 'passages')}
  --help, --version

  npx vitest-npu dataset docs manual --card --model qwen3 --out data/docs
`

/** `dataset docs` */
export async function datasetDocsCommand(args: readonly string[]): Promise<void> {
  const parsed = parseBuilder('docs', usage, args, {
    retrieve: { type: 'boolean' },
    card: { type: 'boolean' },
    skip: { type: 'string' },
    each: { type: 'string' },
    licence: { type: 'string' },
  })
  if (!parsed) return
  const { options, values, places } = parsed
  const folder = onlyPlace('docs', places, 'a folder of Markdown')
  if (!existsSync(folder)) throw new UserError(`dataset docs: there is no ${folder}`)
  const text = textOf(values)
  const skip = (text('skip') ?? '').split(',').filter((name) => name !== '')
  const each = number('dataset docs', values, 'each', positive) ?? 1
  const licence = text('licence') ?? 'unknown'
  const card = values['card'] === true
  const retrieve = values['retrieve'] === true
  const items = documentItems(folder, { skip, card, related: !retrieve })
  if (items.length === 0) throw new UserError(`dataset docs: ${folder} has no Markdown that says anything`)
  const prompts = retrieve ? [questionsVersion, answersVersion, documentsVersion] : documentsVersion
  const settings = { builder: 'docs', source: folder, skip, card, each, licence, prompts }
  await runBuilder(options, settings, async ({ folder: work, signal }) => {
    const { root, options: project } = await configurationOf(process.cwd())
    const suites = runSuites(project, root)
    const judging = new Judging({ root, options: project, suites }, signal, (line) => console.error(line))
    const templates = datasetTemplates(options.prompts)
    const common = { batch: options.batch ?? defaultBatch, each, licence, folder: work, compiler: judging, templates }
    const asked = items.slice(0, options.limit)
    const sections = asked.filter(({ kind }) => retrieve && kind === 'documentation')
    const others = asked.filter(({ kind }) => !retrieve || kind === 'api')
    const stages = (): AnyBuilder[] => [
      new QuestionsBuilder(sections, common),
      new AnswersBuilder(sections, { ...common, retrieve: retrieveIn(folder, skip) }),
    ]
    return {
      builders: [...(sections.length > 0 ? stages() : []), new DocumentsBuilder(others, common)],
      close: async () => await judging.close(),
    }
  })
}
