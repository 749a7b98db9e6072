import type { TargetFactory } from '../model/index.ts'
import { emulator } from './emulator.ts'

/** Every target by the name that the option `target` knows it by; null: announced, and not available yet. */
const targets = { emulator, ascend: null } as const satisfies Record<string, TargetFactory | null>

export type TargetName = keyof typeof targets

const isTargetName = (name: string): name is TargetName => name in targets

export const targetNames: TargetName[] = Object.keys(targets).filter(isTargetName)

/** The target of that name. Throws, in one line, where it is not available yet. */
export function targetNamed(name: TargetName): TargetFactory {
  const target = targets[name]
  if (target) return target
  const available = targetNames.filter((each) => targets[each]).map((each) => `"${each}"`)
  throw new Error(`target "${name}" is not available yet; ${available.join(' or ')} is what this version runs`)
}

/** Whether a value can make a target: what a configuration may give in the place of a name. */
export const isTargetFactory = (value: unknown): value is TargetFactory =>
  typeof value === 'object' &&
  value !== null &&
  typeof Reflect.get(value, 'name') === 'string' &&
  typeof Reflect.get(value, 'create') === 'function'
