/**
 * The names of Ascend C that published operators for Atlas A2 use, by area. `Class::method` names a method, `*::method` one of
 * any class, everything else a function, type or macro.
 */
export const census: Record<string, string> = {
  'tensors, queues and system variables': `TPipe::InitBuffer TPipe::FetchEventID TPipe::AllocEventID TPipe::ReleaseEventID
    TPipe::Destroy TPipe::Reset TPipe::InitBufPool TQue::AllocTensor TQue::FreeTensor TQue::EnQue TQue::DeQue
    TQue::FreeAllEvent TQue::HasTensorInQue TBuf::Get TBuf::GetWithOffset LocalTensor::operator[] LocalTensor::GetValue
    LocalTensor::SetValue LocalTensor::ReinterpretCast LocalTensor::GetPhyAddr LocalTensor::GetSize LocalTensor::SetSize
    LocalTensor::SetShapeInfo GlobalTensor::SetGlobalBuffer GlobalTensor::operator[] GlobalTensor::GetValue
    GlobalTensor::SetValue GlobalTensor::GetPhyAddr GlobalTensor::SetL2CacheHint TQueBind TSCM TBufPool TQueSync
    ListTensorDesc TensorDesc GetBlockIdx GetBlockNum GetSubBlockIdx GetSubBlockNum GetTPipePtr GetTaskRation GetTaskRatio
    GetUserWorkspace SetSysWorkspace GetSysWorkSpacePtr GetDataBlockSizeInBytes GetSystemCycle ASSERT PRINTF printf
    DumpTensor Trap`,
  'data movement': `DataCopy DataCopyPad Copy InitOutput InitGlobalMemory Fill SetAtomicAdd SetAtomicMax
    SetAtomicMin SetAtomicNone DisableDmaAtomic DataCacheCleanAndInvalid DataCopyPadGm2UBImpl DataCopyUB2GMImpl`,
  'element-wise arithmetic, conversion and fill': `Add Sub Mul Div Max Min And Or FusedMulAdd MulAddDst Adds Muls Maxs Mins
    Axpy ShiftLeft ShiftRight Abs Exp Ln Sqrt Rsqrt Reciprocal Not Relu Cast Duplicate CreateVecIndex ArithProgression
    Arange Brcb SetDeqScale ToFloat ToBfloat16 ScalarCast`,
  'comparison, selection and gathering': 'Compare CompareScalar Compares Select GatherMask Gather',
  reductions: `ReduceSum ReduceMax ReduceMin WholeReduceSum WholeReduceMax WholeReduceMin ReduceRepeat BlockReduceSum
    BlockReduceMax ReduceDataBlock PairReduceSum ReducePairElem RepeatReduceSum GetAccVal GetReduceRepeatSumSpr
    GetReduceMaxMinCount GetReduceRepeatMaxMinSpr`,
  'layout and sorting': `TransDataTo5HD TransDataTo5HDImpl Transpose Sort32 MrgSort GetMrgSortResult MrgSort4 RpSort16
    ProposalConcat ProposalExtract`,
  'mask register': 'SetMaskCount SetMaskNorm SetVectorMask ResetMask',
  'inner names that kernels call': `AscendCUtils::SetMask AscendCUtils::GetBitSize AscendCUtils::GetC0Count
    AscendCUtils::GetRsvdCnt AlignUp DivCeil CeilDiv sqrt PopStackBuffer SoftMaxFlashV2TilingFuncImpl
    SelectWithBytesMask GetScalarBitcodeValue`,
  synchronisation: `SetFlag WaitFlag PipeBarrier SyncAll CrossCoreSetFlag CrossCoreWaitFlag IBSet IBWait NotifyEvent
    WaitEvent WaitPreTaskEnd SetNextTaskStart`,
  'library: mathematics': `Sigmoid Tanh Power Log Log2 Log10 Sign Sin Cos Tan Asin Acos Atan Sinh Cosh Asinh Erf Erfc Ceil
    Floor Trunc Round Xor CumSum`,
  'library: tensors': `BroadCast Broadcast Sum Mean SoftMax SoftmaxGrad SoftmaxFlashV2 AscendDequant Sort Concat Extract`,
  'library: sizes and tilings on the host': `GetSigmoidMaxMinTmpSize GetReduceSumMaxMinTmpSize GetTanhMaxMinTmpSize
    SoftMaxFlashV2TilingFunc SoftMaxTilingFunc SoftMaxGradTilingFunc GetNormalizeMaxMinTmpSize
    GetWelfordFinalizeMaxMinTmpSize GetWelfordUpdateMaxMinTmpSize GetReduceMaxMaxMinTmpSize GetLogTmpBufferFactorSize
    GetLayerNormMaxMinTmpSize GetCosMaxMinTmpSize GetSoftMaxGradMaxTmpSize GetSoftMaxMaxTmpSize GetSoftMaxGradMinTmpSize
    GetSoftMaxMinTmpSize GetSignMaxMinTmpSize GetSoftMaxFlashV2MinTmpSize GetBroadCastMaxMinTmpSize
    GetLayerNormNDTilingInfo GetPowerMaxMinTmpSize GetMeanMaxMinTmpSize SoftMaxTiling`,
  'cube core': `InitConstValue Mmad LoadData LoadDataWithTranspose Fixpipe SetFixPipeConfig SetFixpipeNz2ndFlag SetFmatrix
    SetLoadDataPaddingValue SetHF32Mode SetHF32TransMode MmadImpl LoadDataImpl`,
  'cube core: library': `Matmul REGIST_MATMUL_OBJ Matmul::SetTensorA Matmul::SetTensorB Matmul::SetBias Matmul::IterateAll
    Matmul::Iterate Matmul::GetTensorC Matmul::SetOrgShape Matmul::SetSingleShape Matmul::SetTail Matmul::SetSubBlockIdx
    Matmul::End Matmul::WaitIterateAll Matmul::SetHF32 Matmul::SetQuantVector Matmul::SetQuantScalar
    Matmul::SetUserDefInfo Matmul::SetSelfDefineData Matmul::DisableBias Matmul::ClearBias Matmul::SetWorkspace
    Matmul::IterateBatch GetNormalConfig GetMDLConfig GetMMConfig GetMatmulApiTiling`,
  'cube core: tiling on the host': `TCubeTiling MatmulApiTiling MultiCoreMatmulTiling *::SetAType *::SetBType *::SetCType
    *::SetBiasType *::SetShape *::SetOrgShape *::SetBias *::SetBufferSpace *::SetFixSplit *::GetTiling`,
  'kernel entry': `GM_ADDR TILING_KEY_IS TILING_KEY_VAR GET_TILING_DATA GET_TILING_DATA_WITH_STRUCT
    GET_TILING_DATA_PTR_WITH_STRUCT COPY_TILING_WITH_STRUCT COPY_TILING_WITH_ARRAY REGISTER_TILING_DEFAULT
    REGISTER_TILING_FOR_TILINGKEY KERNEL_TASK_TYPE_DEFAULT KERNEL_TASK_TYPE ASCEND_IS_AIC ASCEND_IS_AIV bfloat16_t`,
  'host: tiling context': `TilingContext::SetBlockDim TilingContext::GetRawTilingData TilingContext::GetPlatformInfo
    TilingContext::GetWorkspaceSizes TilingContext::GetInputDesc TilingContext::SetTilingKey TilingContext::GetInputShape
    TilingContext::GetOutputShape TilingContext::GetCompileInfo TilingContext::GetDynamicInputTensor TilingContext::GetAttrs
    TilingContext::GetNodeName TilingContext::GetInputTensor TilingContext::GetOptionalInputShape
    TilingContext::GetOptionalInputDesc TilingContext::GetOptionalInputTensor TilingContext::GetNodeType
    TilingContext::GetOutputDesc TilingContext::GetDeterministic TilingContext::GetDynamicInputShape
    TilingContext::GetDynamicInputDesc TilingContext::GetComputeNodeInputNum TilingContext::SetScheduleMode
    TilingContext::GetComputeNodeInfo TilingContext::GetComputeNodeOutputNum TilingContext::GetTilingData
    TilingContext::SetLocalMemorySize TilingContext::SetNeedAtomic TilingContext::GetWorkspaceNum
    TilingContext::GetIrInputInstanceInfo TilingParseContext::GetCompiledJson TilingParseContext::GetCompiledInfo`,
  'host: shapes, descriptors, attributes and the tiling buffer': `TilingData::GetData TilingData::SetDataSize
    TilingData::GetCapacity TilingData::GetDataSize TilingDef::SaveToBuffer TilingDef::GetDataSize
    StorageShape::GetStorageShape StorageShape::GetOriginShape CompileTimeTensorDesc::GetDataType
    CompileTimeTensorDesc::GetStorageFormat CompileTimeTensorDesc::GetOriginFormat Shape::GetShapeSize Shape::GetDim
    Shape::GetDimNum Shape::SetDim Shape::SetDimNum Shape::AppendDim Shape::IsScalar RuntimeAttrs::GetAttrPointer
    RuntimeAttrs::GetFloat RuntimeAttrs::GetInt RuntimeAttrs::GetBool RuntimeAttrs::GetStr RuntimeAttrs::GetListInt
    RuntimeAttrs::GetAttrNum ContinuousVector::GetData ContinuousVector::GetSize AnchorInstanceInfo::GetInstanceNum
    ComputeNodeInfo::GetInputInstanceInfo Tensor::GetData Tensor::GetSize TypedContinuousVector InferShapeContext
    InferDataTypeContext`,
  'host: platform': `PlatformAscendC::GetCoreMemSize PlatformAscendC::GetCoreNumAiv PlatformAscendC::GetCoreNum
    PlatformAscendC::GetSocVersion PlatformAscendC::GetCoreNumAic PlatformAscendC::GetLibApiWorkSpaceSize
    PlatformAscendCManager::GetInstance PlatFormInfos::GetLocalMemSize PlatFormInfos::GetPlatformRes CoreMemType SocVersion
    LocalMemType`,
  'host: operator definition': `OpAICoreDef::AddConfig OpDef::AICore OpParamDef::ParamType OpDef::Input OpParamDef::Format
    OpParamDef::DataType OpDef::Output OpParamDef::UnknownShapeFormat OpParamDef::AutoContiguous OpAICoreDef::SetTiling
    OpDef::Attr OpAttrDef::AttrType OpAttrDef::Int OpAttrDef::Float OpDef::SetInferShape OpAttrDef::Bool
    OpDef::SetInferDataType OpAICoreConfig::DynamicCompileStaticFlag OpAICoreConfig::DynamicRankSupportFlag
    OpAICoreConfig::DynamicShapeSupportFlag OpAttrDef::String OpParamDef::Scalar OpAICoreConfig::DynamicFormatFlag
    OpParamDef::ScalarList OpAICoreConfig::NeedCheckSupportFlag OpAttrDef::ListInt OpAICoreConfig::PrecisionReduceFlag
    OpAICoreConfig::ExtendCfgInfo OpParamDef::ValueDepend OpAICoreDef::SetCheckSupport OpParamDef::InitValue
    OpParamDef::FormatList OpParamDef::Version OpParamDef::DataTypeList OpAttrDef::ListBool OpParamDef::IgnoreContiguous`,
  'host: registration and macros': `OP_ADD BEGIN_TILING_DATA_DEF END_TILING_DATA_DEF REGISTER_TILING_DATA_CLASS
    TILING_DATA_FIELD_DEF TILING_DATA_FIELD_DEF_ARR TILING_DATA_FIELD_DEF_STRUCT IMPL_OP_OPTILING IMPL_OP_INFERSHAPE
    OP_LOGD OP_LOGI OP_LOGW OP_LOGE OPS_CHECK_NULL_WITH_CONTEXT OP_CHECK_NULL_WITH_CONTEXT OP_TILING_CHECK OP_CHECK_IF
    VECTOR_INNER_ERR_REPORT_TILIING CUBE_INNER_ERR_REPORT REGISTER_TILING_TEMPLATE REGISTER_OPS_TILING_TEMPLATE
    GET_TPL_TILING_KEY ASCENDC_TPL_SEL_PARAM TilingBaseClass OpImplRegisterV2::Tiling OpImplRegisterV2::TilingParse
    OpImplRegisterV2::InferShape`,
  'host: graph': `DataType Format GetSizeByDataType TypeUtils::GetDataTypeLength TypeUtils::DataTypeToSerialString
    TypeUtils::FormatToSerialString TypeUtils::SerialStringToFormat TypeUtils::SerialStringToDataType AscendString
    AscendString::Hash Operator::GetInputDesc Operator::GetOutputDesc Operator::UpdateOutputDesc Operator::GetAttr
    Operator::SetAttr TensorDesc::GetShape TensorDesc::SetShape TensorDesc::GetDataType TensorDesc::SetDataType
    TensorDesc::GetFormat GetPrimaryFormat GetSubFormat HasC0Format GetC0Value GetFormatFromSub`,
  'host: secure functions': `memcpy_s memmove_s memset_s strcpy_s strncpy_s strcat_s strncat_s sprintf_s snprintf_s
    vsprintf_s vsnprintf_s`,
  'host: what graphs register': `OpImplRegisterV2::PrivateAttr OpImplRegisterV2::GenSimplifiedKey
    OpImplRegisterV2::InferOutDataTypeSameWithFirstInput OpImplRegisterV2::HostInputs OpImplRegisterV2::InferFormat
    OpImplRegisterV2::CheckSupport OpImplRegisterV2::OpSelectFormat OpImplRegisterV2::NullableOutputs
    OpImplRegisterV2::OutputShapeDependOnCompute OpAICoreDef::SetParamGeneralize OpDef::AICPU OpDef::HostCPU OpDef::MC2
    ExpandDimsType::Expand RuntimeAttrs::GetListListInt ContinuousVectorVector TilingContext::GetInputOffset
    InferShapeRangeContext::GetOptionalInputShapeRange PlatFormInfos::GetCoreNumByType PlatFormInfos::GetLocalMemBw`,
}
