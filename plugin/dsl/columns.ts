import type { Program, StaticTest } from './ir.ts'

/** What a question about dtypes is answered in a column. */
export function holdsIn(program: Program, test: StaticTest, column: number): boolean {
  switch (test.op) {
    case 'is': {
      const argument = [...program.inputs, ...program.outputs].find(({ name }) => name === test.tensor)!
      return test.dtypes.includes(argument.dtypes[column]!)
    }
    case 'not':
      return !holdsIn(program, test.operand, column)
    case 'and':
      return holdsIn(program, test.left, column) && holdsIn(program, test.right, column)
    case 'or':
      return holdsIn(program, test.left, column) || holdsIn(program, test.right, column)
  }
}
