import { expect, test } from 'vitest'
import { settingsAround } from './cmake-settings.ts'
import { compileOptionWords, givesOptions, OtherFiles, otherFilesOf, readCompileOptions } from './compile-options.ts'

const read = (text: string, operator = 'AddCustom') => readCompileOptions(operator, [{ folder: '/c/op_kernel', text }])

test('without options nothing is defined and auto-sync is on', () => {
  expect(read('project(opp)')).toEqual({ defines: [], includes: [], autoSync: true })
})

test('macros, include folders and auto-sync are taken in both spellings of the command', () => {
  const modern = `add_ops_compile_options(
      OP_NAME AddCustom   # which one
      OPTIONS --cce-auto-sync=off -DMODE=2 -D FAST "-I\${CMAKE_CURRENT_SOURCE_DIR}/../common" -I \${CMAKE_CURRENT_SOURCE_DIR}/inc
              -Wno-deprecated-declarations -Werror)`
  expect(read(modern)).toEqual({
    defines: ['-DMODE=2', '-DFAST'],
    includes: ['/c/common', '/c/op_kernel/inc'],
    autoSync: false,
  })
  expect(read('add_ops_compile_options(AddCustom COMPUTE_UNIT ascend910b2 OPTIONS -DOLD)').defines).toEqual(['-DOLD'])
  expect(read('add_ops_compile_options(ALL OPTIONS -g -O0 -DALL_OF_THEM)').defines).toEqual(['-DALL_OF_THEM'])
})

test('options of another operator and commented ones are ignored', () => {
  expect(read('add_ops_compile_options(OP_NAME Sqrt OPTIONS --cce-auto-sync=off)').autoSync).toBe(true)
  expect(read('# add_ops_compile_options(ALL OPTIONS -DX)').defines).toEqual([])
})

test('of two files that give the same operators other options it is not told which one counts', () => {
  const far = { folder: '/c', text: 'add_ops_compile_options(ALL OPTIONS --cce-auto-sync=off)' }
  const near = { folder: '/c/op_kernel', text: 'add_ops_compile_options(ALL OPTIONS --cce-auto-sync=on)' }
  const message =
    'CMakeLists.txt:1: whether it takes the place of options in another file cannot be told: write all in one'
  expect(() => readCompileOptions('AddCustom', [near, far])).toThrow(message)
  expect(readCompileOptions('AddCustom', [{ ...far, folder: '/c/op_kernel' }, far]).autoSync).toBe(false)
  const own = { ...near, text: near.text.replace('ALL', 'AddCustom') }
  expect(readCompileOptions('AddCustom', [far, own]).autoSync).toBe(true)
})

test('a list may grow by some thousand elements', () => {
  const line = 'list(APPEND SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/kernels/a_kernel_of_the_operator.cpp)'
  const lines = Array.from({ length: 5000 }, () => line)
  const { defines } = read(['set(SOURCES)', ...lines, 'add_ops_compile_options(ALL OPTIONS -DX)'].join('\n'))
  expect(defines).toEqual(['-DX'])
})

test('a name of an operator is compared as it is', () => {
  const text = 'add_ops_compile_options(OP_NAME LayerNormV4 OPTIONS -DWIDE=1)'
  expect(readCompileOptions('LayerNormV4', [{ folder: '/x', text }]).defines).toEqual(['-DWIDE=1'])
  for (const other of ['layer_norm_v4', 'layernormv4', 'LayerNormV3'])
    expect(readCompileOptions(other, [{ folder: '/x', text }]).defines).toEqual([])
  for (const all of ['all', 'All']) expect(read(text.replace('LayerNormV4', all)).defines).toEqual(['-DWIDE=1'])
})

const isOn = (text: string): boolean => read(text).autoSync

test('an option counts however CMake writes it', () => {
  for (const text of [
    'add_ops_compile_options(ALL OPTIONS --cce-auto-sync=off "-DSCALE=(1)")',
    'add_ops_compile_options(ALL OPTIONS "-DNAME=#1" --cce-auto-sync=off)',
    'add_ops_compile_options(ALL OPTIONS "-DX;--cce-auto-sync=off")',
    'Add_Ops_Compile_Options (ALL OPTIONS [[--cce-auto-sync=off]])',
    'set(SYNC --cce-auto-sync=off)\nadd_ops_compile_options(ALL OPTIONS ${SYNC})',
    'set(K OFF)\nset(OFF off)\nlist(APPEND ALL_OF -g --cce-auto-sync=${${K}})\nadd_ops_compile_options(ALL OPTIONS -g)\nset(ALL_OF -g)\nlist(APPEND ALL_OF --cce-auto-sync=${${K}})\nadd_ops_compile_options(ALL OPTIONS ${ALL_OF})',
    'npu_op_kernel_options(ascendc_kernels ALL OPTIONS --cce-auto-sync=off)',
    'add_ops_compile_options(OP_NAME AddCustom COMPUTE_UNIT ${ASCEND_COMPUTE_UNIT} OPTIONS --cce-auto-sync=off)',
    'npu_op_kernel_options(ascendc_kernels AddCustom COMPUTE_UNIT Ascend910B4-1 OPTIONS --cce-auto-sync=off)',
    'add_ops_compile_options(ALL OPTIONS --cce-auto-sync=off)\nmessage("add_ops_compile_options(ALL OPTIONS --cce-auto-sync=on)")',
    'add_ops_compile_options(ALL OPTIONS --cce-auto-sync=off)\n#[[\nadd_ops_compile_options(ALL OPTIONS --cce-auto-sync=on)\n]]',
    'add_ops_compile_options(ALL OPTIONS --cce-auto-sync=off)\nif(NOT TRUE)\nadd_ops_compile_options(ALL OPTIONS --cce-auto-sync=on)\nendif()',
    'add_ops_compile_options(ALL OPTIONS --cce-auto-sync=off)\nreturn()\nadd_ops_compile_options(ALL OPTIONS --cce-auto-sync=on)',
    // options for one operator come last
    'add_ops_compile_options(AddCustom OPTIONS --cce-auto-sync=off)\nadd_ops_compile_options(ALL OPTIONS --cce-auto-sync=on)',
  ])
    expect([isOn(text), text]).toEqual([false, text])
})

test('what is no command, or never runs, gives no option', () => {
  for (const text of [
    '#[==[ ]]\nadd_ops_compile_options(ALL OPTIONS --cce-auto-sync=off)\n]==]',
    'if(FALSE)\nadd_ops_compile_options(ALL OPTIONS --cce-auto-sync=off)\nendif()',
    'if(ON)\nif(X)\nelse()\nendif()\nelse()\nadd_ops_compile_options(ALL OPTIONS --cce-auto-sync=off)\nendif()',
    'if(COMMAND add_ops_compile_options)\nelseif(X)\nadd_ops_compile_options(ALL OPTIONS --cce-auto-sync=off)\nendif()',
    'set(HELP [=[\nadd_ops_compile_options(ALL OPTIONS --cce-auto-sync=off)]=])',
    '# without commands of ours nothing is looked at (',
  ])
    expect([isOn(text), text]).toEqual([true, text])
})

test('the templates of the vendor give options of code generation under a condition', () => {
  const debug = 'if ("${CMAKE_BUILD_TYPE}x" STREQUAL "Debugx")\nadd_ops_compile_options(ALL OPTIONS -g -O0)\nendif()\n'
  const include =
    'add_ops_compile_options(ALL OPTIONS -I${CATLASS}/include -I ${CATLASS_DIR}/include -DCATLASS_ARCH=2201)\n'
  expect(read(`${debug}${include}add_kernels_compile()`)).toEqual({
    defines: ['-DCATLASS_ARCH=2201'],
    includes: [],
    autoSync: true,
  })
  expect(compileOptionWords('AddCustom', [{ folder: '/c', text: debug }])).toEqual([])
})

test('a macro with a name of Ascend C is refused: headers of the library would have it as well', () => {
  expect(() => read('add_ops_compile_options(ALL OPTIONS -DAdds=Muls)')).toThrow('-DAdds=Muls is a name of Ascend C')
  expect(read('add_ops_compile_options(ALL OPTIONS -DADDS=1)').defines).toEqual(['-DADDS=1'])
})

test('options that cannot be told are refused, in a line that says what to write', () => {
  for (const [text, message] of [
    ['add_ops_compile_options(ALL OPTIONS ${SYNC})', '1: ${SYNC} of add_ops_compile_options cannot be told'],
    [
      'function(opts)\nadd_ops_compile_options(${ARGV})\nendfunction()',
      '2: ${ARGV} of add_ops_compile_options may hold',
    ],
    ['macro(opts)\nnpu_op_kernel_options(${ARGN})\nendmacro()', '2: ${ARGN} of npu_op_kernel_options may hold options'],
    ['add_ops_compile_options(ALL OPTIONS -DN=$ENV{N})', '1: -DN=$ENV{N} of add_ops'],
    ['add_ops_compile_options(ALL ${ARGN})', '1: ${ARGN} of'],
    ['add_ops_compile_options(ALL OPTIONS "-g --cce-auto-sync=off")', 'write each option as a word of its own'],
    ['\nadd_ops_compile_options(${OP} OPTIONS --cce-auto-sync=off)', '2: whether --cce-auto-sync=off is given'],
    ['if(A)\nadd_ops_compile_options(ALL OPTIONS -DN=1)\nendif()', '2: whether -DN=1 is given cannot be told: write'],
    ['foreach(N 1 2)\nadd_ops_compile_options(ALL OPTIONS -DN)\nendforeach()', '2: whether -DN'],
    [
      'if(A)\nreturn()\nendif()\nadd_ops_compile_options(ALL OPTIONS --cce-auto-sync=on)',
      '4: whether --cce-auto-sync=on',
    ],
    ['set(S on)\nif(A)\nset(S off)\nendif()\nset(S on)\nadd_ops_compile_options(ALL OPTIONS -DS=${S})', '6: -DS=${S}'],
    ['set(S on)\nstring(REPLACE on off S ${S})\nadd_ops_compile_options(ALL OPTIONS -DS=${S})', '3: -DS=${S}'],
    ['set(S on)\ninclude(other.cmake)\nadd_ops_compile_options(ALL OPTIONS -DS=${S})', '3: -DS=${S}'],
    ['cmake_language(CALL add_ops_compile_options ALL OPTIONS -DS)', '1: cmake_language hides compile options'],
    ['macro(add_ops_compile_options)\nendmacro()', '1: macro hides compile options'],
    ['add_ops_compile_options(ALL OPTIONS "-DS)', '1: a quoted argument has no end'],
    ['add_ops_compile_options(ALL OPTIONS (-DS)', '1: the arguments of add_ops_compile_options have no end'],
    ['x\n#[[ add_ops_compile_options()', '1: x has no arguments'],
  ] as const)
    expect(() => read(text)).toThrow(message)
})

test('variables that grow without end end', () => {
  const text = `set(A xx)\n${'set(A ${A}${A})\n'.repeat(60)}add_ops_compile_options(ALL OPTIONS -g)`
  expect(() => read(text)).toThrow('its variables have no end')
})

test('names of variables in names of variables take a time that grows with their length alone', () => {
  const deep = 250_000
  const before = performance.now()
  for (const text of [`message("${'${a'.repeat(deep)}${'}'.repeat(deep)}")`, `message(${'${${a}}'.repeat(deep / 2)})`])
    expect(isOn(`${text}\nadd_ops_compile_options(ALL OPTIONS --cce-auto-sync=off)`)).toBe(false)
  expect(performance.now() - before).toBeLessThan(4000)
})

const off = 'add_ops_compile_options(ALL OPTIONS --cce-auto-sync=off)\n'

test('arguments are lists, escapes and brackets as CMake reads them', () => {
  for (const text of [
    'add_ops_compile_options([[\nALL]] OPTIONS --cce-auto-sync=off)',
    'add_ops_compile_options("AL\\\nL" OPTIONS "--cce-auto-sy\\\nnc=off")',
    'set(E "")\nadd_ops_compile_options(${E} ALL OPTIONS --cce-auto-sync=off)',
    'add_ops_compile_options(;ALL OPTIONS --cce-auto-sync=off)',
    'set(S on)\nset(S;off)\nadd_ops_compile_options(ALL OPTIONS --cce-auto-sync=${S})',
    'set(A S off)\nset(${A})\nadd_ops_compile_options(ALL OPTIONS --cce-auto-sync=${S})',
    `${off}add_ops_compile_options(ALL\u00A0 OPTIONS --cce-auto-sync=on)`,
    `${off}add_ops_compile_options(ALL\f OPTIONS --cce-auto-sync=on)`,
    `${off}add_ops_compile_options((ALL) OPTIONS --cce-auto-sync=on)`,
    `${off}add_ops_compile_options("A\\tL" OPTIONS --cce-auto-sync=on)`,
  ])
    expect([isOn(text), text]).toEqual([false, text])
})

test('variables that something else may have set are not known', () => {
  for (const set of [
    'macro(f v)\nset(S${v} off)\nendmacro()\nf("")',
    'cmake_parse_arguments(A "" S "" S off)',
    'find_package(S QUIET)',
    'add_subdirectory(more)',
    'string(CONCAT N "" S)\nset(${N} off)',
    'any_other()',
  ])
    expect(() => read(`set(S on)\n${set}\nadd_ops_compile_options(ALL OPTIONS --cce-auto-sync=\${S})`)).toThrow(
      '--cce-auto-sync=${S} of add_ops_compile_options cannot be told',
    )
  for (const name of ['CMAKE_MATCH_0', 'PROJECT_VERSION'])
    expect(() => read(`set(${name} on)\nadd_ops_compile_options(ALL OPTIONS -DS=\${${name}})`)).toThrow(
      'cannot be told',
    )
  expect(() => read('add_ops_compile_options(ALL OPTIONS @OPTS@)')).toThrow('@OPTS@ of')
})

const include = (folder: string) => `add_ops_compile_options(ALL OPTIONS -I${folder})`

test('a folder to include that a variable names is one of the toolkit, or refused', () => {
  for (const text of [
    `find_package(ASC)\nset(B \${ASCEND_HOME_PATH}/include CACHE PATH "")\n${include('${B}')}`,
    `if(DEFINED ENV{ASCEND_HOME_PATH})\nset(ASCEND_CANN_PACKAGE_PATH $ENV{ASCEND_HOME_PATH})\nelse()\nset(ASCEND_CANN_PACKAGE_PATH /usr/local/Ascend/latest)\nendif()\n${include('${ASCEND_CANN_PACKAGE_PATH}/include')}`,
    `set(H $ENV{ASCEND_HOME_PATH})\n${include('${H}/include')}`,
    `option(DEBUG "" ON)\nfind_package(ASC)\n${include('${CATLASS_DIR}/include')}`,
  ])
    expect([text, read(text).includes]).toEqual([text, []])
  for (const [set, folder] of [
    ['string(CONCAT B x ";-g")', '${B}'],
    ['set(B "x;-g" CACHE STRING "")', '${B}'],
    ['cmake_parse_arguments(B "" "" "")', '${B}'],
    ['message(x)', '${B}/include'],
    ['message(x)', '$ENV{WHERE}'],
    ['set(ENV{ASCEND_HOME_PATH} ${CMAKE_CURRENT_SOURCE_DIR})', '$ENV{ASCEND_HOME_PATH}/bad'],
    ['if(X)\nset(ASCEND_HOME_PATH ${CMAKE_CURRENT_SOURCE_DIR})\nendif()', '${ASCEND_HOME_PATH}/bad'],
    ['set(ASCEND_HOME_PATH /c CACHE PATH "")', '${ASCEND_HOME_PATH}/bad'],
    ['option(ASCEND_HOME_PATH "" .)', '${ASCEND_HOME_PATH}/bad'],
    ['get_filename_component(ASCEND_HOME_PATH . ABSOLUTE)', '${ASCEND_HOME_PATH}/bad'],
    ['set(N HOME)\nfind_path(ASCEND_${N}_PATH bad)', '${ASCEND_HOME_PATH}/bad'],
    ['set(${N} bad)', '${ASCEND_HOME_PATH}/bad'],
    ['message(x)', '${ASCEND_HOME_PATH}'],
    ['message(x)', '${ASCEND_HOME_PATH}x/bad'],
    ['message(x)', '${ASCEND_HOME_PATH}/../bad'],
    ['message(x)', '${ASCEND_HOME_PATH}/${WHERE}'],
    ['message(x)', '${opp_SOURCE_DIR}/bad'],
  ] as const)
    expect(() => read(`${set}\n${include(folder)}`)).toThrow(
      `-I${folder} of add_ops_compile_options cannot be told: write the folder itself from \${CMAKE_CURRENT_SOURCE_DIR}`,
    )
})

test('a folder to include is not of the toolkit where another file sets its variable', () => {
  const text = 'add_ops_compile_options(ALL OPTIONS -I${ASCEND_HOME_PATH}/include -I${CMAKE_SOURCE_DIR}/inc)'
  const reading = (other: string, presets: string[] = []) => {
    const around = settingsAround(
      new Map([
        ['/c/op_kernel/CMakeLists.txt', text],
        ['/c/other.cmake', other],
      ]),
      presets,
    )
    const elsewhere = () => around('/c/op_kernel/CMakeLists.txt')
    return readCompileOptions('AddCustom', [{ folder: '/c/op_kernel', text, top: '/c', elsewhere }]).includes
  }
  for (const other of [
    'if(NOT DEFINED ASCEND_HOME_PATH)\nset(ASCEND_HOME_PATH /usr/local/Ascend/latest)\nendif()',
    'set(ASCEND_HOME_PATH $ENV{ASCEND_HOME_PATH} CACHE PATH "")',
    'string(REPLACE "a" "b" N ${N})\nstring(TOUPPER ${N} M)\nfile(GLOB F ${ASCEND_HOME_PATH}/*.cpp)',
    'find_package(${X})\ninstall(FILES ${Y} DESTINATION ${Z})\nlist(APPEND A ${B})\nforeach(I ${A})\nendforeach()',
    'execute_process(COMMAND ${P} -c "x${Y}" OUTPUT_VARIABLE O)',
  ])
    expect([other, reading(other)]).toEqual([other, ['/c/inc']])
  for (const other of [
    'set(ASCEND_HOME_PATH ${CMAKE_SOURCE_DIR})',
    'get_filename_component(ASCEND_HOME_PATH . ABSOLUTE)',
    'own(ASCEND_HOME_PATH)',
    'set(A "X;ASCEND_HOME_PATH")',
    'function(own name)\nset(${name} bad PARENT_SCOPE)\nendfunction()',
    'set(ASCEND_${X} bad)',
    'list(APPEND ${A} bad)',
    'string(CONCAT ${A} bad x)',
    'string(REPLACE a b ${A} bad)',
    'string(REGEX REPLACE a b ${A} bad)',
    'string(TOUPPER bad ${A})',
    'file(READ bad ${A})',
    'file(GLOB ${A} bad)',
    'list(GET B 0 ${A})',
    'execute_process(COMMAND pwd OUTPUT_VARIABLE ${A})',
  ])
    expect(() => reading(other)).toThrow('-I${ASCEND_HOME_PATH}/include of')
  expect(() => reading('', ['ASCEND_HOME_PATH'])).toThrow('-I${ASCEND_HOME_PATH}/include of')
  expect(() => reading('set(CMAKE_SOURCE_DIR /x)')).toThrow('-I${CMAKE_SOURCE_DIR}/inc of')
})

test('commands that run others are refused where these may be options', () => {
  for (const text of [
    'string(CONCAT N add_ops _compile_options)\ncmake_language(CALL ${N} ALL OPTIONS --cce-auto-sync=off)',
    'set(N add_ops)\ncmake_language(CALL ${N}_compile_options ALL OPTIONS --cce-auto-sync=off)',
    'cmake_language(EVAL CODE [[message("")]])',
    `${off}cmake_language(CALL other)`,
    `${off}macro(set)\nendmacro()`,
  ])
    expect(() => read(text)).toThrow('hides compile options')
  expect(isOn('cmake_language(CALL other)')).toBe(true)
})

test('files that another one adds are refused where they give options', () => {
  const others = new OtherFiles(['/c/op_kernel/more/CMakeLists.txt', '/c/cmake/off.cmake', '/c/cmake/FindMine.cmake'])
  const reading = (text: string) => () =>
    readCompileOptions('AddCustom', [{ folder: '/c/op_kernel', text, top: '/c', others }])
  for (const text of [
    'add_subdirectory(more)',
    'add_subdirectory(${X})',
    'include(more/CMakeLists.txt)',
    'include(${X}/off.cmake)',
    'include(off)',
    'include(${X})',
    'find_package(Mine)',
    'FetchContent_MakeAvailable(more)',
  ])
    expect(reading(text)).toThrow('hides compile options')
  for (const text of [
    'add_subdirectory(op_host)',
    'include(../cmake/func.cmake)',
    'include(${ASC}/x.cmake)',
    'find_package(ASC)',
  ])
    expect(reading(text)).not.toThrow()
  const texts = [
    off,
    'cmake_language(EVAL CODE "")',
    'function(add_ops_compile_options)\nendfunction()',
    '# add_ops_compile_options(',
  ]
  expect(texts.map(givesOptions)).toEqual([true, true, false, false])
})

test('a file that is included by a name that is told gives its options', () => {
  const texts = new Map([
    ['/c/op_kernel/cmake/sync.cmake', `${off}include(\${CMAKE_CURRENT_LIST_DIR}/\${more}.cmake)\n`],
    ['/c/op_kernel/cmake/macros.cmake', 'add_ops_compile_options(AddCustom OPTIONS -DA=${a})\nset(a 2)\n'],
    ['/c/op_kernel/cmake/leaves.cmake', `if(X)\nreturn()\nendif()\n${off}`],
    ['/c/op_kernel/cmake/again.cmake', `${off}include(cmake/again.cmake)`],
    ['/c/op_kernel/cmake/wrong.cmake', '\nadd_ops_compile_options(ALL OPTIONS -D${B})'],
  ])
  const others = new OtherFiles([...texts.keys()], texts)
  const reading = (text: string) =>
    readCompileOptions('AddCustom', [{ folder: '/c/op_kernel', text, top: '/c', others }])
  const include = 'include(${CMAKE_CURRENT_SOURCE_DIR}/cmake/${name}.cmake)'
  const text = `set(a 1)\nset(more macros)\nset(name sync)\n${include}\nadd_ops_compile_options(AddCustom OPTIONS -DA=1 -DC=\${a})`
  expect(reading(text)).toEqual({ defines: ['-DA=1', '-DC=2'], includes: [], autoSync: false })
  for (const name of ['leaves', '${B}']) expect(() => reading(`set(name ${name})\n${include}`)).toThrow('hides compile')
  expect(() => reading(`if(X)\n${text}\nendif()`)).toThrow('hides compile options')
  expect(() => reading('include(cmake/again.cmake)')).toThrow('more than 100 files are included')
  expect(() => reading('include(cmake/wrong.cmake)')).toThrow('2: in wrong.cmake: -D${B} of')
})

const forUnit = (unit: string, sync = 'off') =>
  `add_ops_compile_options(ALL COMPUTE_UNIT ${unit} OPTIONS --cce-auto-sync=${sync})\n`

test('processors are those that the scripts of the vendor know', () => {
  expect(isOn(`${off}${forUnit('ascend310p3', 'on')}`)).toBe(false)
  for (const unit of ['Ascend910A', 'ascend910_9391', 'Ascend950PR_9599']) expect(isOn(forUnit(unit))).toBe(true)
  for (const unit of ['ascend310p3 Ascend910B2', 'ascend910b2c', 'ASCEND910B1']) expect(isOn(forUnit(unit))).toBe(false)
  expect(() => read(forUnit('${UNIT}'))).toThrow('whether --cce-auto-sync=off is given')
  // to these the name of the series is that of an older processor
  for (const unit of ['ascend910b', '${ASCEND_COMPUTE_UNIT}']) {
    expect(() => read(forUnit(unit))).toThrow('write COMPUTE_UNIT as the name of a processor, Ascend910B1')
    expect(isOn(`add_ops_compile_options(ALL COMPUTE_UNIT ${unit} OPTIONS -g)`)).toBe(true)
    expect(isOn(forUnit(unit).replace('(ALL', '(OP_NAME AddCustom'))).toBe(false)
  }
  for (const unit of ['ascend310p', 'all', '-DX', 'Kirin9', 'ascend910b9'])
    expect(() => read(forUnit(unit))).toThrow(
      `1: COMPUTE_UNIT ${unit} of add_ops_compile_options is none to the vendor's build`,
    )
})

const all = (options: string) => `add_ops_compile_options(ALL OPTIONS ${options})\n`
const one = (options: string) => `add_ops_compile_options(AddCustom OPTIONS ${options})\n`
const unit = (options: string) => `add_ops_compile_options(all COMPUTE_UNIT Ascend910B1 OPTIONS ${options})\n`

test('a second command for the same operators and processors takes the place of the first', () => {
  expect(read(all('-DA') + all('-DB')).defines).toEqual(['-DB'])
  expect(isOn(all('--cce-auto-sync=off') + all('-g'))).toBe(true)
  expect(read(one('-DC') + all('-DA') + unit('-DB') + one('-DD')).defines).toEqual(['-DB', '-DA', '-DD'])
  const debug = `if(DEBUG)\n${all('-g -O0')}endif()\n`
  expect(read(debug + all('-DA')).defines).toEqual(['-DA'])
  expect(() => read(all('-DA') + debug)).toThrow(
    'CMakeLists.txt:3: whether it takes the place of CMakeLists.txt:1 cannot be told: write it first',
  )
})

const afterOff = (text: string) => `add_ops_compile_options(ALL OPTIONS --cce-auto-sync=off ${text})`

test('options that are known are taken, or without influence', () => {
  for (const text of [
    '-g -O0 -O2 -O3 -std=c++17 --std=gnu++14 -gline-tables-only -w -Wall -Werror -Wno-deprecated-declarations',
    '-Wno-error=option-ignored -fno-strict-aliasing -funroll-loops --save-temp-files -sanitizer --sanitizer',
    '--op_relocatable_kernel_binary=true --cce-res-usage -mllvm -cce-aicore-jump-expand=true',
    '-mllvm -cce-aicore-stack-size=0x8000 -mllvm -cce-aicore-hoist-movemask=false -mllvm -inline-threshold=100',
    '-mllvm -cce-aicore-dcci-insert-for-scalar=false -mllvm --cce-aicore-record-overflow=false',
    '-I${ASCEND_CANN_PACKAGE_PATH}/include -I $ENV{ASCEND_HOME_PATH}/include -I${ASCEND_HOME_PATH}/${CMAKE_SYSTEM_PROCESSOR}-linux/include',
  ])
    expect([text, read(afterOff(text))]).toEqual([text, { defines: [], includes: [], autoSync: false }])
  const macros = ['-DASCENDC_DUMP=0', '-DASCENDC_DEBUG', '-DFORCE_TILING_CONST_PROPAGATION', '-DHIGH_PERFORMANCE=1']
  expect(read(afterOff(`${macros.join(' ')} "-DS=\\"x\\""`)).defines).toEqual([...macros, '-DS="x"'])
})

test('an option that is not known is refused by its name, with file and line', () => {
  for (const [text, option, remedy] of [
    ['-include x.h', '-include', 'write #include in the kernel'],
    ['-includex.h', '-includex.h', 'write #include in the kernel'],
    ['-imacros x.h', '-imacros', 'write #include in the kernel'],
    ['--include=x.h', '--include=x.h', 'write #include in the kernel'],
    ['-Xclang -DX', '-Xclang', 'leave it out'],
    ['-Xpreprocessor -DX', '-Xpreprocessor', 'leave it out'],
    ['-Wp,-DX', '-Wp,-DX', 'leave it out'],
    ['-Wl,-z', '-Wl,-z', 'leave it out'],
    ['@file', '@file', 'leave it out'],
    ['--define-macro=X', '--define-macro=X', 'write -D or -U'],
    ['-isystem /x', '-isystem', 'write -I'],
    ['-iquote/x', '-iquote/x', 'write -I'],
    ['--impl-mode=high_performance', '--impl-mode=high_performance', 'write -DHIGH_PERFORMANCE=1'],
    ['--tiling_key=1', '--tiling_key=1', 'every kernel has to be built'],
    ['"--kernel-template-input=T=half"', '--kernel-template-input=T=half', 'every kernel'],
    ['--input-param-file=x', '--input-param-file=x', 'leave it out'],
    ['--op_super_kernel_options=x', '--op_super_kernel_options=x', 'leave it out'],
    ['--kernel-json-file=x', '--kernel-json-file=x', 'leave it out'],
    ['--oom', '--oom', 'an option of its own'],
    ['-Droom=1', '-Droom=1', 'define it in the kernel'],
    ['-DX=--save-temp-files', '-DX=--save-temp-files', 'an option of its own'],
    ['"-DX=f(1,2)"', '-DX=f(1,2)', 'at commas'],
    ['"-DX=\nALL"', '-DX=\nALL', 'it holds a line end'],
    ['-DX=\\$HOME', '-DX=$HOME', 'puts the environment'],
    ["-DX='", "-DX='", 'behind an open quote'],
    ['-D-include', '-D-include', 'define it in the kernel'],
    ['-D --cce-auto-sync=on', '-D --cce-auto-sync=on', 'define it in the kernel'],
    ['-D', '-D', 'define it in the kernel'],
    ['-mllvm', '-mllvm', 'leave it out'],
    ['-mllvm -load=x.so', '-mllvm -load=x.so', 'leave it out'],
    ['-mllvm --cce-auto-sync=on', '-mllvm --cce-auto-sync=on', 'write --cce-auto-sync=on'],
    ['-mllvm -cce-aicore-fp-ceiling=2', '-mllvm -cce-aicore-fp-ceiling=2', 'leave it out'],
    ['--cce-auto-sync=false', '--cce-auto-sync=false', 'write --cce-auto-sync=on or'],
    ['-cce-auto-sync=on', '-cce-auto-sync=on', 'write --cce-auto-sync=on or'],
    ['--cce-no-dcache-flush', '--cce-no-dcache-flush', 'leave it out'],
    ['-Ofast', '-Ofast', 'leave it out'],
    ['-ffast-math', '-ffast-math', 'leave it out'],
    ['-fshort-enums', '-fshort-enums', 'leave it out'],
    ['-fplugin=x.so', '-fplugin=x.so', 'leave it out'],
    ['-march=x', '-march=x', 'leave it out'],
    ['-x c', '-x', 'leave it out'],
    ['ascend910b1', 'ascend910b1', 'leave it out'],
    ['-I../common', '-I../common', 'write ${CMAKE_CURRENT_SOURCE_DIR} before the folder'],
    ['-I ${B}', '-I ${B}', 'behind -I in one word'],
    ['-I${CMAKE_BINARY_DIR}/made', '-I${CMAKE_BINARY_DIR}/made', 'write the folder itself'],
  ] as const) {
    expect(() => read(`\n${afterOff(text)}`)).toThrow(`CMakeLists.txt:2: ${option} of add_ops_compile_options `)
    expect(() => read(`\n${afterOff(text)}`)).toThrow(remedy)
  }
  expect(() => read('add_ops_compile_options(ALL -DX)')).toThrow(
    '-DX of add_ops_compile_options cannot be told: write OPTIONS',
  )
  expect(() => read('if(X)\nadd_ops_compile_options(ALL OPTIONS -I/c/inc)\nendif()')).toThrow(
    'whether -I/c/inc is given',
  )
})

test('macros may have parameters, and are taken back', () => {
  expect(read('add_ops_compile_options(ALL OPTIONS "-DOWN(x)=(x)" -DA=1 -DB -DAB -UA -U B)').defines).toEqual([
    '-DOWN(x)=(x)',
    '-DAB',
  ])
  expect(() => read('\nadd_ops_compile_options(ALL OPTIONS -UDTYPE_X)')).toThrow(
    'CMakeLists.txt:2: -UDTYPE_X takes back what no option has defined: leave it out',
  )
})

test('a file that is made while CMake runs gives no options, and is no source', () => {
  const known = ['/c/op_kernel/cmake/own.cmake', '/c/op_kernel/CMakeLists.txt', '/c/op_host/CMakeLists.txt']
  const others = new OtherFiles([], new Map(), { known, made: ['by_module.cmake'], unread: ['options.txt', 'options'] })
  const near = { folder: '/c/op_kernel', top: '/c', others }
  const reading =
    (text: string, far = '') =>
    () =>
      readCompileOptions('AddCustom', [
        { ...near, text },
        { ...near, folder: '/c', text: far },
      ])
  const made = '${CMAKE_BINARY_DIR}/made.cmake'
  for (const text of [
    `file(WRITE ${made} "add_ops" "_compile_options(ALL OPTIONS -DX)")\ninclude(${made})`,
    `file(APPEND ${made} "x")\ninclude("${made}")`,
    `file(GENERATE OUTPUT ${made} CONTENT "x")\nset(F ${made})\ninclude(\${F})`,
    `FILE(\${HOW} ${made} "x")\ninclude(${made})`,
    `file(WRITE \${X} "x")\ninclude(${made})`,
    `configure_file(a.in ${made})\ninclude(${made} OPTIONAL)`,
    `configure_file(made.cmake made.cmake)\nset(CMAKE_MODULE_PATH x)\ninclude(made)`,
    `execute_process(COMMAND sh -c "cp a b")\ninclude(${made})`,
    'execute_process(COMMAND sh x.sh)\nadd_subdirectory(more)',
    'file(WRITE ${CMAKE_BINARY_DIR}/more/CMakeLists.txt "")\nadd_subdirectory(${CMAKE_BINARY_DIR}/more more)',
    'include(by_module)',
    'file(APPEND ${A}/custom_compile_options.ini "ALL,,-DX")',
    'add_custom_target(x COMMAND echo ALL >> custom_opc_options.ini)',
    'set(CUSTOM_COMPILE_OPTIONS other.ini)',
    'set(A options)\nset(B txt)\ninclude(${A}.${B})',
    'set(A o)\ninclude(${A}ptions)',
    'set(CMAKE_PROJECT_INCLUDE ${CMAKE_CURRENT_SOURCE_DIR}/own.txt)',
    'file(WRITE ${CMAKE_BINARY_DIR}/FindMine.cmake "x")\nfind_package(Mine)',
    'file(COPY ${CMAKE_BINARY_DIR}/a DESTINATION ${X})\nsubdirs(. more)',
    'set_property(GLOBAL PROPERTY ASCENDC_AUTO_GEN_PATH /x)',
    'file(APPEND ${ASCEND_AUTOGEN_PATH}/${X} "ALL,,-DX")',
  ])
    expect([text, reading(text)]).toSatisfy(([, run]: [string, () => unknown]) => {
      expect(run).toThrow('hides compile options: give them by')
      return true
    })
  // in whichever of the files
  expect(reading(`include(${made})`, `file(WRITE ${made} "x")`)).toThrow('hides compile options')
  expect(reading(`file(WRITE ${made} "x")`, `include(${made})`)).toThrow('hides compile options')
  for (const [text, file] of [
    ['file(WRITE cmake/own.cmake "x")\ninclude(cmake/own.cmake)', 'cmake/own.cmake'],
    ['file(WRITE ${CMAKE_CURRENT_SOURCE_DIR}/scale.h "x")', '/c/op_kernel/scale.h'],
    ['file(COPY_FILE a.txt scale.cpp)', 'scale.cpp'],
    ['file(COPY ../other/scale.cpp DESTINATION ${CMAKE_CURRENT_SOURCE_DIR})', '/c/op_kernel'],
    ['file(INSTALL ../other/scale.cpp DESTINATION ${CMAKE_SOURCE_DIR}/op_kernel)', '/c/op_kernel'],
    ['file(COPY ../other/scale.cpp DESTINATION ../op_kernel)', '../op_kernel'],
    ['configure_file(scale.in ${CMAKE_SOURCE_DIR}/op_kernel)', '/c/op_kernel'],
    ['configure_file(scale.in ../op_kernel/scale.cpp)', '../op_kernel/scale.cpp'],
    ['file(REMOVE scale.h)', 'scale.h'],
    ['execute_process(COMMAND sed -i s/1/2/ ${CMAKE_SOURCE_DIR}/op_kernel/scale.cpp)', '/c/op_kernel/scale.cpp'],
  ] as const)
    expect(reading(text)).toThrow(`may write ${file}, which belongs to the candidate`)
  for (const text of [
    'file(GLOB S *.cpp)\ninclude(other.cmake)',
    'file(READ version.txt V)\ninclude(CPack)',
    'file(COPY ${CMAKE_SOURCE_DIR}/op_kernel/ DESTINATION ${CMAKE_BINARY_DIR}/kernels)',
    'file(COPY scale.h DESTINATION include)\nconfigure_file(version.in version.h)',
    'file(REMOVE ${CMAKE_BINARY_DIR}/old.info)',
    'execute_process(COMMAND git describe OUTPUT_VARIABLE V)\ninclude(cmake/own.cmake)\ninclude(CPack)\nadd_subdirectory(../op_host)',
    'configure_file(${CMAKE_SOURCE_DIR}/cmake/version.in ${CMAKE_BINARY_DIR}/version.info)\ninclude(cmake/func.cmake)',
    'file(GLOB A ${ASCEND_AUTOGEN_PATH}/aclnn_*.cpp)\nset(OUT ${ASCEND_AUTOGEN_PATH})',
    'set(V 1)\ninclude(${CMAKE_CURRENT_LIST_DIR}/cmake/own.cmake)\ninclude(CPack)\ninclude(${ASC}/func)',
    'find_package(ASC REQUIRED)\nnpu_op_kernel_library(ascendc_kernels SRC_BASE ${CMAKE_SOURCE_DIR}/op_kernel/)',
    'add_custom_command(OUTPUT x COMMAND cp a b)\ninclude(${ASC_DIR}/x.cmake)',
  ])
    expect(reading(text)).not.toThrow()
})

test('folders of the project are those of its top', () => {
  const text = 'add_ops_compile_options(ALL OPTIONS -I${CMAKE_SOURCE_DIR}/a -I${PROJECT_SOURCE_DIR}/b)'
  expect(readCompileOptions('AddCustom', [{ folder: '/c/op_kernel', text, top: '/c' }]).includes).toEqual([
    '/c/a',
    '/c/b',
  ])
  const named = `${text.replace('PROJECT', 'opp')}\nadd_ops_compile_options(AddCustom OPTIONS -I\${CMAKE_HOME_DIRECTORY}/c)`
  const project = { folder: '/c/op_kernel', text: named, top: '/c', projects: ['opp'] }
  expect(readCompileOptions('AddCustom', [project]).includes).toEqual(['/c/a', '/c/b', '/c/c'])
  expect(() => readCompileOptions('AddCustom', [{ ...project, text, projects: [] }])).toThrow('-I${PROJECT_SOURCE_DIR}')
  const maybe = { folder: '/c/op_kernel', text: `if(X)\nproject(x)\nendif()\n${text}`, top: '/c' }
  expect(() => readCompileOptions('AddCustom', [maybe])).toThrow('-I${PROJECT_SOURCE_DIR}')
  const own = { folder: '/c/op_kernel', text: `project(x)\n${text}`, top: '/c' }
  expect(readCompileOptions('AddCustom', [own]).includes).toEqual(['/c/a', '/c/op_kernel/b'])
})

const under = (condition: string) => `set(USE ON)\nset(NOT_THERE x-NOTFOUND)\nif(${condition})\n${off}endif()`

test('conditions on variables of the file are known', () => {
  expect([under('USE'), under('NOT NOT_THERE'), under('NOT USE'), under('NOT_THERE')].map(isOn)).toEqual([
    false,
    false,
    true,
    true,
  ])
  expect(() => read(under('"USE"'))).toThrow('whether --cce-auto-sync=off is given')
  expect(() => read(under('OTHER'))).toThrow('whether --cce-auto-sync=off is given')
})

test('numbers and what is not found are constants, whatever variables are called', () => {
  const set =
    'set(2 OFF)\nset(00 ON)\nset(X-NOTFOUND ON)\nset(ENV{E} ON)\nset(0x2 OFF)\nset(inf OFF)\nset(notfound ON)\n'
  for (const [condition, runs] of [
    ['2', true],
    ['-7', true],
    ['00', false],
    ['X-NOTFOUND', false],
    ['NOTFOUND', false],
    ['NOT X-NOTFOUND', true],
  ] as const)
    expect([condition, isOn(`${set}if(${condition})\n${off}endif()`)]).toEqual([condition, !runs])
  for (const condition of ['0x2', '1e1', '.5', '" 2"', 'inf', 'nan', 'notfound', 'x-NotFound', 'ENV{E}', 'NOT'])
    expect(() => isOn(`${set}if(${condition})\n${off}endif()`)).toThrow('whether --cce-auto-sync=off is given')
})

test('a macro that returns counts where it is called', () => {
  const leave = 'macro(leave)\nif(X)\nreturn()\nendif()\nendmacro()\n'
  expect(isOn(`${leave}${off}`)).toBe(false)
  expect(() => read(`${leave}leave()\n${off}`)).toThrow('whether --cce-auto-sync=off is given')
})

const handedOn = (text: string) =>
  compileOptionWords('AddCustom', [{ folder: '/c', text: `add_ops_compile_options(ALL OPTIONS ${text})` }])

test('a list may be left by a macro of another file, and where it has been read before', () => {
  const list = { folder: '/c', text: `leave()\n${off}` }
  expect(readCompileOptions('AddCustom', [list]).autoSync).toBe(false)
  expect(() => readCompileOptions('AddCustom', [{ ...list, leaving: new Set(['leave']) }])).toThrow('is given')
  expect(() => read(`include_guard(GLOBAL)\n${off}`)).toThrow('whether --cce-auto-sync=off is given')
})

const unadded = (options: string) =>
  readCompileOptions('AddCustom', [{ folder: '/c/op_kernel', text: all(options), isUnadded: true }])

test('options in a list that CMake may not come to are refused', () => {
  expect(unadded('-g -O2').defines).toEqual([])
  expect(() => unadded('-DA=1')).toThrow(
    'CMakeLists.txt:1: whether -DA=1 is given cannot be told: write add_subdirectory(op_kernel) in the CMakeLists.txt above',
  )
})

test('options are handed on with their values, or refused', () => {
  expect(handedOn('-mllvm -inline-threshold=100 --cce-auto-sync=off')).toEqual([
    '-mllvm',
    '-inline-threshold=100',
    '--cce-auto-sync=off',
  ])
  expect(handedOn('-D Y=2 -DZ -UZ -I/x -fno-unroll-loops -O2 --save-temp-files')).toEqual([
    '-DY=2',
    '-DZ',
    '-UZ',
    '-fno-unroll-loops',
    '-O2',
  ])
  for (const text of ['"-DX=(1)"', '"-DZ=a b"'])
    expect(() => handedOn(text)).toThrow("cannot be handed on to the vendor's build")
})

const beside = (text: string, files: Record<string, string>, folder = '/c') =>
  readCompileOptions('AddCustom', [
    {
      folder,
      text,
      top: '/c',
      others: otherFilesOf(new Map(Object.entries(files).map(([name, body]) => [`/c/${name}`, body]))),
    },
  ])

test('what reads a file that gives options gives them as well', () => {
  const given = 'add_ops_compile_options(ALL OPTIONS -DX)\n'
  expect(
    beside('include(a.cmake)', { 'a.cmake': 'include(${CMAKE_CURRENT_LIST_DIR}/b.cmake)', 'b.cmake': given }).defines,
  ).toEqual(['-DX'])
  for (const [text, files] of [
    ['include(a.cmake)', { 'a.cmake': 'add_subdirectory(sub)', 'sub/CMakeLists.txt': given }],
    ['add_subdirectory(sub)', { 'sub/CMakeLists.txt': 'add_subdirectory(deep)', 'sub/deep/CMakeLists.txt': given }],
    ['add_subdirectory(sub)', { 'sub/CMakeLists.txt': 'include(options)', 'sub/options.cmake': given }],
    ['include(a.cmake)', { 'a.cmake': 'set(CMAKE_PROJECT_INCLUDE ${X})', 'b.cmake': given }],
    ['include(a.cmake)', { 'a.cmake': 'file(APPEND ${D}/custom_compile_options.ini "ALL,,-DX")' }],
  ] as const)
    expect(() => beside(text, files)).toThrow('hides compile options')
})

test('beside a file that gives options only commands that read none run', () => {
  const files = { 'hidden.cmake': off, 'BarConfig.cmake': off, 'CMakeDetermineFOOCompiler.cmake': off }
  for (const text of [
    'find_package(Foo REQUIRED CONFIGS hidden.cmake NO_DEFAULT_PATH PATHS ${CMAKE_CURRENT_SOURCE_DIR})',
    'find_package(Foo REQUIRED NAMES Bar)',
    'find_package(${X})',
    'enable_language(FOO)',
    'project(x LANGUAGES FOO)',
    'string(CONCAT N CMAKE_ PROJECT_INCLUDE)\nproject(x)',
    'set(${N} hidden.cmake)',
    'list(APPEND CMAKE_MODULE_PATH ${CMAKE_SOURCE_DIR})',
    'load_cache(x)',
    'find_dependency(Foo)',
    'FetchContent_Populate(x)',
    'any_other(x)',
  ])
    expect(() => beside(text, files)).toThrow('hides compile options')
  expect(() => beside('project(x)', files, '/c/op_kernel')).toThrow('project hides compile options')
  for (const text of [
    'cmake_minimum_required(VERSION 3.16)\nproject(opp LANGUAGES CXX)\nfind_package(ASC REQUIRED)\nset(package_name x)',
    'find_package(Python3 3.7 COMPONENTS Interpreter REQUIRED)',
    'function(own)\nmessage(x)\nendfunction()\nown()',
    'file(GLOB srcs *.cpp)\nnpu_op_library(cust_optiling TILING ${srcs})',
    'if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/op_host")\nadd_subdirectory(op_host)\nendif()',
  ])
    expect(() => beside(text, files)).not.toThrow()
  expect(() => beside('any_other(x)', {})).not.toThrow()
})

test('variables by which CMake reads files along with a project are not set', () => {
  for (const text of [
    'list(APPEND CMAKE_PROJECT_INCLUDE x.cmake)',
    'get_filename_component(CMAKE_PROJECT_TOP_LEVEL_INCLUDES x.cmake ABSOLUTE)',
    'string(CONCAT CMAKE_USER_MAKE_RULES_OVERRIDE x)',
  ])
    expect(() => read(text)).toThrow('hides compile options')
})

test('options of a command that the candidate defines are not told', () => {
  const files = { 'cmake/func.cmake': 'function(add_ops_compile_options)\nendfunction()' }
  const include = 'include(cmake/func.cmake)\n'
  expect(() => beside(`${include}add_ops_compile_options(ALL OPTIONS -DX)`, files)).toThrow(
    'CMakeLists.txt:2: what its options come to cannot be told, as func.cmake defines the command',
  )
  expect(beside(`${include}add_ops_compile_options(ALL OPTIONS -g)`, files).defines).toEqual([])
})

test('a project that the tool of the vendor has made may have all of its files', () => {
  const config =
    'set(ASCEND_AUTOGEN_PATH ${CMAKE_BINARY_DIR}/autogen)\nfile(MAKE_DIRECTORY ${ASCEND_AUTOGEN_PATH})\n' +
    'set(CUSTOM_COMPILE_OPTIONS "custom_compile_options.ini")\nexecute_process(COMMAND rm -rf ' +
    '${ASCEND_AUTOGEN_PATH}/${CUSTOM_COMPILE_OPTIONS}\n  COMMAND touch ${ASCEND_AUTOGEN_PATH}/${CUSTOM_COMPILE_OPTIONS})\n'
  const text =
    'include(cmake/config.cmake)\nif("${CMAKE_BUILD_TYPE}x" STREQUAL "Debugx")\nadd_ops_compile_options(ALL OPTIONS -g -O0)\nendif()'
  expect(beside(text, { 'cmake/config.cmake': config }).defines).toEqual([])
  // where it is read afterwards, the vendor has lost them
  const given = 'add_ops_compile_options(ALL OPTIONS -DX)\ninclude(cmake/config.cmake)'
  expect(() => beside(given, { 'cmake/config.cmake': config })).toThrow(
    'config.cmake defines the command, or begins anew',
  )
  const other = config.replace('rm -rf', 'cp more.ini')
  expect(() => beside(text, { 'cmake/config.cmake': other })).toThrow('hides compile options')
})

test('macros of the build of the vendor are not defined', () => {
  for (const name of [
    'DTYPE_X=int',
    'ORIG_DTYPE_X=DT_INT32',
    'FORMAT_X=FORMAT_NZ',
    'DETERMINISTIC_MODE=1',
    '__NPU_ARCH__=1',
  ])
    expect(() => read(`add_ops_compile_options(ALL OPTIONS -D${name})`)).toThrow(
      `-D${name} of add_ops_compile_options takes the place of a macro of the vendor's build: call it otherwise`,
    )
  expect(read('add_ops_compile_options(ALL OPTIONS -DDTYPES=2 -DTILING_KEY_ONE=1)').defines).toHaveLength(2)
})
