import { describe, expect, test } from 'vitest'
import { compileDsl } from './compile.ts'
import { rightProgram } from './rejected.ts'
import { rightWideProgram } from './rejected-wide.ts'

/** The text of both parts of a project. */
function projectOf(program: string): { host: string; kernel: string } {
  const compiled = compileDsl('example.npu.ts', program)
  if (!compiled.ok) throw new Error(compiled.message)
  const [, host, kernel] = compiled.files
  return { host: host!.content, kernel: kernel!.content }
}

describe('what the emulator does not ask for, and a card does', () => {
  test('cores that wait for each other are started together, as a kernel of a kind that can wait', () => {
    const { host, kernel } = projectOf(rightWideProgram)
    expect(host).toContain('context->SetScheduleMode(1);')
    expect(kernel).toContain('KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);')
  })

  test('the workspace has two slots for each core behind what the library takes', () => {
    const { host, kernel } = projectOf(rightWideProgram)
    expect(host).toContain('static_cast<int64_t>(platform.GetLibApiWorkSpaceSize()) + 2 * usedCores * slotBytes;')
    expect(host).toContain('const int64_t slotBytes = Bytes(1, D * 4);')
    expect(kernel).toContain('slots_ = AscendC::GetUserWorkspace(workspace);')
  })

  test('a slot holds the most that any call leaves in it', () => {
    const { host, kernel } = projectOf(`import { operator } from 'vitest-npu/dsl'
export default operator({
  name: 'Slots',
  inputs: { x: tensor('float32') },
  outputs: { y: tensor.like('x') },
  host({ x }, { cores }) {
    return { blockDim: cores, n: x.size }
  },
  kernel({ x, y }, { n }) {
    const xs = buffer('float32', n)
    const one = buffer('float32', 1)
    const all = buffer('float32', n)
    const ys = buffer('float32', n)
    copyIn(() => load(xs, x, 0, n))
    compute(() => {
      allReduceSum(one, xs, 1)
      allReduceMax(all, xs, n)
      adds(ys, all, get(one, 0), n)
    })
    copyOut(() => store(y, 0, ys, n))
  },
})
`)
    expect(host).toContain('const int64_t slotBytes = std::max({Bytes(1, 1 * 4), Bytes(1, n * 4)});')
    expect(kernel).toContain(
      'slotBytes_ = Max(static_cast<int64_t>(Bytes<float>(1)), static_cast<int64_t>(Bytes<float>(n)));',
    )
  })

  test('other programs have neither', () => {
    const { host, kernel } = projectOf(rightProgram)
    expect(host).toContain('context->GetWorkspaceSizes(1)[0] = 0;')
    expect(host).not.toContain('SetScheduleMode')
    expect(kernel).toContain('KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);')
    expect(kernel).not.toContain('slots_')
  })
})
