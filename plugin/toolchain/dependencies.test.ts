import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { firstOutside, parseDependencies } from './dependencies.ts'
import { readSourceTree } from './sources.ts'

test('a make rule yields its files, odd names included', () => {
  const rule = String.raw`/s/my\ kernel.o: /c/op_kernel/a.cpp \
  /c/op_kernel/with\ space.h /c/op_kernel/cost$$.h \
  /usr/include/stdint.h
`
  expect(parseDependencies(rule)).toEqual([
    '/c/op_kernel/a.cpp',
    '/c/op_kernel/with space.h',
    '/c/op_kernel/cost$.h',
    '/usr/include/stdint.h',
  ])
})

test('blanks that are not ASCII are a part of a name', () => {
  expect(parseDependencies('a.o: /c/x.h\u00a0/usr/include/y /c/a\u3000b.h\n')).toEqual([
    '/c/x.h\u00a0/usr/include/y',
    '/c/a\u3000b.h',
  ])
})

test('neither a path nor a link leads out of the candidate', async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'outside-')))
  try {
    mkdirSync(join(root, 'op_kernel'))
    writeFileSync(join(root, 'op_kernel', 'a.h'), '')
    symlinkSync('/etc/passwd', join(root, 'op_kernel', 'b.h'))
    const inside = [join(root, 'op_kernel', 'a.h'), join(root, 'op_kernel', '..', 'op_kernel', 'a.h')]
    expect(await firstOutside(inside, [root])).toBeNull()
    expect(await firstOutside([join(root, 'op_kernel', 'b.h')], [root])).toBe(join(root, 'op_kernel', 'b.h'))
    expect(await firstOutside(['/etc/passwd'], [root])).toBe('/etc/passwd')
    expect(await firstOutside([join(root, 'missing.h')], [root])).toBe(join(root, 'missing.h'))
    expect(await firstOutside([`${root}-next/x.h`], [root])).toBe(`${root}-next/x.h`)
    await expect(readSourceTree(root, '/mark')).rejects.toThrow(
      'op_kernel/b.h links to a place outside of the candidate',
    )
  } finally {
    rmSync(root, { recursive: true })
  }
})
