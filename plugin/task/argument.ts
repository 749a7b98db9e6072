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
}

interface Options<Optional extends boolean> {
  dtype: DType | readonly DType[]
  draw?: Draw
  optional?: Optional
  aliases?: string
}

type LikeOptions<Optional extends boolean> = Partial<Options<Optional>>

function define<Kind extends TaskArgument['kind'], Optional extends boolean>(
  kind: Kind,
  options: Omit<ArgumentDefinition, 'kind' | 'optional'> & { optional?: Optional },
): ArgumentDefinition<Kind, Optional> {
  return { ...options, kind, optional: (options.optional ?? false) as Optional }
}

function single<Optional extends boolean = false>(
  options: Options<Optional> & { shape: Pattern },
): ArgumentDefinition<'tensor', Optional> {
  return define('tensor', options)
}

function list<Optional extends boolean = false>(
  options: Options<Optional> & { shape?: Pattern; length?: number | string },
): ArgumentDefinition<'tensorList', Optional> {
  return define('tensorList', options)
}

/**
 * One tensor. `shape` is a pattern: numbers, variables (`'D'`) and at most one run of extents (`'...rows'`); a variable
 * has one value throughout a case. `tensor.like('x')` takes everything from the input `x`.
 */
export const tensor = Object.assign(single, {
  like: <Optional extends boolean = false>(input: string, options: LikeOptions<Optional> = {}) =>
    define<'tensor', Optional>('tensor', { ...options, like: input }),
})

/**
 * A list of tensors. Without `shape` each tensor has the shape its row gives; with one, all follow the pattern and
 * `length` says how many there are. `tensorList.like('x1')` takes everything from the list `x1`.
 */
export const tensorList = Object.assign(list, {
  like: <Optional extends boolean = false>(input: string, options: LikeOptions<Optional> = {}) =>
    define<'tensorList', Optional>('tensorList', { ...options, like: input }),
})

/** One number that lives in device memory. A row gives it as a plain number; otherwise it is drawn. */
export const scalarTensor = <Optional extends boolean = false>(
  options: Options<Optional>,
): ArgumentDefinition<'scalarTensor', Optional> => define('scalarTensor', { ...options, shape: [] })
