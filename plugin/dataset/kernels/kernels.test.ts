import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { closureOf, withMethod } from './closure.ts'
import { standsAlone } from './compile.ts'
import { flattened, unitOf } from './include-graph.ts'
import { leakOf } from './leaks.ts'
import { classPartsOf, piecesOf } from './pieces.ts'
import { snippetsOf } from './snippets.ts'

const folder = mkdtempSync(join(tmpdir(), 'npu-kernels-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function write(files: Record<string, string>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
}

const names = (text: string): string[] => piecesOf(text).map(({ names: all }) => all.join(' '))

describe('declarations of a file', () => {
  test('are told apart, with what they declare', () => {
    expect(
      names(`#pragma once
#include "kernel_operator.h"
#define LIMIT 4
using namespace AscendC;
using rows::Tile;
using Operator = Wide<int, 2>;
constexpr uint32_t LANES = 64;  // one repeat
constexpr Config CONFIG{1, {2, 3}};
ROW_OPERATION(AddOf)
Tensor<int, 2> a_, b_[4] = {1, 2}, c_{3};
static constexpr int32_t TABLE[2] = {1, 2};
enum class Mode : uint8_t { WHOLE, SPLIT };
template <typename T, int N = (3 > 2)>
__aicore__ inline LocalTensor<T> Get(const LocalTensor<T>& x) { return x[N]; }
#if A == 1
struct One {};
#else
struct Two {};
#endif
struct P { int a; };
class K : public Base<K> {
 public:
  int b = 0;
};
extern "C" __global__ __aicore__ void entry(GM_ADDR x, GM_ADDR t) { K k; }
`),
    ).toEqual([
      'LIMIT',
      '',
      'Tile',
      'Operator',
      'LANES',
      'CONFIG',
      'AddOf',
      'a_ b_ c_',
      'TABLE',
      'Mode WHOLE SPLIT',
      'Get',
      'One Two',
      'P',
      'K',
      'entry',
    ])
  })

  test('keep their remarks, and braces in literals and comments close nothing', () => {
    const pieces = piecesOf('int a = 1;  // }\n// of b {\nvoid b() { Print("}"); /* } */ }\nint c;\n')
    expect(pieces.map(({ text }) => text)).toEqual([
      'int a = 1;  // }',
      '// of b {\nvoid b() { Print("}"); /* } */ }',
      'int c;',
    ])
  })

  test('have their namespaces', () => {
    const pieces = piecesOf('namespace a {\nnamespace {\nint x;\n}\nint y;\n}  // namespace a\nint z;\n')
    expect(pieces.map(({ names: all, namespaces }) => [...namespaces, ...all].join('/'))).toEqual(['a//x', 'a/y', 'z'])
  })
})

describe('a self-contained piece', () => {
  write({
    'common/inc/op_kernel/math.h': `#pragma once
#include "kernel_operator.h"
namespace rows {
constexpr uint32_t LANES = 64;
constexpr uint32_t OTHER = 1;
struct Unused {};
__aicore__ inline uint32_t Whole(uint32_t n) { return (n + LANES - 1) / LANES * LANES; }
}  // namespace rows
`,
    'Add/op_kernel/queues.h':
      '#pragma once\n#include "op_kernel/math.h"\n// #include "gone.h"\nstruct Depth { static constexpr int N = 2; };\n',
    'Add/op_kernel/add.cpp': `// z = x + y
#include "queues.h"
#include "op_kernel/math.h"
#include "lib/matmul_intf.h"
using namespace AscendC;

class KernelAdd {
 public:
  __aicore__ inline void Init(GM_ADDR x) {
    length_ = rows::Whole(3);
    Reset();
    Reset();
    Reset();
    Reset();
    Reset();
  }
  __aicore__ inline void Process() {}

 private:
  __aicore__ inline void Reset() { count_ = Depth::N; }
  uint32_t length_ = 0;
  uint32_t count_ = 0;
  uint32_t unused_ = 0;
};

extern "C" __global__ __aicore__ void add(GM_ADDR x, GM_ADDR workspace, GM_ADDR tiling) {
  KernelAdd op;
  op.Init(x);
}
`,
  })
  const unit = unitOf(join(folder, 'Add/op_kernel/add.cpp'), {
    root: folder,
    folders: [join(folder, 'Add/op_kernel'), join(folder, 'common/inc')],
  })

  test('is found by includes, each file once and before those that need it', () => {
    expect(unit.files.map(({ path }) => path.slice(folder.length + 1))).toEqual([
      'common/inc/op_kernel/math.h',
      'Add/op_kernel/queues.h',
      'Add/op_kernel/add.cpp',
    ])
    expect(unit.includes).toEqual(['#include "kernel_operator.h"', '#include "lib/matmul_intf.h"'])
    expect(flattened(unit)).not.toMatch(/pragma once|queues\.h/)
  })

  test('nothing outside of its repository is read', () => {
    const inside = unitOf(join(folder, 'Add/op_kernel/add.cpp'), {
      root: join(folder, 'Add'),
      folders: [join(folder, 'common/inc')],
    })
    expect(inside.includes).toContain('#include "op_kernel/math.h"')
  })

  test('has what its target needs, in the order of the sources, and nothing else', () => {
    const entry = unit.files.at(-1)!.pieces.at(-1)!
    const { code } = closureOf(unit, entry)
    const order = [
      'lib/matmul_intf.h',
      'namespace rows {',
      'LANES = 64',
      'uint32_t Whole',
      '}  // namespace rows',
      'struct Depth',
      'using namespace',
      'class KernelAdd',
      'void add',
    ]
    expect(order.map((each) => code.indexOf(each))).toEqual(
      order.map((each) => code.indexOf(each)).toSorted((a, b) => a - b),
    )
    expect(code.indexOf('namespace rows {')).toBeGreaterThan(0)
    expect(code).not.toMatch(/Unused|OTHER/)
  })

  test('has of a class one method and the members that it needs', () => {
    const piece = unit.files.at(-1)!.pieces.find((each) => each.names[0] === 'KernelAdd')!
    const parts = classPartsOf(piece)!
    const init = parts.members.find((each) => each.names[0] === 'Init')!
    const { code } = closureOf(unit, piece, withMethod(parts, init))
    expect(code).toMatch(/class KernelAdd \{\n public:/)
    expect(code).toMatch(/length_ = 0;\n {2}uint32_t count_ = 0;/)
    expect(code).not.toMatch(/unused_|Process|private/)
  })

  test('are the kernel, classes and methods that say something', () => {
    expect(snippetsOf(unit, folder).map(({ what, name, file }) => `${what} ${name} ${file}`)).toEqual([
      'class KernelAdd Add/op_kernel/add.cpp',
      'method KernelAdd::Init Add/op_kernel/add.cpp',
      'kernel add Add/op_kernel/add.cpp',
    ])
  })
})

describe('what is compiled together with others', () => {
  test.each([
    ['void f() {}', false],
    ['#include "kernel_operator.h"\nvoid f() {}', false],
    ['#define A 1\nvoid f() {}', true],
    ['extern "C" void f() {}', true],
    ['} void f() {', true],
    ['void f() { // }\n}', false],
  ])('%j stands alone: %s', (code, alone) => {
    expect(standsAlone(code)).toBe(alone)
  })
})

describe('a request gives code away', () => {
  const code = `class KernelAdd {
  __aicore__ inline void Load(uint64_t offset) {
    LocalTensor<half> x = xQueue_.AllocTensor<half>();
    DataCopyPad(x, xGm_[offset], copy, pad);
    const uint32_t tileLength = 4, tailLength = 5, rowCount = 6, rowBytes = 7, lastRow = 8, firstRow = 9, maxRows = 1;
  }
};`

  test.each([
    'Write a class KernelAdd that adds two half tensors x and y with double-buffered queues and DataCopyPad.',
    'Write the method Load: it copies a tile of x, beginning at an offset, from global memory to a queue.',
  ])('not by %j', (request) => {
    expect(leakOf(request, code)).toBeUndefined()
  })

  test.each([
    ['a block', 'Write this:\n```cpp\nint x;\n```'],
    ['a statement', 'Load x, with\nDataCopyPad(x, xGm, copy, pad);\nplease'],
    ['a statement', 'Write the rest of yGm_.SetGlobalBuffer(y) as well'],
    ['a statement', 'Call Copy(x, y, n); and so on'],
    ['holds code', 'Write uint32_t tileLength = 4, tailLength = 5, rowCount = 6 for me'],
    ['members', 'Write a method that fills xGm_ with data.'],
    ['inside of', 'Use tileLength, tailLength, rowCount, rowBytes, lastRow, firstRow and maxRows in a loop.'],
  ])('by %s', (what, request) => {
    expect(leakOf(request, code)).toContain(what)
  })
})
