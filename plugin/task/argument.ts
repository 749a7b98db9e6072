import type { Draw } from '../inputs/index.ts'
import type { DType, TaskArgument } from '../model/index.ts'
import type { Pattern } from './pattern.ts'

/** What a spec says of one argument. `Kind` and `Optional` give golden's parameters their types. */
export interface ArgumentDefinition<
  Kind extends TaskArgument['kind'] = TaskArgument['kind'],
  Optional extends boolean = boolean,
> {
  readonly kind: Kind
  readonly optional: Optional
  /** one dtype for all combinations, or one per combination; absent with `like` */
  readonly dtype?: DType | readonly DType[]
  /** absent: the same as `like`, or any shape the row gives */
  readonly shape?: Pattern
  /** number of tensors of a list: a number or a pattern variable */
  readonly length?: number | string
  /** takes kind, dtypes, shape and draw from this input unless said otherwise */
  readonly like?: string
  readonly draw?: Draw
  /** outputs only: the input whose memory this output overwrites */
  readonly aliases?: string
  /** outputs only: it holds zeros before the launch, by the contract of the operator */
  readonly zeroed?: boolean
}

interface Options {
  dtype: DType | readonly DType[]
  draw?: Draw
  /** true: the argument may be absent, a row says so with null */
  optional?: boolean
  /** outputs only: the input whose memory this output overwrites */
  aliases?: string
  /** outputs only: it holds zeros before the launch, by the contract of the operator */
  zeroed?: boolean
}

type OptionalOf<T> = T extends { readonly optional: true } ? true : false

function define<Kind extends TaskArgument['kind'], T extends Partial<Options>>(
  kind: Kind,
  options: T,
  rest: Partial<ArgumentDefinition> = {},
): ArgumentDefinition<Kind, OptionalOf<T>> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the conditional type says of T what === says of its value
  return { ...options, ...rest, kind, optional: (options.optional === true) as OptionalOf<T> }
}

/**
 * One tensor. `shape` is a pattern: numbers, variables (`'D'`) and at most one run of extents (`'...rows'`); a variable
 * has one value throughout a case. `tensor.like('x')` takes everything from the input `x`.
 */
export const tensor = Object.assign(
  <const T extends Options & { shape: Pattern }>(options: T) => define('tensor', options),
  {
    like: <const T extends Partial<Options>>(input: string, options?: T) =>
      define('tensor', { ...options! }, { like: input }),
  },
)

/**
 * A list of tensors. Without `shape` each tensor has the shape its row gives; with one, all follow the pattern and
 * `length` says how many there are. `tensorList.like('x1')` takes everything from the list `x1`.
 */
export const tensorList = Object.assign(
  <const T extends Options & { shape?: Pattern; length?: number | string }>(options: T) =>
    define('tensorList', options),
  {
    like: <const T extends Partial<Options>>(input: string, options?: T) =>
      define('tensorList', { ...options! }, { like: input }),
  },
)

/** One number that lives in device memory. A row gives it as a plain number; otherwise it is drawn. */
export const scalarTensor = <const T extends Options>(options: T) => define('scalarTensor', options, { shape: [] })
