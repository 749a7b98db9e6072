import { expect, test } from 'vitest'
import { OptionError } from './options.ts'
import { requireSystem, thisSystem, whyUnsupported } from './system.ts'

const linux = { platform: 'linux', arch: 'x64', musl: false }

test.each([linux, { ...linux, arch: 'arm64' }, thisSystem()])('%j is a system for kernels', (system) => {
  expect(whyUnsupported(system)).toBeUndefined()
  expect(() => requireSystem(system)).not.toThrow()
})

test.each([
  [{ ...linux, platform: 'win32' }, 'this is Windows: run it in WSL 2'],
  [{ ...linux, platform: 'darwin', arch: 'arm64' }, 'this is macOS: run it in a container'],
  [{ ...linux, platform: 'freebsd' }, 'this is freebsd: run it in a container'],
  [{ ...linux, arch: 'riscv64' }, 'this is riscv64'],
  [{ ...linux, musl: true }, 'this is Linux with musl (Alpine): use an image of Debian'],
])('%j is refused in one line', (system, says) => {
  expect(whyUnsupported(system)).toContain(`vitest-npu needs Linux with glibc on x86-64 or aarch64, ${says}`)
  expect(() => requireSystem(system)).toThrow(OptionError)
  expect(whyUnsupported(system)).not.toContain('\n')
})
