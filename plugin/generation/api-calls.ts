const extremeWork =
  'work has at least count / 32 elements (float) or count / 64 (half), rounded up to 32 bytes; with calIndex twice that and 64 bytes more are enough'

/**
 * A function or class of everyday use: what it does in a line, and a call that compiles. Signatures and legal types are not
 * repeated here: they are read from the headers.
 */
export interface ApiCall {
  /** as kernels write it; `TQue::EnQue` is a method */
  name: string
  meaning: string
  call: string
  /** alignment, ranges, ordering: what the compiler does not see */
  note?: string
  /** legal element types, where the headers say them in words; null: the call depends on none */
  types?: readonly string[] | null
  /** types that tests try where every type is legal */
  tries?: readonly string[]
}

type Row = readonly [name: string, meaning: string, call: string, more?: Pick<ApiCall, 'note' | 'types' | 'tries'>]

const calls = (rows: readonly Row[]): ApiCall[] =>
  rows.map(([name, meaning, call, more]) => ({ name, meaning, call, ...more }))

/** What the calls of kernels are made of; the text is part of the card. */
export const surroundings = {
  text: 'In these calls T is the element type; `x` and `z` are `LocalTensor<T>` sources, `y` the destination, a `LocalTensor<U>` (U is T unless pairs source->destination are listed); `mask` and `tmp` are `LocalTensor<uint8_t>`, `index` is `LocalTensor<int32_t>`, `offset` `LocalTensor<uint32_t>`, `work` `LocalTensor<T>`; `xGm` and `yGm` are `GlobalTensor<T>`; `scalar` is a T, `count` a `uint32_t` number of elements, `bytes` a `uint32_t`, `pipe` a `TPipe*`. All names are in namespace AscendC, local tensors start at multiples of 32 bytes.',
  code: `  AscendC::LocalTensor<T> x, z, work;
  AscendC::LocalTensor<U> y;
  AscendC::LocalTensor<uint8_t> mask, tmp;
  AscendC::LocalTensor<int32_t> index;
  AscendC::LocalTensor<uint32_t> offset;
  AscendC::GlobalTensor<T> xGm, yGm;
  AscendC::TPipe* pipe = AscendC::GetTPipePtr();
  T scalar = T();
  uint32_t count = 256, bytes = 512;
`,
}

const none = { types: null }
const only = (...types: string[]) => ({ types })
const any = (...tries: string[]) => ({ types: null, tries })
const anyElement = ['half', 'bfloat16_t', 'float', 'int8_t', 'uint8_t', 'int16_t', 'int32_t', 'int64_t']
const moved = 'repeats and strides: blocks of 32 bytes; a repeat is 256 bytes'
const library = 'the temporary buffer may be left out: the library then takes what TPipe has left'

/** By what they are for. */
export const families = {
  memory: calls([
    [
      'GlobalTensor::SetGlobalBuffer',
      'names a range of global memory, in elements',
      'xGm.SetGlobalBuffer((__gm__ T*)nullptr, count);',
      any('half', 'float', 'int32_t'),
    ],
    [
      'GlobalTensor::GetValue',
      'one element of global memory, by the scalar unit: slow',
      'T value = xGm.GetValue(0); (void)value;',
      any('half', 'float', 'int32_t'),
    ],
    [
      'GlobalTensor::SetValue',
      'writes one element of global memory, by the scalar unit: slow',
      'yGm.SetValue(0, scalar);',
      any('half', 'float', 'int32_t'),
    ],
    [
      'LocalTensor::GetValue',
      'one element of local memory',
      'T value = x.GetValue(0); (void)value;',
      {
        ...any('half', 'float', 'int32_t'),
        note: 'of what a vector instruction has written: SetFlag and WaitFlag<HardEvent::V_S> before it',
      },
    ],
    [
      'LocalTensor::SetValue',
      'writes one element of local memory',
      'x.SetValue(0, scalar);',
      {
        ...any('half', 'float', 'int32_t'),
        note: 'SetFlag and WaitFlag<HardEvent::S_V> before a vector instruction reads it',
      },
    ],
    [
      'LocalTensor::ReinterpretCast',
      'the same memory as elements of another type',
      'AscendC::LocalTensor<uint32_t> bits = x.template ReinterpretCast<uint32_t>(); (void)bits;',
      any('float', 'int32_t'),
    ],
    [
      'LocalTensor::operator[]',
      'the rest of a tensor from an element on',
      'AscendC::LocalTensor<T> rest = x[count]; (void)rest;',
      { ...any('half', 'float'), note: 'vector instructions want offsets of whole blocks of 32 bytes' },
    ],
    ['LocalTensor::GetSize', 'number of elements', 'uint32_t size = x.GetSize(); (void)size;', any('half')],
    [
      'TBuf::Get',
      'local memory without a queue, for intermediate results',
      'AscendC::TBuf<AscendC::TPosition::VECCALC> buffer; pipe->InitBuffer(buffer, bytes); AscendC::LocalTensor<T> t = buffer.template Get<T>(); (void)t;',
      any('half', 'float'),
    ],
  ]),
  queue: calls([
    [
      'TPipe::InitBuffer',
      'local memory for a queue: number of buffers (2 overlaps copies with computing) and bytes of each, a multiple of 32',
      'AscendC::TQue<AscendC::TPosition::VECIN, 2> queue; pipe->InitBuffer(queue, 2, bytes);',
      none,
    ],
    [
      'TQue::AllocTensor',
      'a free buffer of a queue; waits until one is',
      'AscendC::TQue<AscendC::TPosition::VECIN, 2> queue; AscendC::LocalTensor<T> t = queue.template AllocTensor<T>(); (void)t;',
      any('half', 'float'),
    ],
    [
      'TQue::EnQue',
      'hands a filled buffer on to the next pipe',
      'AscendC::TQue<AscendC::TPosition::VECIN, 2> queue; AscendC::LocalTensor<T> t = queue.template AllocTensor<T>(); queue.EnQue(t);',
      any('half'),
    ],
    [
      'TQue::DeQue',
      'the oldest buffer that was handed on; waits for the pipe that fills it',
      'AscendC::TQue<AscendC::TPosition::VECOUT, 2> queue; AscendC::LocalTensor<T> t = queue.template DeQue<T>(); (void)t;',
      any('half', 'float'),
    ],
    [
      'TQue::FreeTensor',
      'gives a buffer back to its queue',
      'AscendC::TQue<AscendC::TPosition::VECIN, 2> queue; AscendC::LocalTensor<T> t = queue.template DeQue<T>(); queue.FreeTensor(t);',
      any('half'),
    ],
  ]),
  copy: calls([
    [
      'DataCopy',
      'global to local memory, count elements',
      'DataCopy(x, xGm, count);',
      { types: null, tries: anyElement, note: 'count * sizeof(T) is a multiple of 32 bytes' },
    ],
    [
      'DataCopy',
      'local to global memory, count elements',
      'DataCopy(yGm, x, count);',
      { types: null, tries: anyElement, note: 'count * sizeof(T) is a multiple of 32 bytes' },
    ],
    [
      'DataCopy',
      'several runs at a distance: number of runs, length and gaps in blocks of 32 bytes',
      'DataCopy(x, xGm, AscendC::DataCopyParams{4, 2, 8, 0});',
      { types: null, tries: anyElement, note: 'blockCount, blockLen, srcGap, dstGap' },
    ],
    [
      'DataCopyPad',
      'global to local memory, any number of bytes; the rest of the last block is filled',
      'DataCopyPad(x, xGm, AscendC::DataCopyExtParams{1, bytes, 0, 0, 0}, AscendC::DataCopyPadExtParams<T>{false, 0, 0, 0});',
      {
        types: null,
        tries: anyElement,
        note: 'DataCopyExtParams: blockCount, blockLen in bytes, srcStride (bytes between runs in global memory), dstStride (blocks of 32 bytes), 0',
      },
    ],
    [
      'DataCopyPad',
      'local to global memory, exactly as many bytes as said',
      'DataCopyPad(yGm, x, AscendC::DataCopyExtParams{1, bytes, 0, 0, 0});',
      { types: null, tries: anyElement, note: 'srcStride in blocks of 32 bytes, dstStride in bytes' },
    ],
    [
      'Copy',
      'local to local memory by the vector pipe',
      'Copy(y, x, (uint64_t)64, 1, AscendC::CopyRepeatParams{1, 1, 8, 8});',
      { note: moved },
    ],
    ['Fill', 'fills global memory with a value', 'AscendC::Fill(yGm, (uint64_t)count, scalar);'],
    [
      'SetAtomicAdd',
      'stores to global memory that follow add to what is there',
      'AscendC::SetAtomicAdd<T>();',
      {
        ...only('half', 'bfloat16_t', 'float', 'int16_t', 'int32_t', 'int8_t'),
        note: 'the memory needs a value before; end with SetAtomicNone',
      },
    ],
    [
      'SetAtomicMax',
      'stores that follow keep the larger value',
      'AscendC::SetAtomicMax<T>();',
      only('half', 'bfloat16_t', 'float', 'int16_t', 'int32_t', 'int8_t'),
    ],
    [
      'SetAtomicMin',
      'stores that follow keep the smaller value',
      'AscendC::SetAtomicMin<T>();',
      only('half', 'bfloat16_t', 'float', 'int16_t', 'int32_t', 'int8_t'),
    ],
    ['SetAtomicNone', 'stores overwrite again', 'AscendC::SetAtomicNone();', none],
    [
      'DataCacheCleanAndInvalid',
      'writes what the scalar unit has stored back to global memory, and reads it anew',
      'AscendC::DataCacheCleanAndInvalid<T, AscendC::CacheLine::SINGLE_CACHE_LINE>(xGm);',
      any('float', 'int32_t'),
    ],
  ]),
  sync: calls([
    [
      'SetFlag',
      'raises a flag from one pipe to another: MTE2_V, V_MTE3, V_S, S_V, MTE3_MTE2, ...',
      'AscendC::SetFlag<AscendC::HardEvent::V_S>(EVENT_ID0);',
      { ...none, note: 'each flag that is raised has to be awaited once, with the same id' },
    ],
    ['WaitFlag', 'waits for a flag', 'AscendC::WaitFlag<AscendC::HardEvent::V_S>(EVENT_ID0);', none],
    [
      'TPipe::FetchEventID',
      'an event id that no queue uses',
      'event_t id = static_cast<event_t>(pipe->FetchEventID(AscendC::HardEvent::V_S)); AscendC::SetFlag<AscendC::HardEvent::V_S>(id); AscendC::WaitFlag<AscendC::HardEvent::V_S>(id);',
      none,
    ],
    [
      'PipeBarrier',
      'what was issued to a pipe ends before what follows begins',
      'AscendC::PipeBarrier<PIPE_V>();',
      { ...none, note: 'PIPE_ALL orders all pipes, and costs as much' },
    ],
    [
      'SyncAll',
      'all cores wait for each other',
      'AscendC::SyncAll();',
      {
        ...none,
        note: 'every core has to come here equally often; vector kernels are of KERNEL_TYPE_MIX_AIV_1_0 then, and the host asks for GetLibApiWorkSpaceSize bytes of workspace',
      },
    ],
    [
      'CrossCoreSetFlag',
      'from cube to vector cores of a group, or back',
      'AscendC::CrossCoreSetFlag<0x2, PIPE_MTE3>(0);',
      none,
    ],
    ['CrossCoreWaitFlag', 'waits for that', 'AscendC::CrossCoreWaitFlag(0);', none],
  ]),
  system: calls([
    ['GetBlockIdx', 'number of this core, from 0', 'int64_t core = AscendC::GetBlockIdx(); (void)core;', none],
    [
      'GetBlockNum',
      'how many cores the host has asked for',
      'int64_t cores = AscendC::GetBlockNum(); (void)cores;',
      none,
    ],
    [
      'GetUserWorkspace',
      "the kernel's part of the workspace",
      'GM_ADDR own = AscendC::GetUserWorkspace(nullptr); (void)own;',
      none,
    ],
    ['AlignUp', 'rounds up to a multiple', 'uint32_t up = AscendC::AlignUp(count, 32); (void)up;', none],
    ['SetMaskNorm', 'vector instructions take their mask by repeat', 'AscendC::SetMaskNorm();', none],
    ['ResetMask', 'all lanes take part again', 'AscendC::ResetMask();', none],
  ]),
  list: calls([
    [
      'ListTensorDesc',
      'the list that an argument of kind DYNAMIC is',
      'AscendC::ListTensorDesc list((__gm__ void*)nullptr); uint32_t length = list.GetSize(); (void)length;',
      none,
    ],
    [
      'ListTensorDesc::GetDataPtr',
      'address of one tensor of a list',
      'AscendC::ListTensorDesc list((__gm__ void*)nullptr); xGm.SetGlobalBuffer(list.template GetDataPtr<T>(0));',
      any('half', 'float', 'int32_t'),
    ],
    [
      'ListTensorDesc::GetDesc',
      'rank and extents of one tensor of a list',
      'AscendC::ListTensorDesc list((__gm__ void*)nullptr); uint64_t extents[8]; AscendC::TensorDesc<T> desc; desc.SetShapeAddr(extents); list.GetDesc(desc, 0); uint64_t rank = desc.GetDim(); (void)rank;',
      any('half', 'float'),
    ],
  ]),
  arithmetic: calls([
    ['Add', 'y = x + z', 'Add(y, x, z, count);'],
    ['Sub', 'y = x - z', 'Sub(y, x, z, count);'],
    ['Mul', 'y = x * z', 'Mul(y, x, z, count);'],
    ['Div', 'y = x / z', 'Div(y, x, z, count);'],
    ['Max', 'the larger one', 'Max(y, x, z, count);'],
    ['Min', 'the smaller one', 'Min(y, x, z, count);'],
    ['MulAddDst', 'y = x * z + y', 'MulAddDst(y, x, z, count);', { types: ['half', 'float', 'half->float'] }],
    ['FusedMulAdd', 'y = x * y + z', 'FusedMulAdd(y, x, z, count);'],
    ['AddRelu', 'y = max(x + z, 0)', 'AddRelu(y, x, z, count);'],
    ['SubRelu', 'y = max(x - z, 0)', 'SubRelu(y, x, z, count);'],
    [
      'Add',
      'y = x + z by repeats: mask lanes, number of repeats, strides in blocks of 32 bytes',
      'Add(y, x, z, (uint64_t)64, 4, AscendC::BinaryRepeatParams{1, 1, 1, 8, 8, 8});',
      { note: 'a repeat stride of 0 uses one row for all repeats' },
    ],
  ]),
  scalar: calls([
    [
      'Adds',
      'y = x + scalar',
      'Adds(y, x, scalar, (int32_t)count);',
      { note: 'the scalar has the type of the tensor; it is no tensor' },
    ],
    [
      'Muls',
      'y = x * scalar',
      'Muls(y, x, scalar, (int32_t)count);',
      { note: 'the scalar has the type of the tensor; there is no Subs or Divs: add -s, multiply by 1 / s' },
    ],
    ['Maxs', 'the larger of x and scalar', 'Maxs(y, x, scalar, (int32_t)count);'],
    ['Mins', 'the smaller of x and scalar', 'Mins(y, x, scalar, (int32_t)count);'],
    ['LeakyRelu', 'x where x >= 0, else scalar * x', 'LeakyRelu(y, x, scalar, (int32_t)count);'],
    ['Axpy', 'y = scalar * x + y', 'Axpy(y, x, scalar, (int32_t)count);', { types: ['half', 'float', 'half->float'] }],
    ['Duplicate', 'fills with a scalar', 'Duplicate(y, scalar, (int32_t)count);'],
    ['ShiftLeft', 'bits to the left', 'ShiftLeft(y, x, scalar, (int32_t)count);'],
    ['ShiftRight', 'bits to the right', 'ShiftRight(y, x, scalar, (int32_t)count);'],
  ]),
  unary: calls([
    ['Abs', 'y = |x|', 'Abs(y, x, (int32_t)count);'],
    ['Exp', 'y = e^x', 'Exp(y, x, (int32_t)count);'],
    ['Ln', 'y = ln(x)', 'Ln(y, x, (int32_t)count);'],
    ['Sqrt', 'y = sqrt(x)', 'Sqrt(y, x, (int32_t)count);'],
    [
      'Rsqrt',
      'y = 1 / sqrt(x), by a table: good to 3 digits',
      'Rsqrt(y, x, (int32_t)count);',
      { note: 'for full precision: Sqrt, then Div' },
    ],
    [
      'Reciprocal',
      'y = 1 / x, by a table: good to 3 digits',
      'Reciprocal(y, x, (int32_t)count);',
      { note: 'for full precision: Duplicate 1, then Div' },
    ],
    ['Relu', 'y = max(x, 0)', 'Relu(y, x, (int32_t)count);'],
  ]),
  logic: calls([
    ['And', 'bits in both', 'And(y, x, z, (int32_t)count);'],
    ['Or', 'bits in either', 'Or(y, x, z, (int32_t)count);'],
    ['Not', 'the other bits', 'Not(y, x, (int32_t)count);'],
  ]),
  compare: calls([
    [
      'Compare',
      'a bit for each element: LT, GT, EQ, LE, GE, NE',
      'Compare(mask, x, z, AscendC::CMPMODE::LT, count);',
      { types: ['half', 'float'], note: 'count * sizeof(T) is a multiple of 256 bytes; int32_t: EQ alone' },
    ],
    [
      'CompareScalar',
      'the same with a scalar',
      'CompareScalar(mask, x, scalar, AscendC::CMPMODE::GT, count);',
      { types: ['half', 'float'], note: 'count * sizeof(T) is a multiple of 256 bytes' },
    ],
    [
      'Select',
      'x where the bit is set, else z',
      'Select(y, mask, x, z, AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE, count);',
      { types: ['half', 'float'], note: 'uses the upper 8 KiB of UB' },
    ],
    [
      'Select',
      'x where the bit is set, else the scalar',
      'Select(y, mask, x, scalar, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, count);',
      { types: ['half', 'float'], note: 'uses the upper 8 KiB of UB' },
    ],
  ]),
  cast: calls([
    [
      'Cast',
      'converts elements: CAST_NONE where nothing is lost, else CAST_RINT (to nearest even), CAST_FLOOR, CAST_CEIL, CAST_ROUND, CAST_TRUNC',
      'Cast(y, x, AscendC::RoundMode::CAST_NONE, count);',
      {
        types: [
          'half->float',
          'bfloat16_t->float',
          'int8_t->half',
          'uint8_t->half',
          'int16_t->float',
          'int32_t->int64_t',
        ],
        note: 'no overlap of y and x where elements become wider',
      },
    ],
    [
      'Cast',
      'narrows with rounding',
      'Cast(y, x, AscendC::RoundMode::CAST_RINT, count);',
      {
        types: [
          'float->half',
          'float->bfloat16_t',
          'float->int32_t',
          'float->int16_t',
          'half->int8_t',
          'half->uint8_t',
          'half->int32_t',
          'half->int16_t',
          'float->int64_t',
          'int64_t->float',
          'int32_t->float',
          'bfloat16_t->int32_t',
          'float->float',
        ],
        note: 'float->float rounds to whole numbers; there is no bfloat16_t->half and no float->int8_t: go through float, and through half',
      },
    ],
    [
      'Cast',
      'other pairs of integers and halves',
      'Cast(y, x, AscendC::RoundMode::CAST_NONE, count);',
      { types: ['int16_t->half', 'int64_t->int32_t', 'int32_t->int16_t'] },
    ],
    ['ToFloat', 'one bfloat16_t as float', 'float f = AscendC::ToFloat(bfloat16_t()); (void)f;', none],
    ['ToBfloat16', 'one float as bfloat16_t', 'bfloat16_t b = AscendC::ToBfloat16(1.0f); (void)b;', none],
    [
      'AscendQuant',
      'int8_t of x * scale + offset',
      'AscendC::LocalTensor<int8_t> q; AscendQuant(q, x, 0.5f, 0.0f, count);',
    ],
    [
      'AscendDequant',
      'int32_t times a scale for each column',
      'AscendC::LocalTensor<float> scales, d; AscendC::DequantParams params{1, count, count}; AscendDequant(d, index, scales, params);',
      none,
    ],
  ]),
  reduce: calls([
    [
      'ReduceSum',
      'sum of count elements, in the first element of y',
      'ReduceSum(y, x, work, (int32_t)count);',
      {
        types: ['half', 'float'],
        note: 'work has at least count / 64 elements (float) or count / 128 (half), rounded up to 32 bytes',
      },
    ],
    [
      'ReduceMax',
      'the largest element in y[0]; with calIndex its position as bits in y[1]',
      'ReduceMax(y, x, work, (int32_t)count, true);',
      { types: ['half', 'float'], note: extremeWork },
    ],
    [
      'ReduceMin',
      'the smallest element in y[0]; with calIndex its position as bits in y[1]',
      'ReduceMin(y, x, work, (int32_t)count, false);',
      { types: ['half', 'float'], note: extremeWork },
    ],
    [
      'WholeReduceSum',
      'a sum for each repeat of up to 256 bytes',
      'WholeReduceSum(y, x, 64, 4, 1, 1, 8);',
      { types: ['half', 'float'], note: 'mask, repeats, dstRepStride (elements), srcBlkStride, srcRepStride (blocks)' },
    ],
    [
      'WholeReduceMax',
      'the largest element of each repeat; its position as well with ORDER_VALUE_INDEX',
      'WholeReduceMax(y, x, 64, 4, 1, 1, 8, AscendC::ReduceOrder::ORDER_ONLY_VALUE);',
      { types: ['half', 'float'] },
    ],
    [
      'WholeReduceMin',
      'the smallest element of each repeat; its position as well with ORDER_VALUE_INDEX',
      'WholeReduceMin(y, x, 64, 4, 1, 1, 8, AscendC::ReduceOrder::ORDER_ONLY_VALUE);',
      { types: ['half', 'float'] },
    ],
    [
      'BlockReduceSum',
      'a sum for each block of 32 bytes',
      'BlockReduceSum(y, x, 4, 64, 1, 1, 8);',
      { types: ['half', 'float'], note: 'repeats, mask, dstRepStride, srcBlkStride, srcRepStride' },
    ],
    [
      'BlockReduceMax',
      'the largest element of each block of 32 bytes',
      'BlockReduceMax(y, x, 4, 64, 1, 1, 8);',
      { types: ['half', 'float'] },
    ],
    [
      'BlockReduceMin',
      'the smallest element of each block of 32 bytes',
      'BlockReduceMin(y, x, 4, 64, 1, 1, 8);',
      { types: ['half', 'float'] },
    ],
    ['PairReduceSum', 'sums of neighbours', 'PairReduceSum(y, x, 4, 64, 1, 1, 8);', { types: ['half', 'float'] }],
    [
      'Sum',
      'sums of rows',
      'Sum(y, x, AscendC::SumParams{4, 64, 64});',
      { types: ['half', 'float'], note: 'rows, bytes-aligned length of a row in elements, elements that count' },
    ],
    [
      'CumSum',
      'running sums of rows',
      'AscendC::LocalTensor<T> last; CumSum(y, last, x, AscendC::CumSumInfo{4, 64});',
      { types: ['half', 'float'] },
    ],
  ]),
  fill: calls([
    ['Arange', 'first, first + step, ...', 'Arange(y, scalar, scalar, (int32_t)count);'],
    ['CreateVecIndex', 'first, first + 1, ...', 'CreateVecIndex(y, scalar, count);'],
  ]),
  broadcast: calls([
    [
      'Broadcast',
      '[rows, 1] or [1, columns] to [rows, columns]',
      'const uint32_t to[] = {8, 32}; const uint32_t from[] = {8, 1}; Broadcast<T, 2, 1>(y, x, to, from);',
    ],
    [
      'Brcb',
      'each of 8 elements in a repeat becomes a block of 32 bytes',
      'Brcb(y, x, 1, AscendC::BrcbRepeatParams{1, 8});',
    ],
  ]),
  gather: calls([
    [
      'Gather',
      'y[i] = element at byte offset[i]',
      'Gather(y, x, offset, (uint32_t)0, count);',
      { note: 'offsets in bytes, multiples of the size of an element' },
    ],
    [
      'GatherMask',
      'packs the elements whose bit is set, or those of a pattern (1 even, 2 odd, 3 to 6 one of four)',
      'uint64_t kept = 0; GatherMask(y, x, 1, true, count, AscendC::GatherMaskParams{1, 1, 8, 8}, kept);',
    ],
    [
      'Gatherb',
      'takes whole blocks of 32 bytes by their byte offsets',
      'Gatherb(y, x, offset, 1, AscendC::GatherRepeatParams{1, 8});',
    ],
  ]),
  sort: calls([
    [
      'Sort32',
      'sorts each 32 elements, largest first, with their positions beside them (8 bytes a pair)',
      'Sort32(y, x, offset, 1);',
      { types: ['half', 'float'] },
    ],
    [
      'MrgSort',
      'merges up to four sorted lists of pairs',
      'MrgSort(y, AscendC::MrgSortSrcList<T>(x, x, x, x), AscendC::MrgSort4Info((const uint16_t[4]){32, 32, 32, 32}, false, 15, 1));',
      { types: ['half', 'float'] },
    ],
    [
      'Sort',
      'sorts count elements wholly',
      'AscendC::LocalTensor<T> concat, temporary; Sort<T, true>(y, concat, offset, temporary, 8);',
      { types: ['half', 'float'], note: 'repeats of 32 elements; pairs take 8 bytes: see GetSortLen' },
    ],
    [
      'Concat',
      'prepares elements for Sort',
      'AscendC::LocalTensor<T> concat, temporary; Concat(concat, x, temporary, 8);',
      { types: ['half', 'float'] },
    ],
    ['Extract', 'takes pairs apart: values and positions', 'Extract(y, offset, x, 8);', { types: ['half', 'float'] }],
    [
      'GetSortLen',
      'elements that pairs of so many elements take',
      'uint32_t length = AscendC::GetSortLen<T>(count); (void)length;',
      { types: ['half', 'float'] },
    ],
    [
      'TopK',
      'the k largest or smallest of rows',
      'AscendC::LocalTensor<bool> finish; TopkTiling tiling; AscendC::TopKInfo info{1, 64, 64}; TopK<T>(y, index, x, index, finish, tmp, 8, tiling, info, true);',
      { types: ['half', 'float'], note: 'the tiling comes from TopKTilingFunc of the host' },
    ],
  ]),
  transpose: calls([
    ['Transpose', '16 x 16 elements of 16 bits', 'Transpose(y, x);', only('half', 'int16_t', 'uint16_t')],
    [
      'TransDataTo5HD',
      'transposes 16 rows of 32 bytes each, given as addresses',
      'AscendC::LocalTensor<T> to[16], from[16]; TransDataTo5HD(to, from, AscendC::TransDataTo5HDParams{false, false, 1, 0, 0});',
    ],
  ]),
  math: calls([
    ...(
      [
        'Sin',
        'Cos',
        'Tan',
        'Asin',
        'Acos',
        'Atan',
        'Sinh',
        'Cosh',
        'Tanh',
        'Asinh',
        'Acosh',
        'Atanh',
        'Erf',
        'Erfc',
      ] as const
    ).map((name): Row => [name, `y = ${name.toLowerCase()}(x)`, `${name}(y, x, tmp, count);`, { note: library }]),
    ['Log', 'y = ln(x)', 'Log(y, x, count);'],
    ['Log2', 'y = log2(x)', 'Log2(y, x, tmp, count);', { note: library }],
    ['Log10', 'y = log10(x)', 'Log10(y, x, count);'],
    ['Power', 'y = x ^ z', 'Power<T, false>(y, x, z, tmp, count);', { note: library }],
    ['Floor', 'rounds down', 'Floor(y, x, tmp, count);', { note: library }],
    ['Ceil', 'rounds up', 'Ceil(y, x, tmp, count);', { note: library }],
    ['Trunc', 'rounds towards zero', 'Trunc(y, x, tmp, count);', { note: library }],
    ['Round', 'rounds to nearest even', 'Round(y, x, tmp, count);', { note: library }],
    ['Frac', 'x - trunc(x)', 'Frac(y, x, tmp, count);', { note: library }],
    ['Sign', '1, 0 or -1', 'Sign(y, x, tmp, count);', { note: library }],
    ['Fmod', 'remainder of x / z', 'Fmod(y, x, z, tmp, count);', { note: library }],
    ['ClampMax', 'min(x, scalar)', 'ClampMax(y, x, tmp, scalar, count);', { note: library }],
    ['ClampMin', 'max(x, scalar)', 'ClampMin(y, x, tmp, scalar, count);', { note: library }],
    ['Xor', 'bits in one of both', 'Xor(y, x, z, tmp, count);', { note: library }],
  ]),
  activation: calls([
    ['Sigmoid', 'y = 1 / (1 + e^-x)', 'Sigmoid(y, x, tmp, count);', { note: library }],
    ['Gelu', 'GELU by tanh', 'Gelu(y, x, tmp, count);', { note: library }],
    ['FasterGelu', 'x / (1 + e^(-1.702 x))', 'FasterGelu(y, x, tmp, count);', { note: library }],
    ['Silu', 'x / (1 + e^-x)', 'Silu(y, x, count);'],
    ['Swish', 'x / (1 + e^(-scalar * x))', 'Swish(y, x, count, scalar);'],
    [
      'SwiGLU',
      'x * z * sigmoid(scalar * z)',
      'float beta = 1.0f; SwiGLU(y, x, z, beta, tmp, count);',
      { note: library },
    ],
    ['GeGLU', 'x * GELU(z)', 'GeGLU(y, x, z, tmp, count);', { note: library }],
    ['ReGlu', 'x * max(z, 0)', 'ReGlu(y, x, z, tmp, count);', { note: library }],
  ]),
  softmax: calls([
    [
      'SoftMax',
      'softmax of rows; sums and maxima are blocks of 32 bytes for each row',
      'SoftMaxTiling tiling; SoftMax<T>(y, work, z, x, tmp, tiling, AscendC::SoftMaxShapeInfo{8, 64, 8, 64});',
      {
        types: ['half', 'float'],
        note: 'the tiling comes from SoftMaxTilingFunc of the host; SoftMaxShapeInfo: rows, columns (multiple of 32 bytes), original rows and columns',
      },
    ],
    [
      'SoftmaxFlashV2',
      'softmax of rows that come in parts: corrects sums and maxima',
      'SoftMaxTiling tiling; SoftmaxFlashV2<T>(y, work, z, x, work, work, z, tmp, tiling, AscendC::SoftMaxShapeInfo{8, 64, 8, 64});',
      { types: ['half', 'float'] },
    ],
    [
      'SoftmaxGrad',
      'gradient of a softmax by rows',
      'SoftMaxTiling tiling; SoftmaxGrad<T>(y, x, z, tiling, false, AscendC::SoftMaxShapeInfo{8, 64, 8, 64});',
      { types: ['half', 'float'] },
    ],
  ]),
  norm: calls([
    [
      'LayerNorm',
      'layer normalisation of [B, S, H]',
      'LayerNormTiling tiling; LayerNorm<T>(y, work, work, x, z, z, tmp, scalar, tiling);',
      {
        types: ['half', 'float'],
        note: 'mean and variance in the type of x; the tiling comes from GetLayerNormNDTilingInfo of the host',
      },
    ],
    [
      'RmsNorm',
      'RMS normalisation of [B, S, H]',
      'RmsNormTiling tiling; RmsNorm<T>(y, x, z, tmp, scalar, tiling);',
      { types: ['half', 'float'] },
    ],
  ]),
  matmul: calls([
    [
      'Matmul',
      'the matrix product of the library: a kernel with cube and vector cores that includes "lib/matmul_intf.h"',
      'matmul::Matmul<matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, half>, matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, half>, matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, float>> mm; AscendC::GlobalTensor<half> a, b; AscendC::GlobalTensor<float> c; mm.SetTensorA(a, false); mm.SetTensorB(b, false); mm.IterateAll(c); mm.End();',
      {
        ...none,
        note: 'types of a, b, c (and bias); REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &tilingData.cubeTilingData) before the first call; SetTensorA(a[offset], isTransposed)',
      },
    ],
    [
      'MatmulBase::SetSingleShape',
      'm, n and k of the part that this core multiplies',
      'matmul::Matmul<matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, half>, matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, half>, matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, float>> mm; mm.SetSingleShape(64, 64, 128);',
      none,
    ],
    [
      'MatmulBase::SetOrgShape',
      'm, n and k of the matrices in global memory',
      'matmul::Matmul<matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, half>, matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, half>, matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, float>> mm; mm.SetOrgShape(256, 256, 128);',
      none,
    ],
    [
      'MatmulBase::SetBias',
      'a row that is added to the product',
      'matmul::Matmul<matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, half>, matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, half>, matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, float>, matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, float>> mm; AscendC::GlobalTensor<float> bias; mm.SetBias(bias);',
      none,
    ],
    [
      'MatmulBase::Iterate',
      'one block of the result at a time, with GetTensorC',
      'matmul::Matmul<matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, half>, matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, half>, matmul::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, float>> mm; AscendC::GlobalTensor<float> c; while (mm.Iterate()) { mm.GetTensorC(c); }',
      none,
    ],
  ]),
  cube: calls([
    [
      'Mmad',
      'L0C = L0A * L0B (+ L0C): m, n, k of one step on a cube core',
      'AscendC::LocalTensor<float> c; AscendC::LocalTensor<half> a, b; AscendC::MmadParams params; params.m = 16; params.n = 16; params.k = 16; Mmad(c, a, b, params);',
      none,
    ],
    [
      'LoadData',
      'fractals of 512 bytes from L1 to L0',
      'AscendC::LocalTensor<half> a, b; AscendC::LoadData2DParams params; params.repeatTimes = 1; params.srcStride = 1; LoadData(a, b, params);',
      none,
    ],
    [
      'Fixpipe',
      'the result from L0C to global memory, converted',
      'AscendC::LocalTensor<float> c; AscendC::GlobalTensor<half> out; AscendC::FixpipeParamsV220 params; params.nSize = 16; params.mSize = 16; params.srcStride = 16; params.dstStride = 16; params.quantPre = QuantMode_t::F322F16; Fixpipe(out, c, params);',
      none,
    ],
    [
      'DataCopy',
      'a matrix from global memory to L1, in fractals',
      'AscendC::LocalTensor<half> l1; AscendC::GlobalTensor<half> a; DataCopy(l1, a, AscendC::Nd2NzParams{1, 16, 16, 0, 16, 16, 1, 0});',
      none,
    ],
  ]),
} satisfies Record<string, ApiCall[]>

/** Surroundings of the calls of host parts. */
export const hostSurroundings = {
  text: 'In the host part `context` is the `gert::TilingContext*` of the tiling function.',
  includes: ['register/op_def_registry.h', 'tiling/platform/platform_ascendc.h', 'tiling/tiling_api.h'],
}

export const hostFamilies = {
  host: calls([
    [
      'PlatformAscendC::GetCoreNumAiv',
      'number of vector cores',
      'uint32_t cores = platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAiv(); (void)cores;',
    ],
    [
      'PlatformAscendC::GetCoreNumAic',
      'number of cube cores',
      'uint32_t cores = platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAic(); (void)cores;',
    ],
    [
      'PlatformAscendC::GetCoreMemSize',
      'bytes of a memory: UB, L1, L0_A, L0_B, L0_C, L2',
      'uint64_t size = 0; platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreMemSize(platform_ascendc::CoreMemType::UB, size);',
    ],
    [
      'PlatformAscendC::GetLibApiWorkSpaceSize',
      'bytes of workspace that the library needs: of kernels with SyncAll or Matmul',
      'context->GetWorkspaceSizes(1)[0] = platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetLibApiWorkSpaceSize();',
    ],
    [
      'TilingContext::GetInputShape',
      'shape of an input; nullptr where it is absent',
      'const gert::StorageShape* shape = context->GetInputShape(0); int64_t elements = shape->GetStorageShape().GetShapeSize(); size_t rank = shape->GetStorageShape().GetDimNum(); int64_t last = shape->GetStorageShape().GetDim(rank - 1); (void)elements; (void)last;',
    ],
    [
      'TilingContext::GetDynamicInputShape',
      'shape of one tensor of a list; nullptr behind the last',
      'const gert::StorageShape* shape = context->GetDynamicInputShape(0, 1); (void)shape;',
    ],
    [
      'TilingContext::GetInputDesc',
      'dtype of an input',
      'ge::DataType type = context->GetInputDesc(0)->GetDataType(); (void)type;',
    ],
    [
      'TilingContext::GetInputTensor',
      'content of an input that the host knows, where the OpDef says ValueDepend(REQUIRED)',
      'const gert::Tensor* tensor = context->GetInputTensor(0); const int64_t* values = tensor->GetData<int64_t>(); (void)values;',
    ],
    [
      'TilingContext::GetAttrs',
      'attributes by index; each getter returns a pointer',
      'const float* f = context->GetAttrs()->GetFloat(0); const int64_t* i = context->GetAttrs()->GetInt(1); const bool* b = context->GetAttrs()->GetBool(2); const char* s = context->GetAttrs()->GetStr(3); (void)f; (void)i; (void)b; (void)s;',
    ],
    [
      'RuntimeAttrs::GetListInt',
      'an attribute that is a list',
      'const auto* list = context->GetAttrs()->GetListInt(0); size_t length = list->GetSize(); int64_t first = list->GetData()[0]; (void)length; (void)first;',
    ],
    [
      'TilingContext::SetBlockDim',
      'number of cores; of a kernel with cube and vector cores that of groups',
      'context->SetBlockDim(24);',
    ],
    ['TilingContext::SetTilingKey', 'chooses a branch of the kernel: TILING_KEY_IS(1)', 'context->SetTilingKey(1);'],
    [
      'TilingContext::GetWorkspaceSizes',
      'bytes of global memory for the kernel itself',
      'context->GetWorkspaceSizes(1)[0] = 0;',
    ],
    [
      'TilingContext::GetRawTilingData',
      'where tiling data is saved to',
      'size_t room = context->GetRawTilingData()->GetCapacity(); context->GetRawTilingData()->SetDataSize(room);',
    ],
    [
      'SoftMaxTilingFunc',
      'tiling of SoftMax for [rows, columns] in so many bytes of temporary memory',
      'optiling::SoftMaxTiling tiling; AscendC::SoftMaxTilingFunc(ge::Shape({8, 64}), 4, 8192, tiling);',
    ],
    [
      'GetTanhMaxMinTmpSize',
      'bytes of temporary memory of a function of the library: most that helps, least that is enough',
      'uint32_t most = 0, least = 0; AscendC::GetTanhMaxMinTmpSize(ge::Shape({1024}), 4, false, most, least);',
    ],
  ]),
  hostMatmul: calls([
    [
      'MatmulApiTiling',
      'tiling of a Matmul object for one core',
      'auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo()); matmul_tiling::MatmulApiTiling cube(platform); cube.SetAType(matmul_tiling::TPosition::GM, matmul_tiling::CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT16); cube.SetBType(matmul_tiling::TPosition::GM, matmul_tiling::CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT16); cube.SetCType(matmul_tiling::TPosition::GM, matmul_tiling::CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT); cube.SetShape(128, 256, 64); cube.SetOrgShape(1024, 1024, 64); cube.SetBufferSpace(-1, -1, -1); optiling::TCubeTiling tiling; if (cube.GetTiling(tiling) == -1) { return ge::GRAPH_FAILED; }',
      {
        note: 'in the tiling data: TILING_DATA_FIELD_DEF_STRUCT(TCubeTiling, cubeTilingData); include "tiling/tiling_api.h"',
      },
    ],
    [
      'MultiCoreMatmulTiling',
      'the same for a product that several cores share',
      'auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo()); matmul_tiling::MultiCoreMatmulTiling cube(platform); cube.SetDim(24); cube.SetAType(matmul_tiling::TPosition::GM, matmul_tiling::CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT16); cube.SetBType(matmul_tiling::TPosition::GM, matmul_tiling::CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT16); cube.SetCType(matmul_tiling::TPosition::GM, matmul_tiling::CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT); cube.SetShape(1024, 1024, 64); cube.SetOrgShape(1024, 1024, 64); optiling::TCubeTiling tiling; if (cube.GetTiling(tiling) == -1) { return ge::GRAPH_FAILED; }',
    ],
  ]),
} satisfies Record<string, ApiCall[]>
