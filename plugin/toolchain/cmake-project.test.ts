import { expect, test } from 'vitest'
import { addedFolders, leavingMacros, projectsOf, requirePlainCommands, textsOf } from './cmake-project.ts'

const version = 'cmake_minimum_required(VERSION 3.16.0)\n'

const projectOf = (top: string | undefined, files: Record<string, string> = {}) => ({
  root: '/c',
  lists: [
    { folder: '/c/op_kernel', text: 'message(x)' },
    { folder: '/c/op_host', text: 'message(x)' },
    ...(top === undefined ? [] : [{ folder: '/c', text: top }]),
  ],
  others: { allTexts: new Map(Object.entries(files).map(([name, text]) => [`/c/${name}`, text])) },
})

function added(top: string | undefined, files?: Record<string, string>): string[] {
  const project = projectOf(top, files)
  return [...addedFolders(project, textsOf(project))].toSorted()
}

test('CMake comes to the folders that the list of the top adds for sure', () => {
  expect(added(undefined)).toEqual(['/c/op_host', '/c/op_kernel'])
  expect(added('project(opp)')).toEqual(['/c'])
  for (const text of [
    'add_subdirectory(op_kernel)',
    'add_subdirectory(${CMAKE_CURRENT_SOURCE_DIR}/op_kernel)',
    'set(K op_kernel)\nADD_SUBDIRECTORY("${K}" made EXCLUDE_FROM_ALL)',
    'include(cmake/func.cmake)\nif(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/op_kernel)\n  add_subdirectory(op_kernel)\nendif()',
    'if(EXISTS "${CMAKE_SOURCE_DIR}/op_kernel")\nadd_subdirectory(op_kernel)\nendif()',
  ])
    expect([text, added(text)]).toEqual([text, ['/c', '/c/op_kernel']])
  for (const text of [
    'if(FALSE)\nadd_subdirectory(op_kernel)\nendif()',
    'if(X)\nadd_subdirectory(op_kernel)\nendif()',
    'if(EXISTS ${CMAKE_SOURCE_DIR}/none)\nadd_subdirectory(op_kernel)\nendif()',
    'function(add)\nadd_subdirectory(op_kernel)\nendfunction()',
    'return()\nadd_subdirectory(op_kernel)',
    'add_subdirectory(${X})',
    'add_subdirectory(op_kernel',
    `set(A xx)\n${'set(A ${A}${A})\n'.repeat(60)}add_subdirectory(\${A})`,
  ])
    expect([text, added(text)]).toEqual([text, ['/c']])
  const below = { 'sub/CMakeLists.txt': 'add_subdirectory(../op_kernel)\nadd_subdirectory(../sub)' }
  expect(added('add_subdirectory(sub)', below)).toEqual(['/c', '/c/op_kernel', '/c/sub'])
  const leaving = { 'more.cmake': 'macro(leave)\nreturn()\nendmacro()' }
  expect(added('include(more.cmake)\nleave()\nadd_subdirectory(op_kernel)', leaving)).toEqual(['/c'])
})

test('macros that return are told', () => {
  const other = 'macro(other)\nendmacro()\n'
  expect([...leavingMacros([other, 'function(f)\nreturn()\nendfunction()'])]).toEqual([])
  expect([...leavingMacros([other, 'Macro(Leave)\nreturn()\nendmacro()'])]).toEqual(['other', 'leave'])
})

test('a project is begun for sure before anything else', () => {
  expect(projectsOf(`${version}set(A b)\nproject(opp LANGUAGES CXX)\nadd_subdirectory(x)\nproject(late)`)).toEqual([
    'opp',
  ])
  expect(projectsOf(`${version}if(X)\nproject(opp)\nendif()`)).toEqual([])
})

const required = (top: string | undefined, files?: Record<string, string>) => () => {
  const project = projectOf(top, files)
  requirePlainCommands(project, textsOf(project))
}

test('commands of CMake that are others than usual are refused', () => {
  expect(required(undefined)).not.toThrow()
  for (const text of [
    version,
    `${version}project(opp)\ncmake_policy(PUSH)\ncmake_policy(SET CMP0057 NEW)\ncmake_policy(SET CMP0048 OLD)\ncmake_policy(VERSION 3.5...3.27)`,
    `${version}function(add_ops_compile_options)\nendfunction()\nmacro(own)\nendmacro()`,
  ])
    expect(required(text)).not.toThrow()
  for (const [text, message] of [
    ['project(opp)', 'CMakeLists.txt:1: without a version CMake reads it as it did once'],
    [`if(TRUE)\nendif()\n${version}`, 'write cmake_minimum_required first'],
    ['cmake_minimum_required(VERSION 2.6)', 'CMakeLists.txt:1: cmake_minimum_required may have CMake read conditions'],
    ['cmake_minimum_required(VERSION ${V})', 'CMakeLists.txt:1: cmake_minimum_required may have'],
    [`${version}cmake_policy(SET CMP0012 OLD)`, 'CMakeLists.txt:2: cmake_policy may have CMake read conditions'],
    [`${version}cmake_policy(VERSION 2.6)`, 'CMakeLists.txt:2: cmake_policy'],
    [`${version}include(a.cmake NO_POLICY_SCOPE)`, 'CMakeLists.txt:2: include may have'],
    [`${version}variable_watch(S own)`, 'CMakeLists.txt:2: variable_watch is not followed here'],
  ] as const)
    expect(required(text)).toThrow(message)
  for (const name of ['Set', 'add_subdirectory', 'include', '${X}'])
    expect(required(version, { 'cmake/more.cmake': `\nmacro(${name})\nendmacro()` })).toThrow(
      `cmake/more.cmake:2: ${name} is a command of CMake itself: give the macro another name`,
    )
})
