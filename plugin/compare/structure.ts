import {
  describeShape,
  sizeOf,
  type KernelCase,
  type Tensor,
  type TensorSpec,
  type TensorValue,
} from '../model/index.ts'

/** One tensor of an output, with the name a person knows it by: `y`, or `y[2]` in a list. */
export interface OutputTensor {
  name: string
  output: string
  position: number
  tensor: Tensor
}

/** Pairs every output tensor with what the case asks for; a text says what is missing or has another dtype or shape. */
export function outputTensorsOf(
  kernelCase: KernelCase,
  actual: Record<string, TensorValue | undefined>,
): OutputTensor[] | string {
  const pieces: OutputTensor[] = []
  for (const [output, wanted] of Object.entries(kernelCase.outputs)) {
    if (wanted === null) continue
    const got = actual[output]
    if (!got) return `output ${output} is missing`
    if (Array.isArray(wanted)) {
      if (!isList(got)) return `output ${output} is one tensor, expected a list of ${wanted.length}`
      if (got.length !== wanted.length) return `output ${output} has ${got.length} tensors, expected ${wanted.length}`
      for (const [position, spec] of wanted.entries()) {
        const name = `${output}[${position}]`
        const fault = faultOf(name, spec, got[position]!)
        if (fault) return fault
        pieces.push({ name, output, position, tensor: got[position]! })
      }
    } else {
      if (isList(got)) return `output ${output} is a list, expected one tensor`
      const fault = faultOf(output, wanted, got)
      if (fault) return fault
      pieces.push({ name: output, output, position: 0, tensor: got })
    }
  }
  return pieces
}

const isList = (value: Tensor | readonly Tensor[]): value is readonly Tensor[] => Array.isArray(value)

function faultOf(name: string, wanted: TensorSpec, got: Tensor): string | undefined {
  const expected = describeShape(wanted.dtype, wanted.shape)
  const found = describeShape(got.dtype, got.shape)
  if (expected !== found) return `output ${name} is ${found}, expected ${expected}`
  const components = sizeOf(wanted.shape) * (wanted.dtype === 'complex64' ? 2 : 1)
  if (got.data.length !== components) return `output ${name} holds ${got.data.length} values, expected ${components}`
  return undefined
}
