import { expect, test } from 'vitest'
import { snakeCase } from './snake-case.ts'

test.each([
  ['SoftplusCustom', 'softplus_custom'],
  ['MaxPooling3dCustom', 'max_pooling3d_custom'],
  ['MinGPTNewGelu', 'min_gpt_new_gelu'],
])('%s is %s in snake case', (name, snake) => expect(snakeCase(name)).toBe(snake))
