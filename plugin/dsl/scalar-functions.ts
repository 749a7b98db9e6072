import type { ScalarType } from './ir.ts'

/** A function of scalars: what it takes and gives, what it is in C++, and what it computes. */
export interface ScalarFunction {
  readonly takes: number
  /** `same`: numbers of one type, which is that of the result too */
  readonly of: 'int' | 'same' | 'any'
  readonly gives: ScalarType | 'same'
  /** the function of the project; null: a conversion, which C++ has itself */
  readonly cpp: string | null
  readonly value: (a: number, b: number) => number
}

export const scalarFunctions: Readonly<Record<string, ScalarFunction>> = {
  ceilDiv: { takes: 2, of: 'int', gives: 'int', cpp: 'CeilDiv', value: (a, b) => Math.trunc((a + b - 1) / b) },
  alignUp: { takes: 2, of: 'int', gives: 'int', cpp: 'AlignUp', value: (a, b) => Math.trunc((a + b - 1) / b) * b },
  min: { takes: 2, of: 'same', gives: 'same', cpp: 'Min', value: Math.min },
  max: { takes: 2, of: 'same', gives: 'same', cpp: 'Max', value: Math.max },
  float: { takes: 1, of: 'any', gives: 'float', cpp: null, value: (a) => a },
  int: { takes: 1, of: 'any', gives: 'int', cpp: null, value: Math.trunc },
}

export const scalarFunctionNames = Object.keys(scalarFunctions)
