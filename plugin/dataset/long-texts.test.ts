import { describe, expect, test } from 'vitest'
import { itemsOf } from './answer-items.ts'
import { mistakesIn } from './api-mistakes.ts'
import { itemsOf as cppItemsOf } from './cpp-items.ts'
import { claimedNames } from './documents/api-names.ts'
import { kernelEntry } from './documents/compile-snippets.ts'
import { quoted } from './documents/quotes.ts'
import { codeBlocksOf, proseOf, sectionsOf } from './documents/sections.ts'
import { skeletonOf } from './documents/snippets.ts'
import { plainTokensOf } from './hygiene/shingles.ts'
import { classPartsOf, piecesOf } from './kernels/pieces.ts'
import { entryName } from './kernels/snippets.ts'
import { blocksOf } from './mixed/claims.ts'
import { withoutOwnIncludes } from './mixed/operator.ts'

const halfMegabyte = (part: string, end = ''): string => part.repeat(2 ** 19 / part.length) + end

/** Texts of strangers are read in time that is linear in them: nobody waits for the square of half a megabyte. */
describe('texts without an end', { timeout: 30_000 }, () => {
  test.each([
    ['marks of literals', halfMegabyte(String.raw`\"`)],
    ['marks of blocks', halfMegabyte('~', '`')],
    ['blocks', halfMegabyte('```cpp\n')],
    ['headings', `# ${halfMegabyte('[')}`],
    ['ends of headings', `# ${halfMegabyte('#', 'x')}`],
    ['blanks of a heading', `# a${halfMegabyte(' ', 'x')}`],
    ['blank lines', halfMegabyte('\n\t', 'x')],
    ['statements with carriage returns', `${halfMegabyte(';//')}\r x`],
    ['classes', halfMegabyte('struct a\n')],
    ['a word', halfMegabyte('a', '!')],
    ['words', `static${halfMegabyte(' ', '!')}`],
    ['templates', halfMegabyte('template<', ';')],
    ['constants', `const ${halfMegabyte('a ', ';')}`],
    ['directives', `#${halfMegabyte('a')}\\`],
    ['comments', halfMegabyte('/* ')],
    ['marks of code', `\`DataCopyPad<${halfMegabyte('>(')}`],
    ['kernels', `#include "kernel_operator.h"\n${halfMegabyte('__global__ ')}`],
    ['entries without an end', halfMegabyte('__global__ void a(')],
    ['includes of tiling', `#include "${halfMegabyte('tiling')}`],
    ['functions of templates', halfMegabyte('template<class T>void f(){}')],
    ['namespaces', halfMegabyte('namespace a{')],
    ['declarations in one line', halfMegabyte('int a;')],
    ['values', `struct a ${halfMegabyte('{},')}`],
    ['values of one declaration', `int a${halfMegabyte('{},')}`],
    ['labels', `struct a {${halfMegabyte('public:')}};`],
    ['calls', halfMegabyte('DataCopy(')],
    ['arguments that are compared', `Adds(${halfMegabyte('a<')}`],
    ['arguments of a template', halfMegabyte('SetFlag<')],
    ['words that repeat themselves', halfMegabyte('a b ')],
  ])('%s', (_, text) => {
    expect(proseOf(text).length).toBeLessThanOrEqual(text.length)
    codeBlocksOf(text)
    sectionsOf('document', text)
    itemsOf(text)
    skeletonOf(text)
    blocksOf(`AscendC ${text}`)
    plainTokensOf(text)
    claimedNames(text)
    kernelEntry(text)
    entryName(text)
    withoutOwnIncludes(text)
    for (const piece of piecesOf(text)) classPartsOf(piece)
    cppItemsOf(text)
    mistakesIn(text)
    quoted(`c ${text}`, [`d ${text}`])
  })
})
