import { expect, test } from 'vitest'
import { readNamedSources, requirePlainHost, type Project } from './cmake-sources.ts'
import { OtherFiles, otherFilesOf } from './compile-options.ts'

const files = ['op_host/a.cpp', 'op_host/sub/b.cpp', 'op_host/c.c', 'op_kernel/mine.cpp', 'op_kernel/mine/other.cpp']
const others = new OtherFiles([])

const projectOf = (host: string, kernel = ''): Project => ({
  operator: 'Mine',
  root: '/c',
  hostDir: '/c/op_host',
  kernelDir: '/c/op_kernel',
  lists: [
    { folder: '/c/op_kernel', text: kernel },
    { folder: '/c/op_host', text: host },
  ],
  others,
  files: new Set(files.map((name) => `/c/${name}`)),
})
const read = (host: string, kernel = '') => readNamedSources(projectOf(host, kernel))
const hostOf = (host: string) => read(host).host

const [a, b] = ['/c/op_host/a.cpp', '/c/op_host/sub/b.cpp']
const library = 'npu_op_library(cust_optiling TILING ${srcs})\n'

test('sources of the host part are those that CMake names', () => {
  expect(hostOf('message(x)')).toBeUndefined()
  for (const text of [
    'file(GLOB srcs a.cpp sub/*.cpp)\n',
    'set(srcs ${CMAKE_CURRENT_SOURCE_DIR}/a.cpp)\nlist(APPEND srcs sub/b.cpp)\n',
    'file(GLOB_RECURSE srcs CONFIGURE_DEPENDS *.cpp)\n',
    'file(GLOB srcs a.cpp sub/b.cp?)\nnpu_op_code_gen(\n  SRC ${srcs}\n  PACKAGE p\n  OUT_DIR ${ASCEND_AUTOGEN_PATH}\n)\n',
  ])
    expect([text, hostOf(text + library)]).toEqual([text, { tiling: [a, b], definitions: [] }])
  expect(hostOf('file(GLOB srcs *.cpp)\nadd_library(cust_optiling SHARED ${srcs})')).toEqual({
    tiling: [a],
    definitions: [],
  })
  expect(hostOf(`set(srcs a.cpp)\nopbuild(OPS_SRC \${srcs} sub/b.cpp OUT_DIR x)\n${library}`)).toEqual({
    tiling: [a],
    definitions: [b],
  })
})

const below = (files: Record<string, string>) => (text: string) => {
  const more = otherFilesOf(new Map(Object.entries(files).map(([name, body]) => [`/c/${name}`, body])))
  return readNamedSources({ ...projectOf(text), others: more }).host
}

test('sources are named in lists of folders below as well, and not in files that are included', () => {
  const sub = below({ 'op_host/sub/CMakeLists.txt': 'npu_op_library(cust_optiling TILING b.cpp ../a.cpp)' })
  expect(sub('add_subdirectory(sub)')).toEqual({ tiling: [b, a], definitions: [] })
  expect(sub('message(x)')).toBeUndefined()
  const module = below({ 'op_host/more.cmake': 'npu_op_library(cust_optiling TILING a.cpp)' })
  expect(() => module('include(more.cmake)')).toThrow('more.cmake names sources, which is not followed here')
  expect(module('')).toBeUndefined()
  const definition = below({ 'cmake/func.cmake': 'function(opbuild)\nadd_library(${X} SHARED ${Y})\nendfunction()' })
  expect(definition('include(../cmake/func.cmake)')).toBeUndefined()
  const flags = below({
    'cmake/intf.cmake': 'add_library(intf_pub INTERFACE)\ntarget_compile_options(intf_pub INTERFACE -fPIC)',
  })
  expect(flags('include(../cmake/intf.cmake)')).toBeUndefined()
})

test('what the build of the vendor makes is no source of the candidate', () => {
  const made = 'file(GLOB fallback_src ${ASCEND_AUTOGEN_PATH}/fallback_*.cpp)\n'
  const added = 'if(${fallback_src})\ntarget_sources(cust_optiling PRIVATE ${fallback_src})\nendif()'
  for (const text of [
    `${made}npu_op_library(cust_optiling TILING a.cpp \${fallback_src})`,
    `${made}add_library(cust_optiling SHARED a.cpp)\n${added}`,
    'add_library(cust_optiling SHARED a.cpp)\nif(X)\nadd_library(cust_optiling_obj OBJECT a.cpp)\nendif()',
  ]) {
    expect(hostOf(text)?.tiling).toEqual([a])
    expect(hostOf(`set(ASCEND_AUTOGEN_PATH \${CMAKE_BINARY_DIR}/autogen)\n${text}`)?.tiling).toEqual([a])
  }
  const named = `${made}npu_op_library(cust_optiling TILING a.cpp \${fallback_src})`
  for (const text of [
    `${named}\nset(ASCEND_AUTOGEN_PATH \${CMAKE_CURRENT_SOURCE_DIR})`,
    `${named}\nfile(WRITE \${CMAKE_BINARY_DIR}/autogen/fallback_a.cpp "")`,
  ])
    expect(() => hostOf(text)).toThrow('fallback_*.cpp of npu_op_library cannot be told')
})

test('a library whose name is put together may be that of the host part', () => {
  const named = 'target_sources(${N} PRIVATE sub/b.cpp)'
  const own = 'add_library(cust_optiling SHARED a.cpp)\n'
  expect(hostOf(`${own}set(N cust_optiling)\n${named}`)?.tiling).toEqual([a, b])
  expect(hostOf(`${own}set(N other)\n${named}`)?.tiling).toEqual([a])
  expect(() => hostOf(`${own}set(N cust)\nstring(APPEND N _optiling)\n${named}`)).toThrow(
    '${N} of target_sources cannot be told',
  )
})

test('a list that CMake may not come to names no sources', () => {
  const named = { folder: '/c/op_host', text: 'npu_op_library(cust_optiling TILING a.cpp)' }
  const top = (text: string) => () =>
    readNamedSources({ ...projectOf(''), lists: [named, { folder: '/c', text }] }).host
  expect(top('add_subdirectory(op_host)')()?.tiling).toEqual([a])
  for (const text of ['project(x)', 'if(X)\nadd_subdirectory(op_host)\nendif()'])
    expect(top(text)).toThrow(
      'op_host/CMakeLists.txt: whether it names sources cannot be told: write add_subdirectory(op_host)',
    )
  const sub = below({ 'op_host/sub/CMakeLists.txt': 'npu_op_library(cust_optiling TILING b.cpp)' })
  expect(() => sub('if(FALSE)\nadd_subdirectory(sub)\nendif()')).toThrow('write add_subdirectory(sub)')
})

test('what is named and cannot be told, or is not compiled here, is refused', () => {
  for (const [text, message] of [
    [library, '${srcs} of npu_op_library cannot be told: name the files'],
    [`set(srcs a.cpp)\nany_other(x)\n${library}`, '${srcs} of npu_op_library cannot be told'],
    [`if(X)\n${library.replace('${srcs}', 'a.cpp')}endif()`, 'whether it runs of npu_op_library cannot be told'],
    ['npu_op_library(x TILING none.cpp)', 'op_host/none.cpp of npu_op_library is not there'],
    ['npu_op_library(x TILING a.cpp c.c)', 'op_host/c.c of npu_op_library is not compiled here'],
    ['aux_source_directory(${CMAKE_CURRENT_SOURCE_DIR} srcs)\n' + library, 'op_host/c.c of npu_op_library is not'],
    ['add_library(cust_optiling $<TARGET_OBJECTS:x>)', '$<TARGET_OBJECTS:x> of add_library cannot be told'],
  ] as const)
    expect(() => read(text)).toThrow(message)
})

const kernelOf = (text: string) => read('', text).kernel

test('the file of the kernel is the one that CMake names', () => {
  expect(kernelOf('npu_op_kernel_library(k SRC_BASE ${CMAKE_SOURCE_DIR}/op_kernel/ TILING_LIBRARY t)')).toBeUndefined()
  expect(kernelOf('npu_op_kernel_sources(k OP_TYPE Other KERNEL_FILE other.cpp)')).toBeUndefined()
  const named = 'npu_op_kernel_sources(k OP_TYPE Mine KERNEL_DIR mine KERNEL_FILE other.cpp)\n'
  expect(kernelOf(named)).toBe('/c/op_kernel/mine/other.cpp')
  expect(kernelOf(named.replace(')', ' COMPUTE_UNIT Ascend310P)'))).toBeUndefined()
  for (const [text, message] of [
    [`${named}npu_op_kernel_sources(k OP_TYPE Mine KERNEL_FILE mine.cpp)`, 'several KERNEL_FILE for Mine'],
    ['npu_op_kernel_sources(k OP_TYPE Mine KERNEL_FILE ${F})', '${F} of npu_op_kernel_sources cannot be told'],
    [
      'npu_op_kernel_library(k SRC_BASE ${CMAKE_SOURCE_DIR}/other/)',
      'takes kernels from other, which is not op_kernel',
    ],
    ['npu_op_kernel_library(k SRC_BASE ${X})', 'SRC_BASE ${X} of npu_op_kernel_library cannot be told'],
  ] as const)
    expect(() => kernelOf(text)).toThrow(message)
})

const plain = (host: string, more = others) =>
  requirePlainHost({ ...projectOf(host, 'add_definitions(-DX)'), others: more })

test('definitions and options for the host part are refused, but those of the templates of the vendor', () => {
  for (const [text, given] of [
    ['add_compile_definitions(WRONG)', 'WRONG'],
    ['add_definitions(-DWRONG)', '-DWRONG'],
    ['add_compile_options(-Wall -ffast-math)', '-ffast-math'],
    ['target_compile_definitions(cust_optiling PRIVATE OP_TILING_LIB WRONG)', 'WRONG'],
    ['target_compile_definitions(mine INTERFACE WRONG)', 'WRONG'],
    ['target_compile_definitions(intf_pub INTERFACE $<$<CONFIG:Release>:WRONG>)', 'WRONG'],
    ['set(CMAKE_CXX_FLAGS "${CMAKE_CXX_FLAGS} -O2 -DWRONG")', '-DWRONG'],
    ['string(APPEND CMAKE_CXX_FLAGS " -DWRONG")', '-DWRONG'],
    ['set_source_files_properties(a.cpp PROPERTIES COMPILE_DEFINITIONS WRONG)', 'WRONG'],
    ['set_property(DIRECTORY PROPERTY COMPILE_DEFINITIONS WRONG)', 'WRONG'],
    ['npu_op_code_gen(SRC a.cpp COMPILE_OPTIONS -g -DWRONG)', '-DWRONG'],
    ['set_property(TARGET flags PROPERTY INTERFACE_COMPILE_DEFINITIONS WRONG)', 'WRONG'],
    ['add_compile_options(-Wp,-DWRONG)', '-Wp,-DWRONG'],
    ['add_compile_options(-std=c++20)', '-std=c++20'],
    ['add_link_options(-Wl,--wrap=f)', '-Wl,--wrap=f'],
    ['target_link_options(cust_optiling PRIVATE -s -Wl,--wrap=f)', '-Wl,--wrap=f'],
    ['target_link_libraries(cust_optiling PRIVATE register -Wl,--wrap=f)', '-Wl,--wrap=f'],
    ['link_libraries(-Wl,--wrap=f)', '-Wl,--wrap=f'],
    ['set(CMAKE_SHARED_LINKER_FLAGS "-Wl,--wrap=f")', '-Wl,--wrap=f'],
    ['set_target_properties(cust_optiling PROPERTIES OUTPUT_NAME x LINK_FLAGS -Wl,--wrap=f)', '-Wl,--wrap=f'],
  ] as const)
    expect(() => plain(text)).toThrow(`CMakeLists.txt:1: ${given} is not given to the host part here`)
  for (const text of [
    'target_compile_definitions(cust_optiling PRIVATE OP_TILING_LIB)',
    'target_compile_options(cust_optiling PRIVATE -fvisibility=hidden -O2)',
    'set(CMAKE_CXX_FLAGS "${CMAKE_CXX_FLAGS} -Wall -O2 -std=c++17 -fPIC")',
    'target_compile_definitions(tests PRIVATE UT_TEST)',
    'target_compile_definitions(intf_pub INTERFACE _GLIBCXX_USE_CXX11_ABI=0 $<$<CONFIG:Release>:_FORTIFY_SOURCE=2>)',
    'target_compile_options(intf_pub INTERFACE $<$<CONFIG:Debug>:-O0 -g> $<$<COMPILE_LANGUAGE:CXX>:-std=c++17>)',
    'target_compile_options(intf_pub INTERFACE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Debug>>:-ftrapv -fstack-check>)',
    'target_compile_options(intf_pub INTERFACE $<IF:$<VERSION_GREATER:${CMAKE_C_COMPILER_VERSION},4.8.5>,-fstack-protector-strong,-fstack-protector-all>)',
    'add_compile_options($<$<COMPILE_LANGUAGE:ASC>:--npu-arch=dav-2201>)',
    'set_source_files_properties(${srcs} PROPERTIES GENERATED TRUE)',
    'set(F -Wall)\nadd_compile_options(${F})',
    'set_target_properties(cust_optiling PROPERTIES COMPILE_FLAGS -Wall OUTPUT_NAME cust_opmaster_rt2.0)',
    'target_link_options(intf_pub INTERFACE $<$<CONFIG:Release>:-s> -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)',
    'target_link_libraries(cust_optiling PRIVATE intf_pub -Wl,--whole-archive rt2_registry -Wl,--no-whole-archive)',
    'set(CMAKE_SHARED_LINKER_FLAGS "${CMAKE_SHARED_LINKER_FLAGS} -z relro -z now -s")',
    'target_link_options(tests PRIVATE -Wl,--wrap=f)',
  ])
    expect(() => plain(text)).not.toThrow()
  const included = otherFilesOf(new Map([['/c/cmake/more.cmake', 'add_definitions(-DWRONG)']]))
  expect(() => plain('include(../cmake/more.cmake)', included)).toThrow('more.cmake:1: -DWRONG is not given')
  expect(() => plain('', included)).not.toThrow()
})

test('what has a host part be compiled otherwise is refused', () => {
  for (const [text, given] of [
    ['target_precompile_headers(cust_optiling PRIVATE first.h)', 'target_precompile_headers'],
    ['set_target_properties(cust_optiling PROPERTIES PRECOMPILE_HEADERS first.h)', 'PRECOMPILE_HEADERS'],
    ['set_source_files_properties(a.cpp PROPERTIES HEADER_FILE_ONLY TRUE)', 'HEADER_FILE_ONLY'],
    ['set_property(TARGET cust_optiling APPEND PROPERTY SOURCES b.cpp)', 'SOURCES'],
    ['set_property(SOURCE a.cpp PROPERTY LANGUAGE NONE)', 'LANGUAGE'],
    ['set_property(GLOBAL PROPERTY RULE_LAUNCH_COMPILE own.sh)', 'RULE_LAUNCH_COMPILE'],
    ['set(CMAKE_CXX_COMPILER_LAUNCHER own.sh)', 'CMAKE_CXX_COMPILER_LAUNCHER'],
    ['set(CMAKE_BUILD_TYPE Debug CACHE STRING "")', 'CMAKE_BUILD_TYPE'],
    ['set(CMAKE_CXX_STANDARD 20)', 'CMAKE_CXX_STANDARD'],
    ['set(ASCEND_COMPUTE_UNIT ascend310p)', 'ASCEND_COMPUTE_UNIT'],
    ['set(ENV{CXXFLAGS} -DX)', 'CXXFLAGS'],
    ['cmake_language(EVAL CODE "add_definitions(-DX)")', 'cmake_language'],
  ] as const)
    expect(() => plain(text)).toThrow(`CMakeLists.txt:1: ${given} is not followed here: leave it out`)
  const cache = 'find_program(CCACHE ccache)\nset(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE}")'
  for (const text of [
    cache,
    'if(NOT CMAKE_BUILD_TYPE)\nset(CMAKE_BUILD_TYPE "Release" CACHE STRING "x" FORCE)\nendif()',
    'set(CMAKE_CXX_STANDARD 17)\nset(CMAKE_CXX_STANDARD_REQUIRED ON)',
    'set(CMAKE_CXX_COMPILER ${CMAKE_CROSS_PLATFORM_COMPILER})',
    'set(ASCEND_COMPUTE_UNIT ascend910b ascend950)',
  ])
    expect(() => plain(text)).not.toThrow()
  expect(() => plain(cache.replace('\n', '\nset(CCACHE own.sh)\n'))).toThrow(
    'CMAKE_CXX_COMPILER_LAUNCHER is not followed here',
  )
  expect(() => plain(cache.replace('\n', '\nstring(APPEND CCACHE " own.sh")\n'))).toThrow('is not followed here')
})

test('libraries of the candidate are not linked to the host part', () => {
  for (const text of [
    'add_library(more OBJECT a.cpp)\ntarget_link_libraries(cust_optiling PRIVATE more)',
    'add_library(more STATIC a.cpp)\nadd_library(other ALIAS more)\ntarget_link_libraries(intf_pub INTERFACE other)',
    'add_library(more OBJECT a.cpp)\nlink_libraries(more)',
    'add_library(more OBJECT a.cpp)\nstring(APPEND L mo re)\ntarget_link_libraries(cust_optiling PRIVATE ${L})',
  ])
    expect(() => plain(text)).toThrow('the library more is not linked to the host part here')
  for (const text of [
    'add_library(more OBJECT a.cpp)\nadd_executable(optiling_tests t.cpp)\ntarget_link_libraries(optiling_tests more)',
    'add_library(flags INTERFACE)\ntarget_link_libraries(cust_optiling PRIVATE flags register ${ASCEND_LIBS})',
  ])
    expect(() => plain(text)).not.toThrow()
})

const sub = (text: string) => () =>
  plain('add_subdirectory(sub)', otherFilesOf(new Map([['/c/op_host/sub/CMakeLists.txt', text]])))
const kernel = (text: string) => () => requirePlainHost(projectOf('', text))

test('files of CMake that nothing has read say nothing', () => {
  const built = otherFilesOf(
    new Map([
      ['/c/build_out/cmake_clean.cmake', 'include(x/clean_${lang}.cmake OPTIONAL)'],
      ['/c/build_out/CMakeCXXCompiler.cmake', 'set(CMAKE_CXX_COMPILER_ID "GNU")'],
    ]),
  )
  expect(() => plain('add_subdirectory(sub)', built)).not.toThrow()
  expect(() => plain('include(../build_out/cmake_clean.cmake)', built)).toThrow('GNU is not given')
})

test('a list of another folder says something of the host part where it names its library', () => {
  expect(sub('add_compile_definitions(UT_TEST)\ntarget_include_directories(tests PRIVATE ${X})')).not.toThrow()
  for (const text of [
    'target_compile_definitions(cust_optiling PRIVATE WRONG)',
    'set(CMAKE_CXX_FLAGS "-DWRONG" PARENT_SCOPE)',
  ])
    expect(sub(text)).toThrow('WRONG is not given to the host part here')
  expect(kernel('add_definitions(-DX)\ntarget_compile_options(${t} PRIVATE -DX)')).not.toThrow()
  expect(kernel('target_compile_definitions(cust_optiling PRIVATE WRONG)')).toThrow('WRONG is not given')
})

const withHeaders = (text: string): Project => ({
  ...projectOf(text),
  files: new Set(['/c/op_host/inc/a.h', '/c/op_host/src/b.cpp', '/c/op_kernel/k.h']),
})

test('folders of the candidate with headers that are not searched here are refused', () => {
  for (const text of [
    'target_include_directories(cust_optiling PRIVATE inc)',
    'include_directories(BEFORE ${CMAKE_SOURCE_DIR})',
    'set_property(TARGET x PROPERTY INCLUDE_DIRECTORIES inc)',
    'set(F ${CMAKE_CURRENT_SOURCE_DIR}/inc)\ninclude_directories(${F})',
    'if(X)\nset(F inc)\nendif()\ninclude_directories(${F})',
    'set_property(TARGET x PROPERTY INTERFACE_INCLUDE_DIRECTORIES ${CMAKE_CURRENT_SOURCE_DIR}/inc)',
    'foreach(F src inc)\ninclude_directories(${F})\nendforeach()',
    'include_directories(${opp_SOURCE_DIR}/x)',
    'include_directories($<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/inc>)',
  ])
    expect(() => requirePlainHost(withHeaders(text))).toThrow('are not looked for here: include them by their path')
  for (const text of [
    'target_include_directories(cust_optiling PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ../op_kernel src none)',
    'include_directories(${ASCEND_CANN_PACKAGE_PATH}/include $ENV{ASCEND_HOME_PATH}/include /usr/include)',
    'if(FALSE)\ninclude_directories(inc)\nendif()',
  ])
    expect(() => requirePlainHost(withHeaders(text))).not.toThrow()
})

const named = (name: string) => () =>
  requirePlainHost({
    ...projectOf('target_include_directories(cust_optiling PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})'),
    beside: [`/c/op_host/${name}`],
  })

const included = (folder: string) => () =>
  requirePlainHost({
    ...withHeaders('include(../cmake/intf.cmake)'),
    others: otherFilesOf(
      new Map([['/c/cmake/intf.cmake', `target_include_directories(intf_pub INTERFACE ${folder})`]]),
    ),
  })

test('an included file searches folders of the list that includes it', () => {
  for (const folder of ['${CMAKE_CURRENT_SOURCE_DIR}/inc', '${CMAKE_CURRENT_LIST_DIR}/../op_host/inc'])
    expect(included(folder)).toThrow('headers in op_host/inc are not looked for here')
  for (const folder of ['${CMAKE_CURRENT_SOURCE_DIR}/../op_kernel', '${CMAKE_CURRENT_LIST_DIR}/inc'])
    expect(included(folder)).not.toThrow()
})

test('headers of a folder that is searched first are none of the system', () => {
  for (const name of ['time.h', 'climits', 'sys/types.h'])
    expect(named(name)).toThrow(`op_host/${name} takes the place of a header of the system: give it another name`)
  for (const name of ['tiling.h', 'inc/time.h', 'README.md']) expect(named(name)).not.toThrow()
})

test('reading lists takes a time that grows with their length alone', () => {
  const before = performance.now()
  const name = `${'a'.repeat(200)}.cpp`
  const long: Project = {
    ...projectOf(`file(GLOB srcs ${'*a'.repeat(100)}*b.cpp)\nnpu_op_code_gen(SRC mine.cpp)`),
    files: new Set([`/c/op_host/${name}`, '/c/op_host/mine.cpp']),
    others: otherFilesOf(
      new Map(
        Array.from({ length: 2000 }, (_, index) => [`/c/${index}/CMakeLists.txt`, `include(${index + 1})\nopbuild()`]),
      ),
    ),
  }
  expect(readNamedSources(long).host?.definitions).toEqual([])
  expect(() => requirePlainHost({ ...long, lists: [{ folder: '/c', text: 'include('.repeat(100_000) }] })).not.toThrow()
  expect(performance.now() - before).toBeLessThan(4000)
  const listing = 'file(GLOB srcs *.cpp)\n'.repeat(1001)
  expect(() => read(`${listing}npu_op_library(x TILING \${srcs})`)).toThrow('files are listed more than 1000 times')
})
