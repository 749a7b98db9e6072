import { describe, expect, test } from 'vitest'
import { apiPagesOf, pageText } from './api-page.ts'
import { claimedNames, unknownNames } from './api-names.ts'
import { cardPages } from './card-pages.ts'
import { checkAnswer, isAbout } from './check.ts'
import { quoted } from './quotes.ts'
import { codeBlocksOf, passagesOf, proseOf, sectionsOf } from './sections.ts'
import { skeletonOf, snippetsOf } from './snippets.ts'

const manual = `# Vectors

Intro.

## Add

Adds two tensors, element by element.

### Prototype

\`\`\`cpp
template <typename T>
void Add(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, const int32_t& count);
\`\`\`

### Parameters

| name | meaning |
|---|---|
| dst | destination |

### Constraints

Tensors begin at multiples of 32 bytes.

### Example

\`\`\`cpp
# not a heading
Add(z, x, y, 256);
\`\`\`

## DataCopyPad(ISASI)

### 功能说明

搬运数据。

### 函数原型

\`\`\`
DataCopyPad(dst, src, params)
\`\`\`

### 约束说明

无

## How it works

Two queues.
`

describe('sections of a document', () => {
  test('have their headings and lines, and code has no headings', () => {
    const sections = sectionsOf('a/vectors.md', manual)
    expect(sections.map(({ headings, line }) => `${line} ${headings.join(' > ')}`)).toEqual([
      '1 Vectors',
      '5 Vectors > Add',
      '9 Vectors > Add > Prototype',
      '16 Vectors > Add > Parameters',
      '22 Vectors > Add > Constraints',
      '26 Vectors > Add > Example',
      '35 Vectors > DataCopyPad(ISASI) > 功能说明',
      '39 Vectors > DataCopyPad(ISASI) > 函数原型',
      '45 Vectors > DataCopyPad(ISASI) > 约束说明',
      '49 Vectors > How it works',
    ])
  })

  test('are cut where a prompt cannot hold them, and nothing is lost', () => {
    const lines = Array.from({ length: 300 }, (_, i) => `Line ${i} of a long section.`)
    const [section] = sectionsOf('a.md', `# A\n${lines.join('\n')}`)
    const parts = passagesOf(section!)
    expect(parts.length).toBeGreaterThan(2)
    expect(parts.flatMap(({ text }) => text.split('\n'))).toEqual(lines)
    expect(parts.slice(1).map(({ text, line }) => text.startsWith(`Line ${line - 2} `))).not.toContain(false)
  })

  test('tell code from prose', () => {
    const text = 'a\n```cpp title\nint x;\n```\nb\n~~~\nraw ```\n~~~\n```\nopen'
    expect(codeBlocksOf(text)).toEqual([
      { language: 'cpp', code: 'int x;' },
      { language: '', code: 'raw ```' },
      { language: '', code: 'open' },
    ])
    expect(proseOf(text)).toBe('a\nb')
  })
})

describe('pages of an API', () => {
  const pages = apiPagesOf(sectionsOf('vectors.md', manual))

  test('have their parts, in English and Chinese', () => {
    expect(pages.map(({ name }) => name)).toEqual(['Add', 'DataCopyPad'])
    expect(pages[0]).toMatchObject({
      summary: 'Adds two tensors, element by element.',
      constraints: 'Tensors begin at multiples of 32 bytes.',
      example: '# not a heading\nAdd(z, x, y, 256);',
    })
    expect(pages[0]?.prototype).toMatch(/^template/)
    expect(pages[0]?.parameters).toContain('| dst | destination |')
    expect(pages[1]).toMatchObject({
      summary: '搬运数据。',
      prototype: 'DataCopyPad(dst, src, params)',
      constraints: '无',
    })
    expect(pageText(pages[0]!)).toContain('Constraints:\nTensors begin')
  })

  test('are made of the API card', () => {
    const card = apiPagesOf(sectionsOf('card.md', cardPages()))
    expect(card.length).toBeGreaterThan(150)
    expect(card.find(({ name }) => name === 'Add')).toMatchObject({ example: 'Add(y, x, z, count);' })
    expect(
      card.filter(({ summary, prototype, example }) => summary === '' || prototype === '' || example === ''),
    ).toEqual([])
  })
})

test('a quotation is found wherever it stands, code not counted', () => {
  const document = 'The device stops, or it reads from the aligned address below. Nothing else happens here.'
  expect(quoted('Well: the DEVICE stops, or it *reads* from the aligned place.', [document])).toEqual({
    words: 9,
    text: 'the device stops or it reads from the aligned',
  })
  expect(quoted('```\nThe device stops, or it reads from\n```\nno', [document]).words).toBe(0)
})

describe('names', () => {
  test('of Ascend C are known, and inventions are not', () => {
    const text =
      'Use `TQue::EnQue`, `DataCopyPad(x, y)`, `AscendC::Adds`, ge::GRAPH_FAILED and CrossCoreSetFlag(1); never `TensorMul` or AscendC::FastAdd.'
    expect(unknownNames(text, [])).toEqual(['FastAdd', 'TensorMul'])
  })

  test('of the material and of own code are known', () => {
    expect(unknownNames('`ErrorRead3` and `MyAdd()`\n```cpp\nvoid MyAdd() {}\n```', ['The report ErrorRead3'])).toEqual(
      [],
    )
  })

  test('words of prose are no names', () => {
    expect(claimedNames('The Vector unit (of UB) adds; If so, Then not.')).toEqual([])
  })
})

describe('code of an answer', () => {
  test.each([
    ['Add(y, x, z, count);', 'statements'],
    ['for (uint32_t i = 0; i < 4; ++i) {\n  Adds(y, x, scalar, count);\n}', 'statements'],
    ['LocalTensor<half> t = queue.AllocTensor<half>();', 'statements'],
    ['__aicore__ inline void F(int32_t n) {\n  PipeBarrier<PIPE_V>();\n}', 'declarations'],
    ['class K {\n public:\n  __aicore__ inline void Init() {}\n};', 'declarations'],
    ['extern "C" __global__ __aicore__ void add(GM_ADDR x, GM_ADDR y, GM_ADDR w, GM_ADDR t) {}', 'kernel'],
    ['context->SetBlockDim(8);', 'host-statements'],
    [
      'auto* a = context->GetAttrs();\nif (a != nullptr) {\n    if (rows > 1) {\n        use(a);\n    }\n}',
      'host-statements',
    ],
    [
      'static ge::graphStatus Tiling(gert::TilingContext* context) {\n  return ge::GRAPH_SUCCESS;\n}',
      'host-declarations',
    ],
    ['BEGIN_TILING_DATA_DEF(A)\nTILING_DATA_FIELD_DEF(uint32_t, n);\nEND_TILING_DATA_DEF;', 'host-declarations'],
  ])('%j is put into %s', (code, skeleton) => {
    expect(skeletonOf(code)).toBe(skeleton)
  })

  test('claims to be Ascend C by its fence, or by its words where that says nothing', () => {
    const answer =
      '```cpp\nint n = 1;\n```\n```\nAscendC::Add(y, x, z, count);\n```\n```\nplain output\n```\n```ts\nadd(x)\n```\n```sh\nls\n```'
    expect(snippetsOf(answer).map(({ text }) => text)).toEqual(['int n = 1;', 'AscendC::Add(y, x, z, count);'])
  })
})

describe('an answer is refused', () => {
  const good = { request: 'What does Add do?', thought: 'Addition is done by lanes.', answer: 'It sums two tensors.' }
  const passage =
    'Whatever the shape of the tensors may be, the sum is left in the first of all the tensors that the call is given.'

  test('not where nothing is wrong', () => {
    expect(checkAnswer(good, [passage])).toBeNull()
    const ofValues = {
      ...good,
      answer: 'Find looks for the text of one string in another, as the reference computes it.',
    }
    expect(checkAnswer(ofValues, [passage])).toBeNull()
  })

  test.each([
    ['speaks of the document', { ...good, answer: 'As the passage says, it sums.' }],
    ['speaks of the document', { ...good, request: 'What is described in this section? See the text above.' }],
    ['quotes the document', { ...good, answer: passage }],
    ['quotes the document', { ...good, thought: `So: ${passage}` }],
    ['unknown name', { ...good, answer: 'Use `AddVectors` instead.' }],
  ])('as it %s', (reason, row) => {
    expect(checkAnswer(row, [passage])?.reason).toBe(reason)
  })
})

describe('a row is about what was asked for', () => {
  const passage = {
    kind: 'documentation',
    title: 'Queues',
    texts: ['A queue hands buffers from one pipeline to the next; double buffering overlaps copies with computation.'],
  } as const
  const page = { kind: 'api', title: 'TQue::EnQue', texts: [] } as const

  test.each([
    [
      passage,
      'Why double buffering?',
      'Copies overlap with computation, as each pipeline has buffers of its own.',
      null,
    ],
    [passage, 'What is a block?', 'The number of elements that one core has to treat.', 'not about the passage'],
    [page, 'What does EnQue do?', 'It hands on.', null],
    [page, 'What does DeQue do?', 'It waits.', 'not about the API'],
  ] as const)('%o', (item, request, answer, reason) => {
    expect(isAbout(item, request, answer)?.reason ?? null).toBe(reason)
  })
})
