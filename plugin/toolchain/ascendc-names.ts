const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

/** Names that the documentation and the headers of Ascend C have for Atlas A2 (Ascend 910B). */
export const onAtlasA2 =
  words(`ASCENDC_TPL_ARGS_DECL ASCENDC_TPL_ARGS_SEL ASCENDC_TPL_BOOL_DECL ASCENDC_TPL_BOOL_SEL ASCENDC_TPL_DATATYPE_DECL
    ASCENDC_TPL_DATATYPE_SEL ASCENDC_TPL_DETERMINISTIC_SEL ASCENDC_TPL_DTYPE_DECL ASCENDC_TPL_DTYPE_SEL
    ASCENDC_TPL_FORMAT_DECL ASCENDC_TPL_FORMAT_SEL ASCENDC_TPL_KERNEL_TYPE_DECL ASCENDC_TPL_KERNEL_TYPE_SEL
    ASCENDC_TPL_SEL ASCENDC_TPL_SEL_PARAM ASCENDC_TPL_SHARED_KERNEL_TYPE_SEL ASCENDC_TPL_TILING_STRUCT_SEL
    ASCENDC_TPL_UINT_DECL ASCENDC_TPL_UINT_SEL ASC_CPU_LOG ASC_CPU_LOG_DEBUG ASC_CPU_LOG_ERROR ASC_CPU_LOG_INFO
    ASC_CPU_LOG_WARNING Abs Acos Acosh Add AddAttr AddConfig AddDeqRelu AddInputTd AddOutputTd AddPlatformInfo
    AddRelu AddReluCast Adds AdjustSoftMaxRes AllGather AllReduce AllocEventID AllocMessage AllocTensor AlltoAll
    AlltoAllVParamExt And AntiQuantShapeInfo Arange ArithProgression AscendAntiQuant AscendDeQuantConfig
    AscendDeQuantParam AscendDeQuantPolicy AscendDequant AscendQuant AscendQuantConfig AscendQuantParam
    AscendQuantPolicy Asin Asinh AssignQueue AsyncGetTensorC Atan Atanh AtomicCAS AtomicDtype AtomicFAA AtomicOp
    AttrType AutoContiguous Axpy BEGIN_TILING_DATA_DEF BatchMatmulTiling BatchMode BatchNorm BatchOutMode BatchWrite
    BilinearInterpolation BinaryDefaultType BinaryRepeatParams BlockReduceMax BlockReduceMin BlockReduceSum Brcb
    BrcbRepeatParams BroadCast Broadcast BroadcastTiling Buf2Tensor BufferPool BuildKernelRunContext
    BuildTilingContext CO2Layout COPY_TILING_WITH_ARRAY COPY_TILING_WITH_STRUCT CacheConfig CalcTschNumBlocks Cast
    CastDeq CastDequant Ceil CeilDivision CheckLocalMemoryIA ClampMax ClampMin ClearBias Compare CompareScalar
    Compares CompletedEvent ComputeCost Concat ConfusionTranspose ContextBuilder Conv2dParams Conv2dTilling Conv3D
    Conv3DBackPropShape Conv3DBackpropFilter Conv3DBackpropInput Conv3DBpFilterCfg Conv3DBpFilterIntf
    Conv3DBpInputCfg Conv3DBpInputIntf Conv3DBpInputTiling Conv3DBpInputTilingBase Conv3DInputshape Conv3DL0Tiling
    Conv3DL1Tiling Conv3dBpFilterTiling Conv3dBpFilterTilingBase Conv3dCfg Conv3dConfig Conv3dIntf Conv3dIntfExt
    Conv3dParam Conv3dTiling Conv3dTilingBase ConvBL1ByPass ConvBpContext ConvBpType ConvCfgTypeID ConvConfig
    ConvDataType ConvFormat ConvL0PingPong ConvParam ConvType Coordinate Copy CopyRepeatParams CoreMemType Cos Cosh
    CountBitsCntSameAsSignBit CountLeadingZero Crd2Idx CreateCubeResGroup CreateTilingDataInstance CreateVecIndex
    CrossCoreSetFlag CrossCoreWaitFlag CubeFormat CubeResGroupHandle CumSum CumSumAlgorithm CumSumInfo
    DEVICE_IMPL_OP_OPTILING DataCacheCleanAndInvalid DataCachePreload DataCopy DataCopyCO12DstParams
    DataCopyEnhancedParams DataCopyExtParams DataCopyMVType DataCopyPad DataCopyPadExtParams DataCopyPadParams
    DataCopyParams DataFormat DataSyncBarrier DataType DataTypeForBinQuery DataTypeList DcciCacheLine DcciReadCache
    DcciWriteCache DeQue DecompressionMode DeepNorm DequantParams DequantType Destroy DestroyWithoutPipeAll
    DeviceOpImplRegister DeviceOpImplRegisterImpl Digamma DisableBias DisableDmaAtomic Div Dn2NzParams
    DoubleBufferValue DropOut DumpAccChkPoint DumpTensor Duplicate DynamicCompileStaticFlag DynamicFormatFlag
    DynamicRankSupportFlag DynamicShapeSupportFlag EXTERN_IMPL_BUFPOOL EnQue EnableBias EnableFallBack
    EnableL1BankConflictOptimise EnableMultiCoreSplitK EncodeTilingKey Erf Erfc Exp ExtendCfgInfo Extract FasterGelu
    FasterGeluV2 FetchEventID Fill Fixpipe FixpipeConfig FixpipeParamsArch3510 FixpipeParamsC310 FixpipeParamsV220
    Floor FmatrixMode Fmod FormatForBinQuery FormatList FormatMatchMode Frac FreeAllEvent FreeMessage FreeTensor
    FusedAbsSub FusedExpSub FusedMulAdd FusedMulAddRelu FusedMulsCast GEMV GET_TILING_DATA GET_TILING_DATA_MEMBER
    GET_TILING_DATA_PTR_WITH_STRUCT GET_TILING_DATA_WITH_STRUCT GET_TPL_TILING_KEY Gather GatherMask GatherMaskMode
    GatherMaskParams GatherRepeatParams Gatherb GeGLU Gelu GemmTiling GetAbsAddr GetAccVal GetArchVersion
    GetBaseAddr GetBaseK GetBaseM GetBaseN GetBasicConfig GetBatchC GetBatchNormNDTilingInfo GetBatchTensorC
    GetBitCount GetBlockIdx GetBlockNum GetBroadcastTilingInfo GetBufHandle GetBufLen GetBufferAddr GetCmpMask
    GetConcatTmpSize GetConfusionTransposeOnlyTilingInfo GetConfusionTransposeTilingInfo GetContext GetCoreMemBw
    GetCoreMemSize GetCoreNum GetCoreNumAic GetCoreNumAiv GetCoreNumVector GetCtrlSpr GetCurAddr GetCurBufSize
    GetCurNpuArch GetDataBlockSizeInBytes GetDataObj GetDataPtr GetDeepNormTilingInfo GetDesc GetDumpWorkSpacePtr
    GetEventId GetGMAddrAndCopyUB GetGlobalAddr GetGroupNormNDTilingInfo GetIBShareNormConfig GetICachePreloadStatus
    GetKfcWorkspace GetLayerNormGradBetaNDTilingInfo GetLayerNormGradNDTilingInfo GetLayerNormNDTilingInfo
    GetLayerNormNDTillingInfo GetLayout GetLength GetLibApiWorkSpaceSize GetMDLConfig GetMMConfig GetMatmulApiTiling
    GetMrgSortResult GetNormalConfig GetOffsetC GetPhyAddr GetPosition GetProgramCounter GetQueueEndAddress
    GetRankDim GetRankId GetReduceMaxMinCount GetReduceRepeatMaxMinSpr GetReduceRepeatSumSpr
    GetResCubeGroupWorkSpaceSize GetResGroupBarrierWorkSpaceSize GetRmsNormTilingInfo GetSFFValue GetSaturationFlag
    GetSaturationStrategy GetShapeInfo GetShapeSize GetSiluTmpSize GetSingleShape GetSocVersion GetSortLen
    GetSortOffset GetSortTmpSize GetSpecialMDLConfig GetStoreAtomicConfig GetSubBlockIdx GetSubBlockNum
    GetSwishTmpSize GetSysWorkSpacePtr GetSystemCycle GetTPipePtr GetTaskRatio GetTaskRation GetTensorC
    GetTensorCWithoutGm GetTensorCountInQue GetTiling GetTilingFunc GetUintDivMagicAndShift GetUserTag
    GetUserWorkspace GetVecRegLen GetVecTensor GetWindowsInAddr GetWindowsOutAddr GetWithOffset GetWorkspaceLen
    GlobalTensor GmAlloc GmFree GradSplitForceMode GroupBarrier GroupConvType GroupInfo GroupNorm HF32Mode
    HF32TransMode HasIdleBuffer HasTensorInQue HcclCMDType HcclDataType HcclGroup HcclReduceOp HcclServerConfig
    HcclServerType IBSet IBWait ICPU_RUN_KF ICPU_SET_TILING_KEY ICachePreLoad IgnoreContiguous InitBufHandle
    InitBufPool InitBuffer InitConstValue InitConstValueParams InitDetermineComputeWorkspace InitGlobalMemory
    InitKfcClient InitOutput InitShareBufEnd InitShareBufStart InitSocState InitSpmBuffer InitStartBufHandle
    InitStatic InitV2 InitValue IrInstanceNum IsBasicBlockInSoftMax IsRequired Iterate IterateAll IterateAllCPU
    IterateBatch IterateMode IterateNBatch IterateOrder KERNEL_TASK_TYPE KERNEL_TASK_TYPE_DEFAULT
    KernelRunContextHolder KfcWorkspace LaunchWithZeroEleOutputTensors LayerNorm LayerNormConfig LayerNormGrad
    LayerNormGradBeta LayerNormGradShapeInfo LayerNormPara LayoutMode LeakyRelu Lgamma ListBool ListFloat ListInt
    ListListInt ListTensorDesc LoadData LoadData2DMxParams LoadData2DParams LoadData2DParamsV2
    LoadData2dTransposeParams LoadData2dTransposeParamsV2 LoadData3DParamsV1 LoadData3DParamsV2
    LoadData3DParamsV2Pro LoadDataRepeatParam LoadDataRepeatParamWithStride LoadDataWithSparse LoadDataWithTranspose
    LoadImageToLocal LoadImageToLocalParams LoadTilingLibrary LocalMemAllocator LocalTensor Log Log10 Log2
    LogSoftMax LogSoftMaxTilingFunc MATMUL_POLICY MATMUL_POLICY_DEFAULT_OF MakeCoord MakeLayout MakeShape MakeStride
    MakeTensorTrait MarkStamp MaskMergeMode MaskSignal MatTilingType Matmul MatmulApiTiling MatmulApiTilingBase
    MatmulApiType MatmulCallBackFunc MatmulClient MatmulClientBase MatmulConfig MatmulConfigMode MatmulConfigParams
    MatmulImpl MatmulPolicy MatmulType MatrixMadType MatrixOffset MatrixTraverse Max Maxs Mc2CcTilingConfig Mean
    MeanParams MemRegisterAddr MetricsProfStart MetricsProfStop Min Mins Mmad MmadParams MmadWithSparse MnmAdjust
    MrgSort MrgSort4Info MrgSortSrcList Mul MulAddDst MulAddRelu MulCast Muls MultiCopyLoopInfo MultiCopyParams
    MultiCoreMatmulTiling MutableComputeNodeInfo Nd2NzParams Nd2NzParamsV2 NeedCheckSupportFlag NodeIoNum Normalize
    NormalizeConfig NormalizePara Not NotifyEvent NotifyNextBlock NumericLimits Nz2NdParamsFull OP_ADD OpAICPUDef
    OpAICoreConfig OpAICoreDef OpAttrDef OpDef OpHostCPUDef OpKernelLib OpMC2Def OpParamDef OpResCtx
    OpTilingRegistry OpkernelLib OutputShapeDependOnCompute OverrideStrategy Pad PadTilingFunc PairReduceSum
    ParamType PhiloxRandomParams PipeBarrier PlatformAscendC PlatformAscendCManager PlatformInfo PopStackBuffer
    PostFakeMsg PostMessage Power PrecisionReduceFlag PrintTimeStamp QuantizeParams QuantizePolicy
    REGISTER_NONE_TILING REGISTER_OP_AICORE_CONFIG REGISTER_TILING_DATA_CLASS REGISTER_TILING_DEFAULT
    REGISTER_TILING_FOR_TILINGKEY REGIST_CUBE_OBJ REGIST_MATMUL_OBJ ReGlu ReadGmByPassDCache ReadSpmBuffer
    Reciprocal ReduceAll ReduceAny ReduceDataBlock ReduceMax ReduceMean ReduceMin ReducePairElem ReducePattern
    ReduceProd ReduceRepeat ReduceScatter ReduceSum ReduceXorSum RegLayout ReinterpretCast ReleaseEventID Relu
    RepeatReduceSum ReserveLocalMemory ReservedSize ResetMask ResetPool RmsNorm Round RoundMode Rsqrt SatMode
    SaturationMode ScalarCast ScalarCountLeadingZero ScalarGetCountOfValue ScalarGetSFFValue ScalarList ScheduleType
    Select SelectWithBytesMask SetALayout SetAType SetAddrWithOffset SetAippFunctions SetAlgConfig SetAlignSplit
    SetAtomicAdd SetAtomicMax SetAtomicMin SetAtomicNone SetAtomicType SetBLayout SetBType SetBatchInfoForNormal
    SetBatchNum SetBias SetBiasType SetBufferLen SetBufferSpace SetCLayout SetCType SetCcTiling SetCcTilingV2
    SetCheckSupport SetCmpMask SetCommBlockNum SetCommEngine SetCtrlSpr SetCurAddr SetCurBufSize SetDebugMode
    SetDeqScale SetDequantType SetDoubleBuffer SetDumpWorkSpacePtr SetFixPipeConfig SetFixSplit SetFixpipeNz2ndFlag
    SetFixpipePreQuantFlag SetFlag SetFmatrix SetGlobalBuffer SetGradOutput SetGradOutputShape SetGradOutputType
    SetGroupName SetGroups SetHF32 SetHF32Mode SetHF32TransMode SetInferDataType SetInferShape SetInferShapeRange
    SetInput SetInputShape SetInputStartPosition SetInputType SetKernelMode SetL2CacheHint SetLayout
    SetLoadDataBoundary SetLoadDataPaddingValue SetLoadDataRepeat SetMMColumnMajor SetMMLayoutTransform
    SetMMRowMajor SetMadType SetMaskCount SetMaskNorm SetMatmulConfigParams SetNextTaskStart SetOpNameType
    SetOpSelectFormat SetOpSpecInfo SetOpSupportInfo SetOpType SetOrgInputShape SetOrgOutputShape SetOrgShape
    SetOrgWeightShape SetOutputPadding SetOutputType SetPadValue SetPadding SetParamGeneralize SetQuantScalar
    SetQuantVector SetQueueNum SetQuit SetReduceType SetSaturationFlag SetSaturationStrategy SetScaleAType
    SetScaleBType SetSelfDefineData SetShapeAddr SetShapeInfo SetSingleInputShape SetSingleOutputShape
    SetSingleRange SetSingleShape SetSingleWeightShape SetSkipBufferWindowCopy SetSkipLocalRankCopy SetSkipMsg
    SetSparse SetSparseIndex SetSplitK SetSplitRange SetStartPosition SetStepSize SetStoreAtomicConfig
    SetSubBlockIdx SetSysWorkSpace SetSysWorkSpacePtr SetSysWorkspace SetTail SetTensorA SetTensorB SetTiling
    SetTilingKey SetTraverse SetUserDefInfo SetUserTag SetVectorMask SetWeight SetWeightShape SetWeightType
    SetWorkspace ShapeInfo ShapeInfoParams ShiftLeft ShiftRight Sigmoid Sign Silu SimpleSoftMax Sin Sinh SliceInfo
    SocVersion SoftMax SoftMaxFlashTilingFunc SoftMaxFlashV2TilingFunc SoftMaxFlashV3TilingFunc
    SoftMaxGradTilingFunc SoftMaxParams SoftMaxShapeInfo SoftMaxTiling SoftMaxTilingFunc SoftmaxConfig SoftmaxFlash
    SoftmaxFlashV2 SoftmaxFlashV3 SoftmaxGrad SoftmaxGradFront SoftmaxMode Sort Sort32 SortConfig SortType Sqrt Sub
    SubRelu SubReluCast Sum SumParams SwiGLU Swish SyncAll SysTilingTempBufSize TBuf TBufPool TCubeTiling
    TILING_DATA_FIELD_DEF TILING_DATA_FIELD_DEF_ARR TILING_DATA_FIELD_DEF_STRUCT TILING_KEY_IS TILING_KEY_LIST TPipe
    TPosition TQue TQueBind TQueSync TRACE_START TRACE_STOP TSCM TagAttrDef TailPadZero Tan Tanh TensorDataType
    TensorDesc TensorTrait TilingPolicy TilingValueDw ToBfloat16 ToFloat TopK TopKConfig TopKInfo TopKMode TopKOrder
    TopKTilingFunc TransData TransDataConfig TransDataForScale TransDataParams TransDataTo5HD TransDataTo5HDParams
    Transpose TransposeParamsExt TransposeType Trap Trunc TscmInitBuffer TypeFromId UnPad UnPadTilingFunc
    UnaryRepeatParams UnknownShapeFormat UpdateKfcWorkspace VacantInQue ValueDepend VdeqInfo WaitEvent WaitFlag
    WaitGetTensorC WaitIterateAll WaitIterateBatch WaitPreBlock WaitPreTaskEnd WelfordFinalize WelfordFinalizeConfig
    WelfordFinalizePara WelfordUpdate WelfordUpdateConfig WelfordUpdateParam WholeReduceMax WholeReduceMin
    WholeReduceSum WriteGmByPassDCache WriteSpmBuffer Xor asc_dump asc_dump_cbuf asc_dump_gm asc_dump_l1buf
    asc_dump_reg asc_dump_ubuf asc_prof_start asc_prof_stop asc_time_stamp ascendc_assert assert`)

/** Names that Ascend C has for other devices only. */
export const onOtherDevices =
  words(`AbsSub AddC AddrReg AllocCrossSyncId AllocMutexID AllocTscmBufId AlltoAllV AlltoAllvWrite Ands AntiQuantize
    AtomicAdd AtomicCas AtomicExch AtomicMax AtomicMin BitwiseAnd BitwiseNot BitwiseOr BitwiseXor BroadCastVecToMM
    CastTrait Clamp ClearSpr Conv2D Coshape Cosize CreateAddrReg CreateMask DataCopyL1ToUB DataCopyMode DeInterleave
    Dequantize Divs ExpSub Fma GatherB Gemm GetConv2dTiling GetGemmTiling GetLayoutPattern GetNext GetQueueNum
    GetRuntimeUBSize GetScalarCacheMode GetSpr GetSsbufBaseAddr GetTQueHeadAddr GetUBSizeInBytes GetVecLen HighLowPart
    Histograms HistogramsBinType HistogramsType Hypot IndexOrder InterHcclGroupSync Interleave IsFinite IsInf IsNan
    LoadAlign LoadDataUnzip LoadDataWithStride LoadDist LoadUnAlign LoadUnAlignPre LoadUnzipIndex LocalMemBar
    LogicalAnd LogicalAnds LogicalNot LogicalOr LogicalOrs LogicalXor MakeCopy MakeFrameLayout MakeMemPtr MakeMmad
    MakePatternLayout MakeTensor MaskDist MaskGenWithRegTensor MaskPattern MaskReg MatmulWithScalePolicy MemType
    MmadMx MoveMask MrgSort4 MulDstAdd MulsCast NdDmaDci Neg Ors PairReduce PairReduceElem PhiloxRandom Prelu
    ProposalConcat ProposalExtract Quantize QueueBarrier RegTensor RegTrait ReleaseMutexID ResetCtrlSpr
    ResetLoopModePara Rint RoundControl RpSort16 Scatter SetAntiQuantScalar SetAntiQuantVector SetFixPipeAddr
    SetFixPipeClipRelu SetLoadDataRepeatWithStride SetLocalWorkspace SetLoopModePara SetScalarCacheMode
    SetTensorScaleA SetTensorScaleB ShiftLefts ShiftRights SinCos SplitMMatmulPolicy SplitNMatmulPolicy Squeeze
    StoreAlign StoreDist StoreMode StoreUnAlign StoreUnAlignPost SubC Subs Truncate UnPack UnalignRegForLoad
    UnalignRegForStore Unsqueeze UpdateMask VectorPadding ViewEngine Where asc_mark_stamp asc_vf_call`)

/** Headers of the library by folder, without their suffix; programs include them below `lib/` or `adv_api/`. */
export const libraryHeaders: Record<string, string> = {
  '': `kernel_api tiling_api`,
  activation: `geglu gelu kernel_operator_geglu_intf kernel_operator_gelu_intf kernel_operator_logsoftmax_intf
    kernel_operator_reglu_intf kernel_operator_sigmoid_intf kernel_operator_silu_intf
    kernel_operator_simple_softmax_intf kernel_operator_softmax_flash_intf kernel_operator_softmax_flashv2_intf
    kernel_operator_softmax_grad_intf kernel_operator_softmax_intf kernel_operator_swiglu_intf
    kernel_operator_swish_intf logsoftmax reglu sigmoid silu simplesoftmax softmax softmaxflash softmaxflashv2
    softmaxflashv3 softmaxgrad swiglu swish`,
  cube_group: `cube_group_intf`,
  filter: `dropout kernel_operator_dropout_intf`,
  hccl: `hccl`,
  index: `arithprogression kernel_operator_arithprogression_intf`,
  math: `acos acosh asin asinh atan atanh axpy bitwise_and bitwise_not bitwise_or bitwise_xor ceil clamp cos cosh cumsum
    digamma erf erfc exp floor fma fmod frac hypot is_finite is_inf is_nan kernel_operator_acos_intf
    kernel_operator_acosh_intf kernel_operator_asin_intf kernel_operator_asinh_intf kernel_operator_atan_intf
    kernel_operator_atanh_intf kernel_operator_axpy_intf kernel_operator_ceil_intf kernel_operator_clamp_intf
    kernel_operator_cos_intf kernel_operator_cosh_intf kernel_operator_digamma_intf kernel_operator_erf_intf
    kernel_operator_erfc_intf kernel_operator_exp_intf kernel_operator_floor_intf kernel_operator_frac_intf
    kernel_operator_lgamma_intf kernel_operator_log_intf kernel_operator_power_intf kernel_operator_round_intf
    kernel_operator_sign_intf kernel_operator_sin_intf kernel_operator_sinh_intf kernel_operator_tan_intf
    kernel_operator_tanh_intf kernel_operator_trunc_intf kernel_operator_xor_intf lgamma log logical_and
    logical_ands logical_not logical_or logical_ors logical_xor philox power rint round sign sin sincos sinh tan
    tanh trunc where xor`,
  matmul: `matmul matmul_client matmul_config matmul_intf tiling`,
  normalization: `batchnorm deepnorm groupnorm kernel_operator_batchnorm_intf kernel_operator_deepnorm_intf
    kernel_operator_layernorm_intf kernel_operator_layernormgrad_intf kernel_operator_layernormgradbeta_intf
    kernel_operator_rmsnorm_intf kernel_operator_welfordfinalize_intf layernorm layernormgrad layernormgradbeta
    normalize rmsnorm welfordfinalize`,
  pad: `broadcast kernel_operator_pad_intf pad`,
  quantization: `antiquantize ascend_antiquant ascend_dequant ascend_quant dequantize kernel_operator_antiquantize_intf
    kernel_operator_ascend_antiquant_intf kernel_operator_ascend_dequant_intf kernel_operator_ascend_quant_intf
    kernel_operator_dequantize_intf kernel_operator_quantize_intf quantize`,
  reduce: `kernel_operator_mean_intf kernel_operator_sum_intf mean reduce reduce_xor_sum sum`,
  select: `kernel_operator_selectwithbytesmask_intf selectwithbytesmask`,
  sort: `kernel_operator_topk_intf sort topk`,
  transpose: `confusion_transpose kernel_operator_confusion_transpose_intf transdata`,
}
