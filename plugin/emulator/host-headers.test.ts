import { expect, test } from 'vitest'
import { candidateHeaders } from '../toolchain/candidate-headers.ts'
import { readHeaders } from '../toolchain/declarations.ts'
import { includeFolder, providedNames } from './coverage.ts'
import { absentHostHeaders, pathsOf, providedHostHeaders } from './host-headers.ts'
import { absentHostNames, hostNames } from './host-names.ts'

const headers = readHeaders(includeFolder)
const written = headers.map(({ path, text }) => ({ name: `include/${path}`, text }))
const paths = new Set(candidateHeaders(written).map(({ name }) => name.slice('include/'.length)))
const provided = Object.values(providedHostHeaders).flatMap(pathsOf)
const absent = Object.values(absentHostHeaders).flatMap(pathsOf)

test('every header of the public include trees is provided, or listed with the reason', () => {
  expect(provided.filter((path) => !paths.has(path))).toEqual([])
  expect(absent.filter((path) => paths.has(path))).toEqual([])
  expect(new Set([...provided, ...absent]).size).toBe(provided.length + absent.length)
})

test('every public name of those headers is provided, or listed with the reason', () => {
  const names = new Set(Object.values(hostNames).flatMap(pathsOf))
  const listed = Object.values(absentHostNames).flatMap(pathsOf)
  const isListed = (name: string): boolean => listed.includes(name) || listed.includes(name.replace(/::\w+$/, '::*'))
  const found = providedNames(headers)
  expect([...names].filter((name) => found.has(name) === isListed(name))).toEqual([])
  const known = new Set([...names].flatMap((name) => [name, name.replace(/::\w+$/, '::*')]))
  expect(listed.filter((name) => !known.has(name))).toEqual([])
  expect(Object.keys(hostNames).filter((path) => !provided.includes(path))).toEqual([])
})

test('a list of paths is read as a shell reads it', () => {
  expect(pathsOf('a/{b,\n  c_d}.h e.h')).toEqual(['a/b.h', 'a/c_d.h', 'e.h'])
})
