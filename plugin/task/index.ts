export {
  absoluteAndRelative,
  comparedIn,
  errorShare,
  exact,
  float32Roundings,
  onlyOutputs,
  publicDefault,
  roundBlock,
  roundTo,
  ulpScaled,
  allClose,
} from '../compare/index.ts'
export type * from '../compare/rules.ts'
export {
  absolute,
  bitsOf16,
  bool,
  byCase,
  byDtype,
  decode,
  drawn,
  eitherSign,
  encode,
  normal,
  oneOf,
  planted,
  randint,
  RandomStream,
  shifted,
  tiedTo,
  toFloat64,
  uniform,
  widened,
  within,
  withNonFinite,
} from '../inputs/index.ts'
export { emptyTensor, sizeOf } from '../model/index.ts'
export type { Draw, DrawContext } from '../inputs/index.ts'
export { scalarTensor, tensor, tensorList } from './argument.ts'
export type { ArgumentDefinition } from './argument.ts'
export { attr } from './attribute.ts'
export type { AttributeDefinition } from './attribute.ts'
export { defineTask } from './define-task.ts'
export { DefinitionError } from './definition.ts'
export type { Arguments, AttributeDefinitions, AttrsOf, InputsOf, Row, RowValue, TaskDefinition } from './definition.ts'
export { describePattern } from './pattern.ts'
export type { Pattern } from './pattern.ts'
export { dtypeOf, shapeOf, specsOf, tensorsOf } from './facts.ts'
export { bytesOfArgument, bytesOfSpec, leastWork } from './work.ts'
export type { Traffic, Work, WrittenTask } from './work.ts'
export { dim } from './dimension.ts'
export type { DimensionOptions } from './dimension.ts'
export type * from './kernel-task.ts'
