/** A change of a file of the built package: `from` is there exactly once, or the layer is not taken away. */
export interface Patch {
  file: string
  from: string
  to: string
}

/** One layer of docs/security.md, or one part of it, and how a copy of the package does without. */
export interface Layer {
  name: string
  patches: readonly Patch[]
}

const nothing = ''

const words: readonly Patch[] = [
  // a header that every kernel has seen already: another one in its place would have the emulator built anew
  {
    file: 'dist/toolchain/flags.js',
    from: `export const hostOnlyHeader = 'ascendc/host_only.h'`,
    to: `export const hostOnlyHeader = 'ascendc/architecture.h'`,
  },
  { file: 'dist/toolchain/flags.js', from: `, '-fno-gnu-inline-asm'`, to: nothing },
]

const inner: readonly Patch[] = [
  {
    file: 'dist/toolchain/device-language.js',
    from: 'add(bitcodeFindings(bitcode, kernel, places));',
    to: 'bitcodeFindings(bitcode, kernel, places);',
  },
]

const object: readonly Patch[] = [
  {
    file: 'dist/toolchain/device-language.js',
    from: 'add(objectFindings(object, kernel, { functions, device }));',
    to: 'objectFindings(object, kernel, { functions, device });',
  },
]

const hashed: readonly Patch[] = [
  { file: 'dist/toolchain/unit.js', from: '    refuseUnhashed(files, unit.stage, trees);\n', to: nothing },
  { file: 'dist/toolchain/unit.js', from: 'if (outside !== null) {', to: 'if (false) {' },
]

const asked: readonly Patch[] = [
  {
    file: 'dist/toolchain/unit.js',
    from: `    if (problem === undefined)
        return;`,
    to: '    if (predefined !== undefined) return;',
  },
]

export const layers: readonly Layer[] = [
  {
    name: 'paths',
    patches: [
      {
        file: 'dist/toolchain/sources.js',
        from: '        check(root, entry, { own, links });',
        to: '        void entry;',
      },
      { file: 'dist/files/source.js', from: 'maxSources = 4000', to: 'maxSources = Infinity' },
      { file: 'dist/files/list.js', from: 'const maxDepth = 32', to: 'const maxDepth = Infinity' },
      { file: 'dist/files/list.js', from: 'const maxEntries = 20_000', to: 'const maxEntries = Infinity' },
      { file: 'dist/files/read.js', from: 'if (!facts.isFile())', to: 'if (false)' },
      { file: 'dist/files/read.js', from: 'if (facts.size > maxBytes)', to: 'if (false)' },
      {
        file: 'dist/toolchain/build-candidate.js',
        from: 'if (root === undefined || isInside(real, root))',
        to: 'if (real !== null)',
      },
    ],
  },
  { name: 'compile: words', patches: words },
  { name: 'compile: bitcode', patches: inner },
  { name: 'compile: object', patches: object },
  { name: 'compile: files that no hash covers', patches: hashed },
  { name: 'compile: what texts ask a build for', patches: asked },
  { name: 'compile: all of these', patches: [...words, ...inner, ...object, ...hashed, ...asked] },
  {
    name: 'device: what it reports is not judged',
    patches: [
      {
        file: 'dist/evaluation/decide.js',
        from: `const error = reports.find((report) => report.severity === 'error');`,
        to: 'const error = undefined;',
      },
      {
        file: 'dist/device/emulator-device.js',
        from: 'const trap = trapOf(result, reports);',
        to: 'const trap = null;',
      },
    ],
  },
  {
    name: 'replies',
    patches: [
      {
        file: 'dist/runner/protocol.js',
        from: 'return { ok: false, failure: malformed(parsed.error, given), log };',
        to: 'return { ok: true, result: given, log };',
      },
    ],
  },
  {
    name: 'judging',
    patches: [
      {
        file: 'dist/evaluation/decide.js',
        from: 'const finding = judgement[profile];',
        to: `const finding = { kind: 'correct' };`,
      },
    ],
  },
  {
    name: 'remembering',
    patches: [
      {
        file: 'dist/evaluation/verdict-cache.js',
        from: '    #hasFailed(key) {\n',
        to: '    #hasFailed(key) {\n        return false;\n',
      },
    ],
  },
  {
    name: 'printing',
    patches: [
      {
        file: 'dist/model/neutral.js',
        from: 'export const neutralText = (text) => withoutLongLines(text)\n',
        to: 'export const neutralText = (text) => text;\nexport const escapedText = (text) => text\n',
      },
    ],
  },
]

/** Why rows of the table of layers are not taken away. */
export const kept: readonly (readonly [name: string, why: string])[] = [
  [
    'confinement',
    'a candidate runs in the confinement and nowhere else; what it holds by itself is `containment.test.ts`',
  ],
  ['two processes', 'there is no device in the process of a kernel that could be believed instead'],
]

/** What takes a layer away from a package, so that nothing which has it finds what was built without. */
export const patchesOf = ({ name, patches }: Layer): Patch[] => [
  ...patches,
  { file: 'dist/toolchain/kernel.js', from: `hashOf('kernel `, to: `hashOf('without ${name}', 'kernel ` },
  { file: 'dist/toolchain/kernel-facts.js', from: `hashOf('facts `, to: `hashOf('without ${name}', 'facts ` },
  { file: 'dist/toolchain/host.js', from: `hashOf('host `, to: `hashOf('without ${name}', 'host ` },
]

/** The text of the file of a patch with the patch. Throws where it does not apply. */
export function patched(text: string, { file, from, to }: Patch): string {
  const parts = text.split(from)
  if (parts.length === 2) return parts.join(to)
  throw new Error(
    `${file} has ${parts.length - 1} times ${JSON.stringify(from)}, which must be there once: write the patch anew`,
  )
}
