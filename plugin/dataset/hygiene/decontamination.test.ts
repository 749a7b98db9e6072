import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { Decontamination, type ProtectedTask } from './decontamination.ts'
import { languageOf } from './language.ts'

const source = (operator: string, file: string): string =>
  readFileSync(
    fileURLToPath(new URL(`../../../references/baseline/${operator}/op_kernel/${file}`, import.meta.url)),
    'utf8',
  )

const kernels = {
  FastGelu: source('FastGelu', 'fast_gelu.cpp'),
  Swish: source('Swish', 'swish.cpp'),
  Cross: source('Cross', 'cross.cpp'),
}

const tasks: ProtectedTask[] = Object.entries(kernels).map(([task, code]) => ({
  suite: 'npukernelbench',
  task,
  words: [
    `Task ${task}: computes for every element of the tensor what the reference of ${task} computes, in float32 inside and rounded once to the dtype of the output`,
  ],
  code: [code],
}))

const decontamination = new Decontamination(tasks)

describe('contamination', () => {
  it('is found where a solution of a task is quoted', () => {
    expect(decontamination.find({ words: '', code: kernels.Cross })).toMatchObject({
      task: 'npukernelbench/Cross',
      by: 'code',
    })
  })

  it('is found where a solution has other names, numbers and comments', () => {
    const renamed = kernels.FastGelu.replaceAll(/\b(?!int|for|if|return|class|auto)([a-z][a-zA-Z]{3,})\b/g, 'q$1')
      .replaceAll(/\b\d+\b/g, '77')
      .replaceAll(/^\s*\/\/.*$/gm, '// another comment')
    expect(renamed).not.toBe(kernels.FastGelu)
    expect(decontamination.find({ words: '', code: renamed })?.task).toBe('npukernelbench/FastGelu')
  })

  it('is found where a third of a solution stands among other code', () => {
    const lines = kernels.Cross.split('\n')
    const part = lines.slice(Math.floor(lines.length / 3), Math.floor((2 * lines.length) / 3)).join('\n')
    const found = decontamination.find({
      words: '',
      code: `int main() { return 0; }\n${part}\nvoid other(int a) { a += 1; }`,
    })
    expect(found?.task).toBe('npukernelbench/Cross')
  })

  it('is found in words, and by the name that a proof has', () => {
    const words = `Please help. ${tasks[1]!.words[0]!} Thank you.`
    expect(decontamination.find({ words, code: '' })).toMatchObject({ task: 'npukernelbench/Swish', by: 'words' })
    expect(decontamination.find({ words: '', code: '', task: 'npukernelbench/Swish' })?.by).toBe('name')
    expect(decontamination.find({ words: '', code: '', task: 'own/Swish' })).toBeUndefined()
  })

  it('is not found in code that does something else', () => {
    const code = `
      #include "kernel_operator.h"
      extern "C" __global__ __aicore__ void add_rows(GM_ADDR x, GM_ADDR y, GM_ADDR z) {
        AscendC::GlobalTensor<float> first, second, third;
        first.SetGlobalBuffer((__gm__ float*)x, 1024);
        second.SetGlobalBuffer((__gm__ float*)y, 1024);
        third.SetGlobalBuffer((__gm__ float*)z, 1024);
        for (uint32_t row = 0; row < 16; row++) { third.SetValue(row, first.GetValue(row) + second.GetValue(row)); }
      }`
    expect(decontamination.find({ words: 'Write a kernel that adds two rows of numbers.', code })).toBeUndefined()
  })

  it('is found where a short solution is quoted as a whole, and not where it shares a line', () => {
    const short = 'export function Sum(x, y) { return Load(x, Width * 2) + Load(y, Width) / Root(Max(x, 1)) - Mean(y) }'
    const found = new Decontamination([{ suite: 's', task: 'Short', words: [], code: [short] }])
    expect(found.find({ words: '', code: short })?.task).toBe('s/Short')
    expect(
      found.find({ words: '', code: 'return Load(x, Width * 2) + Load(y, Width) * Other(x, y, z) + Last(x)' }),
    ).toBeUndefined()
  })

  it('is not told by what all tasks have in common', () => {
    const shared = kernels.Swish
    const same = new Decontamination(
      Array.from({ length: 31 }, (_, i) => ({ suite: 's', task: `T${i}`, words: [], code: [shared] })),
    )
    expect(same.find({ words: '', code: shared })).toBeUndefined()
  })
})

describe('the language of a row', () => {
  it('is that of its prose', () => {
    const english =
      'The queue hands tensors from the pipe that copies them in to the pipe that computes, and each of them is freed afterwards.'
    const german =
      'Die Warteschlange reicht Tensoren von der Einheit, die sie kopiert, an die weiter, die rechnet, und danach wird jeder freigegeben.'
    expect(languageOf(english)).toBe('eng')
    expect(languageOf(german)).toBe('deu')
    expect(languageOf('队列把张量从搬运单元交给计算单元,用完之后释放。')).toBe('cmn')
    expect(languageOf(`${english}\n\`\`\`cpp\n// ${german}\n\`\`\``)).toBe('eng')
  })

  it('is unknown where there is hardly any', () => {
    expect(languageOf('```cpp\nint x = 1;\n```')).toBeUndefined()
  })
})
