import { expect } from 'vitest'
import { matchers } from './matchers.ts'

expect.extend(matchers)
