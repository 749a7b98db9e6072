import { describe, expect, test } from 'vitest'
import { snakeCase } from '../model/index.ts'
import { parseDiagnostics } from './diagnostics.ts'
import {
  blankVendorSyntax,
  coreKindsOf,
  decidesByKey,
  definedStructs,
  entryParameters,
  templateEntry,
} from './entry.ts'
import { lineOfAnotherFile } from './line-directives.ts'
import { identifierOf } from './mangled.ts'
import { readDependencies } from './repository.ts'
import { blankComments, withoutComments } from './text.ts'
import { namedNumbers } from './tiling-keys.ts'

const megabyte = (part: string, end = ''): string => part.repeat(2 ** 20 / part.length) + end

/** What a candidate may write is read in time that is linear in it: nobody waits for the square of a megabyte. */
describe('texts without an end', { timeout: 20_000 }, () => {
  test.each([
    ['marks of literals', megabyte(String.raw`\'\"`)],
    ['comments', megabyte('/*\n')],
    ['blanks', megabyte(' ', 'x')],
    ['blank lines', megabyte('\n\t', 'x')],
    ['carriage returns', megabyte('\r\t', 'x')],
    ['underscores', megabyte('_')],
    ['constants', megabyte('constexpr ')],
    ['definitions', megabyte('#define X ')],
    ['launches', megabyte('a<<<')],
    ['ends of launches', megabyte('a<<<b>>>(')],
    ['templates', megabyte('template <')],
    ['attributes', megabyte('struct __attribute__((a', '))')],
    ['classes', megabyte('struct a:')],
    ['classes with attributes', `class ${megabyte('__attribute__((l))')};`],
    ['conditions in one line', megabyte('#if\r')],
    ['includes', megabyte('#include<\u2028')],
    ['conditions', `#if defined(${megabyte(' ')}`],
    ['kinds of kernels', megabyte(`KERNEL_TASK_TYPE(${' '.repeat(1000)}`)],
    ['kernels', megabyte('void kernel(')],
    ['dependencies', megabyte('add_modules_sources(DEPENDENCIES ')],
  ])('%s', (_, text) => {
    expect(blankComments(text, true)).toHaveLength(text.length)
    withoutComments(text)
    lineOfAnotherFile(text)
    coreKindsOf([text], 'other')
    blankVendorSyntax(text)
    expect(entryParameters(text, 'other')).toBeUndefined()
    expect(templateEntry(text, 'other')).toBeNull()
    decidesByKey(text)
    definedStructs([text])
    namedNumbers([text])
    readDependencies([text])
    parseDiagnostics(text)
    snakeCase(text)
  })

  test.each([megabyte('E0'), megabyte('_'), megabyte('Ul')])('names', (name) => {
    identifierOf(`_ZZ${name}`)
    snakeCase(name.toUpperCase())
  })
})
