import type { DType } from '../model/index.ts'
import { argumentOf } from './columns.ts'
import type { Expression, Product, Program } from './ir.ts'
import { fail, type Span } from './problem.ts'
import { partsOf, walkStatements } from './walk.ts'

// Products of matrices: cube cores carry them out, for all vector cores together. A product is a kernel of its own.

/** How people write it. */
export const productForm = 'matmul(c, a, b, [m, k, n], bias?)'

/** What a product of matrices of these types may be, and what may be added to its rows. */
const types: Partial<Record<DType, { readonly result: readonly DType[]; readonly bias: readonly DType[] }>> = {
  float16: { result: ['float16', 'float32'], bias: ['float16', 'float32'] },
  bfloat16: { result: ['bfloat16', 'float32'], bias: ['float32'] },
  float32: { result: ['float32'], bias: ['float32'] },
}

/** The product that a kernel consists of. */
export const productOf = ({ kernel }: Program): Product | undefined => {
  const [first] = kernel
  return first?.op === 'matmul' ? first : undefined
}

/** Fails where a product is not the whole of a kernel, or its extents are not known to the host part. */
export function checkProduct(program: Program, attempt: (check: () => void) => void): void {
  const { kernel, fields } = program
  const [first, second] = kernel
  walkStatements(kernel, (statement) => {
    if (statement.op === 'matmul' && (statement !== first || second))
      attempt(() =>
        fail(
          statement === first ? second!.span : statement.span,
          'a product is a kernel of its own',
          `it consists of ${productForm}, and nothing stands beside it`,
        ),
      )
  })
  const product = productOf(program)
  if (!product) return
  for (const part of product.extents.flatMap(partsOf))
    if (
      part.op !== 'number' &&
      part.op !== 'operate' &&
      !fields.some(({ name }) => part.op === 'name' && part.name === name)
    )
      attempt(() =>
        fail(
          part.span,
          'this extent is not known to the host part',
          'extents are made of what host returns, and of numbers',
        ),
      )
}

/** Fails where the cube core does not multiply these types. */
export function checkProductTypes(program: Program, product: Product, column: number, where: () => string): void {
  const dtypeOf = (tensor: string): DType => argumentOf(program, tensor).dtypes[column]!
  const { target, left, right, bias, span } = product
  for (const tensor of [left, right, ...(bias === null ? [] : [bias])])
    if (!program.inputs.some(({ name }) => name === tensor))
      fail(span, `${tensor} is an output`, 'a product is made of inputs')
  if (!program.outputs.some(({ name }) => name === target))
    fail(span, `${target} is an input`, 'the product is an output')
  const [a, b, c] = [dtypeOf(left), dtypeOf(right), dtypeOf(target)]
  const legal = types[a]
  if (!legal) fail(span, `matmul knows no ${a}${where()}`, `it takes ${Object.keys(types).join(', ')}`)
  if (a !== b) fail(span, `matmul is given ${a} and ${b}${where()}`, 'both matrices have one type')
  listed('the product', c, legal.result, span, where)
  if (bias !== null) listed('what is added', dtypeOf(bias), legal.bias, span, where)
}

function listed(what: string, dtype: DType, legal: readonly DType[], span: Span, where: () => string): void {
  if (!legal.includes(dtype)) fail(span, `${what} is ${dtype}${where()}`, `here it is ${legal.join(' or ')}`)
}

/** Elements of each tensor, as the host part has to see them. */
export function sizesOf({ left, right, bias, extents: [m, k, n] }: Product): [tensor: string, elements: Expression][] {
  return [
    [left, times(m, k)],
    [right, times(k, n)],
    ...(bias === null ? [] : [[bias, n] satisfies [string, Expression]]),
  ]
}

const times = (left: Expression, right: Expression): Expression => ({
  op: 'operate',
  operator: '*',
  left,
  right,
  type: 'int',
  span: left.span,
})
