import type { Compiled } from './compile.ts'
import { spell } from './cpp.ts'
import type { Extent, Statement, Transfer } from './ir.ts'
import type { Step } from './schedule.ts'

/** What each lowering prints: files of the project, or the steps between them. */
export const stages = ['host', 'init', 'compute', 'align'] as const
export type StageName = (typeof stages)[number]

/** What a program has become behind one of the lowerings. */
export function printStage({ files, steps, program }: Compiled, stage: StageName): string {
  const kernel = files.at(-1)!.content
  switch (stage) {
    case 'host':
      return files
        .slice(0, -1)
        .map(({ path, content }) => `// ${path}\n${content}`)
        .join('\n')
    case 'init': {
      const from = kernel.indexOf(`class Kernel${program.name} {`)
      const process = kernel.indexOf('  __aicore__ inline void Process()', from)
      const members = kernel.indexOf(' private:', process)
      return `${kernel.slice(from, process)}${kernel.slice(members, kernel.indexOf('};', members))}};\n`
    }
    case 'compute':
      return `${stepLines(steps, '').join('\n')}\n`
    case 'align':
      return kernel
  }
}

const stepLines = (steps: readonly Step[], indent: string): string[] =>
  steps.flatMap((step) => {
    if (step.op === 'order') return [`${indent}wait ${step.order}`]
    if (step.op !== 'statement') return [`${indent}${step.op} ${step.buffer.name}`]
    const [head, between] = headOf(step.statement)
    const blocks = step.blocks.flatMap((block, i) =>
      i > 0 && block.length === 0
        ? []
        : [...(i > 0 ? [`${indent}${between}`] : []), ...stepLines(block, `${indent}  `)],
    )
    return [...(head === '' ? [] : [`${indent}${head}`]), ...blocks]
  })

const text = (expression: Parameters<typeof spell>[0]): string =>
  spell(expression, { part: 'kernel', helpers: new Set() })

const extentText = ({ rows, columns }: Extent): string =>
  rows === null ? text(columns) : `[${text(rows)}, ${text(columns)}]`

const placeText = ({ tensor, item }: Transfer): string => (item ? `${tensor}[${text(item)}]` : tensor)

/** A statement with its extents as the program has them. */
function headOf(statement: Statement): [head: string, between: string] {
  switch (statement.op) {
    case 'const':
    case 'let':
    case 'assign':
      return [`${statement.name} = ${text(statement.value)}`, '']
    case 'for':
      return [
        `for ${statement.name} from ${text(statement.from)} to ${text(statement.to)} by ${text(statement.step)}`,
        '',
      ]
    case 'if':
      return [`if ${text(statement.test)}`, 'else']
    case 'static-if':
      return ['if the dtypes say so', 'else']
    case 'stage':
      return [statement.stage, '']
    case 'declare':
      return ['', '']
    case 'matmul': {
      const { target, left, right, bias, extents } = statement
      return [
        `Matmul ${[target, left, right, ...(bias === null ? [] : [bias])].join(', ')}, [${extents.map(text).join(', ')}]`,
        '',
      ]
    }
    case 'set':
      return [`${statement.buffer.name}[${text(statement.index)}] = ${text(statement.value)}`, '']
    case 'load':
      return [
        `DataCopy ${statement.buffer.name} <- ${placeText(statement)}[${text(statement.offset)}] ${extentText(statement.extent)}`,
        '',
      ]
    case 'store':
      return [
        `DataCopy ${placeText(statement)}[${text(statement.offset)}] <- ${statement.buffer.name} ${extentText(statement.extent)}`,
        '',
      ]
    case 'call': {
      const scalars = statement.scalars.map((each) => (each.kind === 'value' ? text(each.value) : each.word))
      const given = [
        ...statement.buffers.map(({ name }) => name),
        ...scalars.filter((each) => each !== ''),
        extentText(statement.extent),
      ]
      return [`${statement.primitive.ascendc} ${given.join(', ')}`, '']
    }
  }
}
