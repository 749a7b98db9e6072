import type { DType } from '../model/index.ts'
import type { Argument, Program, StaticTest } from './ir.ts'
import { walkStatements } from './walk.ts'

/** Tensors by name: an input where an output is called like it. */
const knownArguments = new WeakMap<Program, ReadonlyMap<string, Argument>>()

/** The tensor of a name. */
export function argumentOf(program: Program, name: string): Argument {
  const known =
    knownArguments.get(program) ??
    new Map([...program.outputs, ...program.inputs].map((each): [string, Argument] => [each.name, each]))
  knownArguments.set(program, known)
  return known.get(name)!
}

/** What a question about dtypes is answered in a column. */
export const holdsIn = (program: Program, test: StaticTest, column: number): boolean =>
  holds(test, (tensor) => argumentOf(program, tensor).dtypes[column]!)

/** The same where tensors have these dtypes. */
export function holds(test: StaticTest, dtypeOf: (tensor: string) => DType): boolean {
  switch (test.op) {
    case 'is':
      return test.dtypes.includes(dtypeOf(test.tensor))
    case 'not':
      return !holds(test.operand, dtypeOf)
    case 'and':
      return holds(test.left, dtypeOf) && holds(test.right, dtypeOf)
    case 'or':
      return holds(test.left, dtypeOf) || holds(test.right, dtypeOf)
  }
}

/** One of those columns that have the same statements, whatever the types are. */
export function differentColumns(program: Program): number[] {
  const tests: StaticTest[] = []
  walkStatements(program.kernel, (each) => {
    if (each.op === 'static-if') tests.push(each.test)
  })
  const first = new Map<string, number>()
  for (let column = 0; column < program.columns; column++) {
    const answers = tests.map((test) => (holdsIn(program, test, column) ? 'y' : 'n')).join('')
    if (!first.has(answers)) first.set(answers, column)
  }
  return [...first.values()]
}
