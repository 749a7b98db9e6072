import type { TargetFactory } from '../model/index.ts'
import { ascend } from './ascend.ts'
import { emulator } from './emulator.ts'

/** Every target by the name that the option `target` knows it by. */
const targets = { emulator, ascend } as const satisfies Record<string, TargetFactory>

export type TargetName = keyof typeof targets

const isTargetName = (name: string): name is TargetName => name in targets

export const targetNames: TargetName[] = Object.keys(targets).filter(isTargetName)

/** The target of that name. */
export const targetNamed = (name: TargetName): TargetFactory => targets[name]

/** Whether a value can make a target: what a configuration may give in the place of a name. */
export const isTargetFactory = (value: unknown): value is TargetFactory =>
  typeof value === 'object' &&
  value !== null &&
  typeof Reflect.get(value, 'name') === 'string' &&
  typeof Reflect.get(value, 'create') === 'function'
