import type { AttributeType, AttributeValue, TaskInterface } from '../../plugin/model/index.ts'
import type { Bind, PassedValue } from './bind.ts'

/** What an operator gets of what its extension passes: positions of inputs, and values of attributes; or why it gets nothing. */
export type Call =
  | { inputs: number[]; attrs: AttributeValue[] }
  | { fault: string }
  /** an attribute whose value nobody states */
  | { unknown: string }

/**
 * Matches what an extension passes with the parameters of the function that the vendor's tools generate for an operator. They
 * meet without a check of types, as the registers of the machine have it: floating numbers in their order, everything else in
 * its own. What is passed too much is never looked at, as long as the addresses still meet. `known` has the values of what the
 * model passes by name.
 */
export function callOf(
  { passed }: Bind,
  task: TaskInterface,
  known: Readonly<Record<string, AttributeValue>> = {},
): Call {
  const floats = passed.filter(isFloat)
  const others = passed.filter((one) => !isFloat(one))
  const inputs: number[] = []
  for (const { name } of task.inputs) {
    const one = others.shift()
    if (!one || !('input' in one)) return { fault: `call: no tensor is passed for ${name}` }
    inputs.push(one.input)
  }
  const attrs: AttributeValue[] = []
  for (const { name, type } of task.attrs) {
    const one = type === 'float' ? floats.shift() : others.shift()
    if (!one || !('value' in one)) return { fault: `call: nothing is passed for ${name}` }
    const value = typeof one.value === 'object' && 'name' in one.value ? known[one.value.name] : one.value
    if (value === undefined) return { unknown: name }
    attrs.push(type === 'float' && one.type === 'float' ? asDouble(Number(value)) : value)
  }
  const expected = task.outputs.length
  if (others.length !== expected || others.some((one) => !('output' in one)))
    return { fault: `call: ${passed.length} arguments do not meet those of the operator` }
  return { inputs, attrs }
}

const isFloat = (one: Bind['passed'][number]): one is PassedValue =>
  'value' in one && (one.type === 'float' || one.type === 'double')

/** Who takes a double reads eight bytes of the register: of a float the lower four, and zeros above. */
function asDouble(value: number): number {
  const bytes = new DataView(new ArrayBuffer(8))
  bytes.setFloat32(0, value, true)
  return bytes.getFloat64(0, true)
}

const declaredTypes: Readonly<Record<string, AttributeType>> = {
  Int: 'int',
  Float: 'float',
  Bool: 'bool',
  String: 'string',
  ListInt: 'listInt',
  ListFloat: 'listFloat',
}

/** The attributes of an operator, as its OpDef declares them: what the tools of the card generate a function from. */
export const declaredAttributes = (host: string): TaskInterface['attrs'] =>
  [...host.matchAll(/Attr\("(\w+)"\)[^;]*?\.(Int|Float|Bool|String|ListInt|ListFloat)\(/g)].flatMap(
    ([, name = '', declared = '']) => {
      const type = declaredTypes[declared]
      return type === undefined ? [] : [{ name, type, required: true }]
    },
  )
