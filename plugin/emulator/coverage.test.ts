import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readHeader, readHeaders, uncoveredNames, undeclaredNames } from '../toolchain/declarations.ts'
import { census } from './census.ts'
import {
  coverageDocument,
  coverageFile,
  includeFolder,
  missingNames,
  providedNames,
  typeContradictions,
} from './coverage.ts'

const headers = readHeaders(includeFolder)
const isa = headers.filter(({ path }) => path === 'ascendc/isa.h')

test('the committed document is what the headers say (npm run docs)', () => {
  expect(readFileSync(coverageFile, 'utf8')).toBe(coverageDocument(headers))
})

test('every public function, class with methods and macro stands in the document', () => {
  const uncovered = headers.flatMap((header) => uncoveredNames(header).map((name) => `${header.path} ${name}`))
  expect(uncovered).toEqual([])
})

test('every name of the document is declared', () => {
  const undeclared = headers.flatMap((header) => undeclaredNames(header).map((name) => `${header.path} ${name}`))
  expect(undeclared).toEqual([])
})

test('types are those that the overloads assert', () => {
  expect(typeContradictions(headers)).toEqual([])
})

test('every name that operators use is provided or listed as missing', () => {
  const provided = providedNames(headers)
  const [, list = ''] = coverageDocument(headers).split('## Not emulated yet')
  const names = Object.values(census).flatMap((text) => text.split(/\s+/))
  expect(names.filter((name) => provided.has(name) === list.includes(`\`${name}\``))).toEqual([])
  expect(provided).toContain('TPipe::InitBuffer')
  expect(provided).toContain('TilingContext::GetNodeName')
  expect(missingNames([]).flatMap(([, missing]) => missing)).toHaveLength(names.length)
})

const header = (text: string) => readHeader('x.h', text)

test('a function, a class or a macro without an api line above it is reported', () => {
  const text = `namespace AscendC {
// api: Known | V | - | documented
template <typename T, bool isSetMask = true>
inline void Known(const LocalTensor<T>& dst, int n = 0) { f({1, 2}); }
inline void Forgotten() {}
namespace npu_emu_detail { inline void Inner() {} }
struct Plain { int a = 0; };
class Handle {
 public:
  void Use() {}
 private:
  void hidden() {}
};
}  // namespace AscendC
#define FORGOTTEN_TOO(x) x
// api: Late | V | - | documented`
  expect(uncoveredNames(header(text))).toEqual(['Forgotten:5', 'Handle:8', 'FORGOTTEN_TOO:15'])
  expect(undeclaredNames(header(text))).toEqual(['Late'])
})

test('an overload belongs to the nearest api line above it, and says its form', () => {
  const text = `// Title. More.
// api: F | V | half | documented
void F(const LocalTensor<T>& dst, const int32_t& count) {}
void F(const LocalTensor<T>& dst, uint64_t mask, const UnaryRepeatParams& p) {}
void F(const LocalTensor<T>& dst, uint64_t mask[], const UnaryRepeatParams& p) {}
// api: F | MTE2 | float | inferred: because
void F(const LocalTensor<T>& dst, const DataCopyParams& p) {}`
  const document = coverageDocument([header(text)])
  expect(document).toContain('| `F` | count, mask, mask array | half | V | documented |')
  expect(document).toContain('| `F` | `DataCopyParams` | float | MTE2 | inferred: because |')
  expect(document).toContain('\nTitle.\n')
})

const group = (types: string, assertion: string) => `// api: F | V | ${types} | documented
template <typename T>
void F() { ${assertion} }`

const contradictions = (types: string, assertion: string) =>
  typeContradictions([...isa, header(group(types, assertion))]).filter((line) => line.startsWith('x.h'))

test('types that contradict the assertion are reported, whichever way it is written', () => {
  const add = 'static_assert(npu_emu::isa::Add::types::has<T>, "no");'
  expect(contradictions('int16_t half int32_t float', add)).toEqual([])
  expect(contradictions('isa', add)).toEqual([])
  expect(contradictions('half float', add)).toHaveLength(1)
  expect(contradictions('any', add)).toHaveLength(1)
  expect(contradictions('half float', 'static_assert(npu_emu::Types<half>::has<T>, "no");')).toHaveLength(1)
  expect(contradictions('half', 'static_assert(npu_emu::isa::Fill::has<T>, "no");')).toHaveLength(1)
  expect(contradictions('half->int8_t', 'static_assert(npu_emu::isa::MulCast::supports<T, U>, "no");')).toHaveLength(1)
  expect(contradictions('isa', '')).toHaveLength(1)
})

test('an api line goes on where the next line is indented', () => {
  const text = `// api: F | V | half | inferred: because of a
//   long reason
// No part of it.
void F(const LocalTensor<T>& dst, const int32_t& count) {}`
  expect(coverageDocument([header(text)])).toContain('| `F` | count | half | V | inferred: because of a long reason |')
})

test('overloads that a macro declares belong to the api line above its use', () => {
  const text = `#define NPU_EMU_DECLARE_TWO(name)                                 \\
  inline void name(const LocalTensor<T>& dst, const int32_t& count) {} \\
  inline void name(const LocalTensor<T>& dst, uint64_t mask) {}
// api: F | V | half | documented
NPU_EMU_DECLARE_TWO(F)
// api: G | V | float | documented
NPU_EMU_DECLARE_TWO(G)
NPU_EMU_DECLARE_TWO(Forgotten)
`
  const document = coverageDocument([header(text)])
  expect(document).toContain('| `F` | count, mask | half | V | documented |')
  expect(document).toContain('| `G` | count, mask | float | V | documented |')
  expect(uncoveredNames(header(text))).toEqual(['Forgotten:8', 'Forgotten:8'])
})

test('an api line without its four fields is refused', () => {
  expect(() => header('// api: F | V | documented')).toThrow('x.h:1')
  expect(() => header('// api: F | V | half | surely')).toThrow('x.h:1')
})
