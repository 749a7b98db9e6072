import type { DType } from '../model/index.ts'
import type { Program, StaticTest } from './ir.ts'

/** What a question about dtypes is answered in a column. */
export const holdsIn = (program: Program, test: StaticTest, column: number): boolean =>
  holds(test, (tensor) => [...program.inputs, ...program.outputs].find(({ name }) => name === tensor)!.dtypes[column]!)

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
