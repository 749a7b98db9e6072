import type { BuildArgs, KernelCase, TaskInterface, ProjectFile } from '../model/index.ts'
import type { Judging } from './judging.ts'

/** Functions of the library that host parts ask how much memory another one takes beside its operands, and what they are asked. */
const factorFunction = /\b(Get\w+TmpBufferFactorSize)\b(?:\(([^;]*?)\)\s*;)?/g

/** Of one that is handed on and not called: element types of 2 and of 4 bytes. */
const usual = ['2', '4']

const name = 'LibraryFigures'

const tensorOf = (name: string): TaskInterface['inputs'][number] => ({
  name,
  kind: 'tensor',
  dtypes: ['float32'],
  required: true,
})

const task: TaskInterface = {
  suite: 'own',
  group: null,
  name,
  category: 'Math',
  kernel: 'library_figures',
  inputs: [tensorOf('x')],
  outputs: [tensorOf('y')],
  attrs: [],
}

const kernelCase: KernelCase = {
  task: name,
  name: 'figures',
  combination: 0,
  inputs: { x: { dtype: 'float32', shape: [8] } },
  outputs: { y: { dtype: 'float32', shape: [8] } },
  attrs: {},
  seed: 0,
}

/** A question to such a function, as a host part writes it, without what it answers by. */
export interface LibraryQuestion {
  name: string
  arguments: string
}

const fieldOf = (i: number): string => `figure${i}`

/** An operator whose tiling data holds what functions of the library tell. */
function projectFor(questions: readonly LibraryQuestion[]): ProjectFile[] {
  const fields = questions.flatMap((_, i) => [fieldOf(i), `${fieldOf(i)}Extra`])
  const calls = questions.map(
    ({ name: asked, arguments: given }, i) =>
      `  factor = extra = 0;\n  AscendC::${asked}(${given}, factor, extra);\n` +
      `  tiling.set_${fieldOf(i)}(factor);\n  tiling.set_${fieldOf(i)}Extra(extra);`,
  )
  const host = `#include "register/op_def_registry.h"
#include "register/tilingdata_base.h"
#include "tiling/tiling_api.h"
namespace optiling {
BEGIN_TILING_DATA_DEF(Figures)
${fields.map((field) => `TILING_DATA_FIELD_DEF(uint32_t, ${field});`).join('\n')}
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(${name}, Figures)
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  Figures tiling;
  uint32_t factor = 0, extra = 0;
${calls.join('\n')}
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
  context->SetBlockDim(1);
  return ge::GRAPH_SUCCESS;
}
}
namespace ops {
class ${name} : public OpDef {
 public:
  explicit ${name}(const char* name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
  }
};
OP_ADD(${name});
}
`
  const kernel = `#include "kernel_operator.h"
extern "C" __global__ __aicore__ void library_figures(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {}
`
  return [
    { path: 'op_host/library_figures.cpp', content: host },
    { path: 'op_kernel/library_figures.cpp', content: kernel },
  ]
}

/** Arguments with every value that a variable may stand for: a size of an element, or yes and no. */
function meant(parts: readonly string[]): string[] {
  const values = parts.map((part) => {
    if (!/^[a-z]\w*$/.test(part) || /^(?:true|false)$/.test(part)) return [part]
    return /size|bytes/i.test(part) ? usual : ['true', 'false']
  })
  return values
    .reduce<string[][]>((all, each) => all.flatMap((before) => each.map((value) => [...before, value])), [[]])
    .map((each) => each.join(', '))
}

/** What a host part asks functions of the library. */
export function libraryQuestions(files: readonly ProjectFile[]): LibraryQuestion[] {
  const host = files.filter(({ path }) => path.startsWith('op_host/'))
  const questions = host.flatMap(({ content }) =>
    [...content.replaceAll(/\/\/[^\n]*/g, '').matchAll(factorFunction)].flatMap(([, asked = '', given]) => {
      // the last two are what it answers by
      const parts = given
        ?.split(',')
        .slice(0, -2)
        .map((part) => part.trim())
      return (parts === undefined ? usual : meant(parts)).map((each) => ({ name: asked, arguments: each }))
    }),
  )
  return [...new Map(questions.map((each) => [JSON.stringify(each), each])).values()]
}

/**
 * What functions of the library tell, one line for each question: nobody can work it out. Asked of the functions themselves. Empty where
 * nothing is asked; undefined where a question stands for nothing outside of its host part.
 */
export async function libraryFigures(
  questions: readonly LibraryQuestion[],
  judging: Judging,
): Promise<string | undefined> {
  if (questions.length === 0) return ''
  const args: Omit<BuildArgs, 'sample'> = { task, combinations: [{ inputs: ['float32'], outputs: ['float32'] }] }
  const told = await judging.withFiles(task, projectFor(questions), async (sample) => {
    const built = await judging.build({ ...args, sample })
    return built.ok ? await judging.tiling(built.artifact, kernelCase) : { problem: built.verdict.log }
  })
  if ('problem' in told || !told.ok) return undefined
  const { fields } = told.tiling
  return questions
    .map(
      ({ name: asked, arguments: given }, i) =>
        `- ${asked}(${given}, factor, extra): factor ${JSON.stringify(fields[fieldOf(i)])}, extra ${JSON.stringify(fields[`${fieldOf(i)}Extra`])}`,
    )
    .join('\n')
}
