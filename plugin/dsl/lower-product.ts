import { factorText, globalName, spell, type Spelling } from './cpp.ts'
import type { Product, Program } from './ir.ts'
import { sizesOf } from './product.ts'

// What a product of matrices adds to a project: the plan of the library in the tiling struct, and a kernel in which each
// vector core asks the cube core of its group for a part of the result.

/** The field of the tiling struct that has the plan. */
export const planField = 'TILING_DATA_FIELD_DEF_STRUCT(TCubeTiling, cube_);'

const operand = (name: string, getter: string, more = ''): string =>
  `  plan_.Set${name}Type(matmul_tiling::TPosition::GM, matmul_tiling::CubeFormat::ND,
                 static_cast<matmul_tiling::DataType>(context->${getter}->GetDataType())${more});`

/** Where the host part finds the types of tensors, and how it spells their sizes. */
export interface PlanWriting {
  readonly spelling: Spelling
  /** `GetInputDesc(0)` */
  readonly descOf: (tensor: string) => string
  readonly shapeOf: (tensor: string) => string
}

/** Lines that refuse what is no product, and have the library plan one. */
export function planLines(product: Product, { spelling, descOf, shapeOf }: PlanWriting): string[] {
  const [m, k, n] = product.extents.map((each) => spell(each, spelling))
  const sizes = sizesOf(product).map(
    ([tensor, elements]) => `${shapeOf(tensor)}.GetShapeSize() != ${spell(elements, spelling)}`,
  )
  const most = 'std::numeric_limits<int32_t>::max()'
  const large = product.extents.map((each) => `${factorText(each, spelling)} > ${most}`)
  const given = `static_cast<int32_t>(${m}), static_cast<int32_t>(${n}), static_cast<int32_t>(${k})`
  return [
    `  if (${[...sizes, ...large].join(' || ')}) {`,
    '    return ge::GRAPH_FAILED;',
    '  }',
    '  matmul_tiling::MultiCoreMatmulTiling plan_(platform);',
    '  plan_.SetDim(static_cast<int32_t>(usedCores));',
    operand('A', descOf(product.left), ', false'),
    operand('B', descOf(product.right), ', false'),
    operand('C', descOf(product.target)),
    ...(product.bias === null ? [] : [operand('Bias', descOf(product.bias))]),
    `  plan_.EnableBias(${product.bias !== null});`,
    `  plan_.SetShape(${given});`,
    `  plan_.SetOrgShape(${given});`,
    '  plan_.SetBufferSpace(-1, -1, -1);',
    '  if (plan_.GetTiling(tiling.cube_) == -1) {',
    '    return ge::GRAPH_FAILED;',
    '  }',
  ]
}

/** Two vector cores ask one cube core: so many groups run. */
export const groupsText = '(tiling.cube_.get_usedCoreNum() + 1) / 2'

export const workspaceOfProduct = '  context->GetWorkspaceSizes(1)[0] = platform.GetLibApiWorkSpaceSize();'

/** What the kernel of a product is made of. */
export interface ProductWriting {
  readonly types: ReadonlyMap<string, string>
  /** the class as it is declared, with its parameters, and as it is named in the entry point */
  readonly template: string
  readonly instance: string
  /** arguments of the entry point, in order */
  readonly names: readonly string[]
  /** line of the program */
  readonly from: number
}

const plain = (text: string): { text: string; from: null } => ({ text, from: null })

/** The kernel of a product: its lines, of which those of `Process` belong to the line of the program. */
export function productLines(
  { name, entry }: Program,
  { target, left, right, bias }: Product,
  { types, template, instance, names, from }: ProductWriting,
): { text: string; from: number | null }[] {
  const own = (text: string): { text: string; from: number } => ({ text, from })
  const tensors = [left, right, ...(bias === null ? [] : [bias]), target].filter(
    (each, i, all) => all.indexOf(each) === i,
  )
  const type = (tensor: string): string =>
    `AscendC::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, ${types.get(tensor)}>`
  const given = names.map((each) => `GM_ADDR ${each}`).join(', ')
  const operands = [left, right, target, ...(bias === null ? [] : [bias])].map(type)
  return [
    plain(`#include "kernel_operator.h"
#include "lib/matmul_intf.h"

${template}class Kernel${name} {
 public:
  __aicore__ inline void Init(${given}, const TCubeTiling& tiling) {
    tiling_ = &tiling;`),
    ...tensors.map((each) =>
      plain(`    ${globalName(each)}.SetGlobalBuffer(reinterpret_cast<__gm__ ${types.get(each)}*>(${each}));`),
    ),
    plain(`  }

  // Each core computes one part of the result, down its columns of parts first.
  __aicore__ inline void Process() {`),
    own(`    const int32_t parts = (tiling_->M + tiling_->singleCoreM - 1) / tiling_->singleCoreM;`),
    own('    const int32_t core = static_cast<int32_t>(AscendC::GetBlockIdx());'),
    own('    const int32_t row = core % parts * tiling_->singleCoreM;'),
    own('    const int32_t column = core / parts * tiling_->singleCoreN;'),
    own('    if (column >= tiling_->N) {'),
    own('      return;'),
    own('    }'),
    own('    const int32_t rows = Least(tiling_->singleCoreM, tiling_->M - row);'),
    own('    const int32_t columns = Least(tiling_->singleCoreN, tiling_->N - column);'),
    own('    if (rows < tiling_->singleCoreM || columns < tiling_->singleCoreN) {'),
    own('      product_.SetTail(rows, columns);'),
    own('    }'),
    own(`    product_.SetTensorA(${globalName(left)}[static_cast<int64_t>(row) * tiling_->Ka]);`),
    own(`    product_.SetTensorB(${globalName(right)}[column]);`),
    ...(bias === null ? [] : [own(`    product_.SetBias(${globalName(bias)}[column]);`)]),
    own(`    product_.IterateAll(${globalName(target)}[static_cast<int64_t>(row) * tiling_->N + column]);`),
    own('    product_.End();'),
    plain(`  }

  AscendC::Matmul<${operands.join(',\n                  ')}>
      product_;

 private:
  __aicore__ static inline int32_t Least(int32_t a, int32_t b) { return a < b ? a : b; }

  const TCubeTiling* tiling_ = nullptr;`),
    ...tensors.map((each) => plain(`  AscendC::GlobalTensor<${types.get(each)}> ${globalName(each)};`)),
    plain(`};

extern "C" __global__ __aicore__ void ${entry}(${given}, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  Kernel${name}${instance} op;
  REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), op.product_, &tilingData.cube_);
  op.Init(${[...names, 'tilingData.cube_'].join(', ')});
  op.Process();
}
`),
  ]
}
