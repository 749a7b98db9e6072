import { expect, test } from 'vitest'
import { candidateHeaders } from '../toolchain/candidate-headers.ts'
import { readHeaders } from '../toolchain/declarations.ts'
import { includeFolder } from './coverage.ts'
import { absentHostHeaders, pathsOf, providedHostHeaders } from './host-headers.ts'

const written = readHeaders(includeFolder).map(({ path, text }) => ({ name: `include/${path}`, text }))
const paths = new Set(candidateHeaders(written).map(({ name }) => name.slice('include/'.length)))
const provided = Object.values(providedHostHeaders).flatMap(pathsOf)
const absent = Object.values(absentHostHeaders).flatMap(pathsOf)

test('every header of the public include trees is provided, or listed with the reason', () => {
  expect(provided.filter((path) => !paths.has(path))).toEqual([])
  expect(absent.filter((path) => paths.has(path))).toEqual([])
  expect(new Set([...provided, ...absent]).size).toBe(provided.length + absent.length)
})

test('a list of paths is read as a shell reads it', () => {
  expect(pathsOf('a/{b,\n  c_d}.h e.h')).toEqual(['a/b.h', 'a/c_d.h', 'e.h'])
})
