import { callOf, type Given, type VendorCall, type VendorOperator } from './call.ts'
import { foreachOperators } from './foreach-operators.ts'

const one = (...call: VendorCall): readonly VendorCall[] => [callOf(...call)]
const none = (why: string): VendorOperator => ({ none: why })

const reduction: Given = { attribute: 'reduction', codes: { none: 0, mean: 1, sum: 2 } }

/** Calls of matrix products may choose a narrower dtype for float32: 0 keeps the one of their arguments. */
const keepsType = 0

const isolated = 'the toolkit has no call for it'
const strided = 'strided vectors are none of the toolkit’s tensors'

const matmul = one('aclnnMatmul', 'a b c', keepsType)

/** What `aclnnGroupedMatmulV4` is given where groups are cut along m, and ends are cumulative. */
const groupedMatmul = (scale: Given, perToken: Given): readonly VendorCall[] =>
  one('aclnnGroupedMatmulV4', 'a b -', scale, '- - -', perToken, 'groupList - - -', 3, 0, 0, 0, 'c - -')

/** A tensor of the shape and dtype of another, which one call writes and the next reads. */
const between = (name: string, like: string): Given => ({ between: name, like })

const addLayerNorm = 'x1 x2 gamma beta bias epsilon additional_output'
const normalised = between('normalised', 'x1')
const sum = between('sum', 'x1')

/**
 * The vendor's operators by task of NPUKernelBench, as the public documents of the toolkit's calls state them (CANN 8.0 to 8.5). The
 * header of the installed toolkit decides what is there and what a parameter is; golden decides whether it is the same function.
 */
export const vendorOperators: Readonly<Record<string, VendorOperator>> = {
  ...foreachOperators,

  Equal: one('aclnnEqTensor', 'x1 x2 y'),
  LessEqual: one('aclnnLeTensor', 'x1 x2 y'),
  Less: one('aclnnLtTensor', 'x1 x2 y'),
  IsFinite: one('aclnnIsFinite', 'x y'),
  IsInf: one('aclnnIsInf', 'x y'),
  NonFiniteCheckOp: none('the toolkit looks for such values where it scales as well'),
  GatherV3: one('aclnnIndexSelect', 'x axis indices y'),
  ScatterList: one('aclnnScatterList', 'var indice updates mask reduce axis'),
  AbsMath: one('aclnnAbs', 'x y'),
  AddCustom: one('aclnnAdd', 'x y', 1, 'z'),
  UnalignAdd: one('aclnnAdd', 'x y', 1, 'z'),
  Addcdiv: one('aclnnAddcdiv', 'input_data x1 x2 value y'),
  Addcmul: one('aclnnAddcmul', 'input_data x1 x2 value y'),
  CastMath: one('aclnnCast', 'x dst_type y'),
  Ccopy: none(strided),
  ClipByValue: one('aclnnClamp', 'x clip_value_min clip_value_max y'),
  ComplexMatDot: one('aclnnMul', 'matx maty result'),
  CosMath: one('aclnnCos', 'x y'),
  Icamax: none(strided),
  Icamin: none(strided),
  Isamax: none(strided),
  Isamin: none(strided),
  Lerp: one('aclnnLerp', 'start end weight y'),
  Muls: one('aclnnMuls', 'x value y'),
  Neg: one('aclnnNeg', 'x y'),
  Rsqrt: one('aclnnRsqrt', 'x y'),
  Sasum: none(strided),
  SinMath: one('aclnnSin', 'x y'),
  Snrm2: none(strided),
  Spence: none(isolated),
  Sqrt: one('aclnnSqrt', 'x y'),
  Sscal: one('aclnnInplaceMuls', 'x alpha'),
  StridesliceNegConcatV2: none('it takes halves of a tensor apart, which is no call but views'),
  TanhMath: one('aclnnTanh', 'x y'),
  Arange: one('aclnnArange', 'start end step out'),
  Eye: one('aclnnEye', 'num_rows num_columns y'),
  Fill: one('aclnnInplaceFillTensor', 'y value'),

  DequantSwigluQuant: one(
    'aclnnDequantSwigluQuant',
    'x weight_scale activation_scale bias quant_scale quant_offset group_index activate_left quant_mode y scale',
  ),
  FastGelu: one('aclnnFastGelu', 'x y'),
  FastGeluGrad: one('aclnnFastGeluBackward', 'dy x z'),
  GeGluV2: one('aclnnGeGluV3', 'x dim approximate activate_left y gelu'),
  GeGluGradV2: one('aclnnGeGluV3Backward', 'dy x gelu dim approximate activate_left dx'),
  Gelu: one('aclnnGelu', 'x y'),
  GeluGrad: one('aclnnGeluBackwardV2', 'dy x', { text: 'tanh' }, 'z'),
  GeluQuant: one(
    'aclnnGeluQuant',
    'x input_scale input_offset approximate quant_mode',
    { text: 'rint' },
    { dtypeOf: 'y' },
    'y out_scale',
  ),
  InplaceAttnSoftmax: one('aclnnSoftmax', 'x', -1, 'x'),
  InplaceFusedMatmulSoftmaxGrad: [
    callOf('aclnnMatmul', 'gradOutput', { transposed: 'values' }, between('product', 'softmaxOutput'), keepsType),
    callOf('aclnnSoftmaxBackward', between('product', 'softmaxOutput'), 'softmaxOutput', -1, 'softmaxOutput'),
  ],
  MulSigmoid: none('a threshold in the middle, which takes more calls than it has steps'),
  SwiGlu: one('aclnnSwiGlu', 'x dim y'),
  SwiGluGrad: one('aclnnSwiGluGrad', 'y_grad x dim x_grad'),
  Swish: one('aclnnSwish', 'x scale y'),

  Cross: one('aclnnLinalgCross', 'x1 x2 dim y'),
  CrossEntropyLoss: one(
    'aclnnCrossEntropyLoss',
    'input target weight reduction ignore_index label_smoothing',
    'lse_square_scale_for_zloss return_zloss loss log_prob zloss lse_for_zloss',
  ),
  CrossEntropyLossGrad: one(
    'aclnnCrossEntropyLossGrad',
    'grad_loss log_prob target weight grad_zloss lse_for_zloss reduction ignore_index label_smoothing lse_square_scale_for_zloss x_grad',
  ),
  MseLoss: one('aclnnMseLoss', 'predict label', reduction, 'y'),
  MseLossGradV2: one('aclnnMseLossBackward', 'dout predict label', reduction, 'y'),
  MaskedSelectV3: one('aclnnMaskedSelect', 'x mask y'),
  Tril: one('aclnnTril', 'x diagonal y'),
  Triu: one('aclnnTriu', 'x diagonal y'),

  AddLayerNorm: one('aclnnAddLayerNorm', addLayerNorm, 'y mean rstd x'),
  AddLayerNormGrad: one('aclnnAddLayerNormGrad', 'dy x1 x2 rstd mean gamma dsum dx dgamma dbeta'),
  AddRmsNorm: one('aclnnAddRmsNorm', 'x1 x2 gamma epsilon y rstd x'),
  AddRmsNormCast: one('aclnnAddRmsNormCast', 'x1 x2 gamma epsilon y1 y2 rstd x'),
  AddRmsNormQuant: one(
    'aclnnAddRmsNormQuant',
    'x1 x2 gamma scales1 scales2 zero_points1 zero_points2 axis epsilon div_mode y1 y2 x',
  ),
  BatchNormV3: one(
    'aclnnBatchNorm',
    'x weight bias running_mean running_var is_training momentum epsilon y save_mean save_rstd',
  ),
  DeepNorm: one('aclnnDeepNorm', 'x gx beta gamma alpha epsilon mean rstd y'),
  DeepNormGrad: one('aclnnDeepNormGrad', 'dy x gx gamma mean rstd alpha dx dgx dbeta dgamma'),
  GroupNormSwish: one(
    'aclnnGroupNormSwish',
    'x gamma beta num_groups data_format eps activate_swish swish_scale y mean rstd',
  ),
  GroupNormSwishGrad: one(
    'aclnnGroupNormSwishGrad',
    'dy mean rstd x gamma beta num_groups data_format swish_scale dgamma_is_require dbeta_is_require dx dgamma dbeta',
  ),
  InplaceAddLayerNorm: [
    callOf('aclnnAddLayerNorm', addLayerNorm, normalised, 'mean rstd', sum),
    callOf('aclnnInplaceCopy', 'x1', normalised),
    callOf('aclnnInplaceCopy', 'x2', sum),
  ],
  InplaceAddRmsNorm: one('aclnnInplaceAddRmsNorm', 'x1 x2 gamma epsilon rstd'),
  LayerNormV4: one('aclnnLayerNorm', 'x normalized_shape gamma beta epsilon y mean rstd'),
  PreLayerNorm: [
    callOf('aclnnAdd', 'x y', 1, between('sum', 'x')),
    callOf('aclnnLayerNorm', between('sum', 'x'), { shapeOf: 'gamma' }, 'gamma beta epsilon res_out - -'),
  ],
  RmsNorm: one('aclnnRmsNorm', 'x gamma epsilon y rstd'),
  RmsNormGrad: one('aclnnRmsNormGrad', 'dy x rstd gamma dx dgamma'),

  ApplyAdamWV2: one(
    'aclnnApplyAdamWV2',
    'var m v max_grad_norm grad step lr beta1 beta2 weight_decay eps amsgrad maximize',
  ),
  ApplyFusedEmaAdam: one(
    'aclnnApplyFusedEmaAdam',
    'grad var m v s step lr ema_decay beta1 beta2 eps mode bias_correction weight_decay',
  ),
  AddSigmoidMulReduceSumD: none('it broadcasts along axes that its inputs do not have'),
  MulMulReduceMeanDTwice: [
    callOf('aclnnMul', 'mul0_input0 mul0_input1', between('product', 'mul0_input0')),
    callOf('aclnnMuls', between('product', 'mul0_input0'), 'mul1_input0', between('scaled', 'mul0_input0')),
    callOf('aclnnLayerNorm', between('scaled', 'mul0_input0'), { shapeOf: 'gamma' }, 'gamma beta add_y output - -'),
  ],
  MulSigmoidMulAddCustom: [
    callOf('aclnnMuls', 'input mulscalar1', between('scaled', 'input')),
    callOf('aclnnSigmoid', between('scaled', 'input'), between('gate', 'input')),
    callOf('aclnnMuls', between('gate', 'input'), 'mulscalar2', between('scaled', 'input')),
    callOf('aclnnAdds', between('scaled', 'input'), 'addscalar3', 1, 'outputs'),
  ],
  SelectReduceMaxDSubExpReduceSumDRealDiv: [
    callOf('aclnnSWhere', 'sel input1 input2', between('selected', 'input1')),
    callOf('aclnnSoftmax', between('selected', 'input1'), -1, 'ouput'),
  ],
  CoalesceSparse: one('aclnnCoalesceSparse', 'unique_len unique_indices indices values new_indices new_values'),
  ExpandV2: one('aclnnExpand', 'x shape y'),
  FeedsRepeat: none('rows that are left over are zeros, for which the toolkit has no call'),
  ReverseSequence: none(isolated),
  StridedSliceAssignV2: one('aclnnStridedSliceAssignV2', 'var input_value begin end strides axes'),

  BasicMatmul: matmul,
  OptimizedMatmul: matmul,
  PaddingMatmul: matmul,
  SplitkMatmul: matmul,
  BatchedMatmul: one('aclnnBatchMatMul', 'a b c', keepsType),
  FlashAttentionScoreWithLargeHeadDim: one(
    'aclnnFlashAttentionScore',
    'query key value - - - - - scale_value',
    1,
    65_536,
    65_536,
    'head_num',
    { text: 'BSH' },
    0,
    0,
    'softmax_max softmax_sum - attention_out',
  ),
  Gemm: one('aclnnInplaceAddmm', 'c a b beta alpha', keepsType),
  Gemv: one('aclnnAddmv', 'y a x alpha beta out', keepsType),
  GroupGemm: none('factors of each group are no part of the toolkit’s grouped products'),
  GroupedMatmulSliceK: none('its first matrix lies in the other order than its shape says'),
  GroupedMatmulSliceKPerTokenDequant: none('its first matrix lies in the other order than its shape says'),
  GroupedMatmulSliceM: groupedMatmul(null, null),
  GroupedMatmulSliceMPerTokenDequant: groupedMatmul('scale', 'per_token_scale'),
  MatmulAdd: one('aclnnAddmm', 'c a b', 1, 1, 'd', keepsType),
  MatmulBias: one('aclnnAddmm', 'bias a b', 1, 1, 'd', keepsType),
  Mla: none('a cache of blocks in two parts, which the toolkit takes in other shapes'),
  QuantMatmul: one('aclnnQuantMatmulV4', 'a b scale - per_token_scale -', false, false, 'd'),
  TopKV3: [
    callOf('aclnnTopk', 'x k dim largest sorted values', { between: 'positions', like: 'indices', dtype: 'int64' }),
    callOf('aclnnCast', { between: 'positions', like: 'indices', dtype: 'int64' }, { dtypeOf: 'indices' }, 'indices'),
  ],
}
