import type { AttributeType, DType } from '../model/index.ts'
import type { Primitive } from './primitives.ts'
import type { Span } from './problem.ts'

// What a program means: what the reader makes of its syntax, the validator checks, and the lowerings translate.

/** Types of scalars: whole numbers have 64 bits, fractions are float32 in kernels. */
export type ScalarType = 'int' | 'float' | 'bool'

interface Node {
  readonly span: Span
}

/** Operators of scalar expressions, as C++ spells them too. */
export type Operator = '+' | '-' | '*' | '/' | '%' | '<' | '<=' | '>' | '>=' | '==' | '!=' | '&&' | '||'

export type Expression = Node & { readonly type: ScalarType } & (
    | { readonly op: 'number'; readonly value: number }
    | { readonly op: 'name'; readonly name: string }
    | { readonly op: 'operate'; readonly operator: Operator; readonly left: Expression; readonly right: Expression }
    | { readonly op: 'call'; readonly name: string; readonly arguments: readonly Expression[] }
    | { readonly op: 'choose'; readonly test: Expression; readonly yes: Expression; readonly no: Expression }
    | { readonly op: 'not' | 'negate'; readonly operand: Expression }
    /** a fact of the shape of an input, in the host part; `from` and `to` count from the end where they are negative */
    | { readonly op: 'extent'; readonly tensor: string; readonly axis: Expression }
    | { readonly op: 'product'; readonly tensor: string; readonly from: Expression; readonly to: Expression | null }
    | { readonly op: 'rank' | 'bytes' | 'given'; readonly tensor: string }
    /** whether an attribute is this word */
    | { readonly op: 'is-word'; readonly attribute: string; readonly word: string }
    /** the length of a list attribute, and one of its values */
    | { readonly op: 'length'; readonly attribute: string }
    | { readonly op: 'item'; readonly attribute: string; readonly index: Expression }
    /** the largest value up to `limit` with which the buffers that it sizes fit */
    | { readonly op: 'fit'; readonly limit: Expression }
    /** one element of a buffer, in the kernel */
    | { readonly op: 'get'; readonly buffer: Buffer; readonly index: Expression }
    /** one element of a tensor in global memory, in the kernel */
    | { readonly op: 'read'; readonly tensor: string; readonly index: Expression }
    /** a fact of the sizes of a list of tensors */
    | {
        readonly op: 'list'
        readonly fact: ListFact
        readonly tensor: string
        readonly arguments: readonly Expression[]
      }
  )

/**
 * The number of tensors, the elements of all of them, those of one; how many tensors begin before a place of the elements
 * of all, which one holds it, and how many elements of a tensor lie before it.
 */
export type ListFact = 'count' | 'total' | 'elements' | 'begun' | 'first' | 'cut'

/** A question that each dtype column answers at compile time. */
export type StaticTest =
  | { readonly op: 'is'; readonly tensor: string; readonly dtypes: readonly DType[] }
  | { readonly op: 'not'; readonly operand: StaticTest }
  | { readonly op: 'and' | 'or'; readonly left: StaticTest; readonly right: StaticTest }

/** The element type of a buffer: a type of its own, or that of an argument. */
export type ElementType = { readonly dtype: DType | 'mask' } | { readonly of: string }

/** Memory on the chip. */
export interface Buffer extends Node {
  readonly name: string
  readonly type: ElementType
  /** null: a buffer of one row */
  readonly rows: Expression | null
  readonly columns: Expression
  /** how many of it are in flight where it is loaded or stored */
  readonly depth: 1 | 2
  /** ways through the kernel that have it: the branches it was declared in, outermost first */
  readonly branch: readonly Branch[]
  /** sides of tests at run time that it was declared in */
  readonly ways: readonly Way[]
}

/** One side of the test at a place: of two sides of one test only one is gone. */
export interface Way {
  readonly test: number
  readonly taken: boolean
}

/** One side of a static test. */
export interface Branch {
  readonly test: StaticTest
  readonly taken: boolean
}

/** How much of a buffer an operation works on. */
export interface Extent extends Node {
  /** null: one row */
  readonly rows: Expression | null
  readonly columns: Expression
}

/** What a primitive is given besides its buffers. */
export type Scalar =
  | { readonly kind: 'value'; readonly value: Expression }
  | { readonly kind: 'word'; readonly word: string }

export type Statement = Node &
  (
    | { readonly op: 'const' | 'let'; readonly name: string; readonly value: Expression }
    | { readonly op: 'assign'; readonly name: string; readonly value: Expression }
    | {
        readonly op: 'for'
        readonly name: string
        readonly from: Expression
        readonly to: Expression
        readonly step: Expression
        readonly body: readonly Statement[]
      }
    | {
        readonly op: 'if'
        readonly test: Expression
        readonly yes: readonly Statement[]
        readonly no: readonly Statement[]
      }
    | {
        readonly op: 'static-if'
        readonly test: StaticTest
        readonly yes: readonly Statement[]
        readonly no: readonly Statement[]
      }
    /** where a buffer is declared: its memory is set aside here where only one way through the kernel has it */
    | { readonly op: 'declare'; readonly buffer: Buffer }
    | { readonly op: 'stage'; readonly stage: Stage; readonly body: readonly Statement[] }
    | Call
    | Transfer
    | Product
    | { readonly op: 'set'; readonly buffer: Buffer; readonly index: Expression; readonly value: Expression }
  )

export type Stage = 'copyIn' | 'compute' | 'copyOut'

/** One vector instruction, or one function of the library. */
export interface Call extends Node {
  readonly op: 'call'
  readonly primitive: Primitive
  /** in the order of the primitive's operands */
  readonly buffers: readonly Buffer[]
  readonly scalars: readonly Scalar[]
  readonly extent: Extent
}

/** A copy between a tensor and a buffer. */
export interface Transfer extends Node {
  readonly op: 'load' | 'store'
  readonly buffer: Buffer
  readonly tensor: string
  /** which one of a list; null: it is no list */
  readonly item: Expression | null
  /** elements from the beginning of the tensor */
  readonly offset: Expression
  readonly extent: Extent
  /** elements from one row of the tensor to the next; null: rows follow each other */
  readonly pitch: Expression | null
}

/** `target[m, n] = left[m, k] * right[k, n]`, and `bias[n]` added to each row; all of them tensors. */
export interface Product extends Node {
  readonly op: 'matmul'
  readonly target: string
  readonly left: string
  readonly right: string
  readonly bias: string | null
  readonly extents: readonly [m: Expression, k: Expression, n: Expression]
}

export interface Argument extends Node {
  readonly name: string
  /** one for each dtype column */
  readonly dtypes: readonly DType[]
  readonly shape: readonly (string | number)[]
  /** the argument whose shape and type it has */
  readonly like: string | null
  readonly required: boolean
  /** any number of tensors, of any shapes */
  readonly isList: boolean
}

export interface Attribute extends Node {
  readonly name: string
  readonly type: AttributeType
  /** undefined: it has to be given */
  readonly initial: number | boolean | string | readonly number[] | undefined
}

export interface HostConstant extends Node {
  readonly name: string
  readonly value: Expression
}

export interface Program extends Node {
  /** `RmsNorm` */
  readonly name: string
  /** `rms_norm` */
  readonly entry: string
  readonly inputs: readonly Argument[]
  readonly outputs: readonly Argument[]
  readonly attributes: readonly Attribute[]
  /** dtype columns */
  readonly columns: number
  readonly host: readonly HostConstant[]
  readonly blockDim: Expression
  /** the tiling struct */
  readonly fields: readonly HostConstant[]
  readonly buffers: readonly Buffer[]
  /** what the kernel calls its core, or null */
  readonly core: string | null
  readonly kernel: readonly Statement[]
}
