/** Mutants that no run can tell from the original, and why. Matched by operator, the text of the line and the edit. */
export interface Equivalent {
  /** or the header that several share */
  operators: readonly string[]
  line: RegExp
  /** the line before it */
  after?: RegExp
  /** how the function begins that it is in */
  within?: RegExp
  what: RegExp
  why: string
}

/** Operators that deal units of elements to cores and go through them in tiles. */
const elementwise = ['AddCustom', 'Equal', 'Gelu', 'Sqrt']

/** Operators that multiply matrices as they are, none of them transposed. */
const products = [
  'BatchedMatmul',
  'Gemm',
  'GroupGemm',
  'GroupedMatmulSliceK',
  'GroupedMatmulSliceKPerTokenDequant',
  'GroupedMatmulSliceM',
  'GroupedMatmulSliceMPerTokenDequant',
  'MatmulAdd',
  'MatmulBias',
  'OptimizedMatmul',
  'PaddingMatmul',
  'QuantMatmul',
  'SplitkMatmul',
]

/** Operators of row_pipeline.h that deal whole rows to as many cores as there are rows, or fewer. */
const rowOperators = [
  'AddRmsNorm',
  'AddRmsNormCast',
  'CrossEntropyLoss',
  'DeepNorm',
  'InplaceAddRmsNorm',
  'LayerNormV4',
]

/** Those of row_norm.h that divide by the root mean square, nothing else. */
const rootMeanSquares = ['AddRmsNorm', 'AddRmsNormCast', 'InplaceAddRmsNorm']

/** Operators of row_pipeline.h that know no rows: every element by itself, or by itself and one of a vector. */
const withoutVectors = ['FastGeluGrad', 'GeGluV2']
const rowElementwise = [...withoutVectors, 'MulSigmoid']

/** Reviewed by hand: each of these changes nothing that a device would show, only time. */
export const equivalent: readonly Equivalent[] = [
  {
    operators: ['BasicMatmul', 'common/inc/op_kernel/block_product.h'],
    line: /^(?:Set|Wait)Flag<HardEvent::MTE1_MTE2>\(i\);$/,
    what: /^event id i \^ 1$/,
    why: 'the loop sets, or waits for, both flags, in the other order',
  },
  {
    operators: ['FlashAttentionScoreWithLargeHeadDim'],
    line: /^(?:Set|Wait)Flag<HardEvent::FIX_M>\(i\);$/,
    what: /^event id i \^ 1$/,
    why: 'its blocks are 64 x 256 floats always, of which L0C holds two: the loop takes both flags, in the other order',
  },
  {
    operators: [...elementwise, 'Tril'],
    line: /units = tiling\.unitsPerCore \+ \(core < larger \? 1 : 0\)/,
    what: /^\|\| true/,
    why: 'the unit too many is the first of the next core, which writes the same there; the last core ends with the tensor',
  },
  {
    operators: [...elementwise, 'Tril'],
    line: /units \* tiling\.unitLength < left \? units \* tiling\.unitLength : left/,
    what: /^&& false|^totalLength instead of unitLength$/,
    why: 'every core goes on to the end of the tensor: the same values are written several times',
  },
  {
    operators: elementwise,
    line: /^tileLength_ = tiling\.tileLength;$/,
    what: /^bufferLength instead of tileLength$/,
    why: 'larger tiles, as large as the buffers: fewer steps',
  },
  {
    operators: ['BasicMatmul'],
    line: /InitBuffer\(l0[ac]Buffer_/,
    what: /^(?:tileK instead of baseM|m instead of l0cBuffers)$/,
    why: 'the only buffer of its memory, longer than needed: parts of it are found by other fields',
  },
  {
    operators: ['BasicMatmul'],
    line: /k = Least\(tiling_->tileK, tiling_->k - depth\)/,
    what: /^baseN instead of tileK$/,
    why: 'smaller steps over the depth, added up in the same order',
  },
  {
    operators: ['BasicMatmul'],
    line: /^l0cIndex_ = /,
    what: /^m instead of l0cBuffers$|^&& false/,
    why: 'one accumulator in turn with itself, ordered by its flags',
  },
  {
    operators: ['BasicMatmul'],
    line: /^if \(rowLength <= MAX_ROW_STRIDE\)/,
    what: /is false$/,
    why: 'short rows one by one, as the long ones: slower',
  },
  {
    operators: ['BasicMatmul', 'common/inc/op_kernel/block_product.h'],
    line: /< MMAD_NEEDS_BARRIER/,
    what: /is true$/,
    why: 'a barrier more than needed',
  },
  {
    operators: ['BasicMatmul', 'common/inc/op_kernel/block_product.h'],
    line: /^params\.repeatTimes = static_cast<uint8_t>\(CeilDiv\(stepK, FRACTAL_LENGTH\)\);$/,
    what: /\+ 1$/,
    why: 'a fractal more of the one row is loaded into room that is there, and not multiplied',
  },
  {
    operators: ['BasicMatmul'],
    line: /^params\.srcDValue = static_cast<uint16_t>\(columns\);$/,
    what: /^static_cast<uint16_t>\(columns\) /,
    why: 'rows that are too long for a stride are copied one by one: one row has none',
  },
  {
    operators: ['BasicMatmul'],
    line: /^params\.ndNum = 1;$/,
    what: /^1 \+ /,
    why: 'the same block is stored again at the same place: no distance is given',
  },
  {
    operators: ['BasicMatmul', 'common/inc/op_kernel/block_product.h'],
    line: /^params\.srcStride = 1;$/,
    after: /repeatTimes = static_cast<uint8_t>\(CeilDiv\(stepK, FRACTAL_LENGTH\)\);$/,
    what: /^1 /,
    why: 'of the one row: at most 512 bytes deep, one repeat, which has no stride',
  },
  {
    operators: products,
    line: /^if \(e_\.rowsOfB\) \{$/,
    what: /is false$/,
    why: 'only operators that multiply by a transposed matrix set it',
  },
  {
    operators: products,
    line: /CeilDiv\(e_\.n, FRACTAL_ROWS\)\);$|^LoadData\(l0b, panel\[inner \* AlignUp\(e_\.n, FRACTAL_ROWS\)\]/,
    what: /./,
    why: 'where rowsOfB is true, which only operators that multiply by a transposed matrix set',
  },
  {
    operators: ['InplaceFusedMatmulSoftmaxGrad'],
    line: /^const uint32_t rows = Least\(SQUARE, k - row\);$|\(squareColumns\);$|\(CeilDiv\(k, SQUARE\)\);$|\(inner \/ SQUARE \+ i\)|l0b\[i \* squareColumns|dstFracGap/,
    what: /./,
    why: 'where rowsOfB is false; it multiplies by a transposed matrix always',
  },
  {
    operators: products,
    line: /^params\.srcStride = 1;$/,
    after: /CeilDiv\(e_\.n, FRACTAL_ROWS\)\);$/,
    what: /^1 /,
    why: 'where rowsOfB is true, which only operators that multiply by a transposed matrix set',
  },
  {
    operators: ['Gemm', 'MatmulAdd', 'MatmulBias', 'QuantMatmul'],
    line: /^const uint64_t [mnk] = tiling\.[mnk];$/,
    what: / instead of /,
    why: 'for the lengths of global tensors, which nothing asks for',
  },
  {
    operators: ['GroupGemm'],
    line: /^length[ABC] \+= /,
    what: / instead of /,
    why: 'the length of a global tensor, which nothing asks for',
  },
  {
    operators: ['InplaceFusedMatmulSoftmaxGrad', 'QuantMatmul', 'common/inc/op_kernel/grouped_scaled.h'],
    line: /^pipe->InitBuffer\(\w+, (?:1, |BUFFER_NUM, )?(?:MOST_ROWS|TILE_LENGTH \/ FRACTAL_ROWS) \* /,
    what: /^InitBuffer with /,
    why: 'room for 256 rows: a block has at most 256, of which a vector core takes half',
  },
  {
    operators: ['common/inc/op_kernel/attention.h', 'common/inc/op_kernel/mixed_product.h'],
    line: /^const uint64_t group = g_coreType == AIC/,
    what: /^&& false/,
    why: 'a cube core is alone in its group: the ratio of cube cores to cube cores is 1',
  },
  {
    operators: ['common/inc/op_kernel/attention.h'],
    line: /^pipe->InitBuffer\((?:statisticsQueue_|sumBuffer_|maxBuffer_|spreadBuffer_), /,
    what: /^InitBuffer with a block less/,
    why: 'room for all 64 rows of a tile, of which a vector core takes at most 32',
  },
  {
    operators: ['common/inc/op_kernel/attention.h'],
    line: /^pipe->InitBuffer\((?:maxBuffer_|spreadBuffer_), /,
    what: /^InitBuffer with half/,
    why: 'room for all 64 rows of a tile, of which a vector core takes at most 32',
  },
  {
    operators: ['Mla'],
    line: /^pipe->InitBuffer\(statisticsQueue_, /,
    what: /./,
    why: 'it stores no statistics',
  },
  {
    operators: ['common/inc/op_kernel/attention.h'],
    line: /^if \((?:whole|rest) != 0\)/,
    what: /is true$/,
    why: 'an instruction of no repeats or no lanes does nothing',
  },
  {
    operators: ['common/inc/op_kernel/whole_product.h'],
    line: /^const uint32_t widest = /,
    what: /^COPY_LENGTH instead of/,
    why: 'rows one by one: slower',
  },
  {
    operators: ['SplitkMatmul'],
    line: /^const uint64_t [mnk] = tiling\.[mnk];$/,
    what: / instead of /,
    why: 'for the lengths of global tensors, which nothing asks for, and the places of rows that are padded; it never pads',
  },
  {
    operators: [
      'InplaceFusedMatmulSoftmaxGrad',
      'common/inc/op_kernel/core_sums.h',
      'common/inc/op_kernel/row_pipeline.h',
    ],
    line: /^(?:AscendC::)?PipeBarrier<PIPE_ALL>\(\);$/,
    what: /^without /,
    why: 'SyncAll, which follows, begins with the same barrier',
  },
  {
    operators: ['TopKV3'],
    line: /^const uint64_t lines = static_cast<uint64_t>\(tiling\.outer\) \* tiling\.inner;$/,
    what: / instead of /,
    why: 'for the lengths of global tensors, which nothing asks for',
  },
  {
    operators: ['TopKV3'],
    line: /^const LocalTensor<float> third = /,
    what: / instead of lists$|^\|\| true/,
    why: 'names a third list that is not there, and merges two',
  },
  {
    operators: ['SplitkMatmul'],
    line: /./,
    within: /\bPadRows\(/,
    what: /./,
    why: 'it never pads',
  },
  {
    operators: ['SplitkMatmul'],
    line: /^PadRows\(|^if \(PadsA\(\) \|\| PadsB\(\)\)|^paddedA_\.Set|^paddedB_\.Set|^free \+= |copyQueue_/,
    what: /^(?!.* is true$)/,
    why: 'it never pads',
  },
  {
    operators: ['SplitkMatmul'],
    line: /^SyncAll<false>/,
    after: /^\}$/,
    what: /./,
    why: 'where rows are padded; it never pads',
  },
  {
    operators: ['PaddingMatmul'],
    line: /./,
    within: /\bAddParts\(/,
    what: /./,
    why: 'no two cores share a sum',
  },
  {
    operators: ['PaddingMatmul'],
    line: /^partsGm_\.Set|partQueue_, |outQueue_, |sumBuffer_, |^if \(tiling_->parts > 1\)/,
    what: /^(?!.* is true$)/,
    why: 'no two cores share a sum',
  },
  {
    operators: ['PaddingMatmul'],
    line: /^SyncAll<false>/,
    after: /parts > 1/,
    what: /./,
    why: 'no two cores share a sum',
  },
  {
    operators: ['common/inc/op_kernel/whole_product.h'],
    line: /^if \(tiling\.parts > 1\)/,
    what: /is true$/,
    why: 'a global tensor and buffers that stay unused',
  },
  {
    operators: ['FlashAttentionScoreWithLargeHeadDim'],
    line: /tiling_->queries|tiling_->keys/,
    what: /^(?:keys instead of queries|queries instead of keys)$/,
    why: 'query and key have the same shape',
  },
  {
    operators: ['common/inc/op_kernel/elementwise_tensor.h'],
    line: /^end_ = offset_ \+ units \* tiling\.unitLength;$/,
    what: /^totalLength instead of unitLength$/,
    why: 'every core goes on to the end of the tensor: the same values are written several times',
  },
  {
    operators: ['common/inc/op_kernel/elementwise.h'],
    line: /^if \(more\) \{$/,
    after: /^bool more = /,
    what: /is true$/,
    why: 'before the loop: no core is without a tile',
  },
  {
    operators: ['ForeachAddList'],
    line: /^if \(more\) \{$/,
    what: /is true$/,
    why: 'before the loop: no core is without a tile',
  },
  {
    operators: ['ForeachAddList'],
    line: /tensor_ == endTensor_ \? endOffset_/,
    what: /^&& false/,
    why: 'the core goes on to the end of its last tensor: the same values are written several times',
  },
  {
    operators: ['common/inc/op_kernel/samples.h'],
    line: /^if \(\+\+count_ % BLOCK == 0\)/,
    what: /./,
    why: 'the same numbers are added up in another order, as accurately as a sum of float32 has to be',
  },
  {
    operators: ['CoalesceSparse'],
    line: /^AscendC::PipeBarrier<PIPE_ALL>\(\);$/,
    what: /^without /,
    why: 'Reset waits for the stores of all buffers before the next load, and only loads and stores follow, in the same memory',
  },
  {
    operators: [...rowOperators, ...rowElementwise],
    line: /^if \(count_ == 0\) \{$/,
    within: /\bRun\(/,
    what: /is false$/,
    why: 'no core is without a row, or a tile of one',
  },
  {
    operators: ['LayerNormV4', ...rootMeanSquares],
    line: /Widening\(\) \{ return/,
    what: /./,
    why: 'the passes that read a bias, which it does not have',
  },
  {
    operators: rootMeanSquares,
    line: /^if \(norm_->beta != 0\) \{$/,
    what: /is false$/,
    why: 'it has no beta',
  },
  {
    operators: rootMeanSquares,
    line: /./,
    within: /\bReduceKeeping\(|\bReduceTileKeeping\(|\bSumKeeping\(|\bMaximumKeeping\(/,
    what: /./,
    why: 'only the mean is taken of numbers that are still needed; it has none',
  },
  {
    operators: ['common/inc/op_kernel/row_pipeline.h'],
    line: /^rows::CopyOut\(partials_\[i\], /,
    what: / instead of columns$/,
    why: 'the sums are one row at the beginning: nothing is a pitch away',
  },
  {
    operators: ['common/inc/op_kernel/row_math.h'],
    line: /^if \(rest > 0\) \{$/,
    what: /is true$/,
    why: 'an instruction of no lanes does nothing',
  },
  {
    operators: ['common/inc/op_kernel/row_moves.h'],
    line: /^if \(!follows \|\| /,
    what: /is true$/,
    why: 'every row is a transfer of its own: slower',
  },
  {
    operators: ['ReverseSequence'],
    line: /^return \{static_cast<uint16_t>\(run\.count\)/,
    what: /^\|\| true/,
    why: 'it stores rows one behind the other: the gap is 0',
  },
  {
    operators: ['ReverseSequence', 'StridedSliceAssignV2'],
    line: /^if \(core >= moves_->cores\) \{$/,
    what: /is false$/,
    why: 'it moves rows once, on as many cores as that needs',
  },
  {
    operators: ['CoalesceSparse', 'ReverseSequence', 'StridedSliceAssignV2'],
    line: /^if \(unit >= rowsWithSource_ \* /,
    what: /is false$/,
    why: 'all rows come from somewhere',
  },
  {
    operators: ['LayerNormV4', ...rowElementwise],
    line: /InitBuffer\(scalarInQueue_, /,
    what: /^InitBuffer with /,
    why: 'where numbers of rows are inputs; it has none',
  },
  {
    operators: rowElementwise,
    line: /./,
    within: /\b(?:LoadScalars|StoreScalars|WriteEarly)\(/,
    what: /^(?!.* is (?:true|false)$)/,
    why: 'where there are numbers of rows or early outputs; it has none',
  },
  {
    operators: withoutVectors,
    line: /./,
    within: /\bLoadVectors\(/,
    what: /^(?!.* is (?:true|false)$)/,
    why: 'it has no vectors',
  },
  {
    operators: rowElementwise,
    line: /^if \(ReadsRows\(pass\)\) \{$|^if \(tile\.column \+ tile\.columns == /,
    within: /\bCompute\(/,
    what: /is false$| instead of /,
    why: 'no passes, and nothing is widened ahead of the output',
  },
  {
    operators: withoutVectors,
    line: /^if \(Reads\(vectors_\[i\], pass\)\) \{$/,
    what: /./,
    why: 'it has no vectors',
  },
  {
    operators: ['common/inc/op_kernel/row_pipeline.h'],
    line: /InitBuffer\(works_, /,
    what: /^InitBuffer with a block less/,
    why: 'the last work ends with 32 bytes of spare',
  },
  {
    operators: ['GroupNormSwishGrad', ...withoutVectors],
    line: /InitBuffer\(inQueue_, /,
    what: /^InitBuffer with a block less/,
    why: 'it has no vectors, and the last input ends with 32 bytes of spare',
  },
  {
    operators: ['MulSigmoid'],
    line: /InitBuffer\(inQueue_, /,
    what: /^InitBuffer with a block less/,
    why: 'its vector is of half and has the room of float32; the last input ends with 32 bytes of spare',
  },
  {
    operators: ['Sasum', 'Snrm2'],
    line: /^parts\[part\] = /,
    what: / instead of /,
    why: 'its elements have one part, which begins at 0',
  },
  {
    operators: ['GroupNormSwishGrad'],
    line: /^if \(weightsFirst_ == first && /,
    what: /is false$/,
    why: 'the same weights are read again: slower',
  },
  {
    operators: ['RmsNorm', 'Tril'],
    line: /TILING_KEY_IS\(2\)/,
    what: /is true$/,
    why: 'there is no third key',
  },
  {
    operators: ['RmsNorm'],
    line: /^if \(full > 1\)|^if \(full > 0|^if \(rest > 0|full > 0 \? LANES : rest/,
    what: /is true$|^\|\| true/,
    why: 'only rows of 64 elements and more come here, and an instruction of no repeats or no lanes does nothing',
  },
  {
    operators: ['ScatterList'],
    line: /^if \(tiling\.hasMask != 0\)/,
    what: /is true$/,
    why: 'notes where a mask would be; nothing reads it',
  },
  {
    operators: ['ScatterList'],
    line: /^if \(tensor != tensor_\)/,
    what: /is true$/,
    why: 'the same tensor is opened again for every step',
  },
  {
    operators: ['ScatterList'],
    line: /^step\.rows = tiling_->joinsRows != 0/,
    what: /^&& false/,
    why: 'one row at a time: slower',
  },
  {
    operators: ['ScatterList'],
    line: /^const uint64_t wanted = /,
    what: /^&& false|^\|\| true/,
    why: 'steps of fewer rows: slower',
  },
  {
    operators: ['ScatterList'],
    line: /^return Least\(Least\(wanted, /,
    what: /^tiling_->bufferBytes \/ rowBytes instead of/,
    why: 'steps as long as a buffer: fewer',
  },
  {
    operators: ['ScatterList'],
    line: /^const uint64_t tensorEnd = /,
    what: /^\(tensor \+ 1\) \* .* instead of Least/,
    why: 'a step goes on into rows of the next core, which writes the same there',
  },
  {
    operators: ['ScatterList'],
    line: /^const uint64_t length = Least/,
    what: /^rowLength_ instead of/,
    why: 'a piece goes on to the end of its row, and those behind it write the same there',
  },
  {
    operators: ['ScatterList'],
    line: /^if \(length == 0\)/,
    what: /is false$/,
    why: 'a piece without elements is copied as well, and a copy of no bytes does nothing',
  },
  {
    operators: ['ScatterList'],
    line: /^if \(step\.length == length\)/,
    what: /is false$/,
    why: 'the rows that a step took together are taken again one by one, by the same core: the same values',
  },
  {
    operators: ['ScatterList'],
    line: /^return step\.rows == 1 \? 0/,
    what: /^&& false/,
    why: 'a copy of one row has no gap',
  },
  {
    operators: ['Tril'],
    line: /^if \(segment\.zeroed != 0\)/,
    what: /is true$/,
    why: 'a copy of no bytes does nothing',
  },
  {
    operators: ['Tril'],
    line: /^if \(!wraps_\)|^wraps_ = /,
    what: /is true$|^tileLength instead of bufferLength$/,
    why: 'steps that end with the matrix, as those of large matrices: more of them',
  },
  {
    operators: ['Tril'],
    line: /InitBuffer\((?:[xy]Queue_|keepBuffer_|zeroBuffer_)|InitBuffer\(queue_/,
    what: /^tileLength instead of bufferLength$/,
    why: 'no step is longer than a tile: the buffers are just as long as the longest',
  },
  {
    operators: ['Tril'],
    line: /^end = matrixEnd < end/,
    what: /^\|\| true/,
    why: 'the last step of a core goes on to the end of the matrix: the same values are written twice',
  },
  {
    operators: ['Tril'],
    line: /^reach = reach < -OUT_OF_REACH/,
    what: /^&& false/,
    why: 'a diagonal beyond all elements of a step, or far beyond: all of them stay, or none',
  },
  {
    operators: ['Tril'],
    line: /^if \(count > keepCount_/,
    what: /is true$/,
    why: 'the same mask is built again for every step',
  },
  {
    operators: ['RmsNorm'],
    line: /^byColumns_ = |^if \(byColumns_\)/,
    what: /^bufferRows instead of rowsPerTile$|is false$/,
    why: 'the other of two ways to the same sums and products',
  },
  {
    operators: ['RmsNorm'],
    line: /^if \(aligned_ == columns_\)/,
    what: /is false$/,
    why: 'rows without padding one by one, as those with padding: slower',
  },
]
