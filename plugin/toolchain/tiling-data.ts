import type { TilingValue } from '../model/index.ts'
import type { DescribeAnswer } from '../runner/protocol.ts'

type TilingStruct = DescribeAnswer['tilingStructs'][number]
type Reader = (data: DataView, at: number) => number | bigint

const int64: Reader = (data, at) => data.getBigInt64(at, true)
const uint64: Reader = (data, at) => data.getBigUint64(at, true)
const int32: Reader = (data, at) => data.getInt32(at, true)
const uint32: Reader = (data, at) => data.getUint32(at, true)
const int16: Reader = (data, at) => data.getInt16(at, true)
const int8: Reader = (data, at) => data.getInt8(at)
const uint8: Reader = (data, at) => data.getUint8(at)

/** Scalar types of fields, with what they take, which they are aligned to as well. */
const scalars: Readonly<Record<string, { bytes: number; read: Reader }>> = {
  bool: { bytes: 1, read: uint8 },
  char: { bytes: 1, read: int8 },
  int8_t: { bytes: 1, read: int8 },
  uint8_t: { bytes: 1, read: uint8 },
  int16_t: { bytes: 2, read: int16 },
  short: { bytes: 2, read: int16 },
  uint16_t: { bytes: 2, read: (data, at) => data.getUint16(at, true) },
  int32_t: { bytes: 4, read: int32 },
  int: { bytes: 4, read: int32 },
  uint32_t: { bytes: 4, read: uint32 },
  unsigned: { bytes: 4, read: uint32 },
  float: { bytes: 4, read: (data, at) => shortest(data.getFloat32(at, true)) },
  double: { bytes: 8, read: (data, at) => data.getFloat64(at, true) },
  int64_t: { bytes: 8, read: int64 },
  long: { bytes: 8, read: int64 },
  uint64_t: { bytes: 8, read: uint64 },
  size_t: { bytes: 8, read: uint64 },
}

/** The number of fewest digits that is this float32: `0.1`, and not `0.10000000149011612`. */
function shortest(value: number): number {
  for (let digits = 1; digits < 9; digits++) {
    const rounded = Number(value.toPrecision(digits))
    if (Math.fround(rounded) === value) return rounded
  }
  return value
}

interface Layout {
  bytes: number
  alignment: number
  read: (data: DataView, at: number) => TilingValue
}

/** Tiling data has no more bytes than this (`tilingCapacity` of the host part). */
const mostElements = 64 << 10

const alignUp = (value: number, to: number): number => Math.ceil(value / to) * to

const isZero = (value: TilingValue): boolean =>
  value === 0 || (typeof value === 'object' && Object.values(value).every(isZero))

function withoutZeros(values: TilingValue[]): TilingValue[] {
  const last = values.findLastIndex((value) => !isZero(value))
  return values.slice(0, last + 1)
}

function scalarLayout(type: string): Layout | undefined {
  const scalar = Object.hasOwn(scalars, type) ? scalars[type] : undefined
  if (!scalar) return undefined
  const { bytes, read } = scalar
  return {
    bytes,
    alignment: bytes,
    read: (data, at) => {
      const value = read(data, at)
      if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
      return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
    },
  }
}

function structLayout(struct: TilingStruct, known: ReadonlyMap<string, Layout>): Layout | undefined {
  let [end, alignment] = [0, 1]
  const fields: { name: string; at: number; read: Layout['read'] }[] = []
  for (const { type, name, count, isPlaceholder } of struct.fields) {
    const element = scalarLayout(type) ?? known.get(type)
    if (!element) return undefined
    // of nothing there can be any number
    if (element.bytes === 0 || count > mostElements) return undefined
    const at = alignUp(end, element.alignment)
    const read: Layout['read'] =
      count === 0
        ? element.read
        : (data, from) =>
            withoutZeros(Array.from({ length: count }, (_, i) => element.read(data, from + i * element.bytes)))
    if (!isPlaceholder) fields.push({ name, at, read })
    end = at + Math.max(1, count) * element.bytes
    alignment = Math.max(alignment, element.alignment)
  }
  return {
    bytes: alignUp(end, alignment),
    alignment,
    read: (data, at) => Object.fromEntries(fields.map((field) => [field.name, field.read(data, at + field.at)])),
  }
}

/** The struct that a kernel reads by `GET_TILING_DATA`: that of the tiling key, of the operator, or the only one that there is. */
function structOf({ tilingClasses }: DescribeAnswer, operator: string, tilingKey: string): string | undefined {
  const registered = (name: string): string | undefined =>
    tilingClasses.find((entry) => entry.operator === name)?.struct
  const only = tilingClasses.length === 1 ? tilingClasses[0]?.struct : undefined
  return registered(`${operator}_${tilingKey}`) ?? registered(operator) ?? only
}

/** The fields of tiling data; undefined where no struct is registered for them, or has another size than they. */
export function tilingFields(
  description: DescribeAnswer,
  operator: string,
  tilingKey: string,
  tiling: Buffer,
): Record<string, TilingValue> | undefined {
  const wanted = structOf(description, operator, tilingKey)
  const layouts = new Map<string, Layout>()
  for (const struct of description.tilingStructs) {
    const layout = structLayout(struct, layouts)
    if (layout) layouts.set(struct.name, layout)
  }
  const layout = wanted === undefined ? undefined : layouts.get(wanted)
  if (!layout || layout.bytes > tiling.length) return undefined
  const read = layout.read(new DataView(tiling.buffer, tiling.byteOffset, tiling.length), 0)
  return typeof read === 'object' && !Array.isArray(read) ? read : undefined
}
