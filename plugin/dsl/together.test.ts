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

  test('other programs have neither', () => {
    const { host, kernel } = projectOf(rightProgram)
    expect(host).toContain('context->GetWorkspaceSizes(1)[0] = 0;')
    expect(host).not.toContain('SetScheduleMode')
    expect(kernel).toContain('KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);')
    expect(kernel).not.toContain('slots_')
  })
})
