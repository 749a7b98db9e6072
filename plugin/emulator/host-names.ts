/**
 * The public names of the headers for host parts that public include trees and the emulator have alike, by header: functions,
 * types and macros, and methods as `Class::method`. Braces list alternatives as in a shell. Headers that only forward are left out.
 */
export const hostNames: Record<string, string> = {
  'register/op_impl_registry.h': `IMPL_OP IMPL_OP_COUNTER IMPL_OP_COUNTER_NUMBER IMPL_OP_DEFAULT IMPL_OP_INFERSHAPE
    IMPL_OP_OPTILING TilingPlacement OpImplRegisterV2::{CalcOpParam,CheckSupport,ExceptionDumpParseFunc,
    GenSimplifiedKey,GenerateTask,HostInputs,InferDataType,InferFormat,InferOutDataTypeSameWithFirstInput,InferShape,
    InferShapeRange,InputsDataDependency,NullableOutputs,Op2StageExecuteFuncs,OpExecuteFunc,OpSelectFormat,
    OutputShapeDependOnCompute,PrivateAttr,Tiling,TilingInputsDataDependency,TilingParse}`,
  'register/op_impl_registry_api.h': `GetOpImplFunctions GetOpImplFunctionsV2 GetRegisteredOpNum TypesToImpl
    TypesToImplV2`,
  'register/op_impl_registry_base.h': `OpImplRegistryBase::{GetOpImpl,GetPrivateAttrs}
    OpImplRegistry::{CreateOrGetOpImpl,GetAllTypesToImpl,GetInstance,GetOpImpl,GetPrivateAttrs}`,
  'register/op_impl_kernel_registry.h': `OP_IMPL_MAIN_VERSION OpImplKernelRegistry`,
  'register/tilingdata_base.h': `BEGIN_TILING_DATA_DEF CharPtrCmp END_TILING_DATA_DEF FieldInfo
    REGISTER_TILING_DATA_CLASS TILING_DATA_FIELD_DEF TILING_DATA_FIELD_DEF_ARR TILING_DATA_FIELD_DEF_STRUCT
    TilingDataConstructor StructSizeInfoBase::{GetInstance,GetStructSize,SetStructSize}
    TilingDef::{CheckAlignAndGenPlaceHolder,GetDataSize,GetFieldInfo,GetTilingClassName,SaveToBuffer,SetDataPtr}
    CTilingDataClassFactory::{CreateTilingDataInstance,GetInstance,RegisterTilingData}
    TilingDataStructBase::{GetInstance,RecordTilingStruct}`,
  'asc/register/op_def.h': `AttrDataType CommentSection DependScope FUNC_CHECK_SUPPORTED FUNC_GET_OP_SUPPORT_INFO
    FUNC_GET_SPECIFIC_INFO FUNC_OP_SELECT_FORMAT FollowType FormatCheckOption HcclServerType InitValueNum
    InitValueType ItemFindStatus OP_CHECK_FUNC OpCheckFuncHelper Option PARAM_GENERALIZE_FUNC ScalarNum ScalarType
    ScalarVar OpParamDef::{AutoContiguous,Comment,DataType,DataTypeForBinQuery,DataTypeList,Follow,Format,
    FormatForBinQuery,FormatList,IgnoreContiguous,InitValue,OutputShapeDependOnCompute,ParamType,Scalar,ScalarList,
    To,UnknownShapeFormat,ValueDepend,Version} OpAICPUDef::{ComputeCost,Engine,ExtendCfgInfo,FlagAsync,FlagPartial,
    FunctionName,KernelSo,OpKernelLib,UserDefined} OpHostCPUDef::{ComputeCost,Engine,ExtendCfgInfo,FlagAsync,
    FlagPartial,FunctionName,KernelSo,OpKernelLib,UserDefined} OpAttrDef::{AttrType,Bool,Comment,Float,GetName,Int,
    IsRequired,ListBool,ListFloat,ListInt,ListListInt,String,Version} OpAICoreConfig::{DynamicCompileStaticFlag,
    DynamicFormatFlag,DynamicRankSupportFlag,DynamicShapeSupportFlag,ExtendCfgInfo,Input,NeedCheckSupportFlag,Output,
    PrecisionReduceFlag} OpAICoreDef::{AddConfig,GetCheckSupport,GetOpSelectFormat,GetOpSpecInfo,GetOpSupportInfo,
    GetParamGeneralize,GetTiling,LaunchWithZeroEleOutputTensors,SetCheckSupport,SetOpSelectFormat,SetOpSpecInfo,
    SetOpSupportInfo,SetParamGeneralize,SetTiling} OpMC2Def::{HcclGroup,HcclServerType} OpDef::{AICPU,AICore,Attr,
    Comment,EnableFallBack,FormatMatchMode,GetInferDataType,GetInferShape,GetInferShapeRange,HostCPU,Input,MC2,
    Output,SetInferDataType,SetInferShape,SetInferShapeRange}`,
  'asc/register/op_def_registry.h': `OP_ADD`,
  'exe_graph/runtime/compute_node_info.h': `AnchorInstanceInfo::{GetInstanceNum,GetInstanceStart,SetInstanceStart,
    SetInstantiationNum} CompileTimeTensorDesc::{GetDataType,GetExpandDimsType,GetFormat,GetOriginFormat,
    GetStorageFormat,IsExist,SetDataType,SetExist,SetExpandDimsType,SetOriginFormat,SetStorageFormat}
    ComputeNodeInfo::{CalcSize,GetAttrs,GetInputInstanceInfo,GetInputTdInfo,GetInputsNum,GetIrInputsNum,
    GetIrOutputsNum,GetNodeName,GetNodeType,GetOutputInstanceInfo,GetOutputTdInfo,GetOutputsNum,Init,MutableAttrs,
    MutableInputInstanceInfo,MutableInputTdInfo,MutableOutputInstanceInfo,MutableOutputTdInfo,SetNodeName,
    SetNodeType}`,
  'exe_graph/runtime/context_extend.h': `KernelExtendInfo::{GetKernelName,GetKernelType,SetKernelName,SetKernelType}`,
  'exe_graph/runtime/continuous_vector.h': `ContinuousVector::{Create,GetCapacity,GetData,GetSize,Init,MutableData,
    SetSize} TypedContinuousVector::{GetData,MutableData} ContinuousVectorVector::{Add,Get,GetOverHeadLength,GetSize,
    Init}`,
  'exe_graph/runtime/expand_dims_type.h': `ExpandDimsType::{Expand,GetFullSize,IsExpandIndex,SetExpandIndex}`,
  'exe_graph/runtime/extended_kernel_context.h': `ExtendedKernelContext::{GetAttrs,GetComputeNodeInfo,
    GetComputeNodeInputNum,GetComputeNodeOutputNum,GetDynamicInputDesc,GetExtendInfo,GetInputDesc,
    GetIrInputInstanceInfo,GetIrOutputInstanceInfo,GetKernelName,GetKernelType,GetNodeName,GetNodeType,
    GetOptionalInputDesc,GetOutputDesc,GetRequiredInputDesc}`,
  'exe_graph/runtime/infer_datatype_context.h': `InferDataTypeContext::{GetDynamicInputDataType,GetInputDataType,
    GetOptionalInputDataType,GetOutputDataType,GetRequiredInputDataType,SetOutputDataType}`,
  'exe_graph/runtime/infer_shape_context.h': `InputExternLayout InferShapeContext::{GetDynamicInputShape,
    GetDynamicInputTensor,GetInputShape,GetInputTensor,GetOptionalInputShape,GetOptionalInputTensor,GetOutputShape,
    GetRequiredInputShape,GetRequiredInputTensor}`,
  'exe_graph/runtime/infer_shape_range_context.h': `TensorRange InferShapeRangeContext::{GetDynamicInputShapeRange,
    GetDynamicInputTensorRange,GetInputShapeRange,GetInputTensorRange,GetOptionalInputShapeRange,
    GetOptionalInputTensorRange,GetOutputShapeRange,GetRequiredInputShapeRange,GetRequiredInputTensorRange}`,
  'exe_graph/runtime/kernel_context.h': `Chain::{HasDeleter,Set,SetWithDefaultDeleter}
    KernelContext::{GetComputeNodeExtend,GetContext,GetInput,GetInputNum,GetInputPointer,GetInputStrPointer,
    GetInputValue,GetKernelExtend,GetOutput,GetOutput2,GetOutputNum,GetOutputPointer,IsInlineSize,MutableInput,
    MutableInputPointer}`,
  'exe_graph/runtime/range.h': `Range::{GetMax,GetMin,SetMax,SetMin}`,
  'exe_graph/runtime/runtime_attrs.h': `RuntimeAttrs::{GetAttrNum,GetAttrPointer,GetBool,GetFloat,GetInt,
    GetListFloat,GetListInt,GetListListFloat,GetListListInt,GetStr,GetTensor}`,
  'exe_graph/runtime/runtime_tensor.h': `ConstTensorAddress TensorAddress TensorVersion Tensor::{CreateFollowing,
    GetAddr,GetData,GetDataType,GetExpandDimsType,GetFormat,GetOriginFormat,GetOriginShape,GetPlacement,GetShape,
    GetShapeSize,GetSize,GetStorageFormat,GetStorageShape,GetTensorData,GetVersion,MutableFormat,MutableOriginShape,
    MutableStorageShape,MutableTensorData,SetData,SetDataType,SetExpandDimsType,SetOriginFormat,SetPlacement,SetSize,
    SetStorageFormat} TensorV2::{CreateFollowing,GetAddr,GetData,GetDataType,GetExpandDimsType,GetFormat,GetOffset,
    GetOriginFormat,GetOriginShape,GetPlacement,GetShape,GetShapeSize,GetSize,GetStorageFormat,GetStorageShape,
    GetStride,GetTensorData,GetVersion,MutableFormat,MutableOriginShape,MutableStorageShape,MutableStride,
    MutableTensorData,SetData,SetDataType,SetExpandDimsType,SetOffset,SetOriginFormat,SetPlacement,SetSize,
    SetStorageFormat}`,
  'exe_graph/runtime/shape.h': `Shape::{AppendDim,GetDim,GetDimNum,GetShapeSize,IsScalar,SetDim,SetDimNum,SetScalar}`,
  'exe_graph/runtime/storage_format.h': `StorageFormat::{GetExpandDimsType,GetOriginFormat,GetStorageFormat,
    MutableExpandDimsType,SetExpandDimsType,SetOriginFormat,SetStorageFormat}`,
  'exe_graph/runtime/storage_shape.h': `StorageShape::{GetOriginShape,GetShape,GetStorageShape,MutableOriginShape,
    MutableShape,MutableStorageShape}`,
  'exe_graph/runtime/stride.h': `Stride::{AppendStride,GetDimNum,GetStride,SetDimNum,SetStride}`,
  'exe_graph/runtime/tiling_context.h': `Dim3 TilingContext::{DynamicInputIsView,GetAicpuBlockDim,GetAicpuNumBlocks,
    GetBlockDim,GetCompileInfo,GetDeterministic,GetDeterministicLevel,GetDynUBufSize,GetDynamicInputOffset,
    GetDynamicInputShape,GetDynamicInputStride,GetDynamicInputTensor,GetInputOffset,GetInputShape,GetInputStride,
    GetInputTensor,GetLocalMemorySize,GetOptionalInputOffset,GetOptionalInputShape,GetOptionalInputStride,
    GetOptionalInputTensor,GetOutputOffset,GetOutputShape,GetOutputStride,GetPlatformInfo,GetRawTilingData,
    GetRequiredInputOffset,GetRequiredInputShape,GetRequiredInputStride,GetRequiredInputTensor,GetScheduleMode,
    GetSimdNumBlocks,GetSimtBlockDim,GetSimtGridDim,GetTilingCond,GetTilingData,GetTilingKey,GetWorkspaceNum,
    GetWorkspaceSizes,InputIsView,NeedAtomic,OptionalInputIsView,OutputIsView,RequiredInputIsView,SetAicpuBlockDim,
    SetAicpuNumBlocks,SetBlockDim,SetDynUBufSize,SetLocalMemorySize,SetNeedAtomic,SetScheduleMode,SetSimdNumBlocks,
    SetSimtBlockDim,SetSimtGridDim,SetTilingCond,SetTilingKey}`,
  'exe_graph/runtime/tiling_data.h': `AttrDataType TilingData::{Append,AppendConvertedAttrVal,CalcTotalSize,
    CreateCap,Expand,GetCapacity,GetData,GetDataSize,Init,SetDataSize}`,
  'exe_graph/runtime/tiling_parse_context.h': `TilingParseContext::{GetCompiledInfo,GetCompiledJson,GetPlatformInfo}`,
  'graph/ascend_string.h': `AscendString::{Find,GetLength,GetString,Hash}`,
  'graph/compiler_def.h': `VAR_UNUSED`,
  'graph/error_codes.h': `graphStatus`,
  'graph/infer_format_context.h': `InferFormatContext::{GetDynamicInputFormat,GetDynamicInputShape,
    GetDynamicInputTensor,GetDynamicOutputFormat,GetInputFormat,GetInputShape,GetInputTensor,GetOptionalInputFormat,
    GetOptionalInputShape,GetOptionalInputTensor,GetOutputFormat,GetRequiredInputFormat,GetRequiredInputShape,
    GetRequiredInputTensor,GetRequiredOutputFormat}`,
  'graph/tensor.h': `Shape::{GetDim,GetDimNum,GetDims,GetShapeSize,SetDim} TensorDesc::{GetConstData,GetDataType,
    GetExpandDimsRule,GetFormat,GetName,GetOriginFormat,GetOriginShape,GetPlacement,GetRealDimCnt,GetShape,
    GetShapeRange,GetSize,SetConstData,SetDataType,SetExpandDimsRule,SetFormat,SetName,SetOriginFormat,
    SetOriginShape,SetPlacement,SetRealDimCnt,SetReuseInputIndex,SetShape,SetShapeRange,SetSize,
    SetUnknownDimNumShape,Update} Tensor::{Clone,GetData,GetDataType,GetExpandDimsRule,GetFormat,GetOriginFormat,
    GetOriginShapeDim,GetOriginShapeDimNum,GetPlacement,GetShapeDim,GetShapeDimNum,GetSize,GetTensorDesc,IsValid,
    ResetData,SetData,SetDataType,SetExpandDimsRule,SetFormat,SetOriginFormat,SetOriginShapeDim,SetOriginShapeDimNum,
    SetPlacement,SetShapeDim,SetShapeDimNum,SetTensorDesc}`,
  'graph/types.h': `DataType DeviceType Format GetC0Format GetC0Value GetFormatFromC0 GetFormatFromSub
    GetFormatFromSubAndC0 GetFormatName GetPrimaryFormat GetSizeByDataType GetSizeInBytes GetSubFormat HasC0Format
    HasSubFormat ImplyType ListTensorType Placement StringHead TensorDescInfo UnknowShapeOpType WEAK_SYMBOL char_t
    float32_t float64_t vector_bit_t TensorType::{ALL,BasicType,ComplexDataType,FLOAT,FloatingDataType,
    IndexNumberType,IntegerDataType,NumberType,OrdinaryType,QuantifiedType,RealNumberType,SignedDataType,
    UnaryDataType,UnsignedDataType} Promote::Syms`,
  'graph/utils/type_utils.h': `TypeUtils::{AscendStringToDataType,AscendStringToFormat,DataFormatToFormat,
    DataTypeToAscendString,DataTypeToSerialString,FormatToAscendString,FormatToSerialString,GetDataTypeLength,
    SerialStringToDataType,SerialStringToFormat}`,
  'common/util/error_manager/error_manager.h': `Context ErrorItem ErrorMsgMode FormatErrorMessage REPORT_CALL_ERROR
    REPORT_ENV_ERROR REPORT_INNER_ERROR REPORT_INPUT_ERROR ReportInnerError TrimPath char_t
    ErrorManager::{ATCReportErrMessage,GenWorkStreamIdBySessionGraph,GenWorkStreamIdDefault,
    GenWorkStreamIdWithSessionIdGraphId,GetErrorManagerContext,GetErrorMessage,GetInstance,GetLogHeader,
    GetMstuneCompileFailedMsg,GetRawErrorMessages,GetWarningMessage,Init,OutputErrMessage,OutputMessage,
    ParseJsonFormatString,ReportErrMessage,ReportErrMsgWithoutTpl,ReportInterErrMessage,ReportMstuneCompileFailedMsg,
    SetErrorContext,SetRawErrorMessages,SetStage}`,
}

/** Those that are not provided, by the reason why; `Class::*` stands for every method. */
export const absentHostNames: Record<string, string> = {
  'for the framework that registers and calls operators': `AnchorInstanceInfo::{SetInstanceStart,SetInstantiationNum}
    AttrDataType CTilingDataClassFactory::* Chain::* CharPtrCmp CompileTimeTensorDesc::{IsExist,SetExist,SetExpandDimsType}
    ComputeNodeInfo::{CalcSize,Init,MutableAttrs,MutableInputInstanceInfo,MutableInputTdInfo,MutableOutputInstanceInfo,
    MutableOutputTdInfo,SetNodeName,SetNodeType} ConstTensorAddress ContinuousVector::{Create,Init,MutableData,SetSize}
    ContinuousVectorVector::{Add,GetOverHeadLength,Init} ExtendedKernelContext::GetExtendInfo FUNC_CHECK_SUPPORTED
    FUNC_GET_OP_SUPPORT_INFO FUNC_GET_SPECIFIC_INFO FUNC_OP_SELECT_FORMAT FieldInfo GetOpImplFunctions GetOpImplFunctionsV2
    GetRegisteredOpNum IMPL_OP_COUNTER IMPL_OP_COUNTER_NUMBER InitValueNum InitValueType InputExternLayout ItemFindStatus
    KernelContext::{GetComputeNodeExtend,GetContext,GetInput,GetInputPointer,GetInputStrPointer,GetInputValue,
    GetKernelExtend,GetOutput,GetOutput2,GetOutputPointer,IsInlineSize,MutableInput,MutableInputPointer}
    KernelExtendInfo::* OP_IMPL_MAIN_VERSION OpAICoreDef::{GetCheckSupport,GetOpSelectFormat,GetOpSpecInfo,GetOpSupportInfo,
    GetParamGeneralize,GetTiling} OpCheckFuncHelper OpDef::{GetInferDataType,GetInferShape,GetInferShapeRange}
    OpImplKernelRegistry OpImplRegistry::* OpImplRegistryBase::* StructSizeInfoBase::* TensorAddress TensorVersion
    Tensor::{CreateFollowing,GetTensorData,GetVersion,MutableTensorData,SetPlacement,SetSize}
    TilingData::{AppendConvertedAttrVal,CalcTotalSize,CreateCap,Init} TilingDataConstructor TilingDataStructBase::*
    TilingDef::{CheckAlignAndGenPlaceHolder,GetFieldInfo} TypedContinuousVector::MutableData TypesToImpl TypesToImplV2`,
  'for graphs, which there are none of': `ImplyType ListTensorType Promote::Syms StringHead TensorDesc::{GetConstData,
    GetExpandDimsRule,SetConstData,SetExpandDimsRule,SetReuseInputIndex} TensorType::* Tensor::{GetExpandDimsRule,
    GetOriginShapeDim,GetOriginShapeDimNum,ResetData,SetExpandDimsRule,SetOriginShapeDim,SetOriginShapeDimNum,SetShapeDim,
    SetShapeDimNum}`,
  'for the tools that show errors': `Context ErrorItem ErrorManager::{GenWorkStreamIdBySessionGraph,GenWorkStreamIdDefault,
    GenWorkStreamIdWithSessionIdGraphId,GetErrorManagerContext,GetMstuneCompileFailedMsg,GetRawErrorMessages,
    OutputErrMessage,OutputMessage,ParseJsonFormatString,ReportErrMsgWithoutTpl,ReportMstuneCompileFailedMsg,
    SetErrorContext,SetRawErrorMessages,SetStage} ErrorMsgMode FormatErrorMessage ReportInnerError TrimPath`,
  'tensors with strides reach no tiling function of Atlas A2': 'TensorV2::*',
  'an operator runs on one device here': 'HcclServerType OpDef::MC2 OpMC2Def::*',
  'threads of vector cores, which Atlas A2 does not have':
    'TilingContext::{GetSimtBlockDim,GetSimtGridDim,SetSimtBlockDim,SetSimtGridDim}',
}
