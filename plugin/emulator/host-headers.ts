/**
 * The headers of the vendor's public include trees for host parts (metadef, the base library of operators, the platform), as
 * programs name them: those that are provided, by area, and the others by the reason why they are not. Braces list
 * alternatives as in a shell.
 */
export const providedHostHeaders: Record<string, string> = {
  'operator definition and registration': `register/{op_def,op_def_registry,op_def_factory,op_impl_registry,
    op_impl_registry_api,op_impl_registry_base,op_impl_kernel_registry,tilingdata_base,register_types,
    tuning_tiling_registry,tuning_bank_key_registry}.h asc/register/{op_def,op_def_registry}.h`,
  'contexts of host functions': `exe_graph/runtime/{compute_node_info,context_extend,continuous_vector,expand_dims_type,
    extended_kernel_context,infer_datatype_context,infer_shape_context,infer_shape_range_context,kernel_context,range,
    runtime_attrs,runtime_tensor,shape,storage_format,storage_shape,stride,tensor,tiling_context,tiling_data,
    tiling_parse_context}.h`,
  'graphs and types': `graph/{ascend_string,c_types,compiler_def,error_codes,ge_error_codes,infer_format_context,
    operator,operator_reg,tensor,types}.h graph/utils/type_utils.h ge_common/ge_error_codes.h external/graph/{operator,types,ge_error_codes}.h`,
  platform: `platform/{platform_ascendc,platform_info,platform_info_def,platform_infos_def,soc_spec}.h
    tiling/platform/platform_ascendc.h opdev/platform.h aclnn/opdev/platform.h`,
  'logs, errors and secure functions': `log/{log,ops_log,error_code}.h op_common/log/{log,error_code}.h error/ops_error.h
    base/{alog_pub,err_msg,err_mgr}.h alog_pub.h dlog_pub.h slog.h toolchain/{slog,plog,log_types}.h error_manager.h
    error_manager/error_manager.h common/util/error_manager/error_manager.h opdev/op_log.h aclnn/opdev/op_log.h securec.h`,
  'helpers of operators': `op_common/op_host/{infershape_broadcast_util,infershape_elewise_util,infershape_reduce_util,
    tiling_base_class,tiling_base_util}.h op_common/op_host/util/{bfloat16,const_util,fp16,math_util,opbase_export,
    platform_util,shape_util}.h op_common/op_kernel/{math_util,platform_util}.h`,
  tiling: `tiling/{tiling_api,tiling_base,tiling_templates_registry,template_argument}.h`,
}

export const absentHostHeaders: Record<string, string> = {
  'only the op-API layer includes it, which no evaluation runs': `aclnn/{acl_meta,aclnn_base}.h aclnnop/aclnn_util.h
    opdev/{common_types,data_type_utils,fast_vector,format_utils,framework_op,make_op_executor,object,op_arg_def,op_cache,
    op_cache_container,op_config,op_def,op_dfx,op_errno,op_executor,pool_allocator,shape_utils,small_vector,
    tensor_view_utils,bfloat16,fp16_t,float4_e1m2,float4_e2m1,float6_e2m3,float6_e3m2,float8_e4m3fn,float8_e5m2,
    float8_e8m0,hifloat4,hifloat8}.h opdev/op_common/data_type_utils.h
    opdev/aicpu/{aicpu_any_value,aicpu_args_handler,aicpu_ext_info_handle,aicpu_kernel_launcher,aicpu_task,aicpu_utils}.h
    op_common/op_graph/{op_fallback,op_fallback_internal}.h
    exe_graph/runtime/{op_execute_context,op_execute_launch_context,op_execute_prepare_context}.h`,
  'for the framework that calls operators, or for whoever tests it': `exe_graph/runtime/{base_type,
    exe_res_generation_context,kernel_run_context,tensor_data,gert_mem_allocator,gert_mem_block,gert_tensor_data}.h
    base/context_builder/{context_holder,op_context_builder_base,op_infer_datatype_context_builder,
    op_infer_shape_context_builder,op_infer_shape_range_context_builder,op_kernel_run_context_builder,
    op_tiling_context_builder,op_tiling_parse_context_builder}.h
    base/registry/{op_impl_space_registry_v2,opp_package_utils}.h base/runtime/runtime_attrs_def.h
    register/{op_bin_info,op_ct_impl_kernel_registry,op_ct_impl_registry,op_ct_impl_registry_api,
    op_impl_registry_holder_manager,op_impl_space_registry,opp_impl_version,opp_so_manager}.h
    asc/register/{op_check_register,op_config_registry,op_def_factory}.h
    graph/{aligned_ptr,any_value,def_types,graph_type_utils,type_id,type_utils}.h graph/debug/ge_util.h
    graph/utils/file_utils.h common/ge_common/{string_util,util}.h common/plugin/plugin_manager.h
    common/util/{mem_utils,tiling_utils}.h common/util/compress/compress_weight.h ge/ge_allocator.h
    ge_common/{api_error_codes,ge_api_error_codes,ge_api_types}.h utils/extern_math_util.h
    base/asc/opcheck/op_check_register_impl.h base/asc/opdef/{op_config_registry_impl,op_def_factory_impl,op_def_impl}.h
    base/asc/tilingdata_base_impl.h base/attr/attrs_to_buffer.h base/type/{ascend_string_impl,types_impl}.h
    base/utils/type_utils_impl.h common/checker.h common/ge_common/debug/ge_log.h
    common/ge_common/{error_codes_define,scope_guard}.h`,
  'for graphs, which there are none of': `graph/{attr_value,gnode,graph,inference_context,
    operator_factory,resource_context}.h register/{register,register_base,register_error_codes,register_fmk_types,
    op_tiling_registry,op_tiling_info,op_tiling_attr_utils,op_check,register_custom_pass}.h`,
  'tiling runs on the host here, not on processors of the device': 'register/device_op_impl_registry.h',
  'registers of vectors, which Atlas A2 does not have': 'op_common/op_kernel/load_store_utils.h',
}

/** `a/{b,c}.h` as `a/b.h`, `a/c.h`. */
export const pathsOf = (text: string): string[] =>
  (text.match(/(?:\{[^{}]*\}|[^\s{])+/g) ?? []).flatMap((pattern) => {
    const [, before = '', choices, after = ''] = /^([^{]*)\{([^}]*)\}(.*)$/s.exec(pattern) ?? []
    return choices === undefined ? [pattern] : choices.split(',').map((choice) => `${before}${choice.trim()}${after}`)
  })
