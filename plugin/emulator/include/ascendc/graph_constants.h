// Macros, because kernels test them with the preprocessor. They have a header of their own because the host side
// has enumerators of the same names.
#pragma once

// ge::DataType and ge::Format as integers, for `#if ORIG_DTYPE_X == DT_FLOAT16`.
// api: DT_*, FORMAT_* | - | - | documented: the numbers of ge::DataType and ge::Format
#define DT_FLOAT 0
#define DT_FLOAT16 1
#define DT_INT8 2
#define DT_INT32 3
#define DT_UINT8 4
#define DT_INT16 6
#define DT_UINT16 7
#define DT_UINT32 8
#define DT_INT64 9
#define DT_UINT64 10
#define DT_DOUBLE 11
#define DT_BOOL 12
#define DT_COMPLEX64 16
#define DT_BF16 27
#define DT_INT4 29
#define FORMAT_NCHW 0
#define FORMAT_NHWC 1
#define FORMAT_ND 2
#define FORMAT_FRACTAL_NZ 29
