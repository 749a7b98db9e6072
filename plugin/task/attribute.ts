import type { AttributeType, AttributeValue } from '../model/index.ts'

/** An attribute of a task. Without a default every row has to give a value. */
export interface AttributeDefinition<Value extends AttributeValue = AttributeValue> {
  readonly type: AttributeType
  readonly default?: Value
}

const of =
  <Value extends AttributeValue>(type: AttributeType) =>
  (initial?: Value): AttributeDefinition<Value> =>
    initial === undefined ? { type } : { type, default: initial }

/** Attribute builders: `attr.float(1e-6)` has a default and is optional, `attr.float()` is required. */
export const attr = {
  int: of<number>('int'),
  float: of<number>('float'),
  bool: of<boolean>('bool'),
  string: of<string>('string'),
  listInt: of<number[]>('listInt'),
  listFloat: of<number[]>('listFloat'),
}

/** Whether a value may stand for an attribute of this type. */
export const isOfType: Record<AttributeType, (value: unknown) => value is AttributeValue> = {
  int: (value): value is number => Number.isSafeInteger(value),
  float: (value): value is number => typeof value === 'number',
  bool: (value): value is boolean => typeof value === 'boolean',
  string: (value): value is string => typeof value === 'string',
  listInt: (value): value is number[] => Array.isArray(value) && value.every((item) => Number.isSafeInteger(item)),
  listFloat: (value): value is number[] => Array.isArray(value) && value.every((item) => typeof item === 'number'),
}
