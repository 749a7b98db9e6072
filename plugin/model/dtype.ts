/** Everything that differs by element type, in one table. */
export const dtypes = {
  float16: { bytes: 2, kind: 'float', cpp: 'half', ge: 'DT_FLOAT16', code: 1 },
  bfloat16: { bytes: 2, kind: 'float', cpp: 'bfloat16_t', ge: 'DT_BF16', code: 27 },
  float32: { bytes: 4, kind: 'float', cpp: 'float', ge: 'DT_FLOAT', code: 0 },
  float64: { bytes: 8, kind: 'float', cpp: 'double', ge: 'DT_DOUBLE', code: 11 },
  int8: { bytes: 1, kind: 'int', cpp: 'int8_t', ge: 'DT_INT8', code: 2 },
  uint8: { bytes: 1, kind: 'int', cpp: 'uint8_t', ge: 'DT_UINT8', code: 4 },
  int16: { bytes: 2, kind: 'int', cpp: 'int16_t', ge: 'DT_INT16', code: 6 },
  uint16: { bytes: 2, kind: 'int', cpp: 'uint16_t', ge: 'DT_UINT16', code: 7 },
  int32: { bytes: 4, kind: 'int', cpp: 'int32_t', ge: 'DT_INT32', code: 3 },
  uint32: { bytes: 4, kind: 'int', cpp: 'uint32_t', ge: 'DT_UINT32', code: 8 },
  int64: { bytes: 8, kind: 'int', cpp: 'int64_t', ge: 'DT_INT64', code: 9 },
  uint64: { bytes: 8, kind: 'int', cpp: 'uint64_t', ge: 'DT_UINT64', code: 10 },
  bool: { bytes: 1, kind: 'bool', cpp: 'bool', ge: 'DT_BOOL', code: 12 },
  complex64: { bytes: 8, kind: 'complex', cpp: 'complex64', ge: 'DT_COMPLEX64', code: 16 },
} as const satisfies Record<string, DTypeFacts>

interface DTypeFacts {
  /** bytes of one element in global memory */
  bytes: number
  kind: 'float' | 'int' | 'bool' | 'complex'
  /** the name a kernel uses, also the value of `DTYPE_<NAME>` */
  cpp: string
  /** enumerator of `ge::DataType`, also the value of `ORIG_DTYPE_<NAME>` */
  ge: string
  /** numeric value of that enumerator */
  code: number
}

export type DType = keyof typeof dtypes

const isDType = (name: string): name is DType => name in dtypes

export const dtypeNames: DType[] = Object.keys(dtypes).filter(isDType)

export const bytesOf = (dtype: DType): number => dtypes[dtype].bytes
