import { callOf, type VendorCall, type VendorOperator } from './call.ts'

const call =
  (given: string) =>
  (task: string): readonly VendorCall[] => [callOf(`aclnn${task}`, given)]

/** Calls on lists have the names of the tasks; by what they take. */
const byArguments: Readonly<Record<string, string>> = {
  'x y':
    'Abs Acos Asin Atan Copy Cos Cosh Erf Erfc Exp Expm1 Log Log10 Log1p Log2 Neg Reciprocal Sigmoid Sign Sin Sinh Sqrt Tan Tanh',
  'x1 x2 y': 'DivList MaximumList MinimumList MulList',
  'x scalar y': 'AddScalar DivScalar MaximumScalar MinimumScalar MulScalar Norm PowScalar SubScalar',
  'x scalars y': 'AddScalarList DivScalarList MulScalarList SubScalarList',
  'x1 x2 alpha y': 'AddList SubList',
  'x1 x2 x3 scalar y': 'AddcdivScalar AddcmulScalar',
  'x1 x2 x3 scalars y': 'AddcdivList AddcdivScalarList AddcmulList AddcmulScalarList',
  'x1 x2 weight y': 'LerpScalar',
  'scaled_grads found_inf inv_scale': 'NonFiniteCheckAndUnscale',
  'scalar x y': 'PowScalarAndTensor',
  'x roundMode y': 'RoundOffNumber',
  x: 'ZeroInplace',
}

/** The vendor's operators on lists of tensors, by task. */
export const foreachOperators: Readonly<Record<string, VendorOperator>> = Object.fromEntries(
  Object.entries(byArguments).flatMap(([given, names]) =>
    names.split(' ').map((name) => [`Foreach${name}`, call(given)(`Foreach${name}`)]),
  ),
)
