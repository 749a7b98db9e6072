import {
  dtypes,
  type AttributeType,
  type AttributeValue,
  type TaskArgument,
  type TaskInterface,
  type ProjectFile,
} from '../model/index.ts'

// A project to start from: what follows from the interface of a task alone, with the places marked where work begins.

type Arguments = readonly TaskArgument[]

/** Names that the entry point and its class have for themselves. */
const taken = new Set(['workspace', 'tiling', 'tilingData', 'pipe', 'op'])

/** Arguments of the entry point, in order: an output that is called like an input has a name of its own. */
export const kernelArguments = ({ inputs, outputs }: TaskInterface): string[] => [
  ...inputs.map(({ name }) => (taken.has(name) ? `${name}_in` : name)),
  ...outputs.map(({ name }) => (taken.has(name) || inputs.some((input) => input.name === name) ? `${name}_out` : name)),
]

/** The files of a project whose parts are still empty. It compiles. */
export const skeletonOf = (task: TaskInterface): ProjectFile[] => [
  { path: `op_host/${task.kernel}_tiling.h`, content: tilingHeader(task) },
  { path: `op_host/${task.kernel}.cpp`, content: hostSource(task) },
  kernelSkeletonOf(task),
]

/** The kernel alone. */
export const kernelSkeletonOf = (task: TaskInterface): ProjectFile => ({
  path: `op_kernel/${task.kernel}.cpp`,
  content: kernelSource(task),
})

const tilingHeader = ({ name }: TaskInterface): string => `#pragma once

#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(${name}TilingData)
TILING_DATA_FIELD_DEF(uint64_t, totalLength);  // your fields: what the host decides and the kernel reads
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(${name}, ${name}TilingData)
}  // namespace optiling
`

const isList = ({ kind }: TaskArgument): boolean => kind === 'tensorList'

const shapeGetter = (argument: TaskArgument, index: number): string => {
  if (isList(argument)) return `GetDynamicInputShape(${index}, 0)`
  return argument.required ? `GetInputShape(${index})` : `GetOptionalInputShape(${index})`
}

const inputNote = (argument: TaskArgument): string => {
  if (isList(argument)) return '  // of its first tensor'
  return argument.required ? '' : '  // nullptr where it is absent'
}

const attributeGetters: Record<AttributeType, string> = {
  int: 'GetInt',
  float: 'GetFloat',
  bool: 'GetBool',
  string: 'GetStr',
  listInt: 'GetListInt',
  listFloat: 'GetListFloat',
}

const attributeLine = ({ name, type }: TaskInterface['attrs'][number], index: number): string =>
  `  const auto* ${name}Attr = context->GetAttrs()->${attributeGetters[type]}(${index});`

function tilingFunction({ name, category, inputs, attrs }: TaskInterface): string {
  const first = inputs[0]!
  const lines = [
    '  auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());',
    `  const uint32_t cores = platform.${category === 'GMM' ? 'GetCoreNumAic' : 'GetCoreNumAiv'}();`,
    '  uint64_t ubBytes = 0;',
    '  platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubBytes);',
    ...inputs.map(
      (input, i) =>
        `  const gert::StorageShape* ${input.name}Shape = context->${shapeGetter(input, i)};${inputNote(input)}`,
    ),
    ...attrs.map(attributeLine),
    `  if (${[`cores == 0`, ...inputs.filter(({ required }) => required).map((input) => `${input.name}Shape == nullptr`)].join(' || ')}) {`,
    '    return ge::GRAPH_FAILED;',
    '  }',
    '  // decide here: how work is shared among cores, how long a tile is',
    `  ${name}TilingData tiling;`,
    `  tiling.set_totalLength(${first.required ? '' : `${first.name}Shape == nullptr ? 0 : `}${first.name}Shape->GetStorageShape().GetShapeSize());`,
    '  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());',
    '  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());',
    '  context->SetBlockDim(cores);',
    '  context->GetWorkspaceSizes(1)[0] = 0;  // bytes of global memory for the kernel itself',
    '  return ge::GRAPH_SUCCESS;',
  ]
  return lines.join('\n')
}

/** An output has the shape of the input that it overwrites, or of the first tensor: to be replaced where that is wrong. */
function inference({ inputs, outputs }: TaskInterface): string {
  const source = (aliases: string | undefined): number =>
    Math.max(
      0,
      inputs.findIndex((input, i) => (aliases === undefined ? i === 0 : input.name === aliases)),
    )
  const shapes = outputs.flatMap(({ aliases, name }, i) => {
    const from = source(aliases)
    const input = inputs[from]!
    const getter = isList(input) ? `GetDynamicInputShape(${from}, 0)` : `GetInputShape(${from})`
    return [
      `  // ${name}: set the right extents where it has not the shape of ${input.name}`,
      `  if (context->${getter} != nullptr && context->GetOutputShape(${i}) != nullptr) {`,
      `    *context->GetOutputShape(${i}) = *context->${getter};`,
      '  }',
    ]
  })
  const types = outputs.map(({ dtypes: own }, i) => {
    const same = inputs.findIndex((input) => !isList(input) && input.required && String(input.dtypes) === String(own))
    const type = same < 0 ? `ge::${dtypes[own[0]!].ge}` : `context->GetInputDataType(${same})`
    return `  context->SetOutputDataType(${i}, ${type});`
  })
  return `namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
${shapes.join('\n')}
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
${types.join('\n')}
  return GRAPH_SUCCESS;
}
}  // namespace ge`
}

const paramType = (argument: TaskArgument): string => {
  if (isList(argument)) return 'DYNAMIC'
  return argument.required ? 'REQUIRED' : 'OPTIONAL'
}

const parameter = (direction: 'Input' | 'Output', argument: TaskArgument): string =>
  `    this->${direction}("${argument.name}")
        .ParamType(${paramType(argument)})
        .DataType({${argument.dtypes.map((dtype) => `ge::${dtypes[dtype].ge}`).join(', ')}})
        .Format({${argument.dtypes.map(() => 'ge::FORMAT_ND').join(', ')}});`

const literal = (value: AttributeValue, type: AttributeType): string => {
  if (type === 'listFloat' || type === 'listInt') return `{${[value].flat().join(', ')}}`
  if (type !== 'float') return JSON.stringify(value)
  const text = String(value)
  return `${/[.e]/.test(text) ? text : `${text}.0`}f`
}

const attributeBuilders: Record<AttributeType, string> = {
  int: 'Int',
  float: 'Float',
  bool: 'Bool',
  string: 'String',
  listInt: 'ListInt',
  listFloat: 'ListFloat',
}

const attribute = ({ name, type, default: initial }: TaskInterface['attrs'][number]): string =>
  initial === undefined
    ? `    this->Attr("${name}").AttrType(REQUIRED).${attributeBuilders[type]}();`
    : `    this->Attr("${name}").AttrType(OPTIONAL).${attributeBuilders[type]}(${literal(initial, type)});`

const hostSource = (task: TaskInterface): string => `#include "${task.kernel}_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
${tilingFunction(task)}
}
}  // namespace optiling

${inference(task)}

namespace ops {
class ${task.name} : public OpDef {
 public:
  explicit ${task.name}(const char* name) : OpDef(name) {
${[...task.inputs.map((each) => parameter('Input', each)), ...task.outputs.map((each) => parameter('Output', each)), ...task.attrs.map(attribute)].join('\n')}
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(${task.name});
}  // namespace ops
`

/** `x1_grad` as the macro of its dtype has it. */
const macroOf = (name: string): string => `DTYPE_${name.toUpperCase()}`

/** `x1_grad` as a template parameter: `if constexpr` leaves code out in templates alone. */
const typeOf = (name: string): string =>
  `Type${name.replaceAll(/(?:^|_)(\w)/g, (_, first: string) => first.toUpperCase())}`

const isComplex = ({ dtypes: all }: TaskArgument): boolean => all.includes('complex64')

/** How the kernel gets at one argument: a tensor by its address, a list by its descriptor. */
function memberOf(name: string, argument: TaskArgument): { init: string[]; member: string } {
  const [type, macro] = [typeOf(argument.name), macroOf(argument.name)]
  if (isList(argument))
    return {
      init: [`    ${name}_ = AscendC::ListTensorDesc(reinterpret_cast<__gm__ void*>(${name}));`],
      member: `  AscendC::ListTensorDesc ${name}_;  // ${name}_.template GetDataPtr<${type}>(i), ${name}_.GetSize()`,
    }
  // the device has no complex type
  if (isComplex(argument) && argument.dtypes.some((dtype) => dtype !== 'complex64'))
    return {
      init: [`    ${name}_ = ${name};`],
      member: `  GM_ADDR ${name}_ = nullptr;  // of ${macro}; complex64 (ORIG_${macro} == DT_COMPLEX64) is a pair of float`,
    }
  if (isComplex(argument)) return globalTensor(name, 'float', '  // pairs: real part, imaginary part')
  return globalTensor(name, type)
}

const globalTensor = (name: string, type: string, note = ''): { init: string[]; member: string } => ({
  init: [`    ${name}Gm_.SetGlobalBuffer(reinterpret_cast<__gm__ ${type}*>(${name}));`],
  member: `  AscendC::GlobalTensor<${type}> ${name}Gm_;${note}`,
})

function kernelSource(task: TaskInterface): string {
  const names = kernelArguments(task)
  const all: Arguments = [...task.inputs, ...task.outputs]
  const members = all.map((argument, i) => memberOf(names[i]!, argument))
  const typed = [...new Set(all.filter((argument) => !isComplex(argument)).map(({ name }) => name))]
  const template =
    typed.length === 0 ? '' : `template <${typed.map((name) => `typename ${typeOf(name)}`).join(', ')}>\n`
  const instance = typed.length === 0 ? '' : `<${typed.map(macroOf).join(', ')}>`
  const kind = task.category === 'GMM' ? 'KERNEL_TYPE_MIX_AIC_1_2' : 'KERNEL_TYPE_AIV_ONLY'
  const parameters = [...names, 'workspace', 'tiling'].map((name) => `GM_ADDR ${name}`).join(', ')
  return `#include "kernel_operator.h"

${template}class Kernel${task.name} {
 public:
  __aicore__ inline void Init(${names.map((name) => `GM_ADDR ${name}`).join(', ')}, const ${task.name}TilingData& tiling, AscendC::TPipe* pipe) {
    pipe_ = pipe;
    totalLength_ = tiling.totalLength;
${members.flatMap(({ init }) => init).join('\n')}
    // pipe_->InitBuffer(queue, buffers, bytes) for each queue
  }

  __aicore__ inline void Process() {
    // this core's share: copy in, compute, copy out, tile by tile
  }

 private:
  AscendC::TPipe* pipe_ = nullptr;
${members.map(({ member }) => member).join('\n')}
  uint64_t totalLength_ = 0;
};

extern "C" __global__ __aicore__ void ${task.kernel}(${parameters}) {
  KERNEL_TASK_TYPE_DEFAULT(${kind});
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  Kernel${task.name}${instance} op;
  op.Init(${names.join(', ')}, tilingData, &pipe);
  op.Process();
}
`
}
