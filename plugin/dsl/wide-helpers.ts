// What the wide primitives are made of in kernels: columns, running sums, windows, and what cores leave for each other.

const prefix = '__aicore__ inline'

/** Functions of kernels, by name. */
export const wideHelpers = {
  ReduceColumns: {
    needs: ['Operations', 'Min'],
    text: `// dst[column] of all rows, row after row.
template <typename Operation, typename T>
${prefix} void ReduceColumns(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src, int64_t rows,
                                     int64_t columns, int64_t stride) {
  constexpr int64_t LANES = 256 / static_cast<int64_t>(sizeof(T));
  constexpr int64_t MAX_ROWS = 240;
  const int64_t strideBlocks = stride / (LANES / 8);
  AscendC::Max(dst, src, src, static_cast<int32_t>(columns));  // a copy
  if (strideBlocks <= 255 && rows >= columns / LANES) {
    const AscendC::BinaryRepeatParams step{1, 1, 1, 0, static_cast<uint8_t>(strideBlocks), 0};
    for (int64_t row = 1; row < rows; row += MAX_ROWS) {
      for (int64_t column = 0; column < columns; column += LANES) {
        Operation::template Apply<T>(dst[column], src[row * stride + column], dst[column], Min(columns - column, LANES),
                                     static_cast<uint8_t>(Min(rows - row, MAX_ROWS)), step);
      }
    }
    return;
  }
  for (int64_t row = 1; row < rows; ++row) {
    Operation::template Run<T>(dst, dst, src[row * stride], static_cast<int32_t>(columns));
  }
}`,
  },
  RunningRows: {
    needs: ['Operations', 'Min', 'AlignUp', 'CeilDiv', 'CopyRun'],
    text: `// What an operation makes of each row up to an element, or from it to the end. A row is pieces of 16 elements: turned, so
// that the elements of one place follow each other, all pieces are gone through at once, and then what the pieces before
// have come to is added, which is found by doubling.
template <typename Operation>
${prefix} void RunningRows(const AscendC::LocalTensor<float>& dst, const AscendC::LocalTensor<float>& src,
                                   const AscendC::LocalTensor<float>& work, float identity, bool isBackward,
                                   int64_t rows, int64_t columns, int64_t stride) {
  constexpr int64_t LENGTH = 16;
  const int64_t pieces = AlignUp(CeilDiv(columns, LENGTH), 8);
  const int64_t count = LENGTH * pieces;
  const int32_t all = static_cast<int32_t>(count);
  const int32_t line = static_cast<int32_t>(pieces);
  const int32_t width = static_cast<int32_t>(columns);
  const AscendC::LocalTensor<float> turned = work;
  const AscendC::LocalTensor<float> totals = work[count];  // behind as many elements that change nothing
  const AscendC::LocalTensor<float> shifted = work[count + 2 * pieces];
  const AscendC::LocalTensor<int32_t> turn = work[count + 3 * pieces].template ReinterpretCast<int32_t>();
  const AscendC::LocalTensor<int32_t> back = work[2 * count + 3 * pieces].template ReinterpretCast<int32_t>();
  const AscendC::LocalTensor<int32_t> steps = work[3 * count + 3 * pieces].template ReinterpretCast<int32_t>();
  const AscendC::LocalTensor<int32_t> half = turned.template ReinterpretCast<int32_t>();
  AscendC::CreateVecIndex(steps, 0, static_cast<uint32_t>(pieces));
  AscendC::Muls(steps, steps, 4, line);
  AscendC::Muls(half, steps, static_cast<int32_t>(isBackward ? -LENGTH : LENGTH), line);
  for (int64_t place = 0; place < LENGTH; ++place) {
    AscendC::Adds(turn[place * pieces], half, static_cast<int32_t>(4 * (isBackward ? columns - 1 - place : place)), line);
  }
  if (isBackward) {
    AscendC::Maxs(turn, turn, 0, all);
  } else {
    AscendC::Mins(turn, turn, 4 * (width - 1), all);
  }
  AscendC::CreateVecIndex(back, 0, static_cast<uint32_t>(columns));
  if (isBackward) {
    AscendC::Muls(back, back, -1, width);
    AscendC::Adds(back, back, width - 1, width);
  }
  AscendC::ShiftRight(half, back, 4, width);
  AscendC::Muls(back, back, 4 * line, width);
  AscendC::Muls(half, half, 4 - 64 * line, width);
  AscendC::Add(back, back, half, width);
  AscendC::Duplicate(totals, identity, line);
  const AscendC::LocalTensor<uint32_t> turnBytes = turn.template ReinterpretCast<uint32_t>();
  const AscendC::LocalTensor<uint32_t> backBytes = back.template ReinterpretCast<uint32_t>();
  const AscendC::LocalTensor<uint32_t> stepBytes = steps.template ReinterpretCast<uint32_t>();
  for (int64_t row = 0; row < rows; ++row) {
    AscendC::Gather(turned, src[row * stride], turnBytes, 0, static_cast<uint32_t>(count));
    for (int64_t place = 1; place < LENGTH; ++place) {
      Operation::template Run<float>(turned[place * pieces], turned[place * pieces], turned[(place - 1) * pieces], line);
    }
    CopyRun(totals[pieces], turned[(LENGTH - 1) * pieces], pieces);
    for (int64_t step = 1; step < pieces; step *= 2) {
      AscendC::Gather(shifted, totals, stepBytes, static_cast<uint32_t>(4 * (pieces - step)),
                      static_cast<uint32_t>(pieces));
      Operation::template Run<float>(totals[pieces], totals[pieces], shifted, line);
    }
    AscendC::Gather(shifted, totals, stepBytes, static_cast<uint32_t>(4 * (pieces - 1)), static_cast<uint32_t>(pieces));
    const uint8_t lineBlocks = static_cast<uint8_t>(pieces / 8);
    for (int64_t piece = 0; piece < pieces; piece += 64) {
      Operation::template Apply<float>(turned[piece], turned[piece], shifted[piece], Min(pieces - piece, 64),
                                       static_cast<uint8_t>(LENGTH), {1, 1, 1, lineBlocks, lineBlocks, 0});
    }
    AscendC::Gather(dst[row * stride], turned, backBytes, 0, static_cast<uint32_t>(columns));
  }
}`,
  },
  PickColumn: {
    text: `// dst[row] = src[row][column]
${prefix} void PickColumn(const AscendC::LocalTensor<float>& dst, const AscendC::LocalTensor<float>& src,
                                  const AscendC::LocalTensor<int32_t>& offsets, int64_t column, int64_t rows,
                                  int64_t stride) {
  AscendC::CreateVecIndex(offsets, 0, static_cast<uint32_t>(rows));
  AscendC::Muls(offsets, offsets, static_cast<int32_t>(4 * stride), static_cast<int32_t>(rows));
  AscendC::Gather(dst, src, offsets.template ReinterpretCast<uint32_t>(), static_cast<uint32_t>(4 * column),
                  static_cast<uint32_t>(rows));
}`,
  },
  Windows: {
    needs: ['Operations', 'Max', 'AlignUp'],
    text: `// dst[row][i] of src[row][first + i * step + k], k < size, where that lies in [0, width): what lies outside changes nothing.
// Windows that move by 1 are made of shorter ones, twice as long each time; others place after place.
template <typename Operation>
${prefix} void Windows(const AscendC::LocalTensor<float>& dst, const AscendC::LocalTensor<float>& src,
                               const AscendC::LocalTensor<float>& work, float identity, int64_t size, int64_t step,
                               int64_t first, int64_t width, int64_t rows, int64_t columns, int64_t stride,
                               int64_t sourceStride, bool isWhole) {
  const int64_t count = rows * stride;
  const AscendC::LocalTensor<int32_t> offsets = work.template ReinterpretCast<int32_t>();
  const AscendC::LocalTensor<float> next = work[count];
  const int64_t end = first + (columns - 1) * step + size;
  const bool isDoubled = step == 1 && size > 5;
  const bool isCopied = isDoubled || first < 0 || end > width;
  const int64_t lead = isCopied ? AlignUp(Max(-first, 0), 8) : 0;
  const int64_t pitch = isCopied ? AlignUp(lead + Max(end, width), 8) : sourceStride;
  const int64_t begin = lead + first;
  const int64_t all = rows * pitch;
  AscendC::LocalTensor<float> from = src;
  if (isCopied) {
    from = work[2 * count];
    AscendC::Duplicate(from, identity, static_cast<int32_t>(all));
    for (int64_t row = 0; row < rows; ++row) {
      const AscendC::LocalTensor<float> own = src[row * sourceStride];
      AscendC::Max(from[row * pitch + lead], own, own, static_cast<int32_t>(width));  // a copy
    }
  }
  AscendC::CreateVecIndex(offsets, 0, static_cast<uint32_t>(stride));
  AscendC::Mins(offsets, offsets, static_cast<int32_t>(columns - 1), static_cast<int32_t>(stride));
  AscendC::Muls(offsets, offsets, static_cast<int32_t>(4 * step), static_cast<int32_t>(stride));
  for (int64_t row = 1; row < rows; ++row) {
    AscendC::Adds(offsets[row * stride], offsets, static_cast<int32_t>(4 * row * pitch), static_cast<int32_t>(stride));
  }
  const AscendC::LocalTensor<float> longer = work[2 * count + all];
  const AscendC::LocalTensor<int32_t> ahead = work[2 * count + 2 * all].template ReinterpretCast<int32_t>();
  if (isDoubled) {
    AscendC::CreateVecIndex(ahead, 0, static_cast<uint32_t>(all));
    AscendC::Muls(ahead, ahead, 4, static_cast<int32_t>(all));
  }
  // all rows at once with what pads them, or one after the other where they have more columns
  const int64_t run = isWhole ? count : stride;
  const int64_t length = isWhole ? count : columns;
  const AscendC::LocalTensor<uint32_t> bytes = offsets.template ReinterpretCast<uint32_t>();
  const AscendC::LocalTensor<uint32_t> aheadBytes = ahead.template ReinterpretCast<uint32_t>();
  int64_t reach = 1;  // elements that one of \`from\` stands for
  for (int64_t k = 0; k < size;) {
    if (!isDoubled || (size & reach) != 0) {
      for (int64_t at = 0; at < count; at += run) {
        const AscendC::LocalTensor<float> to = k == 0 ? dst[at] : next;
        AscendC::Gather(to, from, bytes[at], static_cast<uint32_t>(4 * (begin + k)), static_cast<uint32_t>(length));
        if (k > 0) {
          Operation::template Run<float>(dst[at], dst[at], next, static_cast<int32_t>(length));
        }
      }
      k += reach;
    }
    if (isDoubled && 2 * reach <= size) {
      AscendC::Mins(ahead, ahead, static_cast<int32_t>(4 * (all - 1 - reach)), static_cast<int32_t>(all));
      AscendC::Gather(longer, from, aheadBytes, static_cast<uint32_t>(4 * reach), static_cast<uint32_t>(all));
      Operation::template Run<float>(from, from, longer, static_cast<int32_t>(all));
      reach *= 2;
    }
  }
}`,
  },
  WindowRows: {
    needs: ['Operations', 'Min', 'Max'],
    text: `// dst[i] of the rows src[first + i * step + k], k < size, that lie in [0, height).
template <typename Operation>
${prefix} void WindowRows(const AscendC::LocalTensor<float>& dst, const AscendC::LocalTensor<float>& src,
                                  float identity, int64_t size, int64_t step, int64_t first, int64_t height,
                                  int64_t rows, int64_t columns, int64_t stride) {
  const int32_t count = static_cast<int32_t>(columns);
  for (int64_t row = 0; row < rows; ++row) {
    const AscendC::LocalTensor<float> to = dst[row * stride];
    const int64_t begin = Max(first + row * step, 0);
    const int64_t end = Min(first + row * step + size, height);
    if (end <= begin) {
      AscendC::Duplicate(to, identity, count);
    } else if (end == begin + 1) {
      AscendC::Max(to, src[begin * stride], src[begin * stride], count);  // a copy
    } else {
      Operation::template Run<float>(to, src[begin * stride], src[(begin + 1) * stride], count);
      for (int64_t from = begin + 2; from < end; ++from) {
        Operation::template Run<float>(to, to, src[from * stride], count);
      }
    }
  }
}`,
  },
  AllReduce: {
    needs: ['ReduceColumns', 'LoadRows', 'StoreRun', 'AlignUp'],
    text: `// dst[i] of src[i] of all cores, in their order. Each leaves its own in a slot of the workspace, and reads all slots when
// all are there.
template <typename Operation>
${prefix} void AllReduce(const AscendC::LocalTensor<float>& dst, const AscendC::LocalTensor<float>& src,
                                 const AscendC::LocalTensor<float>& work, __gm__ uint8_t* slots, int64_t slotBytes,
                                 int64_t count) {
  const int64_t cores = AscendC::GetBlockNum();
  const int64_t pitch = slotBytes / static_cast<int64_t>(sizeof(float));
  const int64_t width = AlignUp(count, 8);
  AscendC::GlobalTensor<float> all;
  all.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(slots));
  AscendC::PipeBarrier<PIPE_ALL>();
  StoreRun(all[AscendC::GetBlockIdx() * pitch], src, count);
  AscendC::PipeBarrier<PIPE_ALL>();
  AscendC::SyncAll();
  LoadRows(work, all, cores, count, pitch, width);
  AscendC::PipeBarrier<PIPE_ALL>();
  ReduceColumns<Operation>(dst, work, cores, count, width);
}`,
  },
} as const
