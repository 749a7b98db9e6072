import { defaultCann, type CannVersion } from '../model/index.ts'
import { libraryHeaders } from './ascendc-names.ts'

/** Headers of library functions that Atlas A2 does not have, or that are not emulated. */
const absent = new Set(
  [
    'cube_group/cube_group_intf',
    'hccl/hccl',
    `math/{bitwise_and,bitwise_not,bitwise_or,bitwise_xor,fma,hypot,is_finite,is_inf,is_nan,logical_and,logical_ands,
      logical_not,logical_or,logical_ors,logical_xor,philox,rint,sincos,where}`,
    'quantization/{antiquantize,dequantize,quantize}',
    'quantization/kernel_operator_{antiquantize,dequantize,quantize}_intf',
  ].flatMap(alternatives),
)

/** Headers of library functions as `folder/name`; those of Matmul are in the table below. */
const functionHeaders = Object.entries(libraryHeaders)
  .filter(([folder]) => folder !== '' && folder !== 'matmul')
  .flatMap(([folder, names]) => names.split(/\s+/).map((name) => `${folder}/${name}`))
  .filter((path) => !absent.has(path))

/** Paths of library functions in toolkits before CANN 8.0, which later ones keep: most had a folder of their own. */
const earlierFunctionHeaders = [
  `lib/{arithprogression,ascend_antiquant,ascend_dequant,ascend_quant,batchnorm,broadcast,deepnorm,dropout,gelu,
    init_global_memory,layernorm,layernormgrad,mean,normalize,reglu,rmsnorm,sigmoid,silu,softmax,sum,swiglu,swish,topk,
    welfordfinalize,xor}/*.h`,
  `lib/{arithprogression,ascend_antiquant,ascend_dequant,ascend_quant,batchnorm,deepnorm,dropout,gelu,layernorm,
    layernormgrad,mean,reglu,rmsnorm,sigmoid,silu,softmax,sum,swiglu,swish,topk,welfordfinalize,
    xor}/kernel_operator_*_intf.h`,
].flatMap((pattern) => alternatives(pattern).map((path) => path.replace('*', path.split('/')[1] ?? '')))

/** Paths by which programs include another header, by that header. Braces list alternatives as in a shell. */
const aliases: Record<string, readonly string[]> = {
  'kernel_operator.h': [
    `kernel_{basic_intf,common,cube_intf,event,log,macros,pop_stack_buffer,struct_data_copy,tensor,tpipe,type,utils,
      vec_intf}.h`,
    `kernel_operator_{intf,block_sync_intf,common_intf,data_copy_intf,determine_compute_sync_intf,dump_tensor_intf,
      fixpipe_intf,list_tensor_intf,mm_intf,proposal_intf,reg_others_impl,scalar_intf,set_atomic_intf,sys_var_intf}.h`,
    `kernel_operator_vec_{binary,cmpsel,duplicate,gather,gather_mask,reduce,transpose,unary,vconv}_intf.h`,
    'impl/dav_c220/kernel_operator_reg_others_impl.h',
    'basic_api/{kernel_basic_intf,kernel_cube_intf,kernel_operator_list_tensor_intf,kernel_vec_intf}.h',
    'ascendc/basic_api/interface/kernel_operator_list_tensor_intf.h',
    '{math/floor,pad/broadcast}.h',
    'utils/debug/asc_{assert,printf}.h',
    'adv_api/kernel_api.h',
    ...functionHeaders.map((path) => `{lib,adv_api}/${path}.h`),
    '{lib,adv_api}/{reduce/reduce_common,utils/init_global_memory}.h',
    ...earlierFunctionHeaders,
    'lib/layernormgrad/{kernel_operator_layernormgradbeta_intf,layernormgradbeta}.h',
    'lib/math/{geglu,kernel_operator_geglu_intf}.h',
    'lib/softmax/kernel_operator_{logsoftmax,simple_softmax,softmax_flash,softmax_flashv2,softmax_grad}_intf.h',
    'lib/softmax/{logsoftmax,simplesoftmax,softmaxflashv2,softmaxflashv3,softmaxgrad}.h',
  ],
  'lib/matmul_intf.h': [
    'lib/{matmul,matrix/matmul}/matmul{,_intf}.h',
    'lib/matrix/matmul/tiling.h',
    'adv_api/matmul/matmul{,_client,_intf}.h',
  ],
  'ascendc/matmul_config.h': ['adv_api/matmul/matmul_config.h'],
  'lib/transpose/transdata_common.h': ['adv_api/transpose/transdata_common.h'],
  'lib/utils/types.h': ['adv_api/utils/types.h'],

  'tiling/tiling_api.h': ['adv_api/tiling_api.h'],
  'tiling/activation_tiling.h': [
    '{lib,adv_api}/activation/{geglu,gelu,reglu,sigmoid,silu,swiglu,swish}_tiling{,_intf}.h',
    'lib/math/geglu_tiling{,_intf}.h',
  ],
  'tiling/broadcast_tiling.h': ['{lib,adv_api}/pad/broadcast_tiling{,_intf}.h', 'tiling/broadcast/broadcast_tiling.h'],
  'tiling/library_structs.h': [
    '{lib,adv_api}/activation/{logsoftmax,softmax}_tilingdata.h',
    `{lib,adv_api}/normalization/{batchnorm,deepnorm,groupnorm,layernorm,layernorm_grad,layernorm_grad_beta,
      rmsnorm}_tilingdata.h`,
    '{lib,adv_api,tiling}/matmul/matmul_tilingdata.h',
    'tiling/matrix/matmul_tilingdata.h',
  ],
  'tiling/math_tiling.h': [
    `{lib,adv_api}/math/{acos,acosh,asin,asinh,atan,atanh,axpy,ceil,clamp,cos,cosh,digamma,erf,erfc,exp,floor,frac,
      lgamma,log,power,round,sign,sin,sinh,tan,tanh,trunc,xor}_tiling{,_intf}.h`,
    '{lib,adv_api}/math/fmod_tiling.h',
  ],
  'tiling/matmul_tiling.h': [
    '{lib/matmul,adv_api/matmul,tiling/matmul,tiling/matrix}/{bmm_tiling,matmul_tiling,matmul_tiling_base}.h',
  ],
  'tiling/normalization_tiling.h': [
    `{lib,adv_api}/normalization/{batchnorm,deepnorm,layernorm,layernorm_grad,layernorm_grad_beta,rmsnorm,
      welfordfinalize}_tiling{,_intf}.h`,
    '{lib,adv_api}/normalization/{groupnorm,normalize}_tiling.h',
  ],
  'tiling/quantization_tiling.h': ['{lib,adv_api}/quantization/ascend_{antiquant,dequant,quant}_tiling{,_intf}.h'],
  'tiling/rearrange_tiling.h': [
    '{lib,adv_api}/{pad/pad,sort/topk,transpose/confusion_transpose}_{tiling,tiling_intf,tilingdata}.h',
    '{lib,adv_api}/transpose/transdata_tiling.h',
  ],
  'tiling/reduce_tiling.h': [
    '{lib,adv_api}/{math/cumsum,reduce/mean,reduce/sum}_tiling{,_intf}.h',
    '{lib,adv_api}/reduce/{reduce,reduce_xor_sum}_tiling.h',
  ],
  'tiling/select_tiling.h': ['{lib,adv_api}/{select/selectwithbytesmask,filter/dropout}_tiling{,_intf}.h'],
  'tiling/softmax_tiling.h': ['{lib,adv_api}/activation/{logsoftmax,softmax}_tiling{,_intf}.h'],
  'tiling/sort_tiling.h': ['{lib,adv_api}/sort/sort_tiling_intf.h'],

  'ascendc/host_api/tiling/template_argument.h': ['graph/c_types.h', '{tiling,utils/tiling}/template_argument.h'],
  'exe_graph/runtime/extended_kernel_context.h': [
    'exe_graph/runtime/{kernel_context,context_extend}.h',
    'runtime/context_extend.h',
  ],
  'exe_graph/runtime/tensor.h': ['exe_graph/runtime/runtime_tensor.h'],
  'graph/ge_error_codes.h': ['{graph/error_codes,ge_common/ge_error_codes,external/graph/ge_error_codes}.h'],
  'graph/types.h': ['{graph/compiler_def,external/graph/types}.h'],
  'graph/operator.h': ['external/graph/operator.h'],
  'log/log.h': ['{alog_pub,error/ops_error,log/error_code,log/ops_log,op_common/log/error_code,op_common/log/log}.h'],
  'base/alog_pub.h': ['toolchain/{log_types,plog}.h', '{dlog_pub,slog}.h'],
  'base/err_mgr.h': ['{common/util/error_manager/,error_manager/,}error_manager.h'],
  'opdev/op_log.h': ['aclnn/opdev/op_log.h'],
  'aclnn/opdev/platform.h': ['opdev/platform.h'],
  'register/op_impl_registry.h': [
    'register/{op_impl_kernel_registry,op_impl_registry_base,op_impl_registry_api}.h',
    'external/register/op_impl_registry.h',
  ],
  'register/op_def_registry.h': ['{asc/register,external/register}/op_def_registry.h', 'register/op_def_factory.h'],
  'register/op_def.h': ['asc/register/op_def.h'],
  'platform/platform_info_def.h': ['platform/platform_info.h'],
  'tiling/platform/platform_ascendc.h': ['platform/platform_ascendc.h'],
  'util/math_util.h': ['{op_common/op_host,op_host}/util/math_util.h'],
}

/** Headers that programs also find in other folders: where they are, what other paths begin with, and their names. */
const foundElsewhere: readonly (readonly [folder: string, others: string, names: string])[] = [
  [
    'exe_graph/runtime',
    'runtime/',
    `compute_node_info continuous_vector expand_dims_type extended_kernel_context infer_datatype_context
      infer_shape_context infer_shape_range_context range runtime_attrs shape storage_format storage_shape stride tensor
      tiling_context tiling_data tiling_parse_context`,
  ],
  [
    'op_common/op_host',
    '{,op_host/}',
    `infershape_broadcast_util infershape_elewise_util infershape_reduce_util tiling_base_class tiling_base_util
      util/bfloat16 util/const_util util/fp16 util/platform_util util/shape_util`,
  ],
  ['op_common/op_kernel', 'op_kernel/', 'math_util platform_util'],
]

/** `{a,b}_c{,_d}` as `a_c`, `a_c_d`, `b_c`, `b_c_d`. */
function alternatives(pattern: string): string[] {
  const [, before = '', choices, after = ''] = /^([^{]*)\{([^}]*)\}(.*)$/s.exec(pattern) ?? []
  if (choices === undefined) return [pattern]
  return choices.split(',').flatMap((choice) => alternatives(`${before}${choice.trim()}${after}`))
}

/** Paths that came with CANN 8.5 or later; before, programs found the library below `lib/` alone. */
const since85 = /^(?:adv_api\/|(?:basic_api\/)?kernel_(?:basic|cube|vec)_intf\.h$|utils\/debug\/asc_)/

/** Every path that only forwards, and the header that it stands for. */
export function forwardedPaths(cann: CannVersion = defaultCann): [path: string, header: string][] {
  const elsewhere = foundElsewhere.flatMap(([folder, prefix, names]) =>
    names.split(/\s+/).map((name): [string, string[]] => [`${folder}/${name}.h`, [`${prefix}${name}.h`]]),
  )
  return [...Object.entries(aliases), ...elsewhere].flatMap(([header, patterns]) =>
    patterns
      .flatMap(alternatives)
      .filter((path) => cann !== '8.3' || !since85.test(path))
      .map((path): [string, string] => [path, header]),
  )
}

export const forwardingText = (header: string): string => `#pragma once\n\n#include "${header}"\n`
