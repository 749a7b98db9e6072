import { join } from 'node:path'
import { sizeOf, type BuildArgs, type DType, type KernelCase, type TaskInterface } from '../../plugin/model/index.ts'
import { npuKernelBench } from '../../plugin/suites/index.ts'
import { repository } from '../subjects.ts'
import type { DrawnCase } from './drawn-case.ts'

/** In the order of `elementwise::FLOATS`. */
const dtypes: DType[] = ['float16', 'float32', 'bfloat16']
const tensor = (name: string) => ({ name, kind: 'tensor' as const, required: true, dtypes })

/** One of the operators on single tensors below `operators/`, which compute what those of the vendor do; undefined where there is none. */
export function small(name: string): BuildArgs | undefined {
  if (!['Sigmoid', 'Exp', 'Gelu'].includes(name)) return undefined
  const root = join(repository, 'bench/clock/operators', name)
  const [kernelDir, hostDir] = [join(root, 'op_kernel'), join(root, 'op_host')]
  const task: TaskInterface = {
    name: `Vendor${name}`,
    kernel: `vendor_${name.toLowerCase()}`,
    suite: 'own',
    group: null,
    category: 'Bench',
    inputs: [tensor('x')],
    outputs: [tensor('y')],
    attrs: [],
  }
  const sample = {
    task: task.name,
    name: 'bench',
    root,
    kernelDir,
    hostDir,
    cmakeLists: [],
    repository: npuKernelBench.baseline,
  }
  return { sample, task, combinations: dtypes.map((dtype) => ({ inputs: [dtype], outputs: [dtype] })) }
}

/** A case of such an operator: zeros, as its time does not depend on what it computes. */
export function smallCase(task: TaskInterface, dtype: DType, shape: number[]): DrawnCase {
  const x = { dtype, shape }
  const kernelCase: KernelCase = {
    task: task.name,
    name: `${dtype} ${shape.join(' x ')}`,
    combination: dtypes.indexOf(dtype),
    inputs: { x },
    outputs: { y: x },
    attrs: {},
    seed: 1,
  }
  const data = dtype === 'float32' ? new Float32Array(sizeOf(shape)) : new Uint16Array(sizeOf(shape))
  return { task, kernelCase, inputs: { x: { ...x, data } } }
}
