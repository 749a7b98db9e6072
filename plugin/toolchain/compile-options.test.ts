import { expect, test } from 'vitest'
import { compileOptionWords, givesOptions, OtherFiles, readCompileOptions } from './compile-options.ts'

const read = (text: string, operator = 'AddCustom') => readCompileOptions(operator, [{ folder: '/c/op_kernel', text }])

test('without options nothing is defined and auto-sync is on', () => {
  expect(read('project(opp)')).toEqual({ defines: [], includes: [], autoSync: true })
})

test('macros, include folders and auto-sync are taken in both spellings of the command', () => {
  const modern = `add_ops_compile_options(
      OP_NAME AddCustom   # which one
      OPTIONS --cce-auto-sync=off -DMODE=2 -D FAST "-I../common" -I \${CMAKE_CURRENT_SOURCE_DIR}/inc
              -Wno-deprecated-declarations -Werror)`
  expect(read(modern)).toEqual({
    defines: ['-DMODE=2', '-DFAST'],
    includes: ['/c/common', '/c/op_kernel/inc'],
    autoSync: false,
  })
  expect(read('add_ops_compile_options(AddCustom COMPUTE_UNIT ascend910b OPTIONS -DOLD)').defines).toEqual(['-DOLD'])
  expect(read('add_ops_compile_options(ALL OPTIONS -g -O0 -DALL_OF_THEM)').defines).toEqual(['-DALL_OF_THEM'])
})

test('options of another operator and commented ones are ignored', () => {
  expect(read('add_ops_compile_options(OP_NAME Sqrt OPTIONS --cce-auto-sync=off)').autoSync).toBe(true)
  expect(read('# add_ops_compile_options(ALL OPTIONS -DX)').defines).toEqual([])
})

test('the nearest file has the last word', () => {
  const far = { folder: '/c', text: 'add_ops_compile_options(ALL OPTIONS --cce-auto-sync=off)' }
  const near = { folder: '/c/op_kernel', text: 'add_ops_compile_options(ALL OPTIONS --cce-auto-sync=on)' }
  expect(readCompileOptions('AddCustom', [near, far]).autoSync).toBe(true)
  expect(readCompileOptions('AddCustom', [far, near]).autoSync).toBe(false)
})

test('a list may grow by some thousand elements', () => {
  const line = 'list(APPEND SOURCES ${CMAKE_CURRENT_SOURCE_DIR}/kernels/a_kernel_of_the_operator.cpp)'
  const lines = Array.from({ length: 5000 }, () => line)
  const { defines } = read(['set(SOURCES)', ...lines, 'add_ops_compile_options(ALL OPTIONS -DX)'].join('\n'))
  expect(defines).toEqual(['-DX'])
})

test('an option is never a way to pass anything else to the compiler', () => {
  const { defines, includes } = read('add_ops_compile_options(ALL OPTIONS -fplugin=x.so -include /etc/passwd)')
  expect({ defines, includes }).toEqual({ defines: [], includes: [] })
})

test('an operator is named as its folder is as well', () => {
  const text = 'add_ops_compile_options(OP_NAME layer_norm_v4 OPTIONS -DWIDE=1)'
  expect(readCompileOptions('LayerNormV4', [{ folder: '/x', text }]).defines).toEqual(['-DWIDE=1'])
  expect(readCompileOptions('LayerNormV3', [{ folder: '/x', text }]).defines).toEqual([])
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
    'npu_op_kernel_options(ascendc_kernels AddCustom COMPUTE_UNIT ${ASCEND_COMPUTE_UNIT} OPTIONS --cce-auto-sync=off)',
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
  const include = 'add_ops_compile_options(ALL OPTIONS -I${CATLASS}/include -I ${B} -DCATLASS_ARCH=2201)\n'
  expect(read(`${debug}${include}add_kernels_compile()`)).toEqual({
    defines: ['-DCATLASS_ARCH=2201'],
    includes: [],
    autoSync: true,
  })
  expect(compileOptionWords('AddCustom', [{ folder: '/c', text: debug }])).toEqual([])
})

test('options that cannot be told are refused, in a line that says what to write', () => {
  for (const [text, message] of [
    ['add_ops_compile_options(ALL OPTIONS ${SYNC})', '1: ${SYNC} of add_ops_compile_options cannot be told'],
    ['add_ops_compile_options(ALL OPTIONS -DN=$ENV{N})', '1: -DN=$ENV{N} of add_ops'],
    ['add_ops_compile_options(ALL ${ARGN})', '1: ${ARGN} of'],
    ['add_ops_compile_options(ALL OPTIONS "-g --cce-auto-sync=off")', 'cannot be told: write the option itself'],
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

test('a folder to include whose name the file may have put together is refused', () => {
  const include = 'add_ops_compile_options(ALL OPTIONS -I${B})'
  expect(read(`find_package(ASC)\nset(B \${HOME_OF}/include CACHE PATH "")\n${include}`).includes).toEqual([])
  for (const set of ['string(CONCAT B x ";-g")', 'set(B "x;-g" CACHE STRING "")', 'cmake_parse_arguments(B "" "" "")'])
    expect(() => read(`${set}\n${include}`)).toThrow('-I${B} of add_ops_compile_options cannot be told')
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
  const others = new OtherFiles(['/c/op_kernel/more/CMakeLists.txt', '/c/cmake/off.cmake'])
  const reading = (text: string) => () =>
    readCompileOptions('AddCustom', [{ folder: '/c/op_kernel', text, top: '/c', others }])
  for (const text of [
    'add_subdirectory(more)',
    'add_subdirectory(${X})',
    'include(more/CMakeLists.txt)',
    'include(${X}/off.cmake)',
    'include(off)',
    'include(${X})',
  ])
    expect(reading(text)).toThrow('hides compile options')
  for (const text of ['add_subdirectory(op_host)', 'include(../cmake/func.cmake)', 'include(${ASC}/x.cmake)'])
    expect(reading(text)).not.toThrow()
  const texts = [
    off,
    'cmake_language(EVAL CODE "")',
    'function(add_ops_compile_options)\nendfunction()',
    '# add_ops_compile_options(',
  ]
  expect(texts.map(givesOptions)).toEqual([true, true, false, false])
})

const forUnit = (unit: string, sync: string) =>
  `add_ops_compile_options(ALL COMPUTE_UNIT ${unit} OPTIONS --cce-auto-sync=${sync})\n`

test('a file that is included by a name that is told gives its options', () => {
  const texts = new Map([
    ['/c/op_kernel/cmake/sync.cmake', `${off}include(\${CMAKE_CURRENT_LIST_DIR}/\${more}.cmake)\n`],
    ['/c/op_kernel/cmake/macros.cmake', 'add_ops_compile_options(ALL OPTIONS -DA=${a})\nset(a 2)\n'],
    ['/c/op_kernel/cmake/leaves.cmake', `if(X)\nreturn()\nendif()\n${off}`],
    ['/c/op_kernel/cmake/again.cmake', `${off}include(cmake/again.cmake)`],
    ['/c/op_kernel/cmake/wrong.cmake', '\nadd_ops_compile_options(ALL OPTIONS -D${B})'],
  ])
  const others = new OtherFiles([...texts.keys()], texts)
  const reading = (text: string) =>
    readCompileOptions('AddCustom', [{ folder: '/c/op_kernel', text, top: '/c', others }])
  const include = 'include(${CMAKE_CURRENT_SOURCE_DIR}/cmake/${name}.cmake)'
  const text = `set(a 1)\nset(more macros)\nset(name sync)\n${include}\nadd_ops_compile_options(ALL OPTIONS -DC=\${a})`
  expect(reading(text)).toEqual({ defines: ['-DA=1', '-DC=2'], includes: [], autoSync: false })
  for (const name of ['leaves', '${B}']) expect(() => reading(`set(name ${name})\n${include}`)).toThrow('hides compile')
  expect(() => reading(`if(X)\n${text}\nendif()`)).toThrow('hides compile options')
  expect(() => reading('include(cmake/again.cmake)')).toThrow('more than 100 files are included')
  expect(() => reading('include(cmake/wrong.cmake)')).toThrow('2: in wrong.cmake: -D${B} of')
})

test('options for other devices are none', () => {
  expect(isOn(`${off}${forUnit('ascend310p', 'on')}`)).toBe(false)
  expect(isOn(forUnit('ascend310p', 'off'))).toBe(true)
  expect(isOn(forUnit('ascend310p Ascend910B2', 'off'))).toBe(false)
  expect(() => read(forUnit('${UNIT}', 'off'))).toThrow('whether --cce-auto-sync=off is given')
})

const afterOff = (text: string) => `${off}add_ops_compile_options(ALL OPTIONS ${text})`

test('values of options are no options', () => {
  for (const text of [
    '-isystem --cce-auto-sync=on',
    '-I --cce-auto-sync=on',
    '-MF --cce-auto-sync=on',
    '-unknown --cce-auto-sync=on',
  ])
    expect(() => read(afterOff(text))).toThrow(/cannot be told/)
  expect(isOn(afterOff('-D A=1 -D _on -mllvm -x'))).toBe(false)
  expect(() => read(afterOff('-I ${B} --cce-auto-sync=on'))).toThrow('is a value of -I cannot be told')
  expect(() => read('add_ops_compile_options(ALL -DX)')).toThrow(
    '-DX of add_ops_compile_options cannot be told: write OPTIONS',
  )
})

test('macros may have parameters, and are taken back', () => {
  expect(read('add_ops_compile_options(ALL OPTIONS "-DOWN(x)=(x)" -DA=1 -DAB -UA -U B)').defines).toEqual([
    '-DOWN(x)=(x)',
    '-DAB',
  ])
  expect(() => read('add_ops_compile_options(ALL OPTIONS -D-include)')).toThrow('-D-include of')
})

test('folders of the project are those of its top', () => {
  const text = 'add_ops_compile_options(ALL OPTIONS -I${CMAKE_SOURCE_DIR}/a -I${PROJECT_SOURCE_DIR}/b)'
  expect(readCompileOptions('AddCustom', [{ folder: '/c/op_kernel', text, top: '/c' }]).includes).toEqual([
    '/c/a',
    '/c/b',
  ])
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

test('a macro that returns counts where it is called', () => {
  const leave = 'macro(leave)\nif(X)\nreturn()\nendif()\nendmacro()\n'
  expect(isOn(`${leave}${off}`)).toBe(false)
  expect(() => read(`${leave}leave()\n${off}`)).toThrow('whether --cce-auto-sync=off is given')
})

const handedOn = (text: string) =>
  compileOptionWords('AddCustom', [{ folder: '/c', text: `add_ops_compile_options(ALL OPTIONS ${text})` }])

test('options are handed on with their values, or refused', () => {
  expect(handedOn('-mllvm -inline-threshold=100 --cce-auto-sync=off')).toEqual([
    '-mllvm',
    '-inline-threshold=100',
    '--cce-auto-sync=off',
  ])
  expect(handedOn('-D Y=2 -UZ -I -g -isystem -fno-x -O2')).toEqual(['-DY=2', '-UZ', '-O2'])
  for (const text of ['"-DX=(1)"', '"-DZ=a b"', '-mllvm -load=x.so'])
    expect(() => handedOn(text)).toThrow("cannot be handed on to the vendor's build")
})
