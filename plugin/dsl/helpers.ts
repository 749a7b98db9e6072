import { listHostHelpers, listKernelHelpers } from './lists.ts'
import { wideHelpers } from './wide-helpers.ts'

// Functions that projects are made of besides their own: each project has those that it uses, in this order.

interface Helper {
  readonly text: string
  readonly needs?: readonly string[]
}

const prefix = '__aicore__ inline'

/** Functions of kernels. */
export const kernelHelpers: Readonly<Record<string, Helper>> = {
  Min: {
    text: `${prefix} int64_t Min(int64_t a, int64_t b) { return a < b ? a : b; }\n${prefix} float Min(float a, float b) { return a < b ? a : b; }`,
  },
  Max: {
    text: `${prefix} int64_t Max(int64_t a, int64_t b) { return a > b ? a : b; }\n${prefix} float Max(float a, float b) { return a > b ? a : b; }`,
  },
  CeilDiv: { text: `${prefix} int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }` },
  AlignUp: {
    text: `${prefix} int64_t AlignUp(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }`,
  },
  Count: { text: `${prefix} int32_t Count(int64_t elements) { return static_cast<int32_t>(elements); }` },
  Bytes: {
    needs: ['AlignUp'],
    text: `// Bytes of a buffer: whole vector repeats.
template <typename T>
${prefix} uint32_t Bytes(int64_t elements) {
  return static_cast<uint32_t>(AlignUp(elements * static_cast<int64_t>(sizeof(T)), 256));
}`,
  },
  Whole: {
    needs: ['AlignUp'],
    text: `// Elements up to the end of a vector repeat.
template <typename T>
${prefix} uint32_t Whole(int64_t elements) {
  return static_cast<uint32_t>(AlignUp(elements, 256 / static_cast<int64_t>(sizeof(T))));
}`,
  },
  ...listKernelHelpers(prefix),
  Element: {
    text: `// One element of a tensor in global memory.
template <typename N, typename T>
${prefix} N Element(const AscendC::GlobalTensor<T>& tensor, int64_t index) {
  if constexpr (AscendC::IsSameType<T, bfloat16_t>::value) {
    return static_cast<N>(AscendC::ToFloat(tensor.GetValue(static_cast<uint64_t>(index))));
  } else {
    return static_cast<N>(tensor.GetValue(static_cast<uint64_t>(index)));
  }
}`,
  },
  LoadRun: {
    text: `// Copies \`count\` elements that follow each other; the rest of the last block is filled up.
template <typename T>
${prefix} void LoadRun(const AscendC::LocalTensor<T>& dst, const AscendC::GlobalTensor<T>& src, int64_t count) {
  const AscendC::DataCopyExtParams run{1, static_cast<uint32_t>(count * static_cast<int64_t>(sizeof(T))), 0, 0, 0};
  AscendC::DataCopyPad(dst, src, run, AscendC::DataCopyPadExtParams<T>{});
}`,
  },
  StoreRun: {
    text: `// Copies \`count\` elements that follow each other, and nothing behind them.
template <typename T>
${prefix} void StoreRun(const AscendC::GlobalTensor<T>& dst, const AscendC::LocalTensor<T>& src, int64_t count) {
  const AscendC::DataCopyExtParams run{1, static_cast<uint32_t>(count * static_cast<int64_t>(sizeof(T))), 0, 0, 0};
  AscendC::DataCopyPad(dst, src, run);
}`,
  },
  LoadRows: {
    needs: ['LoadRun', 'Min', 'CeilDiv'],
    text: `// Copies rows of \`columns\` elements that begin \`pitch\` elements apart to rows that begin \`stride\` elements apart.
template <typename T>
${prefix} void LoadRows(const AscendC::LocalTensor<T>& dst, const AscendC::GlobalTensor<T>& src, int64_t rows,
                                int64_t columns, int64_t pitch, int64_t stride) {
  if (pitch == columns && stride == columns) {
    LoadRun(dst, src, rows * columns);
    return;
  }
  if (pitch < columns) {  // rows overlap
    for (int64_t row = 0; row < rows; ++row) {
      LoadRun(dst[row * stride], src[row * pitch], columns);
    }
    return;
  }
  constexpr int64_t MAX_BURSTS = 4095;
  constexpr int64_t BYTES = static_cast<int64_t>(sizeof(T));
  for (int64_t row = 0; row < rows; row += MAX_BURSTS) {
    const AscendC::DataCopyExtParams bursts{
        static_cast<uint16_t>(Min(rows - row, MAX_BURSTS)), static_cast<uint32_t>(columns * BYTES),
        static_cast<uint32_t>((pitch - columns) * BYTES),
        static_cast<uint32_t>(stride * BYTES / 32 - CeilDiv(columns * BYTES, 32)), 0};
    AscendC::DataCopyPad(dst[row * stride], src[row * pitch], bursts, AscendC::DataCopyPadExtParams<T>{});
  }
}`,
  },
  StoreRows: {
    needs: ['StoreRun', 'Min', 'CeilDiv'],
    text: `// The same the other way.
template <typename T>
${prefix} void StoreRows(const AscendC::GlobalTensor<T>& dst, const AscendC::LocalTensor<T>& src, int64_t rows,
                                 int64_t columns, int64_t pitch, int64_t stride) {
  if (pitch == columns && stride == columns) {
    StoreRun(dst, src, rows * columns);
    return;
  }
  if (pitch < columns) {  // rows overlap, and later ones win
    for (int64_t row = 0; row < rows; ++row) {
      StoreRun(dst[row * pitch], src[row * stride], columns);
      AscendC::PipeBarrier<PIPE_MTE3>();
    }
    return;
  }
  constexpr int64_t MAX_BURSTS = 4095;
  constexpr int64_t BYTES = static_cast<int64_t>(sizeof(T));
  for (int64_t row = 0; row < rows; row += MAX_BURSTS) {
    const AscendC::DataCopyExtParams bursts{
        static_cast<uint16_t>(Min(rows - row, MAX_BURSTS)), static_cast<uint32_t>(columns * BYTES),
        static_cast<uint32_t>(stride * BYTES / 32 - CeilDiv(columns * BYTES, 32)),
        static_cast<uint32_t>((pitch - columns) * BYTES), 0};
    AscendC::DataCopyPad(dst[row * pitch], src[row * stride], bursts);
  }
}`,
  },
  Await: {
    text: `// Copies on one pipe wait until those before them on the other one have ended.
template <AscendC::HardEvent event>
${prefix} void Await() {
  const int32_t id = static_cast<int32_t>(GetTPipePtr()->FetchEventID(event));
  AscendC::SetFlag<event>(id);
  AscendC::WaitFlag<event>(id);
}`,
  },
  Stored: {
    text: `// A boolean lies in memory as a byte.
template <typename T>
struct Stored {
  using Type = T;
};
template <>
struct Stored<bool> {
  using Type = uint8_t;
};`,
  },
  PlaceOf: {
    text: `// Where an element of rows lies that begin \`stride\` elements apart.
${prefix} int64_t PlaceOf(int64_t index, int64_t columns, int64_t stride) {
  return index / columns * stride + index % columns;
}`,
  },
  RowAlign: {
    text: `// Elements that rows of all these types begin at multiples of: each on a block.
template <typename... T>
${prefix} constexpr int64_t RowAlign() {
  size_t smallest = sizeof(float);
  ((smallest = sizeof(T) < smallest ? sizeof(T) : smallest), ...);
  return static_cast<int64_t>(32 / smallest);
}`,
  },
  CopyRows: {
    text: `// Copies elements of the unified buffer that are whole blocks.
template <typename T>
${prefix} void CopyRows(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src, int64_t count) {
  AscendC::DataCopy(dst, src, static_cast<uint32_t>(count));
}`,
  },
  CopyRun: {
    text: `// Copies elements of the unified buffer, and nothing behind them: whole blocks, then what is left in words.
template <typename T>
${prefix} void CopyRun(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src, int64_t count) {
  constexpr int64_t BLOCK = 32 / static_cast<int64_t>(sizeof(T));
  const int64_t whole = count / BLOCK * BLOCK;
  const int64_t rest = count - whole;
  if (whole > 0) {
    AscendC::DataCopy(dst, src, static_cast<uint32_t>(whole));
  }
  if constexpr (sizeof(T) == 1) {
    if (rest > 1) {
      AscendC::Copy(dst[whole].template ReinterpretCast<uint16_t>(), src[whole].template ReinterpretCast<uint16_t>(),
                    static_cast<uint64_t>(rest / 2), 1, {1, 1, 8, 8});
    }
    if (rest % 2 > 0) {
      dst.SetValue(count - 1, src.GetValue(count - 1));
    }
  } else if constexpr (sizeof(T) == 8) {
    if (rest > 0) {
      AscendC::Copy(dst[whole].template ReinterpretCast<uint32_t>(), src[whole].template ReinterpretCast<uint32_t>(),
                    static_cast<uint64_t>(rest * 2), 1, {1, 1, 8, 8});
    }
  } else if (rest > 0) {
    AscendC::Copy(dst[whole], src[whole], static_cast<uint64_t>(rest), 1, {1, 1, 8, 8});
  }
}`,
  },
  Operations: {
    text: ['Add', 'Sub', 'Mul', 'Div', 'Max', 'Min'].map((name) => operation(name)).join('\n'),
  },
  Reductions: {
    needs: ['Operations'],
    text: [
      ['Sum', 'Add', 'WholeReduceSum<T>(dst, src, lanes, repeat, 1, 1, stride);'],
      [
        'Max',
        'Max',
        'WholeReduceMax<T>(dst, src, lanes, repeat, 1, 1, stride, AscendC::ReduceOrder::ORDER_ONLY_VALUE);',
      ],
      [
        'Min',
        'Min',
        'WholeReduceMin<T>(dst, src, lanes, repeat, 1, 1, stride, AscendC::ReduceOrder::ORDER_ONLY_VALUE);',
      ],
    ]
      .map(
        ([name, fold, call]) => `struct ${name}OfRow {
  using Fold = ${fold}Of;
  template <typename T>
  ${prefix} static void Whole(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                                      int32_t lanes, int32_t repeat, int32_t stride) {
    AscendC::${call}
  }
};`,
      )
      .join('\n'),
  },
  ReduceRows: {
    needs: ['Reductions', 'Min'],
    text: `// dst[row] of each row: every lane takes one repeat after the other, then the lanes are reduced. \`work\` has a repeat for
// each row.
template <typename Reduction, typename T>
${prefix} void ReduceRows(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                                  const AscendC::LocalTensor<T>& work, int64_t rows, int64_t columns, int64_t stride) {
  using Fold = typename Reduction::Fold;
  constexpr int64_t LANES = 256 / static_cast<int64_t>(sizeof(T));
  constexpr int64_t MAX_ROWS = 240;
  const int64_t strideBlocks = stride / (LANES / 8);
  const int64_t full = columns / LANES;
  const int64_t rest = columns % LANES;
  if (columns <= LANES) {
    for (int64_t row = 0; row < rows; row += MAX_ROWS) {
      Reduction::template Whole<T>(dst[row], src[row * stride], static_cast<int32_t>(columns),
                                   static_cast<int32_t>(Min(rows - row, MAX_ROWS)), static_cast<int32_t>(strideBlocks));
    }
    return;
  }
  if (strideBlocks <= 255) {
    for (int64_t row = 0; row < rows; row += MAX_ROWS) {
      const uint8_t batch = static_cast<uint8_t>(Min(rows - row, MAX_ROWS));
      const AscendC::BinaryRepeatParams step{1, 1, 1, 8, 8, static_cast<uint8_t>(strideBlocks)};
      const AscendC::LocalTensor<T> sums = work[row * LANES];
      const AscendC::LocalTensor<T> first = src[row * stride];
      AscendC::DataCopy(sums, first, {batch, 8, static_cast<uint16_t>(strideBlocks - 8), 0});
      for (int64_t chunk = 1; chunk < full; ++chunk) {
        Fold::template Apply<T>(sums, sums, first[chunk * LANES], LANES, batch, step);
      }
      if (rest > 0) {
        Fold::template Apply<T>(sums, sums, first[full * LANES], rest, batch, step);
      }
    }
  } else {
    for (int64_t row = 0; row < rows; ++row) {
      const AscendC::LocalTensor<T> sums = work[row * LANES];
      const AscendC::LocalTensor<T> first = src[row * stride];
      AscendC::DataCopy(sums, first, static_cast<uint32_t>(LANES));
      for (int64_t chunk = 1; chunk < full; chunk += 255) {
        Fold::template Apply<T>(sums, first[chunk * LANES], sums, LANES, static_cast<uint8_t>(Min(full - chunk, 255)),
                                {1, 1, 1, 0, 8, 0});
      }
      if (rest > 0) {
        Fold::template Apply<T>(sums, first[full * LANES], sums, rest, 1, {1, 1, 1, 8, 8, 8});
      }
    }
  }
  for (int64_t row = 0; row < rows; row += MAX_ROWS) {
    Reduction::template Whole<T>(dst[row], work[row * LANES], static_cast<int32_t>(LANES),
                                 static_cast<int32_t>(Min(rows - row, MAX_ROWS)), 8);
  }
}`,
  },
  ReduceAll: {
    needs: ['ReduceRows', 'AlignUp'],
    text: `// dst[0] of all rows: each row, then what the rows have come to, which lies behind the repeats of \`work\`.
template <typename Reduction, typename T>
${prefix} void ReduceAll(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                                 const AscendC::LocalTensor<T>& work, int64_t rows, int64_t columns, int64_t stride) {
  const AscendC::LocalTensor<T> results = work[rows * (256 / static_cast<int64_t>(sizeof(T)))];
  ReduceRows<Reduction>(results, src, work, rows, columns, stride);
  ReduceRows<Reduction>(dst, results, work, 1, rows, AlignUp(rows, 32));
}`,
  },
  SpreadRows: {
    needs: ['Operations', 'Min', 'CeilDiv'],
    text: `// dst = src op values[row]; \`blocks\` takes each value in all lanes of a block.
template <typename Operation, typename T>
${prefix} void SpreadRows(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                                  const AscendC::LocalTensor<T>& values, const AscendC::LocalTensor<T>& blocks,
                                  int64_t rows, int64_t columns, int64_t stride) {
  constexpr int64_t LANES = 256 / static_cast<int64_t>(sizeof(T));
  constexpr int64_t BLOCK = LANES / 8;
  constexpr int64_t MAX_ROWS = 240;
  const int64_t strideBlocks = stride / BLOCK;
  for (int64_t row = 0; row < rows; row += MAX_ROWS) {
    AscendC::Brcb(blocks[row * BLOCK], values[row], static_cast<uint8_t>(CeilDiv(Min(rows - row, MAX_ROWS), 8)), {1, 8});
  }
  if (strideBlocks <= 255 && rows >= columns / LANES) {
    const AscendC::BinaryRepeatParams step{1, 1, 0, static_cast<uint8_t>(strideBlocks),
                                           static_cast<uint8_t>(strideBlocks), 1};
    for (int64_t row = 0; row < rows; row += MAX_ROWS) {
      for (int64_t column = 0; column < columns; column += LANES) {
        const int64_t at = row * stride + column;
        Operation::template Apply<T>(dst[at], src[at], blocks[row * BLOCK], Min(columns - column, LANES),
                                     static_cast<uint8_t>(Min(rows - row, MAX_ROWS)), step);
      }
    }
    return;
  }
  const int64_t full = columns / LANES;
  const int64_t rest = columns % LANES;
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t at = row * stride;
    for (int64_t chunk = 0; chunk < full; chunk += 255) {
      Operation::template Apply<T>(dst[at + chunk * LANES], src[at + chunk * LANES], blocks[row * BLOCK], LANES,
                                   static_cast<uint8_t>(Min(full - chunk, 255)), {1, 1, 0, 8, 8, 0});
    }
    if (rest > 0) {
      Operation::template Apply<T>(dst[at + full * LANES], src[at + full * LANES], blocks[row * BLOCK], rest, 1,
                                   {1, 1, 0, 8, 8, 0});
    }
  }
}`,
  },
  SpreadColumns: {
    needs: ['Operations', 'Min'],
    text: `// dst = src op values[column].
template <typename Operation, typename T>
${prefix} void SpreadColumns(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                                     const AscendC::LocalTensor<T>& values, int64_t rows, int64_t columns,
                                     int64_t stride) {
  constexpr int64_t LANES = 256 / static_cast<int64_t>(sizeof(T));
  constexpr int64_t MAX_ROWS = 240;
  const int64_t strideBlocks = stride / (LANES / 8);
  if (strideBlocks <= 255 && rows >= columns / LANES) {
    const AscendC::BinaryRepeatParams step{1, 1, 1, static_cast<uint8_t>(strideBlocks),
                                           static_cast<uint8_t>(strideBlocks), 0};
    for (int64_t row = 0; row < rows; row += MAX_ROWS) {
      for (int64_t column = 0; column < columns; column += LANES) {
        const int64_t at = row * stride + column;
        Operation::template Apply<T>(dst[at], src[at], values[column], Min(columns - column, LANES),
                                     static_cast<uint8_t>(Min(rows - row, MAX_ROWS)), step);
      }
    }
    return;
  }
  for (int64_t row = 0; row < rows; ++row) {
    Operation::template Run<T>(dst[row * stride], src[row * stride], values, static_cast<int32_t>(columns));
  }
}`,
  },
  Reciprocals: {
    needs: ['Min'],
    text: `// dst = 1 / src, correctly rounded; \`one\` has a block.
template <typename T>
${prefix} void Reciprocals(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                                   const AscendC::LocalTensor<T>& one, int64_t count) {
  constexpr int64_t LANES = 256 / static_cast<int64_t>(sizeof(T));
  AscendC::Duplicate(one, static_cast<T>(1.0f), static_cast<int32_t>(LANES / 8));
  const int64_t full = count / LANES;
  for (int64_t chunk = 0; chunk < full; chunk += 255) {
    AscendC::Div(dst[chunk * LANES], one, src[chunk * LANES], static_cast<uint64_t>(LANES),
                 static_cast<uint8_t>(Min(full - chunk, 255)), {1, 0, 1, 8, 0, 8});
  }
  if (count % LANES > 0) {
    AscendC::Div(dst[full * LANES], one, src[full * LANES], static_cast<uint64_t>(count % LANES), 1,
                 {1, 0, 1, 8, 0, 8});
  }
}`,
  },
  GatherElements: {
    text: `// dst = src[index]; \`offsets\` takes the index in bytes.
template <typename T>
${prefix} void GatherElements(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                                      const AscendC::LocalTensor<int32_t>& index,
                                      const AscendC::LocalTensor<int32_t>& offsets, int64_t count) {
  AscendC::Muls(offsets, index, static_cast<int32_t>(sizeof(T)), static_cast<int32_t>(count));
  AscendC::Gather(dst, src, offsets.template ReinterpretCast<uint32_t>(), 0, static_cast<uint32_t>(count));
}`,
  },
  MaskToBytes: {
    text: `// 1 where the bit is set, else 0.
template <typename T>
${prefix} void MaskToBytes(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<uint8_t>& mask,
                                   const AscendC::LocalTensor<half>& ones, int64_t count) {
  AscendC::Duplicate(ones, static_cast<half>(1.0f), static_cast<int32_t>(count));
  AscendC::Select(ones, mask, ones, static_cast<half>(0.0f), AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE,
                  static_cast<uint32_t>(count));
  AscendC::Cast(dst, ones, AscendC::RoundMode::CAST_NONE, static_cast<uint32_t>(count));
}`,
  },
  BytesToMask: {
    needs: ['Whole'],
    text: `// A bit where the byte is not 0.
template <typename T>
${prefix} void BytesToMask(const AscendC::LocalTensor<uint8_t>& mask, const AscendC::LocalTensor<T>& src,
                                   const AscendC::LocalTensor<half>& wide, int64_t count) {
  AscendC::Cast(wide, src, AscendC::RoundMode::CAST_NONE, static_cast<uint32_t>(count));
  AscendC::CompareScalar(mask, wide, static_cast<half>(0.0f), AscendC::CMPMODE::NE, Whole<half>(count));
}`,
  },
  Convert: {
    needs: ['CopyRun'],
    text: `// A cast, or a copy where the types are the same.
${conversion('Convert', 'CopyRun')}`,
  },
  ConvertRows: {
    needs: ['CopyRows'],
    text: `// The same of whole blocks.
${conversion('ConvertRows', 'CopyRows')}`,
  },
  ...wideHelpers,
}

function conversion(name: string, copy: string): string {
  return `template <typename D, typename S>
${prefix} void ${name}(const AscendC::LocalTensor<D>& dst, const AscendC::LocalTensor<S>& src,
                               AscendC::RoundMode mode, int64_t count) {
  if constexpr (AscendC::IsSameType<D, S>::value) {
    ${copy}(dst, src, count);
  } else {
    AscendC::Cast(dst, src, mode, static_cast<uint32_t>(count));
  }
}`
}

function operation(name: string): string {
  return `struct ${name}Of {
  template <typename T>
  ${prefix} static void Apply(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& a,
                                      const AscendC::LocalTensor<T>& b, int64_t lanes, uint8_t repeat,
                                      const AscendC::BinaryRepeatParams& step) {
    AscendC::${name}(dst, a, b, static_cast<uint64_t>(lanes), repeat, step);
  }
  template <typename T>
  ${prefix} static void Run(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& a,
                                    const AscendC::LocalTensor<T>& b, int32_t count) {
    AscendC::${name}(dst, a, b, count);
  }
};`
}

/** Functions of host parts. */
export const hostHelpers: Readonly<Record<string, Helper>> = {
  Min: {
    text: 'int64_t Min(int64_t a, int64_t b) { return std::min(a, b); }\ndouble Min(double a, double b) { return std::min(a, b); }',
  },
  Max: {
    text: 'int64_t Max(int64_t a, int64_t b) { return std::max(a, b); }\ndouble Max(double a, double b) { return std::max(a, b); }',
  },
  CeilDiv: { text: 'int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }' },
  AlignUp: { text: 'int64_t AlignUp(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }' },
  Extent: {
    text: `// The extent of an axis, which counts from the end where it is negative; 1 where there is none.
int64_t Extent(const gert::Shape& shape, int64_t axis) {
  const int64_t rank = static_cast<int64_t>(shape.GetDimNum());
  const int64_t at = axis < 0 ? axis + rank : axis;
  return at < 0 || at >= rank ? 1 : shape.GetDim(static_cast<size_t>(at));
}`,
  },
  Product: {
    text: `// The product of extents from one axis to another, which is left out.
int64_t Product(const gert::Shape& shape, int64_t from, int64_t to) {
  const int64_t rank = static_cast<int64_t>(shape.GetDimNum());
  const int64_t end = std::min(to < 0 ? to + rank : to, rank);
  int64_t product = 1;
  for (int64_t axis = std::max<int64_t>(from < 0 ? from + rank : from, 0); axis < end; ++axis) {
    product *= shape.GetDim(static_cast<size_t>(axis));
  }
  return product;
}`,
  },
  ...listHostHelpers,
  Bytes: {
    needs: ['AlignUp'],
    text: `// Bytes of buffers: whole vector repeats.
int64_t Bytes(int64_t copies, int64_t bytes) { return copies * AlignUp(bytes, 256); }`,
  },
  Fit: {
    text: `// The largest value up to \`limit\` with which the buffers take no more than there is; 0: there is none.
template <typename Bytes>
int64_t Fit(int64_t limit, int64_t available, const Bytes& bytesWith) {
  int64_t fits = 0;
  for (int64_t above = limit + 1; fits + 1 < above;) {
    const int64_t middle = fits + (above - fits) / 2;
    if (bytesWith(middle) <= available) {
      fits = middle;
    } else {
      above = middle;
    }
  }
  return fits;
}`,
  },
}

/** The texts of the helpers that are used, and of those that they need, in the order of the table. */
export function helperTexts(table: Readonly<Record<string, Helper>>, used: ReadonlySet<string>): string[] {
  const all = new Set<string>()
  const add = (name: string): void => {
    if (all.has(name)) return
    all.add(name)
    table[name]!.needs?.forEach(add)
  }
  used.forEach(add)
  return Object.entries(table).flatMap(([name, { text }]) => (all.has(name) ? [text] : []))
}
