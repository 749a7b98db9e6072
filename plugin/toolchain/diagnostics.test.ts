import { expect, test } from 'vitest'
import { failureFromLog } from './build-failure.ts'
import { parseDiagnostics } from './diagnostics.ts'

const clang = `In file included from /c/op_kernel/add.cpp:3:
/c/op_kernel/add.h:4:9: warning: unused variable 'a' [-Wunused-variable]
    int a = 0;
        ^
/c/op_kernel/add.cpp:12:3: error: no matching function for call to 'Add'
  Add(z, x, 1);
  ^~~
/cache/include/ascendc/vector_binary.h:20:6: note: candidate template ignored: deduced conflicting types ('_Float16' vs. 'int')
void Add(
     ^
1 warning and 1 error generated.`

test('errors come first, each with its notes, in the vocabulary of the vendor', () => {
  expect(parseDiagnostics(clang)).toEqual([
    {
      severity: 'error',
      message: "no matching function for call to 'Add'",
      file: '/c/op_kernel/add.cpp',
      line: 12,
      column: 3,
    },
    {
      severity: 'note',
      message: "candidate template ignored: deduced conflicting types ('half' vs. 'int')",
      file: '/cache/include/ascendc/vector_binary.h',
      line: 20,
      column: 6,
    },
    {
      severity: 'warning',
      message: "unused variable 'a' [-Wunused-variable]",
      file: '/c/op_kernel/add.h',
      line: 4,
      column: 9,
    },
  ])
})

test('g++ messages without a column and fatal errors are read', () => {
  const text = '/c/op_host/a.cpp:2:10: fatal error: missing.h: No such file or directory\ncc1plus: error: out of ideas'
  expect(parseDiagnostics(text)).toEqual([
    {
      severity: 'error',
      message: 'missing.h: No such file or directory',
      file: '/c/op_host/a.cpp',
      line: 2,
      column: 10,
    },
    { severity: 'error', message: 'out of ideas' },
  ])
})

test('the linker names what is missing, and where when it knows', () => {
  const text = `/usr/bin/ld: /s/unit0.o: in function \`TilingFunc':
/c/op_host/a.cpp:31: undefined reference to \`Missing(int)'
/usr/bin/ld: unit0.o:(.text+0x2): undefined reference to \`other'`
  expect(parseDiagnostics(text)).toEqual([
    { severity: 'error', message: "undefined reference to `Missing(int)'", file: '/c/op_host/a.cpp', line: 31 },
    { severity: 'error', message: "undefined reference to `other'" },
  ])
})

test('the renamed kernel is shown under its own name', () => {
  const [first] = parseDiagnostics("/c/k.cpp:1:1: error: redefinition of 'npu_emu_kernel_sqrt'")
  expect(first?.message).toBe("redefinition of 'sqrt'")
})

test('output that holds no message still gives an error with its last line', () => {
  const { diagnostics } = failureFromLog(
    'kernel',
    'PLEASE submit a bug report\nLLVM ERROR: out of memory\n',
    'the compiler failed',
  )
  expect(diagnostics).toEqual([{ severity: 'error', message: 'the compiler failed: LLVM ERROR: out of memory' }])
})

test('a line of quotation marks is read in no time', () => {
  const begin = performance.now()
  expect(parseDiagnostics(`kernel.cpp:1:2: error: ${'"'.repeat(100_000)}`)).toHaveLength(1)
  expect(performance.now() - begin).toBeLessThan(2000)
})

test('a note of quotation marks about a call that no overload takes is read in no time', () => {
  const begin = performance.now()
  const note = `kernel.cpp:1:2: note: candidate: no known conversion from ${"'".repeat(100_000)}`
  const text = `kernel.cpp:1:2: error: no matching function for call to 'Add'\n  Add();\n${note}`
  expect(failureFromLog('kernel', text, 'failed').class).toBe('api-signature')
  expect(performance.now() - begin).toBeLessThan(2000)
})

test.each([
  ['in NPU_EMU_ENTRY: expected unqualified-id', 'syntax'],
  ['in GET_TILING_DATA: expected expression', 'macro'],
  ["no namespace named 'matmul'; did you mean 'matmul'?", 'scope'],
])('%s is of the class %s', (message, expected) => {
  expect(failureFromLog('kernel', `/c/op_kernel/add.cpp:12:3: error: ${message}\n`, '').class).toBe(expected)
})
